/* SPDX-License-Identifier: MIT */
/* What a cache's optional keys are where they are left out: what the policies' paper has (Gaur
 * et al., "Efficient Management of Last-level Caches in Graphics Processors for 3D Scene
 * Rendering Workloads", MICRO 2013). */
#include "config/config.h"

#define GSPC_BANKS 4                  /* section 4: 2 MiB per bank of 8 MiB */
#define GSPC_THRESHOLD 8              /* 5.1: the most robust */
#define GSPC_RENDER_TARGET_DISTANT 16 /* section 3, Table 5 */
#define GSPC_RENDER_TARGET_LONG 8     /* section 3, Table 5 */

bool
cm_policy_samples(enum cm_policy policy)
{
   return policy == CM_POLICY_GSPZTC || policy == CM_POLICY_GSPZTC_TSE || policy == CM_POLICY_GSPC;
}

bool
cm_policy_needs_liveness(enum cm_policy policy)
{
   return policy == CM_POLICY_TCOR || policy == CM_POLICY_DEAD_LRU;
}

uint32_t
cm_cache_config_banks(const struct cm_cache_config *cache)
{
   if (cache->banks)
      return cache->banks;
   return cm_policy_samples(cache->policy) ? GSPC_BANKS : 1;
}

static uint32_t
value_or(uint32_t value, uint32_t otherwise)
{
   return value ? value : otherwise;
}

struct cm_gspc_config
cm_cache_config_gspc(const struct cm_cache_config *cache)
{
   return (struct cm_gspc_config){
      .threshold = value_or(cache->gspc.threshold, GSPC_THRESHOLD),
      .render_target_distant = value_or(cache->gspc.render_target_distant, GSPC_RENDER_TARGET_DISTANT),
      .render_target_long = value_or(cache->gspc.render_target_long, GSPC_RENDER_TARGET_LONG),
      .samples = cache->gspc.samples,
   };
}
