/* SPDX-License-Identifier: MIT */
#include "texture/filtered_reads.h"

#include <assert.h>

#include "memory/filter.h"
#include "texture/texel_order.h"

/* ---- blocks ---------------------------------------------------------------- */

static inline struct cm_filtered_image
filter_image(const struct cm_footprint_kind *kind, const struct cm_texture_binding *binding,
             const struct cm_cache *filter)
{
   const struct cm_texture_image *image = kind->image;
   return (struct cm_filtered_image){
      .first_block = image->first_block,
      .row_blocks = image->row_blocks,
      .row = cm_filter_distance(cm_filter_shift(filter), image->row_blocks),
      .column_shift = image->shape.column_shift,
      .row_shift = image->shape.row_shift,
      .more = kind->more,
      .usual_reads = kind->usual_reads,
      .width = kind->width,
      .height = kind->height,
      .repeat_s = binding->repeat_s,
      .repeat_t = binding->repeat_t,
   };
}

/* A filter that looks up blocks, and where what it passes on goes. */
struct filter_output {
   cm_line *lines;
   uint64_t mask;
   struct cm_filter_block origin; /* block 0 */
   uint32_t shift;                /* of the filter's distances */
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
      .shift = cm_filter_shift(filter),
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
block_at(const struct filter_output *output, const struct cm_filtered_image *image, uint32_t column,
         uint32_t row)
{
   const uint64_t block = image->first_block + row * image->row_blocks + column;
   return cm_filter_behind(output->origin, cm_filter_distance(output->shift, block), 1);
}

/* ---- shapes ---------------------------------------------------------------- */

/* Most blocks that a footprint looks up. */
#define MOST_LOOKUPS (4 * 4)

/* Fragment by fragment, as they read. live: those that do, has_columns: some read two columns; mostly constants. Returns the
 * reads. */
static inline __attribute__((always_inline)) uint32_t
look_up_fragments(struct filter_output *output, const struct cm_filtered_image *image,
                  const struct cm_footprint *footprint, unsigned live, bool has_columns)
{
   const unsigned shift = image->column_shift;
   const uint32_t more = image->more;
   const struct cm_filter_block next_column = cm_filter_distance(output->shift, 1);
   uint32_t reads = 0;
   for (unsigned f = 0; f < 4; f++) {
      const uint32_t x = (uint32_t)footprint->texel[f].x, y = (uint32_t)footprint->texel[f].y;
      const uint32_t more_columns = has_columns ? ((x + more) >> shift) - (x >> shift) : 0;
      if (!(live >> f & 1))
         continue;
      const struct cm_filter_block block = block_at(output, image, x >> shift, y);
      const struct cm_filter_block below = cm_filter_behind(block, image->row, more);
      look_up(output, block);
      if (has_columns)
         look_up(output, cm_filter_behind(block, next_column, more_columns));
      look_up(output, below);
      if (has_columns)
         look_up(output, cm_filter_behind(below, next_column, more_columns));
      reads += (1 + more_columns) << more;
   }
   return reads;
}

/* The same of any blocks, and where some texels are beyond an edge. */
static uint32_t
look_up_anywhere(struct filter_output *output, const struct cm_filtered_image *image,
                 const struct cm_footprint *footprint)
{
   const int32_t more = (int32_t)image->more;
   uint32_t reads = 0;
   for (unsigned f = 0; f < 4; f++) {
      if (!(footprint->live >> f & 1))
         continue;
      const int32_t x = footprint->texel[f].x, y = footprint->texel[f].y;
      const uint32_t left = cm_footprint_coordinate(x, image->width, image->repeat_s),
                     right = cm_footprint_coordinate(x + more, image->width, image->repeat_s),
                     top = cm_footprint_coordinate(y, image->height, image->repeat_t),
                     bottom = cm_footprint_coordinate(y + more, image->height, image->repeat_t);
      const uint32_t column = left >> image->column_shift, other = right >> image->column_shift,
                     row = top >> image->row_shift, other_row = bottom >> image->row_shift;
      const uint32_t columns = 1 + (other != column);
      reads += columns;
      look_up(output, block_at(output, image, column, row));
      look_up(output, block_at(output, image, other, row));
      if (other_row == row)
         continue;
      reads += columns;
      look_up(output, block_at(output, image, column, other_row));
      look_up(output, block_at(output, image, other, other_row));
   }
   return reads;
}

/* CM_ONE_BLOCK, CM_TWO_BLOCKS. */
static inline uint32_t
look_up_blocks(struct filter_output *output, const struct cm_filtered_image *image,
               const struct cm_footprint *footprint, const struct cm_footprint_place *place)
{
   uint32_t reads = cm_quad_fragments(footprint->live);
   look_up(output, block_at(output, image, place->column, place->first_row));
   if (place->shape == CM_ONE_BLOCK)
      return reads;
   look_up(output, block_at(output, image, place->column, place->other_row));
   for (unsigned f = 0; f < 4; f++) {
      const uint32_t y = (uint32_t)footprint->texel[f].y;
      reads += footprint->live >> f & (y >> image->row_shift != (y + image->more) >> image->row_shift);
   }
   return reads;
}

/* CM_TWO_COLUMNS. Of two fragments in the same rows, the first one reads both columns, or it reads one, and its neighbour the
 * other, or both. */
static inline __attribute__((always_inline)) uint32_t
look_up_columns(struct filter_output *output, const struct cm_filtered_image *image,
                const struct cm_footprint *footprint)
{
   const unsigned shift = image->column_shift;
   const uint32_t more = image->more;
   const uint32_t x = (uint32_t)footprint->texel[0].x, neighbour_x = (uint32_t)footprint->texel[1].x;
   const uint32_t column = x >> shift, more_columns = ((x + more) >> shift) - column;
   const uint32_t last_column = (neighbour_x + more) >> shift;
   const bool is_left = more_columns || last_column > column;
   const struct cm_filter_block none = {0, 0};
   const struct cm_filter_block row = cm_filter_behind(none, image->row, more),
                                other = cm_filter_distance(output->shift, is_left ? 1 : UINT64_MAX);
   const struct cm_filter_block second = more_columns ? other : row, third = more_columns ? row : other;
   for (unsigned f = 0; f < 4; f += 2) {
      const struct cm_filter_block block = block_at(output, image, column, (uint32_t)footprint->texel[f].y);
      const struct cm_filter_block next = cm_filter_behind(block, third, 1);
      look_up(output, block);
      look_up(output, cm_filter_behind(block, second, 1));
      look_up(output, next);
      look_up(output, cm_filter_behind(next, second, 1));
   }
   return image->usual_reads + ((more_columns + last_column - (neighbour_x >> shift)) << more << 1);
}

/* CM_TWO_ROWS, CM_THREE_ROWS, CM_FOUR_ROWS. */
static inline __attribute__((always_inline)) uint32_t
look_up_rows(struct filter_output *output, const struct cm_filtered_image *image,
             const struct cm_footprint_place *place)
{
   const struct cm_filter_block first = block_at(output, image, place->column, place->first_row);
   look_up(output, first);
   if (image->more)
      look_up(output, cm_filter_behind(first, image->row, 1));
   if (place->shape == CM_TWO_ROWS)
      return image->usual_reads;
   const struct cm_filter_block other = block_at(output, image, place->column, place->other_row);
   look_up(output, other);
   if (place->shape == CM_FOUR_ROWS)
      look_up(output, cm_filter_behind(other, image->row, image->more));
   return image->usual_reads;
}

/* A footprint whose fragments are all live and inside the image. Returns the reads. */
static inline __attribute__((always_inline)) uint32_t
look_up_footprint(struct filter_output *output, const struct cm_filtered_image *image,
                  const struct cm_footprint *footprint, const struct cm_footprint_place *place)
{
   switch ((enum cm_footprint_shape)place->shape) {
   case CM_TWO_ROWS:
   case CM_THREE_ROWS:
   case CM_FOUR_ROWS: return look_up_rows(output, image, place);
   case CM_MANY_ROWS: return look_up_fragments(output, image, footprint, 15, false);
   case CM_TWO_COLUMNS: return look_up_columns(output, image, footprint);
   default:
      assert(place->shape == CM_ANY_COLUMNS);
      return look_up_fragments(output, image, footprint, 15, true);
   }
}

/* Any footprint, if it is not of few rows. */
static __attribute__((noinline)) uint32_t
look_up_others(struct filter_output *output, const struct cm_filtered_image *image,
               const struct cm_footprint *footprint, const struct cm_footprint_place *place)
{
   if (place->shape == CM_ANYWHERE)
      return look_up_anywhere(output, image, footprint);
   if (place->shape >= CM_ONE_BLOCK)
      return look_up_blocks(output, image, footprint, place);
   if (footprint->live == 15)
      return look_up_footprint(output, image, footprint, place);
   return look_up_fragments(output, image, footprint, footprint->live, true);
}

/* ---- groups ---------------------------------------------------------------- */

/* Whether footprints are those of quads 0 … 3, of one kind, with all fragments live. */
static inline __attribute__((always_inline)) bool
are_complete(const struct cm_footprint *footprints, unsigned stride, uint32_t count)
{
   const uint64_t header = cm_footprint_header(footprints);
   uint64_t different = count ^ 4;
   for (unsigned quad = 0; count == 4 && quad < 4; quad++) {
      const struct cm_footprint its = {.quad = (uint8_t)quad, .live = 15};
      uint64_t all, its_bits;
      memcpy(&all, &footprints[quad * stride], sizeof all);
      memcpy(&its_bits, &its, sizeof its_bits);
      different |= all ^ (header | its_bits);
   }
   return !different;
}

/* Whether footprints are of one kind, of quads that follow one another, with live fragments. Notes which quad has which. */
static inline bool
divide_by_quad(const struct cm_footprint *footprints, unsigned stride, uint32_t count,
               struct cm_filtered_level *level)
{
   const uint64_t header = cm_footprint_header(footprints);
   uint64_t different = 0;
   uint32_t next = 0;
   memset(level->of_quad, -1, sizeof level->of_quad);
   for (uint32_t i = 0; i < count; i++) {
      const struct cm_footprint *footprint = &footprints[i * stride];
      const uint32_t quad = footprint->quad & 3;
      different |= (cm_footprint_header(footprint) ^ header) | (quad < next) | !footprint->live;
      next = quad + 1;
      level->of_quad[quad] = (int8_t)i;
   }
   return !different;
}

/* Finds the image and the places of a level's footprints, which are of one kind. is_complete: as of are_complete. */
static inline __attribute__((always_inline)) bool
find_places(struct cm_filtered_group *group, const struct cm_texture_path *path, struct cm_texture_unit *unit,
            const struct cm_footprint *footprints, unsigned stride, uint32_t count, bool is_complete,
            struct cm_filtered_level *level)
{
   const struct cm_footprint_kind *kind = cm_texture_unit_kind(path, unit, footprints);
   if (!cm_footprint_kind_has_shapes(kind))
      return false;
   level->image = filter_image(kind, unit->binding, path->caches);
   level->footprints = footprints;
   level->stride = stride;
   is_complete &= cm_footprint_find_places(kind, footprints, stride, count, level->places);
   group->has_others |= !is_complete;
   return true;
}

static inline __attribute__((always_inline)) bool
find_level(struct cm_filtered_group *group, const struct cm_texture_path *path, struct cm_texture_unit *unit,
           const struct cm_footprint *footprints, unsigned stride, uint32_t count,
           struct cm_filtered_level *level)
{
   const bool is_complete = are_complete(footprints, stride, count);
   if (is_complete)
      memcpy(level->of_quad, (const int8_t[]){0, 1, 2, 3}, sizeof level->of_quad);
   else if (!divide_by_quad(footprints, stride, count, level))
      return false;
   return find_places(group, path, unit, footprints, stride, count, is_complete, level);
}

static inline __attribute__((always_inline)) bool
add(struct cm_filtered_group *group, const struct cm_texture_path *path, struct cm_texture_unit *unit,
    const struct cm_footprint *footprints, uint32_t count)
{
   const bool has_two = count % 2 == 0 && !((footprints[0].quad ^ footprints[1].quad) & 3);
   struct cm_filtered_level *level = &group->levels[group->num_levels];
   if (count > (has_two ? 8 : 4) || group->num_levels + has_two >= CM_MOST_FILTERED_LEVELS ||
       !find_level(group, path, unit, footprints, 1 + has_two, count >> has_two, level) ||
       (has_two && (!find_level(group, path, unit, footprints + 1, 2, count >> 1, level + 1) ||
                    memcmp(level->of_quad, level[1].of_quad, sizeof level->of_quad) != 0)))
      return false;
   group->num_levels += 1 + has_two;
   return true;
}

/* The first level from `from` on, which is the one after the quad's last footprint, with footprints of this kind; `end`,
 * emptied, if there is none. */
static uint32_t
choose_level(struct cm_filtered_group *group, uint32_t from, uint32_t end,
             const struct cm_footprint *footprint)
{
   const uint64_t header = cm_footprint_header(footprint);
   while (from < end && cm_footprint_header(group->levels[from].gathered) != header)
      from++;
   if (from == end && end < CM_MOST_FILTERED_LEVELS) {
      memset(group->levels[end].of_quad, -1, sizeof group->levels[end].of_quad);
      group->levels[end].num_gathered = 0;
   }
   return from;
}

/* Adds footprints in any order and of several kinds: sorts them into levels, each of one kind and with at most one footprint of a
 * quad. */
static __attribute__((noinline)) bool
gather(struct cm_filtered_group *group, const struct cm_texture_path *path, struct cm_texture_unit *unit,
       const struct cm_footprint *footprints, uint32_t count)
{
   const uint32_t first = group->num_levels;
   uint32_t end = first, next[4] = {first, first, first, first};
   for (uint32_t i = 0; i < count; i++) {
      const uint32_t quad = footprints[i].quad & 3;
      const uint32_t l = choose_level(group, next[quad], end, &footprints[i]);
      if (l == CM_MOST_FILTERED_LEVELS || !footprints[i].live)
         return false;
      struct cm_filtered_level *level = &group->levels[l];
      level->of_quad[quad] = (int8_t)level->num_gathered;
      level->gathered[level->num_gathered++] = footprints[i];
      next[quad] = l + 1;
      end = l < end ? end : l + 1;
   }
   for (uint32_t l = first; l < end; l++) {
      struct cm_filtered_level *level = &group->levels[l];
      if (!find_places(group, path, unit, level->gathered, 1, level->num_gathered, false, level))
         return false;
   }
   group->num_levels = end;
   return true;
}

static inline __attribute__((always_inline)) bool
add_or_gather(struct cm_filtered_group *group, const struct cm_texture_path *path,
              struct cm_texture_unit *unit, const struct cm_footprint *footprints, uint32_t count)
{
   assert(count && path->has_filters && cm_texture_path_is_plain(path));
   return unit->layout && cm_footprint_kind_has_shapes(cm_texture_unit_kind(path, unit, footprints)) &&
          (add(group, path, unit, footprints, count) || gather(group, path, unit, footprints, count));
}

bool
cm_filtered_group_add(struct cm_filtered_group *group, const struct cm_texture_path *path,
                      struct cm_texture_unit *unit, const struct cm_footprint *footprints, uint32_t count)
{
   return add_or_gather(group, path, unit, footprints, count);
}

/* ---- quads --------------------------------------------------------------------- */

/* Makes room for so many entries. False when out of memory. */
static inline bool
has_room(struct cm_access_stream *passed, uint32_t count)
{
   uint32_t before = 0;
   while (__builtin_expect(passed->capacity - passed->count <= count, false)) {
      if (passed->capacity == before)
         return false;
      before = passed->capacity;
      cm_access_stream_make_room(passed);
   }
   return true;
}

/* Of a group whose levels are complete, and whose quads all run. num_levels: of the group, a constant for most. */
static inline __attribute__((always_inline)) void
read_complete(const struct cm_filtered_group *group, uint32_t num_levels, struct cm_cache *const caches[4])
{
   struct cm_access_stream *passed = caches[0]->outgoing;
   cm_entry *next = passed->entries + passed->count;
#pragma GCC unroll 4
   for (unsigned quad = 0; quad < 4; quad++) {
      struct filter_output output = begin_output(caches[quad], next);
      uint32_t reads = 0;
      assert(caches[quad]->outgoing == passed);
      for (uint32_t l = 0; l < num_levels; l++) {
         const struct cm_filtered_level *level = &group->levels[l];
         reads += look_up_footprint(&output, &level->image, level->footprints + (size_t)quad * level->stride,
                                    &level->places[quad]);
      }
      end_output(&output, caches[quad], reads, next);
      next = output.next;
   }
   passed->count = (uint32_t)(next - passed->entries);
}

/* A quad of a group that is not as above. Returns how many footprints it has. */
static inline __attribute__((always_inline)) uint32_t
read_quad(const struct cm_filtered_group *group, unsigned quad, struct cm_cache *filter)
{
   struct cm_access_stream *passed = filter->outgoing;
   cm_entry *const first = passed->entries + passed->count;
   struct filter_output output = begin_output(filter, first);
   uint32_t reads = 0, count = 0;
   for (uint32_t l = 0; l < group->num_levels; l++) {
      const struct cm_filtered_level *level = &group->levels[l];
      const int number = level->of_quad[quad];
      if (number < 0)
         continue;
      const struct cm_footprint *footprint = level->footprints + (size_t)number * level->stride;
      const struct cm_footprint_place *place = &level->places[number];
      count++;
      if (place->shape <= CM_FOUR_ROWS) {
         look_up_rows(&output, &level->image, place);
         reads += cm_quad_fragments(footprint->live) << level->image.more;
      } else {
         /* The address of output itself is not taken, so that it stays in registers. */
         struct filter_output copy = output;
         reads += look_up_others(&copy, &level->image, footprint, place);
         output.next = copy.next;
      }
   }
   end_output(&output, filter, reads, first);
   passed->count = (uint32_t)(output.next - passed->entries);
   return count;
}

static __attribute__((noinline)) size_t
read_others(const struct cm_filtered_group *group, struct cm_cache *const caches[4])
{
   size_t count = 0;
   for (unsigned quad = 0; quad < 4; quad++)
      count += caches[quad] ? read_quad(group, quad, caches[quad]) : 0;
   return count;
}

static inline __attribute__((always_inline)) size_t
read_group(const struct cm_filtered_group *group, const struct cm_texture_path *path,
           struct cm_cache *const caches[4])
{
   if (!has_room(path->caches->outgoing, 4 * group->num_levels * MOST_LOOKUPS))
      return 0; /* out of memory */
   if (group->has_others || !caches[0] || !caches[1] || !caches[2] || !caches[3])
      return read_others(group, caches);
   if (group->num_levels == 1)
      read_complete(group, 1, caches);
   else
      read_complete(group, group->num_levels, caches);
   return 4 * (size_t)group->num_levels;
}

size_t
cm_filtered_group_read(const struct cm_filtered_group *group, const struct cm_texture_path *path,
                       struct cm_cache *const caches[4])
{
   return read_group(group, path, caches);
}

bool
cm_filtered_read(const struct cm_texture_path *path, struct cm_texture_unit *unit,
                 const struct cm_footprint *footprints, uint32_t count, struct cm_cache *const caches[4],
                 size_t *num_read)
{
   struct cm_filtered_group group;
   cm_filtered_group_begin(&group);
   if (!add_or_gather(&group, path, unit, footprints, count))
      return false;
   *num_read = read_group(&group, path, caches);
   return true;
}
