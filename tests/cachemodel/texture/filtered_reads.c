/* SPDX-License-Identifier: MIT */
/* Reads of footprints through filters, a group of quads at a time or one by one, pass on what a list of each footprint's blocks does
 * that is looked up block by block: the same entries in the same order, with the same counts. Footprints of all shapes and others,
 * of one level or two. */
#include <string.h>

#include "memory/filter.h"
#include "support/test.h"
#include "texture/filtered_reads.h"

#define PROCESSORS 4
#define SETS 64
#define ENTRIES 65536

static struct cm_access_stream passed;
static cm_entry passed_entries[ENTRIES], expected[ENTRIES];
static struct cm_cache caches[PROCESSORS], filters[PROCESSORS];
static uint64_t last[PROCESSORS][SETS], reads[PROCESSORS], num_passed[PROCESSORS];
static uint32_t num_expected;
static unsigned num_shapes[CM_ANY_COLUMNS + 1], num_groups[3], num_groups_read, num_read[2];

static void
is_full(void *context, struct cm_access_stream *stream)
{
   fail();
}

/* The obvious filter: what each set's last block was. */
static void
expect_reads(struct cm_texture_unit *unit, const struct cm_footprint *footprint, unsigned processor)
{
   struct cm_texture_image image;
   uint64_t blocks[CM_MAX_FOOTPRINT_BLOCKS];
   cm_texture_image_init(&image, unit->layout, unit->address, unit->binding, footprint, 6);
   const unsigned count = cm_footprint_blocks(&image, unit->binding, footprint, blocks);
   for (unsigned b = 0; b < count; b++) {
      uint64_t *its_last = &last[processor][blocks[b] % SETS];
      if (*its_last != blocks[b]) {
         expected[num_expected++] =
            cm_entry_make(CM_ENTRY_READ, CM_UNIT_TEXTURE_CACHE, processor, CM_STREAM_TEXTURE, blocks[b] << 2);
         num_passed[processor]++;
      }
      *its_last = blocks[b];
   }
   reads[processor] += count;
}

static void
begin(void)
{
   static const struct cm_cache_config config = {.size = SETS * 4 * 64, .ways = 4, .block = 64};
   static struct cm_dram dram;
   passed = (struct cm_access_stream){.entries = passed_entries, .capacity = ENTRIES, .take = is_full};
   memset(last, 0xff, sizeof last);
   memset(reads, 0, sizeof reads);
   memset(num_passed, 0, sizeof num_passed);
   num_expected = 0;
   for (unsigned p = 0; p < PROCESSORS; p++) {
      assert_true(cm_cache_init(&caches[p], &config, NULL, &dram));
      assert_int_equal(caches[p].sets, SETS);
      assert_true(cm_filter_init(&filters[p], &caches[p], &passed, cm_entry_cache(CM_UNIT_TEXTURE_CACHE, p)));
   }
}

static void
end(void)
{
   assert_int_equal(passed.count, num_expected);
   assert_memory_equal(passed_entries, expected, num_expected * sizeof *expected);
   for (unsigned p = 0; p < PROCESSORS; p++) {
      assert_int_equal(filters[p].accesses[CM_STREAM_TEXTURE][0], reads[p]);
      assert_int_equal(filters[p].counts[CM_STREAM_TEXTURE][CM_CACHE_EVENT_MISSES], num_passed[p]);
      cm_filter_finish(&filters[p]);
      cm_cache_finish(&caches[p]);
   }
}

/* A quad's fragments where a plane that is turned, mirrored and scaled has them; or anywhere near. */
static void
place_fragments(struct cm_footprint *footprint, const int step[4], int x, int y, uint64_t *state)
{
   const bool anywhere = random_below(state, 16) == 0;
   for (int f = 0; f < 4; f++) {
      footprint->texel[f].x = (int16_t)(x + ((f & 1) * step[0] + (f >> 1) * step[1]) / 4);
      footprint->texel[f].y = (int16_t)(y + ((f & 1) * step[2] + (f >> 1) * step[3]) / 4);
      if (anywhere) {
         footprint->texel[f].x += (int16_t)random_below(state, 9);
         footprint->texel[f].y += (int16_t)random_below(state, 9);
      }
   }
}

