/* SPDX-License-Identifier: MIT */
#include "config/quantity.h"

#include <errno.h>
#include <stdlib.h>

#include "config/names.h"

#define WHOLE "a whole number from 0 to 4294967295"

const char *const cm_quantity_descriptions[] = {
   [CM_QUANTITY_COUNT] = WHOLE,
   [CM_QUANTITY_BYTES] = WHOLE ", or bytes as in 64K, 1M, 2GiB (of 1024)",
   [CM_QUANTITY_MIB] = WHOLE ", or as in 512M, 2GiB (of 1024)",
   [CM_QUANTITY_MHZ] = WHOLE ", or as in 600MHz, 1.6GHz",
};

static const struct {
   enum cm_quantity quantity;
   const char *name;
   uint64_t factor;
} units[] = {
   {CM_QUANTITY_BYTES, "K", 1u << 10},
   {CM_QUANTITY_BYTES, "KB", 1u << 10},
   {CM_QUANTITY_BYTES, "KiB", 1u << 10},
   {CM_QUANTITY_BYTES, "M", 1u << 20},
   {CM_QUANTITY_BYTES, "MB", 1u << 20},
   {CM_QUANTITY_BYTES, "MiB", 1u << 20},
   {CM_QUANTITY_BYTES, "G", 1u << 30},
   {CM_QUANTITY_BYTES, "GB", 1u << 30},
   {CM_QUANTITY_BYTES, "GiB", 1u << 30},
   {CM_QUANTITY_BYTES, "B", 1},
   {CM_QUANTITY_MIB, "M", 1},
   {CM_QUANTITY_MIB, "MB", 1},
   {CM_QUANTITY_MIB, "MiB", 1},
   {CM_QUANTITY_MIB, "G", 1u << 10},
   {CM_QUANTITY_MIB, "GB", 1u << 10},
   {CM_QUANTITY_MIB, "GiB", 1u << 10},
   {CM_QUANTITY_MHZ, "MHz", 1},
   {CM_QUANTITY_MHZ, "GHz", 1000},
};

/* The factor of a unit; 0: the quantity has no such unit. */
static uint64_t
factor_of(enum cm_quantity quantity, const char *name)
{
   for (unsigned u = 0; u < sizeof units / sizeof units[0]; u++) {
      if (units[u].quantity == quantity && cm_name_is(name, units[u].name))
         return units[u].factor;
   }
   return 0;
}

static bool
parse_plain(const char *text, uint32_t *value)
{
   char *end;
   errno = 0;
   const unsigned long long number = strtoull(text, &end, 0);
   if (*end || errno || number > UINT32_MAX)
      return false;
   *value = (uint32_t)number;
   return true;
}

bool
cm_quantity_parse(enum cm_quantity quantity, const char *text, uint32_t *value)
{
   if (*text < '0' || *text > '9')
      return false;
   if (parse_plain(text, value))
      return true;

   /* Digits, perhaps a point and more of them, a unit. */
   uint64_t number = 0, divisor = 1;
   bool fraction = false;
   for (; (*text >= '0' && *text <= '9') || (*text == '.' && !fraction); text++) {
      if (*text == '.') {
         fraction = true;
         continue;
      }
      number = number * 10 + (uint64_t)(*text - '0');
      divisor *= fraction ? 10 : 1;
      if (number > UINT32_MAX || divisor > 1000000)
         return false;
   }
   while (*text == ' ')
      text++;
   const uint64_t factor = factor_of(quantity, text);
   if (!factor || (fraction && quantity != CM_QUANTITY_MHZ) || number * factor % divisor ||
       number * factor / divisor > UINT32_MAX)
      return false;
   *value = (uint32_t)(number * factor / divisor);
   return true;
}
