/* SPDX-License-Identifier: MIT */
/* Passes that read what the pass before them has drawn, each fragment at its own pixel: they could be one with it. */
#include <stdlib.h>
#include <string.h>

#include "advice/advice_internal.h"
#include "advice/merge.h"
#include "config/config.h"
#include "util/array.h"

/* A pass whose reads are looked at, and the one before it. */
struct reader {
   const struct cm_pass *first, *pass;
   uint16_t read; /* bits of the first one's attachments whose resources fragment shaders have as textures */
   bool is_upright,
      is_upside_down;  /* all texels so far are those of the fragment's pixel, in rows from the top
                                     * or from the bottom */
   uint64_t fragments; /* that read any of them */
};

/* The first's attachment that has the resource; CM_SLOTS: none. */
static unsigned
slot_of(const struct cm_pass *first, uint32_t resource)
{
   unsigned slot = resource ? 0 : CM_SLOTS;
   while (slot < CM_SLOTS && cm_pass_attachment(first, slot)->resource != resource)
      slot++;
   return slot;
}

/* ---- resources --------------------------------------------------------------------- */

static bool
has_single_samples(const struct cm_advice *advice, const struct cm_pass *pass)
{
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      const uint32_t resource = cm_pass_attachment(pass, slot)->resource;
      const struct cm_resource_description *description = cm_advice_resource(advice, resource);
      if (resource && (!description || description->samples != 1))
         return false;
   }
   return true;
}

/* Whether only fragment shaders of the pass read attachments of the first, only such as that one stores, and none that
 * it draws to itself. Sets reader->read. */
static bool
find_textures(struct reader *reader)
{
   const struct cm_pass *first = reader->first, *pass = reader->pass;
   for (uint32_t b = 0; b < pass->num_vertex_bindings; b++) {
      if (slot_of(first, pass->vertex_bindings[b].resource) < CM_SLOTS)
         return false;
   }
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      for (uint32_t unit = 0; unit < pass->draws[d].num_textures; unit++) {
         const uint32_t resource = pass->draws[d].textures[unit].resource;
         const unsigned slot = slot_of(first, resource);
         if (slot == CM_SLOTS)
            continue;
         if (!cm_pass_attachment(first, slot)->store || slot_of(pass, resource) < CM_SLOTS)
            return false;
         reader->read |= (uint16_t)(1 << slot);
      }
   }
   return reader->read;
}

/* Whether nothing has read what the first stored. */
static bool
is_unread(struct cm_advice *advice, const struct cm_pass *first, uint64_t number)
{
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      const struct cm_attachment *attachment = cm_pass_attachment(first, slot);
      if (attachment->resource && attachment->store &&
          !cm_contents_has_unread(advice->contents, attachment, number))
         return false;
   }
   return true;
}

/* ---- texels ------------------------------------------------------------------------ */

/* A footprint of a quad whose first pixel is (x, y): whether it may be of its own pixels. */
static bool
look_at_footprint(struct reader *reader, const struct cm_footprint *footprint,
                  const struct cm_texture_binding *binding, uint32_t x, uint32_t y)
{
   const struct cm_attachment *attachment =
      cm_pass_attachment(reader->first, slot_of(reader->first, binding->resource));
   /* What a linear filter weighs, the stream does not say. */
   if (footprint->linear || footprint->level + binding->first_level != attachment->level ||
       footprint->layer + binding->first_layer != attachment->layer)
      return false;
   for (unsigned f = 0; f < 4; f++) {
      if (!(footprint->live >> f & 1))
         continue;
      const int32_t column = (int32_t)(x + (f & 1)), row = (int32_t)(y + (f >> 1));
      const int32_t from_bottom = (int32_t)reader->pass->height - 1 - row;
      if (footprint->texel[f].x != column)
         return false;
      reader->is_upright &= footprint->texel[f].y == row;
      reader->is_upside_down &= footprint->texel[f].y == from_bottom;
      reader->fragments++;
   }
   return reader->is_upright || reader->is_upside_down;
}

static bool
look_at_tile(struct reader *reader, uint32_t tile)
{
   const struct cm_pass *pass = reader->pass;
   const struct cm_tile_events *events = &pass->tiles[tile];
   const uint32_t left = tile % pass->tiles_x * pass->tile_size;
   const uint32_t top = tile / pass->tiles_x * pass->tile_size;
   const struct cm_quad *quads = NULL;
   const struct cm_draw *draw = NULL;
   for (const uint32_t *word = events->words, *end = word + events->num_words; word < end;
        word = cm_event_next(word)) {
      if (cm_event_type(*word) == CM_EVENT_SHADE) {
         quads = (const struct cm_quad *)(word + 2);
         draw = &pass->draws[word[1]];
      }
      if (cm_event_type(*word) != CM_EVENT_FOOTPRINTS)
         continue;
      const uint32_t unit = cm_event_unit(*word);
      if (!draw || unit >= draw->num_textures)
         return false;
      const struct cm_texture_binding *binding = &draw->textures[unit];
      const struct cm_footprint *footprints = (const struct cm_footprint *)(word + 1);
      if (slot_of(reader->first, binding->resource) == CM_SLOTS)
         continue;
      for (uint32_t f = 0; f < cm_event_count(*word); f++) {
         const struct cm_quad *quad = &quads[footprints[f].quad & 3];
         if (!look_at_footprint(reader, &footprints[f], binding, left + quad->x * 2u, top + quad->y * 2u))
            return false;
      }
   }
   return true;
}

static bool
reads_own_pixels(struct reader *reader)
{
   for (uint32_t t = 0; t < reader->pass->tiles_x * reader->pass->tiles_y; t++) {
      if (!look_at_tile(reader, t))
         return false;
   }
   return reader->fragments;
}

