/* SPDX-License-Identifier: MIT */
#include "help.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "tbrsim_version.h"
#include "tools.h"

#define HELP_COLUMN 27

static const char description[] =
   "A simulated tile-based deferred GPU for unmodified OpenGL and OpenGL ES programs: it\n"
   "renders the images and counts every access of its memory hierarchy.\n";
static const char examples[] = "  tbrsim run -- glmark2-es2 -b shading\n"
                               "  tbrsim replay --check game.trace\n"
                               "  tbrsim replay --config tcor-baseline-64k --set l2.size=2M game.trace\n"
                               "  tbrsim sim --config boustro-fo --config boustro-ro game.tbr\n"
                               "  eval \"$(tbrsim env --out results)\"; es2gears_x11\n";
static const char environment[] =
   "TBRSIM_DEBUG=shaders|nir|passes|tile=X,Y[,FRAME] in the environment (a comma-\n"
   "separated list) enables debug output of the driver; see docs/debugging.md.\n";

enum help_form
help_form(const char *value)
{
   static const char *const names[HELP_FORMS] = {
      [HELP_TEXT] = "text", [HELP_MAN] = "man", [HELP_OPTIONS] = "options"};
   return value ? (enum help_form)options_name("--help", value, names, HELP_FORMS) : HELP_TEXT;
}

/* ---- what all forms print ------------------------------------------------------ */

/* What an option is for, with the group's default in it; the caller frees it. */
static char *
option_text(const struct option_row *row, const char *preset)
{
   const char *place = strstr(row->help, "%s");
   return place ? text("%.*s%s%s", (int)(place - row->help), row->help, preset, place + 2)
                : text("%s", row->help);
}

/* The notes after the options; the caller frees them. */
static char *
notes_text(const struct command_line *line)
{
   char *notes;
   size_t size;
   FILE *file = open_memstream(&notes, &size);
   if (!file)
      fail(STATUS_FAILED, "out of memory");
   if (line->notes)
      fputs(line->notes, file);
   if (line->print_notes)
      line->print_notes(file);
   if (fclose(file))
      fail(STATUS_FAILED, "out of memory");
   return notes;
}

/* The option --help itself. */
static const struct option_row help_row = {.name = "help", .help = "this text"};

/* Calls print for each option of a command, --help the last. */
static void
for_each_option(const struct command_line *line,
                void (*print)(const struct option_row *row, const char *help))
{
   for (const struct option_group *group = line->groups;
        group < line->groups + MAX_OPTION_GROUPS && group->rows; group++) {
      for (unsigned r = 0; r < group->count; r++) {
         const struct option_row *row = &group->rows[r];
         if (!row->name || !row->help)
            continue;
         char *help = option_text(row, group->preset);
         print(row, help);
         free(help);
      }
   }
   print(&help_row, help_row.help);
}

static bool
is_attached(const char *value)
{
   return value[0] == '[';
}

/* ---- text ---------------------------------------------------------------------- */

static void
print_option(const struct option_row *row, const char *help)
{
   const char *value = row->value ? row->value : "";
   const int column = printf("  --%s%s%s", row->name, *value && !is_attached(value) ? " " : "", value);
   if (column >= HELP_COLUMN)
      putchar('\n');
   printf("%*s", column < HELP_COLUMN ? HELP_COLUMN - column : HELP_COLUMN, "");
   for (; *help; help++) {
      putchar(*help);
      if (*help == '\n')
         printf("%*s", HELP_COLUMN, "");
   }
   putchar('\n');
}

static void
print_text(const struct command_line *line)
{
   printf("usage: %s\n\n%s\n", line->usage, line->description);
   for_each_option(line, print_option);
   char *notes = notes_text(line);
   if (*notes)
      printf("\n%s", notes);
   free(notes);
}

static void
print_summaries(FILE *file)
{
   fputs("Commands (tbrsim COMMAND --help explains each):\n", file);
   for (unsigned c = 0; c < num_commands; c++)
      fprintf(file, "  %-9s %s\n", commands[c].name, commands[c].summary);
}

void
help_print_commands(FILE *file)
{
   fputs("usage: tbrsim COMMAND [OPTIONS]\n\n", file);
   print_summaries(file);
}

static void
print_all_text(void)
{
   printf("usage: tbrsim COMMAND [OPTIONS]\n\n%s\n", description);
   print_summaries(stdout);
   printf("\nExamples:\n%s\n%s", examples, environment);
}

/* ---- manual pages ---------------------------------------------------------------- */

