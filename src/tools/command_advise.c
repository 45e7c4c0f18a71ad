/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "advice_report.h"
#include "config/config.h"
#include "output.h"
#include "progress.h"
#include "session.h"
#include "tools.h"

static const char description[] =
   "Says what a recorded program, or the GPU's order of tiles, could do differently, and what\n"
   "that would save: each finding is simulated, with the events as they would be then\n"
   "(docs/advice.md). tbrsim run --record and tbrsim replay --record make recordings.\n";

struct advise {
   const char *path;
   struct configurations configurations;
   struct frame_selection frames;
   unsigned jobs, most;
   double least; /* per cent */
   bool json;
   const char *out;
   struct session session;
   struct cm_advice *advice;
   const struct cm_finding *findings;
   uint32_t num_findings;
};

static void
take_most(void *field, const char *option, const char *value)
{
   char *end;
   const unsigned long number = strtoul(value, &end, 10);
   if (*value < '0' || *value > '9' || *end || number > 1000)
      fail(STATUS_USAGE, "%s %s: expected a number from 0 to 1000", option, value);
   *(unsigned *)field = (unsigned)number;
}

static void
take_percent(void *field, const char *option, const char *value)
{
   char *end;
   const double number = strtod(value, &end);
   if (end == value || *end || !(number >= 0 && number <= 100))
      fail(STATUS_USAGE, "%s %s: expected a percentage from 0 to 100", option, value);
   *(double *)field = number;
}

static const struct option_row rows[] = {
   OPTION("most", "N",
          "simulate so many findings of the program, those first that\n"
          "seem to save most (default: 24)",
          take_most, struct advise, most),
   OPTION("least", "PERCENT",
          "leave out what saves less of DRAM traffic, of L2 accesses,\n"
          "fragments, vertices, cycles and energy each (default: 0.5)",
          take_percent, struct advise, least),
};

static void
parse(struct advise *advise, int argc, char **argv)
{
   *advise = (struct advise){.configurations = {.single = true},
                             .jobs = options_count_cores(),
                             .most = 24,
                             .least = 0.5};
   const struct command_line line = {
      .usage = "tbrsim advise [OPTIONS] FILE.tbr",
      .description = description,
      .operands = OPERANDS_ONE,
      .operand = "recording",
      .groups = {CONFIG_OPTIONS(&advise->configurations, "the recorded one"),
                 FRAME_AND_WARM_UP_OPTIONS(&advise->frames, "0"), OPTION_GROUP(rows, advise),
                 JSON_OPTIONS(&advise->json), FILE_OPTIONS(&advise->out), JOB_OPTIONS(&advise->jobs)},
   };
   advise->path = command_line_parse(&line, argc, argv).list[0];
}

/* ---- looking ---------------------------------------------------------------------- */

static bool
look_at(struct cm_advice *advice, const struct cm_item *item)
{
   bool fine = true;
   for (size_t n = 0; n < item->num_names; n++)
      fine &= cm_advice_define_name(advice, &item->names[n]);
   for (size_t r = 0; r < item->num_resources; r++)
      fine &= cm_advice_define_resource(advice, &item->resources[r]);
   if (item->type == CM_ITEM_PASS)
      fine &= cm_advice_pass(advice, &item->pass->pass);
   else if (item->type == CM_ITEM_FRAME_END)
      fine &= cm_advice_frame_end(advice);
   return fine;
}

