/* SPDX-License-Identifier: MIT */
/* The immediate-mode GPU against a plain model of it: random passes, whose every access the model writes down from
 * what was drawn, primitive by primitive and pixel by pixel, without tiles, events or sorting. All streams go
 * to one cache, where an observer sees what comes and in which order. */
#include <stdlib.h>
#include <string.h>

#include "gpu/address_space.h"
#include "memory/cache.h"
#include "support/arrivals.h"
#include "support/full_pass.h"
#include "support/test.h"

#define BLOCK 64

struct access {
   uint64_t address;
   enum cm_stream stream;
   enum cm_access access;
};

struct sequence {
   struct access *list;
   size_t count, capacity;
};

static void
append(struct sequence *sequence, uint64_t address, enum cm_stream stream, enum cm_access access)
{
   if (sequence->count == sequence->capacity) {
      sequence->capacity = sequence->capacity * 2 + 1024;
      sequence->list = realloc(sequence->list, sequence->capacity * sizeof *sequence->list);
      assert_non_null(sequence->list);
   }
   sequence->list[sequence->count++] = (struct access){address / BLOCK * BLOCK, stream, access};
}

static void
observe(void *context, const struct cm_unit_arrival *arrival)
{
   assert_int_equal(arrival->bytes, BLOCK);
   append(context, arrival->address, arrival->stream, arrival->access);
}

/* ---- the model --------------------------------------------------------- */

struct surface {
   const struct cm_attachment *attachment;
   struct cm_resource *resource; /* NULL: none */
   enum cm_stream stream;
   bool rectangles;        /* of pixels are memory's blocks: padding is nobody's */
   uint32_t columns, rows; /* no block goes farther from one of its pixels */
};

struct machine {
   const struct full_model *model;
   struct cm_address_space space;
   struct sequence *out;
   struct surface color[CM_MAX_COLOR_ATTACHMENTS], depth, stencil;
   bool packed;
   uint64_t hiz;
   uint32_t quads_read; /* what the counters must be */
   uint64_t quads, failed, hidden, hiz_tests, hidden_regions;
   /* Blocks that are cleared and were not accessed since, by address / BLOCK; what happened to them. */
   bool is_cleared[1 << 16];
   uint64_t cleared, cleared_reads, cleared_written, cleared_eliminated;
   uint64_t decided; /* blocks of pixels whose depth was not read */
};

static const struct cm_immediate_config *
choices(const struct machine *machine)
{
   return &machine->space.config->immediate;
}

static bool *
cleared_bit(struct machine *machine, uint64_t address)
{
   assert_true(address / BLOCK < sizeof machine->is_cleared);
   return &machine->is_cleared[address / BLOCK];
}

/* A block that is cleared has its value without being read; what is drawn to it makes all of it. */
static void
emit(struct machine *machine, uint64_t address, enum cm_stream stream, enum cm_access access)
{
   bool *bit = cleared_bit(machine, address);
   if (*bit && access == CM_READ) {
      machine->cleared_reads++;
      return;
   }
   append(machine->out, address, stream, *bit ? CM_WRITE_BLOCK : access);
   machine->cleared_written += *bit;
   *bit = false;
}

static void
clear_block(struct machine *machine, uint64_t address, enum cm_stream stream)
{
   bool *bit = cleared_bit(machine, address);
   if (choices(machine)->clears != CM_CLEARS_FAST) {
      append(machine->out, address, stream, CM_WRITE_BLOCK);
      return;
   }
   machine->cleared += !*bit;
   *bit = true;
}

static uint64_t
pixel_address(const struct surface *surface, uint32_t layer, uint32_t x, uint32_t y)
{
   return surface->resource->address +
          cm_texture_offset(surface->resource->layout, 0, surface->attachment->layer + layer, x, y);
}

static bool
is_inside(const struct surface *surface, uint32_t x, uint32_t y)
{
   return x < surface->resource->description.width && y < surface->resource->description.height;
}

/* Chosen pixels of a rectangle. */
struct choice {
   uint32_t x0, y0, width, height;
   const bool *chosen; /* row by row */
};

static bool
is_chosen(const struct choice *choice, uint32_t x, uint32_t y)
{
   const uint32_t column = x - choice->x0, row = y - choice->y0;
   return x >= choice->x0 && y >= choice->y0 && column < choice->width && row < choice->height &&
          choice->chosen[row * choice->width + column];
}

