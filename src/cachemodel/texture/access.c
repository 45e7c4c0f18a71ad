/* SPDX-License-Identifier: MIT */
#include "texture/access.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "texture/texel_order.h"
#include "util/minmax.h"

#define PORT_BYTES 4 /* of a port, and of an interleaved bank (4.2.1, Table 4-2) */
#define WIDE_PORT_BYTES 16

/* ---- one footprint ------------------------------------------------------- */

/* Counts accesses that activate so many data banks (or ports) and tag banks (or arrays). */
static void
add_accesses(cm_access_counts counts, unsigned accesses, unsigned banks, unsigned tag_banks)
{
   counts[CM_TEXTURE_ACCESS_EVENT_ACCESSES] += accesses;
   counts[CM_TEXTURE_ACCESS_EVENT_ONE_BANK + banks - 1] += accesses;
   counts[CM_TEXTURE_ACCESS_EVENT_DATA_BANKS] += (uint64_t)accesses * banks;
   counts[CM_TEXTURE_ACCESS_EVENT_TAG_BANKS] += (uint64_t)accesses * tag_banks;
}

/* The parts of so many bytes that a texel is fetched in. */
static unsigned
parts_of(uint32_t bytes, uint32_t port_bytes)
{
   return (bytes + port_bytes - 1) / port_bytes;
}

/* Each access takes all that lies within 16 bytes of a line from the first byte that is missing. What
 * straddles lines is two pieces. */
static void
count_wide_bus(const struct cm_texture_access *access, const struct cm_access_texel *texels, unsigned count,
               cm_access_counts counts)
{
   const uint64_t within_line = (1ull << access->block_shift) - 1;
   struct {
      uint64_t begin, end;
   } pieces[2 * CM_TEXTURE_ADDRESSES];
   unsigned missing = 0;
   for (unsigned i = 0; i < count; i++) {
      const uint64_t begin = texels[i].address, end = begin + texels[i].bytes,
                     next_line = (begin | within_line) + 1;
      pieces[missing].begin = begin;
      pieces[missing++].end = cm_min64(end, next_line);
      if (end > next_line) {
         pieces[missing].begin = next_line;
         pieces[missing++].end = end;
      }
   }
   while (missing) {
      uint64_t first = UINT64_MAX;
      for (unsigned i = 0; i < missing; i++)
         first = pieces[i].begin < first ? pieces[i].begin : first;
      const uint64_t next_line = (first | within_line) + 1;
      const uint64_t end = first + WIDE_PORT_BYTES < next_line ? first + WIDE_PORT_BYTES : next_line;
      for (unsigned i = 0; i < missing;) {
         if (pieces[i].end <= end)
            pieces[i] = pieces[--missing];
         else
            i++;
      }
      add_accesses(counts, 1, 1, 1);
   }
}

static uint8_t
tag_bank(const struct cm_texture_access *access, uint64_t line)
{
   return cm_set_of(&access->index, line) % CM_TEXTURE_BANKS;
}

bool
cm_texture_access_position(const struct cm_texture_access *access, const struct cm_access_texel *texel,
                           unsigned part, struct cm_texel_position *position)
{
   if (access->design == CM_TEXTURE_DESIGN_BANKED_CONTINUOUS) {
      const unsigned quarter_shift = access->block_shift - 2;
      const uint64_t quarter = (texel->address >> quarter_shift) + part;
      *position = (struct cm_texel_position){.row = quarter,
                                             .line = quarter / CM_TEXTURE_BANKS,
                                             .bank = quarter % CM_TEXTURE_BANKS,
                                             .tag_bank = tag_bank(access, quarter / CM_TEXTURE_BANKS)};
      return quarter <= (texel->address + texel->bytes - 1) >> quarter_shift;
   }
   const uint64_t address = texel->address + (uint64_t)part * PORT_BYTES;
   *position = (struct cm_texel_position){
      .row = address,
      .line = address >> access->block_shift,
      .tag_bank = tag_bank(access, address >> access->block_shift),
      .bank = (uint8_t)((texel->number & 1) | (texel->number >> access->tile_shift & 1) << 1),
   };
   return part < parts_of(texel->bytes, PORT_BYTES);
}

