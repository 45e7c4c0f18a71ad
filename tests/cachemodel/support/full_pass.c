/* SPDX-License-Identifier: MIT */
#include "full_pass.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

#define WIDTH 144 /* a multiple of 16: linear rows of 4 bytes per pixel have no padding */
#define HEIGHT 86
#define MAX_QUADS 40000

struct cm_resource_description
full_resource(uint32_t id)
{
   struct cm_resource_description resource = describe_texture(WIDTH, HEIGHT, 1, 4);
   resource.id = id;
   resource.layers = FULL_LAYERS;
   switch ((enum full_resource)id) {
   case FULL_BUFFER:
      resource.is_buffer = true;
      resource.width = 4096;
      break;
   case FULL_WINDOW: resource.is_displayable = true; break;
   case FULL_WIDE: resource.block_bytes = 8; break;
   case FULL_SAMPLES: resource.samples = 4; break;
   case FULL_ODD: resource.block_bytes = 6; break;
   case FULL_SMALL_DEPTH:
      resource.block_bytes = 2;
      resource.samples = 4;
      break;
   case FULL_STENCIL: resource.block_bytes = 1; break;
   default: break;
   }
   return resource;
}

void
define_full_resources(struct cm_gpu *gpu)
{
   for (uint32_t id = 1; id < FULL_NUM_RESOURCES; id++) {
      const struct cm_resource_description resource = full_resource(id);
      cm_gpu_define_resource(gpu, &resource);
   }
}

/* ---- what is drawn ----------------------------------------------------- */

static void
random_attachments(struct full_model *model, uint64_t *state)
{
   static const uint8_t pixel_bytes[FULL_NUM_RESOURCES] = {
      [FULL_COLOR] = 4, [FULL_WINDOW] = 4, [FULL_WIDE] = 8,        [FULL_SAMPLES] = 4,
      [FULL_ODD] = 6,   [FULL_DEPTH] = 4,  [FULL_SMALL_DEPTH] = 2, [FULL_STENCIL] = 1,
   };
   struct cm_pass *pass = &model->pass;
   const uint8_t more_layers = (uint8_t)(model->layers - 1);
   pass->num_color = random_below(state, 4);
   for (uint32_t c = 0; c < pass->num_color; c++) {
      const uint32_t id = FULL_COLOR + (c + random_below(state, 2) * 2) % 5;
      pass->color[c] = (struct cm_attachment){.resource = id,
                                              .pixel_bytes = pixel_bytes[id],
                                              .more_layers = more_layers,
                                              .clear = id != FULL_ODD && random_below(state, 2)};
      if (id == FULL_SAMPLES && random_below(state, 2))
         pass->resolve[c] = (struct cm_resolve){.resource = FULL_WINDOW,
                                                .x0 = random_below(state, 20),
                                                .y0 = random_below(state, 20),
                                                .x1 = WIDTH,
                                                .y1 = HEIGHT - random_below(state, 20),
                                                .flip_y = random_below(state, 2)};
   }
   const uint32_t depth = random_below(state, 5);
   if (depth) {
      const uint32_t id = depth < 3 ? FULL_DEPTH : FULL_SMALL_DEPTH;
      pass->depth = (struct cm_attachment){.resource = id,
                                           .pixel_bytes = pixel_bytes[id],
                                           .more_layers = more_layers && random_below(state, 2),
                                           .clear = random_below(state, 2)};
      pass->depth.load = !pass->depth.clear && random_below(state, 2);
   }
   if (depth == 1) {
      pass->stencil = pass->depth;
      pass->stencil.pixel_bytes = 0;
      pass->stencil.clear = random_below(state, 2);
      pass->stencil.load = !pass->stencil.clear && random_below(state, 2);
   } else if (random_below(state, 2)) {
      pass->stencil = (struct cm_attachment){.resource = FULL_STENCIL,
                                             .pixel_bytes = 1,
                                             .more_layers = more_layers,
                                             .clear = random_below(state, 2)};
   }
}

