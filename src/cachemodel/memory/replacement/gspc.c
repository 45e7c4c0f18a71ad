/* SPDX-License-Identifier: MIT */
/* Graphics stream-aware probabilistic caching (GSPC, Table 5). */
#define GSPC_EPOCHS true
#define GSPC_CONSUMPTION true
#include "memory/replacement/gspc_access.h"

GSPC_REPLACEMENT(cm_replacement_gspc);
