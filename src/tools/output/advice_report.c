/* SPDX-License-Identifier: MIT */
#include "output/advice_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/draw_list.h"
#include "events/names.h"
#include "output/output.h"
#include "stats/counters.h"
#include "tools.h"

static const struct {
   const char *key, *name, *counters[2];
   bool ranks;
} measures[] = {
#define ROW(id, key, name, counter, second, ranks) {key, name, {counter, second}, ranks},
   ADVICE_MEASURES(ROW)
#undef ROW
};

static const char *const slot_names[CM_SLOTS] = {
   "color 0", "color 1", "color 2", "color 3", "color 4", "color 5", "color 6", "color 7", "depth", "stencil",
};

/* ---- measures ------------------------------------------------------------------- */

/* Whether a counted frame is one of those in which it is not known what the finding is worth. */
static bool
is_unknown(const struct advice_report *report, const struct cm_finding *finding, unsigned frame)
{
   for (uint32_t u = 0; u < finding->num_unknown_frames; u++) {
      if (finding->unknown_frames[u] == report->frames[frame])
         return true;
   }
   return false;
}

/* For which counted frames it is known what the findings are worth, by their order. Their count. */
static unsigned
known_frames(const struct advice_report *report, const struct advised *list, unsigned count, bool *known)
{
   unsigned num_known = 0;
   for (unsigned f = 0; f < report->baseline->frames; f++) {
      known[f] = true;
      for (unsigned a = 0; a < count; a++)
         known[f] &= !is_unknown(report, list[a].finding, f);
      num_known += known[f];
   }
   return num_known;
}

/* A measure's average over those frames; known NULL: over all of them. False: the configuration does not have it. */
static bool
measure(const struct simulation *simulation, enum advice_measure which, const bool *known, double *average)
{
   const struct cm_counter_table *table = simulation->table;
   unsigned num_known = 0;
   bool found = false;
   *average = 0;
   for (unsigned f = 0; f < simulation->frames; f++)
      num_known += !known || known[f];
   for (unsigned c = 0; c < 2 && measures[which].counters[c]; c++) {
      const int counter = cm_counter_table_find(table, measures[which].counters[c]);
      if (counter < 0)
         continue;
      found = true;
      for (unsigned f = 0; f < simulation->frames; f++)
         *average += !known || known[f]
                        ? (double)simulation->samples[(size_t)f * table->count + (unsigned)counter]
                        : 0;
   }
   *average /= num_known;
   return found;
}

/* What a simulation saves in frames. */
static struct advice_saving
saving_of(const struct advice_report *report, const struct simulation *simulation, const bool *known)
{
   struct advice_saving saving = {{0}};
   for (unsigned m = 0; m < ADVICE_MEASURE_COUNT; m++) {
      double before, after;
      measure(report->baseline, (enum advice_measure)m, known, &before);
      measure(simulation, (enum advice_measure)m, known, &after);
      saving.saved[m] = before - after;
   }
   return saving;
}

/* The part of a measure that is saved. */
static double
share(const struct advice_report *report, const struct advice_saving *saving, unsigned which)
{
   return report->before[which] > 0 ? saving->saved[which] / report->before[which] : 0;
}

/* The largest share that is saved; of those measures only that rank, or of all. */
static double
largest_share(const struct advice_report *report, const struct advice_saving *saving, bool of_all)
{
   double largest = -INFINITY;
   for (unsigned m = 0; m < ADVICE_MEASURE_COUNT; m++) {
      if (of_all || measures[m].ranks)
         largest = fmax(largest, share(report, saving, m));
   }
   return largest;
}

/* The most worth first; where that is the same, the first measure that is not. */
static int
by_worth(const void *a, const void *b)
{
   const struct advised *first = a, *second = b;
   if (first->worth != second->worth)
      return first->worth < second->worth ? 1 : -1;
   for (unsigned m = 0; m < ADVICE_MEASURE_COUNT; m++) {
      if (first->saving.saved[m] != second->saving.saved[m])
         return first->saving.saved[m] < second->saving.saved[m] ? 1 : -1;
   }
   return 0;
}