/* different_tag_banks: as if no two lines had the same. */
static void
count_banked(const struct cm_texture_access *access, const struct cm_access_texel *texels, unsigned count,
             bool different_tag_banks, cm_access_counts counts)
{
   struct cm_bank_counts banks = {0};
   for (unsigned part = 0, found = 1; found; part++) {
      struct cm_texel_position positions[CM_TEXTURE_ADDRESSES] = {{0}};
      found = 0;
      for (unsigned i = 0; i < count; i++) {
         struct cm_texel_position *position = &positions[found];
         if (!cm_texture_access_position(access, &texels[i], part, position))
            continue;
         if (different_tag_banks) {
            unsigned same = 0;
            while (positions[same].line != position->line)
               same++;
            position->tag_bank = (uint8_t)same;
         }
         found++;
      }
      cm_bank_accesses(positions, found, access->tags == CM_TEXTURE_TAGS_BANKED, &banks);
   }
   for (unsigned b = 1; b <= CM_TEXTURE_BANKS; b++)
      add_accesses(counts, banks.by_banks[b], b, 0);
   counts[CM_TEXTURE_ACCESS_EVENT_TAG_BANKS] += access->tags == CM_TEXTURE_TAGS_BANKED   ? banks.tag_banks
                                                : access->tags == CM_TEXTURE_TAGS_SHARED ? banks.accesses
                                                                                         : banks.addresses;
   counts[CM_TEXTURE_ACCESS_EVENT_DATA_CONFLICTS] += banks.data_conflicts;
   counts[CM_TEXTURE_ACCESS_EVENT_TAG_CONFLICTS] += banks.tag_conflicts;
}

static void
count_texels(const struct cm_texture_access *access, const struct cm_access_texel *texels, unsigned count,
             bool different_tag_banks, cm_access_counts counts)
{
   counts[CM_TEXTURE_ACCESS_EVENT_FOOTPRINTS]++;
   switch (access->design) {
   case CM_TEXTURE_DESIGN_NONE: return;
   case CM_TEXTURE_DESIGN_TRADITIONAL:
      add_accesses(counts, count * parts_of(texels[0].bytes, PORT_BYTES), 1, 1);
      return;
   case CM_TEXTURE_DESIGN_WIDE_BUS: count_wide_bus(access, texels, count, counts); return;
   case CM_TEXTURE_DESIGN_MULTI_PORT:
      add_accesses(counts, parts_of(texels[0].bytes, PORT_BYTES), count,
                   access->tags == CM_TEXTURE_TAGS_SHARED ? 1 : count);
      return;
   default: count_banked(access, texels, count, different_tag_banks, counts);
   }
}

void
cm_texture_access_texels(const struct cm_texture_access *access, const struct cm_access_texel *texels,
                         unsigned count, cm_access_counts counts)
{
   count_texels(access, texels, count, false, counts);
}

void
cm_texture_access_element(struct cm_texture_access *access, uint64_t element, uint64_t address,
                          uint32_t bytes)
{
   count_texels(access, &(struct cm_access_texel){address, element, bytes}, 1, false, access->counts);
}

/* ---- positions in a line ------------------------------------------------------ */

/* Texels of a large level, in which positions are tried out. */
#define LEVEL_COLUMNS 16384
#define LEVEL_ROWS 1024

/* The shape of no line. */
#define NO_SHAPE ((struct cm_block_shape){UINT8_MAX, UINT8_MAX})

/* At a clamped edge, both columns of a footprint, or both rows, are the same. */
#define SAME_COLUMN 1
#define SAME_ROW 2
#define VARIANTS 4

static uint32_t
positions_of(const struct cm_texture_access *access, unsigned texel_shift)
{
   return 1u << (access->block_shift - texel_shift);
}

