/* SPDX-License-Identifier: MIT */
#include "texture/filtered_reads.h"

#include <assert.h>

#include "memory/filter.h"

/* ---- blocks ---------------------------------------------------------------- */

/* An image as filters take it: distances from block 0 to its first one, from row to row of blocks, from column to column. */
struct filtered_image {
   struct cm_filter_block first, row, column;
};

static inline struct filtered_image
filter_image(const struct cm_texture_image *image, const struct cm_cache *filter)
{
   return (struct filtered_image){
      .first = cm_filter_distance(filter, image->first_block),
      .row = cm_filter_distance(filter, image->row_blocks),
      .column = cm_filter_distance(filter, 1),
   };
}

/* A filter that looks up blocks, and where what it passes on goes. */
struct filter_output {
   cm_line *lines;
   uint64_t mask;
   struct cm_filter_block origin; /* block 0 */
   cm_entry *next;
};

static inline struct filter_output
begin_output(const struct cm_cache *filter, cm_entry *next)
{
   assert(filter->ways == 1 && cm_cache_has_low_sets(filter));
   return (struct filter_output){
      .lines = filter->lines,
      .mask = filter->index.mask,
      .origin = cm_filter_origin(filter, CM_STREAM_TEXTURE),
      .next = next,
   };
}

/* Counts a filter's reads and what it has passed on, from an entry on. */
static inline void
end_output(const struct filter_output *output, struct cm_cache *filter, uint32_t reads, const cm_entry *first)
{
   filter->accesses[CM_STREAM_TEXTURE][0] += reads;
   filter->counts[CM_STREAM_TEXTURE][CM_CACHE_EVENT_MISSES] += (uint64_t)(output->next - first);
   filter->folded_block = CM_NO_BLOCK;
}

static inline __attribute__((always_inline)) void
look_up(struct filter_output *output, struct cm_filter_block block)
{
   output->next = cm_filter_look_up(output->lines, output->mask, block, output->next);
}

static inline __attribute__((always_inline)) struct cm_filter_block
block_at(const struct filter_output *output, const struct filtered_image *image, uint32_t column,
         uint32_t row)
{
   const struct cm_filter_block first = cm_filter_behind(output->origin, image->first, 1);
   return cm_filter_behind(cm_filter_behind(first, image->row, row), image->column, column);
}

/* ---- shapes ---------------------------------------------------------------- */

/* Most blocks that a footprint looks up. */
#define MOST_LOOKUPS (4 * 4)

/* Each fragment's. has_columns: they are in two, a constant. Returns the reads. */
static inline __attribute__((always_inline)) uint32_t
look_up_fragments(struct filter_output *output, const struct filtered_image *image,
                  const struct cm_footprint_kind *kind, const struct cm_footprint *footprint,
                  bool has_columns)
{
   const unsigned shift = kind->image->shape.column_shift;
   const uint32_t more = kind->more;
   uint32_t reads = kind->usual_reads;
   for (unsigned f = 0; f < 4; f++) {
      const uint32_t x = (uint32_t)footprint->texel[f].x, y = (uint32_t)footprint->texel[f].y;
      const uint32_t more_columns = has_columns ? ((x + more) >> shift) - (x >> shift) : 0;
      const struct cm_filter_block block = block_at(output, image, x >> shift, y);
      const struct cm_filter_block below = cm_filter_behind(block, image->row, more);
      look_up(output, block);
      if (has_columns)
         look_up(output, cm_filter_behind(block, image->column, more_columns));
      look_up(output, below);
      if (has_columns)
         look_up(output, cm_filter_behind(below, image->column, more_columns));
      reads += more_columns << more;
   }
   return reads;
}

/* CM_TWO_COLUMNS. Of two fragments in the same rows, the first one reads both columns, or it reads one, and its neighbour the
 * other, or both. */
