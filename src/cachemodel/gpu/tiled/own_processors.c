/* SPDX-License-Identifier: MIT */
/* Groups of quads that have a processor and a cache each: reads that lie in areas of textures are counted without a look into
 * the cache. */
#include "gpu/tiled/shading.h"
#include "util/minmax.h"

/* The quads of such a group: their processors and caches. */
struct own_processors {
   uint32_t running; /* a bit each quad that has live fragments */
   uint32_t processor[4], instance[4];
   struct cm_cache *cache[4];
};

static inline __attribute__((always_inline)) void
assign_processors(struct cm_shading *shading, const uint32_t *group, struct own_processors *own)
{
   const struct cm_quad *quads = (const struct cm_quad *)(group + 2);
   const uint32_t count = cm_min(cm_event_count(*group), 4);
   uint32_t fragments = 0;
   own->running = 0;
   for (uint32_t q = 0; q < count; q++) {
      if (!quads[q].live)
         continue;
      own->running |= 1u << q;
      fragments += cm_quad_fragments(quads[q].live);
      own->processor[q] = cm_shading_next_processor(shading);
      own->instance[q] = cm_texture_path_instance(shading->texture, own->processor[q]);
      own->cache[q] = shading->texture->caches + own->instance[q];
   }
   shading->pipeline[CM_PIPELINE_QUADS] += cm_quad_fragments(own->running);
   shading->pipeline[CM_PIPELINE_FRAGMENTS] += fragments;
}

/* Reads of an instruction that lie in areas are counted; those that do not wait, and all of their quads that follow. */
static inline __attribute__((always_inline)) bool
count_hits(struct cm_shading *shading, const struct own_processors *own, struct cm_run *run,
           const uint32_t *event, uint32_t *waiting)
{
   const uint32_t count = cm_event_count(*event);
   const struct cm_footprint *footprints = (const struct cm_footprint *)(event + 1);
   struct cm_texture_unit *unit = cm_shading_unit(shading, event);
   if (!cm_shading_make_room(shading, count))
      return false;
   struct cm_quad_read *reads = shading->reads.data;
   uint32_t n = shading->num_reads, read = 0;
   for (uint32_t i = 0; i < count; i++) {
      const unsigned quad = footprints[i].quad & 3;
      if (!(own->running >> quad & 1))
         continue;
      read++;
      if (!(*waiting >> quad & 1) &&
          cm_texture_unit_hits(shading->texture, unit, &footprints[i], own->instance[quad], own->cache[quad]))
         continue;
      reads[n] = (struct cm_quad_read){.footprint = &footprints[i], .unit = unit, .next = CM_NO_READ};
      if (*waiting >> quad & 1)
         reads[run->last[quad]].next = n;
      else
         run->first[quad] = n;
      *waiting |= 1u << quad;
      run->last[quad] = n++;
   }
   shading->num_reads = n;
   shading->area_reads += read;
   shading->pipeline[CM_PIPELINE_FOOTPRINTS] += read;
   return true;
}

static inline void
follow(struct cm_shading *shading, struct cm_texture_unit *unit, const struct cm_footprint *footprint,
       uint32_t processor, struct cm_cache *cache)
{
   shading->area_misses++;
   cm_texture_unit_follow(shading->texture, unit, footprint, processor, cache);
}

/* Reads of a quad from one on; returns how many. */
static inline __attribute__((always_inline)) uint64_t
read_chain(struct cm_shading *shading, uint32_t first, uint32_t processor, uint32_t instance,
           struct cm_cache *cache)
{
   const struct cm_quad_read *reads = shading->reads.data;
   uint64_t count = 0;
   for (uint32_t n = first; n != CM_NO_READ; n = reads[n].next, count++) {
      if (!cm_texture_unit_hits(shading->texture, reads[n].unit, reads[n].footprint, instance, cache))
         follow(shading, reads[n].unit, reads[n].footprint, processor, cache);
   }
   return count;
}

uint64_t
cm_shading_read_in_areas(struct cm_shading *shading, uint32_t first, uint32_t processor,
                         struct cm_cache *cache)
{
   const uint32_t instance = cm_texture_path_instance(shading->texture, processor);
   const uint64_t count = read_chain(shading, first, processor, instance, cache);
   shading->area_reads += (uint32_t)count;
   return count;
}

/* The reads of a quad that wait. The first one is known not to lie in an area. */
static inline __attribute__((always_inline)) void
read_waiting(struct cm_shading *shading, const struct own_processors *own, unsigned quad, uint32_t first)
{
   const struct cm_quad_read *read = (const struct cm_quad_read *)shading->reads.data + first;
   struct cm_cache *cache = own->cache[quad];
   follow(shading, read->unit, read->footprint, own->processor[quad], cache);
   read_chain(shading, read->next, own->processor[quad], own->instance[quad], cache);
   cm_texture_unit_finish_reads(shading->texture, cache);
}

/* Where a group has the reads of a single instruction, they are in the order of quads. */
static inline __attribute__((always_inline)) void
read_in_order(struct cm_shading *shading, const struct own_processors *own, const uint32_t *event)
{
   const uint32_t count = cm_event_count(*event);
   const struct cm_footprint *footprints = (const struct cm_footprint *)(event + 1);
   struct cm_texture_unit *unit = cm_shading_unit(shading, event);
   uint32_t read = 0;
   for (uint32_t i = 0; i < count; i++) {
      const unsigned quad = footprints[i].quad & 3;
      if (!(own->running >> quad & 1))
         continue;
      read++;
      struct cm_cache *cache = own->cache[quad];
      if (!cm_texture_unit_hits(shading->texture, unit, &footprints[i], own->instance[quad], cache))
         follow(shading, unit, &footprints[i], own->processor[quad], cache);
      if (i + 1 == count || (footprints[i + 1].quad & 3) != quad)
         cm_texture_unit_finish_reads(shading->texture, cache);
   }
   shading->area_reads += read;
   shading->pipeline[CM_PIPELINE_FOOTPRINTS] += read;
}

/* Runs the quads of such a group, which ends at next; false when out of memory. */
bool
cm_own_processors_run(struct cm_shading *shading, const uint32_t *group, const uint32_t *next)
{
   struct own_processors own;
   struct cm_run run;
   uint32_t waiting = 0;
   assign_processors(shading, group, &own);
   const uint32_t *const first = cm_event_next(group);
   if (first < next && cm_event_next(first) == next && cm_event_type(*first) == CM_EVENT_FOOTPRINTS) {
      read_in_order(shading, &own, first);
      return true;
   }
   shading->num_reads = 0;
   for (const uint32_t *event = first; event < next; event = cm_event_next(event)) {
      if (cm_event_type(*event) == CM_EVENT_FOOTPRINTS && !count_hits(shading, &own, &run, event, &waiting))
         return false;
   }
   for (; waiting; waiting &= waiting - 1) {
      const unsigned quad = (unsigned)__builtin_ctz(waiting);
      read_waiting(shading, &own, quad, run.first[quad]);
   }
   return true;
}
