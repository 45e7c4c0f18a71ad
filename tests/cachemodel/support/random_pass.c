/* SPDX-License-Identifier: MIT */
#include "random_pass.h"

#include "events/pixel_block.h"

#include "test.h"

enum {
   FIRST_BUFFER = 1,  /* 1 … 4 */
   FIRST_TEXTURE = 5, /* 5 … 9 */
   COLOR = 10,
   DEPTH = 11,
   OFFSCREEN = 12,
};

void
define_random_resources(struct cm_gpu *gpu)
{
   for (uint32_t i = 0; i < 4; i++)
      define_buffer(gpu, FIRST_BUFFER + i, 20000 << i);
   for (uint32_t i = 0; i < 5; i++)
      define_texture(gpu, FIRST_TEXTURE + i, 64u << i, 300, (uint8_t)(i + 1));
   define_texture(gpu, COLOR, 300, 200, 1);
   define_texture(gpu, DEPTH, 300, 200, 1);
   define_texture(gpu, OFFSCREEN, 300, 200, 1);
}

/* Two textures, a storage buffer, an image and an image of a buffer. */
static uint32_t
random_vertex_bindings(struct pass_builder *builder, uint64_t *state)
{
   struct cm_pass *pass = &builder->pass;
   const uint32_t first = pass->num_vertex_bindings;
   pass->num_vertex_bindings += 5;
   for (uint32_t t = first; t < first + 2; t++)
      builder->vertex_bindings[t] =
         (struct cm_texture_binding){.resource = FIRST_TEXTURE + random_below(state, 5),
                                     .repeat_t = random_below(state, 2)};
   builder->vertex_bindings[first + 2] =
      (struct cm_texture_binding){.resource = FIRST_BUFFER + random_below(state, 4),
                                  .buffer_offset = 64,
                                  .is_storage = true};
   builder->vertex_bindings[first + 3] =
      (struct cm_texture_binding){.resource = FIRST_TEXTURE + random_below(state, 5), .is_storage = true};
   builder->vertex_bindings[first + 4] =
      (struct cm_texture_binding){.resource = FIRST_BUFFER + random_below(state, 4),
                                  .texel_bytes = 4,
                                  .is_storage = true};
   return first;
}

static struct cm_vertex_access
random_access(uint32_t invocation, uint32_t first_binding, bool has_storage, uint64_t *state)
{
   const uint32_t number = random_below(state, has_storage ? 5 : 2);
   struct cm_vertex_access access = {.invocation = invocation, .binding = first_binding + number};
   access.type = number < 2 ? CM_VERTEX_TEXTURE : number == 2 ? CM_VERTEX_BUFFER : CM_VERTEX_IMAGE;
   if (number >= 2)
      access.operation = (uint8_t)random_below(state, CM_STORAGE_OPERATIONS);
   if (number == 2) {
      access.bytes = (uint8_t)(4 + 4 * random_below(state, 4));
      access.layer = 4 * random_below(state, 4000);
      return access;
   }
   access.linear = number < 2 && random_below(state, 2);
   access.x = (uint16_t)random_below(state, 64);
   access.y = number == 4 ? 0 : (uint16_t)random_below(state, 200);
   return access;
}

/* Up to three accesses of some vertices, whether the draw fetches them or not, and of some invocations of its other stages. */
static void
random_vertex_accesses(struct pass_builder *builder, bool has_storage, uint64_t state)
{
   const struct cm_draw *draw = &builder->draws[builder->pass.num_draws - 1];
   const uint64_t invocations[CM_PRERASTER_STAGES] = {600, draw->control_invocations,
                                                      draw->evaluation_invocations,
                                                      draw->geometry_invocations};
   const uint32_t first = random_vertex_bindings(builder, &state);
   for (unsigned stage = 0; stage < CM_PRERASTER_STAGES; stage++) {
      for (uint32_t i = 0; i < invocations[stage]; i += 1 + random_below(&state, 40)) {
         for (uint32_t count = random_below(&state, 4); count > 0; count--)
            pass_access(builder, (enum cm_preraster_stage)stage,
                        random_access(i, first, has_storage, &state));
      }
   }
}

/** How often invocations of two stages ran the regions of their shaders. */
static void
random_region_runs(struct pass_builder *builder, uint64_t state)
{
   const uint64_t runs[] = {1 + random_below(&state, 600), random_below(&state, 10000), 0,
                            UINT64_C(1) << random_below(&state, 60)};
   pass_region_runs(builder, CM_PRERASTER_VERTEX, runs, 1 + random_below(&state, 4));
   if (random_below(&state, 2))
      pass_region_runs(builder, CM_PRERASTER_GEOMETRY, runs, 1 + random_below(&state, 4));
}

void
random_descriptors(struct pass_builder *builder, uint64_t state)
{
   for (uint32_t n = random_below(&state, 5); n > 0; n--) {
      const uint32_t set = FIRST_BUFFER + random_below(&state, 9), size = 20 * set;
      const uint32_t first = random_below(&state, size);
      pass_descriptors(builder, (struct cm_descriptors){
                                   .set = set,
                                   .set_size = size,
                                   .first = first,
                                   .count = 1 + random_below(&state, size - first),
                                   .stage = (uint8_t)random_below(&state, CM_SHADER_STAGES),
                                   .parts = (uint8_t)(1 + random_below(&state, 3)),
                                });
   }
}

