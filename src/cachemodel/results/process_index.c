/* SPDX-License-Identifier: MIT */
#include "results/process_index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "stats/text.h"
#include "util/array.h"
#include "util/file.h"

#define FRESH_NAME "." CM_PROCESS_INDEX_NAME ".new"

static const char *const names[CM_PROCESS_FIELDS] = {"folder", "program",   "pid",
                                                     "run",    "recording", "command"};

/* ---- rows -------------------------------------------------------------- */

static void
free_row(struct cm_process_row *row)
{
   for (unsigned f = 0; f < CM_PROCESS_FIELDS; f++)
      free(row->fields[f]);
}

void
cm_process_index_free(struct cm_process_index *index)
{
   for (size_t r = 0; r < index->count; r++)
      free_row(&index->rows[r]);
   free(index->rows);
   *index = (struct cm_process_index){0};
}

bool
cm_process_index_add(struct cm_process_index *index, const struct cm_process_row *row)
{
   if (!cm_array_grow(&index->rows, index->count, sizeof *index->rows))
      return false;
   struct cm_process_row copy;
   bool ok = true;
   for (unsigned f = 0; f < CM_PROCESS_FIELDS; f++) {
      copy.fields[f] = strdup(row->fields[f]);
      ok &= copy.fields[f] != NULL;
   }
   if (ok)
      index->rows[index->count++] = copy;
   else
      free_row(&copy);
   return ok;
}

void
cm_process_index_remove(struct cm_process_index *index, size_t row)
{
   free_row(&index->rows[row]);
   index->count--;
   memmove(index->rows + row, index->rows + row + 1, (index->count - row) * sizeof *index->rows);
}

struct cm_process_row *
cm_process_index_find(const struct cm_process_index *index, const char *folder)
{
   for (size_t r = 0; r < index->count; r++) {
      if (strcmp(index->rows[r].folder, folder) == 0)
         return &index->rows[r];
   }
   return NULL;
}

/* ---- reading ------------------------------------------------------------- */

/* Reads a field, with or without quotes, in place. Returns what follows its end; NULL: it ends otherwise. */
static char *
parse_field(char *at, char end, char **field)
{
   char *to = *field = at;
   const bool quoted = *at == '"';
   for (at += quoted; *at && (quoted ? *at != '"' || at[1] == '"' : !strchr(",\n\"", *at)); at++) {
      at += *at == '"';
      *to++ = *at;
   }
   at += quoted && *at == '"';
   const bool ends = *at == end;
   *to = '\0';
   return ends ? at + 1 : NULL;
}

static int
parse(char *at, struct cm_process_index *index)
{
   bool ok = true;
   unsigned lines = 0;
   for (; ok && *at; lines++) {
      struct cm_process_row row;
      for (unsigned f = 0; ok && f < CM_PROCESS_FIELDS; f++) {
         at = parse_field(at, f + 1 < CM_PROCESS_FIELDS ? ',' : '\n', &row.fields[f]);
         ok = at && (lines || strcmp(row.fields[f], names[f]) == 0);
      }
      ok = ok && (!lines || cm_process_index_add(index, &row));
   }
   return ok && lines ? 0 : EBADMSG;
}

int
cm_process_index_read(int directory, struct cm_process_index *index)
{
   char *text = NULL;
   size_t capacity = 0;
   *index = (struct cm_process_index){0};
   const int file = openat(directory, CM_PROCESS_INDEX_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
   FILE *stream = file < 0 ? NULL : fdopen(file, "r");
   if (!stream) {
      const int code = errno;
      if (file >= 0)
         close(file);
      return code == ENOENT ? 0 : code;
   }
   /* Up to the end: a text has no zero. */
   const ssize_t size = getdelim(&text, &capacity, '\0', stream);
   int code = size < 0 && ferror(stream) ? errno : size < 0 || strlen(text) != (size_t)size ? EBADMSG : 0;
   fclose(stream);
   if (!code)
      code = parse(text, index);
   if (code)
      cm_process_index_free(index);
   free(text);
   return code;
}

/* ---- writing ----------------------------------------------------------- */

static void
add_field(struct cm_byte_writer *text, const char *value)
{
   const bool quoted = strpbrk(value, ",\"\n\r") != NULL;
   cm_text_add(text, quoted ? "\"" : "");
   for (; *value; value++) {
      if (*value == '"')
         cm_text_add_character(text, '"');
      cm_text_add_character(text, *value);
   }
   cm_text_add(text, quoted ? "\"" : "");
}

static void
format(struct cm_byte_writer *text, const struct cm_process_index *index)
{
   for (unsigned f = 0; f < CM_PROCESS_FIELDS; f++) {
      cm_text_add(text, f ? "," : "");
      cm_text_add(text, names[f]);
   }
   cm_text_add(text, "\n");
   for (size_t r = 0; r < index->count; r++) {
      for (unsigned f = 0; f < CM_PROCESS_FIELDS; f++) {
         cm_text_add(text, f ? "," : "");
         add_field(text, index->rows[r].fields[f]);
      }
      cm_text_add(text, "\n");
   }
}

int
cm_process_index_write(int directory, const struct cm_process_index *index)
{
   if (!index->count)
      return unlinkat(directory, CM_PROCESS_INDEX_NAME, 0) != 0 && errno != ENOENT ? errno : 0;
   unlinkat(directory, FRESH_NAME, 0);
   const int file = openat(directory, FRESH_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
   if (file < 0)
      return errno;
   struct cm_byte_writer text = {0};
   format(&text, index);
   int code = text.out_of_memory ? ENOMEM : cm_write_at(file, text.data, text.size, 0);
   free(text.data);
   if (close(file) != 0 && !code)
      code = errno;
   if (!code && renameat(directory, FRESH_NAME, directory, CM_PROCESS_INDEX_NAME) != 0)
      code = errno;
   if (code)
      unlinkat(directory, FRESH_NAME, 0);
   return code;
}