static void
random_draw(struct full_model *model, uint64_t *state)
{
   struct cm_draw *draw = &model->draws[model->num_draws++];
   *draw =
      (struct cm_draw){.num_elements = 1, .num_vertices = 3 + random_below(state, 20), .num_textures = 2};
   draw->elements[0] = (struct cm_vertex_element){.buffer = FULL_BUFFER,
                                                  .offset = random_below(state, 100),
                                                  .stride = 20,
                                                  .bytes = 12};
   for (uint32_t unit = 0; unit < 2; unit++)
      draw->textures[unit] = (struct cm_texture_binding){.resource = FULL_TEXTURES + random_below(state, 2)};
   draw->tests = (struct cm_fragment_tests){
      .depth_test = random_below(state, 4) != 0,
      .depth_write = random_below(state, 2),
      .stencil_test = random_below(state, 3) == 0,
      .late = random_below(state, 2),
      .hierarchical = random_below(state, 2),
      .color_write = (uint8_t)random_below(state, 8),
   };
   draw->tests.stencil_write = draw->tests.stencil_test && random_below(state, 2);
   draw->tests.color_read = draw->tests.color_write & random_below(state, 8);
   draw->tests.color_fetch = random_below(state, 4) == 0 ? (uint8_t)random_below(state, 8) : 0;
   draw->tests.depth_fetch = random_below(state, 8) == 0;
   draw->tests.stencil_fetch = random_below(state, 8) == 0;
}

static void
random_run(struct full_quad *quad, uint64_t *state)
{
   const unsigned r = quad->num_runs++;
   quad->runs[r].live = quad->covered & (uint8_t)random_below(state, 16);
   if (r == 0 && !quad->runs[r].live)
      quad->runs[r].live = quad->covered;
   quad->runs[r].written =
      quad->runs[r].live & (uint8_t)(random_below(state, 3) ? 15 : random_below(state, 16));
   if (quad->kind != FULL_RUNS || !quad->runs[r].live)
      return;
   quad->runs[r].num_reads = random_below(state, FULL_MAX_READS + 1);
   for (unsigned i = 0; i < quad->runs[r].num_reads; i++) {
      struct cm_footprint *footprint = &quad->runs[r].reads[i].footprint;
      quad->runs[r].reads[i].unit = random_below(state, 2);
      *footprint = (struct cm_footprint){.live = quad->runs[r].live};
      for (unsigned f = 0; f < 4; f++) {
         footprint->texel[f].x = (int16_t)(quad->x + f % 2);
         footprint->texel[f].y = (int16_t)((quad->y + f / 2 + 7 * i) % HEIGHT);
      }
   }
}

static void
random_quad(struct full_model *model, uint64_t *state, uint32_t draw, uint32_t x, uint32_t y, bool opaque)
{
   const struct cm_fragment_tests *tests = &model->draws[draw].tests;
   assert_true(model->num_quads < MAX_QUADS);
   struct full_quad *quad = &model->quads[model->num_quads++];
   *quad = (struct full_quad){.primitive = model->num_primitives,
                              .x = x,
                              .y = y,
                              .kind = FULL_RUNS,
                              .covered = (uint8_t)(opaque ? 15 : 1 + random_below(state, 15))};
   const uint32_t chance = random_below(state, 8);
   if (draw % 4 == 3)
      quad->kind = FULL_BARE;
   else if (chance == 0 && !opaque)
      quad->kind = FULL_FAILED;
   if (chance > 5 && tests->hierarchical)
      quad->kind = FULL_HIDDEN;
   if (quad->kind >= FULL_BARE)
      random_run(quad, state);
   if (quad->kind == FULL_RUNS && draw % 4 == 2)
      random_run(quad, state);
}

