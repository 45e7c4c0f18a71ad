/* SPDX-License-Identifier: MIT */
/* Tiles' events as bytes. A payload is a set of columns, each with one kind of number,
 * which compress better apart than mixed; most numbers are differences from what was
 * to be expected. Both directions keep the same expectations (struct expected), which
 * begin anew with each payload. */
#include <stdlib.h>

#include "events/recording_format.h"

/** What a payload holds at most. */
#define MAX_EVENTS 65536
#define MAX_QUADS 65536
#define MAX_FOOTPRINTS 65536
#define MAX_COUNT 255 /* of an event */

/** X(identifier, bytes an entry takes at most, entries at most) */
#define COLUMNS(X)                                                                               \
   X(EVENTS, 1, MAX_EVENTS)         /* what the other columns hold of an event */                \
   X(EVENT_WORDS, 4, MAX_EVENTS)    /* its first word */                                         \
   X(DRAWS, 5, MAX_EVENTS)          /* its draw: difference */                                   \
   X(QUADS, 1, MAX_QUADS)           /* what the other columns hold of a quad; its live */        \
   X(QUAD_NEAR, 1, MAX_QUADS)       /* its place: difference, four bits x, four bits y */        \
   X(QUAD_FAR, 2, MAX_QUADS)        /* its place: x, y */                                        \
   X(QUAD_MASKS, 2, MAX_QUADS)      /* its other masks */                                        \
   X(PRIMITIVES, 5, MAX_QUADS)      /* its primitive: difference */                              \
   X(FOOTPRINTS, 1, MAX_FOOTPRINTS) /* what the other columns hold of a footprint */             \
   X(HEADS, 3, MAX_FOOTPRINTS)      /* quad, level, linear */                                    \
   X(LAYERS, 5, MAX_FOOTPRINTS)     /* layer: difference */                                      \
   X(LIVE, 1, MAX_FOOTPRINTS)       /* live */                                                   \
   X(KNOWN, 1, MAX_FOOTPRINTS)      /* texels: place in the list of shapes */                    \
   X(NEAR, 2, MAX_FOOTPRINTS)       /* texel 0 of a new shape: difference, a byte x, a byte y */ \
   X(FAR, 4, MAX_FOOTPRINTS)        /* the same, two bytes each */                               \
   X(SMALL, 3, MAX_FOOTPRINTS)      /* the other texels of a new shape, four bits each */        \
   X(WIDE, 12, MAX_FOOTPRINTS)      /* the same, one or two bytes each */

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

/* In EVENTS. */
enum {
   EVENT_WORD = 1 << 0, /* EVENT_WORDS has it; else it is the expected one */
   EVENT_DRAW = 1 << 1, /* DRAWS has it; else it is that of the event before */
   EVENT_BITS = 2,
};

/* In QUADS, above the four bits of live. */
enum {
   QUAD_IS_FAR = 1 << 4,        /* QUAD_FAR has its place; else QUAD_NEAR */
   QUAD_HAS_MASKS = 1 << 5,     /* QUAD_MASKS has covered and visible; else they are live */
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
   SHAPE_POINT = 1 << 4, /* all texels are one */
   SHAPE_BYTES = 2 << 4, /* WIDE, a byte each */
   SHAPE_WORDS = 3 << 4, /* WIDE, two bytes each */
   FOOTPRINT_BITS = 6,
};

/* ---- expectations -------------------------------------------------------- */

#define UNITS 32
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
   uint8_t x, y;    /* the last quad's place */
   uint8_t live[4]; /* of the last event's quads */
   /* The first word of the event that came last after an event with such a first word. */
   uint32_t words[WORDS];
   /* By unit, and by place in the event. */
   struct head heads[UNITS][SLOTS];
   /* Texel 0 of a unit's last footprint, by level. */
   texel texels[UNITS][LEVELS];
   struct shape shapes[SHAPES];
};

