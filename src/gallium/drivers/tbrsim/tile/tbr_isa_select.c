/* SPDX-License-Identifier: MIT */
/* The vector feature level in use. */
#include "tile/tbr_isa.h"

#include <stdlib.h>
#include <string.h>

#include "util/log.h"
#include "util/macros.h"
#include "util/u_cpu_detect.h"

#if defined(__x86_64__)
#ifdef TBR_ONLY
/* Of a build with one level (make demo): the others are NULL. */
static const struct tbr_isa *const levels[3] = {[TBR_ONLY] = &TBR_ONLY_TABLE};
#else
static const struct tbr_isa *const levels[3] = {&tbr_isa_x86_64, &tbr_isa_x86_64_v3, &tbr_isa_x86_64_v4};
#endif

static unsigned
best_level(void)
{
   const struct util_cpu_caps_t *caps = util_get_cpu_caps();
   if (!caps->has_avx2 || !caps->has_fma || !caps->has_f16c || !caps->has_popcnt)
      return 0;
   if (!caps->has_avx512f || !caps->has_avx512bw || !caps->has_avx512dq || !caps->has_avx512vl ||
       !caps->has_avx512cd)
      return 1;
   return 2;
}
#else
static const struct tbr_isa *const levels[] = {&tbr_isa_native};

static unsigned
best_level(void)
{
   return 0;
}
#endif

/** The best level that both CPU and build have. */
static const struct tbr_isa *
best_isa(void)
{
   for (unsigned level = best_level() + 1; level--;) {
      if (levels[level])
         return levels[level];
   }
   mesa_loge("this build is for CPUs of a higher vector feature level; 'make' compiles all levels");
   exit(1);
}

const struct tbr_isa *
tbr_isa_get(void)
{
   const unsigned best = best_level();
   const char *wanted = getenv("TBRSIM_ISA");
   if (!wanted)
      return best_isa();
   for (unsigned level = 0; level < ARRAY_SIZE(levels); level++) {
      if (!levels[level] || strcmp(wanted, levels[level]->name))
         continue;
      if (level <= best)
         return levels[level];
      mesa_loge("TBRSIM_ISA=%s: this CPU only has %s", wanted, best_isa()->name);
      exit(1);
   }
#ifdef TBR_ONLY
   mesa_loge("TBRSIM_ISA=%s: this build has only %s; 'make' compiles all levels", wanted,
             levels[TBR_ONLY]->name);
   exit(1);
#endif
   mesa_loge("TBRSIM_ISA=%s: expected x86-64, x86-64-v3 or x86-64-v4", wanted);
   exit(1);
}