/* How a block that pixel (px, py) has bytes of is accessed. */
struct coverage {
   bool any, whole;
};

static struct coverage
find_coverage(const struct surface *surface, uint32_t layer, uint64_t block, const struct choice *choice,
              uint32_t px, uint32_t py)
{
   const uint32_t bytes = surface->resource->layout->texel_bytes;
   struct coverage coverage = {.whole = true};
   uint64_t overwritten = 0;
   const uint32_t x0 = px < surface->columns ? 0 : px - surface->columns;
   const uint32_t y0 = py < surface->rows ? 0 : py - surface->rows;
   for (uint32_t y = y0; y <= py + surface->rows; y++) {
      for (uint32_t x = x0; x <= px + surface->columns; x++) {
         if (!is_inside(surface, x, y))
            continue;
         const uint64_t first = pixel_address(surface, layer, x, y), end = first + bytes;
         const uint64_t from = first > block ? first : block;
         const uint64_t to = end < block + BLOCK ? end : block + BLOCK;
         if (from >= to)
            continue;
         if (is_chosen(choice, x, y))
            overwritten += to - from;
         else
            coverage.whole = false;
      }
   }
   coverage.any = overwritten != 0;
   if (!surface->rectangles)
      coverage.whole = overwritten == BLOCK;
   return coverage;
}

struct how {
   bool read, write, keep_part, clear, draw;
};

/* Accesses the blocks that have chosen pixels, in the order of the rectangle's pixels. */
static void
access_pixels(struct machine *machine, const struct surface *surface, uint32_t layer, struct choice choice,
              struct how how)
{
   if (!surface->resource || layer > surface->attachment->more_layers)
      return;
   const bool parts = choices(machine)->pixel_writes == CM_PIXEL_WRITES_PARTIAL;
   uint64_t *seen_blocks = malloc((choice.width * choice.height * 8 + 1) * sizeof *seen_blocks);
   size_t num_seen = 0;
   for (uint32_t i = 0; i < choice.width * choice.height; i++) {
      const uint32_t x = choice.x0 + i % choice.width, y = choice.y0 + i / choice.width;
      if (!is_inside(surface, x, y))
         continue;
      const uint64_t first = pixel_address(surface, layer, x, y);
      const uint64_t last = first + surface->resource->layout->texel_bytes - 1;
      for (uint64_t block = first / BLOCK * BLOCK; block <= last; block += BLOCK) {
         bool again = false;
         for (size_t s = 0; s < num_seen; s++)
            again |= seen_blocks[s] == block;
         if (again)
            continue;
         seen_blocks[num_seen++] = block;
         const struct coverage coverage = find_coverage(surface, layer, block, &choice, x, y);
         if (how.read && coverage.any)
            emit(machine, block, surface->stream, CM_READ);
         if (how.clear && coverage.any && coverage.whole)
            clear_block(machine, block, surface->stream);
         else if (how.write && coverage.any)
            emit(machine, block, surface->stream,
                 coverage.whole && !how.keep_part && !(how.draw && parts) ? CM_WRITE_BLOCK : CM_WRITE);
      }
   }
   free(seen_blocks);
}

static const struct how reads = {.read = true}, writes = {.write = true};
static const struct how draws = {.write = true, .draw = true};
static const struct how clears = {.write = true, .clear = true};

static void
bind(struct machine *machine, struct surface *surface, const struct cm_attachment *attachment,
     enum cm_stream stream)
{
   const struct cm_config *config = machine->space.config;
   *surface = (struct surface){.attachment = attachment, .stream = stream};
   struct cm_resource *resource = cm_address_space_use(&machine->space, attachment->resource);
   if (!resource || !attachment->pixel_bytes)
      return;
   surface->resource = resource;
   const uint32_t bytes = resource->layout->texel_bytes;
   const bool linear = config->texture.placement == CM_PLACEMENT_LINEAR;
   surface->columns = linear ? 64 : 16;
   surface->rows = linear ? 1 : 8;
   surface->rectangles = bytes <= BLOCK && !(bytes & (bytes - 1)) && !linear;
   if (attachment == &machine->model->pass.depth || attachment == &machine->model->pass.stencil)
      return;
   if (resource->description.is_displayable)
      surface->stream = CM_STREAM_DISPLAY;
}

