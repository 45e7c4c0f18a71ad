/* SPDX-License-Identifier: MIT */
#include "commands/sweep.h"
#include "config/names.h"
#include "input/cache_points.h"
#include "tools.h"

static const char description[] =
   "Simulates one cache in many sizes, associativities and policies over a recording, which is\n"
   "decoded only once. The cache sees the accesses of some streams as they leave the pipeline\n"
   "(--stream), or those that arrive at a unit (--unit), or of the latter only some streams'\n"
   "(both options). tbrsim llc shows how each stream fares in a cache that all share.\n";
static const char notes[] =
   "Where all the accesses are of the Parameter Buffer (pb_list, pb_attribute), each render\n"
   "pass begins with an empty cache and has no next uses beyond its end, for the pass builds\n"
   "it again at the same addresses, and nothing reads it afterwards. A lower bound of the\n"
   "misses is then printed, too (TCOR V-A). Of other streams the cache keeps its content.\n"
   "docs/sweeps.md explains each value.\n"
   "\n"
   "Policies (docs/caches.md has their sources; tcor and dead-lru need the finished tiles):\n";

static const struct option_row rows[] = {
   OPTION("primitives", NULL,
          "with --stream pb_attribute: a cache block holds one primitive with all of\n"
          "its attributes, and is found by the primitive's number (default: no)",
          take_flag, struct sweep_request, primitives),
};

int
command_sweep(int argc, char **argv)
{
   struct sweep_request request = {.configurations = {.single = true}, .jobs = options_count_cores()};
   struct cache_selection *caches = &request.caches;
   const struct command_line line = {
      .usage = "tbrsim sweep --stream LIST|--unit UNIT --size LIST --ways LIST --policy LIST FILE.tbr",
      .description = description,
      .operands = OPERANDS_ONE,
      .operand = "recording",
      .groups = {STREAM_OPTIONS(caches, "all that arrive at the unit"), UNIT_OPTIONS(caches, "none"),
                 SIZE_OPTIONS(caches, "none, required"), SHAPE_OPTIONS(caches, "none, required"),
                 POLICY_OPTIONS(caches, "none, required"), OPTION_GROUP(rows, &request),
                 CONFIG_OPTIONS(&request.configurations, "the recorded one"),
                 FRAME_AND_WARM_UP_OPTIONS(&request.frames, "0"), JOB_OPTIONS(&request.jobs),
                 FORMAT_OPTIONS(&request.format), FILE_OPTIONS(&request.out)},
      .notes = notes,
      .print_notes = cache_points_print_policies,
   };
   request.recordings = command_line_parse(&line, argc, argv);
   if (!caches->streams && !caches->unit)
      fail(STATUS_USAGE, "expected --stream, --unit or both; see tbrsim sweep --help");
   if (request.primitives &&
       (!caches->streams || !cm_name_is(caches->streams, "pb_attribute") || caches->unit || caches->block))
      fail(STATUS_USAGE, "--primitives: expected --stream pb_attribute, without --unit and --block");
   if (!caches->sizes || !caches->ways || !caches->policies)
      fail(STATUS_USAGE, "%s is missing; see tbrsim sweep --help",
           !caches->sizes  ? "--size"
           : !caches->ways ? "--ways"
                           : "--policy");
   return sweep_recordings(&request);
}
