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
#define MAX_BYTES ((size_t)64 << 20)

enum {
#define FIELD_NUMBER(name) FIELD_##name,
   CM_PROCESS_FIELDS(FIELD_NUMBER)
#undef FIELD_NUMBER
      NUM_FIELDS
};

static const char *const names[NUM_FIELDS] = {
#define FIELD_NAME(name) #name,
   CM_PROCESS_FIELDS(FIELD_NAME)
#undef FIELD_NAME
};

static char **
field(struct cm_process_row *row, unsigned number)
{
   char **const fields[NUM_FIELDS] = {
#define FIELD_PLACE(name) &row->name,
      CM_PROCESS_FIELDS(FIELD_PLACE)
#undef FIELD_PLACE
   };
   return fields[number];
}

/* ---- rows -------------------------------------------------------------- */

static void
free_row(struct cm_process_row *row)
{
   for (unsigned f = 0; f < NUM_FIELDS; f++)
      free(*field(row, f));
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
   struct cm_process_row from = *row, copy = {0};
   bool ok = true;
   for (unsigned f = 0; f < NUM_FIELDS; f++) {
      *field(&copy, f) = strdup(*field(&from, f));
      ok &= *field(&copy, f) != NULL;
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

/* Takes a field, with or without quotes, and what ends it: a comma, a line's end. NULL: it is none. */
static const char *
take_field(const char *at, struct cm_byte_writer *value)
{
   value->size = 0;
   if (*at != '"') {
      const size_t length = strcspn(at, ",\n\"");
      cm_put_bytes(value, at, length);
      at += length;
   } else {
      for (at++; *at && (*at != '"' || at[1] == '"'); at++) {
         at += *at == '"';
         cm_text_add_character(value, *at);
      }
      at += *at == '"';
   }
   cm_text_add_character(value, '\0');
   return *at == ',' || *at == '\n' ? at + 1 : NULL;
}

/* Reads a line into a row: what follows it, or NULL. */
static const char *
take_row(const char *at, struct cm_process_row *row, struct cm_byte_writer *value)
{
   for (unsigned f = 0; f < NUM_FIELDS; f++) {
      const char *next = take_field(at, value);
      if (!next || value->out_of_memory || (next[-1] == '\n') != (f == NUM_FIELDS - 1))
         return NULL;
      *field(row, f) = (char *)value->data;
      *value = (struct cm_byte_writer){0};
      at = next;
   }
   return at;
}

static int
parse(const char *at, struct cm_process_index *index)
{
   bool heading = true, ok = true;
   while (ok && *at) {
      struct cm_process_row row = {0};
      struct cm_byte_writer value = {0};
      at = take_row(at, &row, &value);
      ok = at != NULL;
      for (unsigned f = 0; ok && heading && f < NUM_FIELDS; f++)
         ok = strcmp(*field(&row, f), names[f]) == 0;
      if (ok && !heading)
         ok = cm_process_index_add(index, &row);
      heading = false;
      free(value.data);
      free_row(&row);
   }
   return !ok || heading ? EBADMSG : 0;
}

static int
read_all(int file, struct cm_byte_writer *text)
{
   for (;;) {
      if (!cm_bytes_reserve(text, 4096))
         return ENOMEM;
      uint8_t *room = text->data + text->size;
      const ssize_t n = read(file, room, 4096);
      if (n < 0 && errno == EINTR)
         continue;
      if (n < 0)
         return errno;
      if (n == 0)
         break;
      /* A text of C: nothing that follows a zero would be seen. */
      if (memchr(room, 0, (size_t)n) || text->size > MAX_BYTES)
         return EBADMSG;
      text->size += (size_t)n;
   }
   cm_text_add_character(text, '\0');
   return text->out_of_memory ? ENOMEM : 0;
}

int
cm_process_index_read(int directory, struct cm_process_index *index)
{
   struct cm_byte_writer text = {0};
   *index = (struct cm_process_index){0};
   const int file = openat(directory, CM_PROCESS_INDEX_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
   if (file < 0)
      return errno == ENOENT ? 0 : errno;
   int code = read_all(file, &text);
   close(file);
   if (!code)
      code = parse((const char *)text.data, index);
   if (code)
      cm_process_index_free(index);
   free(text.data);
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
   for (unsigned f = 0; f < NUM_FIELDS; f++) {
      cm_text_add(text, f ? "," : "");
      cm_text_add(text, names[f]);
   }
   cm_text_add(text, "\n");
   for (size_t r = 0; r < index->count; r++) {
      for (unsigned f = 0; f < NUM_FIELDS; f++) {
         cm_text_add(text, f ? "," : "");
         add_field(text, *field(&index->rows[r], f));
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
