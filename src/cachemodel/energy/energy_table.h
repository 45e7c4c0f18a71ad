/* SPDX-License-Identifier: MIT */
/**
 * The energy of an access to an array of SRAM, and the array's leakage: the rows of
 * data/cacti-7.0-energies.csv, compiled in. A number is from a row, or interpolated between two rows of
 * different sizes, or, with a clear note, extrapolated below the smallest; each says which rows.
 */
#ifndef CM_ENERGY_TABLE_H
#define CM_ENERGY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/energy_config.h"

/** What an array is (data/README.md): the file's column "kind". X(identifier, name) */
#define CM_ARRAY_KINDS(X)                               \
   X(CACHE, "cache")                                    \
   X(TEXTURE_TRADITIONAL, "tex_traditional_32b")        \
   X(TEXTURE_WIDE, "tex_wide_128b")                     \
   X(TEXTURE_MULTI_PORT, "tex_multiport_4r_32b")        \
   X(TEXTURE_BANK_CONTINUOUS, "tex_bank_16B_line_128b") \
   X(TEXTURE_BANK_INTERLEAVED, "tex_bank_16B_line_32b") \
   X(RAM, "ram")

enum cm_array_kind {
#define CM_ARRAY_ENUM(id, name) CM_ARRAY_##id,
   CM_ARRAY_KINDS(CM_ARRAY_ENUM)
#undef CM_ARRAY_ENUM
      CM_ARRAY_KIND_COUNT
};

extern const char *const cm_array_kind_names[CM_ARRAY_KIND_COUNT];
/** Names of enum cm_cell. */
extern const char *const cm_cell_names[CM_CELL_ITRS_HP + 1];

/** An array to be looked up. */
struct cm_array_shape {
   enum cm_array_kind kind;
   uint32_t technology; /**< nm */
   enum cm_cell cell;
   uint64_t size;     /**< bytes */
   uint32_t ways;     /**< 1 of an array without tags */
   uint32_t bus_bits; /**< bits of an access: 32, 128, 384 or 512 of a ram; 0: the only width
                         * of the kind */
};

/** Whole numbers: what CACTI printed has no more digits than attojoules. */
struct cm_array_energy {
   uint64_t read;    /**< zJ (1e-21 J) of a read, with its tags */
   uint64_t write;   /**< zJ of a write */
   uint64_t leakage; /**< fW (1e-15 W) of the array */
};

/** A row of the file. */
struct cm_array_row {
   uint32_t line; /**< in the file; its first is the columns' names */
   enum cm_array_kind kind;
   uint32_t technology;
   enum cm_cell cell;
   uint32_t size, ways, line_bytes, bus_bits, rw_ports, read_ports;
   double access_ns, cycle_ns;
   struct cm_array_energy energy;
   double area_mm2;
};

/** All rows, in the file's order. */
extern const struct cm_array_row cm_array_rows[];
extern const uint32_t cm_array_row_count;

/** What was found. */
struct cm_array_lookup {
   struct cm_array_energy energy;
   uint64_t access; /**< fs (1e-15 s) from an address to its data */
   bool exact;      /**< a row's */
   char note[240];  /**< where the numbers come from, for the reader of a report */
};

/** All caches in the file have lines of so many bytes. */
#define CM_ENERGY_LINE_BYTES 64
/** The largest arrays without tags, of each width. */
#define CM_ENERGY_LARGEST_RAM 131072

/** Looks an array up:
 *  - if there is a row of its size and ways: that row's numbers, unchanged;
 *  - other ways: like the nearest (the lower if two are equally near), with a note;
 *  - a size between two rows': linear between them in the logarithms of size and number;
 *  - a size below the smallest: the line through the two smallest, continued; the note begins
 *    with EXTRAPOLATED;
 *  - above the largest, or of a technology, cell or width without rows: false and a message that
 *    says what there is. */
bool cm_energy_table_find(const struct cm_array_shape *shape, struct cm_array_lookup *lookup, char *error,
                          size_t error_size);

/** Whether there are rows of a technology. */
bool cm_energy_table_has_technology(uint32_t technology);

#endif