static void
random_draw(struct pass_builder *builder, uint64_t *state)
{
   struct cm_pass *pass = &builder->pass;
   struct cm_draw *draw = pass_draw(builder);
   draw->vertex_shader =
      (struct cm_shader){1 + random_below(state, 4), random_below(state, 100), random_below(state, 500)};
   draw->fragment_shader =
      (struct cm_shader){1 + random_below(state, 4), random_below(state, 200), random_below(state, 300)};
   draw->num_elements = 1 + random_below(state, 3);
   for (uint32_t e = 0; e < draw->num_elements; e++)
      draw->elements[e] = (struct cm_vertex_element){.buffer = FIRST_BUFFER + random_below(state, 4),
                                                     .offset = random_below(state, 64),
                                                     .stride = random_below(state, 64),
                                                     .bytes = 4 + random_below(state, 12)};
   draw->num_vertices = 3 + random_below(state, 30);
   if (random_below(state, 2)) {
      draw->index_buffer = FIRST_BUFFER;
      draw->index_bytes = 2;
      draw->first_vertex = pass->num_vertices;
      for (uint32_t v = 0; v < draw->num_vertices; v++)
         builder->vertices[pass->num_vertices++] = random_below(state, 600);
   }
   if (random_below(state, 3) == 0) {
      draw->geometry_shader =
         (struct cm_shader){1 + random_below(state, 4), random_below(state, 100), random_below(state, 200)};
      draw->geometry_invocations = random_below(state, draw->num_vertices + 1);
      for (uint32_t s = random_below(state, 4); s > 0; s--)
         pass_feedback(builder, (struct cm_feedback){.buffer = FIRST_BUFFER + random_below(state, 4),
                                                     .offset = random_below(state, 64) * 4,
                                                     .stride = 48,
                                                     .bytes = 4 + random_below(state, 12) * 4,
                                                     .records = random_below(state, 700)});
   }
   if (random_below(state, 4) == 0) {
      draw->control_shader =
         (struct cm_shader){1 + random_below(state, 4), random_below(state, 100), random_below(state, 200)};
      draw->evaluation_shader =
         (struct cm_shader){1 + random_below(state, 4), random_below(state, 100), random_below(state, 200)};
      draw->patches = draw->num_vertices / 3;
      draw->control_invocations = draw->patches * random_below(state, 4);
      draw->evaluation_invocations = draw->patches * random_below(state, 20);
      draw->geometry_invocations =
         draw->geometry_shader.id ? random_below(state, (uint32_t)draw->evaluation_invocations + 1) : 0;
   }
   draw->tests = (struct cm_fragment_tests){.depth_test = random_below(state, 2),
                                            .depth_write = random_below(state, 2),
                                            .late = random_below(state, 2),
                                            .hierarchical = random_below(state, 2),
                                            .color_write = 1,
                                            .color_read = (uint8_t)random_below(state, 2)};
   draw->num_textures = 3;
   draw->textures[0] = (struct cm_texture_binding){.resource = FIRST_TEXTURE + random_below(state, 5),
                                                   .repeat_s = random_below(state, 2)};
   draw->textures[2] =
      (struct cm_texture_binding){.resource = pass->color[0].resource == COLOR ? OFFSCREEN : FIRST_TEXTURE};
   if (*state >> 7 & 1)
      random_vertex_accesses(builder, pass->frame & 1, *state);
   if (*state >> 9 & 1)
      random_region_runs(builder, *state);
   if (*state >> 13 & 1)
      random_descriptors(builder, *state);
}

static void
random_primitive(struct pass_builder *builder, uint64_t *state)
{
   const uint32_t num_tiles = builder->pass.tiles_x * builder->pass.tiles_y;
   uint32_t tiles[16], count = 0;
   uint32_t tile = random_below(state, num_tiles);
   while (count < 16 && tile < num_tiles) {
      tiles[count++] = tile;
      tile += 1 + random_below(state, 7);
      if (random_below(state, 4) == 0)
         break;
   }
   pass_primitive(builder, 1 + random_below(state, 6), tiles, count);
   struct cm_primitive *last = &builder->primitives[builder->pass.num_primitives - 1];
   const bool is_part = builder->pass.num_primitives > 1 && last->draw == last[-1].draw &&
                        last->num_attributes == last[-1].num_attributes;
   last->reach_pixels = is_part ? 1 + (uint16_t)(*state >> 20) % CM_MAX_GUARD_BAND : 0;
   last->reach_percent = is_part ? (uint16_t)(*state >> 30) : 0;
}

