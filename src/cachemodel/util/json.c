/* SPDX-License-Identifier: MIT */
#include <stdbool.h>

#include "util/json.h"

/* Bytes of the UTF-8 character that begins here; 0: it is none. */
static unsigned
utf8_length(const unsigned char *s)
{
   const unsigned length = s[0] < 0x80                   ? 1
                           : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                           : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                           : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                         : 0;
   for (unsigned i = 1; i < length; i++) {
      if ((s[i] & 0xc0) != 0x80)
         return 0;
   }
   /* Longer than needed, a surrogate, or past U+10FFFF. */
   if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf0 && s[1] < 0x90) ||
       (s[0] == 0xf4 && s[1] >= 0x90))
      return 0;
   return length;
}

bool
cm_is_utf8(const char *text)
{
   const unsigned char *s = (const unsigned char *)text;
   while (*s) {
      const unsigned length = utf8_length(s);
      if (!length)
         return false;
      s += length;
   }
   return true;
}

void
cm_json_write_string(const char *text, FILE *file)
{
   const unsigned char *s = (const unsigned char *)text;
   const bool utf8 = cm_is_utf8(text);
   fputc('"', file);
   for (; *s; s++) {
      if (*s == '"' || *s == '\\')
         fprintf(file, "\\%c", *s);
      else if (*s < 0x20 || *s == 0x7f || (*s >= 0x80 && !utf8))
         fprintf(file, "\\u%04x", *s);
      else
         fputc(*s, file);
   }
   fputc('"', file);
}
