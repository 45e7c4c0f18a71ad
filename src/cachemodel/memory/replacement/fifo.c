/* SPDX-License-Identifier: MIT */
/* First in, first out. The lines of a set are in order of insertion, the last one
 * first; hits change nothing. */
#include "memory/replacement/order.h"
#include "memory/replacement/ways.h"

#define cm_policy_hit cm_ways_hit
#define cm_policy_victim cm_order_last_way
#define cm_policy_fill cm_order_fill
#define cm_policy_is_settled cm_ways_has
#define CM_POLICY_FOLDS_FILL true
#define CM_POLICY_FOLDS_HIT true
#include "memory/cache_access.h"

const struct cm_replacement cm_replacement_fifo = {
   CM_POLICY_FUNCTIONS,
   .remove = cm_order_remove,
};