static inline __attribute__((always_inline)) uint32_t
look_up_columns(struct filter_output *output, const struct filtered_image *image,
                const struct cm_footprint_kind *kind, const struct cm_footprint *footprint)
{
   const unsigned shift = kind->image->shape.column_shift;
   const uint32_t more = kind->more;
   const uint32_t x = (uint32_t)footprint->texel[0].x, neighbour_x = (uint32_t)footprint->texel[1].x;
   const uint32_t column = x >> shift, more_columns = ((x + more) >> shift) - column;
   const uint32_t last_column = (neighbour_x + more) >> shift;
   const bool is_left = more_columns || last_column > column;
   const struct cm_filter_block none = {0, 0};
   const struct cm_filter_block row = cm_filter_behind(none, image->row, more),
                                other = cm_filter_behind(none, image->column, is_left ? 1 : UINT64_MAX);
   const struct cm_filter_block second = more_columns ? other : row, third = more_columns ? row : other;
   for (unsigned f = 0; f < 4; f += 2) {
      const struct cm_filter_block block = block_at(output, image, column, (uint32_t)footprint->texel[f].y);
      const struct cm_filter_block next = cm_filter_behind(block, third, 1);
      look_up(output, block);
      look_up(output, cm_filter_behind(block, second, 1));
      look_up(output, next);
      look_up(output, cm_filter_behind(next, second, 1));
   }
   return kind->usual_reads + ((more_columns + last_column - (neighbour_x >> shift)) << more << 1);
}

/* CM_TWO_ROWS, CM_THREE_ROWS, CM_FOUR_ROWS. */
static inline __attribute__((always_inline)) uint32_t
look_up_rows(struct filter_output *output, const struct filtered_image *image,
             const struct cm_footprint_kind *kind, const struct cm_footprint_place *place)
{
   const struct cm_filter_block first = block_at(output, image, place->column, place->first_row);
   look_up(output, first);
   if (kind->more)
      look_up(output, cm_filter_behind(first, image->row, 1));
   if (place->shape == CM_TWO_ROWS)
      return kind->usual_reads;
   const struct cm_filter_block other = block_at(output, image, place->column, place->other_row);
   look_up(output, other);
   if (place->shape == CM_FOUR_ROWS)
      look_up(output, cm_filter_behind(other, image->row, kind->more));
   return kind->usual_reads;
}

/* Looks up what a footprint reads. Returns the reads. */
static inline __attribute__((always_inline)) uint32_t
look_up_footprint(struct filter_output *output, const struct filtered_image *image,
                  const struct cm_footprint_kind *kind, const struct cm_footprint *footprint,
                  const struct cm_footprint_place *place)
{
   switch ((enum cm_footprint_shape)place->shape) {
   case CM_TWO_ROWS:
   case CM_THREE_ROWS:
   case CM_FOUR_ROWS: return look_up_rows(output, image, kind, place);
   case CM_MANY_ROWS: return look_up_fragments(output, image, kind, footprint, false);
   case CM_TWO_COLUMNS: return look_up_columns(output, image, kind, footprint);
   default:
      assert(place->shape == CM_ANY_COLUMNS);
      return look_up_fragments(output, image, kind, footprint, true);
   }
}

/* Notes whether reads of a unit have passed something on. */
static inline void
note_unsettled(struct cm_texture_unit *unit, bool has_passed)
{
   assert(unit->unsettled_reads);
   unit->unsettled_reads = has_passed ? CM_UNSETTLED_READS : unit->unsettled_reads - 1;
}

/* Makes room for so many entries. False when out of memory. */
static inline bool
has_room(struct cm_access_stream *passed, uint32_t count)
{
   cm_access_stream_reserve(passed, count);
   return __builtin_expect(passed->capacity - passed->count > count, true);
}

/* The footprint where those of the fragments that are not live read what the first live one does: nothing that is passed on. */
static struct cm_footprint
fill_fragments(const struct cm_footprint *footprint)
{
   struct cm_footprint filled = *footprint;
   const unsigned first = (unsigned)__builtin_ctz(footprint->live);
   assert(footprint->live <= 15);
   for (unsigned f = 0; f < 4; f++) {
      if (!(footprint->live >> f & 1))
         filled.texel[f] = footprint->texel[first];
   }
   filled.live = 15;
   return filled;
}

/* Reads of the live fragments. */
static uint32_t
count_reads(const struct cm_footprint_kind *kind, const struct cm_footprint *footprint)
{
   return kind->more ? cm_footprint_linear_reads(kind->image, footprint) : cm_quad_fragments(footprint->live);
}

bool
cm_filtered_read(struct cm_texture_unit *unit, const struct cm_footprint_kind *kind,
                 const struct cm_footprint *footprint, const struct cm_texel_bounds *bounds,
                 struct cm_cache *filter)
{
   struct cm_access_stream *passed = filter->outgoing;
   struct cm_footprint filled;
   const bool all_live = footprint->live == 15;
   if (!cm_footprint_kind_has_shapes(kind) || !footprint->live)
      return false;
   if (!all_live)
      filled = fill_fragments(footprint);
   const struct cm_footprint *whole = all_live ? footprint : &filled;
   const struct cm_footprint_place place = cm_footprint_find_place(kind, whole, bounds);
   if (place.shape == CM_NO_SHAPE || !has_room(passed, MOST_LOOKUPS))
      return false;
   const struct filtered_image image = filter_image(kind->image, filter);
   cm_entry *const first = passed->entries + passed->count;
   struct filter_output output = begin_output(filter, first);
   const uint32_t reads = look_up_footprint(&output, &image, kind, whole, &place);
   end_output(&output, filter, all_live ? reads : count_reads(kind, footprint), first);
   note_unsettled(unit, output.next != first);
   passed->count = (uint32_t)(output.next - passed->entries);
   return true;
}