/* What footprints take whose first texel lies in a line in each of its positions. */
static void
try_out_positions(struct cm_texture_access *access, const struct cm_config *config, unsigned texel_shift)
{
   const struct cm_resource_description description = {.id = 1,
                                                       .levels = 1,
                                                       .samples = 1,
                                                       .block_width = 1,
                                                       .block_height = 1,
                                                       .block_bytes = (uint8_t)(1u << texel_shift),
                                                       .width = LEVEL_COLUMNS,
                                                       .height = LEVEL_ROWS,
                                                       .depth = 1,
                                                       .layers = 1};
   struct cm_texture_layout layout;
   cm_texture_layout_init(&layout, &description, config);
   struct cm_block_shape *shape = &access->shapes[texel_shift];
   cm_texture_block_shape(&layout, &layout.levels[0], 0, access->block_shift, shape);
   cm_access_counts *outcome = access->outcomes + access->first_position[texel_shift];
   const uint32_t positions = positions_of(access, texel_shift);
   for (uint32_t p = 0; p < positions * VARIANTS; p++, outcome++) {
      const uint32_t position = p % positions, variant = p / positions;
      const uint32_t column = (1u << shape->column_shift) + (position & ((1u << shape->column_shift) - 1));
      const uint32_t row = (1u << shape->row_shift) + (position >> shape->column_shift);
      struct cm_access_texel texels[CM_TEXTURE_ADDRESSES];
      for (uint32_t i = 0; i < CM_TEXTURE_ADDRESSES; i++) {
         const uint64_t offset =
            cm_texture_offset(&layout, 0, 0, column + (variant & SAME_COLUMN ? 0 : i & 1),
                              row + (variant & SAME_ROW ? 0 : i >> 1));
         texels[i] = (struct cm_access_texel){offset, offset >> texel_shift, 1u << texel_shift};
      }
      count_texels(access, texels, CM_TEXTURE_ADDRESSES, true, *outcome);
      if (p == 0)
         count_texels(access, texels, 1, true,
                      access->outcomes[access->first_position[CM_ACCESS_TEXEL_SIZES] + texel_shift]);
   }
}

bool
cm_texture_access_init(struct cm_texture_access *access, const struct cm_config *config)
{
   memset(access, 0, sizeof *access);
   access->design = config->texture_access.design;
   if (access->design == CM_TEXTURE_DESIGN_NONE)
      return true;
   const struct cm_cache_config *cache = &config->caches[config->streams[CM_STREAM_TEXTURE]];
   access->tags = config->texture_access.tags;
   access->access_energy = config->texture_access.access_energy;
   access->tag_energy = config->texture_access.tag_energy;
   access->miss = config->texture_access.miss;
   access->block_shift = (uint32_t)__builtin_ctz(cache->block);
   cm_set_index_init(&access->index, cache->size / cache->ways / cache->block, cache->index);
   access->tile_shift =
      config->texture.first_level_tile ? (uint32_t)__builtin_ctz(config->texture.first_level_tile) : 1;

   for (unsigned shift = 0; shift < CM_ACCESS_TEXEL_SIZES; shift++)
      access->first_position[shift + 1] =
         access->first_position[shift] + VARIANTS * positions_of(access, shift);
   const size_t positions = access->first_position[CM_ACCESS_TEXEL_SIZES] + CM_ACCESS_TEXEL_SIZES;
   access->footprints = calloc(positions, sizeof *access->footprints);
   access->outcomes = calloc(positions, sizeof *access->outcomes);
   if (!access->footprints || !access->outcomes) {
      cm_texture_access_finish(access);
      return false;
   }
   for (unsigned shift = 0; shift < CM_ACCESS_TEXEL_SIZES; shift++) {
      try_out_positions(access, config, shift);
      /* Where tiles of texels are larger than lines, the position does not tell the bank. */
      if (access->design == CM_TEXTURE_DESIGN_BANKED_INTERLEAVED &&
          shift + access->tile_shift >= access->block_shift)
         access->shapes[shift] = NO_SHAPE;
   }
   return true;
}

void
cm_texture_access_finish(struct cm_texture_access *access)
{
   free(access->footprints);
   free(access->outcomes);
   access->footprints = NULL;
   access->outcomes = NULL;
}

/* ---- footprints -------------------------------------------------------------- */