static inline uint32_t *
expected_word(struct expected *expected)
{
   return &expected->words[expected->word * 0x9e3779b1u >> 26];
}

static inline struct head *
expected_head(struct expected *expected, uint32_t unit, uint32_t place)
{
   return &expected->heads[unit % UNITS][place < SLOTS ? place : SLOTS - 1];
}

static inline bool
has_head(const struct cm_footprint *footprint, const struct head *head)
{
   return footprint->quad == head->quad && footprint->level == head->level &&
          footprint->linear == head->linear && footprint->layer == head->layer;
}

static inline texel
make_texel(int x, int y)
{
   return (texel)y * 65536u + (texel)x;
}

/* A difference's x and y: what make_texel makes the difference of. */
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

/** Where a shape is in the list if it is there at all. */
static inline unsigned
place_of(const struct shape *shape)
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

/* ---- writing ------------------------------------------------------------- */

struct cm_tile_encoder {
   struct expected expected;
   struct cm_byte_writer pieces; /* tile, events and words of each */
   uint32_t num_pieces, num_events, num_quads, num_footprints;
   uint8_t *end[NUM_COLUMNS];
   uint8_t *begin[NUM_COLUMNS];
   uint8_t *memory;
};

static void
begin_payload(struct cm_tile_encoder *encoder)
{
   memset(&encoder->expected, 0, sizeof encoder->expected);
   encoder->pieces.size = 0;
   encoder->num_pieces = encoder->num_events = encoder->num_quads = encoder->num_footprints = 0;
   memcpy(encoder->end, encoder->begin, sizeof encoder->end);
}

struct cm_tile_encoder *
cm_tile_encoder_create(void)
{
   struct cm_tile_encoder *encoder = calloc(1, sizeof *encoder);
   size_t bytes = 0;
   for (unsigned c = 0; c < NUM_COLUMNS; c++)
      bytes += column_bytes[c];
   if (encoder)
      encoder->memory = malloc(bytes);
   if (!encoder || !encoder->memory) {
      free(encoder);
      return NULL;
   }
   uint8_t *at = encoder->memory;
   for (unsigned c = 0; c < NUM_COLUMNS; c++) {
      encoder->begin[c] = at;
      at += column_bytes[c];
   }
   begin_payload(encoder);
   return encoder;
}

void
cm_tile_encoder_destroy(struct cm_tile_encoder *encoder)
{
   if (!encoder)
      return;
   free(encoder->pieces.data);
   free(encoder->memory);
   free(encoder);
}

static inline void
add_byte(struct cm_tile_encoder *encoder, enum column column, unsigned byte)
{
   *encoder->end[column]++ = (uint8_t)byte;
}

static inline void
add_difference(struct cm_tile_encoder *encoder, enum column column, uint32_t value, uint32_t expected)
{
   encoder->end[column] = cm_store_varint(encoder->end[column], cm_zigzag((int64_t)value - expected));
}

/* A number from -8 to 7 in four bits. */
static inline bool
is_small(int difference)
{
   return (unsigned)(difference + 8) < 16;
}

static inline void
add_int16(struct cm_tile_encoder *encoder, enum column column, int value)
{
   store_int16(encoder->end[column], value);
   encoder->end[column] += 2;
}

