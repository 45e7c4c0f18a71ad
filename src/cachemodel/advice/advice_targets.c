/* SPDX-License-Identifier: MIT */
/* What becomes of the images that passes draw to: loads and stores that nobody needs, passes in parts, passes that nobody
 * reads. An image is a level and a layer of a resource. */
#include <stdlib.h>
#include <string.h>

#include "advice/advice_internal.h"
#include "advice/join.h"
#include "util/array.h"
#include "util/minmax.h"

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

static bool
resolves(const struct cm_pass *pass)
{
   for (uint32_t c = 0; c < CM_MAX_COLOR_ATTACHMENTS; c++) {
      if (pass->resolve[c].resource)
         return true;
   }
   return false;
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
                                                  cm_pass_has_vertex_storage(pass) || resolves(pass),
                                 .drawn = pass->num_draws != 0};
   for (unsigned slot = 0; slot < CM_SLOTS; slot++)
      seen->resources[slot] = cm_pass_attachment(pass, slot)->resource;
   struct cm_resource_seen *target = cm_advice_seen(advice, seen->target);
   if (!cm_contents_pass_reads(advice->contents, pass))
      return false;
   if (target && continues(advice, pass, &target->target))
      seen->first_part = target->target.last_number + 1;
   if (!cm_contents_pass_stores(advice->contents, pass, &seen->stored))
      return false;
   cm_advice_take_ends(advice);
   if (!target)
      return true;
   cm_advice_remember(advice, &target->target.place, pass, CM_NO_DRAW);
   target->target.passes++;
   return keep_head(advice, &target->target, pass) &&
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
   if (seen->drawn && !seen->other_outputs && seen->stored && seen->unneeded_stores == seen->stored) {
      struct cm_finding *finding =
         finding_of(advice, CM_ADVICE_TARGET_NEVER_READ, CM_CHANGE_SKIP_PASSES, seen->target, seen);
      if (!add_pass(finding, number))
         return false;
      finding->passes = finding->change.num_passes;
      finding->weight += 2 * image_bytes(advice, seen->target);
      return true;
   }
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      if (!find_attachment(advice, number, slot, seen->unneeded_stores >> slot & 1))
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
