/* SPDX-License-Identifier: MIT */
#include "pass_builder.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "gpu/gpu_config.h"

struct pass_builder *
pass_new(uint32_t frame, uint32_t width, uint32_t height, uint32_t tile_size)
{
   struct pass_builder *builder = calloc(1, sizeof *builder);
   struct cm_pass *pass = &builder->pass;
   pass->frame = frame;
   pass->width = width;
   pass->height = height;
   pass->tile_size = tile_size;
   pass->tiles_x = (width + tile_size - 1) / tile_size;
   pass->tiles_y = pass->layer_tiles_y = (height + tile_size - 1) / tile_size;
   assert_true(pass->tiles_x * pass->tiles_y <= 1024);
   pass->draws = builder->draws;
   pass->descriptors = builder->descriptors;
   pass->vertices = builder->vertices;
   pass->feedback = builder->feedback;
   pass->vertex_bindings = builder->vertex_bindings;
   pass->vertex_accesses = builder->vertex_accesses;
   pass->region_runs = builder->region_runs;
   pass->primitives = builder->primitives;
   pass->primitive_tiles = builder->primitive_tiles;
   pass->tiles = builder->tiles;
   pass->touched = builder->touched;
   return builder;
}

void
pass_free(struct pass_builder *builder)
{
   for (unsigned i = 0; i < 1024; i++) {
      free(builder->tiles[i].words);
      cm_tile_content_finish(&builder->contents[i]);
   }
   free(builder);
}

void
pass_color(struct pass_builder *builder, uint32_t resource, uint8_t pixel_bytes)
{
   struct cm_pass *pass = &builder->pass;
   pass->color[pass->num_color++] =
      (struct cm_attachment){.resource = resource, .pixel_bytes = pixel_bytes, .store = true};
}

struct cm_draw *
pass_draw(struct pass_builder *builder)
{
   assert_true(builder->pass.num_draws < 64);
   return &builder->draws[builder->pass.num_draws++];
}

void
pass_feedback(struct pass_builder *builder, struct cm_feedback span)
{
   struct cm_draw *draw = &builder->draws[builder->pass.num_draws - 1];
   assert_true(builder->pass.num_feedback < 128);
   if (!draw->num_feedback)
      draw->first_feedback = builder->pass.num_feedback;
   draw->num_feedback++;
   builder->feedback[builder->pass.num_feedback++] = span;
}

void
pass_descriptors(struct pass_builder *builder, struct cm_descriptors descriptors)
{
   struct cm_draw *draw = &builder->draws[builder->pass.num_draws - 1];
   assert_true(builder->pass.num_descriptors < 256);
   if (!draw->num_descriptors)
      draw->first_descriptor = builder->pass.num_descriptors;
   draw->num_descriptors++;
   builder->descriptors[builder->pass.num_descriptors++] = descriptors;
}

void
pass_access(struct pass_builder *builder, enum cm_preraster_stage stage, struct cm_vertex_access access)
{
   struct cm_draw *draw = &builder->draws[builder->pass.num_draws - 1];
   uint32_t before = 0;
   assert_true(builder->pass.num_vertex_accesses < BUILDER_LIMIT);
   for (unsigned s = 0; s < CM_PRERASTER_STAGES; s++) {
      before += draw->num_accesses[s];
      assert_true(s <= stage || !draw->num_accesses[s]);
   }
   if (!before)
      draw->first_vertex_access = builder->pass.num_vertex_accesses;
   draw->num_accesses[stage]++;
   builder->vertex_accesses[builder->pass.num_vertex_accesses++] = access;
}

void
pass_vertex_read(struct pass_builder *builder, uint32_t vertex, uint32_t texture, uint16_t x, uint16_t y,
                 bool linear)
{
   pass_access(
      builder, CM_PRERASTER_VERTEX,
      (struct cm_vertex_access){.invocation = vertex, .binding = texture, .linear = linear, .x = x, .y = y});
}

void
pass_region_runs(struct pass_builder *builder, enum cm_preraster_stage stage, const uint64_t *runs,
                 uint32_t count)
{
   struct cm_draw *draw = &builder->draws[builder->pass.num_draws - 1];
   uint32_t before = 0;
   assert_true(builder->pass.num_region_runs + count <= BUILDER_LIMIT);
   for (unsigned s = 0; s < CM_PRERASTER_STAGES; s++) {
      before += draw->num_regions[s];
      assert_true(s < stage || !draw->num_regions[s]);
   }
   if (!before)
      draw->first_region_run = builder->pass.num_region_runs;
   draw->num_regions[stage] = count;
   memcpy(builder->region_runs + builder->pass.num_region_runs, runs, count * sizeof *runs);
   builder->pass.num_region_runs += count;
}

