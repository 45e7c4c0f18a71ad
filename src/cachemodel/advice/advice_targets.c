/* SPDX-License-Identifier: MIT */
/* The images that passes draw to: needless loads and stores, passes split in parts, passes whose result is never read.
 * An image is a level and a layer of a resource. */
#include <stdlib.h>
#include <string.h>

#include "advice/advice_internal.h"
#include "advice/join.h"
#include "config/config.h"
#include "util/array.h"
#include "util/minmax.h"

/* Whether the pass continues one of the same frame, of the same attachments, and nothing has read what it stored. */
static bool
continues(struct cm_advice *advice, const struct cm_pass *pass, const struct cm_target_seen *target)
{
   bool loads = false;
   if (!target->last || advice->passes[target->last_number].frame != advice->frame ||
       advice->passes[target->last_number].read_by_next || !cm_passes_can_join(target->last, pass))
      return false;
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      const struct cm_attachment *attachment = cm_pass_attachment(pass, slot);
      const struct cm_attachment *before = cm_pass_attachment(target->last, slot);
      if (before->store && !cm_contents_has_unread(advice->contents, attachment, target->last_number))
         return false;
      loads |= attachment->load && before->store;
   }
   return loads;
}

void
cm_advice_take_ends(struct cm_advice *advice)
{
   uint32_t count;
   const struct cm_store_end *ends = cm_contents_ends(advice->contents, &count);
   for (uint32_t e = 0; e < count; e++) {
      struct cm_pass_seen *seen = &advice->passes[ends[e].pass];
      *(ends[e].fate == CM_STORE_REPLACED ? &seen->unneeded_stores : &seen->needed_stores) |=
         (uint16_t)(1 << ends[e].slot);
   }
}

/* Notes a resource that a counted pass draws to. moves: it is loaded or stored. */
static void
draw_to(const struct cm_advice *advice, const struct cm_pass *pass, uint32_t resource, uint8_t level,
        unsigned slot, bool moves)
{
   struct cm_resource_seen *seen = cm_advice_seen(advice, resource);
   if (!seen || !advice->is_counted)
      return;
   if (!level)
      seen->is_drawn_to = true;
   if (!moves)
      return;
   cm_advice_remember(advice, &seen->moved, pass, CM_NO_DRAW);
   seen->moved_by++;
   seen->moved_slots |= 1u << slot;
}

/* Notes the images that shaders access. */
static void
look_at_storage(const struct cm_advice *advice, const struct cm_pass *pass)
{
   struct cm_resource_seen *seen;
   for (uint32_t s = 0; s < pass->num_storages; s++) {
      for (uint32_t i = 0; i < pass->storages[s].num_images; i++) {
         if ((seen = cm_advice_seen(advice, pass->storages[s].images[i].resource)))
            seen->is_storage = true;
      }
   }
   for (uint32_t b = 0; b < pass->num_vertex_bindings; b++) {
      if (pass->vertex_bindings[b].is_storage &&
          (seen = cm_advice_seen(advice, pass->vertex_bindings[b].resource)))
         seen->is_storage = true;
   }
}

static void
look_at_attachments(const struct cm_advice *advice, const struct cm_pass *pass, struct cm_pass_seen *seen)
{
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      const struct cm_attachment *attachment = cm_pass_attachment(pass, slot);
      seen->resources[slot] = attachment->resource;
      draw_to(advice, pass, attachment->resource, attachment->level, slot,
              (attachment->load || attachment->store) && attachment->pixel_bytes);
   }
   for (uint32_t c = 0; c < CM_MAX_COLOR_ATTACHMENTS; c++)
      draw_to(advice, pass, pass->resolve[c].resource, pass->resolve[c].level, c, true);
}

static bool
resolves(const struct cm_pass *pass)
{
   for (uint32_t c = 0; c < CM_MAX_COLOR_ATTACHMENTS; c++) {
      if (pass->resolve[c].resource)
         return true;
   }
   return false;
}

