/* SPDX-License-Identifier: MIT */
/** The Fragment Processors' state in a tile, and what fragment_stage.c shares with own_processors.c. */
#ifndef CM_SHADING_H
#define CM_SHADING_H

#include "gpu/gpu_internal.h"
#include "gpu/shading_worker.h"
#include "gpu/tiled/stages.h"
#include "texture/unit.h"

/** What a quad reads in a group. */
struct cm_quad_read {
   const struct cm_footprint *footprint;
   struct cm_texture_unit *unit;
   uint32_t next; /**< of the quad's; CM_NO_READ: none */
};
#define CM_NO_READ UINT32_MAX

/** Quads that run their shader together, once or, where it runs once a sample,
 * several times. */
struct cm_run {
   const struct cm_quad *quads;
   uint32_t first[4], last[4]; /**< of each quad's reads: indices into cm_shading.reads */
};

/** The Fragment Processors within a tile, or in mode imr a pass. */
struct cm_shading {
   struct cm_gpu *gpu;
   const struct cm_fragment_stage *stage;
   struct cm_shading_worker *worker; /**< simulates the processors; NULL: the main thread does */
   struct cm_texture_path *texture;  /**< the worker's, or the GPU's */
   uint64_t *pipeline;               /**< the same: counters of stages */
   uint32_t processors;
   enum cm_scheduler scheduler;
   bool in_turn;         /**< round-robin, and neither times_each nor attributes_each */
   bool has_areas;       /**< reads can be compared with areas of textures (texture/area.h) */
   bool has_four;        /**< in_turn, has_areas, and four quads have a processor and a cache each */
   bool areas_help;      /**< the last trial has shown that */
   uint32_t area_groups; /**< that could be compared with areas */
   uint32_t area_reads,
      area_misses;       /**< since the last trial began: reads of those that were, and others than hits */
   bool counts_each;     /**< which processor runs a quad matters, if it reads nothing, too */
   bool times_each;      /**< timing logs each quad */
   bool attributes_each; /**< footprints are counted by resource */
   bool has_storage;     /**< shaders of the pass access storage */
   uint32_t next;        /**< round-robin: which one gets the next quad */
   uint32_t tile, tile_quads;           /**< its position in the traversal; quads that it has room for */
   uint64_t work[CM_MAX_PROCESSORS];    /**< least-work: what each has done */
   uint32_t at_draw[CM_MAX_PROCESSORS]; /**< draw whose shader a processor holds */
   uint32_t without_shader;             /**< processors that do not hold the last group's */
   uint32_t draw_number;                /**< of the last group */
   const struct cm_draw *draw;          /**< the same */
   struct cm_texture_unit units[CM_MAX_TEXTURE_UNITS]; /**< its; those it uses */
   struct cm_texture_unit no_unit;                     /**< what a footprint of a unit beyond names */
   const uint32_t *group;                              /**< the last one; NULL: none */
   struct cm_run runs[CM_MAX_RUNS];
   uint32_t num_runs;     /**< of the group */
   struct cm_array reads; /**< struct cm_quad_read: all quads' of the group */
   uint32_t num_reads;
};

/** The processors in turn. */
static inline uint32_t
cm_shading_next_processor(struct cm_shading *shading)
{
   const uint32_t processor = shading->next;
   shading->next = processor + 1 == shading->processors ? 0 : processor + 1;
   return processor;
}

/** Whether a processor changes to the shader of the last group. */
static inline bool
cm_shading_switches_shader(struct cm_shading *shading, uint32_t processor)
{
   if (shading->at_draw[processor] == shading->draw_number)
      return false;
   shading->at_draw[processor] = shading->draw_number;
   shading->without_shader--;
   return true;
}

/** What is bound where an event reads. */
static inline struct cm_texture_unit *
cm_shading_unit(struct cm_shading *shading, const uint32_t *event)
{
   const uint32_t number = cm_event_unit(*event);
   return number < shading->draw->num_textures ? &shading->units[number] : &shading->no_unit;
}

/** Room for so many more reads of the group; false when out of memory. */
static inline bool
cm_shading_make_room(struct cm_shading *shading, uint32_t count)
{
   const size_t reads = (size_t)shading->num_reads + count;
   return shading->reads.bytes >= reads * sizeof(struct cm_quad_read) ||
          cm_array_extend(&shading->reads, reads, sizeof(struct cm_quad_read));
}

/** Changes to a draw's shader and textures. */
void cm_shading_take_draw(struct cm_shading *shading, uint32_t number);

/** own_processors.c: a quad's reads by its processor, from `first` on; those in areas are only counted. Returns how many. */
uint64_t cm_shading_read_in_areas(struct cm_shading *shading, uint32_t first, uint32_t processor,
                                  struct cm_cache *cache);

/** own_processors.c: runs a group whose quads run once, each on a processor of its own that holds the shader. next: the
 * group's end. Textures are those of the group's draw. False when out of memory. */
bool cm_own_processors_run(struct cm_shading *shading, const uint32_t *group, const uint32_t *next);

#endif