/* Addresses are given in the order of first use: attachments, targets of resolves, textures, HiZ, then buffers. */
static void
bind_all(struct machine *machine)
{
   const struct cm_pass *pass = &machine->model->pass;
   for (uint32_t c = 0; c < pass->num_color; c++)
      bind(machine, &machine->color[c], &pass->color[c], CM_STREAM_COLOR);
   bind(machine, &machine->depth, &pass->depth, CM_STREAM_DEPTH);
   bind(machine, &machine->stencil, &pass->stencil, CM_STREAM_STENCIL);
   machine->packed = pass->stencil.resource && !pass->stencil.pixel_bytes;
   for (uint32_t c = 0; c < pass->num_color; c++)
      cm_address_space_use(&machine->space, pass->resolve[c].resource);
   for (uint32_t d = 0; d < machine->model->num_draws; d++) {
      for (uint32_t unit = 0; unit < 2; unit++)
         cm_address_space_use(&machine->space, machine->model->draws[d].textures[unit].resource);
   }
   if (machine->depth.resource)
      machine->hiz = cm_address_space_use_hiz(&machine->space, machine->depth.resource)->address;
}

/* Pixels of a region, regions of a block. */
struct hiz_shape {
   uint32_t width, height, bytes, columns, rows;
};

static struct hiz_shape
hiz_shape(const struct machine *machine)
{
   const struct cm_immediate_config *config = choices(machine);
   struct hiz_shape shape = {8, 8, config->hiz_bytes ? config->hiz_bytes : 4, 1, 1};
   if (config->hiz_samples == CM_HIZ_SAMPLES_EACH && machine->depth.resource)
      shape.bytes *= machine->depth.resource->description.samples;
   if (config->hiz_region != CM_HIZ_REGION_8X8)
      shape.height = 4;
   if (config->hiz_region == CM_HIZ_REGION_4X4)
      shape.width = 4;
   while (shape.columns * shape.rows * shape.bytes < 64) {
      if (shape.columns == shape.rows)
         shape.columns *= 2;
      else
         shape.rows *= 2;
   }
   return shape;
}

/* Regions in blocks of 64 bytes, blocks in rows; layers follow one another. */
static uint64_t
hiz_address(const struct machine *machine, uint32_t layer, uint32_t x, uint32_t y)
{
   const struct cm_resource_description *depth = &machine->depth.resource->description;
   const struct hiz_shape shape = hiz_shape(machine);
   const uint32_t width = shape.width * shape.columns, height = shape.height * shape.rows;
   const uint32_t columns = (depth->width + width - 1) / width, rows = (depth->height + height - 1) / height;
   const uint32_t block = (layer * rows + y / height) * columns + x / width;
   const uint32_t region = y % height / shape.height * shape.columns + x % width / shape.width;
   return machine->hiz + block * 64 + region * shape.bytes;
}

static void
access_hiz(struct machine *machine, uint32_t layer, uint32_t x, uint32_t y, enum cm_access access)
{
   if (!machine->depth.resource || layer > machine->depth.attachment->more_layers)
      return;
   const uint64_t block = hiz_address(machine, layer, x, y) / BLOCK * BLOCK;
   if (access == CM_WRITE_BLOCK)
      clear_block(machine, block, CM_STREAM_HIZ);
   else
      emit(machine, block, CM_STREAM_HIZ, access);
}

static void
run_vertices(struct machine *machine, uint32_t d)
{
   const struct cm_draw *draw = &machine->model->draws[d];
   const struct cm_vertex_element *element = &draw->elements[0];
   const uint64_t buffer = cm_address_space_use(&machine->space, element->buffer)->address;
   for (uint32_t v = 0; v < draw->num_vertices; v++) {
      const uint64_t first = buffer + element->offset + v * element->stride,
                     last = first + element->bytes - 1;
      for (uint64_t block = first / BLOCK; block <= last / BLOCK; block++)
         append(machine->out, block * BLOCK, CM_STREAM_VERTEX, CM_READ);
   }
}

