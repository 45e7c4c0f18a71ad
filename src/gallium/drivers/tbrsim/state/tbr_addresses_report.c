/* SPDX-License-Identifier: MIT */
/* By itself for what executes accesses without a screen, as tests of the tile pipeline do. */
#include <inttypes.h>

#include "util/log.h"
#include "util/u_atomic.h"
#include "state/tbr_addresses.h"

void
tbr_addresses_report_outside(uint64_t address)
{
   static uint32_t reported; /* (atomic) */
   if (!p_atomic_xchg(&reported, 1))
      mesa_loge(
         "a shader accessed memory by address at 0x%" PRIx64
         ", where no buffer is: what it loads there is zero, what it stores is lost (this is said once)",
         address);
}
