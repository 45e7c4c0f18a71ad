/* SPDX-License-Identifier: MIT */
#include "advice/advice.h"

#include <stdlib.h>
#include <string.h>

#include "advice/advice_internal.h"
#include "config/config.h"
#include "events/names.h"
#include "util/array.h"

const struct cm_advice_rule_text cm_advice_rule_texts[CM_ADVICE_RULE_COUNT] = {
#define RULE_TEXT(id, name, problem, remedy) {name, problem, remedy},
   CM_ADVICE_RULES(RULE_TEXT)
#undef RULE_TEXT
};

struct cm_advice *
cm_advice_create(const struct cm_config *config)
{
   struct cm_advice *advice = calloc(1, sizeof *advice);
   if (!advice)
      return NULL;
   advice->config = config;
   advice->names = cm_names_create();
   advice->contents = cm_contents_create();
   if (advice->names && advice->contents)
      return advice;
   cm_advice_destroy(advice);
   return NULL;
}

static void
free_finding(struct cm_finding *finding)
{
   for (uint32_t c = 0; c < finding->num_changes; c++)
      free(finding->changes[c].passes);
   free(finding->changes);
   free(finding->other_changes);
   free(finding->resources);
   free(finding->unknown_frames);
}

static void
drop_findings(struct cm_advice *advice)
{
   for (size_t f = 0; f < advice->num_findings; f++)
      free_finding(&advice->findings[f]);
   advice->num_findings = 0;
}

void
cm_advice_destroy(struct cm_advice *advice)
{
   if (!advice)
      return;
   drop_findings(advice);
   cm_names_destroy(advice->names);
   cm_contents_destroy(advice->contents);
   for (uint32_t r = 0; r < advice->resource_ids.count; r++)
      free(advice->resources[r].target.last);
   cm_id_table_finish(&advice->resource_ids);
   cm_id_table_finish(&advice->vertex_ids);
   cm_id_table_finish(&advice->fragment_ids);
   free(advice->resources);
   free(advice->vertex_shaders);
   free(advice->fragment_shaders);
   free(advice->passes);
   free(advice->findings);
   free(advice->seen_vertices.data);
   free(advice->numbers.data);
   free(advice->sorted.data);
   free(advice->covered.data);
   free(advice->draws.data);
   free(advice->reading_draws.data);
   free(advice);
}

/* ---- what the parts share -------------------------------------------------------- */

void
cm_advice_remember(const struct cm_advice *advice, struct cm_place *place, const struct cm_pass *pass,
                   uint32_t draw)
{
   if (place->known)
      return;
   *place =
      (struct cm_place){.known = true, .frame = advice->frame, .pass = advice->pass_of_frame, .draw = draw};
   if (draw != CM_NO_DRAW) {
      place->group = pass->draws[draw].group;
      place->call = pass->draws[draw].call;
   }
}

struct cm_resource_seen *
cm_advice_seen(const struct cm_advice *advice, uint32_t id)
{
   const uint32_t index = cm_id_table_find(&advice->resource_ids, id);
   return index == CM_NO_INDEX ? NULL : &advice->resources[index];
}

void *
cm_advice_element(struct cm_id_table *ids, void *array, size_t *capacity, uint32_t id, size_t element_bytes)
{
   const uint32_t count = ids->count;
   const uint32_t index = cm_id_table_add(ids, id);
   if (index == CM_NO_INDEX || !cm_array_make_room(array, capacity, count, 1, element_bytes))
      return NULL;
   char *element = *(char **)array + index * element_bytes;
   if (index == count)
      memset(element, 0, element_bytes);
   return element;
}

struct cm_finding *
cm_advice_add_finding(struct cm_advice *advice, enum cm_advice_rule rule, const struct cm_place *place)
{
   if (!cm_array_make_room(&advice->findings, &advice->findings_capacity, advice->num_findings, 1,
                           sizeof *advice->findings))
      return NULL;
   struct cm_finding *finding = &advice->findings[advice->num_findings++];
   *finding = (struct cm_finding){.rule = rule,
                                  .problem = cm_advice_rule_texts[rule].problem,
                                  .remedy = cm_advice_rule_texts[rule].remedy,
                                  .frame = place->frame,
                                  .pass = place->pass,
                                  .draw = place->draw,
                                  .group = place->group,
                                  .call = place->call};
   return finding;
}

bool
cm_finding_add_change(struct cm_finding *finding, struct cm_change change)
{
   if (!cm_array_grow(&finding->changes, finding->num_changes, sizeof *finding->changes))
      return false;
   finding->changes[finding->num_changes++] = change;
   return true;
}

bool
cm_finding_add_resource(struct cm_finding *finding, uint32_t resource)
{
   if (!cm_array_grow(&finding->resources, finding->num_resources, sizeof *finding->resources))
      return false;
   finding->resources[finding->num_resources++] = resource;
   return true;
}

