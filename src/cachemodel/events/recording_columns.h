/* SPDX-License-Identifier: MIT */
/**
 * Tiles' events as columns of bytes: shared by encoder and decoder. A column has one kind
 * of number, which compress better apart than mixed; most are differences from a
 * prediction. Both directions keep the same predictions (struct expected), which are reset
 * at each payload. docs/recording-format.md has the columns.
 */
#ifndef CM_RECORDING_COLUMNS_H
#define CM_RECORDING_COLUMNS_H

#include "events/recording_format.h"

/** Limits of a payload. */
#define MAX_EVENTS 65536
#define MAX_QUADS 65536
#define MAX_FOOTPRINTS 65536
#define MAX_COUNT 255 /* of an event */
#define MAX_REGION_WORDS \
   (1u << 18) /* of CM_EVENT_REGIONS: words of counts; there are fewer than four times as many counts */

/** X(identifier, bytes an entry takes at most, entries at most) */
#define COLUMNS(X)                                                                                    \
   X(EVENTS, 1, MAX_EVENTS)         /* what the other columns hold of an event */                     \
   X(EVENT_WORDS, 4, MAX_EVENTS)    /* its first word */                                              \
   X(DRAWS, 5, MAX_EVENTS)          /* its draw: difference */                                        \
   X(QUADS, 1, MAX_QUADS)           /* what the other columns hold of a quad; its live */             \
   X(QUAD_NEAR, 1, MAX_QUADS)       /* its position: difference, four bits x, four bits y */          \
   X(QUAD_FAR, 2, MAX_QUADS)        /* its position: x, y */                                          \
   X(QUAD_MASKS, 2, MAX_QUADS)      /* its other masks */                                             \
   X(PRIMITIVES, 5, MAX_QUADS)      /* its primitive: difference */                                   \
   X(FOOTPRINTS, 1, MAX_FOOTPRINTS) /* what the other columns hold of a footprint */                  \
   X(HEADS, 3, MAX_FOOTPRINTS)      /* quad, level, linear */                                         \
   X(LAYERS, 5, MAX_FOOTPRINTS)     /* layer: difference */                                           \
   X(LIVE, 1, MAX_FOOTPRINTS)       /* live */                                                        \
   X(KNOWN, 1, MAX_FOOTPRINTS)      /* texels: index in the list of shapes */                         \
   X(NEAR, 2, MAX_FOOTPRINTS)       /* texel 0 of a new shape: difference, a byte x, a byte y */      \
   X(FAR, 4, MAX_FOOTPRINTS)        /* the same, two bytes each */                                    \
   X(SMALL, 3, MAX_FOOTPRINTS)      /* the other texels of a new shape, four bits each */             \
   X(WIDE, 12, MAX_FOOTPRINTS)      /* the same, one or two bytes each */                             \
   X(NUMBERS, 5, MAX_EVENTS)        /* number of a work-group or an invocation: difference */         \
   X(ACCESSES, 24, MAX_FOOTPRINTS)  /* of a buffer: quad, pattern, live; then offsets: differences */ \
   X(REGIONS, 6,                                                                                      \
     MAX_REGION_WORDS) /* runs of regions: whether they are the last ones; else differences from these */

enum column {
#define COLUMN_ENUM(id, bytes, entries) COLUMN_##id,
   COLUMNS(COLUMN_ENUM)
#undef COLUMN_ENUM
      NUM_COLUMNS
};

static const uint32_t column_bytes[NUM_COLUMNS] = {
#define COLUMN_BYTES(id, bytes, entries) (bytes) * (entries),
   COLUMNS(COLUMN_BYTES)
#undef COLUMN_BYTES
};

/* In ACCESSES: which offsets of four invocations are there. */
enum access_pattern {
   ACCESS_EACH, /* those of all that are live */
   ACCESS_SAME, /* the first one's, which all have */
   ACCESS_NEXT, /* the first one's; each accesses what follows the one before */
};

/* In EVENTS. */
enum {
   EVENT_WORD = 1 << 0, /* EVENT_WORDS has it; else it is the expected one */
   EVENT_DRAW = 1 << 1, /* DRAWS has it; else it is that of the event before */
   EVENT_BITS = 2,
};

/* In QUADS, above the four bits of live. */
enum {
   QUAD_IS_FAR = 1 << 4,        /* QUAD_FAR has its position; else QUAD_NEAR */
   QUAD_HAS_MASKS = 1 << 5,     /* QUAD_MASKS has covered, visible and written; else they are live */
   QUAD_HAS_PRIMITIVE = 1 << 6, /* PRIMITIVES has it; else it is that of the quad before */
   QUAD_BITS = 7,
};

/* In FOOTPRINTS. */
enum {
   FOOTPRINT_HEAD = 1 << 0, /* HEADS and LAYERS have it; else it is the expected one */
   FOOTPRINT_LIVE = 1 << 1, /* LIVE has it; else it is that of its quad */
   FOOTPRINT_NEW = 1 << 2,  /* its texels are in the columns that follow; else KNOWN */
   FOOTPRINT_FAR = 1 << 3,  /* FAR has texel 0; else NEAR */
   FOOTPRINT_SHAPE = 3 << 4,
   SHAPE_SMALL = 0 << 4, /* SMALL */
   SHAPE_BYTES = 1 << 4, /* WIDE, a byte each */
   SHAPE_WORDS = 2 << 4, /* WIDE, two bytes each */
   FOOTPRINT_BITS = 6,
};

