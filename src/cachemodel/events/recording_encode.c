/* SPDX-License-Identifier: MIT */
/* Tiles' events to columns. */
#include <assert.h>
#include <stdlib.h>

#include "events/recording_columns.h"

struct cm_tile_encoder {
   struct expected expected;
   struct shape shapes[SHAPES];  /* those that were last, by shape_index */
   struct cm_byte_writer pieces; /* tile, events and words of each */
   uint32_t num_pieces, num_events, num_quads, num_footprints, num_region_words;
   uint8_t *end[NUM_COLUMNS];
   uint8_t *begin[NUM_COLUMNS];
   uint8_t *memory;
};

static void
begin_payload(struct cm_tile_encoder *encoder)
{
   memset(&encoder->expected, 0, sizeof encoder->expected);
   memset(encoder->shapes, 0, sizeof encoder->shapes);
   encoder->pieces.size = 0;
   encoder->num_pieces = encoder->num_events = encoder->num_quads = encoder->num_footprints = 0;
   encoder->num_region_words = 0;
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
   assert(encoder->end[column] - encoder->begin[column] < column_bytes[column]);
   assert(byte <= UINT8_MAX || (int)byte == (int8_t)byte);
   *encoder->end[column]++ = (uint8_t)byte;
}

static inline void
add_difference(struct cm_tile_encoder *encoder, enum column column, uint32_t value, uint32_t expected)
{
   encoder->end[column] = cm_store_varint(encoder->end[column], cm_zigzag((int64_t)value - expected));
}

static inline void
add_int16(struct cm_tile_encoder *encoder, enum column column, int value)
{
   store_int16(encoder->end[column], value);
   encoder->end[column] += 2;
}

/* What of a quad, but for its live, differs from the prediction. Returns the tag's bits. */
static __attribute__((noinline)) unsigned
add_masks(struct cm_tile_encoder *encoder, const struct cm_quad *quad)
{
   add_byte(encoder, COLUMN_QUAD_MASKS, quad->covered);
   add_byte(encoder, COLUMN_QUAD_MASKS, quad->visible | (unsigned)quad->written << 4);
   return QUAD_HAS_MASKS;
}

static __attribute__((noinline)) unsigned
add_position(struct cm_tile_encoder *encoder, const struct cm_quad *quad)
{
   add_byte(encoder, COLUMN_QUAD_FAR, quad->x);
   add_byte(encoder, COLUMN_QUAD_FAR, quad->y);
   return QUAD_IS_FAR;
}