/* Of the orders, the best one stays. They are the list's last. */
static void
keep_best_order(struct advice_report *report)
{
   struct advised *best = NULL;
   unsigned kept = 0;
   for (unsigned a = 0; a < report->count; a++) {
      struct advised *advised = &report->list[a];
      if (advised->finding->rule != CM_ADVICE_TILE_ORDER)
         kept++;
      else if (!best || advised->worth > best->worth)
         best = advised;
   }
   if (best)
      report->list[kept++] = *best;
   report->count = kept;
}

void
advice_report_measure(struct advice_report *report)
{
   bool *known = allocate(report->baseline->frames * sizeof(*known));
   unsigned kept = 0;
   for (unsigned m = 0; m < ADVICE_MEASURE_COUNT; m++)
      report->measured[m] = measure(report->baseline, (enum advice_measure)m, NULL, &report->before[m]);
   for (unsigned a = 0; a < report->count; a++) {
      struct advised *advised = &report->list[a];
      const bool any = known_frames(report, advised, 1, known);
      advised->saving = saving_of(report, advised->simulation, any ? known : NULL);
      if (advised->other)
         advised->other_saving = saving_of(report, advised->other, any ? known : NULL);
      advised->worth = report->measured[ADVICE_CYCLES] ? advised->saving.saved[ADVICE_CYCLES]
                                                       : largest_share(report, &advised->saving, false);
   }
   free(known);
   keep_best_order(report);
   for (unsigned a = 0; a < report->count; a++) {
      if (largest_share(report, &report->list[a].saving, true) >= report->least)
         report->list[kept++] = report->list[a];
   }
   report->small = report->count - kept;
   report->count = kept;
   if (kept)
      qsort(report->list, kept, sizeof(*report->list), by_worth);
}

/* Whether a finding is part of all together, and saves something. */
static bool
has_part(const struct advice_report *report, const struct advised *advised)
{
   for (unsigned a = 0; a < report->num_apart; a++) {
      if (report->apart[a] == advised->finding)
         return false;
   }
   return largest_share(report, &advised->saving, true) > 0;
}

void
advice_report_measure_together(struct advice_report *report)
{
   const struct simulation *simulation = report->together.simulation;
   bool *known = allocate(report->baseline->frames * sizeof(*known));
   struct advised *parts = allocate((report->count + 1) * sizeof(*parts));
   unsigned count = 0;
   for (unsigned a = 0; a < report->count; a++) {
      if (has_part(report, &report->list[a]))
         parts[count++] = report->list[a];
   }
   report->together.saving = saving_of(report, simulation, NULL);
   report->together_known = known_frames(report, parts, count, known);
   if (report->together_known)
      report->known_saving = saving_of(report, simulation, known);
   free(parts);
   free(known);
}

/* ---- JSON ----------------------------------------------------------------------- */

/* The number in the list, from 0, of a finding that is there. */
static unsigned
number_of(const struct advice_report *report, const struct cm_finding *finding)
{
   unsigned number = 0;
   while (report->list[number].finding != finding)
      number++;
   return number;
}

static json_t *
measures_json(const struct advice_report *report, const double *values)
{
   json_t *object = json_object();
   for (unsigned m = 0; m < ADVICE_MEASURE_COUNT; m++) {
      if (report->measured[m])
         json_object_set_new(object, measures[m].key, json_real(values[m]));
   }
   return object;
}

/* Adds what is saved, in numbers and per cent. */
static void
add_saving(const struct advice_report *report, const struct advice_saving *saving, json_t *object)
{
   json_t *percent = json_object();
   for (unsigned m = 0; m < ADVICE_MEASURE_COUNT; m++) {
      if (report->measured[m] && report->before[m] > 0)
         json_object_set_new(percent, measures[m].key, json_real(100 * share(report, saving, m)));
   }
   json_object_set_new(object, "saves", measures_json(report, saving->saved));
   json_object_set_new(object, "saves_percent", percent);
}

