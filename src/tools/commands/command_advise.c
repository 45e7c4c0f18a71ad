/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "output/advice_report.h"
#include "config/config.h"
#include "input/counted_frames.h"
#include "output/output.h"
#include "output/progress.h"
#include "input/session.h"
#include "input/source.h"
#include "process/stages.h"
#include "tools.h"

static const char description[] =
   "Finds waste in a recorded program. Each finding is simulated: as if the program did it\n"
   "right, alone and all of them together, so that its saving is a result and not a guess\n"
   "(docs/advice.md). Frames that look like loading are not counted. A trace or program is\n"
   "recorded first. For results (DIR) the recording that belongs to them is used (--record).\n";

struct advise {
   const char *path; /* of the recording */
   const char *results;
   struct configurations configurations;
   struct frame_selection frames;
   unsigned jobs, most;
   double least; /* per cent */
   bool all_frames, json;
   const char *out;
   struct session session;
   struct counted_frames counted;
   struct cm_advice *advice;
   const struct cm_finding *findings;
   uint32_t num_findings;
};

static void
take_most(void *field, const char *option, const char *value)
{
   *(unsigned *)field = options_number(option, value, 0, 1000, "a number from 0 to 1000");
}

static void
take_percent(void *field, const char *option, const char *value)
{
   if (!options_percent(value, 100, field))
      fail(STATUS_USAGE, "%s %s: expected a percentage from 0 to 100", option, value);
}

static const struct option_row rows[] = {
   OPTION("most", "N",
          "simulate at most N findings, those first that seem to save most (default:\n"
          "24)",
          take_most, struct advise, most),
   OPTION("least", "PERCENT",
          "leave out findings that save less than this of each of DRAM traffic, L2\n"
          "accesses, fragments, vertices, cycles and energy (default: 0.5)",
          take_percent, struct advise, least),
   OPTION("all-frames", NULL,
          "also count frames that look like loading: those with more than ten times\n"
          "the passes or draws of the median frame",
          take_flag, struct advise, all_frames),
   OPTION("results", "DIR",
          "directory for advise.tbr, the recording of a trace or program\n"
          "(default: tbrsim-out)",
          take_path, struct advise, results),
};

/* Replays a trace or runs a program: its recording. */
static const char *
record(const struct advise *advise, const struct source *source)
{
   const struct configuration given = configurations_given(&advise->configurations);
   const char *directory = advise->results ? advise->results : "tbrsim-out";
   const char *path = text("%s/advise.tbr", directory);
   options_check_directory(directory, true);
   stages_begin(2);
   source_simulate(source, &(struct source_run){
                              .results = directory,
                              .record = path,
                              .only_records = true,
                              .frames = advise->frames.frames,
                              .config = given.preset,
                              .settings = given.settings,
                              .num_settings = given.num_settings,
                           });
   stages_next("advice");
   return path;
}

static void
parse(struct advise *advise, int argc, char **argv)
{
   *advise = (struct advise){.configurations = {.single = true},
                             .jobs = options_count_cores(),
                             .most = 24,
                             .least = 0.5};
   const struct command_line line = {
      .usage = "tbrsim advise [OPTIONS] DIR|FILE.tbr|FILE.trace|-- PROGRAM...",
      .description = description,
      .operands = OPERANDS_SOURCE,
      .operand = "results, recording, trace or program",
      .groups = {CONFIG_OPTIONS(&advise->configurations, "the recorded one"),
                 FRAME_AND_WARM_UP_OPTIONS(&advise->frames, "0"), OPTION_GROUP(rows, advise),
                 JSON_OPTIONS(&advise->json), FILE_OPTIONS(&advise->out), JOB_OPTIONS(&advise->jobs)},
   };
   const struct operands operands = command_line_parse(&line, argc, argv);
   const struct source source = source_of_operands(&operands);
   advise->path = source.kind == SOURCE_RECORDING ? source.path
                  : source.kind == SOURCE_RESULTS ? source_recording(source.path)
                                                  : record(advise, &source);
   if (!advise->path)
      source_fail_unrecorded(source.path);
}

/* ---- looking ---------------------------------------------------------------------- */

static bool
look_at(struct cm_advice *advice, const struct cm_item *item)
{
   bool ok = true;
   for (size_t n = 0; n < item->num_names; n++)
      ok &= cm_advice_define_name(advice, &item->names[n]);
   for (size_t r = 0; r < item->num_resources; r++)
      ok &= cm_advice_define_resource(advice, &item->resources[r]);
   if (item->type == CM_ITEM_PASS)
      ok &= cm_advice_pass(advice, &item->pass->pass);
   else if (item->type == CM_ITEM_FRAME_END)
      ok &= cm_advice_frame_end(advice);
   return ok;
}