static void
random_primitive(struct full_model *model, uint64_t *state, uint32_t draw)
{
   const uint32_t columns = WIDTH / 2, rows = HEIGHT / 2;
   const uint32_t x0 = random_below(state, columns), y0 = random_below(state, rows);
   const uint32_t size = random_below(state, 5) ? 8 : 60; /* few are large */
   const uint32_t x1 = x0 + 1 + random_below(state, size), y1 = y0 + 1 + random_below(state, size);
   const bool opaque = random_below(state, 2);
   const uint32_t first = model->num_quads;
   model->primitives[model->num_primitives].draw = draw;
   model->primitives[model->num_primitives].layer = random_below(state, model->layers);
   for (uint32_t y = y0; y < y1 && y < rows; y++) {
      for (uint32_t x = x0; x < x1 && x < columns; x++) {
         if (opaque || random_below(state, 4))
            random_quad(model, state, draw, x, y, opaque);
      }
   }
   model->num_primitives += model->num_quads > first;
}

struct full_model *
full_model(uint64_t seed)
{
   uint64_t state = seed;
   struct full_model *model = calloc(1, sizeof *model);
   model->quads = calloc(MAX_QUADS, sizeof *model->quads);
   model->layers = 1 + (random_below(&state, 4) == 0);
   random_attachments(model, &state);
   const uint32_t draws = 1 + random_below(&state, 10);
   for (uint32_t d = 0; d < draws; d++) {
      random_draw(model, &state);
      for (uint32_t n = random_below(&state, 8); n > 0; n--)
         random_primitive(model, &state, d);
   }
   return model;
}

void
full_model_free(struct full_model *model)
{
   free(model->quads);
   free(model);
}

/* ---- as tiles ---------------------------------------------------------- */

/* Quads that are yet to be written, of one draw. */
struct pending {
   const struct full_quad *quads[4];
   uint32_t count;
};

struct writer {
   struct pass_builder *builder;
   const struct full_model *model;
   uint64_t *state;
   uint32_t tile, draw;
   struct pending running, hidden, unshaded;
};

static struct cm_quad
quad_of(const struct writer *writer, const struct full_quad *quad, unsigned run)
{
   const uint32_t quads_a_tile = writer->builder->pass.tile_size / 2;
   const bool has_run = run < quad->num_runs;
   return (struct cm_quad){
      .primitive = quad->primitive,
      .x = (uint8_t)(quad->x % quads_a_tile),
      .y = (uint8_t)(quad->y % quads_a_tile),
      .covered = quad->covered & 15,
      .live = (has_run ? quad->runs[run].live : 0) & 15,
      .visible = (has_run ? quad->runs[run].live : 0) & 15,
      .written = (has_run ? quad->runs[run].written : 0) & 15,
   };
}

static void
write_event(struct writer *writer, const struct pending *pending, uint32_t word, unsigned run)
{
   struct cm_quad quads[4];
   for (uint32_t q = 0; q < pending->count; q++)
      quads[q] = quad_of(writer, pending->quads[q], run);
   const uint32_t words[2] = {word | pending->count << 8, writer->draw};
   pass_words(writer->builder, writer->tile, words, 2);
   pass_words(writer->builder, writer->tile, quads, pending->count * CM_QUAD_WORDS);
}

/* The n-th read of each quad, unit by unit. */
static void
write_footprints(struct writer *writer, const struct pending *pending, unsigned run, unsigned n)
{
   for (uint32_t unit = 0; unit < 2; unit++) {
      struct cm_footprint footprints[4];
      uint32_t count = 0;
      for (uint32_t q = 0; q < pending->count; q++) {
         const struct full_quad *quad = pending->quads[q];
         if (run >= quad->num_runs || n >= quad->runs[run].num_reads || quad->runs[run].reads[n].unit != unit)
            continue;
         footprints[count] = quad->runs[run].reads[n].footprint;
         footprints[count++].quad = (uint8_t)q;
      }
      if (count)
         pass_footprints(writer->builder, writer->tile, unit, footprints, count);
   }
}

static void
write_group(struct writer *writer)
{
   struct pending *pending = &writer->running;
   unsigned runs = 0;
   for (uint32_t q = 0; q < pending->count; q++)
      runs = pending->quads[q]->num_runs > runs ? pending->quads[q]->num_runs : runs;
   for (unsigned run = 0; run < runs; run++) {
      const uint32_t flags =
         (run ? CM_SHADE_CONTINUES : 0) | (runs > 1 ? (1 + run) << CM_SHADE_SAMPLE_SHIFT : 0);
      write_event(writer, pending, CM_EVENT_SHADE | flags, run);
      for (unsigned n = 0; n < FULL_MAX_READS; n++)
         write_footprints(writer, pending, run, n);
   }
   pending->count = 0;
}

