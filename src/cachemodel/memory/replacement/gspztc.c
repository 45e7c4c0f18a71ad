/* SPDX-License-Identifier: MIT */
/* Graphics stream-aware probabilistic Z and texture caching (GSPC, Table 3). */
#define GSPC_EPOCHS false
#define GSPC_CONSUMPTION false
#include "memory/replacement/gspc_access.h"

GSPC_REPLACEMENT(cm_replacement_gspztc);