/* Whether the position in a line says all but for tags: lines as those of try_out_positions. */
static inline bool
has_positions(const struct cm_texture_access *access, const struct cm_texture_image *image)
{
   const struct cm_texture_layout *layout = image->layout;
   if (!(image->has_rows_of_blocks || image->has_tiles_of_blocks) ||
       layout->texel_shift >= CM_ACCESS_TEXEL_SIZES || layout->samples > 1 || layout->block_width > 1 ||
       layout->block_height > 1)
      return false;
   const struct cm_block_shape *shape = &access->shapes[layout->texel_shift];
   return image->shape.column_shift == shape->column_shift && image->shape.row_shift == shape->row_shift;
}

/* Whether lines are all in different tag banks. */
static inline bool
tag_banks_differ(const struct cm_texture_access *access, const uint64_t *lines, unsigned count)
{
   unsigned seen = 0;
   for (unsigned i = 0; i < count; i++) {
      const unsigned bank = tag_bank(access, lines[i]);
      if (seen >> bank & 1)
         return false;
      seen |= 1u << bank;
   }
   return true;
}

/* Whether all lines of a grid are in different tag banks. May say no when those that are read are. */
static inline bool
has_no_tag_conflict(const struct cm_texture_access *access, const struct cm_block_grid *grid)
{
   uint64_t lines[CM_TEXTURE_ADDRESSES];
   unsigned count = 0;
   if (grid->columns * grid->rows > CM_TEXTURE_ADDRESSES)
      return false;
   for (unsigned row = 0; row < grid->rows; row++) {
      for (unsigned column = 0; column < grid->columns; column++)
         lines[count++] = cm_grid_block(grid, column, row);
   }
   return tag_banks_differ(access, lines, count);
}

/* One fragment's footprint, wherever its texels lie. */
static __attribute__((noinline)) void
count_fragment(const struct cm_texture_access *access, const struct cm_texture_image *image,
               const struct cm_texture_binding *binding, int32_t x, int32_t y, bool linear,
               cm_access_counts counts)
{
   const struct cm_texture_layout *layout = image->layout;
   struct cm_access_texel texels[CM_TEXTURE_ADDRESSES];
   const unsigned count = linear ? CM_TEXTURE_ADDRESSES : 1;
   for (unsigned i = 0; i < count; i++) {
      const uint32_t column =
         cm_footprint_coordinate(x + (int32_t)(i & 1), image->level->width, binding->repeat_s);
      const uint32_t row =
         cm_footprint_coordinate(y + (int32_t)(i >> 1), image->level->height, binding->repeat_t);
      const uint64_t offset =
         layout->placement->texel_offset(layout, image->level, column / layout->block_width,
                                         row / layout->block_height);
      texels[i] = (struct cm_access_texel){
         .address = image->address + offset,
         .number = offset / layout->texel_bytes,
         .bytes = layout->sample_bytes,
      };
   }
   count_texels(access, texels, count, false, counts);
}

/* Where the first texel of a fragment's footprint lies in its line, and how many lines the
 * footprint has. */
struct position {
   uint32_t number; /* from that of the texel's size on; NO_POSITION: there is no such outcome */
   uint32_t lines;
};
#define NO_POSITION UINT32_MAX

/* Whether two columns (or rows) are neighbours in a line or the last of one and the first of another. */
static inline bool
are_next(uint32_t first, uint32_t second, uint32_t within_line)
{
   return ((first + 1) & within_line) == (second & within_line) &&
          (second == first + 1 || ((first ^ second) & ~within_line) != 0);
}

