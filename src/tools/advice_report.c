/* SPDX-License-Identifier: MIT */
#include "advice_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw_list.h"
#include "events/names.h"
#include "output.h"
#include "stats/counters.h"
#include "tools.h"

static const struct {
   const char *key, *name, *counters[2];
} measures[] = {
#define ROW(id, key, name, counter, second) {key, name, {counter, second}},
   ADVICE_MEASURES(ROW)
#undef ROW
};

static const char *const slot_names[CM_SLOTS] = {
   "color 0", "color 1", "color 2", "color 3", "color 4", "color 5", "color 6", "color 7", "depth", "stencil",
};

/* ---- measures ------------------------------------------------------------------- */

/* A measure's average over the frames; false: the configuration does not have it. */
static bool
measure(const struct simulation *simulation, enum advice_measure which, double *average)
{
   bool found = false;
   *average = 0;
   for (unsigned c = 0; c < 2 && measures[which].counters[c]; c++) {
      const int counter = cm_counter_table_find(simulation->table, measures[which].counters[c]);
      found |= counter >= 0;
      *average += counter < 0 ? 0 : ratio(simulation->total[counter], simulation->frames);
   }
   return found;
}

double
advice_report_saving(const struct advice_report *report, const struct advised *advised)
{
   double before, after;
   measure(report->baseline, ADVICE_DRAM, &before);
   measure(advised->simulation, ADVICE_DRAM, &after);
   return before - after;
}

static int
by_saving(const void *a, const void *b)
{
   const struct advised *first = a, *second = b;
   for (unsigned m = 0; m < ADVICE_MEASURE_COUNT; m++) {
      if (first->saved[m] != second->saved[m])
         return first->saved[m] < second->saved[m] ? 1 : -1;
   }
   return 0;
}

void
advice_report_measure(struct advice_report *report)
{
   unsigned kept = 0;
   for (unsigned m = 0; m < ADVICE_MEASURE_COUNT; m++)
      report->measured[m] = measure(report->baseline, (enum advice_measure)m, &report->before[m]);
   for (unsigned a = 0; a < report->count; a++) {
      struct advised *advised = &report->list[a];
      for (unsigned m = 0; m < ADVICE_MEASURE_COUNT; m++) {
         double after;
         measure(advised->simulation, (enum advice_measure)m, &after);
         advised->saved[m] = report->before[m] - after;
         if (report->before[m] > 0)
            advised->least = fmax(advised->least, advised->saved[m] / report->before[m]);
      }
      if (advised->least >= report->least)
         report->list[kept++] = *advised;
   }
   report->small = report->count - kept;
   report->count = kept;
   if (kept)
      qsort(report->list, kept, sizeof(*report->list), by_saving);
}

/* ---- text ----------------------------------------------------------------------- */

/* "1.25 million bytes": three digits. */
static void
print_amount(double value, const char *name, FILE *file)
{
   const char *const units[] = {"", " thousand", " million", " billion", " trillion"};
   unsigned unit = 0;
   for (; fabs(value) >= 1000 && unit < 4; unit++)
      value /= 1000;
   const int digits = fabs(value) >= 100 || (!unit && value == floor(value)) ? 0 : fabs(value) >= 10 ? 1 : 2;
   fprintf(file, "%.*f%s %s", digits, value, units[unit], name);
}

static void
print_resource(const struct advice_report *report, const struct cm_finding *finding, FILE *file)
{
   const struct cm_resource_description *resource = cm_advice_resource(report->advice, finding->resource);
   const struct cm_names *names = cm_advice_names(report->advice);
   if (!resource)
      return;
   const char *label = cm_names_label(names, resource->id);
   fprintf(file, "   %s %u%s%s%s: %u × %u", resource->is_displayable ? "window" : "texture", resource->id,
           *label ? " \"" : "", label, *label ? "\"" : "", resource->width, resource->height);
   if (resource->layers > 1)
      fprintf(file, ", %u layers", resource->layers);
   fprintf(file, ", %s", cm_names_format(names, resource->id));
   for (unsigned slot = 0, any = 0; slot < CM_SLOTS; slot++) {
      if (finding->slots >> slot & 1)
         fprintf(file, "%s%s", any++ ? ", " : "; attached as ", slot_names[slot]);
   }
   fprintf(file, "\n");
}

