/* SPDX-License-Identifier: MIT */
#include "commands/sweep.h"
#include "config/names.h"
#include "tools.h"

static const char description[] =
   "Compares the policies of a last-level cache, as the paper \"Efficient Management of\n"
   "Last-level Caches in Graphics Processors\" (GSPC) does. The recording is decoded, and the\n"
   "units before the cache are simulated, once for all policies. --policy gspztc:2 sets the\n"
   "threshold t = 2; drrip:hash chooses the leader sets by a hash. gspc-oracle knows what gspc\n"
   "will learn next, gspc-frame-oracle what it will learn in the whole frame, gspc-block-oracle\n"
   "what becomes of each block.\n";

/* The policies that the paper compares (Table 6, Figures 1, 12 and 14), and brrip, one of the two of drrip. */
static const char all_policies[] =
   "nru,lru,srrip,brrip,drrip,drrip4,gs-drrip,gs-drrip4,ship-mem,gspztc,gspztc-tse,gspc,opt";

static const struct option_row rows[] = {
   OPTION("uncached", "STREAM",
          "simulate each policy a second time, with this stream bypassing the cache\n"
          "(default: none)",
          take_text, struct sweep_request, uncached),
   OPTION("cold-frames", NULL,
          "empty the cache before each frame, and count all frames. The units before\n"
          "it keep their content",
          take_flag, struct sweep_request, options.cold_frames),
   OPTION("profile", NULL,
          "also print reuse within and between streams, epochs and their death\n"
          "ratios, and fills with a distant RRPV",
          take_flag, struct sweep_request, options.profiles),
};

int
command_llc(int argc, char **argv)
{
   struct sweep_request request = {
      .caches = {.policies = all_policies},
      .configurations = {.single = true},
      .jobs = options_count_cores(),
      .options = {.by_stream = true},
   };
   struct cache_selection *caches = &request.caches;
   const struct command_line line = {
      .usage = "tbrsim llc [OPTIONS] FILE.tbr...",
      .description = description,
      .operands = OPERANDS_SEVERAL,
      .operand = "recording",
      .groups = {UNIT_OPTIONS(caches, "the one before memory"),
                 POLICY_OPTIONS(caches, "all, those of the paper"),
                 SIZE_OPTIONS(caches, "the configuration's"), OPTION_GROUP(rows, &request),
                 CONFIG_OPTIONS(&request.configurations, "the recorded one"),
                 FRAME_AND_WARM_UP_OPTIONS(&request.frames, "0"), JOB_OPTIONS(&request.jobs),
                 FORMAT_OPTIONS(&request.format), FILE_OPTIONS(&request.out)},
      .notes = "docs/llc.md explains each value.\n",
   };
   request.recordings = command_line_parse(&line, argc, argv);
   if (cm_name_is(caches->policies, "all"))
      caches->policies = all_policies;
   return sweep_recordings(&request);
}