/** Two events: of some quads, and of the others. */
static void
random_regions(struct pass_builder *builder, uint32_t tile, uint32_t quads, uint64_t state)
{
   const uint32_t mask = (1u << quads) - 1, first = random_below(&state, mask + 1),
                  count = 1 + random_below(&state, 9);
   uint32_t runs[9];
   for (uint32_t r = 0; r < count; r++)
      runs[r] = random_below(&state, random_below(&state, 40) ? 4 : 100000);
   if (first)
      pass_regions(builder, tile, first, runs, count);
   runs[0] += random_below(&state, 2);
   if (first != mask)
      pass_regions(builder, tile, mask & ~first, runs, count);
}

static void
random_shading(struct pass_builder *builder, uint64_t *state, uint32_t tile)
{
   const uint32_t draw = random_below(state, builder->pass.num_draws);
   const uint32_t quads = 1 + random_below(state, 4);
   pass_shade(builder, tile, draw, quads, (uint8_t)(1 + random_below(state, 15)));
   const uint32_t unit = random_below(state, 2) * 2;
   struct cm_footprint footprints[8];
   const uint32_t count = 1 + random_below(state, 8);
   for (uint32_t i = 0; i < count; i++) {
      struct cm_footprint *f = &footprints[i];
      *f = (struct cm_footprint){.quad = (uint8_t)(i * quads / count), /* ascending */
                                 .live = (uint8_t)random_below(state, 16),
                                 .linear = (uint8_t)random_below(state, 2)};
      for (unsigned q = 0; q < 4; q++) {
         f->texel[q].x = (int16_t)random_below(state, 64);
         f->texel[q].y = (int16_t)random_below(state, 200);
      }
   }
   pass_footprints(builder, tile, unit, footprints, count);
   if (*state >> 8 & 1)
      random_regions(builder, tile, quads, *state);
}

static void
random_surface(struct pass_builder *builder, uint32_t tile, unsigned slot, uint64_t *state)
{
   const struct cm_pass *pass = &builder->pass;
   const uint32_t size = pass->tile_size, x = tile % pass->tiles_x * size, y = tile / pass->tiles_x * size;
   const uint32_t width = pass->width - x < size ? pass->width - x : size;
   const uint32_t height = pass->height - y < size ? pass->height - y : size;
   const uint32_t columns = (width + CM_GROUP_SIZE - 1) / CM_GROUP_SIZE,
                  rows = (height + CM_GROUP_SIZE - 1) / CM_GROUP_SIZE;
   uint8_t *same, *sizes;
   assert_true(cm_tile_content_add(&builder->contents[tile], slot, columns, rows, &same, &sizes));
   for (uint32_t g = 0; g < columns * rows; g++) {
      same[g] = (uint8_t)random_below(state, CM_SAME_AS_FRAME << CM_EARLIER_FRAMES);
      for (unsigned b = 0; b < CM_GROUP_BLOCKS; b++)
         *sizes++ = (uint8_t)(same[g] & 1 ? cm_stored_size(random_below(state, CM_RAW_SIZE + 1)) : 0);
   }
}

void
random_contents(struct pass_builder *builder, uint64_t state)
{
   struct cm_pass *pass = &builder->pass;
   pass->contents = builder->contents;
   for (uint32_t t = 0; t < pass->tiles_x * pass->tiles_y; t++) {
      if (!builder->touched[t])
         continue;
      for (unsigned c = 0; c < pass->num_color; c++) {
         if (pass->color[c].store)
            random_surface(builder, t, c, &state);
      }
      if (pass->depth.resource && pass->depth.store && random_below(&state, 5))
         random_surface(builder, t, CM_SLOT_DEPTH, &state);
      builder->contents[t].same_inputs =
         (uint8_t)(random_below(&state, 1 << CM_EARLIER_FRAMES) * CM_SAME_AS_FRAME);
   }
}

struct pass_builder *
random_pass(uint64_t *state, uint32_t frame)
{
   struct pass_builder *builder = pass_new(frame, 300, 200, 32);
   struct cm_pass *pass = &builder->pass;
   pass_color(builder, random_below(state, 3) ? COLOR : OFFSCREEN, 4);
   pass->color[0].load = random_below(state, 2);
   pass->color[0].clear = !pass->color[0].load && random_below(state, 2);
   pass->depth = (struct cm_attachment){.resource = DEPTH,
                                        .pixel_bytes = 4,
                                        .load = random_below(state, 2),
                                        .store = random_below(state, 2)};
   pass->stencil = pass->depth;
   pass->stencil.pixel_bytes = 0;
   pass->end = (enum cm_end_reason)(pass->frame % CM_END_REASONS);
   pass->end_call = pass->frame * 1000003;

   const uint32_t num_draws = 1 + random_below(state, 10);
   for (uint32_t d = 0; d < num_draws; d++) {
      random_draw(builder, state);
      for (uint32_t n = random_below(state, 60); n > 0; n--)
         random_primitive(builder, state);
   }
   for (uint32_t t = 0; t < pass->tiles_x * pass->tiles_y; t++) {
      for (uint32_t n = random_below(state, 30); builder->touched[t] && n > 0; n--)
         random_shading(builder, state, t);
   }
   if (*state >> 11 & 1)
      random_contents(builder, *state);
   return builder;
}