/* The calls that drew first and last. */
static void
find_calls(const struct cm_pass *pass, struct cm_pass_seen *seen)
{
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      const uint32_t call = pass->draws[d].call;
      if (call && !seen->first_call)
         seen->first_call = call;
      if (call)
         seen->last_call = call;
   }
}

struct cm_pass
cm_advice_head(const struct cm_pass *pass)
{
   struct cm_pass head = *pass;
   head.num_storages += cm_pass_has_vertex_storage(pass);
   head.num_vertex_bindings = 0;
   return head;
}

/* Remembers the pass for the one that continues it. */
static bool
keep_head(struct cm_advice *advice, struct cm_target_seen *target, const struct cm_pass *pass)
{
   if (!target->last)
      target->last = malloc(sizeof *target->last);
   if (!target->last)
      return false;
   *target->last = cm_advice_head(pass);
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
                                 .is_counted = advice->is_counted,
                                 .end = pass->end,
                                 .end_call = pass->end_call,
                                 .target = cm_pass_target(pass),
                                 .other_outputs = pass->num_feedback || pass->num_storages ||
                                                  cm_pass_has_vertex_storage(pass) || resolves(pass),
                                 .drawn = pass->num_draws != 0};
   look_at_attachments(advice, pass, seen);
   look_at_storage(advice, pass);
   find_calls(pass, seen);
   struct cm_resource_seen *target = cm_advice_seen(advice, seen->target);
   if (!cm_advice_pass_reads(advice, pass))
      return false;
   if (target && continues(advice, pass, &target->target))
      seen->first_part = target->target.last_number + 1;
   if (!cm_contents_pass_stores(advice->contents, pass, &seen->stored))
      return false;
   cm_advice_take_ends(advice);
   if (!target)
      return true;
   if (advice->is_counted) {
      cm_advice_remember(advice, &target->target.place, pass, CM_NO_DRAW);
      target->target.passes++;
   }
   return keep_head(advice, &target->target, pass) &&
          cm_advice_unneeded_loads(advice, pass, &seen->unneeded_loads);
}

/* ---- findings -------------------------------------------------------------------- */

uint64_t
cm_advice_image_bytes(const struct cm_advice *advice, uint32_t resource)
{
   const struct cm_resource_description *description = cm_advice_resource(advice, resource);
   return description ? (uint64_t)description->width * description->height * description->block_bytes *
                           description->samples
                      : 0;
}

/* What ends a pass that continues later, and what to do instead. */
static const struct {
   const char *problem, *remedy;
} breaks[CM_END_REASONS] = {
   [CM_END_FRAMEBUFFER] = {"the framebuffer is left and drawn to again, and nothing has read it in between",
                           "draw to the other framebuffers before or after it; in Vulkan all of it in one "
                           "render pass"},
   [CM_END_FLUSH] = {"glFlush ends the pass, which continues after it",
                     "glFlush after the last draw to it, or not at all: a buffer swap flushes"},
   [CM_END_FINISH] = {"glFinish ends the pass, which continues after it",
                      "glFinish after the last draw to it, or not at all"},
   [CM_END_FENCE] =
      {"a fence is waited for, or asked for, and the pass continues after it (in Vulkan after a "
       "barrier within the render pass)",
       "wait for it after the last draw to it, or a frame later"},
   [CM_END_QUERY] = {"the result of a query of the pass is asked for, and the pass continues after it",
                     "ask for the result after the last draw to it, or a frame later"},
   [CM_END_READ] = {"the CPU reads what the pass draws, which continues after it",
                    "read after the last draw to it, or a frame later"},
   [CM_END_WRITE] = {"the CPU writes to what the pass uses, and the pass continues after it",
                     "write before the first draw to it, or to another buffer or texture"},
   [CM_END_COPY] = {"a copy, a blit, mipmaps or a clear of another image come in the middle of the pass",
                    "copy before the first draw to it or after the last one"},
   [CM_END_RESOLVE] = {"the samples are resolved, and the pass continues after it",
                       "resolve after the last draw to it"},
   [CM_END_BARRIER] =
      {"a memory barrier ends the pass, which continues after it",
       "glMemoryBarrier and glTextureBarrier before the first draw to it or after the last one"},
   [CM_END_DRAW] = {"a draw's vertices need what the pass stores, which continues after it",
                    "make what vertices are read of in a pass before it"},
   [CM_END_COMPUTE] = {"a dispatch needs what the pass writes, which continues after it",
                       "dispatch before the first draw to it or after the last one"},
   [CM_END_MEMORY] =
      {"the GPU has no room for more of the pass: its Parameter Buffer is full, or the textures "
       "that it reads are too many",
       "fewer primitives, or fewer textures"},
   [CM_END_SHARED] = {"what the pass draws is handed to another API or process, and drawn to again",
                      "hand it over after the last draw to it"},
};

