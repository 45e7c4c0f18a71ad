/* SPDX-License-Identifier: MIT */
/** What `tbrsim advise` prints: findings, and what a simulation without each has saved. */
#ifndef ADVICE_REPORT_H
#define ADVICE_REPORT_H

#include <jansson.h>

#include "advice/advice.h"
#include "simulation.h"

/** Measures whose difference is told: X(identifier, key of JSON, what the text calls it, counter, second counter that is
 * added) */
#define ADVICE_MEASURES(X)                                                                           \
   X(DRAM, "dram_bytes", "bytes of DRAM traffic", "dram.total.read_bytes", "dram.total.write_bytes") \
   X(L2, "l2_accesses", "L2 accesses", "l2.total.reads", "l2.total.writes")                          \
   X(FRAGMENTS, "fragments", "fragments shaded", "fragment_stage.fragments", NULL)                   \
   X(VERTICES, "vertices", "vertices shaded", "vertex_stage.vertices", NULL)                         \
   X(CYCLES, "cycles", "cycles", "gpu.cycles", NULL)                                                 \
   X(ENERGY, "energy_pj", "pJ", "energy.system.total", NULL)

enum advice_measure {
#define ADVICE_MEASURE(id, key, name, counter, second) ADVICE_##id,
   ADVICE_MEASURES(ADVICE_MEASURE)
#undef ADVICE_MEASURE
      ADVICE_MEASURE_COUNT
};

/** A finding that was simulated. */
struct advised {
   const struct cm_finding *finding; /**< of CM_ADVICE_TILE_ORDER too, whose change is none */
   const struct simulation *simulation;
   char *settings;                     /**< of the configuration that were simulated instead; NULL: none */
   double saved[ADVICE_MEASURE_COUNT]; /**< a frame, on average; negative: it costs more */
   double least;                       /**< the largest share of a measure that is saved */
};

struct advice_report {
   const char *recording, *configuration;
   const struct cm_advice *advice;
   const struct simulation *baseline;
   double before[ADVICE_MEASURE_COUNT]; /**< a frame, on average */
   bool measured[ADVICE_MEASURE_COUNT]; /**< the configuration has the counters */
   struct advised *list;                /**< the largest saving first */
   unsigned count;
   unsigned not_simulated; /**< findings beyond the limit */
   unsigned small;         /**< simulated ones that save less than the limit */
   double least;           /**< that limit: a part of a measure */
};

/** Takes the measures of the simulations, drops what saves little, and sorts the rest. */
void advice_report_measure(struct advice_report *report);

/** What a simulation of the list saves of DRAM traffic, in bytes a frame. */
double advice_report_saving(const struct advice_report *report, const struct advised *advised);

/** The report as text, and as JSON. */
void advice_report_text(const struct advice_report *report, FILE *file);
json_t *advice_report_json(const struct advice_report *report);

#endif
