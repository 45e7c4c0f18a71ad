/* SPDX-License-Identifier: MIT */
/* What becomes of the images that passes draw to: loads and stores that nobody needs, passes in parts, passes that nobody
 * reads. An image is a level and a layer of a resource. */
#include <stdlib.h>
#include <string.h>

#include "advice/advice_internal.h"
#include "advice/join.h"
#include "util/array.h"
#include "util/minmax.h"

/* The image; NULL when out of memory, or where the resource is not defined. */
static struct cm_image *
find_image(struct cm_advice *advice, uint32_t resource, uint8_t level, uint16_t layer)
{
   struct cm_resource_seen *seen = cm_advice_seen(advice, resource);
   if (!seen)
      return NULL;
   for (uint32_t i = seen->first_image; i; i = advice->images[i - 1].next) {
      if (advice->images[i - 1].level == level && advice->images[i - 1].layer == layer)
         return &advice->images[i - 1];
   }
   if (!cm_array_make_room(&advice->images, &advice->images_capacity, advice->num_images, 1,
                           sizeof *advice->images)) {
      advice->failed = true;
      return NULL;
   }
   struct cm_image *image = &advice->images[advice->num_images++];
   *image =
      (struct cm_image){.resource = resource, .level = level, .layer = layer, .next = seen->first_image};
   seen->first_image = (uint32_t)advice->num_images;
   return image;
}

void
cm_advice_read(struct cm_advice *advice, uint32_t resource)
{
   const struct cm_resource_seen *seen = cm_advice_seen(advice, resource);
   for (uint32_t i = seen ? seen->first_image : 0; i; i = advice->images[i - 1].next)
      advice->images[i - 1].read = true;
}

void
cm_advice_present(struct cm_advice *advice)
{
   for (size_t i = 0; i < advice->num_images; i++) {
      const struct cm_resource_seen *seen = cm_advice_seen(advice, advice->images[i].resource);
      if (seen->description.is_displayable)
         advice->images[i].read = true;
   }
}

/* ---- a pass --------------------------------------------------------------------- */

/* A stencil buffer in the depth buffer's memory moves with it. */
static bool
is_part_of_depth(const struct cm_pass *pass, unsigned slot)
{
   return slot == CM_SLOT_STENCIL && pass->stencil.resource == pass->depth.resource &&
          !pass->stencil.pixel_bytes;
}

/* The layers of an attachment that exist. */
static uint32_t
count_layers(const struct cm_advice *advice, const struct cm_attachment *attachment)
{
   const struct cm_resource_description *resource = cm_advice_resource(advice, attachment->resource);
   const uint32_t images = resource ? cm_max(resource->layers, resource->depth) : 0;
   return attachment->layer < images ? cm_min(attachment->more_layers + 1u, images - attachment->layer) : 0;
}

/* Whether the pass replaces all of an attachment's pixels. */
static bool
overwrites(const struct cm_advice *advice, const struct cm_pass *pass, const struct cm_attachment *attachment)
{
   const struct cm_resource_description *resource = cm_advice_resource(advice, attachment->resource);
   if (!resource || attachment->load || (!attachment->clear && !attachment->store))
      return false;
   const uint32_t level = cm_min(attachment->level, CM_MAX_LEVELS);
   if (pass->width < cm_max(resource->width >> level, 1) ||
       pass->height < cm_max(resource->height >> level, 1))
      return false;
   for (uint32_t t = 0; t < pass->tiles_x * pass->tiles_y; t++) {
      if (!pass->touched[t])
         return false;
   }
   return true;
}

/* An image as the pass begins: what was stored in it is read, replaced, or stays. */
static void
begin_image(struct cm_advice *advice, const struct cm_attachment *attachment, bool replaced,
            struct cm_image *image)
{
   if (replaced) {
      if (image->stored && !image->read)
         advice->passes[image->pass].overwritten[image->slot]++;
      image->stored = false;
   } else if (attachment->load || attachment->store) {
      /* Where tiles are not touched, the rest of the image is kept: only what is loaded is known to be read. */
      image->read = true;
   }
}

static void
store_image(struct cm_advice *advice, struct cm_pass_seen *seen, struct cm_image *image, unsigned slot)
{
   image->stored = true;
   image->read = false;
   image->pass = advice->num_passes - 1;
   image->slot = (uint8_t)slot;
   seen->stored[slot]++;
}

/* Whether the pass continues one of the same frame, of the same attachments, and nothing has read what it stored. */
static bool
continues(struct cm_advice *advice, const struct cm_pass *pass, const struct cm_target_seen *target)
{
   bool loads = false;
   if (!target->last || advice->passes[target->last_number].frame != advice->frame ||
       !cm_passes_can_join(target->last, pass))
      return false;
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      const struct cm_attachment *attachment = cm_pass_attachment(pass, slot);
      const struct cm_attachment *before = cm_pass_attachment(target->last, slot);
      for (uint32_t layer = 0; before->store && layer < count_layers(advice, attachment); layer++) {
         const struct cm_image *image = find_image(advice, attachment->resource, attachment->level,
                                                   (uint16_t)(attachment->layer + layer));
         if (!image || !image->stored || image->read || image->pass != target->last_number)
            return false;
      }
      loads |= attachment->load && before->store;
   }
   return loads;
}