/* The last frame to look at: that after the simulated ones, if there is one of the same GPU. It says what becomes of what these
 * store. */
static unsigned
last_look(const struct simulations *simulations)
{
   const size_t first = simulations->first_frame, last = simulations->last_frame;
   size_t num_frames;
   cm_recording_frames(simulations->recording, &num_frames);
   return (unsigned)(last + (last + 1 < num_frames &&
                             cm_recording_count_gpus(simulations->recording, first, last + 1) == 1));
}

static void
look(struct advise *advise)
{
   struct simulations *simulations = &advise->session.simulations;
   const unsigned last = last_look(simulations), frames = last - simulations->first_frame + 1;
   unsigned done = 0, begun = UINT_MAX;
   advise->advice = cm_advice_create(advise->session.configurations.list[0].config);
   bool ok = advise->advice;
   cm_recording_seek(simulations->recording, simulations->first_frame, last);
   while (ok) {
      struct cm_item item = cm_recording_next(simulations->recording);
      if (item.type == CM_ITEM_END || item.type == CM_ITEM_DAMAGED)
         break;
      if ((item.type == CM_ITEM_PASS || item.type == CM_ITEM_FRAME_END) && item.frame != begun) {
         begun = (unsigned)item.frame;
         cm_advice_frame_begin(advise->advice, session_frame_number(&advise->session, begun),
                               advise->counted.plan.counted[begun]);
      }
      ok = look_at(advise->advice, &item);
      done += item.type == CM_ITEM_FRAME_END;
      progress_show("looking", done, frames);
      free(item.resources);
      free(item.names);
      free(item.codes);
      cm_recorded_pass_release(item.pass);
   }
   if (ok)
      advise->findings = cm_advice_findings(advise->advice, &advise->num_findings);
   if (!ok || !advise->findings)
      fail(STATUS_FAILED, "out of memory");
}

/* ---- simulating ------------------------------------------------------------------- */

/* An order of tiles and frames. */
struct order {
   enum cm_tile_order tiles;
   enum cm_frame_traversal frames;
};

static const struct order orders[] = {
   {CM_TILE_ORDER_SCANLINE, CM_TRAVERSAL_FORWARD}, {CM_TILE_ORDER_SCANLINE, CM_TRAVERSAL_BOUSTROPHEDONIC},
   {CM_TILE_ORDER_Z, CM_TRAVERSAL_FORWARD},        {CM_TILE_ORDER_Z, CM_TRAVERSAL_BOUSTROPHEDONIC},
   {CM_TILE_ORDER_HILBERT, CM_TRAVERSAL_FORWARD},  {CM_TILE_ORDER_HILBERT, CM_TRAVERSAL_BOUSTROPHEDONIC},
};
#define NUM_ORDERS (sizeof(orders) / sizeof(orders[0]))

/* What is simulated: configuration and changes. */
struct trial {
   struct configuration configuration;
   const struct cm_change *changes;
   uint32_t num_changes;
   const struct simulation **result; /* where the simulation is to be found */
};

/* The configuration with another order; its settings as text. */
static char *
set_order(struct configuration *configuration, const struct order *order)
{
   static const char *const tiles[] = {[CM_TILE_ORDER_SCANLINE] = "scanline",
                                       [CM_TILE_ORDER_Z] = "z-order",
                                       [CM_TILE_ORDER_HILBERT] = "hilbert"};
   static const char *const frames[] = {
      [CM_TRAVERSAL_FORWARD] = "forward", [CM_TRAVERSAL_BOUSTROPHEDONIC] = "boustrophedonic"};
   struct cm_config *config = allocate(sizeof(*config));
   *config = *configuration->config;
   config->tile.order = order->tiles;
   config->frame.traversal = order->frames;
   configuration->config = config;
   return text("tile.order=%s, frame.traversal=%s", tiles[order->tiles], frames[order->frames]);
}

/* Fills in the report's list and the trials of its entries; the number of these. */
static unsigned
choose(struct advise *advise, struct advice_report *report, struct trial *trials)
{
   static struct cm_finding order_finding = {.rule = CM_ADVICE_TILE_ORDER, .draw = CM_NO_DRAW};
   order_finding.problem = cm_advice_rule_texts[CM_ADVICE_TILE_ORDER].problem;
   order_finding.remedy = cm_advice_rule_texts[CM_ADVICE_TILE_ORDER].remedy;
   const struct configuration *asked = &advise->session.configurations.list[0];
   unsigned count = 0;
   trials[count++] = (struct trial){*asked, NULL, 0, &report->baseline};
   for (uint32_t f = 0; f < advise->num_findings; f++) {
      const struct cm_finding *finding = &advise->findings[f];
      if (f >= advise->most) {
         report->not_simulated++;
         continue;
      }
      struct advised *advised = &report->list[report->count++];
      *advised = (struct advised){.finding = finding};
      trials[count++] = (struct trial){*asked, finding->changes, finding->num_changes, &advised->simulation};
      if (finding->other_changes)
         trials[count++] =
            (struct trial){*asked, finding->other_changes, finding->num_changes, &advised->other};
   }
   for (unsigned o = 0; o < NUM_ORDERS && asked->config->mode != CM_MODE_IMR; o++) {
      if (orders[o].tiles == asked->config->tile.order && orders[o].frames == asked->config->frame.traversal)
         continue;
      struct advised *advised = &report->list[report->count++];
      *advised = (struct advised){.finding = &order_finding};
      trials[count] = (struct trial){*asked, NULL, 0, &advised->simulation};
      advised->settings = set_order(&trials[count++].configuration, &orders[o]);
   }
   return count;
}

