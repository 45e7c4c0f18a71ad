/* SPDX-License-Identifier: MIT */
#include "command_line.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "help.h"
#include "tools.h"
#include "util/near.h"

#define MAX_ROWS 64
#define HELP 0x100         /* number of --help */
#define FIRST_OPTION 0x101 /* first number of the other options without a short name */

/* All rows of a command, one after the other. */
struct parser {
   const struct command_line *line;
   const char *command;
   struct {
      const struct option_row *row;
      char *field;
      const char *help_name; /* of the first of several names */
      bool given;
   } entries[MAX_ROWS];
   unsigned count;
   struct option long_options[MAX_ROWS + 2]; /* --help and the end, too */
   int out;                                  /* which of them -o is; -1: none */
};

static void
add_row(struct parser *parser, unsigned *num_options, const struct option_row *row, void *target)
{
   const unsigned number = parser->count++;
   if (number == MAX_ROWS)
      abort(); /* too many for the table: a bug of the command */
   parser->entries[number].row = row;
   parser->entries[number].field = (char *)target + row->offset;
   if (!row->name)
      return;
   parser->entries[number].help_name =
      row->help || !number ? row->name : parser->entries[number - 1].help_name;
   if (!strcmp(row->name, "out"))
      parser->out = (int)number;
   parser->long_options[(*num_options)++] = (struct option){
      .name = row->name,
      .has_arg = !row->value            ? no_argument
                 : row->value[0] == '[' ? optional_argument
                                        : required_argument,
      .val = FIRST_OPTION + (int)number,
   };
}

static void
start(struct parser *parser, const struct command_line *line, const char *command)
{
   unsigned num_options = 0;
   *parser = (struct parser){.line = line, .command = command, .out = -1};
   for (const struct option_group *group = line->groups;
        group < line->groups + MAX_OPTION_GROUPS && group->rows; group++) {
      for (unsigned r = 0; r < group->count; r++)
         add_row(parser, &num_options, &group->rows[r], group->target);
   }
   parser->long_options[num_options] =
      (struct option){.name = "help", .has_arg = optional_argument, .val = HELP};
}

/* ---- names of files ---------------------------------------------------------- */

/* Of files that options read. */
static const char **inputs;
static unsigned num_inputs;

void
note_input(const char *path)
{
   const char **list = allocate((num_inputs + 1) * sizeof *list);
   if (num_inputs)
      memcpy(list, inputs, num_inputs * sizeof *list);
   list[num_inputs++] = path;
   free(inputs);
   inputs = list;
}

void
take_path(void *field, const char *option, const char *value)
{
   if (!*value)
      fail(STATUS_USAGE, "%s: the name is empty", option);
   *(const char **)field = value;
}

void
take_input(void *field, const char *option, const char *value)
{
   take_path(field, option, value);
   note_input(value);
}

void
take_output(void *field, const char *option, const char *value)
{
   take_path(field, option, value);
}

/* ---- parsing ---------------------------------------------------------------- */

/* Rows with the same field are one option: other names of it, or other values. */
static void
check_repeated(struct parser *parser, unsigned number)
{
   const struct option_row *row = parser->entries[number].row;
   for (unsigned e = 0; e < parser->count && !row->repeats; e++) {
      const struct option_row *other = parser->entries[e].row;
      if (!parser->entries[e].given || parser->entries[e].field != parser->entries[number].field)
         continue;
      if (strcmp(parser->entries[e].help_name, parser->entries[number].help_name))
         fail(STATUS_USAGE, "--%s and --%s exclude each other; see tbrsim %s --help", other->name, row->name,
              parser->command);
      fail(STATUS_USAGE, "--%s: given twice (--%s); see tbrsim %s --help", row->name, other->name,
           parser->command);
   }
   parser->entries[number].given = true;
}

static void
take(struct parser *parser, unsigned number, const char *value)
{
   check_repeated(parser, number);
   char *option = text("--%s", parser->entries[number].help_name);
   parser->entries[number].row->take(parser->entries[number].field, option, value);
   free(option);
}

static void
add_operand(struct parser *parser, struct operands *operands, char *word)
{
   operands->list[operands->count++] = word;
   for (unsigned e = 0; e < parser->count; e++) {
      if (!parser->entries[e].row->name)
         parser->entries[e].row->take(parser->entries[e].field, NULL, word);
   }
}