void
pass_regions(struct pass_builder *builder, uint32_t tile, uint32_t quads, const uint32_t *runs,
             uint32_t count)
{
   uint32_t words[CM_MAX_REGIONS] = {CM_EVENT_REGIONS | quads << 8 | count << 16}, all = 0;
   for (uint32_t r = 0; r < count; r++)
      all |= runs[r];
   for (uint32_t r = 0; r < count; r++) {
      if (all < 256)
         words[1 + r / 4] |= runs[r] << r % 4 * 8;
      else
         words[1 + r] = runs[r];
   }
   words[0] |= all < 256 ? CM_REGIONS_ARE_BYTES << 8 : 0;
   pass_words(builder, tile, words, 1 + cm_regions_words(words[0]));
}

void
pass_primitive(struct pass_builder *builder, uint32_t num_attributes, const uint32_t *tiles,
               uint32_t num_tiles)
{
   struct cm_pass *pass = &builder->pass;
   assert_true(pass->num_primitives < BUILDER_LIMIT);
   assert_true(pass->num_primitive_tiles + num_tiles <= BUILDER_LIMIT * 16);
   builder->primitives[pass->num_primitives++] = (struct cm_primitive){
      .draw = pass->num_draws - 1,
      .num_attributes = num_attributes,
      .first_tile = pass->num_primitive_tiles,
      .num_tiles = num_tiles,
   };
   for (uint32_t i = 0; i < num_tiles; i++) {
      builder->primitive_tiles[pass->num_primitive_tiles++] = tiles[i];
      builder->touched[tiles[i]] = true;
   }
}

void
pass_words(struct pass_builder *builder, uint32_t tile, const void *words, size_t count)
{
   struct cm_tile_events *events = &builder->tiles[tile];
   uint32_t *room = cm_tile_events_reserve(events, count);
   assert_non_null(room);
   memcpy(room, words, count * sizeof *room);
   events->num_words += count;
}

void
pass_quads(struct pass_builder *builder, uint32_t tile, uint32_t draw, uint32_t flags,
           const struct cm_quad *quads, uint32_t num_quads)
{
   const uint32_t words[2] = {CM_EVENT_SHADE | num_quads << 8 | flags, draw};
   pass_words(builder, tile, words, 2);
   pass_words(builder, tile, quads, num_quads * CM_QUAD_WORDS);
   builder->touched[tile] = true;
}

void
pass_shade(struct pass_builder *builder, uint32_t tile, uint32_t draw, uint32_t num_quads, uint8_t live)
{
   struct cm_quad quads[4];
   assert_true(num_quads <= 4);
   for (uint32_t q = 0; q < num_quads; q++)
      quads[q] =
         (struct cm_quad){.x = (uint8_t)q, .live = live, .covered = live, .visible = live, .written = live};
   pass_quads(builder, tile, draw, 0, quads, num_quads);
}

void
pass_footprints(struct pass_builder *builder, uint32_t tile, uint32_t unit,
                const struct cm_footprint *footprints, uint32_t count)
{
   const uint32_t word = CM_EVENT_FOOTPRINTS | count << 8 | unit << 16;
   pass_words(builder, tile, &word, 1);
   pass_words(builder, tile, footprints, count * CM_FOOTPRINT_WORDS);
}

uint8_t *
pass_content(struct pass_builder *builder, uint32_t tile, unsigned slot, unsigned columns, unsigned rows)
{
   uint8_t *same, *sizes;
   builder->pass.contents = builder->contents;
   assert_true(cm_tile_content_add(&builder->contents[tile], slot, columns, rows, &same, &sizes));
   memset(same, 0, (size_t)columns * rows);
   return sizes;
}

