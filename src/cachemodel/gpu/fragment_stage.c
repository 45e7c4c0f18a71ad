/* SPDX-License-Identifier: MIT */
/* The Fragment Processors: which one takes a quad, its programs, its texture
 * reads through that processor's texture cache. */
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_internal.h"

#define MAX_PROCESSORS 64
#define NO_DRAW UINT32_MAX

typedef struct cm_resource *draw_textures[CM_MAX_TEXTURE_UNITS];

bool
cm_fragment_stage_bind(struct cm_gpu *gpu)
{
   const struct cm_pass *pass = gpu->pass;
   if (!cm_array_reserve(&gpu->draw_textures, pass->num_draws, sizeof(draw_textures)))
      return false;
   draw_textures *textures = gpu->draw_textures.data;
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      const struct cm_draw *draw = &pass->draws[d];
      memset(textures[d], 0, sizeof textures[d]);
      for (uint32_t unit = 0; unit < draw->num_textures && unit < CM_MAX_TEXTURE_UNITS; unit++) {
         struct cm_resource *resource = cm_address_space_use(&gpu->space, draw->textures[unit].resource);
         if (!resource)
            continue;
         resource->sampled = true;
         textures[d][unit] = resource;
      }
   }
   return true;
}

/* A texture unit within a draw, and its images that were read last: filtering
 * alternates between two levels. */
struct texture_unit {
   const struct cm_resource *resource; /* NULL: nothing is bound */
   const struct cm_texture_binding *binding;
   uint64_t image_key[2];
   struct cm_texture_image images[2];
};
#define NO_IMAGE UINT64_MAX

/* What a quad reads in a group. */
struct quad_read {
   const struct cm_footprint *footprint;
   struct texture_unit *unit;
   uint32_t next; /* of the quad's; NO_READ: none */
};
#define NO_READ UINT32_MAX

/* Quads that run their program together, once or, where it runs once a sample,
 * several times. */
struct run {
   const struct cm_quad *quads;
   uint32_t first[4], last[4]; /* of each quad's reads: indices into cm_gpu.quad_reads */
};

/* The state of the processors within a tile. */
struct cm_shading {
   struct cm_gpu *gpu;
   uint32_t processors;
   enum cm_scheduler scheduler;
   bool one_by_one;                                 /* the quads are looked at, or timed */
   bool knows_all;                                  /* those that read nothing, too */
   uint32_t next;                                   /* round-robin: who gets the next quad */
   uint64_t work[MAX_PROCESSORS];                   /* least-work: what each has done */
   uint32_t at_draw[MAX_PROCESSORS];                /* whose program a processor holds */
   uint32_t without_program;                        /* processors that do not hold the last group's */
   uint32_t draw_number;                            /* of the last group */
   const struct cm_draw *draw;                      /* the same */
   struct texture_unit units[CM_MAX_TEXTURE_UNITS]; /* its; those it uses */
   struct texture_unit no_unit;                     /* what a footprint of a unit beyond names */
   struct run runs[CM_MAX_RUNS];
   uint32_t num_quads, num_runs; /* of the group */
   size_t num_reads;             /* the same: all quads' */
};

/* The number of bits of four, a digit a number. */
static inline uint32_t
count_fragments(unsigned live)
{
   return 0x4332322132212110ull >> 4 * live & 15;
}

/* The number of a block of 2×2 quads in Z-order: the bits of column and row in turn. */
static uint32_t
quad_block(const struct cm_quad *quad)
{
   uint32_t number = 0;
   for (unsigned bit = 1; bit < 8; bit++)
      number |= (quad->x >> bit & 1u) << (2 * bit - 2) | (quad->y >> bit & 1u) << (2 * bit - 1);
   return number;
}

static uint32_t
least_work(const struct cm_shading *shading)
{
   uint32_t least = 0;
   for (uint32_t p = 1; p < shading->processors; p++) {
      if (shading->work[p] < shading->work[least])
         least = p;
   }
   return least;
}