/* ---- predictions --------------------------------------------------------- */

#define UNITS 64
#define SLOTS 16
#define LEVELS 4
#define SHAPES 256
#define WORDS 64

/** A texel's x and y as one number, x in the low half. */
typedef uint32_t texel;

/** A footprint's texels as differences of such numbers: of texel 0 from the unit's last one of
 * the level; of texels 1 and 2 from texel 0; of texel 3 from what the other three give. */
struct shape {
   texel difference[4];
};

/** A footprint without its texels. */
struct head {
   uint8_t quad, level, live, linear; /* live: 0 */
   uint32_t layer;
};

struct expected {
   uint32_t tile, draw, primitive;
   uint32_t word;   /* an event's first one */
   uint8_t x, y;    /* the last quad's position */
   uint8_t live[4]; /* of the last event's quads */
   /* The first word of the event that came last after an event with such a first word. */
   uint32_t words[WORDS];
   /* By unit, and by index in the event. */
   struct head heads[UNITS][SLOTS];
   /* Texel 0 of a unit's last footprint, by level. */
   texel texels[UNITS][LEVELS];
   uint32_t group, invocation;    /* the last event's number, and how many it has */
   uint32_t offsets[UNITS];       /* a buffer's last one */
   uint32_t buffer;               /* the last one that was accessed by address */
   uint32_t runs[CM_MAX_REGIONS]; /* of the last event with runs of regions */
};

/* How many quads an event's accesses can belong to. */
static inline uint32_t
quads_of(uint32_t word)
{
   switch (cm_event_type(word)) {
   case CM_EVENT_SHADE: return cm_event_count(word);
   case CM_EVENT_INVOKE: return (cm_event_count(word) + 3) / 4;
   default: return 0;
   }
}

/* The live masks of an event's quads, which footprints after it mostly share. */
static inline void
expect_invocations(struct expected *expected, uint32_t count)
{
   for (uint32_t q = 0; q < 4; q++)
      expected->live[q] = (uint8_t)(count >= 4 * q + 4 ? 15
                                    : count > 4 * q    ? (1u << (count - 4 * q)) - 1
                                                       : 0);
}

static inline uint32_t *
expected_word(struct expected *expected)
{
   return &expected->words[expected->word * 0x9e3779b1u >> 26];
}

static inline struct head *
expected_head(struct expected *expected, uint32_t unit, uint32_t index)
{
   return &expected->heads[unit % UNITS][index < SLOTS ? index : SLOTS - 1];
}

/* In REGIONS, of each event. */
enum {
   REGIONS_DIFFER, /* differences follow, one a region */
   REGIONS_SAME,   /* as many as the event has of the last ones */
};

/* Compared as one number: a footprint's members before its texels, except live. */
static inline bool
has_head(const struct cm_footprint *footprint, const struct head *head)
{
   static const struct head all = {0xff, 0xff, 0, 0xff, UINT32_MAX};
   uint64_t is, expected, mask;
   _Static_assert(sizeof is == sizeof *head && offsetof(struct cm_footprint, texel) == sizeof *head, "alike");
   memcpy(&is, footprint, sizeof is);
   memcpy(&expected, head, sizeof expected);
   memcpy(&mask, &all, sizeof mask);
   return (is & mask) == expected;
}

static inline texel
make_texel(int x, int y)
{
   return (texel)y * 65536u + (texel)x;
}

/* A difference's x and y, from which make_texel makes it. */
static inline int16_t
x_of(texel difference)
{
   return (int16_t)difference;
}

static inline int16_t
y_of(texel difference)
{
   return (int16_t)((difference - (texel)x_of(difference)) >> 16);
}

/** Where a shape is in the list, if it is in it. */
static inline unsigned
shape_index(const struct shape *shape)
{
   const uint64_t low = shape->difference[0] | (uint64_t)shape->difference[1] << 32;
   const uint64_t high = shape->difference[2] | (uint64_t)shape->difference[3] << 32;
   return (unsigned)((low * 0x9e3779b97f4a7c15ull ^ high * 0xc2b2ae3d27d4eb4full) >> 56);
}

static inline bool
is_same(const struct shape *a, const struct shape *b)
{
   const texel *left = a->difference, *right = b->difference;
   return !((left[0] ^ right[0]) | (left[1] ^ right[1]) | (left[2] ^ right[2]) | (left[3] ^ right[3]));
}

static inline void
store_int16(uint8_t *at, int value)
{
   at[0] = (uint8_t)value;
   at[1] = (uint8_t)(value >> 8);
}

static inline int16_t
load_int16(const uint8_t *at)
{
   return (int16_t)(at[0] | at[1] << 8);
}

/* Whether an event of the type is a draw and quads. */
static inline bool
has_quads(uint32_t type)
{
   return type == CM_EVENT_SHADE || type == CM_EVENT_UNSHADED;
}

#endif
