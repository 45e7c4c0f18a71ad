/* SPDX-License-Identifier: MIT */
/* What is read of textures: texels that are far apart, and textures that are not compressed. Textures with the same cause are
 * one finding. */
#include <stdlib.h>
#include <string.h>

#include "advice/advice_internal.h"
#include "events/names.h"
#include "util/array.h"
#include "util/minmax.h"

#define LEAST_TEXTURE_SIZE 64 /* texels per side */

void
cm_advice_look_at_footprints(struct cm_advice *advice, const struct cm_pass *pass, uint32_t number,
                             const uint32_t *event)
{
   const struct cm_draw *draw = &pass->draws[number];
   const struct cm_footprint *footprints = (const struct cm_footprint *)(event + 1);
   const uint32_t unit = cm_event_unit(*event);
   struct cm_resource_seen *seen =
      unit < draw->num_textures ? cm_advice_seen(advice, draw->textures[unit].resource) : NULL;
   if (!seen || seen->description.is_buffer)
      return;
   const bool has_levels = seen->description.samples == 1 && seen->description.depth == 1;
   struct cm_texture_seen *texture = &seen->texture;
   cm_advice_remember(advice, &texture->place, pass, number);
   for (uint32_t f = 0; f < cm_event_count(*event); f++) {
      const struct cm_footprint *footprint = &footprints[f];
      const uint32_t levels =
         has_levels
            ? cm_levels_coarser(cm_footprint_step(footprint, &draw->textures[unit], &seen->description))
            : 0;
      texture->footprints++;
      texture->texels += (footprint->linear ? 4u : 1u) * (unsigned)__builtin_popcount(footprint->live);
      texture->far += levels != 0;
      texture->levels += levels;
      texture->coarse += has_levels && footprint->level;
   }
}

/* ---- causes ------------------------------------------------------------------------ */

/* Why textures are read as they are, or are as large as they are. What differs in the cause differs in the remedy. */
enum cause {
   CAUSE_NO_MIPMAPS,
   CAUSE_LARGE_DEPTH,
   CAUSE_FILTER, /* there are levels, and none but the first is read */
   CAUSE_BIAS,   /* others are read, too, and too fine ones */
   CAUSE_OPAQUE,
   CAUSE_ALPHA,
   CAUSE_ONE_CHANNEL,
   CAUSE_TWO_CHANNELS,
};

static const struct {
   enum cm_advice_rule rule;
   uint32_t block_bytes; /* of ETC2 and EAC; 0: the cause is how it is read */
   const char *remedy;   /* NULL: the rule's */
} causes[] = {
   [CAUSE_NO_MIPMAPS] = {CM_ADVICE_NO_MIPMAPS, 0, NULL},
   [CAUSE_LARGE_DEPTH] = {CM_ADVICE_LARGE_DEPTH, 0, NULL},
   [CAUSE_FILTER] = {CM_ADVICE_OVERSAMPLED, 0, NULL},
   [CAUSE_BIAS] = {CM_ADVICE_OVERSAMPLED, 0,
                   "less level-of-detail bias, of the sampler or of texture() in the shader: the filter has "
                   "mipmaps, and reads too fine ones"},
   [CAUSE_OPAQUE] = {CM_ADVICE_UNCOMPRESSED, 8, NULL},
   [CAUSE_ALPHA] = {CM_ADVICE_UNCOMPRESSED, 16,
                    "ETC2, with 8 bits per texel, or with 4 where alpha is 1 everywhere"},
   [CAUSE_ONE_CHANNEL] = {CM_ADVICE_UNCOMPRESSED, 8, "EAC or ETC2, with 4 bits per texel"},
   [CAUSE_TWO_CHANNELS] = {CM_ADVICE_UNCOMPRESSED, 16, "EAC or ETC2, with 8 bits per texel"},
};

/* Something to say of a texture. */
struct part {
   enum cause cause;
   uint64_t weight;
   const struct cm_resource_seen *seen;
};