/* The processors in turn. */
static inline uint32_t
next_processor(struct cm_shading *shading)
{
   const uint32_t processor = shading->next;
   shading->next = processor + 1 == shading->processors ? 0 : processor + 1;
   return processor;
}

/* Gives a quad to a processor, and that the program. */
static inline void
take_quad(struct cm_shading *shading, const struct cm_quad *quad, uint32_t processor)
{
   struct cm_gpu *gpu = shading->gpu;
   if (shading->at_draw[processor] != shading->draw_number) {
      shading->at_draw[processor] = shading->draw_number;
      shading->without_program--;
      gpu->pipeline[CM_PIPELINE_PROGRAM_SWITCHES]++;
      cm_gpu_fetch_program(gpu, CM_PROGRAM_FRAGMENT, &shading->draw->fragment_program, processor);
   }
   gpu->pipeline[CM_PIPELINE_QUADS]++;
   gpu->pipeline[CM_PIPELINE_FRAGMENTS] += count_fragments(quad->live);
}

/* Whose texture cache it is; with a NUCA, each processor has one. */
static inline uint32_t
processor_of(const struct cm_gpu *gpu, const struct cm_cache *cache)
{
   return (uint32_t)(cache - gpu->hierarchy.caches[CM_UNIT_TEXTURE_CACHE]);
}

/* Reads blocks in order, from memory where there is no cache. */
static inline void
read_blocks(struct cm_gpu *gpu, struct cm_cache *cache, const uint64_t *blocks, unsigned num_blocks,
            uint32_t shift)
{
   if (cache)
      cm_cache_read_sequence(cache, blocks, num_blocks, CM_STREAM_TEXTURE);
   for (unsigned b = 0; !cache && b < num_blocks; b++)
      cm_dram_access(&gpu->hierarchy.dram, blocks[b] << shift, CM_STREAM_TEXTURE, false, 1, 1u << shift);
}

/* As read_footprint, where the texture caches are a NUCA. */
static __attribute__((noinline)) void
read_footprint_of_nuca(struct cm_gpu *gpu, const struct cm_cache *cache, const struct cm_texture_image *image,
                       const struct cm_texture_binding *binding, const struct cm_footprint *footprint)
{
   struct cm_texture_access *access = gpu->texture_access.design ? &gpu->texture_access : NULL;
   struct cm_read_grid grid;
   if (cm_footprint_grid(image, footprint, &grid)) {
      if (access)
         cm_texture_access_grid(access, image, binding, footprint, &grid);
      cm_nuca_read_grid(gpu->nuca, processor_of(gpu, cache), &grid);
      return;
   }
   uint64_t blocks[CM_MAX_FOOTPRINT_BLOCKS];
   const unsigned num_blocks = cm_footprint_blocks(image, binding, footprint, blocks);
   if (access)
      cm_texture_access_blocks(access, image, binding, footprint, blocks);
   cm_nuca_read(gpu->nuca, processor_of(gpu, cache), blocks, num_blocks);
}

/* Logs the blocks of a footprint, each once; the caches say the rest. */
static void
tell_blocks(struct cm_gpu *gpu, const uint64_t *blocks, unsigned count, uint32_t shift)
{
   struct cm_tap *tap = cm_timing_tap(gpu->timing);
   uint64_t known[CM_MAX_FOOTPRINT_BLOCKS];
   unsigned num_known = 0;
   for (unsigned b = 0; b < count; b++) {
      unsigned k = 0;
      while (k < num_known && known[k] != blocks[b])
         k++;
      if (k == num_known)
         known[num_known++] = blocks[b];
   }
   cm_tap_add(tap, cm_token_make(CM_TOKEN_GROUP, num_known, CM_STREAM_TEXTURE, 0));
   for (unsigned k = 0; k < num_known; k++)
      cm_tap_add(tap, cm_token_make(CM_TOKEN_FIRST, known[k] << shift, CM_STREAM_TEXTURE, shift));
}

