/* SPDX-License-Identifier: MIT */
/**
 * The log that the timings read: the accesses of the access stream (access/access_stream.h), in order, and the items of
 * the pipeline that caused them, each with the position in it where its entries end.
 *
 * Positions are numbers of entries: whoever asks for one (cm_timing_position) first reads what the stream has not
 * delivered yet.
 */
#ifndef CM_TIMING_LOG_H
#define CM_TIMING_LOG_H

#include "timing/timing.h"

/* ---- items --------------------------------------------------------------- */

/** A draw: its shaders' tokens, its vertices, transform feedback. */
struct cm_logged_draw {
   uint32_t instructions; /**< of the vertex and the geometry shader */
   uint32_t begin;
   uint32_t program_end;
   uint32_t num_vertices, num_primitives;
   uint32_t tokens_end;
};

struct cm_logged_vertex {
   uint32_t tokens_end;
   uint32_t accesses : 31; /**< of the vertex cache; not in mode imr */
   uint32_t reused : 1;
};

/** Of the tile-based pipeline, tokens of an item begin where those of the item before it end. */
struct cm_logged_binned {
   uint32_t tokens_end;
   uint32_t num_tiles;
   uint32_t num_attributes;
};

/** A primitive of a tile. */
struct cm_logged_fetched {
   uint32_t tokens_end;
   uint32_t index; /**< in the pass */
   uint32_t attributes;
   uint32_t quads; /**< that it covers in the tile, as far as is known */
   /* Written by the Tile Fetcher's timing. */
   uint64_t issued, ready; /**< when its PMD was requested; when it entered the output queue, or CM_UNKNOWN */
};

struct cm_logged_quad {
   uint32_t tokens_end;
   uint32_t primitive; /**< index in the pass */
   uint32_t instructions;
   uint16_t footprints;
   uint8_t processor;
   uint8_t attributes : 7;
   uint8_t shaded : 1;
};

/** In mode imr, stages are at different positions of the log: items have their beginnings, too. */
struct cm_logged_primitive {
   uint32_t num_regions;
};

struct cm_logged_region {
   uint32_t begin, hiz_end;
   uint32_t update_begin, end; /**< HiZ is written */
   uint32_t num_blocks;
};

struct cm_logged_block {
   uint32_t begin, tests_end, shade_end, end;
   uint32_t instructions; /**< of all its quads */
   uint32_t footprints;
   uint16_t processor;
   bool goes_on;    /**< past the early tests */
   uint32_t ends;   /**< 1 + the region whose last block it is and whose HiZ is written; 0: none */
   uint32_t misses; /**< in its processor's first texture cache; set when it is rasterised */
};

/* ---- the log ------------------------------------------------------------- */

/** Items of a kind, with room for more. */
#define CM_LOG_ITEMS(type) \
   struct {                \
      type *items;         \
      uint32_t count;      \
      size_t capacity;     \
   }

struct cm_log {
   CM_LOG_ITEMS(cm_entry)
   entries; /**< accesses (CM_ENTRY_WRITE_BLOCK as CM_ENTRY_WRITE), groups, lookups, requests */
   CM_LOG_ITEMS(struct cm_logged_draw) draws;
   CM_LOG_ITEMS(struct cm_logged_vertex) vertices;
   CM_LOG_ITEMS(struct cm_logged_binned) binned;
   CM_LOG_ITEMS(struct cm_logged_fetched) fetched;
   CM_LOG_ITEMS(struct cm_logged_quad) quads;
   CM_LOG_ITEMS(struct cm_logged_primitive) primitives;
   CM_LOG_ITEMS(struct cm_logged_region) regions;
   CM_LOG_ITEMS(struct cm_logged_block) blocks;
   uint32_t marks[CM_LOG_MARK_COUNT]; /**< entries before */
};

/** Reads the access stream into the log that is being written (struct cm_access_reader). */
void cm_log_read(void *timing, const cm_entry *entries, uint32_t count);

/** Empties it, and keeps its memory. */
void cm_log_clear(struct cm_log *log);
void cm_log_finish(struct cm_log *log);

static inline const cm_entry *
cm_log_token(const struct cm_log *log, uint32_t number)
{
   return log->entries.items + number;
}

/* ---- the writer ---------------------------------------------------------- */

struct cm_timing {
   const struct cm_config *config;
   struct cm_hierarchy *hierarchy;
   struct cm_log *log;  /**< being written; NULL: none */
   uint32_t units;      /**< bit u: accesses of unit u are logged */
   bool out_of_memory;  /**< nothing is logged any more */
   uint32_t logged_end; /**< where the last item ends */

   /* Of the tile-based pipeline. */
   uint64_t vertex_accesses; /**< of the vertex cache until the last vertex */
   uint32_t *covered;        /**< by primitive of the pass: quads in the tile */
   size_t covered_capacity;
   uint32_t num_covered;

   /* The reader: one of them. */
   struct cm_tiled_timing *tiled;
   struct cm_immediate_timing *immediate;
};

/** Accesses of the vertex cache so far; of the tile-based pipeline's. */
uint64_t cm_timing_vertex_accesses(const struct cm_timing *timing);

#endif