/* Whether ETC2 or EAC has a texture's format, and what that would be. */
static bool
can_be_compressed(const struct cm_resource_description *texture, const char *format, enum cause *cause)
{
   if (texture->is_buffer || texture->block_width > 1 || texture->depth > 1 || texture->samples > 1 ||
       texture->width < LEAST_TEXTURE_SIZE || texture->height < LEAST_TEXTURE_SIZE)
      return false;
   /* Formats of 8 bits per channel, by Mesa's names: r8g8b8a8_unorm, b8g8r8x8_srgb, l8_unorm. */
   const char *kind = strchr(format, '_');
   if (!kind || (strcmp(kind, "_unorm") && strcmp(kind, "_srgb")))
      return false;
   for (const char *c = format; c < kind; c += 2) {
      if (!strchr("rgbaxli", c[0]) || c[1] != '8')
         return false;
   }
   const size_t length = (size_t)(kind - format);
   if (texture->block_bytes == 1)
      *cause = CAUSE_ONE_CHANNEL;
   else if (texture->block_bytes == 3 || memchr(format, 'x', length))
      *cause = CAUSE_OPAQUE;
   else
      *cause = texture->block_bytes == 4 ? CAUSE_ALPHA : CAUSE_TWO_CHANNELS;
   return true;
}

/* Why texels are read that are far apart. */
static enum cause
far_apart_cause(const struct cm_resource_seen *seen, const char *format)
{
   /* Mesa's names of formats with depth: z16_unorm, z24x8_unorm, x8z24_unorm, z32_float. */
   const char *kind = strchr(format, '_');
   if (kind && memchr(format, 'z', (size_t)(kind - format)))
      return CAUSE_LARGE_DEPTH;
   if (seen->description.levels == 1)
      return CAUSE_NO_MIPMAPS;
   return seen->texture.coarse ? CAUSE_BIAS : CAUSE_FILTER;
}

/* Adds what there is to say of a texture: at most two parts. */
static uint32_t
look_at_texture(const struct cm_advice *advice, const struct cm_resource_seen *seen, struct part *parts)
{
   const struct cm_resource_description *description = &seen->description;
   const struct cm_texture_seen *texture = &seen->texture;
   const char *format = cm_names_format(advice->names, description->id);
   uint32_t count = 0;
   if (cm_advice_is_large(advice, texture->far, texture->footprints, CM_ADVICE_LEAST_FOOTPRINTS))
      parts[count++] = (struct part){.cause = far_apart_cause(seen, format),
                                     .weight = texture->far * 4 * description->block_bytes,
                                     .seen = seen};
   /* OpenGL makes all textures for being drawn to that can be: what counts is whether a pass does. Mipmaps, and what is drawn
    * while the program loads, can be compressed as well. */
   enum cause cause;
   if (cm_advice_is_large(advice, texture->footprints, texture->footprints, CM_ADVICE_LEAST_FOOTPRINTS) &&
       !seen->is_drawn_to && can_be_compressed(description, format, &cause)) {
      const uint64_t bytes = (uint64_t)description->width * description->height * description->block_bytes;
      const uint64_t read = texture->texels * description->block_bytes;
      parts[count++] = (struct part){.cause = cause,
                                     .weight = cm_min64(read, bytes * advice->counted_frames),
                                     .seen = seen};
   }
   return count;
}

/* ---- findings ---------------------------------------------------------------------- */

/* By cause, and those of a cause with most to save first. */
static int
compare_parts(const void *a, const void *b)
{
   const struct part *first = a, *second = b;
   if (first->cause != second->cause)
      return first->cause < second->cause ? -1 : 1;
   if (first->weight != second->weight)
      return first->weight < second->weight ? 1 : -1;
   return first->seen->description.id < second->seen->description.id ? -1 : 1;
}