static void
tell_grid(struct cm_gpu *gpu, const struct cm_read_grid *grid, uint32_t shift)
{
   struct cm_tap *tap = cm_timing_tap(gpu->timing);
   uint32_t mask = grid->readers[0] | grid->readers[1] | grid->readers[2] | grid->readers[3];
   cm_tap_add(tap, cm_token_make(CM_TOKEN_GROUP, (uint32_t)__builtin_popcount(mask), CM_STREAM_TEXTURE, 0));
   for (; mask; mask &= mask - 1) {
      const unsigned bit = (unsigned)__builtin_ctz(mask);
      const uint64_t block = grid->block + (bit >> 1) * grid->row + (-(uint64_t)(bit & 1) & grid->column);
      cm_tap_add(tap, cm_token_make(CM_TOKEN_FIRST, block << shift, CM_STREAM_TEXTURE, shift));
   }
}

/* As read_footprint, where it is timed. */
static __attribute__((noinline)) void
read_footprint_timed(struct cm_gpu *gpu, struct cm_cache *cache, const struct cm_texture_image *image,
                     const struct cm_texture_binding *binding, const struct cm_footprint *footprint)
{
   if (gpu->nuca) {
      cm_timing_group(gpu->timing, CM_STREAM_TEXTURE, 0);
      read_footprint_of_nuca(gpu, cache, image, binding, footprint);
      return;
   }
   struct cm_read_grid grid;
   struct cm_texture_access *access = gpu->texture_access.design ? &gpu->texture_access : NULL;
   const bool is_grid = cm_footprint_grid(image, footprint, &grid);
   if (is_grid) {
      if (access)
         cm_texture_access_grid(access, image, binding, footprint, &grid);
      tell_grid(gpu, &grid, image->block_shift);
      if (cm_cache_read_grid(cache, &grid, CM_STREAM_TEXTURE))
         return;
   }
   uint64_t blocks[CM_MAX_FOOTPRINT_BLOCKS];
   const unsigned num_blocks = cm_footprint_blocks(image, binding, footprint, blocks);
   if (access && !is_grid)
      cm_texture_access_blocks(access, image, binding, footprint, blocks);
   if (!is_grid)
      tell_blocks(gpu, blocks, num_blocks, image->block_shift);
   read_blocks(gpu, cache, blocks, num_blocks, image->block_shift);
}

static inline void
read_footprint(struct cm_gpu *gpu, struct cm_cache *cache, const struct cm_texture_image *image,
               const struct cm_texture_binding *binding, const struct cm_footprint *footprint)
{
   if (gpu->reads_apart) {
      if (gpu->timing)
         read_footprint_timed(gpu, cache, image, binding, footprint);
      else
         read_footprint_of_nuca(gpu, cache, image, binding, footprint);
      return;
   }
   struct cm_read_grid grid;
   struct cm_texture_access *access = gpu->texture_access.design ? &gpu->texture_access : NULL;
   if (cache && cm_footprint_grid(image, footprint, &grid)) {
      if (access)
         cm_texture_access_grid(access, image, binding, footprint, &grid);
      if (cm_cache_read_grid(cache, &grid, CM_STREAM_TEXTURE))
         return;
      access = NULL;
   }

   uint64_t blocks[CM_MAX_FOOTPRINT_BLOCKS];
   const unsigned num_blocks = cm_footprint_blocks(image, binding, footprint, blocks);
   if (access)
      cm_texture_access_blocks(access, image, binding, footprint, blocks);
   read_blocks(gpu, cache, blocks, num_blocks, image->block_shift);
}

