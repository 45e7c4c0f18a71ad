/* SPDX-License-Identifier: MIT */
/* A dead block of the Parameter Buffer, then any: TCOR's policy without the preference for its live blocks. */
#define TCOR_LIVE_LEAVE_LAST false
#include "memory/replacement/tcor_access.h"

const struct cm_replacement cm_replacement_dead_lru = {TCOR_FUNCTIONS};