static void
read_textures(struct cm_advice *advice, const struct cm_pass *pass)
{
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      for (uint32_t unit = 0; unit < pass->draws[d].num_textures; unit++) {
         if (pass->draws[d].textures[unit].resource)
            cm_advice_read(advice, pass->draws[d].textures[unit].resource);
      }
      if (pass->draws[d].indirect.buffer)
         cm_advice_read(advice, pass->draws[d].indirect.buffer);
   }
   /* What shaders load and store is needed. */
   for (uint32_t s = 0; s < pass->num_storages; s++) {
      for (uint32_t b = 0; b < pass->storages[s].num_buffers; b++)
         cm_advice_read(advice, pass->storages[s].buffers[b].resource);
      for (uint32_t i = 0; i < pass->storages[s].num_images; i++)
         cm_advice_read(advice, pass->storages[s].images[i].resource);
   }
   for (uint32_t b = 0; b < pass->num_vertex_bindings; b++)
      cm_advice_read(advice, pass->vertex_bindings[b].resource);
}

static void
access_attachments(struct cm_advice *advice, const struct cm_pass *pass, struct cm_pass_seen *seen)
{
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      const struct cm_attachment *attachment = cm_pass_attachment(pass, slot);
      if (!attachment->resource || is_part_of_depth(pass, slot))
         continue;
      seen->resources[slot] = attachment->resource;
      const bool replaced = overwrites(advice, pass, attachment);
      const uint32_t layers = count_layers(advice, attachment);
      for (uint32_t layer = 0; layer < layers; layer++) {
         struct cm_image *image = find_image(advice, attachment->resource, attachment->level,
                                             (uint16_t)(attachment->layer + layer));
         if (!image)
            continue;
         begin_image(advice, attachment, replaced, image);
         if (attachment->store)
            store_image(advice, seen, image, slot);
      }
   }
   for (uint32_t c = 0; c < CM_MAX_COLOR_ATTACHMENTS; c++) {
      seen->other_outputs |= pass->resolve[c].resource != 0;
      if (!pass->resolve[c].resource)
         continue;
      /* Of a part, perhaps: what is there may be needed. */
      find_image(advice, pass->resolve[c].resource, pass->resolve[c].level, pass->resolve[c].layer);
      cm_advice_read(advice, pass->resolve[c].resource);
   }
}

/* Remembers the pass for the one that continues it. */
static bool
keep_head(struct cm_advice *advice, struct cm_target_seen *target, const struct cm_pass *pass)
{
   if (!target->last)
      target->last = malloc(sizeof *target->last);
   if (!target->last)
      return false;
   *target->last = *pass;
   target->last_number = advice->num_passes - 1;
   return true;
}

bool
cm_advice_look_at_targets(struct cm_advice *advice, const struct cm_pass *pass)
{
   if (!cm_array_make_room(&advice->passes, &advice->passes_capacity, advice->num_passes, 1,
                           sizeof *advice->passes))
      return false;
   struct cm_pass_seen *seen = &advice->passes[advice->num_passes++];
   *seen = (struct cm_pass_seen){.frame = advice->frame,
                                 .pass = advice->pass_of_frame,
                                 .target = cm_pass_target(pass),
                                 .other_outputs = pass->num_feedback || pass->num_storages ||
                                                  cm_pass_has_vertex_storage(pass),
                                 .drawn = pass->num_draws != 0};
   struct cm_resource_seen *target = cm_advice_seen(advice, seen->target);
   read_textures(advice, pass);
   if (target && continues(advice, pass, &target->target))
      seen->first_part = target->target.last_number + 1;
   access_attachments(advice, pass, seen);
   if (!target)
      return !advice->failed;
   cm_advice_remember(advice, &target->target.place, pass, CM_NO_DRAW);
   target->target.passes++;
   return !advice->failed && keep_head(advice, &target->target, pass) &&
          cm_advice_unneeded_loads(advice, pass, &seen->unneeded_loads);
}

/* ---- findings -------------------------------------------------------------------- */

/* Bytes of an attachment. */
static uint64_t
image_bytes(const struct cm_advice *advice, uint32_t resource)
{
   const struct cm_resource_description *description = cm_advice_resource(advice, resource);
   return description ? (uint64_t)description->width * description->height * description->block_bytes *
                           description->samples
                      : 0;
}