static void
add_quads(struct cm_tile_encoder *encoder, const struct cm_quad *quads, uint32_t count)
{
   struct expected *expected = &encoder->expected;
   for (uint32_t q = 0; q < count; q++) {
      const struct cm_quad *quad = &quads[q];
      const int dx = quad->x - expected->x, dy = quad->y - expected->y;
      unsigned tag = quad->live;
      if (is_small(dx) && is_small(dy)) {
         add_byte(encoder, COLUMN_QUAD_NEAR, (unsigned)(dx + 8) | (unsigned)(dy + 8) << 4);
      } else {
         tag |= QUAD_IS_FAR;
         add_byte(encoder, COLUMN_QUAD_FAR, quad->x);
         add_byte(encoder, COLUMN_QUAD_FAR, quad->y);
      }
      if (quad->covered != quad->live || quad->visible != quad->live || quad->reserved) {
         tag |= QUAD_HAS_MASKS;
         add_byte(encoder, COLUMN_QUAD_MASKS, quad->covered);
         add_byte(encoder, COLUMN_QUAD_MASKS, quad->visible | (unsigned)quad->reserved << 4);
      }
      if (quad->primitive != expected->primitive) {
         tag |= QUAD_HAS_PRIMITIVE;
         add_difference(encoder, COLUMN_PRIMITIVES, quad->primitive, expected->primitive);
      }
      add_byte(encoder, COLUMN_QUADS, tag);
      expected->primitive = quad->primitive;
      expected->x = quad->x;
      expected->y = quad->y;
      expected->live[q & 3] = quad->live;
   }
   encoder->num_quads += count;
}

static inline texel
texel_of(const struct cm_footprint *footprint, unsigned number)
{
   return (uint16_t)footprint->texel[number].x | (texel)(uint16_t)footprint->texel[number].y << 16;
}

static inline struct shape
shape_of(const struct cm_footprint *footprint, texel last)
{
   const texel first = texel_of(footprint, 0), right = texel_of(footprint, 1);
   const texel below = texel_of(footprint, 2), corner = texel_of(footprint, 3);
   return (struct shape){{first - last, right - first, below - first, corner - right - below + first}};
}

/* What kind of shape it is, but for texel 0. */
static unsigned
kind_of(const struct shape *shape)
{
   unsigned kind = SHAPE_POINT;
   for (unsigned i = 1; i < 4; i++) {
      const int x = x_of(shape->difference[i]), y = y_of(shape->difference[i]);
      if (x != (int8_t)x || y != (int8_t)y)
         return SHAPE_WORDS;
      if (!is_small(x) || !is_small(y))
         kind = SHAPE_BYTES;
      else if ((x || y) && kind == SHAPE_POINT)
         kind = SHAPE_SMALL;
   }
   return kind;
}

/* A shape that is not in the list; the tag's bits. */
static __attribute__((noinline)) unsigned
add_new_shape(struct cm_tile_encoder *encoder, const struct shape *shape)
{
   const unsigned kind = kind_of(shape);
   unsigned tag = FOOTPRINT_NEW | kind;
   const int dx = x_of(shape->difference[0]), dy = y_of(shape->difference[0]);
   if (dx == (int8_t)dx && dy == (int8_t)dy) {
      add_byte(encoder, COLUMN_NEAR, (unsigned)dx);
      add_byte(encoder, COLUMN_NEAR, (unsigned)dy);
   } else {
      tag |= FOOTPRINT_FAR;
      add_int16(encoder, COLUMN_FAR, dx);
      add_int16(encoder, COLUMN_FAR, dy);
   }
   for (unsigned i = 1; i < 4 && kind != SHAPE_POINT; i++) {
      const int x = x_of(shape->difference[i]), y = y_of(shape->difference[i]);
      if (kind == SHAPE_SMALL) {
         add_byte(encoder, COLUMN_SMALL, (unsigned)(x + 8) | (unsigned)(y + 8) << 4);
      } else if (kind == SHAPE_BYTES) {
         add_byte(encoder, COLUMN_WIDE, (unsigned)x);
         add_byte(encoder, COLUMN_WIDE, (unsigned)y);
      } else {
         add_int16(encoder, COLUMN_WIDE, x);
         add_int16(encoder, COLUMN_WIDE, y);
      }
   }
   return tag;
}