static bool
simulate(struct advise *advise, const struct trial *trials, unsigned count)
{
   struct simulations *simulations = &advise->session.simulations;
   simulations->count = count;
   simulations->list = allocate(count * sizeof(*simulations->list));
   simulations->plan = &advise->counted.plan;
   for (unsigned t = 0; t < count; t++) {
      struct simulation *simulation = &simulations->list[t];
      simulation_start(simulation, &trials[t].configuration, simulations, NULL, 0);
      simulation->changes = trials[t].changes;
      simulation->num_changes = trials[t].num_changes;
      *trials[t].result = simulation;
   }
   simulations->jobs = advise->jobs;
   return simulations_run(simulations);
}

/* Whether a finding's changes can be made with those that are already chosen. */
static bool
combines(const struct cm_finding *finding, const struct cm_change *chosen, uint32_t count)
{
   for (uint32_t c = 0; c < finding->num_changes; c++) {
      for (uint32_t o = 0; o < count; o++) {
         if (!cm_changes_combine(&finding->changes[c], &chosen[o]))
            return false;
      }
   }
   return true;
}

/* Simulates all of the program's findings in the report's list, but for those that cannot be combined with one above them. */
static bool
simulate_together(struct advise *advise, struct advice_report *report)
{
   uint32_t most = 1, count = 0;
   unsigned findings = 0;
   for (unsigned a = 0; a < report->count; a++)
      most += report->list[a].finding->num_changes;
   struct cm_change *changes = allocate(most * sizeof(*changes));
   report->apart = allocate((report->count + 1) * sizeof(*report->apart));
   for (unsigned a = 0; a < report->count; a++) {
      const struct cm_finding *finding = report->list[a].finding;
      if (!combines(finding, changes, count)) {
         report->apart[report->num_apart++] = finding;
         continue;
      }
      findings += finding->num_changes != 0;
      for (uint32_t c = 0; c < finding->num_changes; c++)
         changes[count++] = finding->changes[c];
   }
   bool ok = true;
   if (findings > 1) {
      const struct trial trial = {advise->session.configurations.list[0], changes, count,
                                  &report->together.simulation};
      ok = simulate(advise, &trial, 1);
      advice_report_measure_together(report);
   }
   free(changes);
   return ok;
}

static void
print(const struct advise *advise, const struct advice_report *report)
{
   FILE *file = options_open_output(advise->out);
   if (advise->json)
      output_json(advice_report_json(report), 1, file);
   else
      advice_report_print(report, file);
   options_close_output(file, advise->out);
}

int
command_advise(int argc, char **argv)
{
   struct advise advise;
   parse(&advise, argc, argv);
   /* Resources have names of their own on each GPU. */
   advise.session = session_open_accesses(advise.path, &advise.frames, &advise.configurations);
   advise.counted = counted_frames_choose(&advise.session, advise.frames.warm_up, advise.all_frames);
   look(&advise);

   const unsigned most = 1 + 2 * advise.num_findings + NUM_ORDERS;
   struct advice_report report = {
      .recording = advise.path,
      .configuration = advise.session.configurations.list[0].name,
      .advice = advise.advice,
      .frames = advise.counted.numbers,
      .loading = &advise.counted.loading,
      .least = advise.least / 100,
      .list = allocate(most * sizeof(*report.list)),
   };
   struct trial *trials = allocate(most * sizeof(*trials));
   const unsigned count = choose(&advise, &report, trials);
   bool ok = simulate(&advise, trials, count);
   session_check(&advise.session);
   if (!report.baseline->frames)
      fail(STATUS_FAILED, "%s: no frame could be simulated", advise.path);
   advice_report_measure(&report);
   ok &= simulate_together(&advise, &report);
   print(&advise, &report);
   cm_advice_destroy(advise.advice);
   session_close(&advise.session);
   return ok ? STATUS_OK : STATUS_FAILED;
}