static json_t *
resource_json(const struct advice_report *report, uint32_t id, uint32_t attached_as)
{
   const struct cm_resource_description *resource = cm_advice_resource(report->advice, id);
   const struct cm_names *names = cm_advice_names(report->advice);
   if (!resource)
      return json_null();
   json_t *slots = json_array();
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      if (attached_as >> slot & 1)
         json_array_append_new(slots, json_string(slot_names[slot]));
   }
   return json_pack("{s:I, s:s, s:o, s:o, s:i, s:i, s:i, s:i, s:o}", "id", (json_int_t)resource->id, "kind",
                    resource->is_displayable ? "window" : "texture", "label",
                    output_text(cm_names_label(names, resource->id)), "format",
                    output_text(cm_names_format(names, resource->id)), "width", (int)resource->width,
                    "height", (int)resource->height, "layers", (int)resource->layers, "levels",
                    (int)resource->levels, "attached_as", slots);
}

/* A number, or null for 0: calls and the like, which count from 1. */
static json_t *
number_json(uint32_t number)
{
   return number ? json_integer(number) : json_null();
}

static json_t *
break_json(const struct advice_report *report, const struct cm_finding *finding)
{
   const struct cm_pass_break *where = &finding->pass_break;
   if (finding->rule != CM_ADVICE_BROKEN_PASS)
      return json_null();
   return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o}", "reason", cm_end_reason_names[where->reason],
                    "next_pass", (int)where->next_pass, "last_call_before", number_json(where->last_call),
                    "end_call", number_json(where->end_call), "first_call_after",
                    number_json(where->next_call), "meanwhile",
                    resource_json(report, where->other_target, 0));
}

static json_t *
shader_json(const struct advice_report *report, enum cm_shader_stage stage, uint32_t shader)
{
   const struct cm_names *names = cm_advice_names(report->advice);
   char hash[17];
   if (!shader)
      return json_null();
   snprintf(hash, sizeof(hash), "%016" PRIx64, cm_names_shader_hash(names, stage, shader));
   return json_pack("{s:s, s:o}", "hash", hash, "label",
                    output_text(cm_names_shader_label(names, stage, shader)));
}

static json_t *
other_json(const struct advice_report *report, const struct advised *advised)
{
   if (!advised->other)
      return json_null();
   json_t *object = json_pack("{s:s}", "condition", advised->finding->condition);
   add_saving(report, &advised->other_saving, object);
   return object;
}

/* What tells a finding from others of its rule: uncompressed, texture 7 "wall" and 2 more, pass 3. */
static json_t *
title_json(const struct advice_report *report, const struct cm_finding *finding)
{
   const struct cm_names *names = cm_advice_names(report->advice);
   const struct cm_resource_description *resource =
      finding->num_resources ? cm_advice_resource(report->advice, finding->resources[0]) : NULL;
   const char *rule = cm_advice_rule_texts[finding->rule].name;
   if (finding->rule == CM_ADVICE_TILE_ORDER)
      return json_string(rule);
   char *about;
   if (resource) {
      const char *label = cm_names_label(names, resource->id);
      about = text(", %s %u%s%s%s", resource->is_displayable ? "window" : "texture", resource->id,
                   *label ? " \"" : "", label, *label ? "\"" : "");
   } else if (finding->fragment_shader || finding->vertex_shader) {
      const enum cm_shader_stage stage = finding->fragment_shader ? CM_SHADER_FRAGMENT : CM_SHADER_VERTEX;
      const uint32_t shader = finding->fragment_shader ? finding->fragment_shader : finding->vertex_shader;
      about = text(", shader %016" PRIx64, cm_names_shader_hash(names, stage, shader));
   } else {
      about = text("%s", "");
   }
   char *more =
      finding->num_resources > 1 ? text(" and %u more", finding->num_resources - 1) : text("%s", "");
   char *title = text("%s%s%s, pass %u", rule, about, more, finding->pass);
   json_t *json = output_text(title);
   free(about);
   free(more);
   free(title);
   return json;
}

