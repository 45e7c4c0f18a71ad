/* SPDX-License-Identifier: MIT */
#include "gpu/gpu_config.h"
#include "support/nuca_harness.h"
#include "support/test.h"

const char *const test_nuca_settings[] = {
   "nuca.organisation=dtm-nuca",
   "nuca.requests=footprint",
   "nuca.interleave_blocks=1",
   "nuca.migration=next-requester",
   "nuca.remote_hits=update",
   "nuca.affinity_table.page_blocks=8",
   "nuca.affinity_table.buckets=32",
   "nuca.affinity_table.counter_bits=4",
   "nuca.affinity_table.threshold_percent=25",
   "nuca.affinity_table.counted=all",
   "nuca.affinity_table.epoch_accesses=20000",
   "nuca.affinity_table.epoch_owner=recompute",
   "nuca.mesh.columns=0",
   "nuca.mesh.hop_cycles=1",
   "nuca.mesh.accesses_per_cycle=1",
   "nuca.mesh.table=center",
   "nuca.mesh.l2=bus",
   NULL,
};

struct cm_config *
nuca_config(const char *const *assignments)
{
   char error[512] = "";
   struct cm_config *config = cm_config_load("nuca-dtm", NULL, error, sizeof error);
   if (!config)
      fail_msg("%s", error);
   for (; *assignments; assignments++) {
      if (!cm_config_set(config, *assignments, error, sizeof error))
         fail_msg("%s", error);
   }
   return config;
}

void
nuca_harness_init(struct nuca_harness *harness, struct cm_config *config)
{
   char error[512] = "";
   if (!cm_config_validate(config, error, sizeof error))
      fail_msg("%s", error);
   harness->config = config;
   assert_true(cm_hierarchy_init(&harness->hierarchy, config));
   harness->nuca = cm_nuca_create(config, &harness->hierarchy);
   assert_non_null(harness->nuca);
}

void
nuca_harness_finish(struct nuca_harness *harness)
{
   cm_nuca_destroy(harness->nuca);
   cm_hierarchy_finish(&harness->hierarchy);
   cm_config_destroy(harness->config);
}

uint64_t
nuca_harness_count(struct nuca_harness *harness, const struct cm_counter_source *source, int event)
{
   cm_nuca_sum_up(harness->nuca);
   return source->read(harness->nuca, &(struct cm_counter){.event = event});
}

char
nuca_harness_read(struct nuca_harness *harness, uint32_t processor, uint64_t block)
{
   static const struct {
      int event;
      char outcome;
   } outcomes[] = {
      {CM_NUCA_OLD_OWNER_HITS, 'o'},    {CM_NUCA_LOCAL_HITS, 'l'},  {CM_NUCA_REMOTE_HITS, 'r'},
      {CM_NUCA_LOCAL_L2_ACCESSES, 'L'}, {CM_NUCA_L2_ACCESSES, 'R'},
   };
   uint64_t before[5];
   for (unsigned i = 0; i < 5; i++)
      before[i] = nuca_harness_count(harness, &cm_nuca_counters, outcomes[i].event);
   cm_nuca_read(harness->nuca, processor, &block, 1);
   for (unsigned i = 0; i < 5; i++) {
      if (nuca_harness_count(harness, &cm_nuca_counters, outcomes[i].event) != before[i])
         return outcomes[i].outcome;
   }
   fail_msg("nothing became of a request");
   return 0;
}