static void
print_shader(const struct advice_report *report, enum cm_shader_stage stage, const char *kind,
             uint32_t shader, FILE *file)
{
   const struct cm_names *names = cm_advice_names(report->advice);
   if (!shader)
      return;
   const char *label = cm_names_shader_label(names, stage, shader);
   fprintf(file, "   %s shader %016" PRIx64 "%s%s%s\n", kind, cm_names_shader_hash(names, stage, shader),
           *label ? " \"" : "", label, *label ? "\"" : "");
}

static void
print_place(const struct advice_report *report, const struct cm_finding *finding, FILE *file)
{
   fprintf(file, "   first in frame %u, pass %u", finding->frame, finding->pass);
   if (finding->draw != CM_NO_DRAW)
      fprintf(file, ", draw %u", finding->draw);
   if (finding->call)
      fprintf(file, ", call %u", finding->call);
   if (finding->group) {
      json_t *group = draw_list_group(cm_advice_names(report->advice), finding->group);
      fprintf(file, ", group %s", json_string_value(group));
      json_decref(group);
   }
   fprintf(file, "\n");
}

static void
print_saving(const struct advice_report *report, const struct advised *advised, FILE *file)
{
   unsigned printed = 0;
   for (unsigned m = 0; m < ADVICE_MEASURE_COUNT; m++) {
      const double share = report->before[m] > 0 ? 100 * advised->saved[m] / report->before[m] : 0;
      if (!report->measured[m] || fabs(share) < 0.05)
         continue;
      fprintf(file, "%s", printed++ ? ", " : "saves ");
      print_amount(advised->saved[m], measures[m].name, file);
      fprintf(file, " (%.1f %%)", share);
   }
   fprintf(file, "%s a frame\n", printed ? "" : "saves nothing");
}

static void
print_finding(const struct advice_report *report, unsigned number, FILE *file)
{
   const struct advised *advised = &report->list[number];
   const struct cm_finding *finding = advised->finding;
   const struct cm_advice_rule_text *rule = &cm_advice_rule_texts[finding->rule];
   fprintf(file, "\n%u. %s: ", number + 1, rule->name);
   print_saving(report, advised, file);
   fprintf(file, "   %s\n", rule->problem);
   print_resource(report, finding, file);
   print_shader(report, CM_SHADER_VERTEX, "vertex", finding->vertex_shader, file);
   print_shader(report, CM_SHADER_FRAGMENT, "fragment", finding->fragment_shader, file);
   if (finding->rule != CM_ADVICE_TILE_ORDER)
      print_place(report, finding, file);
   for (unsigned e = 0; e < finding->num_evidence; e++)
      fprintf(file, "%s%s: %" PRIu64 "%s", e ? "; " : "   ", finding->evidence[e].name,
              finding->evidence[e].value, e + 1 == finding->num_evidence ? "\n" : "");
   fprintf(file, "   advice: %s%s%s\n", rule->remedy, advised->settings ? "; here " : "",
           advised->settings ? advised->settings : "");
}

void
advice_report_text(const struct advice_report *report, FILE *file)
{
   fprintf(file, "%s on %s: %u frames\na frame has", report->recording, report->configuration,
           report->baseline->frames);
   for (unsigned m = 0, any = 0; m < ADVICE_MEASURE_COUNT; m++) {
      if (!report->measured[m])
         continue;
      fprintf(file, "%s", any++ ? ", " : " ");
      print_amount(report->before[m], measures[m].name, file);
   }
   fprintf(file, "\n");
   for (unsigned a = 0; a < report->count; a++)
      print_finding(report, a, file);
   fprintf(file, "\n");
   if (!report->count)
      fprintf(file, "nothing found that saves %g %% of any of these\n", 100 * report->least);
   if (report->small)
      fprintf(file, "%u finding%s less than %g %% of each\n", report->small,
              report->small == 1 ? " saves" : "s save", 100 * report->least);
   if (report->not_simulated)
      fprintf(file, "%u finding%s not simulated: those with the least to save, see --most\n",
              report->not_simulated, report->not_simulated == 1 ? " was" : "s were");
   if (!cm_advice_knows_overdraw(report->advice))
      fprintf(file, "overdraw is not known: the recording has no hidden fragments (--record-visible)\n");
}