static void
add_quads(struct cm_tile_encoder *encoder, const struct cm_quad *quads, uint32_t count)
{
   assert(encoder->num_quads + count <= MAX_QUADS && count <= MAX_COUNT);
   struct expected *expected = &encoder->expected;
   uint8_t *tags = encoder->end[COLUMN_QUADS], *near = encoder->end[COLUMN_QUAD_NEAR];
   uint32_t primitive = expected->primitive;
   int x = expected->x, y = expected->y;
   for (uint32_t q = 0; q < count; q++) {
      const struct cm_quad *quad = &quads[q];
      const unsigned dx = (unsigned)(quad->x - x + 8), dy = (unsigned)(quad->y - y + 8), live = quad->live;
      unsigned tag = live;
      if ((dx | dy) < 16)
         *near++ = (uint8_t)(dx | dy << 4);
      else
         tag |= add_position(encoder, quad);
      if ((quad->covered ^ live) | (quad->visible ^ live) | (quad->written ^ live))
         tag |= add_masks(encoder, quad);
      if (quad->primitive != primitive) {
         tag |= QUAD_HAS_PRIMITIVE;
         add_difference(encoder, COLUMN_PRIMITIVES, quad->primitive, primitive);
      }
      *tags++ = (uint8_t)tag;
      primitive = quad->primitive;
      x = quad->x;
      y = quad->y;
      expected->live[q & 3] = (uint8_t)live;
   }
   expected->primitive = primitive;
   expected->x = (uint8_t)x;
   expected->y = (uint8_t)y;
   encoder->end[COLUMN_QUADS] = tags;
   encoder->end[COLUMN_QUAD_NEAR] = near;
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

/* The texels of a shape that fit neither SMALL nor NEAR. Returns the tag's bits. */
static __attribute__((noinline)) unsigned
add_large_shape(struct cm_tile_encoder *encoder, const struct shape *shape)
{
   int numbers[8];
   bool bytes = true;
   for (unsigned i = 0; i < 4; i++) {
      numbers[2 * i] = x_of(shape->difference[i]);
      numbers[2 * i + 1] = y_of(shape->difference[i]);
   }
   for (unsigned i = 2; i < 8; i++)
      bytes &= numbers[i] == (int8_t)numbers[i];
   for (unsigned i = 0; i < 2; i++)
      add_int16(encoder, COLUMN_FAR, numbers[i]);
   for (unsigned i = 2; i < 8; i++) {
      if (bytes)
         add_byte(encoder, COLUMN_WIDE, (unsigned)numbers[i]);
      else
         add_int16(encoder, COLUMN_WIDE, numbers[i]);
   }
   return FOOTPRINT_NEW | FOOTPRINT_FAR | (bytes ? SHAPE_BYTES : SHAPE_WORDS);
}

/* Whether x and y of a difference are numbers from -size to size - 1, a power of two. */
static inline bool
fits(texel difference, unsigned size)
{
   const unsigned x = (unsigned)x_of(difference) + size, y = (unsigned)y_of(difference) + size;
   return (x | y) < 2 * size;
}

static inline uint8_t
small_byte(texel difference)
{
   assert(fits(difference, 8));
   return (uint8_t)((x_of(difference) + 8) | (y_of(difference) + 8) << 4);
}

/* A shape that is not in the list. Returns the tag's bits. */
static inline unsigned
add_new_shape(struct cm_tile_encoder *encoder, const struct shape *shape)
{
   const texel *difference = shape->difference;
   if (!(fits(difference[0], 128) & fits(difference[1], 8) & fits(difference[2], 8) & fits(difference[3], 8)))
      return add_large_shape(encoder, shape);
   uint8_t *near = encoder->end[COLUMN_NEAR], *small = encoder->end[COLUMN_SMALL];
   near[0] = (uint8_t)x_of(difference[0]);
   near[1] = (uint8_t)y_of(difference[0]);
   small[0] = small_byte(difference[1]);
   small[1] = small_byte(difference[2]);
   small[2] = small_byte(difference[3]);
   encoder->end[COLUMN_NEAR] = near + 2;
   encoder->end[COLUMN_SMALL] = small + 3;
   return FOOTPRINT_NEW | SHAPE_SMALL;
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
      const unsigned index = shape_index(&shape);
      if (is_same(&encoder->shapes[index], &shape)) {
         *known++ = (uint8_t)index;
      } else {
         encoder->shapes[index] = shape;
         tag |= add_new_shape(encoder, &shape);
      }
      *tags++ = (uint8_t)tag;
   }
   encoder->end[COLUMN_FOOTPRINTS] = tags;
   encoder->end[COLUMN_KNOWN] = known;
   encoder->num_footprints += count;
}

/* The usual ways in which four invocations access a buffer. */
static enum access_pattern
pattern_of(const struct cm_buffer_access *access, uint32_t bytes)
{
   const uint32_t *offset = access->offset;
   if (access->live != 15)
      return ACCESS_EACH;
   if (offset[1] == offset[0] && offset[2] == offset[0] && offset[3] == offset[0])
      return ACCESS_SAME;
   return offset[1] == offset[0] + bytes && offset[2] == offset[1] + bytes && offset[3] == offset[2] + bytes
             ? ACCESS_NEXT
             : ACCESS_EACH;
}