static void
run_program(struct machine *machine, const struct full_quad *quad)
{
   const struct cm_draw *draw = &machine->model->draws[machine->model->primitives[quad->primitive].draw];
   for (unsigned r = 0; r < quad->num_runs; r++) {
      for (unsigned n = 0; n < quad->runs[r].num_reads; n++) {
         const struct cm_footprint *footprint = &quad->runs[r].reads[n].footprint;
         const uint32_t id = draw->textures[quad->runs[r].reads[n].unit].resource;
         const struct cm_resource *texture = cm_address_space_use(&machine->space, id);
         for (unsigned f = 0; f < 4; f++) {
            if (footprint->live >> f & 1)
               append(machine->out,
                      texture->address + cm_texture_offset(texture->layout, 0, 0,
                                                           (uint32_t)footprint->texel[f].x,
                                                           (uint32_t)footprint->texel[f].y),
                      CM_STREAM_TEXTURE, CM_READ);
         }
      }
   }
}

/* The fragments of a block of 4x4 pixels, pixel by pixel. */
struct fragments {
   bool covered[16], live[16], written[16];
};

static void
take_fragments(struct fragments *fragments, const struct full_quad *quad)
{
   for (unsigned f = 0; f < 4; f++) {
      const uint32_t pixel = (quad->y % 2 * 2 + f / 2) * 4 + quad->x % 2 * 2 + f % 2;
      fragments->covered[pixel] = quad->covered >> f & 1;
      for (unsigned r = 0; r < quad->num_runs; r++) {
         fragments->live[pixel] |= quad->runs[r].live >> f & 1;
         fragments->written[pixel] |= quad->runs[r].written >> f & 1;
      }
   }
}

static bool
any(const bool *pixels)
{
   for (unsigned i = 0; i < 16; i++) {
      if (pixels[i])
         return true;
   }
   return false;
}

struct place {
   uint32_t layer, x, y; /* the upper left pixel of a block */
   const struct cm_fragment_tests *tests;
};

static struct choice
of_block(const struct place *at, const bool *pixels)
{
   return (struct choice){at->x, at->y, 4, 4, pixels};
}

static void
compare(struct machine *machine, const struct place *at, const struct fragments *fragments)
{
   bool some = false, all = true;
   for (unsigned i = 0; i < 16; i++) {
      some |= fragments->live[i];
      all &= fragments->live[i] == (fragments->covered[i] || fragments->live[i]);
   }
   const bool decided = choices(machine)->depth_reads == CM_DEPTH_READS_UNDECIDED &&
                        at->tests->hierarchical && !at->tests->stencil_test && !at->tests->late &&
                        (all || !some);
   const bool in_depth = (at->tests->depth_test && !decided) || (at->tests->stencil_test && machine->packed);
   machine->decided += decided && at->tests->depth_test;
   if (at->tests->stencil_test && !machine->packed)
      access_pixels(machine, &machine->stencil, at->layer, of_block(at, fragments->covered), reads);
   if (in_depth)
      access_pixels(machine, &machine->depth, at->layer, of_block(at, fragments->covered), reads);
}

static bool
replace(struct machine *machine, const struct place *at, const struct fragments *fragments)
{
   const bool *passed = at->tests->late ? fragments->written : fragments->live;
   bool pixels[16];
   for (unsigned i = 0; i < 16; i++)
      pixels[i] = (at->tests->stencil_write && machine->packed && fragments->covered[i]) ||
                  (at->tests->depth_write && passed[i]);
   if (at->tests->stencil_write && !machine->packed)
      access_pixels(machine, &machine->stencil, at->layer, of_block(at, fragments->covered), draws);
   access_pixels(machine, &machine->depth, at->layer, of_block(at, pixels),
                 (struct how){.write = true, .keep_part = machine->packed, .draw = true});
   return at->tests->depth_write && any(passed);
}

static void
fetch(struct machine *machine, const struct place *at, const struct fragments *fragments)
{
   if (at->tests->stencil_fetch && !machine->packed)
      access_pixels(machine, &machine->stencil, at->layer, of_block(at, fragments->live), reads);
   if (at->tests->depth_fetch || (at->tests->stencil_fetch && machine->packed))
      access_pixels(machine, &machine->depth, at->layer, of_block(at, fragments->live), reads);
   for (uint32_t c = 0; c < machine->model->pass.num_color; c++) {
      if (at->tests->color_fetch >> c & 1)
         access_pixels(machine, &machine->color[c], at->layer, of_block(at, fragments->live), reads);
   }
}