/* A line's characters as they are: roff has its own meanings of some. */
static void
print_roff(const char *line, size_t length)
{
   if (length && (*line == '.' || *line == '\''))
      fputs("\\&", stdout);
   for (size_t c = 0; c < length; c++) {
      switch (line[c]) {
      case '\\': fputs("\\e", stdout); break;
      case '-': fputs("\\-", stdout); break;
      case '\'': fputs("\\(aq", stdout); break;
      case '^': fputs("\\(ha", stdout); break;
      case '~': fputs("\\(ti", stdout); break;
      case '`': fputs("\\(ga", stdout); break;
      default: putchar(line[c]);
      }
   }
}

/* Paragraphs, which are filled; lines that are indented, such as tables, keep their form. */
static void
print_roff_lines(const char *lines)
{
   bool indented = false;
   while (*lines) {
      const size_t length = strcspn(lines, "\n");
      const bool is_indented = *lines == ' ';
      if (is_indented != indented && (length || indented))
         puts(is_indented ? ".PP\n.EX" : ".EE");
      indented = is_indented;
      if (length) {
         print_roff(lines, length);
         putchar('\n');
      } else {
         puts(".PP");
      }
      lines += length + (lines[length] == '\n');
   }
   if (indented)
      puts(".EE");
}

static void
print_roff_text(const char *word)
{
   print_roff(word, strlen(word));
}

static void
print_man_option(const struct option_row *row, const char *help)
{
   fputs(".TP\n\\fB\\-\\-", stdout);
   print_roff_text(row->name);
   fputs("\\fR", stdout);
   if (row->value) {
      fputs(is_attached(row->value) ? "\\fI" : " \\fI", stdout);
      print_roff_text(row->value);
      fputs("\\fR", stdout);
   }
   putchar('\n');
   print_roff_lines(help);
   putchar('\n');
}

/* The head of a page, up to the description; command: NULL of tbrsim's own. */
static void
print_man_head(const char *command, const char *summary, const char *usage)
{
   char *name = command ? text("tbrsim-%s", command) : text("tbrsim");
   fputs(".TH ", stdout);
   for (const char *letter = name; *letter; letter++)
      putchar(toupper((unsigned char)*letter));
   printf(" 1 \"\" \"tbrsim %s\" \"tbrsim\"\n.SH NAME\n", tbrsim_release);
   print_roff_text(name);
   fputs(" \\- ", stdout);
   print_roff_text(summary);
   fputs("\n.SH SYNOPSIS\n.nf\n", stdout);
   print_roff_text(usage);
   puts("\n.fi\n.SH DESCRIPTION");
   free(name);
}

static void
print_man(const struct command_line *line, const char *command, const char *summary)
{
   print_man_head(command, summary, line->usage);
   print_roff_lines(line->description);
   puts(".SH OPTIONS");
   for_each_option(line, print_man_option);
   char *notes = notes_text(line);
   if (*notes) {
      puts(".SH NOTES");
      print_roff_lines(notes);
   }
   free(notes);
   puts(".SH SEE ALSO\n.BR tbrsim (1)");
}

static void
print_all_man(void)
{
   print_man_head(NULL, "simulate the GPU of OpenGL and OpenGL ES programs, and its memory",
                  "tbrsim COMMAND [OPTIONS]");
   print_roff_lines(description);
   puts(".SH COMMANDS");
   for (unsigned c = 0; c < num_commands; c++) {
      printf(".TP\n.BR tbrsim\\-%s (1)\n", commands[c].name);
      print_roff_lines(commands[c].summary);
      putchar('\n');
   }
   puts(".SH EXAMPLES");
   print_roff_lines(examples);
   puts(".SH ENVIRONMENT");
   print_roff_lines(environment);
}

/* ---- for shells ------------------------------------------------------------------- */

static void
print_option_line(const struct option_row *row, const char *help)
{
   printf("--%s\t%s\t", row->name, row->value ? row->value : "");
   for (; *help; help++)
      putchar(*help == '\n' ? ' ' : *help);
   putchar('\n');
}

static void
print_command_lines(void)
{
   for (unsigned c = 0; c < num_commands; c++)
      printf("%s\t%s\n", commands[c].name, commands[c].summary);
}

/* ----------------------------------------------------------------------------------- */

void
help_print(const struct command_line *line, enum help_form form)
{
   if (form == HELP_TEXT)
      print_text(line);
   else if (form == HELP_OPTIONS)
      for_each_option(line, print_option_line);
   for (unsigned c = 0; form == HELP_MAN && c < num_commands; c++) {
      const size_t length = strlen(commands[c].name);
      const char *word = line->usage + strlen("tbrsim ");
      if (!strncmp(word, commands[c].name, length) && (word[length] == ' ' || !word[length]))
         print_man(line, commands[c].name, commands[c].summary);
   }
}

void
help_print_all(enum help_form form)
{
   if (form == HELP_TEXT)
      print_all_text();
   else if (form == HELP_MAN)
      print_all_man();
   else
      print_command_lines();
}
