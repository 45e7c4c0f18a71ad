/* SPDX-License-Identifier: MIT */
/* Reads of footprints through filters, of a group of quads together or one by one, pass on what a list of each footprint's blocks does
 * that is looked up block by block: the same entries in the same order, with the same counts. Footprints of all shapes and of images
 * that have none, of one level or two, of one instruction or several. */
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
static unsigned num_shapes[CM_ANYWHERE + 1];
static unsigned num_groups[3];              /* of one instruction, two, more */
static unsigned num_together[3], num_apart; /* complete ones, others, those that the unit reads; one by one */

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

/* Of four footprints the places that each of them has. */
static void
check_places(struct cm_texture_path *path, struct cm_texture_unit *unit,
             const struct cm_footprint *footprints, unsigned stride)
{
   const struct cm_footprint_kind *kind = cm_texture_unit_kind(path, unit, footprints);
   struct cm_footprint_place places[4];
   bool usual = true;
   for (unsigned i = 1; i < 4; i++) {
      if (cm_footprint_header(&footprints[i * stride]) != cm_footprint_header(footprints))
         return;
   }
   if (!cm_footprint_kind_has_shapes(kind))
      return;
   const bool all_usual = cm_footprint_find_places(kind, footprints, stride, 4, places);
   for (unsigned i = 0; i < 4; i++) {
      struct cm_footprint_place alone[4];
      const bool is_usual = cm_footprint_find_places(kind, &footprints[i * stride], 1, 1, alone);
      assert_int_equal(is_usual, alone[0].shape < CM_ONE_BLOCK);
      assert_memory_equal(&places[i], &alone[0], sizeof *alone);
      usual &= places[i].shape < CM_ONE_BLOCK;
      num_shapes[places[i].shape]++;
   }
   assert_int_equal(all_usual, usual);
}

/* What a group reads in an instruction. */
struct instruction {
   struct cm_texture_unit *unit;
   struct cm_footprint footprints[8];
   unsigned count, levels;
};

#define MOST_INSTRUCTIONS 6

/* One by one. */
static void
read_apart(struct cm_texture_path *path, struct instruction *instructions, unsigned count,
           struct cm_cache *const of_quads[4])
{
   for (unsigned quad = 0; quad < 4; quad++) {
      for (unsigned i = 0; of_quads[quad] && i < count; i++) {
         for (unsigned f = 0; f < instructions[i].count; f++) {
            const struct cm_footprint *footprint = &instructions[i].footprints[f];
            struct cm_texel_bounds bounds[4];
            cm_footprints_bounds(footprint, 1, bounds);
            if (footprint->quad == quad)
               cm_texture_unit_read(path, instructions[i].unit, footprint, bounds, 0, of_quads[quad]);
         }
      }
   }
   num_apart++;
}

/* Together, if that is possible. Returns how many footprints are of quads that run. */
static size_t
read_together(struct cm_texture_path *path, struct instruction *instructions, unsigned count,
              struct cm_cache *const of_quads[4], size_t num_run)
{
   struct cm_filtered_group group;
   cm_filtered_group_begin(&group);
   for (unsigned i = 0; i < count; i++) {
      if (!cm_filtered_group_add(&group, path, instructions[i].unit, instructions[i].footprints,
                                 instructions[i].count)) {
         read_apart(path, instructions, count, of_quads);
         return num_run;
      }
   }
   num_together[group.has_others ? 1 : 0]++;
   return cm_filtered_group_read(&group, path, of_quads);
}

static bool
is_in_order(const struct instruction *instruction)
{
   for (unsigned i = 1; i < instruction->count; i++) {
      if (instruction->footprints[i].quad < instruction->footprints[i - 1].quad)
         return false;
   }
   return true;
}

/* In one of the ways that there are. processors: of quads; PROCESSORS: a quad does not run. */
static void
read_group(struct cm_texture_path *path, struct instruction *instructions, unsigned count,
           const unsigned processors[4], uint64_t *state)
{
   struct cm_cache *of_quads[4];
   size_t num_run = 0;
   for (unsigned quad = 0; quad < 4; quad++)
      of_quads[quad] = processors[quad] < PROCESSORS ? &filters[processors[quad]] : NULL;
   for (unsigned quad = 0; quad < 4; quad++) {
      for (unsigned i = 0; of_quads[quad] && i < count; i++) {
         for (unsigned f = 0; f < instructions[i].count; f++) {
            if (instructions[i].footprints[f].quad != quad)
               continue;
            expect_reads(instructions[i].unit, &instructions[i].footprints[f], processors[quad]);
            num_run++;
         }
      }
   }
   if (random_below(state, 8) == 0) {
      read_apart(path, instructions, count, of_quads);
   } else if (count == 1 && is_in_order(instructions) && random_below(state, 2)) {
      /* Looks up without asking first, or asks: as the unit's earlier reads have turned out. */
      assert_int_equal(cm_texture_unit_read_group(path, instructions->unit, instructions->footprints,
                                                  instructions->count, of_quads),
                       num_run);
      num_together[2]++;
   } else {
      assert_int_equal(read_together(path, instructions, count, of_quads, num_run), num_run);
   }
}