/* Whether depth was written. */
static bool
run_block(struct machine *machine, const struct place *at, const struct full_quad *const quads[4])
{
   struct fragments fragments = {.covered = {false}};
   bool dropped = false;
   for (unsigned q = 0; q < 4; q++) {
      if (quads[q] && quads[q]->kind != FULL_HIDDEN)
         take_fragments(&fragments, quads[q]);
   }
   for (unsigned i = 0; i < 16; i++)
      dropped |= fragments.covered[i] && !fragments.live[i];
   if (!any(fragments.covered))
      return false;
   bool wrote = false;
   const bool early = !at->tests->late;
   if (early || dropped)
      compare(machine, at, &fragments);
   if (early)
      wrote = replace(machine, at, &fragments);
   fetch(machine, at, &fragments);
   for (unsigned q = 0; q < 4; q++) {
      if (quads[q] && quads[q]->kind == FULL_RUNS)
         run_program(machine, quads[q]);
   }
   if (!early && !dropped)
      compare(machine, at, &fragments);
   if (!early)
      wrote = replace(machine, at, &fragments);
   for (uint32_t c = 0; c < machine->model->pass.num_color; c++) {
      if (at->tests->color_write >> c & 1)
         access_pixels(machine, &machine->color[c], at->layer, of_block(at, fragments.written),
                       (struct how){.read = at->tests->color_read >> c & 1, .write = true, .draw = true});
   }
   return wrote;
}

static const struct full_quad *
find_quad(const struct full_model *model, uint32_t primitive, uint32_t x, uint32_t y)
{
   for (uint32_t q = 0; q < model->num_quads; q++) {
      if (model->quads[q].primitive == primitive && model->quads[q].x == x && model->quads[q].y == y)
         return &model->quads[q];
   }
   return NULL;
}

static void
run_region(struct machine *machine, uint32_t primitive, uint32_t x0, uint32_t y0, uint32_t width,
           uint32_t height)
{
   const struct full_model *model = machine->model;
   struct place at = {.layer = model->primitives[primitive].layer,
                      .tests = &model->draws[model->primitives[primitive].draw].tests};
   const struct full_quad *quads[4][4]; /* by block, by quad */
   bool covered = false, left = false, wrote = false;
   const uint32_t columns = width / 4, num_blocks = columns * height / 4;
   for (uint32_t i = 0; i < 4 * num_blocks; i++) {
      const uint32_t block = i / 4, quad = i % 4;
      const struct full_quad *found = find_quad(model, primitive, x0 / 2 + block % columns * 2 + quad % 2,
                                                y0 / 2 + block / columns * 2 + quad / 2);
      quads[block][quad] = found;
      covered |= found != NULL;
      machine->quads += found != NULL;
      machine->hidden += found && found->kind == FULL_HIDDEN;
      machine->failed +=
         found && (found->kind == FULL_FAILED || (found->kind == FULL_BARE && !found->runs[0].live));
      left |= found && found->kind != FULL_HIDDEN;
   }
   if (!covered)
      return;
   if (at.tests->hierarchical) {
      access_hiz(machine, at.layer, x0, y0, CM_READ);
      machine->hiz_tests++;
      machine->hidden_regions += !left;
   }
   for (uint32_t block = 0; block < num_blocks; block++) {
      at.x = x0 + block % columns * 4;
      at.y = y0 + block / columns * 4;
      wrote |= run_block(machine, &at, quads[block]);
   }
   if (wrote)
      access_hiz(machine, at.layer, x0, y0, CM_WRITE);
}

#define WIDTH 144
#define HEIGHT 86

/* 8x8 pixels, in regions. */
static void
run_regions(struct machine *machine, uint32_t primitive, uint32_t x0, uint32_t y0)
{
   const struct hiz_shape shape = hiz_shape(machine);
   for (uint32_t y = y0; y < y0 + 8; y += shape.height) {
      for (uint32_t x = x0; x < x0 + 8; x += shape.width)
         run_region(machine, primitive, x, y, shape.width, shape.height);
   }
}

static void
run_primitive(struct machine *machine, uint32_t primitive)
{
   for (uint32_t area_y = 0; area_y < HEIGHT; area_y += 32) {
      for (uint32_t area_x = 0; area_x < WIDTH; area_x += 32) {
         for (uint32_t region = 0; region < 16; region++)
            run_regions(machine, primitive, area_x + region % 4 * 8, area_y + region / 4 * 8);
      }
   }
}