/* A buffer has no layout: its texels lie one after another. */
static void
read_buffer_footprint(struct cm_gpu *gpu, struct cm_cache *cache, const struct texture_unit *unit,
                      const struct cm_footprint *footprint)
{
   const struct cm_texture_binding *binding = unit->binding;
   const uint32_t shift = gpu->hierarchy.entry[CM_STREAM_TEXTURE].block_shift;
   uint64_t blocks[CM_MAX_FOOTPRINT_BLOCKS];
   unsigned num_blocks = 0;

   for (unsigned f = 0; f < 4; f++) {
      const uint64_t element =
         (uint64_t)(uint16_t)footprint->texel[f].y * 32768 + (uint16_t)footprint->texel[f].x;
      const uint64_t begin = binding->buffer_offset + element * binding->texel_bytes;
      if (!(footprint->live & 1u << f) || begin + binding->texel_bytes > unit->resource->bytes)
         continue;
      if (gpu->texture_access.design)
         cm_texture_access_element(&gpu->texture_access, element, unit->resource->address + begin,
                                   binding->texel_bytes);
      const uint64_t last = (unit->resource->address + begin + binding->texel_bytes - 1) >> shift;
      for (uint64_t block = (unit->resource->address + begin) >> shift;
           block <= last && num_blocks < CM_MAX_FOOTPRINT_BLOCKS; block++)
         blocks[num_blocks++] = block;
   }
   if (gpu->nuca)
      cm_timing_group(gpu->timing, CM_STREAM_TEXTURE, 0);
   else if (gpu->timing)
      tell_blocks(gpu, blocks, num_blocks, shift);
   if (gpu->nuca)
      cm_nuca_read(gpu->nuca, processor_of(gpu, cache), blocks, num_blocks);
   else
      read_blocks(gpu, cache, blocks, num_blocks, shift);
}

/* The image that a footprint names. */
static inline const struct cm_texture_image *
find_image(struct cm_gpu *gpu, struct texture_unit *unit, const struct cm_footprint *footprint)
{
   const unsigned place = footprint->level & 1;
   const uint64_t key = (uint64_t)footprint->layer << 8 | footprint->level;
   struct cm_texture_image *image = &unit->images[place];
   if (unit->image_key[place] != key) {
      cm_texture_image_init(image, unit->resource->layout, unit->resource->address, unit->binding, footprint,
                            gpu->hierarchy.entry[CM_STREAM_TEXTURE].block_shift);
      unit->image_key[place] = key;
   }
   return image;
}

/* Reads a footprint through a processor's cache (NULL: from memory). */
static inline void
read_texture(struct cm_gpu *gpu, struct texture_unit *unit, const struct cm_footprint *footprint,
             struct cm_cache *cache)
{
   if (!unit->resource)
      return;
   if (unit->resource->layout)
      read_footprint(gpu, cache, find_image(gpu, unit, footprint), unit->binding, footprint);
   else
      read_buffer_footprint(gpu, cache, unit, footprint);
}

/* ---- groups of quads --------------------------------------------------- */

/* Hands an instruction's footprints to their quads. */
static bool
add_footprints(struct cm_shading *shading, struct run *run, const uint32_t *event)
{
   const uint32_t count = cm_event_count(*event), number = cm_event_unit(*event);
   const struct cm_footprint *footprints = (const struct cm_footprint *)(event + 1);
   struct texture_unit *unit =
      number < shading->draw->num_textures ? &shading->units[number] : &shading->no_unit;
   if (!cm_array_extend(&shading->gpu->quad_reads, shading->num_reads + count, sizeof(struct quad_read)))
      return false;
   struct quad_read *reads = shading->gpu->quad_reads.data;
   uint32_t n = (uint32_t)shading->num_reads;
   for (uint32_t i = 0; i < count; i++, n++) {
      const unsigned quad = footprints[i].quad & 3;
      reads[n] = (struct quad_read){.footprint = &footprints[i], .unit = unit, .next = NO_READ};
      if (run->first[quad] == NO_READ)
         run->first[quad] = n;
      else
         reads[run->last[quad]].next = n;
      run->last[quad] = n;
   }
   shading->num_reads = n;
   return true;
}