/* ---- JSON ----------------------------------------------------------------------- */

static json_t *
measures_json(const struct advice_report *report, const double *values, bool shares)
{
   json_t *object = json_object();
   for (unsigned m = 0; m < ADVICE_MEASURE_COUNT; m++) {
      const double value = shares && report->before[m] > 0 ? 100 * values[m] / report->before[m] : values[m];
      if (report->measured[m] && (!shares || report->before[m] > 0))
         json_object_set_new(object, measures[m].key, json_real(value));
   }
   return object;
}

static json_t *
resource_json(const struct advice_report *report, const struct cm_finding *finding)
{
   const struct cm_resource_description *resource = cm_advice_resource(report->advice, finding->resource);
   const struct cm_names *names = cm_advice_names(report->advice);
   if (!resource)
      return json_null();
   json_t *slots = json_array();
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      if (finding->slots >> slot & 1)
         json_array_append_new(slots, json_string(slot_names[slot]));
   }
   return json_pack("{s:I, s:s, s:o, s:o, s:i, s:i, s:i, s:i, s:o}", "id", (json_int_t)resource->id, "kind",
                    resource->is_displayable ? "window" : "texture", "label",
                    output_text(cm_names_label(names, resource->id)), "format",
                    output_text(cm_names_format(names, resource->id)), "width", (int)resource->width,
                    "height", (int)resource->height, "layers", (int)resource->layers, "levels",
                    (int)resource->levels, "attached_as", slots);
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
finding_json(const struct advice_report *report, const struct advised *advised)
{
   const struct cm_finding *finding = advised->finding;
   const struct cm_advice_rule_text *rule = &cm_advice_rule_texts[finding->rule];
   json_t *object = json_object(), *evidence = json_object();
   for (unsigned e = 0; e < finding->num_evidence; e++)
      json_object_set_new(evidence, finding->evidence[e].name,
                          json_integer((json_int_t)finding->evidence[e].value));
   json_object_set_new(object, "rule", json_string(rule->name));
   json_object_set_new(object, "problem", json_string(rule->problem));
   json_object_set_new(object, "remedy", json_string(rule->remedy));
   json_object_set_new(object, "settings", advised->settings ? json_string(advised->settings) : json_null());
   json_object_set_new(object, "frame", json_integer(finding->frame));
   json_object_set_new(object, "pass", json_integer(finding->pass));
   json_object_set_new(object, "passes", json_integer(finding->passes));
   json_object_set_new(object, "draw",
                       finding->draw == CM_NO_DRAW ? json_null() : json_integer(finding->draw));
   json_object_set_new(object, "call", finding->call ? json_integer(finding->call) : json_null());
   json_object_set_new(object, "group",
                       finding->group ? draw_list_group(cm_advice_names(report->advice), finding->group)
                                      : json_null());
   json_object_set_new(object, "resource", resource_json(report, finding));
   json_object_set_new(object, "vertex_shader",
                       shader_json(report, CM_SHADER_VERTEX, finding->vertex_shader));
   json_object_set_new(object, "fragment_shader",
                       shader_json(report, CM_SHADER_FRAGMENT, finding->fragment_shader));
   json_object_set_new(object, "evidence", evidence);
   json_object_set_new(object, "saves", measures_json(report, advised->saved, false));
   json_object_set_new(object, "saves_percent", measures_json(report, advised->saved, true));
   return object;
}

json_t *
advice_report_json(const struct advice_report *report)
{
   json_t *object = json_object(), *findings = json_array();
   for (unsigned a = 0; a < report->count; a++)
      json_array_append_new(findings, finding_json(report, &report->list[a]));
   json_object_set_new(object, "recording", output_text(report->recording));
   json_object_set_new(object, "configuration", output_text(report->configuration));
   json_object_set_new(object, "frames", json_integer(report->baseline->frames));
   json_object_set_new(object, "a_frame_has", measures_json(report, report->before, false));
   json_object_set_new(object, "findings", findings);
   json_object_set_new(object, "save_less", json_integer(report->small));
   json_object_set_new(object, "not_simulated", json_integer(report->not_simulated));
   json_object_set_new(object, "overdraw_known", json_boolean(cm_advice_knows_overdraw(report->advice)));
   return object;
}
