/* SPDX-License-Identifier: MIT */
/** Keys transaction_elimination.* and rendering_elimination.* (docs/elimination.md): what of a frame is left out because it is
 * what it was in an earlier one. Both mappings are optional. */
#ifndef CM_ELIMINATION_CONFIG_H
#define CM_ELIMINATION_CONFIG_H

#include <stdint.h>

/** Transaction elimination: a tile whose pixels equal those in memory is not stored. X(member, least, most, what it is) */
#define CM_TRANSACTION_ELIMINATION_KEYS(X)                            \
   X(signature_bytes, 1, 64, "bytes of a tile's signature in memory") \
   X(lines, 1, 64, "blocks of signatures on chip: read once, written when replaced")

/** Rendering elimination: a tile that is drawn from the same inputs as before is not drawn. X(member, least, most, what it is) */
#define CM_RENDERING_ELIMINATION_KEYS(X)                                                               \
   X(signature_bytes, 1, 16, "bytes of a tile's signature in the Signature Buffer, which is on chip")  \
   X(signatures, 1, 1048576,                                                                           \
     "signatures in it: a target with more tiles, times frame.buffers, is drawn whole")                \
   X(block_bytes, 1, 256, "bytes of attributes and constants that the Signature Unit takes per cycle") \
   X(tile_cycles, 1, 1000,                                                                             \
     "cycles in which it adds a primitive, or a draw's constants, to a tile's signature")              \
   X(queue, 1, 4096, "primitives between the Polygon List Builder and the Signature Unit")             \
   X(check_cycles, 0, 1000, "cycles in which the Tile Fetcher compares a tile's signatures")

#define CM_ELIMINATION_FIELD(member, least, most, description) uint32_t member;
/** All are 0 where there is no such mapping. */
struct cm_transaction_elimination_config {
   CM_TRANSACTION_ELIMINATION_KEYS(CM_ELIMINATION_FIELD)
};
/** All are 0 where there is no such mapping. */
struct cm_rendering_elimination_config {
   CM_RENDERING_ELIMINATION_KEYS(CM_ELIMINATION_FIELD)
};
#undef CM_ELIMINATION_FIELD

#endif