static void
add_accesses(struct cm_tile_encoder *encoder, const uint32_t *event)
{
   const struct cm_buffer_access *accesses = (const struct cm_buffer_access *)(event + 1);
   const uint32_t count = cm_event_count(*event), bytes = cm_storage_bytes(*event);
   const uint32_t unit = cm_storage_unit(*event);
   uint32_t *last = &encoder->expected.offsets[unit % UNITS];
   for (uint32_t i = 0; i < count; i++) {
      const enum access_pattern pattern = pattern_of(&accesses[i], bytes);
      add_byte(encoder, COLUMN_ACCESSES,
               accesses[i].quad | (unsigned)pattern << 2 | (unsigned)accesses[i].live << 4);
      if (unit == CM_BY_ADDRESS) {
         add_difference(encoder, COLUMN_ACCESSES, accesses[i].buffer, encoder->expected.buffer);
         encoder->expected.buffer = accesses[i].buffer;
      }
      for (unsigned lane = 0; lane < 4; lane++) {
         if (!(accesses[i].live >> lane & 1))
            continue;
         if (pattern == ACCESS_EACH || !lane)
            add_difference(encoder, COLUMN_ACCESSES, accesses[i].offset[lane], *last);
         *last = accesses[i].offset[lane];
      }
   }
   encoder->num_footprints += count;
}

/* What follows a work-group's or its invocations' first word. */
static void
add_number(struct cm_tile_encoder *encoder, const uint32_t *event)
{
   struct expected *expected = &encoder->expected;
   if (cm_event_type(event[0]) == CM_EVENT_GROUP) {
      add_difference(encoder, COLUMN_NUMBERS, event[1], expected->group + 1);
      expected->group = event[1];
      expected->invocation = 0;
   } else {
      add_difference(encoder, COLUMN_NUMBERS, event[1], expected->invocation);
      expected->invocation = event[1] + cm_event_count(event[0]);
      expect_invocations(expected, cm_event_count(event[0]));
   }
}

static void
add_regions(struct cm_tile_encoder *encoder, const uint32_t *event)
{
   uint32_t *last = encoder->expected.runs;
   const uint32_t count = cm_event_unit(*event);
   assert(count < CM_MAX_REGIONS);
   bool same = true;
   for (uint32_t r = 1; r <= count; r++)
      same &= cm_regions_runs(event, r) == last[r];
   add_byte(encoder, COLUMN_REGIONS, same ? REGIONS_SAME : REGIONS_DIFFER);
   for (uint32_t r = 1; r <= count && !same; r++) {
      add_difference(encoder, COLUMN_REGIONS, cm_regions_runs(event, r), last[r]);
      last[r] = cm_regions_runs(event, r);
   }
   encoder->num_region_words += 1 + cm_regions_words(*event);
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
          encoder->num_footprints <= MAX_FOOTPRINTS - MAX_COUNT &&
          encoder->num_region_words <= MAX_REGION_WORDS - CM_MAX_REGIONS;
}

static void
count_quads(struct cm_recording_counts *counts, const struct cm_quad *quads, uint32_t count)
{
   counts->shade_events++;
   counts->quads += count;
   for (uint32_t q = 0; q < count; q++)
      counts->fragments += cm_quad_fragments(quads[q].live);
}

size_t
cm_tile_encoder_add(struct cm_tile_encoder *encoder, uint32_t tile, const struct cm_tile_events *events,
                    size_t first, struct cm_recording_counts *counts)
{
   const uint32_t *words = events->words;
   size_t at = first;
   const uint32_t first_event = encoder->num_events;
   while (at < events->num_words && has_room(encoder)) {
      const enum cm_event_type type = cm_event_type(words[at]);
      const uint32_t count = cm_event_count(words[at]), unit = cm_event_unit(words[at]);
      if (type < CM_EVENT_SHADE || type > CM_EVENT_REGIONS)
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
      } else if (type == CM_EVENT_IMAGE) {
         add_footprints(encoder, cm_storage_unit(words[at]), (const struct cm_footprint *)(words + at + 1),
                        count);
      } else if (type == CM_EVENT_BUFFER) {
         add_accesses(encoder, words + at);
      } else if (type == CM_EVENT_GROUP || type == CM_EVENT_INVOKE) {
         add_number(encoder, words + at);
      } else if (type == CM_EVENT_REGIONS) {
         add_regions(encoder, words + at);
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