/* ---- passes ------------------------------------------------------------------------- */

/* Whether the pass could be one with the one before it. */
static bool
could_be_one(struct cm_advice *advice, struct reader *reader)
{
   const uint64_t number = advice->num_passes - 1;
   const uint32_t target = cm_pass_target(reader->pass);
   const struct cm_resource_description *description = cm_advice_resource(advice, target);
   if (!number || advice->config->mode == CM_MODE_IMR || advice->passes[number - 1].frame != advice->frame ||
       !cm_passes_can_merge(reader->first, reader->pass) || !find_textures(reader) ||
       !has_single_samples(advice, reader->first) || !has_single_samples(advice, reader->pass) ||
       !is_unread(advice, reader->first, number - 1))
      return false;
   /* Rows of windows are from the top, those of textures from the bottom. */
   reader->is_upright = true;
   reader->is_upside_down = description && description->is_displayable;
   return reads_own_pixels(reader);
}

/* Tells what the pass reads, but for what it could read in the tiles. */
static bool
read_other_textures(struct cm_advice *advice, const struct reader *reader)
{
   struct cm_pass pass = *reader->pass;
   if (!reader->read)
      return cm_contents_pass_reads(advice->contents, &pass);
   if (!cm_array_reserve(&advice->reading_draws, pass.num_draws, sizeof *pass.draws))
      return false;
   pass.draws = advice->reading_draws.data;
   for (uint32_t d = 0; d < pass.num_draws; d++) {
      pass.draws[d] = reader->pass->draws[d];
      for (uint32_t unit = 0; unit < pass.draws[d].num_textures; unit++) {
         if (slot_of(reader->first, pass.draws[d].textures[unit].resource) < CM_SLOTS)
            pass.draws[d].textures[unit].resource = 0;
      }
   }
   return cm_contents_pass_reads(advice->contents, &pass);
}

bool
cm_advice_pass_reads(struct cm_advice *advice, const struct cm_pass *pass)
{
   struct reader reader = {.first = &advice->previous, .pass = pass};
   if (could_be_one(advice, &reader)) {
      struct cm_pass_seen *first = &advice->passes[advice->num_passes - 2];
      first->read_by_next = reader.read;
      first->own_reads = reader.fragments;
      first->merged_pixel_bytes = cm_merged_pixel_bytes(reader.first, pass);
   } else {
      reader.read = 0;
   }
   const bool ok = read_other_textures(advice, &reader);
   advice->previous = cm_advice_head(pass);
   return ok;
}

/* ---- the finding --------------------------------------------------------------------- */

/* Names the attachments that are read, each once. */
static bool
add_resources(struct cm_finding *finding, const struct cm_pass_seen *first)
{
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      bool is_there = !(first->read_by_next >> slot & 1);
      for (uint32_t r = 0; r < finding->num_resources; r++)
         is_there |= finding->resources[r] == first->resources[slot];
      if (!is_there && !cm_finding_add_resource(finding, first->resources[slot]))
         return false;
   }
   return true;
}

/* Notes a pass that the next one could be one with, unless it is itself the second of such a pair in the same finding. */
static bool
add_pair(struct cm_advice *advice, uint64_t number)
{
   const struct cm_pass_seen *first = &advice->passes[number];
   const uint32_t resource = first->resources[__builtin_ctz(first->read_by_next)];
   struct cm_finding *finding =
      cm_advice_finding_of(advice, CM_ADVICE_MERGEABLE_PASS, CM_CHANGE_MERGE_PASSES, resource);
   const struct cm_change *change = finding ? finding->changes : NULL;
   if (change && change->num_passes && change->passes[change->num_passes - 1].pass == number)
      return true;
   struct cm_changed_pass *pass = cm_finding_add_pass(finding, number);
   if (!pass)
      return false;
   pass->joins = true;
   pass->read = first->read_by_next;
   pass->no_store = first->read_by_next & first->unneeded_stores;
   if (!add_resources(finding, first))
      return false;
   uint64_t bytes = 0;
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      if (first->read_by_next >> slot & 1)
         bytes += 2 * cm_advice_image_bytes(advice, first->resources[slot]);
   }
   cm_finding_count_pass(finding, first, bytes);
   return cm_finding_add_pass(finding, number + 1);
}

/* The sum over the counted pairs of a finding. */
static uint64_t
count_reads(const struct cm_advice *advice, const struct cm_finding *finding)
{
   uint64_t sum = 0;
   for (uint32_t p = 0; p < finding->changes->num_passes; p++) {
      const struct cm_pass_seen *seen = &advice->passes[finding->changes->passes[p].pass];
      if (finding->changes->passes[p].joins && seen->is_counted)
         sum += seen->own_reads;
   }
   return sum;
}

bool
cm_advice_find_subpasses(struct cm_advice *advice)
{
   for (uint64_t number = 0; number < advice->num_passes; number++) {
      const struct cm_pass_seen *seen = &advice->passes[number];
      if (seen->read_by_next && seen->own_reads >= CM_ADVICE_LEAST_FRAGMENTS && !add_pair(advice, number))
         return false;
   }
   return true;
}

void
cm_advice_add_subpass_evidence(const struct cm_advice *advice, struct cm_finding *finding)
{
   const struct cm_pass_seen *first = &advice->passes[finding->changes->passes[0].pass];
   cm_finding_add_average(advice, finding, "pairs of passes per frame", finding->passes);
   cm_finding_add_average(advice, finding, "texels read at the own pixel per frame",
                          count_reads(advice, finding));
   cm_finding_add_evidence(finding, "attachments that are read", finding->num_resources);
   cm_finding_add_evidence(finding, "bytes of a pixel in the tile", first->merged_pixel_bytes);
}
