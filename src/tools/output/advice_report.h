/* SPDX-License-Identifier: MIT */
/** What `tbrsim advise` prints: findings, and what a simulation without each has saved. */
#ifndef ADVICE_REPORT_H
#define ADVICE_REPORT_H

#include <jansson.h>

#include "advice/advice.h"
#include "input/loading_frames.h"
#include "commands/simulation.h"

/** Measures whose difference is printed: X(identifier, key of JSON, text after the amount, counter, second counter that is
 * added, whether findings are ranked by its share if cycles are not counted) */
#define ADVICE_MEASURES(X)                                                                           \
   X(DRAM, "dram_bytes", "of DRAM traffic", "dram.total.read_bytes", "dram.total.write_bytes", true) \
   X(L2, "l2_accesses", "L2 accesses", "l2.total.reads", "l2.total.writes", false)                   \
   X(FRAGMENTS, "fragments", "fragments shaded", "fragment_stage.fragments", NULL, true)             \
   X(TEXTURE_READS, "texture_reads", "texture reads", "fragment_stage.footprints", NULL, true)       \
   X(VERTICES, "vertices", "vertices shaded", "vertex_stage.vertices", NULL, true)                   \
   X(CYCLES, "cycles", "cycles", "gpu.cycles", NULL, false)                                          \
   X(ENERGY, "energy_pj", "of energy", "energy.system.total", NULL, false)

enum advice_measure {
#define ADVICE_MEASURE(id, key, name, counter, second, ranks) ADVICE_##id,
   ADVICE_MEASURES(ADVICE_MEASURE)
#undef ADVICE_MEASURE
      ADVICE_MEASURE_COUNT
};

/** What a simulation saves per frame, on average over the frames in which that is known; negative: it costs more. */
struct advice_saving {
   double saved[ADVICE_MEASURE_COUNT];
};

/** A finding that was simulated, or all of them. */
struct advised {
   const struct cm_finding *finding; /**< of CM_ADVICE_TILE_ORDER too, which has no changes */
   const struct simulation *simulation;
   const struct simulation *other; /**< with the finding's other changes; NULL: it has none */
   char *settings;                 /**< of the configuration that were simulated instead; NULL: none */
   struct advice_saving saving, other_saving;
   double worth; /**< cycles saved, or where they are not counted the largest share of a measure that is */
};

struct advice_report {
   const char *recording, *configuration;
   const struct cm_advice *advice;
   const struct simulation *baseline;
   const unsigned *frames;              /**< numbers of the counted frames, by their order */
   double before[ADVICE_MEASURE_COUNT]; /**< per frame, on average */
   bool measured[ADVICE_MEASURE_COUNT]; /**< the configuration has the counters */
   struct advised *list;                /**< the most worth first */
   unsigned count;
   /** those of the program in the list; simulation NULL: they are fewer than two. Its saving is an average over all
    * counted frames: what is not known in a frame saves nothing there */
   struct advised together;
   unsigned together_known;           /**< counted frames in which it is known what each one saves */
   struct advice_saving known_saving; /**< of together, in these frames alone, if there are any */
   const struct cm_finding *
      *apart; /**< of these, those that cannot be combined with one that is worth more */
   unsigned num_apart;
   const struct loading_frames *loading; /**< not counted */
   unsigned not_simulated;               /**< findings beyond the limit */
   unsigned small;                       /**< simulated ones that save less than the limit */
   double least;                         /**< that limit: a part of a measure */
};

/** Takes the measures of the simulations, drops what saves little and all orders of tiles but the best one, and sorts the
 * rest. */
void advice_report_measure(struct advice_report *report);
/** Takes those of the simulation of all. */
void advice_report_measure_together(struct advice_report *report);

/** The report as JSON. */
json_t *advice_report_json(const struct advice_report *report);
/** Prints it for readers. */
void advice_report_print(const struct advice_report *report, FILE *file);

#endif