void
cm_finding_add_evidence(struct cm_finding *finding, const char *name, double value)
{
   if (finding->num_evidence < CM_MAX_EVIDENCE)
      finding->evidence[finding->num_evidence++] = (struct cm_evidence){name, value};
}

void
cm_finding_add_average(const struct cm_advice *advice, struct cm_finding *finding, const char *name,
                       uint64_t sum)
{
   cm_finding_add_evidence(finding, name, (double)sum / advice->counted_frames);
}

void
cm_advice_drop_uncounted(struct cm_advice *advice)
{
   size_t kept = 0;
   for (size_t f = 0; f < advice->num_findings; f++) {
      if (advice->findings[f].passes)
         advice->findings[kept++] = advice->findings[f];
      else
         free_finding(&advice->findings[f]);
   }
   advice->num_findings = kept;
}

/* ---- the stream ------------------------------------------------------------------ */

bool
cm_advice_define_resource(struct cm_advice *advice, const struct cm_resource_description *resource)
{
   /* As the consumer, which takes the first one. */
   if (cm_advice_seen(advice, resource->id))
      return true;
   struct cm_resource_seen *seen =
      cm_advice_element(&advice->resource_ids, &advice->resources, &advice->resources_capacity, resource->id,
                        sizeof *advice->resources);
   if (!seen || !cm_names_define_resource(advice->names, resource) ||
       !cm_contents_define_resource(advice->contents, resource))
      return false;
   seen->description = *resource;
   return true;
}

bool
cm_advice_define_name(struct cm_advice *advice, const struct cm_name *name)
{
   if (name->type == CM_NAME_READ && !cm_contents_read(advice->contents, name->number))
      return false;
   cm_advice_take_ends(advice);
   return cm_names_define(advice->names, name);
}

void
cm_advice_frame_begin(struct cm_advice *advice, uint32_t number, bool is_counted)
{
   advice->frame = number;
   advice->pass_of_frame = 0;
   advice->is_counted = is_counted;
   advice->counted_frames += is_counted;
}

bool
cm_advice_pass(struct cm_advice *advice, const struct cm_pass *pass)
{
   if (!cm_advice_look_at_targets(advice, pass) ||
       (advice->is_counted && !cm_advice_look_at_draws(advice, pass)))
      return false;
   advice->pass_of_frame++;
   return true;
}

bool
cm_advice_frame_end(struct cm_advice *advice)
{
   const bool ok = cm_contents_frame_end(advice->contents);
   cm_advice_take_ends(advice);
   return ok;
}

/* ---- findings -------------------------------------------------------------------- */

static int
by_weight(const void *a, const void *b)
{
   const struct cm_finding *first = a, *second = b;
   if (first->weight != second->weight)
      return first->weight < second->weight ? 1 : -1;
   if (first->rule != second->rule)
      return first->rule < second->rule ? -1 : 1;
   const uint32_t number = first->changes[0].number, other = second->changes[0].number;
   return (number > other) - (number < other);
}

const struct cm_finding *
cm_advice_findings(struct cm_advice *advice, uint32_t *count)
{
   static const struct cm_finding none;
   drop_findings(advice);
   if (!cm_advice_find_targets(advice) || !cm_advice_find_textures(advice) || !cm_advice_find_draws(advice))
      return NULL;
   *count = (uint32_t)advice->num_findings;
   if (!*count)
      return &none;
   qsort(advice->findings, *count, sizeof *advice->findings, by_weight);
   return advice->findings;
}

const struct cm_names *
cm_advice_names(const struct cm_advice *advice)
{
   return advice->names;
}

bool
cm_advice_knows_overdraw(const struct cm_advice *advice)
{
   return advice->knows_overdraw;
}

const struct cm_resource_description *
cm_advice_resource(const struct cm_advice *advice, uint32_t id)
{
   const struct cm_resource_seen *seen = cm_advice_seen(advice, id);
   return seen ? &seen->description : NULL;
}

struct cm_hidden_overdraw
cm_advice_hidden_overdraw(const struct cm_advice *advice)
{
   uint64_t hidden = 0, opaque = 0;
   for (uint32_t r = 0; r < advice->resource_ids.count; r++) {
      hidden += advice->resources[r].target.hidden;
      opaque += advice->resources[r].target.opaque;
   }
   if (advice->config->mode != CM_MODE_TBDR ||
       !cm_advice_is_large(advice, hidden, opaque, CM_ADVICE_LEAST_FRAGMENTS))
      return (struct cm_hidden_overdraw){0};
   return (struct cm_hidden_overdraw){(double)hidden / advice->counted_frames,
                                      (double)opaque / advice->counted_frames};
}