/* Of four quads, those of each quad together. Returns how many. */
static unsigned
make_group(struct cm_footprint footprints[8], unsigned levels, uint64_t *state)
{
   const int width = 96, height = 48, linear = (int)random_below(state, 4) != 0;
   const bool is_straight = random_below(state, 2);
   int step[4];
   for (unsigned i = 0; i < 4; i++)
      step[i] = is_straight && (i == 1 || i == 2) ? 0 : (int)random_below(state, 21) - 10;
   /* Some begin or end beyond an edge. */
   const int x = (int)random_below(state, width) - 1, y = (int)random_below(state, height) - 1;
   const unsigned level = random_below(state, 2),
                  next = random_below(state, 4) != 0; /* or the same level twice */
   unsigned count = 0;
   for (unsigned quad = 0; quad < 4; quad++) {
      for (unsigned l = 0; l < levels; l++) {
         struct cm_footprint *footprint = &footprints[count++];
         *footprint =
            (struct cm_footprint){.quad = (uint8_t)quad,
                                  .level = (uint8_t)(level + l * next),
                                  .live = (uint8_t)(random_below(state, 16) ? 15 : random_below(state, 16)),
                                  .linear = (uint8_t)linear};
         place_fragments(footprint, step, (x + 2 * (int)(quad & 1)) >> (level + l),
                         (y + 2 * (int)(quad >> 1)) >> (level + l), state);
      }
   }
   return count;
}

/* Footprints beyond the image are not as the renderer makes them, which wraps or clamps. */
static bool
is_inside(const struct cm_texture_layout *layout, const struct cm_footprint *footprint)
{
   const struct cm_texture_level *level = &layout->levels[footprint->level];
   for (unsigned f = 0; f < 4; f++) {
      const int x = footprint->texel[f].x, y = footprint->texel[f].y, least = footprint->linear ? -1 : 0;
      if (x < least || y < least || x >= (int)level->width || y >= (int)level->height)
         return false;
   }
   return true;
}

static void
check_places(struct cm_texture_path *path, struct cm_texture_unit *unit,
             const struct cm_footprint *footprints, unsigned stride)
{
   const struct cm_footprint_kind *kind = cm_texture_unit_kind(path, unit, footprints);
   struct cm_footprint_place places[4];
   bool all = true, alike = true;
   if (!cm_footprint_kind_has_shapes(kind))
      return;
   for (unsigned i = 0; i < 4; i++)
      alike &= footprints[i * stride].live == 15;
   if (!alike)
      return;
   const bool has_places = cm_footprint_find_places(kind, footprints, stride, places);
   for (unsigned i = 0; i < 4; i++) {
      struct cm_texel_bounds bounds[4];
      cm_footprints_bounds(&footprints[i * stride], 1, bounds);
      const struct cm_footprint_place place = cm_footprint_find_place(kind, &footprints[i * stride], bounds);
      num_shapes[place.shape]++;
      all &= place.shape != CM_NO_SHAPE;
      if (has_places)
         assert_memory_equal(&places[i], &place, sizeof place);
   }
   assert_int_equal(has_places, all);
}

/* Reads them as a group, one by one, or as the units would where reads are not settled. processors: of quads; PROCESSORS: a quad does
 * not run. */
static void
read_footprints(struct cm_texture_path *path, struct cm_texture_unit *unit,
                const struct cm_footprint *footprints, unsigned count, const unsigned processors[4],
                uint64_t *state)
{
   struct cm_cache *of_quads[4];
   unsigned num_run = 0;
   for (unsigned quad = 0; quad < 4; quad++)
      of_quads[quad] = processors[quad] < PROCESSORS ? &filters[processors[quad]] : NULL;
   for (unsigned i = 0; i < count; i++) {
      if (of_quads[footprints[i].quad]) {
         expect_reads(unit, &footprints[i], processors[footprints[i].quad]);
         num_run++;
      }
   }
   if (random_below(state, 2))
      unit->unsettled_reads = CM_UNSETTLED_READS;
   if (random_below(state, 3)) {
      if (unit->unsettled_reads && cm_filtered_read_group(path, unit, footprints, count, of_quads))
         num_groups_read++;
      else
         assert_int_equal(cm_texture_unit_read_group(path, unit, footprints, count, of_quads), num_run);
      return;
   }
   for (unsigned i = 0; i < count; i++) {
      struct cm_cache *filter = of_quads[footprints[i].quad];
      struct cm_texel_bounds bounds[4];
      cm_footprints_bounds(&footprints[i], 1, bounds);
      if (!filter)
         continue;
      if (unit->unsettled_reads && cm_filtered_read(unit, cm_texture_unit_kind(path, unit, &footprints[i]),
                                                    &footprints[i], bounds, filter))
         num_read[footprints[i].live == 15]++;
      else
         cm_texture_unit_read(path, unit, &footprints[i], bounds, 0, filter);
   }
}

