/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* copy_file_range, renameat2 */
#include "stats/row_file.h"
#include "util/file.h"
#include "util/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/** Read and written at once of a file that is written again. */
#define COPY_BYTES 65536

bool
cm_row_file_init(struct cm_row_file *rows, const struct cm_row_format *format, const char *path,
                 int directory)
{
   const size_t length = strlen(path) + strlen(format->name) + 2;
   *rows =
      (struct cm_row_file){.format = format, .directory = directory, .file = -1, .copy = -1, .fresh = -1};
   rows->path = malloc(length);
   if (rows->path)
      snprintf(rows->path, length, "%s/%s", path, format->name);
   return rows->path != NULL;
}

static void
drop_copy(struct cm_row_file *rows)
{
   if (rows->copy < 0)
      return;
   close(rows->copy);
   unlinkat(rows->directory, rows->format->fresh, 0);
   rows->copy = -1;
   rows->copy_end = 0;
}

int
cm_row_file_finish(struct cm_row_file *rows)
{
   const int code = rows->file >= 0 && close(rows->file) != 0 ? errno : 0;
   drop_copy(rows);
   free(rows->path);
   free(rows->tail.data);
   return code;
}

static bool
keep_tail(struct cm_row_file *rows, const struct cm_byte_writer *tail)
{
   rows->tail.size = 0;
   cm_put_bytes(&rows->tail, tail->data, tail->size);
   return !rows->tail.out_of_memory;
}

/* ---- appending --------------------------------------------------------- */

/* No page is smaller. */
#define PAGE_BYTES 4096

/* Bytes of one file, to the same place in another. */
static bool
copy_bytes(int from, int to, off_t begin, off_t end)
{
   off_t read_at = begin, write_at = begin;
   ssize_t n = 1;
   while (n > 0 && write_at < end)
      n = copy_file_range(from, &read_at, to, &write_at, (size_t)(end - write_at), 0);
   return n > 0;
}