struct cm_finding *
cm_advice_finding_of(struct cm_advice *advice, enum cm_advice_rule rule, enum cm_change_type change,
                     uint32_t resource)
{
   for (size_t f = 0; f < advice->num_findings; f++) {
      if (advice->findings[f].rule == rule && advice->findings[f].resources[0] == resource)
         return &advice->findings[f];
   }
   struct cm_finding *finding = cm_advice_add_finding(advice, rule, &(struct cm_place){.draw = CM_NO_DRAW});
   if (!finding || !cm_finding_add_resource(finding, resource) ||
       !cm_finding_add_change(finding, (struct cm_change){.type = change, .number = resource}))
      return NULL;
   return finding;
}

struct cm_changed_pass *
cm_finding_add_pass(struct cm_finding *finding, uint64_t pass)
{
   struct cm_change *change = finding ? finding->changes : NULL;
   if (!change)
      return NULL;
   if (change->num_passes && change->passes[change->num_passes - 1].pass == pass)
      return &change->passes[change->num_passes - 1];
   if (!cm_array_grow(&change->passes, change->num_passes, sizeof *change->passes))
      return NULL;
   change->passes[change->num_passes] = (struct cm_changed_pass){.pass = pass};
   return &change->passes[change->num_passes++];
}

void
cm_finding_count_pass(struct cm_finding *finding, const struct cm_pass_seen *seen, uint64_t bytes)
{
   if (!seen->is_counted)
      return;
   if (!finding->passes++) {
      finding->frame = seen->frame;
      finding->pass = seen->pass;
   }
   finding->weight += bytes;
}

/* An attachment that the pass loads or stores needlessly. */
static bool
find_attachment(struct cm_advice *advice, enum cm_advice_rule rule, uint64_t number, unsigned slot)
{
   const struct cm_pass_seen *seen = &advice->passes[number];
   const uint32_t resource = seen->resources[slot];
   struct cm_finding *finding = cm_advice_finding_of(advice, rule, CM_CHANGE_ATTACHMENTS, resource);
   const uint32_t before = finding ? finding->changes->num_passes : 0;
   struct cm_changed_pass *pass = cm_finding_add_pass(finding, number);
   if (!pass)
      return false;
   /* With the depth buffer goes a stencil buffer in its memory, which has no flags of its own that count. */
   if (rule == CM_ADVICE_UNNEEDED_LOAD)
      pass->no_load |= (uint16_t)(1 << slot);
   else
      pass->no_store |= (uint16_t)(1 << slot);
   finding->slots |= 1u << slot;
   if (finding->changes->num_passes > before)
      cm_finding_count_pass(finding, seen, cm_advice_image_bytes(advice, resource));
   return true;
}

/* Stores that nothing reads, the next pass included. */
static uint16_t
unneeded_stores(const struct cm_pass_seen *seen)
{
   return seen->unneeded_stores & (uint16_t)~seen->read_by_next;
}

