/* SPDX-License-Identifier: MIT */
#include "json_reader.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *
skip_space(const char *p)
{
   while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')
      p++;
   return p;
}

/* Each returns where the value ends, or NULL where it is wrong. */
static const char *skip_value(const char *p);

static const char *
skip_string(const char *p)
{
   if (*p++ != '"')
      return NULL;
   while (*p != '"') {
      if ((unsigned char)*p < 0x20)
         return NULL;
      if (*p == '\\') {
         p++;
         if (*p == 'u') {
            for (int i = 0; i < 4; i++) {
               if (!isxdigit((unsigned char)*++p))
                  return NULL;
            }
         } else if (!*p || !strchr("\"\\/bfnrt", *p)) {
            return NULL;
         }
      }
      p++;
   }
   return p + 1;
}

static const char *
skip_number(const char *p)
{
   if (*p == '-')
      p++;
   if (!isdigit((unsigned char)*p) || (*p == '0' && isdigit((unsigned char)p[1])))
      return NULL;
   while (isdigit((unsigned char)*p))
      p++;
   if (*p != '.')
      return p;
   if (!isdigit((unsigned char)*++p))
      return NULL;
   while (isdigit((unsigned char)*p))
      p++;
   return p;
}

static const char *
skip_list(const char *p, char close, bool keys)
{
   p = skip_space(p + 1);
   if (*p == close)
      return p + 1;
   for (;;) {
      if (keys) {
         p = skip_string(skip_space(p));
         if (!p)
            return NULL;
         p = skip_space(p);
         if (*p++ != ':')
            return NULL;
      }
      p = skip_value(p);
      if (!p)
         return NULL;
      p = skip_space(p);
      if (*p == close)
         return p + 1;
      if (*p++ != ',')
         return NULL;
   }
}

static const char *
skip_value(const char *p)
{
   p = skip_space(p);
   switch (*p) {
   case '{': return skip_list(p, '}', true);
   case '[': return skip_list(p, ']', false);
   case '"': return skip_string(p);
   default: return skip_number(p);
   }
}

bool
json_is_valid(const char *text)
{
   const char *end = skip_value(text);
   return end && !*skip_space(end);
}

/* The value at a path in valid text, or NULL. */
static const char *
find(const char *p, const char *const *path)
{
   for (; *path; path++) {
      p = skip_space(p);
      const bool keys = *p == '{';
      if (!keys && *p != '[')
         return NULL;
      p = skip_space(p + 1);
      for (unsigned index = 0;; index++) {
         char name[128];
         if (*p == '}' || *p == ']')
            return NULL;
         if (keys) {
            const char *end = skip_string(p);
            snprintf(name, sizeof name, "%.*s", (int)(end - p - 2), p + 1);
            p = skip_space(end) + 1;
         } else {
            snprintf(name, sizeof name, "%u", index);
         }
         p = skip_space(p);
         if (strcmp(name, *path) == 0)
            break;
         p = skip_space(skip_value(p));
         if (*p == ',')
            p = skip_space(p + 1);
      }
   }
   return p;
}

bool
json_number(const char *text, const char *const *path, uint64_t *number)
{
   const char *value = find(text, path);
   if (!value || !isdigit((unsigned char)*value))
      return false;
   *number = strtoull(value, NULL, 10);
   return true;
}

unsigned
json_array_length(const char *text, const char *const *path)
{
   const char *p = find(text, path);
   unsigned length = 0;
   if (!p || *p != '[')
      return 0;
   p = skip_space(p + 1);
   while (*p != ']') {
      length++;
      p = skip_space(skip_value(p));
      if (*p == ',')
         p = skip_space(p + 1);
   }
   return length;
}

char *
read_file(const char *path)
{
   FILE *file = fopen(path, "rb");
   char *text = NULL;
   size_t length = 0, n;
   if (!file)
      return NULL;
   do {
      text = realloc(text, length + 65537);
      n = fread(text + length, 1, 65536, file);
      length += n;
   } while (n);
   text[length] = '\0';
   fclose(file);
   return text;
}