/* Findings whose simulation leaves out the same loads as this one's: a continued pass that is loaded needlessly. */
static json_t *
same_loads_json(const struct advice_report *report, const struct cm_finding *finding)
{
   json_t *list = json_array();
   const bool joins = finding->rule == CM_ADVICE_BROKEN_PASS;
   for (unsigned a = 0; (joins || finding->rule == CM_ADVICE_UNNEEDED_LOAD) && a < report->count; a++) {
      const struct cm_finding *other = report->list[a].finding;
      if (other->rule != (joins ? CM_ADVICE_UNNEEDED_LOAD : CM_ADVICE_BROKEN_PASS))
         continue;
      const struct cm_finding *loads = joins ? other : finding, *parts = joins ? finding : other;
      if (cm_changes_shared_loads(loads->changes, parts->changes))
         json_array_append_new(list, json_integer(a));
   }
   return list;
}

static json_t *
finding_json(const struct advice_report *report, const struct advised *advised)
{
   const struct cm_finding *finding = advised->finding;
   json_t *evidence = json_object(), *resources = json_array();
   for (unsigned e = 0; e < finding->num_evidence; e++)
      json_object_set_new(evidence, finding->evidence[e].name, json_real(finding->evidence[e].value));
   for (uint32_t r = 0; r < finding->num_resources; r++)
      json_array_append_new(resources, resource_json(report, finding->resources[r], finding->slots));
   json_t *object = json_pack(
      "{s:o, s:s, s:s, s:s, s:s?, s:s?, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
      "s:i, s:o}",
      "title", title_json(report, finding), "rule", cm_advice_rule_texts[finding->rule].name, "problem",
      finding->problem, "remedy", finding->remedy, "assumption", finding->assumption, "settings",
      advised->settings, "frame", (int)finding->frame, "pass", (int)finding->pass, "passes",
      (int)finding->passes, "draw", finding->draw == CM_NO_DRAW ? json_null() : json_integer(finding->draw),
      "call", number_json(finding->call), "group",
      finding->group ? draw_list_group(cm_advice_names(report->advice), finding->group) : json_null(),
      "break", break_json(report, finding), "resource",
      finding->num_resources ? resource_json(report, finding->resources[0], finding->slots) : json_null(),
      "resources", resources, "vertex_shader", shader_json(report, CM_SHADER_VERTEX, finding->vertex_shader),
      "fragment_shader", shader_json(report, CM_SHADER_FRAGMENT, finding->fragment_shader), "evidence",
      evidence, "same_loads", same_loads_json(report, finding), "frames_not_known",
      (int)finding->num_unknown_frames, "or", other_json(report, advised));
   add_saving(report, &advised->saving, object);
   return object;
}

static json_t *
together_json(const struct advice_report *report)
{
   if (!report->together.simulation)
      return json_null();
   json_t *object = json_object(), *apart = json_array();
   for (unsigned a = 0; a < report->num_apart; a++)
      json_array_append_new(apart, json_integer(number_of(report, report->apart[a])));
   json_object_set_new(object, "without", apart);
   json_object_set_new(object, "frames_not_known",
                       json_integer(report->baseline->frames - report->together_known));
   add_saving(report, &report->together.saving, object);
   json_t *others = report->together_known ? json_object() : json_null();
   if (report->together_known)
      add_saving(report, &report->known_saving, others);
   json_object_set_new(object, "others", others);
   return object;
}

static json_t *
loading_json(const struct advice_report *report)
{
   json_t *list = json_array();
   for (unsigned l = 0; l < report->loading->count; l++) {
      const struct frame_load *load = &report->loading->list[l];
      json_array_append_new(list, json_pack("{s:i, s:I, s:I}", "frame", (int)load->number, "passes",
                                            (json_int_t)load->passes, "draws", (json_int_t)load->draws));
   }
   return list;
}

static json_t *
frames_json(const struct advice_report *report)
{
   json_t *list = json_array();
   for (unsigned f = 0; f < report->baseline->frames; f++)
      json_array_append_new(list, json_integer(report->frames[f]));
   return list;
}

static json_t *
hidden_json(const struct advice_report *report)
{
   const struct cm_hidden_overdraw overdraw = cm_advice_hidden_overdraw(report->advice);
   return overdraw.hidden
             ? json_pack("{s:f, s:f}", "fragments", overdraw.hidden, "of_opaque", overdraw.opaque)
             : json_null();
}