static __attribute__((noinline)) void
add_head(struct cm_tile_encoder *encoder, const struct cm_footprint *footprint, struct head *head)
{
   add_byte(encoder, COLUMN_HEADS, footprint->quad);
   add_byte(encoder, COLUMN_HEADS, footprint->level);
   add_byte(encoder, COLUMN_HEADS, footprint->linear);
   add_difference(encoder, COLUMN_LAYERS, footprint->layer, head->layer);
   *head = (struct head){footprint->quad, footprint->level, 0, footprint->linear, footprint->layer};
}

static void
add_footprints(struct cm_tile_encoder *encoder, uint32_t unit, const struct cm_footprint *footprints,
               uint32_t count)
{
   struct expected *expected = &encoder->expected;
   texel *texels = expected->texels[unit % UNITS];
   uint8_t *tags = encoder->end[COLUMN_FOOTPRINTS], *known = encoder->end[COLUMN_KNOWN];
   for (uint32_t i = 0; i < count; i++) {
      const struct cm_footprint *footprint = &footprints[i];
      unsigned tag = 0;
      struct head *head = expected_head(expected, unit, i);
      if (!has_head(footprint, head)) {
         tag |= FOOTPRINT_HEAD;
         add_head(encoder, footprint, head);
      }
      if (footprint->live != expected->live[footprint->quad & 3]) {
         tag |= FOOTPRINT_LIVE;
         add_byte(encoder, COLUMN_LIVE, footprint->live);
      }
      texel *last = &texels[footprint->level % LEVELS];
      const struct shape shape = shape_of(footprint, *last);
      *last = texel_of(footprint, 0);
      const unsigned place = place_of(&shape);
      if (is_same(&expected->shapes[place], &shape)) {
         *known++ = (uint8_t)place;
      } else {
         expected->shapes[place] = shape;
         tag |= add_new_shape(encoder, &shape);
      }
      *tags++ = (uint8_t)tag;
   }
   encoder->end[COLUMN_FOOTPRINTS] = tags;
   encoder->end[COLUMN_KNOWN] = known;
   encoder->num_footprints += count;
}

/* An event's first word, and its draw if it has one. */
static void
add_event(struct cm_tile_encoder *encoder, const uint32_t *event)
{
   struct expected *expected = &encoder->expected;
   uint32_t *word = expected_word(expected);
   unsigned tag = 0;
   if (*word != event[0]) {
      tag |= EVENT_WORD;
      cm_store_uint32(encoder->end[COLUMN_EVENT_WORDS], event[0]);
      encoder->end[COLUMN_EVENT_WORDS] += 4;
   }
   *word = expected->word = event[0];
   if (has_quads(cm_event_type(event[0])) && event[1] != expected->draw) {
      tag |= EVENT_DRAW;
      add_difference(encoder, COLUMN_DRAWS, event[1], expected->draw);
      expected->draw = event[1];
   }
   add_byte(encoder, COLUMN_EVENTS, tag);
   encoder->num_events++;
}

static bool
has_room(const struct cm_tile_encoder *encoder)
{
   return encoder->num_events < MAX_EVENTS && encoder->num_quads <= MAX_QUADS - MAX_COUNT &&
          encoder->num_footprints <= MAX_FOOTPRINTS - MAX_COUNT;
}

static void
count_quads(struct cm_tile_counts *counts, const struct cm_quad *quads, uint32_t count)
{
   counts->shade_events++;
   counts->quads += count;
   for (uint32_t q = 0; q < count; q++)
      counts->fragments += 0x4332322132212110ull >> 4 * (quads[q].live & 15) & 15;
}