void
pass_random_contents(struct pass_builder *builder, unsigned color, uint64_t *state)
{
   const struct cm_pass *pass = &builder->pass;
   for (uint32_t tile = 0; tile < pass->tiles_x * pass->tiles_y; tile++) {
      const uint32_t x = tile % pass->tiles_x * pass->tile_size, y = tile / pass->tiles_x * pass->tile_size;
      const uint32_t width = pass->width - x < pass->tile_size ? pass->width - x : pass->tile_size,
                     height = pass->height - y < pass->tile_size ? pass->height - y : pass->tile_size;
      const uint32_t groups = (width + 15) / 16 * ((height + 15) / 16);
      if (!pass->touched[tile])
         continue;
      uint8_t *sizes = pass_content(builder, tile, color, (width + 15) / 16, (height + 15) / 16);
      for (uint32_t g = 0; g < groups; g++) {
         const uint32_t kind = random_below(state, 4);
         for (uint32_t b = 0; b < CM_GROUP_BLOCKS; b++)
            sizes[g * CM_GROUP_BLOCKS + b] = kind == 0   ? 0
                                             : kind == 1 ? CM_RAW_SIZE
                                             : random_below(state, 5) == 0
                                                ? 0
                                                : (uint8_t)(1 + random_below(state, kind == 2 ? 20 : 64));
      }
   }
}

void
pass_same_inputs(struct pass_builder *builder, uint32_t tile, unsigned mask)
{
   builder->pass.contents = builder->contents;
   builder->contents[tile].same_inputs = (uint8_t)mask;
}

void
pass_same(struct pass_builder *builder, uint32_t tile, unsigned slot, unsigned columns, unsigned rows,
          const uint8_t *masks)
{
   uint8_t *same, *sizes;
   builder->pass.contents = builder->contents;
   assert_true(cm_tile_content_add(&builder->contents[tile], slot, columns, rows, &same, &sizes));
   memcpy(same, masks, (size_t)columns * rows);
   memset(sizes, CM_RAW_SIZE, (size_t)columns * rows * CM_GROUP_BLOCKS);
}

void
gpu_run_pass(struct cm_gpu *gpu, const struct cm_pass *pass)
{
   cm_gpu_pass_begin(gpu, pass);
   const uint32_t *traversal = cm_gpu_pass_traversal(gpu);
   for (uint32_t n = 0; n < pass->tiles_x * pass->tiles_y; n++)
      cm_gpu_pass_tile(gpu, traversal[n]);
   cm_gpu_pass_end(gpu);
}

void
pass_run(const struct pass_builder *builder, struct cm_gpu *gpu)
{
   gpu_run_pass(gpu, &builder->pass);
}

void
pass_run_and_free(struct pass_builder *builder, struct cm_gpu *gpu)
{
   pass_run(builder, gpu);
   pass_free(builder);
}

#define CACHE(unit, size, ways, policy, index)                                                      \
   "caches." unit ".size=" size, "caches." unit ".ways=" ways, "caches." unit ".block=64",          \
      "caches." unit ".instances=1", "caches." unit ".latency=1", "caches." unit ".policy=" policy, \
      "caches." unit ".index=" index, "caches." unit ".write_miss=allocate", "caches." unit ".next=l2"

const char *const test_tcor_settings[] = {
   "parameter_buffer.layout=interleaved",
   "streams.pb_list=primitive_list_cache",
   "streams.pb_attribute=attribute_cache",
   "caches.tile_cache.size=0",
   CACHE("primitive_list_cache", "1024", "4", "lru", "modulo"),
   CACHE("attribute_cache", "3072", "4", "tcor", "xor"),
   "primitive_buffer.lines=32",
   "primitive_buffer.further_victims=all-sets",
   "primitive_buffer.output_queue=16",
   "primitive_buffer.mshrs=33",
   "caches.l2.size=16384",
   "caches.l2.policy=tcor",
   NULL,
};

const char *const test_compression_settings[] = {
   "framebuffer_compression.mode=blocks",
   "framebuffer_compression.superblock_width=16",
   "framebuffer_compression.superblock_height=16",
   "framebuffer_compression.header_bytes=16",
   "framebuffer_compression.burst=64",
   "framebuffer_compression.most_pixel_bytes=4",
   "framebuffer_compression.color=on",
   "framebuffer_compression.depth=on",
   "framebuffer_compression.display=on",
   NULL,
};

const char *const test_header_cache_settings[] = {
   CACHE("texture_header_cache", "1024", "4", "lru", "modulo"),
   CACHE("header_cache", "1024", "4", "lru", "modulo"),
   "caches.header_cache.next=dram",
   NULL,
};