static void
take_draw(struct cm_shading *shading, uint32_t number)
{
   const struct cm_draw *draw = &shading->gpu->pass->draws[number];
   struct cm_resource *const *textures = ((draw_textures *)shading->gpu->draw_textures.data)[number];
   for (uint32_t unit = 0; unit < draw->num_textures && unit < CM_MAX_TEXTURE_UNITS; unit++) {
      shading->units[unit].resource = textures[unit];
      shading->units[unit].binding = &draw->textures[unit];
      shading->units[unit].image_key[0] = shading->units[unit].image_key[1] = NO_IMAGE;
   }
   shading->draw_number = number;
   shading->draw = draw;
   shading->without_program = 0;
   for (uint32_t p = 0; p < shading->processors; p++)
      shading->without_program += shading->at_draw[p] != number;
}

/* Takes a shade event, those that continue it and their footprints; returns their end,
 * NULL when memory is out. */
static const uint32_t *
take_group(struct cm_shading *shading, const uint32_t *word, const uint32_t *end)
{
   const uint32_t draw = word[1];
   if (draw != shading->draw_number)
      take_draw(shading, draw);
   shading->num_quads = cm_event_count(*word);
   shading->num_runs = 0;
   shading->num_reads = 0;
   do {
      struct run *run = &shading->runs[shading->num_runs++];
      run->quads = (const struct cm_quad *)(word + 2);
      memset(run->first, 0xff, sizeof run->first);
      word = cm_event_next(word);
      for (; word < end && cm_event_type(*word) == CM_EVENT_FOOTPRINTS; word = cm_event_next(word)) {
         if (!add_footprints(shading, run, word))
            return NULL;
      }
   } while (word < end && cm_event_continues(*word) && shading->num_runs < CM_MAX_RUNS);
   return word;
}

/* A quad's run: the program, the footprints. Returns how many of these. */
static inline uint64_t
run_quad(struct cm_shading *shading, const struct run *run, uint32_t q, uint32_t processor)
{
   struct cm_gpu *gpu = shading->gpu;
   const struct quad_read *reads = gpu->quad_reads.data;
   take_quad(shading, &run->quads[q], processor);
   struct cm_cache *cache = cm_hierarchy_entry(&gpu->hierarchy, CM_STREAM_TEXTURE, processor);
   uint64_t footprints = 0;
   for (uint32_t n = run->first[q]; n != NO_READ; n = reads[n].next, footprints++)
      read_texture(gpu, reads[n].unit, reads[n].footprint, cache);
   gpu->pipeline[CM_PIPELINE_FOOTPRINTS] += footprints;
   return footprints;
}

/* Which processor takes a quad; place: the number of its block. */
static inline uint32_t
choose_processor(struct cm_shading *shading, uint32_t place)
{
   switch (shading->scheduler) {
   case CM_SCHEDULER_QUAD_BLOCK: return place % shading->processors;
   case CM_SCHEDULER_LEAST_WORK: return least_work(shading);
   default: return next_processor(shading);
   }
}

static uint8_t
attributes_of(const struct cm_pass *pass, const struct cm_quad *quad)
{
   return quad->primitive < pass->num_primitives ? (uint8_t)pass->primitives[quad->primitive].num_attributes
                                                 : 1;
}

/* Says that a quad has run. */
static void
time_quad(struct cm_shading *shading, const struct cm_quad *quad, uint32_t processor, uint64_t footprints)
{
   const struct cm_timed_quad timed = {
      .primitive = quad->primitive,
      .instructions = shading->draw->fragment_program.instructions,
      .footprints = (uint32_t)footprints,
      .processor = (uint8_t)processor,
      .attributes = attributes_of(shading->gpu->pass, quad),
      .shaded = true,
   };
   cm_timing_quad(shading->gpu->timing, &timed);
}

