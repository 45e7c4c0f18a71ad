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

#define QUAD_BYTES 4 /* of a quad besides its primitive */

/** X(identifier, bytes an entry takes at most, entries at most) */
#define COLUMNS(X)                                                                  \
   X(TYPES, 1, MAX_EVENTS)         /* an event's type */                            \
   X(COUNTS, 1, MAX_EVENTS)        /* its quads or footprints */                    \
   X(UNITS, 2, MAX_EVENTS)         /* its texture unit */                           \
   X(DRAWS, 5, MAX_EVENTS)         /* a shade event's draw: difference */           \
   X(PRIMITIVES, 5, MAX_QUADS)     /* a quad's primitive: difference */             \
   X(QUADS, QUAD_BYTES, MAX_QUADS) /* its other bytes: differences, byte by byte */ \
   X(TAGS, 1, MAX_FOOTPRINTS)      /* what the other columns hold of a footprint */ \
   X(HEADS, 3, MAX_FOOTPRINTS)     /* quad, level, linear */                        \
   X(LAYERS, 5, MAX_FOOTPRINTS)    /* layer: difference */                          \
   X(LIVE, 1, MAX_FOOTPRINTS)      /* live */                                       \
   X(NEAR_X, 1, MAX_FOOTPRINTS)    /* texel 0: difference */                        \
   X(NEAR_Y, 1, MAX_FOOTPRINTS)                                                     \
   X(FAR, 4, MAX_FOOTPRINTS)    /* the same where a byte does not hold it */        \
   X(RIGHT, 1, MAX_FOOTPRINTS)  /* texel 1 minus texel 0 */                         \
   X(BELOW, 1, MAX_FOOTPRINTS)  /* texel 2 minus texel 0 */                         \
   X(CORNER, 1, MAX_FOOTPRINTS) /* texel 3 minus what the other three give */       \
   X(WIDE, 12, MAX_FOOTPRINTS)  /* these three where four bits do not hold them */

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

/* A footprint's tag. */
enum {
   TAG_HEAD = 1 << 0, /* HEADS and LAYERS have it; else it is the expected one */
   TAG_LIVE = 1 << 1, /* LIVE has it; else it is that of its quad */
   TAG_FAR = 1 << 2,  /* FAR has texel 0; else NEAR_X and NEAR_Y */
   TAG_SHAPE = 3 << 3,
   SHAPE_SMALL = 0 << 3, /* RIGHT, BELOW and CORNER */
   SHAPE_POINT = 1 << 3, /* all texels are one */
   SHAPE_BYTES = 2 << 3, /* WIDE, a byte each */
   SHAPE_WORDS = 3 << 3, /* WIDE, two bytes each */
   TAG_BITS = 5,
};

/* ---- expectations -------------------------------------------------------- */

#define UNITS 32
#define SLOTS 16
#define LEVELS 4

struct expected_head {
   uint32_t head; /* quad | level << 8 | linear << 16 */
   uint32_t layer;
};

struct expected {
   uint32_t tile, draw, primitive;
   uint8_t quad[QUAD_BYTES];
   uint8_t live[4]; /* of the last event's quads */
   /* By unit, and by place in the event. */
   struct expected_head heads[UNITS][SLOTS];
   /* Texel 0 of a unit's last footprint, by level. */
   struct {
      int16_t x, y;
   } texel[UNITS][LEVELS];
};

static inline struct expected_head *
expected_head(struct expected *expected, uint32_t unit, uint32_t place)
{
   return &expected->heads[unit % UNITS][place < SLOTS ? place : SLOTS - 1];
}

