/* SPDX-License-Identifier: MIT */
#include "access/access_text.h"

#include <inttypes.h>
#include <string.h>

/* ---- writing --------------------------------------------------------------- */

void
cm_access_text_write(FILE *file, enum cm_arrival_kind kind, const struct cm_unit_arrival *arrival)
{
   switch (kind) {
   case CM_ARRIVAL_ACCESS:
      fprintf(file, "%c 0x%" PRIx64 " %s\n", arrival->access == CM_READ ? 'R' : 'W', arrival->address,
              cm_stream_names[arrival->stream]);
      break;
   case CM_ARRIVAL_INVALIDATION:
      fprintf(file, "I 0x%" PRIx64 " 0x%" PRIx64 "\n", arrival->address, arrival->end);
      break;
   case CM_ARRIVAL_MARK:
      if (arrival->mark == CM_MARK_FRAME_END)
         fputs("F\n", file);
      break;
   default: break;
   }
}

/* ---- reading --------------------------------------------------------------- */

static int
hexadecimal_digit(char c)
{
   if (c >= '0' && c <= '9')
      return c - '0';
   if ((c | 32) >= 'a' && (c | 32) <= 'f')
      return (c | 32) - 'a' + 10;
   return -1;
}

static bool
has_prefix(const char *text, const char *end)
{
   return end - text > 2 && text[0] == '0' && (text[1] | 32) == 'x';
}

const char *
cm_text_hexadecimal(const char *text, const char *end, uint64_t *value)
{
   if (has_prefix(text, end))
      text += 2;
   const char *begin = text;
   uint64_t number = 0;
   for (int digit; text < end && (digit = hexadecimal_digit(*text)) >= 0; text++) {
      if (number >> 60)
         return NULL;
      number = number << 4 | (unsigned)digit;
   }
   *value = number;
   return text > begin && (text == end || cm_text_skip_spaces(text, end) > text) ? text : NULL;
}

const char *
cm_text_address(const char *text, const char *end, uint64_t *value)
{
   const char *address = cm_text_skip_spaces(text, end);
   return address > text && has_prefix(address, end) ? cm_text_hexadecimal(address, end, value) : NULL;
}

static bool
read_stream(const char *text, const char *end, enum cm_stream *stream)
{
   while (end > text && cm_text_skip_spaces(end - 1, end) == end)
      end--;
   for (unsigned s = 0; text < end && s < CM_STREAM_COUNT; s++) {
      const char *name = cm_stream_names[s];
      if (*name == *text && strlen(name) == (size_t)(end - text) &&
          !memcmp(name, text, (size_t)(end - text))) {
         *stream = (enum cm_stream)s;
         return true;
      }
   }
   return false;
}

static enum cm_arrival_kind
read_access(const char *line, const char *end, struct cm_unit_arrival *arrival, const char **wrong,
            const char **expected)
{
   const char *rest = line < end ? cm_text_address(line + 1, end, &arrival->address) : NULL;
   *wrong = line;
   *expected = "\"R|W 0xADDRESS STREAM\", \"I 0xBEGIN 0xEND\" or \"F\"";
   if (!rest || (line[0] != 'R' && line[0] != 'W'))
      return CM_ARRIVAL_NONE;
   arrival->access = line[0] == 'W' ? CM_WRITE : CM_READ;
   *wrong = cm_text_skip_spaces(rest, end);
   *expected = "the name of a stream";
   return read_stream(*wrong, end, &arrival->stream) ? CM_ARRIVAL_ACCESS : CM_ARRIVAL_NONE;
}

static enum cm_arrival_kind
read_invalidation(const char *line, const char *end, struct cm_unit_arrival *arrival, const char **wrong,
                  const char **expected)
{
   const char *rest = cm_text_address(line + 1, end, &arrival->address);
   rest = rest ? cm_text_address(rest, end, &arrival->end) : NULL;
   *wrong = line;
   *expected = "\"I 0xBEGIN 0xEND\"";
   return rest && cm_text_skip_spaces(rest, end) == end && arrival->address <= arrival->end
             ? CM_ARRIVAL_INVALIDATION
             : CM_ARRIVAL_NONE;
}

enum cm_arrival_kind
cm_access_text_read(const char *line, const char *end, struct cm_unit_arrival *arrival, const char **wrong,
                    const char **expected)
{
   if (line < end && *line == 'F' && cm_text_skip_spaces(line + 1, end) == end) {
      arrival->mark = CM_MARK_FRAME_END;
      return CM_ARRIVAL_MARK;
   }
   if (line < end && *line == 'I')
      return read_invalidation(line, end, arrival, wrong, expected);
   return read_access(line, end, arrival, wrong, expected);
}