/* Quads that run no program, but are rasterised and tested. */
static void
time_hidden_quads(struct cm_gpu *gpu, const uint32_t *word)
{
   const struct cm_quad *quads = (const struct cm_quad *)(word + 2);
   for (uint32_t q = 0; q < cm_event_count(*word); q++) {
      const struct cm_timed_quad timed = {.primitive = quads[q].primitive,
                                          .attributes = attributes_of(gpu->pass, &quads[q])};
      cm_timing_quad(gpu->timing, &timed);
   }
}

/* The quads of a group where the processors do not take turns (key fragment_stage.scheduler), or where they are
 * timed. */
static __attribute__((noinline)) void
run_group_as_scheduled(struct cm_shading *shading)
{
   for (uint32_t q = 0; q < shading->num_quads && q < 4; q++) {
      for (uint32_t r = 0; r < shading->num_runs; r++) {
         const struct cm_quad *quad = &shading->runs[r].quads[q];
         if (!quad->live)
            continue;
         const uint32_t place = shading->scheduler == CM_SCHEDULER_QUAD_BLOCK ? quad_block(quad) : 0;
         const uint32_t processor = choose_processor(shading, place);
         const uint64_t footprints = run_quad(shading, &shading->runs[r], q, processor);
         shading->work[processor] += shading->draw->fragment_program.instructions + footprints;
         if (shading->gpu->timing)
            time_quad(shading, quad, processor, footprints);
      }
   }
}

static void
run_group(struct cm_shading *shading)
{
   if (shading->one_by_one) {
      run_group_as_scheduled(shading);
      return;
   }
   for (uint32_t q = 0; q < shading->num_quads && q < 4; q++) {
      for (uint32_t r = 0; r < shading->num_runs; r++) {
         if (shading->runs[r].quads[q].live)
            run_quad(shading, &shading->runs[r], q, next_processor(shading));
      }
   }
}

/* Whether the quads of a shade event, `next` being the event after it, read nothing (neither
 * textures nor, as all processors hold it, their program), and which processor has run one
 * does not matter to later ones. */
static inline bool
reads_nothing(const struct cm_shading *shading, const uint32_t *word, const uint32_t *next,
              const uint32_t *end)
{
   return word[1] == shading->draw_number && !shading->without_program && !shading->knows_all &&
          (next == end || (cm_event_type(*next) != CM_EVENT_FOOTPRINTS && !cm_event_continues(*next)));
}

/* Gives the quads of such an event to processors: round-robin, to the next ones. */
static void
count_quads(struct cm_shading *shading, const uint32_t *word)
{
   const struct cm_quad *quads = (const struct cm_quad *)(word + 2);
   const uint32_t count = cm_event_count(*word);
   uint32_t running = 0, fragments = 0;
   for (uint32_t q = 0; q < count && q < 4; q++) {
      running += quads[q].live != 0;
      fragments += count_fragments(quads[q].live);
   }
   shading->next += running;
   while (shading->next >= shading->processors)
      shading->next -= shading->processors;
   shading->gpu->pipeline[CM_PIPELINE_QUADS] += running;
   shading->gpu->pipeline[CM_PIPELINE_FRAGMENTS] += fragments;
}

static inline void
begin_shading(struct cm_shading *shading, struct cm_gpu *gpu)
{
   shading->gpu = gpu;
   shading->processors = gpu->config.fragment_stage.processors;
   shading->next = 0;
   shading->draw_number = NO_DRAW;
   shading->without_program = shading->processors;
   shading->no_unit.resource = NULL;
   shading->scheduler = gpu->config.fragment_stage.scheduler;
   shading->knows_all = shading->scheduler == CM_SCHEDULER_LEAST_WORK || gpu->timing;
   shading->one_by_one = shading->scheduler != CM_SCHEDULER_ROUND_ROBIN || gpu->timing;
   memset(shading->work, 0, sizeof shading->work);
   for (uint32_t p = 0; p < shading->processors; p++)
      shading->at_draw[p] = NO_DRAW;
}