static void
write_unshaded(struct writer *writer, struct pending *pending, uint32_t flags)
{
   if (pending->count)
      write_event(writer, pending, CM_EVENT_UNSHADED | flags, 0);
   pending->count = 0;
}

static void
write_all(struct writer *writer)
{
   write_group(writer);
   write_unshaded(writer, &writer->hidden, CM_UNSHADED_HIDDEN);
   write_unshaded(writer, &writer->unshaded, 0);
}

static void
write_quad(struct writer *writer, const struct full_quad *quad)
{
   const uint32_t draw = writer->model->primitives[quad->primitive].draw;
   if (draw != writer->draw)
      write_all(writer);
   writer->draw = draw;
   struct pending *pending = quad->kind == FULL_RUNS     ? &writer->running
                             : quad->kind == FULL_HIDDEN ? &writer->hidden
                                                         : &writer->unshaded;
   pending->quads[pending->count++] = quad;
   if (pending->count < 4 && random_below(writer->state, 6))
      return;
   if (quad->kind == FULL_RUNS)
      write_group(writer);
   else
      write_unshaded(writer, pending, quad->kind == FULL_HIDDEN ? CM_UNSHADED_HIDDEN : 0);
}

/* Tiles of a quad: its number in the pass. */
static uint32_t
tile_of(const struct full_model *model, const struct cm_pass *pass, const struct full_quad *quad)
{
   const uint32_t quads_a_tile = pass->tile_size / 2;
   const uint32_t row =
      model->primitives[quad->primitive].layer * pass->layer_tiles_y + quad->y / quads_a_tile;
   return row * pass->tiles_x + quad->x / quads_a_tile;
}

static void
add_primitives(struct pass_builder *builder, const struct full_model *model)
{
   const uint32_t num_tiles = builder->pass.tiles_x * builder->pass.tiles_y;
   uint32_t draw = 0, q = 0;
   for (uint32_t p = 0; p < model->num_primitives; p++) {
      bool covers[1024] = {false};
      uint32_t tiles[1024], count = 0;
      for (; q < model->num_quads && model->quads[q].primitive == p; q++)
         covers[tile_of(model, &builder->pass, &model->quads[q])] = true;
      for (uint32_t t = 0; t < num_tiles; t++) {
         if (covers[t])
            tiles[count++] = t;
      }
      for (; draw <= model->primitives[p].draw; draw++)
         *pass_draw(builder) = model->draws[draw];
      pass_primitive(builder, 1, tiles, count);
   }
   for (; draw < model->num_draws; draw++)
      *pass_draw(builder) = model->draws[draw];
}

struct pass_builder *
full_pass(const struct full_model *model, uint32_t tile_size, uint64_t seed)
{
   const uint32_t rows = (HEIGHT + tile_size - 1) / tile_size;
   struct pass_builder *builder = pass_new(0, WIDTH, rows * tile_size * model->layers, tile_size);
   struct cm_pass *pass = &builder->pass;
   pass->kind = CM_PASS_FULL;
   pass->height = HEIGHT;
   pass->layer_tiles_y = rows;
   pass->num_color = model->pass.num_color;
   memcpy(pass->color, model->pass.color, sizeof pass->color);
   memcpy(pass->resolve, model->pass.resolve, sizeof pass->resolve);
   pass->depth = model->pass.depth;
   pass->stencil = model->pass.stencil;
   add_primitives(builder, model);
   for (uint32_t t = 0; t < pass->tiles_x * pass->tiles_y; t++) {
      struct writer writer = {.builder = builder, .model = model, .state = &seed, .tile = t};
      builder->touched[t] = true;
      for (uint32_t q = 0; q < model->num_quads; q++) {
         if (tile_of(model, pass, &model->quads[q]) == t)
            write_quad(&writer, &model->quads[q]);
      }
      write_all(&writer);
   }
   return builder;
}