/* ---- clears and resolves ----------------------------------------------- */

static uint32_t
smaller(uint32_t a, uint32_t b)
{
   return a < b ? a : b;
}

static bool all_chosen[64 * 64];

static void
clear(struct machine *machine, const struct surface *surface, bool hiz, bool keep_part)
{
   for (uint32_t layer = 0; surface->resource && layer < machine->model->layers; layer++) {
      for (uint32_t y = 0; y < HEIGHT; y += 64) {
         for (uint32_t x = 0; x < WIDTH; x += 64) {
            const struct choice all = {x, y, smaller(64, WIDTH - x), smaller(64, HEIGHT - y), all_chosen};
            if (keep_part)
               access_pixels(machine, surface, layer, all, reads);
            access_pixels(machine, surface, layer, all, keep_part ? writes : clears);
         }
      }
      if (!hiz || layer > surface->attachment->more_layers)
         continue;
      const struct hiz_shape shape = hiz_shape(machine);
      const uint32_t width = shape.width * shape.columns, height = shape.height * shape.rows;
      for (uint32_t area_y = 0; area_y < HEIGHT; area_y += 64) {
         for (uint32_t area_x = 0; area_x < WIDTH; area_x += 64) {
            for (uint32_t y = area_y; y < smaller(area_y + 64, HEIGHT); y += height) {
               for (uint32_t x = area_x; x < smaller(area_x + 64, WIDTH); x += width)
                  access_hiz(machine, layer, x, y, CM_WRITE_BLOCK);
            }
         }
      }
   }
}

static void
resolve(struct machine *machine, uint32_t c)
{
   const struct cm_resolve *resolve = &machine->model->pass.resolve[c];
   const struct cm_attachment to = {.resource = resolve->resource, .pixel_bytes = 4};
   struct surface target;
   if (!resolve->resource)
      return;
   bind(machine, &target, &to, CM_STREAM_COLOR);
   for (uint32_t area_y = 0; area_y < HEIGHT; area_y += 64) {
      for (uint32_t area_x = 0; area_x < WIDTH; area_x += 64) {
         const uint32_t x0 = area_x > resolve->x0 ? area_x : resolve->x0;
         const uint32_t y0 = area_y > resolve->y0 ? area_y : resolve->y0;
         const uint32_t x1 = smaller(area_x + 64, resolve->x1), y1 = smaller(area_y + 64, resolve->y1);
         if (x0 >= x1 || y0 >= y1)
            continue;
         const uint32_t row = resolve->flip_y ? resolve->y1 - y1 : y0 - resolve->y0;
         const struct choice from = {x0, y0, x1 - x0, y1 - y0, all_chosen};
         const struct choice into = {x0 - resolve->x0, row, x1 - x0, y1 - y0, all_chosen};
         access_pixels(machine, &machine->color[c], 0, from, reads);
         access_pixels(machine, &target, 0, into, writes);
      }
   }
}

/* What is displayed has to be in memory. */
static void
display(struct machine *machine, const struct surface *surface)
{
   if (!surface->resource || !surface->resource->description.is_displayable)
      return;
   const uint64_t end = surface->resource->address + surface->resource->bytes;
   for (uint64_t block = surface->resource->address; block < end; block += BLOCK) {
      bool *bit = cleared_bit(machine, block);
      if (*bit)
         append(machine->out, block, surface->stream, CM_WRITE_BLOCK);
      machine->cleared_eliminated += *bit;
      *bit = false;
   }
}

static void
run_model(struct machine *machine)
{
   const struct full_model *model = machine->model;
   const struct cm_pass *pass = &model->pass;
   uint32_t primitive = 0;
   memset(all_chosen, 1, sizeof all_chosen);
   bind_all(machine);
   if (machine->packed && (pass->depth.clear || pass->stencil.clear))
      clear(machine, &machine->depth, pass->depth.clear, pass->depth.load || pass->stencil.load);
   if (!machine->packed && pass->depth.clear)
      clear(machine, &machine->depth, true, false);
   if (!machine->packed && pass->stencil.clear)
      clear(machine, &machine->stencil, false, false);
   for (uint32_t c = 0; c < pass->num_color; c++) {
      if (pass->color[c].clear)
         clear(machine, &machine->color[c], false, false);
   }
   for (uint32_t d = 0; d < model->num_draws; d++) {
      run_vertices(machine, d);
      for (; primitive < model->num_primitives && model->primitives[primitive].draw == d; primitive++)
         run_primitive(machine, primitive);
   }
   for (uint32_t c = 0; c < pass->num_color; c++)
      resolve(machine, c);
   for (uint32_t c = 0; c < pass->num_color; c++)
      display(machine, &machine->color[c]);
}