json_t *
advice_report_json(const struct advice_report *report)
{
   json_t *findings = json_array();
   for (unsigned a = 0; a < report->count; a++)
      json_array_append_new(findings, finding_json(report, &report->list[a]));
   return json_pack("{s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:o, s:b}", "recording",
                    output_text(report->recording), "run", output_run(report->recording), "configuration",
                    output_text(report->configuration), "frames", (int)report->baseline->frames,
                    "frame_numbers", frames_json(report), "loading_frames", loading_json(report),
                    "a_frame_has", measures_json(report, report->before), "findings", findings, "together",
                    together_json(report), "save_less", (int)report->small, "not_simulated",
                    (int)report->not_simulated, "hidden_overdraw", hidden_json(report), "overdraw_known",
                    cm_advice_knows_overdraw(report->advice));
}

/* ---- text ----------------------------------------------------------------------- */

/* The savings of a finding, or of all. */
static void
print_savings(const json_t *finding, FILE *file)
{
   unsigned printed = 0;
   for (unsigned m = 0; m < ADVICE_MEASURE_COUNT; m++) {
      const char *key = measures[m].key;
      const double percent =
         json_number_value(json_object_get(json_object_get(finding, "saves_percent"), key));
      if (fabs(percent) < 0.05)
         continue;
      char *amount =
         output_amount(key, json_number_value(json_object_get(json_object_get(finding, "saves"), key)));
      fprintf(file, "%s%s %s (%.1f %%)", printed++ ? ", " : "saves ", amount, measures[m].name, percent);
      free(amount);
   }
   fprintf(file, "%s\n", printed ? " per frame" : "saves nothing");
}

/* Where a finding was found first. An order of tiles is of no place. */
static void
print_place(const json_t *finding, FILE *file)
{
   static const char *const keys[] = {"frame", "pass", "draw", "call"};
   const char *group = json_string_value(json_object_get(finding, "group"));
   unsigned printed = 0;
   if (json_is_string(json_object_get(finding, "settings")))
      return;
   for (unsigned k = 0; k < sizeof keys / sizeof *keys; k++) {
      const json_t *number = json_object_get(finding, keys[k]);
      if (json_is_integer(number))
         fprintf(file, "%s%s %" JSON_INTEGER_FORMAT, printed++ ? ", " : "   first in: ", keys[k],
                 json_integer_value(number));
   }
   fprintf(file, group ? ", group %s\n" : "\n", group);
}

static void
print_same_loads(const json_t *finding, const struct advice_report *report, FILE *file)
{
   size_t n;
   json_t *number;
   json_array_foreach(json_object_get(finding, "same_loads"), n, number)
   {
      const json_int_t other = json_integer_value(number);
      fprintf(file,
              "   overlap: %" JSON_INTEGER_FORMAT
              ". (%s) saves loads that this one saves; do one of the two\n",
              other + 1, cm_advice_rule_texts[report->list[other].finding->rule].name);
   }
}

/* Changes the finding. */
static void
print_finding(json_t *finding, size_t number, const struct advice_report *report, FILE *file)
{
   static const char *const printed[] = {
      "title", "rule", "saves", "saves_percent", "or",         "resource",        "frame",
      "pass",  "draw", "call",  "group",         "same_loads", "frames_not_known"};
   const json_t *other = json_object_get(finding, "or");
   const json_int_t unknown = json_integer_value(json_object_get(finding, "frames_not_known"));
   fprintf(file, "\n%zu. %s: ", number + 1, json_string_value(json_object_get(finding, "title")));
   print_savings(finding, file);
   if (json_is_object(other)) {
      fprintf(file, "   %s: ", json_string_value(json_object_get(other, "condition")));
      print_savings(other, file);
   }
   print_same_loads(finding, report, file);
   if (unknown)
      fprintf(file,
              "   in %" JSON_INTEGER_FORMAT " frame%s it is not known what becomes of what is stored%s\n",
              unknown, unknown == 1 ? "" : "s",
              (unsigned)unknown < report->baseline->frames ? "; the saving is an average of the others" : "");
   print_place(finding, file);
   for (unsigned p = 0; p < sizeof printed / sizeof *printed; p++)
      json_object_del(finding, printed[p]);
   if (!json_integer_value(json_object_get(finding, "passes")))
      json_object_del(finding, "passes");
   output_lines(json_incref(finding), 3, file);
}