bool
cm_fragment_stage(struct cm_gpu *gpu, uint32_t tile)
{
   const struct cm_tile_events *events = &gpu->pass->tiles[tile];
   if (gpu->pass->kind == CM_PASS_FULL && gpu->config.mode == CM_MODE_TBDR) {
      if (!cm_deferred_build(&gpu->deferred, events))
         return false;
      events = &gpu->deferred.events;
   }
   if (!events->num_words)
      return true;
   const uint32_t *word = events->words;
   const uint32_t *end = word + events->num_words;
   struct cm_shading shading;
   begin_shading(&shading, gpu);

   while (word < end) {
      const uint32_t *next = cm_event_next(word);
      if (cm_event_type(*word) != CM_EVENT_SHADE) {
         if (gpu->timing && cm_event_type(*word) == CM_EVENT_UNSHADED)
            time_hidden_quads(gpu, word);
         word = next;
         continue;
      }
      if (reads_nothing(&shading, word, next, end)) {
         count_quads(&shading, word);
         word = next;
         continue;
      }
      word = take_group(&shading, word, end);
      if (!word)
         return false;
      run_group(&shading);
   }
   return true;
}

/* ---- quad by quad ------------------------------------------------------ */

struct cm_shading *
cm_shading_create(struct cm_gpu *gpu)
{
   struct cm_shading *shading = malloc(sizeof *shading);
   if (shading)
      begin_shading(shading, gpu);
   return shading;
}

void
cm_shading_destroy(struct cm_shading *shading)
{
   free(shading);
}

void
cm_shading_begin(struct cm_shading *shading)
{
   begin_shading(shading, shading->gpu);
}

/* Reads a quad's footprints of the events from word on; returns the event after them. */
static const uint32_t *
read_textures(struct cm_shading *shading, const uint32_t *word, const uint32_t *end, uint32_t number,
              uint32_t processor)
{
   struct cm_gpu *gpu = shading->gpu;
   struct cm_cache *cache = cm_hierarchy_entry(&gpu->hierarchy, CM_STREAM_TEXTURE, processor);
   uint64_t read = 0;
   for (; word < end && cm_event_type(*word) == CM_EVENT_FOOTPRINTS; word = cm_event_next(word)) {
      const struct cm_footprint *footprints = (const struct cm_footprint *)(word + 1);
      const uint32_t count = cm_event_count(*word), unit = cm_event_unit(*word);
      struct texture_unit *bound =
         unit < shading->draw->num_textures ? &shading->units[unit] : &shading->no_unit;
      for (uint32_t i = 0; i < count && footprints[i].quad <= number; i++) {
         if (footprints[i].quad != number)
            continue;
         read_texture(gpu, bound, &footprints[i], cache);
         read++;
      }
   }
   gpu->pipeline[CM_PIPELINE_FOOTPRINTS] += read;
   shading->work[processor] += read;
   return word;
}

void
cm_shading_run_quad(struct cm_shading *shading, const uint32_t *group, const uint32_t *end, uint32_t number,
                    uint32_t place)
{
   if (group[1] != shading->draw_number)
      take_draw(shading, group[1]);
   const uint32_t *word = group;
   do {
      const struct cm_quad *quad = (const struct cm_quad *)(word + 2) + number;
      if (!quad->live) {
         word = cm_group_next_run(word, end);
         continue;
      }
      const uint32_t processor = choose_processor(shading, place);
      take_quad(shading, quad, processor);
      shading->work[processor] += shading->draw->fragment_program.instructions;
      word = read_textures(shading, cm_event_next(word), end, number, processor);
   } while (word < end && cm_event_continues(*word));
}
