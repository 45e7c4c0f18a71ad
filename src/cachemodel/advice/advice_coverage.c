/* SPDX-License-Identifier: MIT */
/* Needless loads: which pixels of a tile are drawn over before they are read. */
#include <string.h>

#include "advice/advice_internal.h"
#include "util/array.h"
#include "util/minmax.h"

/* A tile, pixel by pixel: bit s of a pixel says that attachment s has been drawn over there. */
struct coverage {
   const struct cm_pass *pass;
   uint16_t *pixels; /* tile_size × tile_size */
   uint16_t loads;   /* attachments that are loaded, and not known to be needed */
};

/* The attachments that a draw's fragments read, and that they write. */
static void
accesses(const struct cm_fragment_tests *tests, uint16_t *reads, uint16_t *writes)
{
   *reads = tests->color_read | tests->color_fetch;
   *writes = tests->color_write;
   *reads |= (uint16_t)((tests->depth_test || tests->depth_fetch) << CM_SLOT_DEPTH);
   *reads |= (uint16_t)((tests->stencil_test || tests->stencil_fetch) << CM_SLOT_STENCIL);
   *writes |= (uint16_t)(tests->depth_write << CM_SLOT_DEPTH | tests->stencil_write << CM_SLOT_STENCIL);
}

/* Quads of a draw. shaded: they run; else `covered` have been tested, `live` of them passed. */
static void
draw_over(struct coverage *coverage, const uint32_t *event, bool shaded)
{
   const struct cm_pass *pass = coverage->pass;
   const struct cm_quad *quads = (const struct cm_quad *)(event + 2);
   uint16_t reads, writes;
   accesses(&pass->draws[event[1]].tests, &reads, &writes);
   for (uint32_t q = 0; q < cm_event_count(*event); q++) {
      const struct cm_quad *quad = &quads[q];
      const unsigned written = shaded ? quad->written : quad->live, tested = quad->covered | quad->live;
      for (unsigned f = 0; f < 4; f++) {
         const uint32_t x = quad->x * 2u + (f & 1), y = quad->y * 2u + (f >> 1);
         if (x >= pass->tile_size || y >= pass->tile_size)
            continue;
         uint16_t *pixel = &coverage->pixels[y * pass->tile_size + x];
         if (tested >> f & 1)
            coverage->loads &= (uint16_t)~(reads & ~*pixel);
         if (written >> f & 1)
            *pixel |= writes;
      }
   }
}

/* Attachments, of those loaded and stored, with a pixel in the tile that is not drawn over. */
static void
check_remains(struct coverage *coverage, uint32_t tile, uint16_t stores)
{
   const struct cm_pass *pass = coverage->pass;
   const uint32_t x0 = tile % pass->tiles_x * pass->tile_size;
   const uint32_t y0 = tile / pass->tiles_x % pass->layer_tiles_y * pass->tile_size;
   const uint32_t width = cm_min(pass->tile_size, pass->width - cm_min(x0, pass->width));
   const uint32_t height = cm_min(pass->tile_size, pass->height - cm_min(y0, pass->height));
   for (uint32_t y = 0; y < height; y++) {
      for (uint32_t x = 0; x < width; x++)
         coverage->loads &= (uint16_t)~(stores & ~coverage->pixels[y * pass->tile_size + x]);
   }
}

static void
look_at_tile(struct coverage *coverage, uint32_t tile, uint16_t stores)
{
   const struct cm_tile_events *events = &coverage->pass->tiles[tile];
   const uint32_t *word = events->words, *end = word + events->num_words;
   memset(coverage->pixels, 0,
          (size_t)coverage->pass->tile_size * coverage->pass->tile_size * sizeof *coverage->pixels);
   for (; word < end && coverage->loads; word = cm_event_next(word)) {
      if (cm_event_type(*word) == CM_EVENT_SHADE || cm_event_type(*word) == CM_EVENT_UNSHADED)
         draw_over(coverage, word, cm_event_type(*word) == CM_EVENT_SHADE);
   }
   check_remains(coverage, tile, stores);
}

bool
cm_advice_unneeded_loads(struct cm_advice *advice, const struct cm_pass *pass, uint16_t *unneeded)
{
   struct coverage coverage = {.pass = pass};
   uint16_t stores = 0;
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      const struct cm_attachment *attachment = cm_pass_attachment(pass, slot);
      const struct cm_resource_seen *seen = cm_advice_seen(advice, attachment->resource);
      /* A fragment may cover only one of several samples. */
      if (attachment->load && attachment->pixel_bytes && seen && seen->description.samples == 1)
         coverage.loads |= (uint16_t)(1 << slot);
      if (attachment->store)
         stores |= (uint16_t)(1 << slot);
   }
   /* A stencil buffer in the depth buffer's memory is loaded with it. */
   const bool shared = pass->stencil.resource && !pass->stencil.pixel_bytes;
   if (shared)
      coverage.loads &= (uint16_t)~(1 << CM_SLOT_DEPTH);
   /* Without hidden fragments, tests that fail have no events. */
   for (uint32_t n = 0; n < pass->num_draws && pass->kind != CM_PASS_FULL; n++) {
      uint16_t reads, writes;
      accesses(&pass->draws[n].tests, &reads, &writes);
      coverage.loads &= (uint16_t)~(reads & (1 << CM_SLOT_DEPTH | 1 << CM_SLOT_STENCIL));
   }
   *unneeded = 0;
   if (!coverage.loads)
      return true;
   bool touched = false;
   if (!cm_array_reserve(&advice->covered, (size_t)pass->tile_size * pass->tile_size, sizeof(uint16_t)))
      return false;
   coverage.pixels = advice->covered.data;
   for (uint32_t t = 0; t < pass->tiles_x * pass->tiles_y && coverage.loads; t++) {
      if (pass->touched[t])
         look_at_tile(&coverage, t, stores);
      touched |= pass->touched[t];
   }
   *unneeded = touched ? coverage.loads : 0;
   return true;
}