size_t
cm_tile_encoder_add(struct cm_tile_encoder *encoder, uint32_t tile, const struct cm_tile_events *events,
                    size_t first, struct cm_tile_counts *counts)
{
   const uint32_t *words = events->words;
   size_t at = first;
   const uint32_t first_event = encoder->num_events;
   while (at < events->num_words && has_room(encoder)) {
      const enum cm_event_type type = cm_event_type(words[at]);
      const uint32_t count = cm_event_count(words[at]), unit = cm_event_unit(words[at]);
      if (!has_quads(type) && type != CM_EVENT_FOOTPRINTS && type != CM_EVENT_FLUSH)
         return SIZE_MAX;
      add_event(encoder, words + at);
      if (has_quads(type)) {
         const struct cm_quad *quads = (const struct cm_quad *)(words + at + 2);
         add_quads(encoder, quads, count);
         if (type == CM_EVENT_SHADE)
            count_quads(counts, quads, count);
      } else if (type == CM_EVENT_FOOTPRINTS) {
         add_footprints(encoder, unit, (const struct cm_footprint *)(words + at + 1), count);
         counts->texture_events++;
         counts->footprints += count;
      }
      at += (size_t)(cm_event_next(words + at) - (words + at));
   }
   if (at > first) {
      cm_put_signed(&encoder->pieces, (int64_t)tile - encoder->expected.tile);
      cm_put_varint(&encoder->pieces, encoder->num_events - first_event);
      cm_put_varint(&encoder->pieces, at - first);
      encoder->expected.tile = tile;
      encoder->num_pieces++;
   }
   return at;
}

void
cm_tile_encoder_finish(struct cm_tile_encoder *encoder, struct cm_byte_writer *writer)
{
   if (!encoder->num_pieces)
      return;
   cm_put_varint(writer, encoder->num_pieces);
   for (unsigned c = 0; c < NUM_COLUMNS; c++)
      cm_put_varint(writer, (uint64_t)(encoder->end[c] - encoder->begin[c]));
   cm_put_bytes(writer, encoder->pieces.data, encoder->pieces.size);
   for (unsigned c = 0; c < NUM_COLUMNS; c++)
      cm_put_bytes(writer, encoder->begin[c], (size_t)(encoder->end[c] - encoder->begin[c]));
   writer->out_of_memory |= encoder->pieces.out_of_memory;
   begin_payload(encoder);
}

/* ---- reading ------------------------------------------------------------- */

struct decoder {
   const struct cm_pass *pass;
   struct expected expected;
   struct cm_byte_reader column[NUM_COLUMNS];
   uint32_t num_quads; /* of the group under way; 0: there is none */
   const char *wrong;
};

static inline bool
fails(struct decoder *decoder, const char *wrong)
{
   decoder->wrong = wrong;
   return false;
}

static inline uint32_t
get_difference(struct decoder *decoder, enum column column, uint32_t expected)
{
   return (uint32_t)(expected + (uint64_t)cm_get_signed(&decoder->column[column]));
}

/* A quad's place: from the quad before, or as it is. */
static void
decode_place(struct decoder *decoder, struct cm_quad *quad, bool is_far)
{
   struct expected *expected = &decoder->expected;
   if (is_far) {
      const uint8_t *place = cm_get_bytes(&decoder->column[COLUMN_QUAD_FAR], 2);
      quad->x = place ? place[0] : 0;
      quad->y = place ? place[1] : 0;
   } else {
      const unsigned place = cm_get_byte(&decoder->column[COLUMN_QUAD_NEAR]);
      quad->x = (uint8_t)(expected->x + (place & 15) - 8);
      quad->y = (uint8_t)(expected->y + (place >> 4) - 8);
   }
   expected->x = quad->x;
   expected->y = quad->y;
}