/* Writes a row and the tail to the copy, which becomes the file. False: the file is as it was. */
static bool
append_to_copy(struct cm_row_file *rows, const struct cm_byte_writer *row)
{
   if (rows->copy < 0) {
      unlinkat(rows->directory, rows->format->fresh, 0); /* the remains of a process that was killed */
      rows->copy = openat(rows->directory, rows->format->fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      rows->copy_end = 0;
   }
   if (rows->copy < 0 || !copy_bytes(rows->file, rows->copy, rows->copy_end, rows->end) ||
       cm_write_at(rows->copy, row->data, row->size, rows->end) ||
       ftruncate(rows->copy, rows->end + (off_t)row->size) != 0 ||
       renameat2(rows->directory, rows->format->fresh, rows->directory, rows->format->name,
                 RENAME_EXCHANGE) != 0) {
      drop_copy(rows);
      rows->has_no_copy = true;
      return false;
   }
   const int file = rows->file;
   rows->file = rows->copy;
   rows->copy = file;
   rows->copy_end = rows->end;
   return true;
}

/* The same where the file is in one piece even if the process is killed in the midst of it, or has to be written otherwise: no space
 * for a copy, or a file system that cannot exchange names. */
static int
append_in_place(struct cm_row_file *rows, const struct cm_byte_writer *row)
{
   const int code = cm_write_at(rows->file, row->data, row->size, rows->end);
   if (code && (cm_write_at(rows->file, rows->tail.data, rows->tail.size, rows->end) ||
                ftruncate(rows->file, rows->end + (off_t)rows->tail.size) != 0))
      cm_message(CM_MESSAGE_ERROR, "%s: the file is corrupt", rows->path);
   return code;
}

int
cm_row_file_append(struct cm_row_file *rows, const struct cm_row_file_content *content)
{
   struct cm_byte_writer *row = content->row;
   const struct cm_byte_writer *tail = content->tail;
   const size_t row_bytes = row->size;
   cm_put_bytes(row, tail->data, tail->size);
   cm_bytes_reserve(&rows->tail, tail->size);
   const bool out_of_memory = row->out_of_memory || tail->out_of_memory || rows->tail.out_of_memory;
   const bool is_in_page = rows->end % PAGE_BYTES + (off_t)row->size <= PAGE_BYTES;
   int code = out_of_memory ? ENOMEM : 0;
   if (!code && (is_in_page || rows->has_no_copy || !append_to_copy(rows, row)))
      code = append_in_place(rows, row);
   row->size = row_bytes;
   if (code)
      return code;
   rows->end += (off_t)row_bytes;
   keep_tail(rows, tail);
   return 0;
}

int
cm_row_file_truncate(struct cm_row_file *rows, size_t row_bytes)
{
   rows->end -= (off_t)row_bytes;
   rows->copy_end = rows->copy_end < rows->end ? rows->copy_end : rows->end;
   return ftruncate(rows->file, rows->end) != 0 ? errno : 0;
}

/* ---- writing it again -------------------------------------------------- */

/* A copy under way. */
struct copy {
   const struct cm_row_file *rows;
   const uint32_t *zeros_after;
   struct cm_byte_writer buffer; /* to be written at .. */
   off_t offset;
   int code;
   bool inside;    /* a row */
   bool quoted;    /* a value between double quotes */
   uint32_t value; /* of the row */
};

static void
flush(struct copy *copy)
{
   if (!copy->code)
      copy->code = copy->buffer.out_of_memory
                      ? ENOMEM
                      : cm_write_at(copy->rows->fresh, copy->buffer.data, copy->buffer.size, copy->offset);
   copy->offset += (off_t)copy->buffer.size;
   copy->buffer.size = 0;
}

static void
end_value(struct copy *copy)
{
   const uint32_t not_values = copy->rows->format->not_values;
   if (copy->value >= not_values) {
      for (uint32_t n = copy->zeros_after[copy->value - not_values]; n; n--)
         cm_put_bytes(&copy->buffer, ",0", 2);
   }
   copy->value++;
}

static void
widen(struct copy *copy, const char *bytes, size_t length)
{
   const struct cm_row_format *format = copy->rows->format;
   for (size_t b = 0; b < length; b++) {
      const char byte = bytes[b];
      copy->quoted ^= byte == '"';
      if (copy->inside && !copy->quoted && (byte == ',' || byte == format->end)) {
         end_value(copy);
         copy->inside = byte != format->end;
      } else if (!copy->inside && (!format->begin || byte == format->begin)) {
         copy->inside = true;
         copy->value = 0;
      }
      cm_text_add_character(&copy->buffer, byte);
   }
}

static void
copy_rows(struct copy *copy)
{
   char *bytes = malloc(COPY_BYTES);
   if (!bytes)
      copy->code = ENOMEM;
   for (off_t at = copy->rows->rows; !copy->code && at < copy->rows->end;) {
      const off_t left = copy->rows->end - at;
      const ssize_t n =
         cm_read_at(copy->rows->file, bytes, left < COPY_BYTES ? (size_t)left : (size_t)COPY_BYTES, at);
      if (n <= 0) {
         copy->code = n < 0 ? errno : EIO;
         break;
      }
      widen(copy, bytes, (size_t)n);
      flush(copy);
      at += n;
   }
   free(bytes);
}

static int
write_fresh(struct cm_row_file *rows, const struct cm_row_file_content *content)
{
   struct copy copy = {.rows = rows, .zeros_after = content->zeros_after};
   if (content->head->out_of_memory || content->row->out_of_memory || content->tail->out_of_memory)
      return ENOMEM;
   cm_put_bytes(&copy.buffer, content->head->data, content->head->size);
   if (rows->file >= 0)
      copy_rows(&copy);
   cm_put_bytes(&copy.buffer, content->row->data, content->row->size);
   cm_put_bytes(&copy.buffer, content->tail->data, content->tail->size);
   flush(&copy);
   rows->fresh_rows = (off_t)content->head->size;
   rows->fresh_end = copy.offset - (off_t)content->tail->size;
   free(copy.buffer.data);
   return copy.code;
}

int
cm_row_file_rewrite(struct cm_row_file *rows, const struct cm_row_file_content *content)
{
   const char *name = rows->format->fresh;
   drop_copy(rows);
   /* The remains of a process that was killed. */
   unlinkat(rows->directory, name, 0);
   rows->fresh = openat(rows->directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
   if (rows->fresh < 0)
      return errno;
   const int code = write_fresh(rows, content);
   if (code)
      cm_row_file_discard(rows);
   return code;
}

int
cm_row_file_commit(struct cm_row_file *rows, const struct cm_row_file_content *content)
{
   if (!keep_tail(rows, content->tail))
      return ENOMEM;
   if (renameat(rows->directory, rows->format->fresh, rows->directory, rows->format->name) != 0)
      return errno;
   if (rows->file >= 0)
      close(rows->file);
   rows->file = rows->fresh;
   rows->rows = rows->fresh_rows;
   rows->end = rows->fresh_end;
   rows->fresh = -1;
   return 0;
}

void
cm_row_file_discard(struct cm_row_file *rows)
{
   if (rows->fresh < 0)
      return;
   close(rows->fresh);
   rows->fresh = -1;
   unlinkat(rows->directory, rows->format->fresh, 0);
}
