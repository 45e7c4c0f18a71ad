/* SPDX-License-Identifier: MIT */
/* A dead block of the Parameter Buffer, a block of no Parameter Buffer, a live one (TCOR III-D2). */
#define TCOR_LIVE_LEAVE_LAST true
#include "memory/replacement/tcor_access.h"

const struct cm_replacement cm_replacement_tcor = {TCOR_FUNCTIONS};