/* ---- the comparison ---------------------------------------------------- */

static void
assert_same(const struct sequence *found, const struct sequence *expected, uint64_t seed)
{
   for (size_t i = 0; i < found->count && i < expected->count; i++) {
      const struct access *a = &found->list[i], *b = &expected->list[i];
      if (a->address != b->address || a->stream != b->stream || a->access != b->access)
         fail_msg("pass %llu, access %zu: %s %d at %llx, expected %s %d at %llx", (unsigned long long)seed, i,
                  cm_stream_names[a->stream], a->access, (unsigned long long)a->address,
                  cm_stream_names[b->stream], b->access, (unsigned long long)b->address);
   }
   assert_int_equal(found->count, expected->count);
}

static void
run_gpu(const struct cm_config *config, const struct full_model *model, uint32_t tile_size, uint64_t seed,
        struct sequence *sequence, const struct machine *machine)
{
   struct test_arrivals arrivals = {.access = observe, .context = sequence};
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
   assert_non_null(gpu);
   test_read_arrivals(gpu, CM_UNIT_LLC, &arrivals);
   define_full_resources(gpu);
   struct pass_builder *pass = full_pass(model, tile_size, seed);
   pass_run_and_free(pass, gpu);
   expect_counters(gpu, {"rasterizer.primitives", model->num_primitives},
                   {"rasterizer.quads", machine->quads}, {"rasterizer.failed_quads", machine->failed},
                   {"rasterizer.hidden_quads", machine->hidden}, {"rasterizer.hiz_tests", machine->hiz_tests},
                   {"rasterizer.hidden_regions", machine->hidden_regions}, {"tiling_engine.tiles", 0});
   if (choices(machine)->clears == CM_CLEARS_FAST)
      expect_counters(gpu, {"fast_clear.blocks", machine->cleared},
                      {"fast_clear.reads", machine->cleared_reads},
                      {"fast_clear.written", machine->cleared_written},
                      {"fast_clear.eliminated", machine->cleared_eliminated});
   cm_gpu_destroy(gpu);
}

/* Kinds of accesses that were seen: or nothing was tested. */
static uint64_t seen[CM_STREAM_COUNT][3];
static uint64_t seen_clears[4], seen_decided;

static void
compare_pass(const struct cm_config *config, uint64_t seed)
{
   struct full_model *model = full_model(seed);
   struct sequence expected = {0};
   static struct machine machine;
   machine = (struct machine){.model = model, .out = &expected};
   cm_address_space_init(&machine.space, config);
   for (uint32_t id = 1; id < FULL_NUM_RESOURCES; id++) {
      const struct cm_resource_description resource = full_resource(id);
      assert_true(cm_address_space_define(&machine.space, &resource));
   }
   run_model(&machine);
   for (size_t i = 0; i < expected.count; i++)
      seen[expected.list[i].stream][expected.list[i].access]++;
   const uint64_t clears_seen[] = {machine.cleared, machine.cleared_reads, machine.cleared_written,
                                   machine.cleared_eliminated};
   for (unsigned i = 0; i < 4; i++)
      seen_clears[i] += clears_seen[i];
   seen_decided += machine.decided;
   for (uint32_t tile_size = 8; tile_size <= 64; tile_size *= 2) {
      struct sequence found = {0};
      run_gpu(config, model, tile_size, seed + tile_size, &found, &machine);
      assert_same(&found, &expected, seed);
      free(found.list);
   }
   cm_address_space_finish(&machine.space);
   free(expected.list);
   full_model_free(model);
}

static void
compare_passes(const char *const *settings, uint64_t seed, unsigned passes)
{
   struct cm_config *config = test_config_of("imr-8m", settings);
   for (unsigned p = 0; p < passes; p++)
      compare_pass(config, seed + p);
   cm_config_destroy(config);
}