static bool
find_pass(struct cm_advice *advice, uint64_t number)
{
   const struct cm_pass_seen *seen = &advice->passes[number];
   if (seen->drawn && !seen->other_outputs && seen->stored && unneeded_stores(seen) == seen->stored) {
      struct cm_finding *finding =
         cm_advice_finding_of(advice, CM_ADVICE_TARGET_NEVER_READ, CM_CHANGE_SKIP_PASSES, seen->target);
      if (!cm_finding_add_pass(finding, number))
         return false;
      cm_finding_count_pass(finding, seen, 2 * cm_advice_image_bytes(advice, seen->target));
      return true;
   }
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      if ((seen->unneeded_loads >> slot & 1 &&
           !find_attachment(advice, CM_ADVICE_UNNEEDED_LOAD, number, slot)) ||
          (unneeded_stores(seen) >> slot & 1 &&
           !find_attachment(advice, CM_ADVICE_UNNEEDED_STORE, number, slot)))
         return false;
   }
   return true;
}

/* Why the first part ended. */
static void
describe_break(const struct cm_advice *advice, struct cm_finding *finding, uint64_t first, uint64_t next)
{
   const struct cm_pass_seen *part = &advice->passes[first], *goes_on = &advice->passes[next];
   finding->pass_break = (struct cm_pass_break){
      .reason = part->end,
      .other_target = part[1].target != part->target ? part[1].target : 0,
      .next_pass = goes_on->pass,
      .last_call = part->last_call,
      .end_call = part->end_call,
      .next_call = goes_on->first_call,
   };
   if (breaks[part->end].problem) {
      finding->problem = breaks[part->end].problem;
      finding->remedy = breaks[part->end].remedy;
   }
   finding->assumption =
      "what the second part covers of the first one is still shaded; a GPU with hidden surface "
      "removal saves that, too";
}

static bool
find_parts(struct cm_advice *advice, uint64_t number)
{
   const struct cm_pass_seen *seen = &advice->passes[number];
   const uint64_t first = seen->first_part - 1;
   struct cm_finding *finding =
      cm_advice_finding_of(advice, CM_ADVICE_BROKEN_PASS, CM_CHANGE_JOIN_PASSES, seen->target);
   struct cm_changed_pass *part = cm_finding_add_pass(finding, first);
   if (!part)
      return false;
   part->joins = true;
   if (!cm_finding_add_pass(finding, number))
      return false;
   if (seen->is_counted && !finding->passes)
      describe_break(advice, finding, first, number);
   cm_finding_count_pass(finding, &advice->passes[first], 2 * cm_advice_image_bytes(advice, seen->target));
   return true;
}

/* Stores of a finding's pass of which it is not known whether they are read later: bits of attachments. */
static unsigned
unknown_stores(const struct cm_finding *finding, const struct cm_pass_seen *seen)
{
   const unsigned unknown = seen->stored & ~(seen->needed_stores | seen->unneeded_stores);
   const uint32_t resource = finding->resources[0];
   if (finding->rule == CM_ADVICE_MERGEABLE_PASS) {
      const unsigned read = seen->read_by_next;
      return read && seen->resources[__builtin_ctz(read)] == resource ? unknown & read : 0;
   }
   unsigned own = finding->rule == CM_ADVICE_TARGET_NEVER_READ && seen->target == resource ? ~0u : 0;
   for (unsigned slot = 0; slot < CM_SLOTS; slot++)
      own |= (unsigned)(seen->resources[slot] == resource) << slot;
   return unknown & own & ~(unsigned)seen->read_by_next;
}

/* Counted frames with such stores. */
static bool
find_unknown_frames(const struct cm_advice *advice, struct cm_finding *finding)
{
   for (uint64_t p = 0; p < advice->num_passes; p++) {
      const struct cm_pass_seen *seen = &advice->passes[p];
      const uint32_t count = finding->num_unknown_frames;
      if (!seen->is_counted || !unknown_stores(finding, seen) ||
          (count && finding->unknown_frames[count - 1] == seen->frame))
         continue;
      if (!cm_array_grow(&finding->unknown_frames, count, sizeof *finding->unknown_frames))
         return false;
      finding->unknown_frames[finding->num_unknown_frames++] = seen->frame;
   }
   return true;
}