static bool
decode_quads(struct decoder *decoder, struct cm_quad *quads, uint32_t count)
{
   const struct cm_pass *pass = decoder->pass;
   struct expected *expected = &decoder->expected;
   const uint8_t *tags = cm_get_bytes(&decoder->column[COLUMN_QUADS], count);
   if (!tags)
      return fails(decoder, "quads are cut short");
   for (uint32_t q = 0; q < count; q++) {
      struct cm_quad *quad = &quads[q];
      const unsigned tag = tags[q], live = tag & 15;
      *quad = (struct cm_quad){.live = live, .covered = live, .visible = live};
      decode_place(decoder, quad, tag & QUAD_IS_FAR);
      if (tag & QUAD_HAS_MASKS) {
         const uint8_t *masks = cm_get_bytes(&decoder->column[COLUMN_QUAD_MASKS], 2);
         if (!masks || masks[0] > 15)
            return fails(decoder, "quads are cut short");
         quad->covered = masks[0] & 15;
         quad->visible = masks[1] & 15;
         quad->reserved = masks[1] >> 4;
      }
      if (tag & QUAD_HAS_PRIMITIVE)
         expected->primitive = get_difference(decoder, COLUMN_PRIMITIVES, expected->primitive);
      quad->primitive = expected->primitive;
      expected->live[q] = quad->live;
      if (tag >> QUAD_BITS || quad->primitive >= pass->num_primitives || quad->x >= pass->tile_size / 2 ||
          quad->y >= pass->tile_size / 2)
         return fails(decoder, "a quad names a primitive or pixels that are not there");
   }
   return true;
}

/* A texel's difference from a column, of so many bytes. */
static inline texel
get_difference_of_texels(struct cm_byte_reader *column, unsigned bytes)
{
   const uint8_t *at = cm_get_bytes(column, bytes);
   if (!at)
      return 0;
   switch (bytes) {
   case 1: return make_texel((at[0] & 15) - 8, (at[0] >> 4) - 8);
   case 2: return make_texel((int8_t)at[0], (int8_t)at[1]);
   default: return make_texel(load_int16(at), load_int16(at + 2));
   }
}

/* A shape that is not in the list. */
static __attribute__((noinline)) struct shape
decode_new_shape(struct decoder *decoder, unsigned tag)
{
   struct cm_byte_reader *column = decoder->column;
   struct shape shape = {0};
   shape.difference[0] = tag & FOOTPRINT_FAR ? get_difference_of_texels(&column[COLUMN_FAR], 4)
                                             : get_difference_of_texels(&column[COLUMN_NEAR], 2);
   for (unsigned i = 1; i < 4; i++) {
      switch (tag & FOOTPRINT_SHAPE) {
      case SHAPE_SMALL: shape.difference[i] = get_difference_of_texels(&column[COLUMN_SMALL], 1); break;
      case SHAPE_BYTES: shape.difference[i] = get_difference_of_texels(&column[COLUMN_WIDE], 2); break;
      case SHAPE_WORDS: shape.difference[i] = get_difference_of_texels(&column[COLUMN_WIDE], 4); break;
      default: break;
      }
   }
   return shape;
}

/* Differences to texels. */
static inline void
decode_texels(struct cm_footprint *footprint, texel *last, const struct shape *shape)
{
   const texel first = *last + shape->difference[0];
   const texel right = first + shape->difference[1], below = first + shape->difference[2];
   const texel texels[4] = {first, right, below, shape->difference[3] + right + below - first};
   for (unsigned i = 0; i < 4; i++) {
      footprint->texel[i].x = (int16_t)texels[i];
      footprint->texel[i].y = (int16_t)(texels[i] >> 16);
   }
   *last = first;
}