struct cm_config *
test_compression_config(const char *const *changes)
{
   const char *all[64] = {NULL};
   unsigned count = 0;
   const char *const *const lists[] = {test_compression_settings, test_header_cache_settings, changes};
   for (unsigned l = 0; l < 3; l++) {
      for (const char *const *setting = lists[l]; setting && *setting; setting++)
         all[count++] = *setting;
   }
   assert_true(count < sizeof all / sizeof all[0]);
   return test_config(all);
}

struct cm_config *
test_config(const char *const *assignments)
{
   return test_config_of(NULL, assignments);
}

struct cm_config *
test_config_of(const char *preset, const char *const *assignments)
{
   char error[512] = "";
   struct cm_config *config = cm_config_load(preset, NULL, error, sizeof error);
   if (!config)
      fail_msg("%s", error);
   for (; assignments && *assignments; assignments++) {
      if (!cm_config_set(config, *assignments, error, sizeof error))
         fail_msg("%s", error);
   }
   if (!cm_config_validate(config, error, sizeof error))
      fail_msg("%s", error);
   return config;
}

struct cm_gpu *
test_gpu(const char *const *assignments)
{
   struct cm_config *config = test_config(assignments);
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
   assert_non_null(gpu);
   cm_config_destroy(config);
   return gpu;
}

struct cm_gpu *
test_gpu_with(const char *const *assignments, const char *const *changes)
{
   const char *all[65];
   unsigned count = 0;
   for (; *assignments; assignments++)
      all[count++] = *assignments;
   for (; *changes; changes++)
      all[count++] = *changes;
   assert_true(count < sizeof all / sizeof all[0]);
   all[count] = NULL;
   return test_gpu(all);
}

struct cm_resource_description
describe_texture(uint32_t width, uint32_t height, uint8_t levels, uint8_t bytes)
{
   return (struct cm_resource_description){.id = 1,
                                           .levels = levels,
                                           .samples = 1,
                                           .block_width = 1,
                                           .block_height = 1,
                                           .block_bytes = bytes,
                                           .width = width,
                                           .height = height,
                                           .depth = 1,
                                           .layers = 1};
}

void
define_texture(struct cm_gpu *gpu, uint32_t id, uint32_t width, uint32_t height, uint8_t levels)
{
   struct cm_resource_description description = describe_texture(width, height, levels, 4);
   description.id = id;
   cm_gpu_define_resource(gpu, &description);
}

void
define_buffer(struct cm_gpu *gpu, uint32_t id, uint32_t bytes)
{
   const struct cm_resource_description description = {.id = id,
                                                       .is_buffer = true,
                                                       .levels = 1,
                                                       .samples = 1,
                                                       .block_width = 1,
                                                       .block_height = 1,
                                                       .block_bytes = 1,
                                                       .width = bytes,
                                                       .height = 1,
                                                       .depth = 1,
                                                       .layers = 1};
   cm_gpu_define_resource(gpu, &description);
}

uint64_t
gpu_total(struct cm_gpu *gpu, const char *name)
{
   const int index = cm_counter_table_find(cm_gpu_counters(gpu), name);
   if (index < 0)
      fail_msg("no counter %s", name);
   return cm_gpu_total(gpu)[index];
}

void
assert_counters(struct cm_gpu *gpu, const struct expected_counter *expected)
{
   assert_frame(gpu, cm_gpu_total(gpu), expected);
}

void
assert_frame(struct cm_gpu *gpu, const uint64_t *values, const struct expected_counter *expected)
{
   const struct cm_counter_table *table = cm_gpu_counters(gpu);
   for (; expected->name; expected++) {
      const int index = cm_counter_table_find(table, expected->name);
      if (index < 0)
         fail_msg("no counter %s", expected->name);
      if (values[index] != expected->value)
         fail_msg("%s is %llu, expected %llu", expected->name, (unsigned long long)values[index],
                  (unsigned long long)expected->value);
   }
}

uint64_t
cycles_of_pass(struct cm_gpu *gpu, struct pass_builder *pass)
{
   pass_run(pass, gpu);
   pass_free(pass);
   cm_gpu_frame_end(gpu);
   const uint64_t cycles = gpu_total(gpu, "gpu.cycles");
   cm_gpu_destroy(gpu);
   return cycles;
}