/* ---- groups ---------------------------------------------------------------- */

/* Footprints that a quad has, one for each level, in a group that is read here. */
#define MOST_LEVELS 2

/* Footprints of a level, by quad. */
struct level {
   const struct cm_footprint_kind *kind;
   struct filtered_image image;
   struct cm_footprint_place places[4];
};

/* Whether footprints are those of quads 0 … 3, of one kind, with all fragments live. */
static inline bool
are_alike(const struct cm_unit_image *image, const struct cm_footprint *footprints, unsigned stride)
{
   uint64_t different = 0;
   for (unsigned quad = 0; quad < 4; quad++) {
      const struct cm_footprint its = {.quad = (uint8_t)quad, .live = 15};
      uint64_t header, its_bits;
      memcpy(&header, &footprints[quad * stride], sizeof header);
      memcpy(&its_bits, &its, sizeof its_bits);
      different |= header ^ (image->header | its_bits);
   }
   return !different;
}

static inline __attribute__((always_inline)) bool
find_level(const struct cm_texture_path *path, struct cm_texture_unit *unit,
           const struct cm_footprint *footprints, unsigned stride, struct level *level)
{
   level->kind = cm_texture_unit_kind(path, unit, footprints);
   if (!cm_footprint_kind_has_shapes(level->kind) ||
       !are_alike(&unit->images[footprints->level & 1], footprints, stride) ||
       !cm_footprint_find_places(level->kind, footprints, stride, level->places))
      return false;
   level->image = filter_image(level->kind->image, path->caches);
   return true;
}

/* Whether a unit knows the kinds of two footprints at once: not those of two layers of a level. */
static inline bool
are_known_together(const struct cm_footprint footprints[2])
{
   return ((footprints[0].level ^ footprints[1].level) & 1) ||
          cm_footprint_header(&footprints[0]) == cm_footprint_header(&footprints[1]);
}

/* Quad by quad. num_levels: a constant. */
static inline __attribute__((always_inline)) void
read_levels(struct cm_texture_unit *unit, const struct level levels[MOST_LEVELS], unsigned num_levels,
            const struct cm_footprint *footprint, struct cm_cache *const caches[4])
{
   struct cm_access_stream *passed = caches[0]->outgoing;
   cm_entry *next = passed->entries + passed->count;
   for (unsigned quad = 0; quad < 4; quad++) {
      struct filter_output output = begin_output(caches[quad], next);
      uint32_t reads = 0;
      assert(caches[quad]->outgoing == passed);
      for (const struct level *level = levels; level < levels + num_levels; level++, footprint++)
         reads += look_up_footprint(&output, &level->image, level->kind, footprint, &level->places[quad]);
      end_output(&output, caches[quad], reads, next);
      next = output.next;
   }
   note_unsettled(unit, next != passed->entries + passed->count);
   passed->count = (uint32_t)(next - passed->entries);
}

bool
cm_filtered_read_group(const struct cm_texture_path *path, struct cm_texture_unit *unit,
                       const struct cm_footprint *footprints, size_t count, struct cm_cache *const caches[4])
{
   struct level levels[MOST_LEVELS];
   const unsigned num_levels = (unsigned)count / 4;
   assert(path->has_filters && unit->layout);
   if (count % 4 || !num_levels || num_levels > MOST_LEVELS || !caches[0] || !caches[1] || !caches[2] ||
       !caches[3])
      return false;
   if ((num_levels == 2 && !are_known_together(footprints)) ||
       !find_level(path, unit, footprints, num_levels, &levels[0]) ||
       (num_levels == 2 && !find_level(path, unit, footprints + 1, 2, &levels[1])))
      return false;
   if (!has_room(caches[0]->outgoing, 4 * MOST_LEVELS * MOST_LOOKUPS))
      return false;
   if (num_levels == 1)
      read_levels(unit, levels, 1, footprints, caches);
   else
      read_levels(unit, levels, 2, footprints, caches);
   return true;
}