static void
look(struct advise *advise)
{
   struct simulations *simulations = &advise->session.simulations;
   const unsigned frames = simulations->last_frame - simulations->first_frame + 1;
   unsigned done = 0;
   advise->advice = cm_advice_create(advise->session.configurations.list[0].config);
   bool fine = advise->advice;
   cm_recording_seek(simulations->recording, simulations->first_frame, simulations->last_frame);
   while (fine) {
      struct cm_item item = cm_recording_next(simulations->recording);
      if (item.type == CM_ITEM_END || item.type == CM_ITEM_DAMAGED)
         break;
      fine = look_at(advise->advice, &item);
      done += item.type == CM_ITEM_FRAME_END;
      progress_show("looking", done, frames);
      free(item.resources);
      free(item.names);
      cm_recorded_pass_release(item.pass);
   }
   if (fine)
      advise->findings = cm_advice_findings(advise->advice, &advise->num_findings);
   if (!fine || !advise->findings)
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

/* What is simulated: configuration and change. */
struct trial {
   struct configuration configuration;
   const struct cm_change *change;
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

/* Fills in the report's list and the trials of its entries. */
static void
choose(struct advise *advise, struct advice_report *report, struct trial *trials)
{
   static const struct cm_finding order_finding = {.rule = CM_ADVICE_TILE_ORDER, .draw = CM_NO_DRAW};
   const struct configuration *asked = &advise->session.configurations.list[0];
   for (uint32_t f = 0; f < advise->num_findings; f++) {
      if (f >= advise->most) {
         report->not_simulated++;
         continue;
      }
      trials[report->count] = (struct trial){*asked, &advise->findings[f].change};
      report->list[report->count++] = (struct advised){.finding = &advise->findings[f]};
   }
   for (unsigned o = 0; o < NUM_ORDERS && asked->config->mode != CM_MODE_IMR; o++) {
      if (orders[o].tiles == asked->config->tile.order && orders[o].frames == asked->config->frame.traversal)
         continue;
      trials[report->count] = (struct trial){.configuration = *asked};
      char *settings = set_order(&trials[report->count].configuration, &orders[o]);
      report->list[report->count++] = (struct advised){.finding = &order_finding, .settings = settings};
   }
}

/* Of the orders, the one with the least DRAM traffic stays. */
static void
keep_best_order(struct advice_report *report)
{
   struct advised *best = NULL;
   unsigned kept = 0;
   for (unsigned a = 0; a < report->count; a++) {
      struct advised *advised = &report->list[a];
      if (advised->finding->rule != CM_ADVICE_TILE_ORDER)
         kept++;
      else if (!best || advice_report_saving(report, advised) > advice_report_saving(report, best))
         best = advised;
   }
   /* They are the list's last. */
   if (best)
      report->list[kept++] = *best;
   report->count = kept;
}

static bool
simulate(struct advise *advise, struct advice_report *report, const struct trial *trials)
{
   struct simulations *simulations = &advise->session.simulations;
   simulations->count = report->count + 1;
   simulations->list = allocate(simulations->count * sizeof(*simulations->list));
   simulation_start(&simulations->list[0], &advise->session.configurations.list[0], simulations, NULL,
                    advise->frames.warm_up);
   for (unsigned a = 0; a < report->count; a++) {
      struct simulation *simulation = &simulations->list[a + 1];
      simulation_start(simulation, &trials[a].configuration, simulations, NULL, advise->frames.warm_up);
      simulation->change = trials[a].change;
      report->list[a].simulation = simulation;
   }
   simulations->jobs = advise->jobs < simulations->count + 1 ? advise->jobs : simulations->count + 1;
   report->baseline = &simulations->list[0];
   return simulations_run(simulations);
}

static void
print(const struct advise *advise, const struct advice_report *report)
{
   FILE *file = options_open_output(advise->out);
   if (advise->json)
      output_json(advice_report_json(report), 1, file);
   else
      advice_report_text(report, file);
   options_close_output(file, advise->out);
}

int
command_advise(int argc, char **argv)
{
   struct advise advise;
   parse(&advise, argc, argv);
   /* Resources have names of their own on each GPU. */
   advise.session = session_open_accesses(advise.path, &advise.frames, &advise.configurations);
   look(&advise);

   const unsigned most = advise.num_findings + NUM_ORDERS;
   struct advice_report report = {
      .recording = advise.path,
      .configuration = advise.session.configurations.list[0].name,
      .advice = advise.advice,
      .least = advise.least / 100,
      .list = allocate(most * sizeof(*report.list)),
   };
   struct trial *trials = allocate(most * sizeof(*trials));
   choose(&advise, &report, trials);
   const bool fine = simulate(&advise, &report, trials);
   session_check(&advise.session);
   if (!report.baseline->frames)
      fail(STATUS_FAILED, "%s: no frame could be simulated", advise.path);
   keep_best_order(&report);
   advice_report_measure(&report);
   print(&advise, &report);
   cm_advice_destroy(advise.advice);
   session_close(&advise.session);
   return fine ? STATUS_OK : STATUS_FAILED;
}
