/* SPDX-License-Identifier: MIT */
/* GSPZTC with texture sampler epochs (GSPC, Table 4). */
#define GSPC_EPOCHS true
#define GSPC_CONSUMPTION false
#include "memory/replacement/gspc_access.h"

GSPC_REPLACEMENT(cm_replacement_gspztc_tse);