/* Evidence of textures that are read too finely. */
static void
add_steps(const struct cm_advice *advice, struct cm_finding *finding, const struct part *parts,
          uint32_t count)
{
   uint64_t footprints = 0, far = 0, levels = 0;
   for (uint32_t p = 0; p < count; p++) {
      footprints += parts[p].seen->texture.footprints;
      far += parts[p].seen->texture.far;
      levels += parts[p].seen->texture.levels;
   }
   cm_finding_add_average(advice, finding, "texture reads per frame, quad by quad", footprints);
   cm_finding_add_evidence(finding, "per cent of them with texels more than two apart",
                           100.0 * (double)far / (double)footprints);
   cm_finding_add_evidence(finding, "levels too fine on average", (double)levels / (double)far);
   finding->assumption =
      "each read has the first level whose texels are two apart at most; OpenGL's rules and a "
      "trilinear filter often read a coarser one, too, which saves more";
}

/* Evidence of textures that are not compressed. */
static void
add_bits(const struct cm_advice *advice, struct cm_finding *finding, const struct part *parts, uint32_t count)
{
   uint64_t texels = 0;
   for (uint32_t p = 0; p < count; p++)
      texels += parts[p].seen->texture.texels;
   cm_finding_add_average(advice, finding, "texels read per frame", texels);
   cm_finding_add_evidence(finding, "bits per texel", parts[0].seen->description.block_bytes * 8);
   cm_finding_add_evidence(finding, "compressed", causes[parts[0].cause].block_bytes / 2);
}

/* The finding's changes with blocks of 4 bits per texel. */
static bool
add_opaque_changes(struct cm_finding *finding)
{
   finding->other_changes = calloc(finding->num_changes, sizeof *finding->other_changes);
   if (!finding->other_changes)
      return false;
   for (uint32_t c = 0; c < finding->num_changes; c++) {
      finding->other_changes[c] = finding->changes[c];
      finding->other_changes[c].block_bytes = 8;
   }
   finding->condition = "with 4 bits per texel, where alpha is 1 everywhere";
   return true;
}

/* The finding of textures with one cause. */
static bool
add_finding(struct cm_advice *advice, const struct part *parts, uint32_t count)
{
   const enum cause cause = parts[0].cause;
   const uint32_t block_bytes = causes[cause].block_bytes;
   struct cm_finding *finding =
      cm_advice_add_finding(advice, causes[cause].rule, &parts[0].seen->texture.place);
   if (!finding)
      return false;
   if (causes[cause].remedy)
      finding->remedy = causes[cause].remedy;
   for (uint32_t p = 0; p < count; p++) {
      const struct cm_change change = {.type = block_bytes ? CM_CHANGE_COMPRESS : CM_CHANGE_MIPMAPS,
                                       .number = parts[p].seen->description.id,
                                       .block_bytes = block_bytes};
      if (!cm_finding_add_change(finding, change) || !cm_finding_add_resource(finding, change.number))
         return false;
      finding->weight += parts[p].weight;
   }
   if (block_bytes)
      add_bits(advice, finding, parts, count);
   else
      add_steps(advice, finding, parts, count);
   return cause != CAUSE_ALPHA || add_opaque_changes(finding);
}

bool
cm_advice_find_textures(struct cm_advice *advice)
{
   struct part *parts = calloc(2 * (size_t)advice->resource_ids.count + 1, sizeof *parts);
   uint32_t count = 0;
   bool ok = parts;
   for (uint32_t r = 0; ok && r < advice->resource_ids.count; r++)
      count += look_at_texture(advice, &advice->resources[r], parts + count);
   if (ok)
      qsort(parts, count, sizeof *parts, compare_parts);
   for (uint32_t first = 0, end; ok && first < count; first = end) {
      for (end = first; end < count && parts[end].cause == parts[first].cause;)
         end++;
      ok = add_finding(advice, parts + first, end - first);
   }
   free(parts);
   return ok;
}