/* Mostly the first ones in turn; some quads share one, or do not run. */
static void
choose_processors(unsigned processors[4], uint64_t *state)
{
   const bool share = random_below(state, 4) == 0;
   for (unsigned quad = 0; quad < 4; quad++)
      processors[quad] = random_below(state, 32) == 0 ? PROCESSORS : share ? quad / 2 : quad;
}

/* A texture, its rows padded to a multiple of `alignment`. */
static void
check_texture(enum cm_placement_kind placement, const struct cm_resource_description *resource,
              uint32_t alignment, uint64_t *state)
{
   const struct cm_config config = {.texture = {.placement = placement,
                                                .row_alignment = alignment,
                                                .first_level_tile = 4,
                                                .second_level_tile = 16}};
   static struct cm_hierarchy hierarchy;
   struct cm_texture_layout layout;
   const struct cm_texture_binding binding = {.repeat_s = true};
   struct cm_texture_path path = {.hierarchy = &hierarchy,
                                  .caches = filters,
                                  .block_shift = 6,
                                  .has_filters = true,
                                  .is_cached = true,
                                  .is_direct = true,
                                  .by_block = true};
   struct cm_texture_unit unit = {0};
   begin();
   cm_texture_layout_init(&layout, resource, &config);
   cm_texture_unit_bind(&unit, &binding, &layout, 1 << 20, layout.bytes);
   for (unsigned n = 0; n < 400; n++) {
      struct cm_footprint footprints[8];
      const unsigned levels = 1 + random_below(state, 2), count = make_group(footprints, levels, state);
      bool inside = true;
      for (unsigned i = 0; i < count; i++)
         inside &= is_inside(&layout, &footprints[i]);
      if (!inside)
         continue;
      for (unsigned level = 0; level < levels; level++)
         check_places(&path, &unit, footprints + level, levels);
      unsigned processors[4];
      choose_processors(processors, state);
      read_footprints(&path, &unit, footprints, count, processors, state);
      num_groups[levels]++;
   }
   end();
}

TEST(filtered_reads)
{
   uint64_t state = 1;
   for (unsigned n = 0; n < 400; n++) {
      const uint8_t texel_bytes = (uint8_t)(1u << random_below(&state, 5));
      /* Rows that are a multiple of all sets apart do not spread. */
      const struct cm_resource_description resource = {
         .width = random_below(&state, 8) ? 2 + random_below(&state, 100) : SETS * 64 / texel_bytes,
         .height = random_below(&state, 8) ? 48 : 1 + random_below(&state, 4),
         .depth = 1,
         .layers = 1,
         .levels = 3,
         .samples = 1,
         .block_width = random_below(&state, 8) ? 1 : 2,
         .block_height = 1,
         .block_bytes = texel_bytes,
      };
      check_texture(random_below(&state, 8) ? CM_PLACEMENT_LINEAR : CM_PLACEMENT_MORTON_4K, &resource,
                    random_below(&state, 8) ? 64 : 16, &state);
   }
   for (unsigned shape = 0; shape <= CM_ANY_COLUMNS; shape++)
      assert_in_range(num_shapes[shape], 1000, UINT32_MAX);
   assert_in_range(num_groups_read, 5000, UINT32_MAX);
   assert_in_range(num_read[0], 1000, UINT32_MAX);
   assert_in_range(num_read[1], 10000, UINT32_MAX);
   assert_in_range(num_groups[1], 10000, UINT32_MAX);
   assert_in_range(num_groups[2], 10000, UINT32_MAX);
}
