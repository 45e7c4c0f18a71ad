/* SPDX-License-Identifier: MIT */
/**
 * The quads of a pass in the order of an immediate-mode GPU, from the events of its tiles: primitive by
 * primitive; those of a primitive only by their position, so that nothing depends on the renderer's tiles:
 * areas of 32x32 pixels, in them regions of 8x8, in them blocks of 4x4, in them quads, each row by row.
 */
#ifndef CM_IMMEDIATE_ORDER_H
#define CM_IMMEDIATE_ORDER_H

#include <assert.h>

#include "gpu/gpu_internal.h"

/** A quad in the order: its position << 34 | the word of its event (of a group: of the first) << 2 | its
 * number in the event. The position, from the lowest bit: column and row in the block, of the block in the
 * region, of the region in the area (2 bits each), of the area (11 bits each). */
typedef uint64_t cm_ordered_quad;

#define CM_POSITION_SHIFT 34
#define CM_POSITION_BLOCK_SHIFT \
   (CM_POSITION_SHIFT + 2) /**< quads of one block have the same bits from here on */
#define CM_POSITION_REGION_SHIFT (CM_POSITION_SHIFT + 4) /**< the same of one region */

struct cm_quad_order {
   struct cm_array words; /**< uint32_t: those of the tiles, with a flush after each */
   size_t num_words;
   struct cm_array unsorted;   /**< cm_ordered_quad, in stream order */
   struct cm_array primitives; /**< uint32_t: of each of those its primitive */
   size_t num_quads;
   struct cm_array sorted; /**< cm_ordered_quad by primitive; a primitive's are sorted before they are run */
   struct cm_array begin;  /**< size_t by primitive, and one more: its part of sorted */
};

/** A pass begins. These return false when out of memory. */
bool cm_quad_order_begin(struct cm_quad_order *order, const struct cm_pass *pass);
/** Copies a tile's events. */
bool cm_quad_order_add(struct cm_quad_order *order, const struct cm_pass *pass, uint32_t tile);
/** All tiles were added. */
bool cm_quad_order_end(struct cm_quad_order *order, const struct cm_pass *pass);

/** How many quads a primitive has. */
static inline size_t
cm_quad_order_count(const struct cm_quad_order *order, uint32_t primitive)
{
   const size_t *begin = (const size_t *)order->begin.data + primitive;
   assert(begin[0] <= begin[1]);
   return begin[1] - begin[0];
}

/** Its quads; in their order once they are sorted. */
static inline cm_ordered_quad *
cm_quad_order_quads(const struct cm_quad_order *order, uint32_t primitive)
{
   return (cm_ordered_quad *)order->sorted.data + ((const size_t *)order->begin.data)[primitive];
}

/** Sorts them; those of several primitives at the same time, each with its scratch. False when out of memory. */
bool cm_quad_order_sort(const struct cm_quad_order *order, uint32_t primitive, struct cm_array *scratch);

void cm_quad_order_finish(struct cm_quad_order *order);

/** The event of a quad. */
static inline const uint32_t *
cm_ordered_event(const struct cm_quad_order *order, cm_ordered_quad quad)
{
   return (const uint32_t *)order->words.data + (uint32_t)(quad >> 2);
}

/** Its number in that. */
static inline uint32_t
cm_ordered_number(cm_ordered_quad quad)
{
   return quad & 3;
}

/** The column of the quad's block, or with the bits one higher its row: pixels / 4. */
static inline uint32_t
cm_ordered_block_column(cm_ordered_quad quad)
{
   const uint32_t position = (uint32_t)(quad >> CM_POSITION_SHIFT);
   return (position >> 8 & 0x7ff) << 3 | (position >> 4 & 3) << 1 | (position >> 2 & 1);
}

static inline uint32_t
cm_ordered_block_row(cm_ordered_quad quad)
{
   const uint32_t position = (uint32_t)(quad >> CM_POSITION_SHIFT);
   return (position >> 19 & 0x7ff) << 3 | (position >> 6 & 3) << 1 | (position >> 3 & 1);
}

#endif
