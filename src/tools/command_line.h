/* SPDX-License-Identifier: MIT */
/** A command's options as tables: their names, what --help prints of them, where their values go. Commands put
 * groups of options together; the groups that several have are in options.h. */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/** One option. */
struct option_row {
   /** Without "--"; NULL: take is called with each operand (a word that is not an option), which stays an operand. */
   const char *name;
   /** The name of its value in --help; NULL: it has none. "[=…]": the value may be omitted, and follows a '='. */
   const char *value;
   /** Lines for --help, of which %s is the group's default; NULL: another name of the row before it. */
   const char *help;
   /** Parses a value (NULL: omitted, or there is none); exits with a message if it is wrong. option: its
    * name with "--". */
   void (*take)(void *field, const char *option, const char *value);
   size_t offset; /**< of the field that take gets, in the group's target */
   bool repeats;  /**< it may be given more than once */
};

/** For rows: a const char * that is not empty; the same for a file that is read, and for one that is written. */
void take_path(void *field, const char *option, const char *value);
void take_input(void *field, const char *option, const char *value);
void take_output(void *field, const char *option, const char *value);
/** For other rows: the option reads this file. The name is not copied. */
void note_input(const char *path);

/** A row whose field is one of a structure; one whose field is the group's target; and the same for one that repeats. */
#define OPTION(name, value, help, take, type, field) \
   {(name), (value), (help), (take), offsetof(type, field), false}
#define OPTION_ALONE(name, value, help, take) {(name), (value), (help), (take), 0, false}
#define OPTION_REPEATED(name, value, help, take) {(name), (value), (help), (take), 0, true}

struct option_group {
   const struct option_row *rows;
   unsigned count;
   void *target;       /**< where the values go */
   const char *preset; /**< what --help says is the default, if a row's help has a %s */
};

/** The words of a command line that are not options: files, or a program with its arguments. */
struct operands {
   char **list;
   unsigned count;
   bool has_program; /**< of OPERANDS_SOURCE: they follow "--" */
};

enum operand_count {
   OPERANDS_NONE,
   OPERANDS_ONE,
   OPERANDS_AT_MOST_ONE,
   OPERANDS_SEVERAL, /**< at least one */
   OPERANDS_ANY,     /**< none or more */
   /** A program, after which all words are its arguments. Elsewhere options may follow operands, and after
    * "--" all words are operands. */
   OPERANDS_PROGRAM,
   OPERANDS_SOURCE, /**< one, or after "--" a program with its arguments (source.h) */
};

#define MAX_OPTION_GROUPS 13

struct command_line {
   const char *usage;       /**< "tbrsim info [OPTIONS] FILE.tbr" */
   const char *description; /**< paragraphs of --help before the options; lines of up to 90 characters */
   enum operand_count operands;
   const char *operand; /**< what an operand is: "recording" */
   const char
      *second; /**< of OPERANDS_SOURCE: the option that takes another one, "compare"; NULL: none does */
   struct option_group groups[MAX_OPTION_GROUPS]; /**< up to the first one without rows */
   const char *notes;                             /**< of --help after the options; NULL: none */
   void (*print_notes)(FILE *file);               /**< prints more after them; NULL: nothing */
};

/** Parses the words after the subcommand. --help (of a form: help.h) and -h print the help and end the command; -o is --out of a command
 * that has it. Exits with a message if an option is unknown, lacks its value or is repeated, where
 * there are too few operands or too many, and where an option's output is a file that another option or an operand reads. */
struct operands command_line_parse(const struct command_line *line, int argc, char **argv);

/** Whether each of the words is in one of two texts, in upper or lower case; true for no words. */
bool operands_are_in(const struct operands *words, const char *text, const char *other);

/** Whether two paths are those of one existing file of this type: S_IFREG, S_IFDIR. */
bool is_same_file(const char *one, const char *other, mode_t type);

#define OPTION_GROUP(rows_, target_) {(rows_), sizeof(rows_) / sizeof((rows_)[0]), (target_), NULL}

#endif