static void
check_operands(const struct command_line *line, const struct operands *operands, const char *command)
{
   const enum operand_count count = line->operands;
   if (count == OPERANDS_NONE && operands->count)
      fail(STATUS_USAGE, "'%s': tbrsim %s takes no arguments; usage: %s", operands->list[0], command,
           line->usage);
   if (!operands->count && count != OPERANDS_NONE && count != OPERANDS_AT_MOST_ONE && count != OPERANDS_ANY)
      fail(STATUS_USAGE, "no %s; usage: %s", line->operand, line->usage);
   const bool is_one = count == OPERANDS_ONE || count == OPERANDS_AT_MOST_ONE || count == OPERANDS_SOURCE;
   if (operands->count <= 1 || !is_one || operands->has_program)
      return;
   if (operands->count == 2 && line->second)
      fail(STATUS_USAGE, "more than one %s; of two: tbrsim %s --%s %s %s", line->operand, command,
           line->second, operands->list[1], operands->list[0]);
   fail(STATUS_USAGE, "more than one %s; usage: %s", line->operand, line->usage);
}

bool
is_same_file(const char *one, const char *other, mode_t type)
{
   struct stat first, second;
   return !stat(one, &first) && !stat(other, &second) && (first.st_mode & S_IFMT) == type &&
          first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

static void
check_output(const char *option, const char *output, const char *input)
{
   if (is_same_file(output, input, S_IFREG))
      fail(STATUS_USAGE, "--%s %s: would overwrite %s, which is read; expected another file", option, output,
           input);
}

/* What is written is opened, and so emptied, before all is read. */
static void
check_outputs(const struct parser *parser, const struct operands *operands)
{
   for (unsigned e = 0; e < parser->count; e++) {
      if (parser->entries[e].row->take != take_output)
         continue;
      const char *option = parser->entries[e].row->name;
      const char *output = *(const char *const *)(const void *)parser->entries[e].field;
      for (unsigned o = 0; output && o < operands->count; o++)
         check_output(option, output, operands->list[o]);
      for (unsigned i = 0; output && i < num_inputs; i++)
         check_output(option, output, inputs[i]);
   }
}

static _Noreturn void
print_help(const struct command_line *line, const char *form)
{
   help_print(line, help_form(form));
   exit(end_output(STATUS_OK));
}

/* Of a word that getopt_long refuses. */
static _Noreturn void
fail_unknown(const struct parser *parser, const char *word)
{
   if (optopt >= FIRST_OPTION)
      fail(STATUS_USAGE, "--%s takes no value; see tbrsim %s --help",
           parser->entries[optopt - FIRST_OPTION].row->name, parser->command);
   struct cm_near near;
   char hint[CM_NEAR_TEXT];
   cm_near_start(&near, word, strcspn(word, "="));
   for (const struct option *option = parser->long_options; option->name; option++) {
      char *name = text("--%s", option->name);
      cm_near_offer(&near, name);
      free(name);
   }
   fail(STATUS_USAGE, "unknown option '%s'%s; see tbrsim %s --help%s", word,
        cm_near_text(&near, hint, sizeof hint), parser->command,
        parser->line->operands == OPERANDS_SOURCE ? "; a program and its options come after --" : "");
}

struct operands
command_line_parse(const struct command_line *line, int argc, char **argv)
{
   struct parser parser;
   struct operands operands = {.list = allocate((unsigned)argc * sizeof(*operands.list))};
   /* '+': options end at the first other word; '-': another word comes as option 1. */
   const char *short_options = line->operands == OPERANDS_PROGRAM ? "+:h" : "-:ho:";
   start(&parser, line, argv[0]);
   opterr = 0;
   for (int option; (option = getopt_long(argc, argv, short_options, parser.long_options, NULL)) != -1;) {
      if (option == 'o' && parser.out >= 0)
         option = FIRST_OPTION + parser.out;
      if (option >= FIRST_OPTION)
         take(&parser, (unsigned)(option - FIRST_OPTION), optarg);
      else if (option == 1)
         add_operand(&parser, &operands, optarg);
      else if (option == 'h' || option == HELP)
         print_help(line, option == HELP ? optarg : NULL);
      else if (option == ':')
         fail(STATUS_USAGE, "%s needs a value; see tbrsim %s --help", argv[optind - 1], argv[0]);
      else
         fail_unknown(&parser, option == 'o' ? "-o" : argv[optind - 1]);
   }
   const bool is_behind = optind < argc && line->operands == OPERANDS_SOURCE;
   operands.has_program = is_behind && !operands.count;
   while (optind < argc)
      add_operand(&parser, &operands, argv[optind++]);
   check_operands(line, &operands, argv[0]);
   check_outputs(&parser, &operands);
   return operands;
}

bool
operands_are_in(const struct operands *words, const char *text, const char *other)
{
   for (unsigned w = 0; w < words->count; w++) {
      if (!strcasestr(text, words->list[w]) && !strcasestr(other, words->list[w]))
         return false;
   }
   return true;
}
