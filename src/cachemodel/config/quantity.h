/* SPDX-License-Identifier: MIT */
/** Numbers with a unit, as options and configurations take them: "256K", "1.5GHz". */
#ifndef CM_QUANTITY_H
#define CM_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/** The unit of a number, and those that it can be written with. */
enum cm_quantity {
   CM_QUANTITY_COUNT, /**< a plain number */
   CM_QUANTITY_BYTES, /**< K, M, G, also with B or iB, of 1024 each, as caches are; B */
   CM_QUANTITY_MIB,   /**< MiB; M, G, also with B or iB */
   CM_QUANTITY_MHZ,   /**< MHz; MHz, GHz, decimals where they come to whole MHz */
};

/** What a text must be: "a whole number from 0 to 4294967295, or …". */
extern const char *const cm_quantity_descriptions[];

/** Parses a text as a number of the quantity's unit: "256K" of bytes is 262144, as are "256KiB" and "256kb". Without a
 * unit, it may be hexadecimal (0x…). False where it is none, or not a whole number up to 4294967295. */
bool cm_quantity_parse(enum cm_quantity quantity, const char *text, uint32_t *value);

#endif