static bool
decode_footprints(struct decoder *decoder, uint32_t unit, struct cm_footprint *footprints, uint32_t count)
{
   struct expected *expected = &decoder->expected;
   struct cm_byte_reader *column = decoder->column;
   const uint8_t *tags = cm_get_bytes(&column[COLUMN_FOOTPRINTS], count);
   if (!tags)
      return fails(decoder, "footprints are cut short");
   for (uint32_t i = 0; i < count; i++) {
      struct cm_footprint *footprint = &footprints[i];
      const unsigned tag = tags[i];
      struct head *head = expected_head(expected, unit, i);
      if (tag & FOOTPRINT_HEAD) {
         const uint8_t *bytes = cm_get_bytes(&column[COLUMN_HEADS], 3);
         if (!bytes || bytes[2] > 1)
            return fails(decoder, "a footprint has values out of range");
         *head = (struct head){bytes[0], bytes[1], 0, bytes[2],
                               get_difference(decoder, COLUMN_LAYERS, head->layer)};
      }
      footprint->quad = head->quad;
      footprint->level = head->level;
      footprint->linear = head->linear;
      footprint->layer = head->layer;
      footprint->live =
         tag & FOOTPRINT_LIVE ? cm_get_byte(&column[COLUMN_LIVE]) : expected->live[head->quad & 3];
      if (head->quad >= decoder->num_quads || footprint->live > 15 || tag >> FOOTPRINT_BITS)
         return fails(decoder, "a footprint names a quad or fragments that are not there");

      texel *last = &expected->texels[unit % UNITS][head->level % LEVELS];
      if (tag & FOOTPRINT_NEW) {
         const struct shape shape = decode_new_shape(decoder, tag);
         expected->shapes[place_of(&shape)] = shape;
         decode_texels(footprint, last, &shape);
      } else {
         decode_texels(footprint, last, &expected->shapes[cm_get_byte(&column[COLUMN_KNOWN])]);
      }
   }
   return true;
}

/* A draw and its quads. */
static bool
decode_shading(struct decoder *decoder, uint32_t *word, bool has_draw, size_t room)
{
   const uint32_t count = cm_event_count(*word);
   if (!count || count > 4 || room < 2 + count * CM_QUAD_WORDS)
      return fails(decoder, "an event of quads has too many, or none");
   if (cm_event_continues(*word) && count != decoder->num_quads)
      return fails(decoder, "a shade event does not continue the one before");
   if (has_draw)
      decoder->expected.draw = get_difference(decoder, COLUMN_DRAWS, decoder->expected.draw);
   word[1] = decoder->expected.draw;
   if (word[1] >= decoder->pass->num_draws)
      return fails(decoder, "an event names a draw that is not there");
   decoder->num_quads = cm_event_type(*word) == CM_EVENT_SHADE ? count : 0;
   return decode_quads(decoder, (struct cm_quad *)(word + 2), count);
}

/* An event's first word; 0: there is none. */
static uint32_t
decode_word(struct decoder *decoder, unsigned tag)
{
   uint32_t *word = expected_word(&decoder->expected);
   if (tag & EVENT_WORD) {
      const uint8_t *bytes = cm_get_bytes(&decoder->column[COLUMN_EVENT_WORDS], 4);
      *word = bytes ? cm_load_uint32(bytes) : 0;
   }
   return decoder->expected.word = *word;
}

/* One event to words. */
static bool
decode_event(struct decoder *decoder, uint32_t *word, const uint32_t *end)
{
   const size_t room = (size_t)(end - word);
   const unsigned tag = cm_get_byte(&decoder->column[COLUMN_EVENTS]);
   if (!room || tag >> EVENT_BITS)
      return fails(decoder, "a tile has more events than words");
   word[0] = decode_word(decoder, tag);
   const enum cm_event_type type = cm_event_type(*word);
   const uint32_t count = cm_event_count(*word);
   if (type == CM_EVENT_FOOTPRINTS) {
      if (!count || room < 1 + count * CM_FOOTPRINT_WORDS)
         return fails(decoder, "a texture event has too many footprints, or none");
      return decode_footprints(decoder, cm_event_unit(*word), (struct cm_footprint *)(word + 1), count);
   }
   if (type == CM_EVENT_SHADE)
      return decode_shading(decoder, word, tag & EVENT_DRAW, room);
   if (decoder->pass->kind != CM_PASS_FULL || (type != CM_EVENT_UNSHADED && type != CM_EVENT_FLUSH))
      return fails(decoder, "an event of an unknown type");
   decoder->num_quads = 0;
   return type == CM_EVENT_FLUSH || decode_shading(decoder, word, tag & EVENT_DRAW, room);
}