static void
add_evidence(struct cm_advice *advice, struct cm_finding *finding)
{
   const uint32_t resource = finding->resources[0];
   const struct cm_resource_seen *target = cm_advice_seen(advice, resource);
   const uint32_t frames = advice->counted_frames, unknown = finding->num_unknown_frames;
   cm_finding_add_evidence(finding,
                           finding->rule == CM_ADVICE_BROKEN_PASS ? "times per frame" : "passes per frame",
                           (double)finding->passes / (unknown < frames ? frames - unknown : frames));
   if (target && target->target.passes)
      cm_finding_add_average(advice, finding, "passes to the target per frame", target->target.passes);
   cm_finding_add_evidence(finding, "bytes of the image", (double)cm_advice_image_bytes(advice, resource));
}

/* Whether the GPU would compress the resource if its pixels had fewer bytes. */
static bool
is_too_wide(const struct cm_advice *advice, const struct cm_resource_seen *seen)
{
   const struct cm_compression_config *config = &advice->config->framebuffer_compression;
   const struct cm_resource_description *description = &seen->description;
   const bool is_depth = seen->moved_slots >> CM_SLOT_DEPTH;
   const uint32_t is_on = is_depth                      ? config->depth
                          : description->is_displayable ? config->display
                                                        : config->color;
   return seen->moved_by && config->mode != CM_COMPRESSION_NONE && is_on &&
          description->block_bytes > config->most_pixel_bytes && description->samples == 1 &&
          !seen->is_storage && !(description->uses & CM_USE_OTHER);
}

static bool
find_wide(struct cm_advice *advice)
{
   const uint32_t most = advice->config->framebuffer_compression.most_pixel_bytes;
   for (uint32_t r = 0; r < advice->resource_ids.count; r++) {
      const struct cm_resource_seen *seen = &advice->resources[r];
      if (!is_too_wide(advice, seen))
         continue;
      const struct cm_resource_description *description = &seen->description;
      const struct cm_change change = {.type = CM_CHANGE_NARROW,
                                       .number = description->id,
                                       .block_bytes = most};
      struct cm_finding *finding = cm_advice_add_finding(advice, CM_ADVICE_WIDE_TARGET, &seen->moved);
      if (!finding || !cm_finding_add_resource(finding, description->id) ||
          !cm_finding_add_change(finding, change))
         return false;
      if (seen->moved_slots >> CM_SLOT_DEPTH)
         finding->remedy = "depth of 24 bits, with 8 of stencil";
      finding->assumption =
         "each block of 4x4 pixels becomes as small, of what it is uncompressed, as it does now";
      finding->passes = seen->moved_by;
      finding->slots = seen->moved_slots;
      finding->weight = seen->moved_by * cm_advice_image_bytes(advice, description->id);
      cm_finding_add_average(advice, finding, "passes per frame", seen->moved_by);
      cm_finding_add_evidence(finding, "bytes of a pixel", description->block_bytes);
      cm_finding_add_evidence(finding, "bytes of the largest pixel that is compressed", most);
   }
   return true;
}

bool
cm_advice_find_targets(struct cm_advice *advice)
{
   for (uint64_t number = 0; number < advice->num_passes; number++) {
      if (!find_pass(advice, number) || (advice->passes[number].first_part && !find_parts(advice, number)))
         return false;
   }
   if (!cm_advice_find_subpasses(advice))
      return false;
   cm_advice_drop_uncounted(advice);
   for (size_t f = 0; f < advice->num_findings; f++) {
      struct cm_finding *finding = &advice->findings[f];
      const bool of_pairs = finding->rule == CM_ADVICE_MERGEABLE_PASS;
      const bool of_stores = of_pairs || finding->rule == CM_ADVICE_UNNEEDED_STORE ||
                             finding->rule == CM_ADVICE_TARGET_NEVER_READ;
      if (of_stores && !find_unknown_frames(advice, finding))
         return false;
      if (of_pairs)
         cm_advice_add_subpass_evidence(advice, finding);
      else
         add_evidence(advice, finding);
   }
   return find_wide(advice);
}