/* Footprints of one instruction; mostly of all quads, in their order. False: some are not as the renderer makes them. */
static bool
make_instruction(struct instruction *instruction, const struct cm_texture_layout *layout, unsigned running,
                 uint64_t *state)
{
   struct cm_footprint *footprints = instruction->footprints;
   instruction->levels = 1 + random_below(state, 2);
   const unsigned made = make_group(footprints, instruction->levels, state);
   instruction->count = 0;
   if (random_below(state, 16) == 0)
      footprints[random_below(state, made)].level ^= 1; /* a quad's own level of detail */
   for (unsigned i = 0; i < made; i++) {
      if (!is_inside(layout, &footprints[i]))
         return false;
      if (running >> footprints[i].quad & 1)
         footprints[instruction->count++] = footprints[i];
   }
   if (instruction->count && random_below(state, 16) == 0)
      footprints[random_below(state, instruction->count)].quad = (uint8_t)random_below(state, 4);
   /* Quads with fewer levels. */
   while (instruction->count > 1 && random_below(state, 8) == 0) {
      const unsigned left_out = random_below(state, instruction->count--);
      for (unsigned i = left_out; i < instruction->count; i++)
         footprints[i] = footprints[i + 1];
   }
   return instruction->count;
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
   const struct cm_texture_binding binding = {.repeat_s = random_below(state, 2),
                                              .repeat_t = random_below(state, 2)};
   struct cm_texture_path path = {.hierarchy = &hierarchy,
                                  .caches = filters,
                                  .block_shift = 6,
                                  .has_filters = true,
                                  .is_cached = true,
                                  .is_direct = true,
                                  .by_block = true};
   struct cm_texture_unit units[2] = {0};
   begin();
   cm_texture_layout_init(&layout, resource, &config);
   for (unsigned u = 0; u < 2; u++)
      cm_texture_unit_bind(&units[u], &binding, &layout, (uint64_t)(u + 1) << 20, layout.bytes);
   for (unsigned n = 0; n < 300; n++) {
      struct instruction instructions[MOST_INSTRUCTIONS];
      const unsigned count = random_below(state, 2) ? 1 : 1 + random_below(state, MOST_INSTRUCTIONS);
      const unsigned running = random_below(state, 4) ? 15 : random_below(state, 16);
      bool ok = true;
      for (unsigned i = 0; i < count && ok; i++) {
         instructions[i].unit = &units[random_below(state, 2)];
         ok = make_instruction(&instructions[i], &layout, running, state);
         for (unsigned level = 0;
              ok && instructions[i].count == 4 * instructions[i].levels && level < instructions[i].levels;
              level++)
            check_places(&path, instructions[i].unit, instructions[i].footprints + level,
                         instructions[i].levels);
      }
      if (!ok)
         continue;
      unsigned processors[4];
      choose_processors(processors, state);
      read_group(&path, instructions, count, processors, state);
      num_groups[count < 3 ? count - 1 : 2]++;
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
         .block_width = random_below(&state, 4) ? 1 : 4,
         .block_height = random_below(&state, 4) ? 1 : 4,
         .block_bytes = texel_bytes,
      };
      check_texture(random_below(&state, 8) ? CM_PLACEMENT_LINEAR : CM_PLACEMENT_MORTON_4K, &resource,
                    random_below(&state, 8) ? 64 : 16, &state);
   }
   for (unsigned shape = 0; shape <= CM_ANYWHERE; shape++)
      assert_in_range(num_shapes[shape], 1000, UINT32_MAX);
   for (unsigned i = 0; i < 3; i++) {
      assert_in_range(num_groups[i], 2000, UINT32_MAX);
      assert_in_range(num_together[i], 3000, UINT32_MAX);
   }
   assert_in_range(num_apart, 3000, UINT32_MAX);
}