static inline uint32_t
head_of(const struct cm_footprint *footprint)
{
   return footprint->quad | (uint32_t)footprint->level << 8 | (uint32_t)footprint->linear << 16;
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

/* A quad's other bytes. */
static inline void
store_quad(uint8_t bytes[QUAD_BYTES], const struct cm_quad *quad)
{
   bytes[0] = quad->x;
   bytes[1] = quad->y;
   bytes[2] = (uint8_t)(quad->live | quad->covered << 4);
   bytes[3] = (uint8_t)(quad->visible | quad->reserved << 4);
}

static inline void
load_quad(struct cm_quad *quad, const uint8_t bytes[QUAD_BYTES])
{
   quad->x = bytes[0];
   quad->y = bytes[1];
   quad->live = bytes[2] & 15;
   quad->covered = bytes[2] >> 4;
   quad->visible = bytes[3] & 15;
   quad->reserved = bytes[3] >> 4;
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

static void
add_quads(struct cm_tile_encoder *encoder, const struct cm_quad *quads, uint32_t count)
{
   struct expected *expected = &encoder->expected;
   for (uint32_t q = 0; q < count; q++) {
      const struct cm_quad *quad = &quads[q];
      uint8_t bytes[QUAD_BYTES];
      add_difference(encoder, COLUMN_PRIMITIVES, quad->primitive, expected->primitive);
      expected->primitive = quad->primitive;
      store_quad(bytes, quad);
      for (unsigned b = 0; b < QUAD_BYTES; b++)
         *encoder->end[COLUMN_QUADS]++ = (uint8_t)(bytes[b] - expected->quad[b]);
      memcpy(expected->quad, bytes, QUAD_BYTES);
      if (q < 4)
         expected->live[q] = quad->live;
   }
   encoder->num_quads += count;
}

/* x and y of four texels. */
typedef int16_t texels __attribute__((vector_size(16)));

/* Texels 1, 2 and 3 as differences; what kind they are. */
static inline unsigned
add_shape(struct cm_tile_encoder *encoder, const struct cm_footprint *footprint)
{
   texels quad;
   memcpy(&quad, footprint->texel, sizeof quad);
   texels offsets = quad - __builtin_shuffle(quad, (texels){0, 1, 0, 1, 0, 1, 0, 1});
   const texels right = __builtin_shuffle(offsets, (texels){0, 1, 0, 1, 0, 1, 2, 3});
   const texels below = __builtin_shuffle(offsets, (texels){0, 1, 0, 1, 0, 1, 4, 5});
   offsets -= right + below; /* lanes 6 and 7; in the others right + below is 0 */

   typedef uint64_t halves __attribute__((vector_size(16)));
   const halves none = (halves)offsets;
   if (!(none[0] | none[1]))
      return SHAPE_POINT;
   const halves small = (halves)((offsets + 8) & -16);
   if (!(small[0] | small[1])) {
      const texels nibbles = offsets + 8;
      add_byte(encoder, COLUMN_RIGHT, (unsigned)(nibbles[2] | nibbles[3] << 4));
      add_byte(encoder, COLUMN_BELOW, (unsigned)(nibbles[4] | nibbles[5] << 4));
      add_byte(encoder, COLUMN_CORNER, (unsigned)(nibbles[6] | nibbles[7] << 4));
      return SHAPE_SMALL;
   }
   uint8_t *wide = encoder->end[COLUMN_WIDE];
   const halves bytes = (halves)((offsets + 128) & -256);
   if (!(bytes[0] | bytes[1])) {
      for (unsigned i = 0; i < 6; i++)
         wide[i] = (uint8_t)offsets[i + 2];
      encoder->end[COLUMN_WIDE] += 6;
      return SHAPE_BYTES;
   }
   for (unsigned i = 0; i < 6; i++)
      store_int16(wide + 2 * i, offsets[i + 2]);
   encoder->end[COLUMN_WIDE] += 12;
   return SHAPE_WORDS;
}

static void
add_footprints(struct cm_tile_encoder *encoder, uint32_t unit, const struct cm_footprint *footprints,
               uint32_t count)
{
   struct expected *expected = &encoder->expected;
   for (uint32_t i = 0; i < count; i++) {
      const struct cm_footprint *footprint = &footprints[i];
      unsigned tag = 0;

      struct expected_head *head = expected_head(expected, unit, i);
      if (head->head != head_of(footprint) || head->layer != footprint->layer) {
         tag |= TAG_HEAD;
         add_byte(encoder, COLUMN_HEADS, footprint->quad);
         add_byte(encoder, COLUMN_HEADS, footprint->level);
         add_byte(encoder, COLUMN_HEADS, footprint->linear);
         add_difference(encoder, COLUMN_LAYERS, footprint->layer, head->layer);
         *head = (struct expected_head){head_of(footprint), footprint->layer};
      }
      if (footprint->live != expected->live[footprint->quad & 3]) {
         tag |= TAG_LIVE;
         add_byte(encoder, COLUMN_LIVE, footprint->live);
      }

      const int x = footprint->texel[0].x, y = footprint->texel[0].y;
      const int dx = (int16_t)(x - expected->texel[unit % UNITS][footprint->level % LEVELS].x);
      const int dy = (int16_t)(y - expected->texel[unit % UNITS][footprint->level % LEVELS].y);
      expected->texel[unit % UNITS][footprint->level % LEVELS].x = (int16_t)x;
      expected->texel[unit % UNITS][footprint->level % LEVELS].y = (int16_t)y;
      if (dx >= -128 && dx < 128 && dy >= -128 && dy < 128) {
         add_byte(encoder, COLUMN_NEAR_X, (unsigned)dx);
         add_byte(encoder, COLUMN_NEAR_Y, (unsigned)dy);
      } else {
         tag |= TAG_FAR;
         store_int16(encoder->end[COLUMN_FAR], dx);
         store_int16(encoder->end[COLUMN_FAR] + 2, dy);
         encoder->end[COLUMN_FAR] += 4;
      }
      tag |= add_shape(encoder, footprint);
      add_byte(encoder, COLUMN_TAGS, tag);
   }
   encoder->num_footprints += count;
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
      add_byte(encoder, COLUMN_TYPES, type);
      add_byte(encoder, COLUMN_COUNTS, count);
      store_int16(encoder->end[COLUMN_UNITS], (int)unit);
      encoder->end[COLUMN_UNITS] += 2;
      encoder->num_events++;
      if (has_quads(type)) {
         const struct cm_quad *quads = (const struct cm_quad *)(words + at + 2);
         add_difference(encoder, COLUMN_DRAWS, words[at + 1], encoder->expected.draw);
         encoder->expected.draw = words[at + 1];
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

static bool
decode_quads(struct decoder *decoder, struct cm_quad *quads, uint32_t count)
{
   const struct cm_pass *pass = decoder->pass;
   struct expected *expected = &decoder->expected;
   for (uint32_t q = 0; q < count; q++) {
      struct cm_quad *quad = &quads[q];
      quad->primitive = get_difference(decoder, COLUMN_PRIMITIVES, expected->primitive);
      const uint8_t *differences = cm_get_bytes(&decoder->column[COLUMN_QUADS], QUAD_BYTES);
      if (!differences)
         return fails(decoder, "quads are cut short");
      expected->primitive = quad->primitive;
      for (unsigned b = 0; b < QUAD_BYTES; b++)
         expected->quad[b] = (uint8_t)(differences[b] + expected->quad[b]);
      load_quad(quad, expected->quad);
      expected->live[q] = quad->live;
      if (quad->primitive >= pass->num_primitives || quad->x >= pass->tile_size / 2 ||
          quad->y >= pass->tile_size / 2)
         return fails(decoder, "a quad names a primitive or pixels that are not there");
   }
   return true;
}

/* Adds the offsets of texels 1, 2 and 3 to texel 0. */
static inline bool
decode_shape(struct decoder *decoder, unsigned shape, texels *quad)
{
   texels offsets = {0};
   if (shape == SHAPE_SMALL) {
      const unsigned right = cm_get_byte(&decoder->column[COLUMN_RIGHT]);
      const unsigned below = cm_get_byte(&decoder->column[COLUMN_BELOW]);
      const unsigned corner = cm_get_byte(&decoder->column[COLUMN_CORNER]);
      offsets = (texels){8,
                         8,
                         (int16_t)(right & 15),
                         (int16_t)(right >> 4),
                         (int16_t)(below & 15),
                         (int16_t)(below >> 4),
                         (int16_t)(corner & 15),
                         (int16_t)(corner >> 4)};
      offsets -= 8;
   } else if (shape != SHAPE_POINT) {
      const unsigned bytes = shape == SHAPE_BYTES ? 1 : 2;
      const uint8_t *wide = cm_get_bytes(&decoder->column[COLUMN_WIDE], 6 * bytes);
      if (!wide)
         return false;
      for (unsigned i = 0; i < 6; i++)
         offsets[i + 2] = bytes == 1 ? (int8_t)wide[i] : load_int16(wide + 2 * i);
   }
   offsets += __builtin_shuffle(offsets, (texels){0, 1, 0, 1, 0, 1, 2, 3}) +
              __builtin_shuffle(offsets, (texels){0, 1, 0, 1, 0, 1, 4, 5});
   *quad += offsets;
   return true;
}

static bool
decode_footprints(struct decoder *decoder, uint32_t unit, struct cm_footprint *footprints, uint32_t count)
{
   struct expected *expected = &decoder->expected;
   struct cm_byte_reader *column = decoder->column;
   const uint8_t *tags = cm_get_bytes(&column[COLUMN_TAGS], count);
   if (!tags)
      return fails(decoder, "footprints are cut short");
   for (uint32_t i = 0; i < count; i++) {
      struct cm_footprint *footprint = &footprints[i];
      const unsigned tag = tags[i];
      struct expected_head *head = expected_head(expected, unit, i);
      if (tag & TAG_HEAD) {
         const uint8_t *bytes = cm_get_bytes(&column[COLUMN_HEADS], 3);
         if (!bytes || bytes[2] > 1)
            return fails(decoder, "a footprint has values out of range");
         head->head = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
         head->layer = get_difference(decoder, COLUMN_LAYERS, head->layer);
      }
      footprint->quad = (uint8_t)head->head;
      footprint->level = (uint8_t)(head->head >> 8);
      footprint->linear = (uint8_t)(head->head >> 16);
      footprint->layer = head->layer;
      footprint->live =
         tag & TAG_LIVE ? cm_get_byte(&column[COLUMN_LIVE]) : expected->live[footprint->quad & 3];
      if (footprint->quad >= decoder->num_quads || footprint->live > 15 || tag >> TAG_BITS)
         return fails(decoder, "a footprint names a quad or fragments that are not there");

      int dx, dy;
      if (tag & TAG_FAR) {
         const uint8_t *far = cm_get_bytes(&column[COLUMN_FAR], 4);
         dx = far ? load_int16(far) : 0;
         dy = far ? load_int16(far + 2) : 0;
      } else {
         dx = (int8_t)cm_get_byte(&column[COLUMN_NEAR_X]);
         dy = (int8_t)cm_get_byte(&column[COLUMN_NEAR_Y]);
      }
      const unsigned level = footprint->level % LEVELS;
      const int16_t x = (int16_t)(expected->texel[unit % UNITS][level].x + dx);
      const int16_t y = (int16_t)(expected->texel[unit % UNITS][level].y + dy);
      expected->texel[unit % UNITS][level].x = x;
      expected->texel[unit % UNITS][level].y = y;
      texels quad = {x, y, x, y, x, y, x, y};
      if (!decode_shape(decoder, tag & TAG_SHAPE, &quad))
         return fails(decoder, "footprints are cut short");
      memcpy(footprint->texel, &quad, sizeof quad);
   }
   return true;
}

/* A draw and its quads. */
static bool
decode_shading(struct decoder *decoder, uint32_t *word, size_t room)
{
   const uint32_t count = cm_event_count(*word);
   if (!count || count > 4 || room < 2 + count * CM_QUAD_WORDS)
      return fails(decoder, "an event of quads has too many, or none");
   if (cm_event_continues(*word) && count != decoder->num_quads)
      return fails(decoder, "a shade event does not continue the one before");
   word[1] = get_difference(decoder, COLUMN_DRAWS, decoder->expected.draw);
   decoder->expected.draw = word[1];
   if (word[1] >= decoder->pass->num_draws)
      return fails(decoder, "an event names a draw that is not there");
   decoder->num_quads = cm_event_type(*word) == CM_EVENT_SHADE ? count : 0;
   return decode_quads(decoder, (struct cm_quad *)(word + 2), count);
}

/* One event to words. */
static bool
decode_event(struct decoder *decoder, uint32_t *word, const uint32_t *end)
{
   struct cm_byte_reader *column = decoder->column;
   const uint32_t type = cm_get_byte(&column[COLUMN_TYPES]), count = cm_get_byte(&column[COLUMN_COUNTS]);
   const uint8_t *unit = cm_get_bytes(&column[COLUMN_UNITS], 2);
   const size_t room = (size_t)(end - word);
   if (!unit || !room)
      return fails(decoder, "events are cut short");
   word[0] = type | count << 8 | (uint32_t)(uint16_t)load_int16(unit) << 16;
   if (type == CM_EVENT_FOOTPRINTS) {
      if (!count || room < 1 + count * CM_FOOTPRINT_WORDS)
         return fails(decoder, "a texture event has too many footprints, or none");
      return decode_footprints(decoder, cm_event_unit(*word), (struct cm_footprint *)(word + 1), count);
   }
   if (type == CM_EVENT_SHADE)
      return decode_shading(decoder, word, room);
   if (decoder->pass->kind != CM_PASS_FULL || (type != CM_EVENT_UNSHADED && type != CM_EVENT_FLUSH))
      return fails(decoder, "an event of an unknown type");
   decoder->num_quads = 0;
   return type == CM_EVENT_FLUSH || decode_shading(decoder, word, room);
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