/* The finding of a rule about a resource, which is added where there is none yet. */
static struct cm_finding *
finding_of(struct cm_advice *advice, enum cm_advice_rule rule, enum cm_change_type change, uint32_t resource,
           const struct cm_pass_seen *seen)
{
   for (size_t f = 0; f < advice->num_findings; f++) {
      if (advice->findings[f].rule == rule && advice->findings[f].resource == resource)
         return &advice->findings[f];
   }
   struct cm_finding *finding = cm_advice_add_finding(
      advice, rule,
      &(struct cm_place){.known = true, .frame = seen->frame, .pass = seen->pass, .draw = CM_NO_DRAW});
   if (finding) {
      finding->resource = resource;
      finding->change = (struct cm_change){.type = change, .number = resource};
   }
   return finding;
}

/* Adds a pass to the finding's change, or finds it there: the last one. */
static struct cm_changed_pass *
add_pass(struct cm_finding *finding, uint64_t pass)
{
   struct cm_change *change = finding ? &finding->change : NULL;
   if (!change)
      return NULL;
   if (change->num_passes && change->passes[change->num_passes - 1].pass == pass)
      return &change->passes[change->num_passes - 1];
   if (!cm_array_grow(&change->passes, change->num_passes, sizeof *change->passes))
      return NULL;
   change->passes[change->num_passes] = (struct cm_changed_pass){.pass = pass};
   return &change->passes[change->num_passes++];
}

/* What is wrong with an attachment of a pass. */
static bool
find_attachment(struct cm_advice *advice, uint64_t number, unsigned slot, bool overwritten)
{
   const struct cm_pass_seen *seen = &advice->passes[number];
   const bool load = seen->unneeded_loads >> slot & 1;
   const struct {
      enum cm_advice_rule rule;
      bool found;
   } rules[] = {{CM_ADVICE_UNNEEDED_LOAD, load}, {CM_ADVICE_UNNEEDED_STORE, overwritten}};
   for (unsigned r = 0; r < 2; r++) {
      if (!rules[r].found)
         continue;
      struct cm_finding *finding =
         finding_of(advice, rules[r].rule, CM_CHANGE_ATTACHMENTS, seen->resources[slot], seen);
      struct cm_changed_pass *pass = add_pass(finding, number);
      if (!pass)
         return false;
      /* With the depth buffer goes a stencil buffer in its memory, which has no flags of its own that count. */
      if (rules[r].rule == CM_ADVICE_UNNEEDED_LOAD)
         pass->no_load |= (uint16_t)(1 << slot);
      else
         pass->no_store |= (uint16_t)(1 << slot);
      finding->slots |= 1u << slot;
      finding->passes = finding->change.num_passes;
      finding->weight += image_bytes(advice, seen->resources[slot]);
   }
   return true;
}

static bool
find_pass(struct cm_advice *advice, uint64_t number)
{
   const struct cm_pass_seen *seen = &advice->passes[number];
   bool overwritten[CM_SLOTS], all = seen->drawn && !seen->other_outputs, any = false;
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      overwritten[slot] = seen->stored[slot] && seen->overwritten[slot] == seen->stored[slot];
      any |= overwritten[slot];
      all &= overwritten[slot] || !seen->stored[slot];
   }
   if (all && any) {
      struct cm_finding *finding =
         finding_of(advice, CM_ADVICE_TARGET_NEVER_READ, CM_CHANGE_SKIP_PASSES, seen->target, seen);
      if (!add_pass(finding, number))
         return false;
      finding->passes = finding->change.num_passes;
      finding->weight += 2 * image_bytes(advice, seen->target);
      return true;
   }
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      if (!find_attachment(advice, number, slot, overwritten[slot]))
         return false;
   }
   return true;
}

static bool
find_parts(struct cm_advice *advice, uint64_t number)
{
   const struct cm_pass_seen *seen = &advice->passes[number];
   struct cm_finding *finding =
      finding_of(advice, CM_ADVICE_BROKEN_PASS, CM_CHANGE_JOIN_PASSES, seen->target, seen);
   struct cm_changed_pass *first = add_pass(finding, seen->first_part - 1);
   if (!first)
      return false;
   first->joins = true;
   if (!add_pass(finding, number))
      return false;
   finding->passes++;
   finding->weight += 2 * image_bytes(advice, seen->target);
   return true;
}

static void
add_evidence(struct cm_advice *advice)
{
   for (size_t f = 0; f < advice->num_findings; f++) {
      struct cm_finding *finding = &advice->findings[f];
      if (finding->num_evidence)
         continue;
      const struct cm_resource_seen *target = cm_advice_seen(advice, finding->resource);
      cm_finding_add_evidence(finding, finding->rule == CM_ADVICE_BROKEN_PASS ? "times" : "passes",
                              finding->passes);
      if (target && target->target.passes)
         cm_finding_add_evidence(finding, "passes to the target", target->target.passes);
      cm_finding_add_evidence(finding, "bytes of the image", image_bytes(advice, finding->resource));
   }
}

bool
cm_advice_find_targets(struct cm_advice *advice)
{
   for (uint64_t number = 0; number < advice->num_passes; number++) {
      if (!find_pass(advice, number) || (advice->passes[number].first_part && !find_parts(advice, number)))
         return false;
   }
   add_evidence(advice);
   return true;
}