static inline struct position
find_position(const struct cm_texture_access *access, const struct cm_texture_image *image,
              const struct cm_texture_binding *binding, int32_t x, int32_t y)
{
   const struct cm_texture_level *level = image->level;
   const unsigned column_shift = image->shape.column_shift, row_shift = image->shape.row_shift;
   const uint32_t columns = (1u << column_shift) - 1, rows = (1u << row_shift) - 1;
   const uint32_t column = cm_footprint_coordinate(x, level->width, binding->repeat_s);
   const uint32_t other_column = cm_footprint_coordinate(x + 1, level->width, binding->repeat_s);
   const uint32_t row = cm_footprint_coordinate(y, level->height, binding->repeat_t);
   const uint32_t other_row = cm_footprint_coordinate(y + 1, level->height, binding->repeat_t);
   struct position position = {
      .number = (row & rows) << column_shift | (column & columns),
      .lines = (1u + (column >> column_shift != other_column >> column_shift))
               << (row >> row_shift != other_row >> row_shift),
   };
   uint32_t variant = 0;
   if (column == other_column)
      variant |= SAME_COLUMN;
   else if (!are_next(column, other_column, columns))
      position.number = NO_POSITION;
   if (row == other_row)
      variant |= SAME_ROW;
   else if (!are_next(row, other_row, rows))
      position.number = NO_POSITION;
   if (position.number != NO_POSITION)
      position.number += variant * positions_of(access, image->layout->texel_shift);
   return position;
}

/* A quad's footprint inside an image, without conflicts of tags. */
static inline void
count_positions(struct cm_texture_access *access, const struct cm_texture_image *image,
                const struct cm_footprint *footprint)
{
   const unsigned size = image->layout->texel_shift, column_shift = image->shape.column_shift;
   if (!footprint->linear) {
      access->footprints[access->first_position[CM_ACCESS_TEXEL_SIZES] + size] += 4;
      return;
   }
   const uint32_t columns = (1u << column_shift) - 1, rows = (1u << image->shape.row_shift) - 1;
   uint64_t *footprints = access->footprints + access->first_position[size];
   for (unsigned f = 0; f < 4; f++) {
      const uint32_t column = (uint32_t)footprint->texel[f].x & columns;
      footprints[((uint32_t)footprint->texel[f].y & rows) << column_shift | column]++;
   }
}

/* A quad's footprint, fragment by fragment. lines: those of all of them one after another. */
static void
count_fragments(struct cm_texture_access *access, const struct cm_texture_image *image,
                const struct cm_texture_binding *binding, const struct cm_footprint *footprint,
                const uint64_t *lines)
{
   const unsigned size = image->layout->texel_shift;
   const bool positions = has_positions(access, image);
   for (unsigned f = 0; f < 4; f++) {
      const int32_t x = footprint->texel[f].x, y = footprint->texel[f].y;
      if (!(footprint->live & 1u << f))
         continue;
      if (positions && !footprint->linear) {
         access->footprints[access->first_position[CM_ACCESS_TEXEL_SIZES] + size]++;
         continue;
      }
      if (positions) {
         const struct position position = find_position(access, image, binding, x, y);
         const uint64_t *its_lines = lines;
         lines += position.lines;
         if (position.number != NO_POSITION && (access->tags != CM_TEXTURE_TAGS_BANKED ||
                                                tag_banks_differ(access, its_lines, position.lines))) {
            access->footprints[access->first_position[size] + position.number]++;
            continue;
         }
      }
      count_fragment(access, image, binding, x, y, footprint->linear, access->counts);
   }
}

void
cm_texture_access_footprint(struct cm_texture_access *access, const struct cm_texture_image *image,
                            const struct cm_texture_binding *binding, const struct cm_footprint *footprint,
                            const struct cm_block_grid *grid, const uint64_t *blocks)
{
   if (grid && footprint->live == 15 && has_positions(access, image) &&
       (access->tags != CM_TEXTURE_TAGS_BANKED || has_no_tag_conflict(access, grid)))
      count_positions(access, image, footprint);
   else
      count_fragments(access, image, binding, footprint, blocks);
}

void
cm_texture_access_missed(struct cm_texture_access *access, const struct cm_texture_image *image,
                         const struct cm_texture_binding *binding, const struct cm_footprint *footprint,
                         uint64_t misses)
{
   cm_access_counts counts = {0};
   for (unsigned f = 0; image && f < 4; f++) {
      if (footprint->live & 1u << f)
         count_fragment(access, image, binding, footprint->texel[f].x, footprint->texel[f].y,
                        footprint->linear, counts);
   }
   if (!image)
      count_texels(access, &(struct cm_access_texel){.bytes = binding->texel_bytes}, 1, false, counts);
   const uint64_t accesses = counts[CM_TEXTURE_ACCESS_EVENT_ACCESSES];
   assert(access->miss == CM_TEXTURE_MISS_ACCESS && accesses);
   access->miss_parts[0] += misses * counts[CM_TEXTURE_ACCESS_EVENT_DATA_BANKS] * CM_MISS_PARTS / accesses;
   access->miss_parts[1] += misses * counts[CM_TEXTURE_ACCESS_EVENT_TAG_BANKS] * CM_MISS_PARTS / accesses;
}

