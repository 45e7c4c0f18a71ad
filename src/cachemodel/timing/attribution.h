/* SPDX-License-Identifier: MIT */
/**
 * Attribution of cycles: what each stage did with its cycles (timing/queues.h), by the render pass, draw, resource and tile of
 * the item that it worked for. A cycle of work is for the item that is worked on; one without input for the item that comes
 * next; one blocked, or waiting for memory, for the item that is in the way. Where the end of a pass or a frame is what comes
 * next, it is of that pass, and of no draw.
 *
 * cm_stage_serve sets a stage's item; its cycles are added up when another one follows. So a row's values are
 * by how much the stage's counters have grown, and rows add up to these.
 */
#ifndef CM_TIMING_ATTRIBUTION_H
#define CM_TIMING_ATTRIBUTION_H

#include "memory/attribution_table.h"
#include "timing/queues.h"

/** What a stage's cycles are for, and those that have been added up. */
struct cm_attributed_stage {
   struct cm_attributed_stage *next;
   struct cm_stage *stage;
   struct cm_cycle_attribution *attribution;
   uint32_t column; /**< of its first state */
   struct cm_origin origin;
   uint32_t rows[CM_ORIGIN_COUNT]; /**< by table: the row of the origin; CM_NO_ROW: not looked up */
   uint64_t counted[CM_STAGE_STATE_COUNT];
};

/** Of a pipeline. */
struct cm_cycle_attribution {
   uint32_t parts; /**< a bit for each table that there is */
   struct cm_attribution_table
      tables[CM_ORIGIN_COUNT]; /**< by enum cm_origin_part, of CM_STAGE_STATE_COUNT columns per stage */
   struct cm_attributed_stage *first, **end; /**< stages, in the order in which they were added */
   bool out_of_memory;                       /**< cycles were lost */
};

/** parts: of cm_config_attributed_parts; columns: of each table. NULL when out of memory. */
struct cm_cycle_attribution *cm_cycle_attribution_create(uint32_t parts, uint32_t columns);
/** NULL is fine. */
void cm_cycle_attribution_destroy(struct cm_cycle_attribution *attribution);

/** The cycles of a stage are attributed from now on; column: of its first state. Several stages may share theirs. False
 * when out of memory. */
bool
cm_cycle_attribution_add(struct cm_cycle_attribution *attribution, struct cm_stage *stage, uint32_t column);

/** Adds up all cycles so far, of the stages that there are, and parts with these. The rows stay. */
void cm_cycle_attribution_remove_stages(struct cm_cycle_attribution *attribution);

/** Adds up all cycles so far. */
void cm_cycle_attribution_add_up(struct cm_cycle_attribution *attribution);

/** Removes all rows. */
void cm_cycle_attribution_clear(struct cm_cycle_attribution *attribution);

/** cm_stage_serve where cycles are attributed. */
void cm_cycle_attribution_serve(struct cm_attributed_stage *attributed, const struct cm_origin *origin);

/** No draw, or no tile. */
#define CM_NO_ITEM UINT32_MAX

/** The cycles of a stage are for this item from now on. pass: counted from 1; draw, tile: their numbers in the pass, or
 * CM_NO_ITEM; resource: its ID, or 0. */
static inline void
cm_stage_serve(struct cm_stage *stage, uint32_t pass, uint32_t draw, uint32_t resource, uint32_t tile)
{
   if (__builtin_expect(stage->attributed != NULL, false)) {
      const struct cm_origin origin = {
         .parts = {[CM_ORIGIN_PASS] = pass,
                   [CM_ORIGIN_DRAW] = draw + 1,
                   [CM_ORIGIN_RESOURCE] = resource,
                   [CM_ORIGIN_TILE] = tile + 1},
      };
      cm_cycle_attribution_serve(stage->attributed, &origin);
   }
}

#endif