#define ONE_CACHE                                                                         \
   "streams.vertex=llc", "streams.texture=llc", "streams.color=llc", "streams.depth=llc", \
      "streams.stencil=llc", "streams.hiz=llc", "streams.display=llc"

TEST(against_reference)
{
   static const char *const tiles[] = {ONE_CACHE, NULL};
   static const char *const orders[] = {ONE_CACHE, "tile.order=hilbert",
                                        "fragment_stage.scheduler=least-work", NULL};
   static const char *const morton[] = {ONE_CACHE, "texture.placement=morton-4k",
                                        "texture.first_level_tile=0", "texture.second_level_tile=0", NULL};
   static const char *const linear[] = {ONE_CACHE,
                                        "texture.placement=linear",
                                        "texture.first_level_tile=0",
                                        "texture.second_level_tile=0",
                                        "texture.row_alignment=64",
                                        NULL};
   memset(seen, 0, sizeof seen);
   compare_passes(tiles, 1, test_rounds(24));
   compare_passes(orders, 100, test_rounds(4));
   compare_passes(morton, 200, test_rounds(8));
   compare_passes(linear, 300, test_rounds(8));
   for (enum cm_stream s = CM_STREAM_COLOR; s <= CM_STREAM_STENCIL; s++)
      assert_true(seen[s][CM_READ] > 100 && seen[s][CM_WRITE] > 100 && seen[s][CM_WRITE_BLOCK] > 100);
   assert_true(seen[CM_STREAM_DISPLAY][CM_READ] > 100 && seen[CM_STREAM_DISPLAY][CM_WRITE] > 100);
   assert_true(seen[CM_STREAM_HIZ][CM_READ] > 100 && seen[CM_STREAM_HIZ][CM_WRITE] > 100);
   assert_true(seen[CM_STREAM_TEXTURE][CM_READ] > 100 && seen[CM_STREAM_VERTEX][CM_READ] > 100);
}

/* What the paper leaves open. */
TEST(choices)
{
   static const char *const fast[] = {ONE_CACHE, "immediate.clears=fast", NULL};
   static const char *const fast_linear[] = {ONE_CACHE,
                                             "immediate.clears=fast",
                                             "texture.placement=linear",
                                             "texture.first_level_tile=0",
                                             "texture.second_level_tile=0",
                                             "texture.row_alignment=64",
                                             NULL};
   static const char *const rows[] = {ONE_CACHE, "immediate.hiz_region=8x4",
                                      "immediate.depth_reads=undecided", NULL};
   static const char *const blocks[] = {ONE_CACHE, "immediate.hiz_region=4x4", "immediate.clears=fast", NULL};
   static const char *const bounds[] = {ONE_CACHE, "immediate.hiz_region=8x4", "immediate.hiz_bytes=16",
                                        "immediate.hiz_samples=each", NULL};
   static const char *const fast_bounds[] = {ONE_CACHE, "immediate.hiz_bytes=8", "immediate.hiz_samples=each",
                                             "immediate.clears=fast", NULL};
   static const char *const parts[] = {ONE_CACHE, "immediate.pixel_writes=partial", NULL};
   static const char *const fast_parts[] = {ONE_CACHE, "immediate.pixel_writes=partial",
                                            "immediate.clears=fast", NULL};
   memset(seen, 0, sizeof seen);
   compare_passes(parts, 600, test_rounds(8));
   /* Whole blocks are those of clears, and of resolves. */
   assert_true(seen[CM_STREAM_COLOR][CM_WRITE] > 100 && seen[CM_STREAM_COLOR][CM_WRITE_BLOCK] > 100);
   compare_passes(fast_parts, 700, test_rounds(8));
   memset(seen_clears, 0, sizeof seen_clears);
   seen_decided = 0;
   compare_passes(fast, 1, test_rounds(16));
   compare_passes(fast_linear, 300, test_rounds(8));
   /* Few tests are undecided: all passes. */
   compare_passes(rows, 400, 8);
   compare_passes(blocks, 500, test_rounds(8));
   compare_passes(bounds, 800, test_rounds(8));
   compare_passes(fast_bounds, 900, test_rounds(8));
   for (unsigned i = 0; i < 4; i++)
      assert_true(seen_clears[i] > 100);
   assert_true(seen_decided > 100);
}