void
cm_texture_access_add(struct cm_texture_access *access, struct cm_texture_access *other)
{
   if (access->design == CM_TEXTURE_DESIGN_NONE)
      return;
   const size_t positions = access->first_position[CM_ACCESS_TEXEL_SIZES] + CM_ACCESS_TEXEL_SIZES;
   for (size_t position = 0; position < positions; position++)
      access->footprints[position] += other->footprints[position];
   memset(other->footprints, 0, positions * sizeof *other->footprints);
   for (unsigned event = 0; event < CM_TEXTURE_ACCESS_EVENT_COUNT; event++) {
      access->counts[event] += other->counts[event];
      other->counts[event] = 0;
   }
   for (unsigned part = 0; part < 2; part++) {
      access->miss_parts[part] += other->miss_parts[part];
      other->miss_parts[part] = 0;
   }
}

/* ---- counters ------------------------------------------------------------------ */

/* Data banks that misses take: of all of them, which have the line (3.4), or those of as many accesses (4.2.2). */
static uint64_t
miss_data_banks(const struct cm_texture_access *access)
{
   if (access->miss == CM_TEXTURE_MISS_ACCESS)
      return access->miss_parts[0] / CM_MISS_PARTS;
   return access->texture_misses *
          (access->design >= CM_TEXTURE_DESIGN_BANKED_CONTINUOUS ? CM_TEXTURE_BANKS : 1);
}

/* The same of tags, of which a line has one in each array. */
static uint64_t
miss_tag_banks(const struct cm_texture_access *access)
{
   if (access->miss == CM_TEXTURE_MISS_ACCESS)
      return access->miss_parts[1] / CM_MISS_PARTS;
   return access->texture_misses * (access->tags == CM_TEXTURE_TAGS_FOUR_ARRAYS ? CM_TEXTURE_ADDRESSES : 1);
}

uint64_t
cm_texture_access_count(const struct cm_texture_access *access, enum cm_texture_access_event event)
{
   if (event == CM_TEXTURE_ACCESS_EVENT_MISS_DATA_BANKS)
      return miss_data_banks(access);
   if (event == CM_TEXTURE_ACCESS_EVENT_MISS_TAG_BANKS)
      return miss_tag_banks(access);
   if (event == CM_TEXTURE_ACCESS_EVENT_ENERGY)
      return (cm_texture_access_count(access, CM_TEXTURE_ACCESS_EVENT_DATA_BANKS) + miss_data_banks(access)) *
                access->access_energy +
             (cm_texture_access_count(access, CM_TEXTURE_ACCESS_EVENT_TAG_BANKS) + miss_tag_banks(access)) *
                access->tag_energy;
   uint64_t count = access->counts[event];
   const size_t positions = access->first_position[CM_ACCESS_TEXEL_SIZES] + CM_ACCESS_TEXEL_SIZES;
   for (size_t position = 0; position < positions; position++)
      count += access->footprints[position] * access->outcomes[position][event];
   return count;
}

static bool
list(const struct cm_config *config, struct cm_counter_table *table)
{
   static const struct cm_counter_text events[] = {CM_TEXTURE_ACCESS_EVENTS(CM_COUNTER_TEXT)};
   return config->texture_access.design == CM_TEXTURE_DESIGN_NONE ||
          cm_counter_table_append_texts(table, events, CM_TEXTURE_ACCESS_EVENT_COUNT, 0, "texture_access.",
                                        "");
}

static uint64_t
read_counter(const void *access, const struct cm_counter *counter)
{
   return cm_texture_access_count(access, (enum cm_texture_access_event)counter->event);
}

const struct cm_counter_source cm_texture_access_counters = {list, read_counter};