/* Room for a tile's next words: the usual tile has one piece and gets exactly as many. */
static uint32_t *
add_words(struct cm_tile_events *events, size_t n)
{
   if (events->num_words)
      return cm_tile_events_reserve(events, n);
   events->words = malloc(n * sizeof *events->words);
   events->capacity = events->words ? n : 0;
   return events->words;
}

/* Quads of the group that a tile's words end with; 0: there is none. */
static uint32_t
last_num_quads(const struct cm_tile_events *events)
{
   uint32_t num_quads = 0;
   if (!events->num_words)
      return 0;
   const uint32_t *end = events->words + events->num_words;
   for (const uint32_t *word = events->words; word < end; word = cm_event_next(word)) {
      if (cm_event_type(*word) != CM_EVENT_FOOTPRINTS)
         num_quads = cm_event_type(*word) == CM_EVENT_SHADE ? cm_event_count(*word) : 0;
   }
   return num_quads;
}

static const char *
decode_piece(struct decoder *decoder, struct cm_byte_reader *pieces, bool first, size_t most_words)
{
   const struct cm_pass *pass = decoder->pass;
   const uint64_t tile = decoder->expected.tile + (uint64_t)cm_get_signed(pieces);
   const uint64_t num_events = cm_get_varint(pieces), num_words = cm_get_varint(pieces);
   if (pieces->bad || tile >= (uint64_t)pass->tiles_x * pass->tiles_y)
      return "events are of a tile that is not there";
   if (!num_words || num_words > most_words)
      return "a tile has more words than events";
   struct cm_tile_events *events = &pass->tiles[tile];
   if (events->num_words && !first)
      return "a tile comes twice";
   decoder->expected.tile = (uint32_t)tile;
   decoder->num_quads = last_num_quads(events);
   uint32_t *word = add_words(events, num_words);
   if (!word)
      return "out of memory for a tile's events";
   const uint32_t *end = word + num_words;
   for (uint64_t e = 0; e < num_events; e++) {
      if (!decode_event(decoder, word, end))
         return decoder->wrong;
      word += cm_event_next(word) - word;
   }
   if (word != end)
      return "a tile has fewer events than words";
   events->num_words += num_words;
   return NULL;
}

const char *
cm_decode_tiles(struct cm_byte_reader *reader, struct cm_pass *pass)
{
   struct decoder decoder = {.pass = pass};
   const uint64_t num_pieces = cm_get_varint(reader);
   uint64_t length[NUM_COLUMNS], sum = 0;
   for (unsigned c = 0; c < NUM_COLUMNS; c++) {
      length[c] = cm_get_varint(reader);
      sum += length[c] < column_bytes[c] ? length[c] : column_bytes[c];
      reader->bad |= length[c] > column_bytes[c];
   }
   if (reader->bad || sum > cm_bytes_left(reader))
      return "columns of events are cut short";

   struct cm_byte_reader pieces = {reader->at, reader->end - sum, false};
   const uint8_t *at = pieces.end;
   for (unsigned c = 0; c < NUM_COLUMNS; c++) {
      decoder.column[c] = (struct cm_byte_reader){at, at + length[c], false};
      at += length[c];
   }
   /* No byte of a column makes more words than this. */
   const size_t most_words = sum * (2 + CM_QUAD_WORDS + CM_FOOTPRINT_WORDS);
   for (uint64_t p = 0; p < num_pieces; p++) {
      const char *wrong = decode_piece(&decoder, &pieces, p == 0, most_words);
      if (wrong)
         return wrong;
   }
   bool whole = pieces.at == pieces.end;
   for (unsigned c = 0; c < NUM_COLUMNS; c++)
      whole &= !decoder.column[c].bad && decoder.column[c].at == decoder.column[c].end;
   return whole ? NULL : "columns of events are cut short or have bytes left over";
}
