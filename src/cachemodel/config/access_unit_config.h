/* SPDX-License-Identifier: MIT */
/** The part of a configuration that lists the units on the access stream: keys access_units.*
 * (access/access_unit.h). */
#ifndef CM_ACCESS_UNIT_CONFIG_H
#define CM_ACCESS_UNIT_CONFIG_H

#include <stdint.h>

#include "config/units.h"

/** X(identifier, name), in the order in which they stand on the stream */
#define CM_ACCESS_UNITS(X) X(VICTIM_BUFFER, victim_buffer)

enum cm_access_unit_number {
#define CM_ACCESS_UNIT_ENUM(id, name) CM_ACCESS_UNIT_##id,
   CM_ACCESS_UNITS(CM_ACCESS_UNIT_ENUM)
#undef CM_ACCESS_UNIT_ENUM
      CM_ACCESS_UNIT_COUNT
};

/** Keys access_units.<name>.*. Not configured: entries is 0. */
struct cm_access_unit_config {
   enum cm_unit before; /**< the shared cache that it stands before */
   uint32_t entries;    /**< 1 … 1024 */
   uint32_t latency;    /**< cycles of an access, 1 … 1000 */
};

#endif