static void
print_together(const json_t *together, FILE *file)
{
   size_t w;
   json_t *number;
   fprintf(file, "\nall of these together, without the order of tiles: ");
   print_savings(together, file);
   const json_int_t unknown = json_integer_value(json_object_get(together, "frames_not_known"));
   if (unknown)
      fprintf(file,
              "   in %" JSON_INTEGER_FORMAT
              " frame%s it is not known what becomes of some stores: these save nothing there\n",
              unknown, unknown == 1 ? "" : "s");
   if (unknown && json_is_object(json_object_get(together, "others"))) {
      fprintf(file, "   in the others: ");
      print_savings(json_object_get(together, "others"), file);
   }
   json_array_foreach(json_object_get(together, "without"), w, number)
      fprintf(file,
              "   without %" JSON_INTEGER_FORMAT
              ".: another one leaves out passes that it joins, or joins those\n",
              json_integer_value(number) + 1);
}

/* "frame 3", "frames 0 to 5, 7": ascending numbers. */
static void
print_frames(const unsigned *frames, unsigned count, FILE *file)
{
   fprintf(file, "frame%s", count == 1 ? "" : "s");
   for (unsigned f = 0, last; f < count; f = last + 1) {
      for (last = f; last + 1 < count && frames[last + 1] == frames[last] + 1;)
         last++;
      fprintf(file, "%s %u", f ? "," : "", frames[f]);
      if (last > f)
         fprintf(file, " to %u", frames[last]);
   }
}

/* What is looked at, and what that takes. */
static void
print_head(const struct advice_report *report, FILE *file)
{
   unsigned printed = 0;
   fprintf(file, "%s on %s, ", report->recording, report->configuration);
   print_frames(report->frames, report->baseline->frames, file);
   putc('\n', file);
   if (report->loading->count) {
      loading_frames_print(report->loading, file);
      fprintf(file, ":\nsimulated, but not counted (--all-frames counts all)\n");
   }
   for (unsigned m = 0; m < ADVICE_MEASURE_COUNT; m++) {
      if (!report->measured[m])
         continue;
      char *amount = output_amount(measures[m].key, report->before[m]);
      fprintf(file, "%s%s %s", printed++ ? ", " : "per frame: ", amount, measures[m].name);
      free(amount);
   }
   putc('\n', file);
}

/* What is not in the list, and why. */
static void
print_rest(const struct advice_report *report, FILE *file)
{
   const struct cm_hidden_overdraw overdraw = cm_advice_hidden_overdraw(report->advice);
   const bool is_known = cm_advice_knows_overdraw(report->advice);
   if (report->small || report->not_simulated || overdraw.hidden || !is_known)
      putc('\n', file);
   if (report->small)
      fprintf(file, "%u more finding%s less than %g %% of each measure (--least)\n", report->small,
              report->small == 1 ? " saves" : "s save", 100 * report->least);
   if (report->not_simulated)
      fprintf(file, "%u more finding%s not simulated (--most)\n", report->not_simulated,
              report->not_simulated == 1 ? " was" : "s were");
   if (overdraw.hidden) {
      char *hidden = output_amount("", overdraw.hidden);
      fprintf(
         file,
         "this GPU hides %s opaque fragments per frame, %.1f %% of all; one without hidden surface removal "
         "would shade them (--set mode=tbr finds where)\n",
         hidden, 100 * overdraw.hidden / overdraw.opaque);
      free(hidden);
   }
   if (!is_known)
      fprintf(file, "overdraw is not known: the recording has no hidden fragments\n");
}

void
advice_report_print(const struct advice_report *report, FILE *file)
{
   json_t *root = advice_report_json(report), *finding;
   size_t f;
   print_head(report, file);
   json_array_foreach(json_object_get(root, "findings"), f, finding) print_finding(finding, f, report, file);
   if (json_is_object(json_object_get(root, "together")))
      print_together(json_object_get(root, "together"), file);
   if (!report->count)
      fprintf(file, "\nnothing found that saves %g %% of any of these\n", 100 * report->least);
   print_rest(report, file);
   json_decref(root);
}
