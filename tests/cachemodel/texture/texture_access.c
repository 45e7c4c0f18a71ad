/* SPDX-License-Identifier: MIT */
/* The designs of texture caches: the thesis' tables and figures row by row, and naive models, texel
 * by texel, over random footprints. */
#include <stdlib.h>
#include <string.h>

#include "support/pass_builder.h"
#include "support/test.h"
#include "texture/access.h"

/* A configuration of 2-way caches of 16 KiB (Table 4-1). */
static struct cm_config
configure(enum cm_texture_design design, enum cm_texture_tags tags, enum cm_placement_kind placement,
          uint32_t tile, uint32_t block)
{
   struct cm_config config = {
      .texture = {.placement = placement, .row_alignment = 64, .first_level_tile = tile},
      .texture_access = {.design = design, .tags = tags, .access_energy = 10},
   };
   config.texture.second_level_tile = placement == CM_PLACEMENT_6D ? 4 * tile : 0;
   config.streams[CM_STREAM_TEXTURE] = CM_UNIT_TEXTURE_CACHE;
   config.caches[CM_UNIT_TEXTURE_CACHE] =
      (struct cm_cache_config){.size = 16384, .ways = 2, .block = block, .instances = 1};
   return config;
}

/* ---- tables and figures ----------------------------------------------------- */

TEST(priority_encoder)
{
   /* Table 3-1: X3 … X0 (2: don't care), Y1 Y0, EN. */
   static const uint8_t rows[][7] = {
      {1, 2, 2, 2, 1, 1, 1}, {0, 1, 2, 2, 1, 0, 1}, {0, 0, 1, 2, 0, 1, 1},
      {0, 0, 0, 1, 0, 0, 1}, {0, 0, 0, 0, 2, 2, 0},
   };
   unsigned matched = 0;
   for (unsigned inputs = 0; inputs < 16; inputs++) {
      const struct cm_priority priority = cm_priority_encoder(inputs);
      for (unsigned r = 0; r < 5; r++) {
         bool is_row = true;
         for (unsigned x = 0; x < 4; x++)
            is_row &= rows[r][3 - x] == 2 || rows[r][3 - x] == (inputs >> x & 1);
         if (!is_row)
            continue;
         matched++;
         assert_int_equal(priority.enable, rows[r][6]);
         if (rows[r][6])
            assert_int_equal(priority.select, rows[r][4] * 2 + rows[r][5]);
      }
   }
   assert_int_equal(matched, 16);
}

static struct cm_access_texel
texel_number(uint64_t number)
{
   return (struct cm_access_texel){.address = number * 4, .number = number, .bytes = 4};
}

/* The data banks of 16 texels. */
static void
assert_banks(const struct cm_config *config, const uint8_t *expected)
{
   struct cm_texture_access access;
   assert_true(cm_texture_access_init(&access, config));
   for (unsigned line = 0; line < 4; line++) {
      for (unsigned n = 0; n < 16; n++) {
         struct cm_texel_position position;
         const struct cm_access_texel texel = texel_number(line * 16 + n);
         assert_true(cm_texture_access_position(&access, &texel, 0, &position));
         assert_int_equal(position.bank, expected[n]);
         assert_int_equal(position.line, line);
         assert_int_equal(position.tag_bank, line); /* Figure 3-22 */
         assert_false(cm_texture_access_position(&access, &texel, 1, &position));
      }
   }
   cm_texture_access_finish(&access);
}

TEST(bank_maps)
{
   /* Figure 3-5: a quarter of a line a bank. */
   static const uint8_t continuous[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
   struct cm_config config =
      configure(CM_TEXTURE_DESIGN_BANKED_CONTINUOUS, CM_TEXTURE_TAGS_BANKED, CM_PLACEMENT_RZ, 0, 64);
   assert_banks(&config, continuous);
   /* Figures 3-14 and 3-15: texels 0, 4, 8, 12 in the first bank, 1, 5, 9, 13 in the second … */
   static const uint8_t tile_2[16] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
   config = configure(CM_TEXTURE_DESIGN_BANKED_INTERLEAVED, CM_TEXTURE_TAGS_BANKED, CM_PLACEMENT_RZ, 0, 64);
   assert_banks(&config, tile_2);
   config.texture.placement = CM_PLACEMENT_4D;
   config.texture.first_level_tile = 2;
   assert_banks(&config, tile_2);
   /* Figures 3-17 and 3-18: 0, 2, 8, 10 in the first, 1, 3, 9, 11 in the second … */
   static const uint8_t tile_4[16] = {0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3};
   config.texture.first_level_tile = 4;
   assert_banks(&config, tile_4);
}

/* The byte address' bits of the thesis, counted from 1: A[log2 N + 3] and A[3]. In 8x8 tiles those
 * are the sixth and the third; each 2x2 texels are in four banks. */
TEST(bank_bits)
{
   for (unsigned log2_tile = 1; log2_tile <= 3; log2_tile++) {
      const uint32_t tile = 1u << log2_tile;
      const struct cm_config config =
         configure(CM_TEXTURE_DESIGN_BANKED_INTERLEAVED, CM_TEXTURE_TAGS_BANKED, CM_PLACEMENT_4D, tile, 256);
      struct cm_texture_access access;
      struct cm_texture_layout layout;
      const struct cm_resource_description texture = describe_texture(32, 32, 1, 4);
      assert_true(cm_texture_access_init(&access, &config));
      cm_texture_layout_init(&layout, &texture, &config);
      for (uint32_t i = 0; i < 32 * 32; i++) {
         const uint64_t address = cm_texture_offset(&layout, 0, 0, i % 32, i / 32);
         const unsigned bank = (unsigned)(address >> (log2_tile + 3 - 1) & 1) * 2 + (address >> (3 - 1) & 1);
         struct cm_texel_position position;
         const struct cm_access_texel texel = texel_number(address / 4);
         assert_true(cm_texture_access_position(&access, &texel, 0, &position));
         assert_int_equal(position.bank, bank);
         assert_int_equal(bank, (i / 32 & 1) * 2 + (i & 1)); /* Figure 3-12 */
      }
      cm_texture_access_finish(&access);
   }
}

/* Figure 3-19: a footprint begins in any of the four banks; address i goes to bank j where address j
 * goes to bank i, and the select signal of a bank is the bank of its own address (Figure 3-20). */
TEST(address_switch)
{
   static const uint8_t cases[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
   for (unsigned c = 0; c < 4; c++) {
      uint8_t bank[4];
      for (unsigned i = 0; i < 4; i++)
         bank[i] = (uint8_t)((((c & 1) + (i & 1)) & 1) + 2 * (((c >> 1) + (i >> 1)) & 1));
      struct cm_priority given[4];
      cm_bank_control(bank, 15, given);
      for (unsigned b = 0; b < 4; b++) {
         assert_true(given[b].enable);
         assert_int_equal(given[b].select, cases[c][b]);
         assert_int_equal(given[b].select, bank[b]);
      }
   }
}

/* What one footprint takes. */
static const uint64_t *
count_by(struct cm_texture_access *access, const struct cm_config *config,
         const struct cm_resource_description *texture, uint32_t x, uint32_t y)
{
   static cm_access_counts counts;
   struct cm_texture_layout layout;
   struct cm_access_texel texels[4];
   cm_texture_layout_init(&layout, texture, config);
   for (unsigned i = 0; i < 4; i++) {
      const uint64_t offset =
         cm_texture_offset(&layout, 0, 0, (x + (i & 1)) % texture->width, (y + (i >> 1)) % texture->height);
      texels[i] = (struct cm_access_texel){offset, offset / texture->block_bytes, texture->block_bytes};
   }
   memset(counts, 0, sizeof counts);
   cm_texture_access_texels(access, texels, 4, counts);
   return counts;
}

static const uint64_t *
count(const struct cm_config *config, const struct cm_resource_description *texture, uint32_t x, uint32_t y)
{
   struct cm_texture_access access;
   assert_true(cm_texture_access_init(&access, config));
   const uint64_t *counts = count_by(&access, config, texture, x, y);
   cm_texture_access_finish(&access);
   return counts;
}
#define EVENT(name) [CM_TEXTURE_ACCESS_EVENT_##name]

TEST(data_conflict)
{
   /* Figure 3-10: texels 2, 3, 16 and 17 are in the first bank, in two lines. */
   const struct cm_resource_description texture = describe_texture(8, 8, 1, 4);
   struct cm_config config =
      configure(CM_TEXTURE_DESIGN_BANKED_CONTINUOUS, CM_TEXTURE_TAGS_FOUR_ARRAYS, CM_PLACEMENT_4D, 2, 64);
   const uint64_t *counts = count(&config, &texture, 0, 1);
   assert_int_equal(counts EVENT(ACCESSES), 2);
   assert_int_equal(counts EVENT(ONE_BANK), 2);
   assert_int_equal(counts EVENT(DATA_CONFLICTS), 1);
   assert_int_equal(counts EVENT(TAG_CONFLICTS), 0);
   assert_int_equal(counts EVENT(TAG_BANKS), 4 + 2);
   /* One column on, two banks have two lines each. */
   counts = count(&config, &texture, 1, 1);
   assert_int_equal(counts EVENT(ACCESSES), 2);
   assert_int_equal(counts EVENT(TWO_BANKS), 2);
   assert_int_equal(counts EVENT(DATA_BANKS), 4);
   /* In recursive Z one, two and four banks, and no conflict (3.1). */
   config.texture = (__typeof__(config.texture)){.placement = CM_PLACEMENT_RZ, .row_alignment = 64};
   static const unsigned event[2][2] = {
      {CM_TEXTURE_ACCESS_EVENT_ONE_BANK, CM_TEXTURE_ACCESS_EVENT_TWO_BANKS},
      {CM_TEXTURE_ACCESS_EVENT_TWO_BANKS, CM_TEXTURE_ACCESS_EVENT_FOUR_BANKS},
   };
   for (unsigned i = 0; i < 49; i++) {
      counts = count(&config, &texture, i % 7, i / 7);
      assert_int_equal(counts EVENT(ACCESSES), 1);
      assert_int_equal(counts[event[i / 7 % 2][i % 7 % 2]], 1);
   }
}

TEST(tag_conflict)
{
   /* Figure 3-25: lines of four texels, 2x2 tiles, four of them a row: lines 0 and 4. */
   const struct cm_resource_description texture = describe_texture(8, 8, 1, 4);
   struct cm_config config =
      configure(CM_TEXTURE_DESIGN_BANKED_INTERLEAVED, CM_TEXTURE_TAGS_BANKED, CM_PLACEMENT_4D, 2, 16);
   const uint64_t *counts = count(&config, &texture, 0, 1);
   assert_int_equal(counts EVENT(ACCESSES), 2);
   assert_int_equal(counts EVENT(TAG_CONFLICTS), 1);
   assert_int_equal(counts EVENT(DATA_CONFLICTS), 0);
   assert_int_equal(counts EVENT(TAG_BANKS), 2);
   /* All in one line: one tag bank. */
   counts = count(&config, &texture, 0, 0);
   assert_int_equal(counts EVENT(ACCESSES), 1);
   assert_int_equal(counts EVENT(TAG_BANKS), 1);
   /* Other tags have no such conflict. */
   config.texture_access.tags = CM_TEXTURE_TAGS_FOUR_ARRAYS;
   counts = count(&config, &texture, 0, 1);
   assert_int_equal(counts EVENT(ACCESSES), 1);
   assert_int_equal(counts EVENT(TAG_BANKS), 4);
}

/* 3.3.3: not with recursive Z, whatever the lines; across repeated edges neither. */
TEST(no_tag_conflict_in_rz)
{
   for (uint32_t block = 16; block <= 1024; block *= 2) {
      const struct cm_config config =
         configure(CM_TEXTURE_DESIGN_BANKED_INTERLEAVED, CM_TEXTURE_TAGS_BANKED, CM_PLACEMENT_RZ, 0, block);
      const struct cm_resource_description texture = describe_texture(64, 64, 1, 4);
      struct cm_texture_access access;
      assert_true(cm_texture_access_init(&access, &config));
      for (uint32_t i = 0; i < 64 * 64; i++) {
         const uint64_t *counts = count_by(&access, &config, &texture, i % 64, i / 64);
         assert_int_equal(counts EVENT(TAG_CONFLICTS), 0);
         assert_int_equal(counts EVENT(DATA_CONFLICTS), 0);
         assert_int_equal(counts EVENT(ACCESSES), 1);
      }
      cm_texture_access_finish(&access);
   }
}

/* Section 4.2.1's designs, and texels that are not of 4 bytes. */
TEST(designs_by_hand)
{
   static const struct {
      enum cm_texture_design design;
      uint8_t bytes;
      uint32_t x, y;
      unsigned accesses, banks;
   } cases[] = {
      {CM_TEXTURE_DESIGN_TRADITIONAL, 4, 3, 3, 4, 4},
      {CM_TEXTURE_DESIGN_TRADITIONAL, 8, 3, 3, 8, 8},
      {CM_TEXTURE_DESIGN_TRADITIONAL, 2, 3, 3, 4, 4},
      {CM_TEXTURE_DESIGN_MULTI_PORT, 4, 3, 3, 1, 4},
      {CM_TEXTURE_DESIGN_MULTI_PORT, 16, 3, 3, 4, 16},
      /* Recursive Z: texels 0 to 3; 1, 3 and 4, 6; 3, 6 and 9, 12; 15, 26, 37, 48. */
      {CM_TEXTURE_DESIGN_WIDE_BUS, 4, 0, 0, 1, 1},
      {CM_TEXTURE_DESIGN_WIDE_BUS, 4, 1, 0, 2, 2},
      {CM_TEXTURE_DESIGN_WIDE_BUS, 4, 1, 1, 2, 2},
      {CM_TEXTURE_DESIGN_WIDE_BUS, 4, 3, 3, 4, 4},
      {CM_TEXTURE_DESIGN_WIDE_BUS, 8, 0, 0, 2, 2},
      {CM_TEXTURE_DESIGN_WIDE_BUS, 2, 1, 0, 1, 1},
      {CM_TEXTURE_DESIGN_BANKED_INTERLEAVED, 4, 3, 3, 1, 4},
      {CM_TEXTURE_DESIGN_BANKED_INTERLEAVED, 1, 3, 3, 1, 4},
      {CM_TEXTURE_DESIGN_BANKED_INTERLEAVED, 8, 3, 3, 2, 8},
      {CM_TEXTURE_DESIGN_BANKED_CONTINUOUS, 4, 3, 3, 1, 4},
      {CM_TEXTURE_DESIGN_BANKED_CONTINUOUS, 16, 0, 0, 1, 4},
      {CM_TEXTURE_DESIGN_BANKED_CONTINUOUS, 1, 1, 0, 1, 1},
   };
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      const struct cm_config config =
         configure(cases[i].design, CM_TEXTURE_TAGS_SHARED, CM_PLACEMENT_RZ, 0, 64);
      const struct cm_resource_description texture = describe_texture(64, 64, 1, cases[i].bytes);
      const uint64_t *counts = count(&config, &texture, cases[i].x, cases[i].y);
      if (counts EVENT(ACCESSES) != cases[i].accesses || counts EVENT(DATA_BANKS) != cases[i].banks)
         fail_msg("case %u: %d accesses, %d banks", i, (int)counts EVENT(ACCESSES),
                  (int)counts EVENT(DATA_BANKS));
   }
}

/* ---- naive models ------------------------------------------------------------- */

struct naive_texel {
   uint64_t address;
   uint64_t number; /* of its level */
};

struct naive_counts {
   unsigned accesses, by_banks[5], tag_banks, data_conflicts, tag_conflicts;
};

/* Sixteen bytes at a time from the first byte missing, to the end of the line. Texels of powers of two
 * bytes, or pieces of them. */
static void
naive_wide(const struct naive_texel *texels, unsigned count, unsigned bytes, unsigned line,
           struct naive_counts *counts)
{
   uint64_t begins[8], ends[8];
   bool missing[8];
   unsigned pieces = 0;
   for (unsigned i = 0; i < count; i++) {
      for (uint64_t byte = texels[i].address; byte < texels[i].address + bytes; byte++) {
         if (byte == texels[i].address || byte % line == 0) {
            missing[pieces] = true;
            begins[pieces++] = byte;
         }
         ends[pieces - 1] = byte + 1;
      }
   }
   for (;;) {
      uint64_t first = UINT64_MAX;
      for (unsigned p = 0; p < pieces; p++) {
         if (missing[p] && begins[p] < first)
            first = begins[p];
      }
      if (first == UINT64_MAX)
         return;
      for (unsigned p = 0; p < pieces; p++) {
         if (begins[p] >= first && ends[p] <= first + 16 && begins[p] / line == first / line)
            missing[p] = false;
      }
      counts->accesses++;
      counts->by_banks[1]++;
      counts->tag_banks++;
   }
}

/* A banked design: words of texels, until none is missing. */
static void
naive_banked(const struct cm_config *config, const struct naive_texel *texels, unsigned count, unsigned bytes,
             struct naive_counts *counts)
{
   const unsigned line = config->caches[CM_UNIT_TEXTURE_CACHE].block;
   const bool continuous = config->texture_access.design == CM_TEXTURE_DESIGN_BANKED_CONTINUOUS;
   const enum cm_texture_tags tags = config->texture_access.tags;
   const unsigned tile = config->texture.first_level_tile ? config->texture.first_level_tile : 2;
   const unsigned unit = continuous ? line / 4 : 4; /* what a bank puts out */
   for (unsigned part = 0;; part++) {
      uint64_t where[4];
      unsigned bank[4], wanted = 0;
      for (unsigned i = 0; i < count; i++) {
         const uint64_t first = continuous ? texels[i].address / unit * unit : texels[i].address;
         if (first + part * unit >= texels[i].address + bytes)
            continue;
         where[wanted] = first + part * unit;
         bank[wanted] = continuous ? (unsigned)(where[wanted] / unit % 4)
                                   : texels[i].number % 2 + texels[i].number / tile % 2 * 2;
         wanted++;
      }
      if (!wanted)
         return;
      bool waits[4] = {wanted > 0, wanted > 1, wanted > 2, wanted > 3};
      while (waits[0] || waits[1] || waits[2] || waits[3]) {
         int data[4] = {-1, -1, -1, -1}, tag[4] = {-1, -1, -1, -1};
         unsigned waiting = 0, banks = 0, tag_banks = 0, without_data = 0, without_tag = 0;
         for (int i = 0; i < (int)wanted; i++) {
            if (!waits[i])
               continue;
            waiting++;
            data[bank[i]] = i;
            tag[where[i] / line % 4] = i;
         }
         for (unsigned b = 0; b < 4; b++) {
            banks += data[b] >= 0;
            tag_banks += tag[b] >= 0;
         }
         for (unsigned i = 0; i < wanted; i++) {
            if (!waits[i])
               continue;
            const bool has_data = where[data[bank[i]]] == where[i];
            const bool has_tag =
               tags != CM_TEXTURE_TAGS_BANKED || where[tag[where[i] / line % 4]] / line == where[i] / line;
            without_data += !has_data;
            without_tag += !has_tag;
            waits[i] = !(has_data && has_tag);
         }
         counts->accesses++;
         counts->by_banks[banks]++;
         counts->tag_banks += tags == CM_TEXTURE_TAGS_BANKED ? tag_banks : tags ? waiting : 1;
         counts->data_conflicts += without_data > 0;
         counts->tag_conflicts += without_tag > 0;
      }
   }
}

static void
naive_footprint(const struct cm_config *config, const struct naive_texel *texels, unsigned count,
                unsigned bytes, struct naive_counts *counts)
{
   const unsigned words = (bytes + 3) / 4;
   switch (config->texture_access.design) {
   case CM_TEXTURE_DESIGN_TRADITIONAL:
      counts->accesses += count * words;
      counts->by_banks[1] += count * words;
      counts->tag_banks += count * words;
      return;
   case CM_TEXTURE_DESIGN_WIDE_BUS:
      naive_wide(texels, count, bytes, config->caches[CM_UNIT_TEXTURE_CACHE].block, counts);
      return;
   case CM_TEXTURE_DESIGN_MULTI_PORT:
      counts->accesses += words;
      counts->by_banks[count] += words;
      counts->tag_banks += config->texture_access.tags == CM_TEXTURE_TAGS_SHARED ? words : words * count;
      return;
   default: naive_banked(config, texels, count, bytes, counts);
   }
}

static uint32_t
at_edge(int x, int size, bool repeat)
{
   return (uint32_t)(x < 0 ? (repeat ? x + size : 0) : x >= size ? (repeat ? x - size : size - 1) : x);
}

static uint64_t
naive_data_banks(const struct naive_counts *naive)
{
   return naive->by_banks[1] + naive->by_banks[2] * 2 + naive->by_banks[3] * 3 + naive->by_banks[4] * 4;
}

static void
assert_access_equal(const struct cm_texture_access *access, const struct naive_counts *naive)
{
   const struct {
      enum cm_texture_access_event event;
      uint64_t expected;
   } values[] = {
      {CM_TEXTURE_ACCESS_EVENT_ACCESSES, naive->accesses},
      {CM_TEXTURE_ACCESS_EVENT_ONE_BANK, naive->by_banks[1]},
      {CM_TEXTURE_ACCESS_EVENT_TWO_BANKS, naive->by_banks[2]},
      {CM_TEXTURE_ACCESS_EVENT_THREE_BANKS, naive->by_banks[3]},
      {CM_TEXTURE_ACCESS_EVENT_FOUR_BANKS, naive->by_banks[4]},
      {CM_TEXTURE_ACCESS_EVENT_DATA_BANKS, naive_data_banks(naive)},
      {CM_TEXTURE_ACCESS_EVENT_TAG_BANKS, naive->tag_banks},
      {CM_TEXTURE_ACCESS_EVENT_DATA_CONFLICTS, naive->data_conflicts},
      {CM_TEXTURE_ACCESS_EVENT_TAG_CONFLICTS, naive->tag_conflicts},
   };
   for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
      const uint64_t value = cm_texture_access_count(access, values[i].event);
      if (value != values[i].expected)
         fail_msg("design %d, tags %d, event %d: %d instead of %d", access->design, access->tags,
                  values[i].event, (int)value, (int)values[i].expected);
   }
   struct cm_texture_access missed = *access;
   missed.miss = CM_TEXTURE_MISS_LINE;
   missed.texture_misses = 7;
   const uint64_t banks = cm_texture_access_count(access, CM_TEXTURE_ACCESS_EVENT_DATA_BANKS);
   const unsigned line_banks = access->design >= CM_TEXTURE_DESIGN_BANKED_CONTINUOUS ? 4 : 1;
   assert_int_equal(cm_texture_access_count(&missed, CM_TEXTURE_ACCESS_EVENT_ENERGY),
                    (banks + 7 * line_banks) * 10);
   /* Tags with an energy of their own: as often as they are looked at, and where a line's are. */
   missed.tag_energy = 3;
   const unsigned line_tags = access->tags == CM_TEXTURE_TAGS_FOUR_ARRAYS ? 4 : 1;
   assert_int_equal(cm_texture_access_count(&missed, CM_TEXTURE_ACCESS_EVENT_ENERGY),
                    (banks + 7 * line_banks) * 10 + (naive->tag_banks + 7 * line_tags) * 3);
}

static struct cm_footprint
random_footprint(uint64_t *state, int width, int height)
{
   struct cm_footprint f = {.live = (uint8_t)(random_below(state, 3) ? 15 : random_below(state, 16)),
                            .linear = random_below(state, 4) > 0};
   const int low = f.linear ? -1 : 0;
   const bool together = random_below(state, 4) && width > 3 && height > 3;
   const int x = (int)random_below(state, (uint32_t)(width - low)) + low;
   const int y = (int)random_below(state, (uint32_t)(height - low)) + low;
   for (unsigned q = 0; q < 4; q++) {
      const int near_x = x + (int)random_below(state, 3), near_y = y + (int)random_below(state, 3);
      f.texel[q].x = (int16_t)(together ? (near_x < width ? near_x : width - 1)
                                        : (int)random_below(state, (uint32_t)(width - low)) + low);
      f.texel[q].y = (int16_t)(together ? (near_y < height ? near_y : height - 1)
                                        : (int)random_below(state, (uint32_t)(height - low)) + low);
   }
   return f;
}

static struct cm_config
random_configuration(uint64_t *state)
{
   const enum cm_texture_design design = (enum cm_texture_design)(1 + random_below(state, 5));
   enum cm_texture_tags tags = (enum cm_texture_tags)random_below(state, 3);
   if (design <= CM_TEXTURE_DESIGN_WIDE_BUS)
      tags = CM_TEXTURE_TAGS_SHARED;
   else if (design == CM_TEXTURE_DESIGN_MULTI_PORT && tags == CM_TEXTURE_TAGS_BANKED)
      tags = CM_TEXTURE_TAGS_FOUR_ARRAYS;
   const bool interleaved = design == CM_TEXTURE_DESIGN_BANKED_INTERLEAVED;
   const enum cm_placement_kind placement =
      (enum cm_placement_kind)(interleaved + random_below(state, 5 - interleaved));
   const bool tiled = placement == CM_PLACEMENT_4D || placement == CM_PLACEMENT_6D;
   return configure(design, tags, placement, tiled ? 2u << random_below(state, 3) : 0,
                    16u << random_below(state, 5));
}

/* Adds what misses of a quad take: each the mean of the quad's accesses. */
static void
add_misses(double banks[2], const struct naive_counts *before, const struct naive_counts *after,
           uint64_t misses)
{
   const double accesses = (double)(after->accesses - before->accesses);
   banks[0] += (double)misses * (double)(naive_data_banks(after) - naive_data_banks(before)) / accesses;
   banks[1] += (double)misses * (double)(after->tag_banks - before->tag_banks) / accesses;
}

/* Random footprints of one texture under one configuration. Returns how many fragments went by their
 * place in a line. */
static uint64_t
compare_with_naive(uint64_t *state, const struct cm_config *config)
{
   static const uint8_t sizes[] = {4, 4, 4, 4, 1, 2, 3, 8, 12, 16};
   struct cm_resource_description texture =
      describe_texture(1 + random_below(state, 80), 1 + random_below(state, 80), 1,
                       sizes[random_below(state, 10)]);
   if (random_below(state, 2)) {
      texture.width = 1u << random_below(state, 8);
      texture.height = 1u << random_below(state, 8);
   }
   if (random_below(state, 8) == 0) {
      texture.block_width = texture.block_height = 4;
      texture.block_bytes = 8;
   } else if (random_below(state, 8) == 0) {
      texture.samples = 4;
   }
   const struct cm_texture_binding binding = {.resource = 1,
                                              .repeat_s = random_below(state, 2),
                                              .repeat_t = random_below(state, 2)};
   struct cm_texture_layout layout;
   struct cm_texture_access access;
   struct naive_counts naive = {0};
   unsigned footprints = 0;
   double miss_banks[2] = {0};
   cm_texture_layout_init(&layout, &texture, config);
   assert_true(cm_texture_access_init(&access, config));
   access.miss = CM_TEXTURE_MISS_ACCESS;
   for (unsigned n = 0; n < 60; n++) {
      struct cm_footprint f = random_footprint(state, (int)texture.width, (int)texture.height);
      if (texture.samples > 1)
         f.level = (uint8_t)random_below(state, 4);
      struct cm_texture_image image;
      struct cm_block_grid grid;
      cm_texture_image_init(&image, &layout, 4096, &binding, &f, access.block_shift);
      uint64_t blocks[CM_MAX_FOOTPRINT_BLOCKS];
      cm_footprint_blocks(&image, &binding, &f, blocks);
      struct cm_texel_bounds bounds[4];
      cm_footprints_bounds(&f, 1, bounds);
      const struct cm_footprint_kind kind = cm_footprint_kind(&image, &f);
      const bool has_grid = n % 2 && cm_footprint_grid(&kind, &f, bounds, &grid);
      cm_texture_access_footprint(&access, &image, &binding, &f, has_grid ? &grid : NULL, blocks);
      const struct naive_counts before = naive;
      for (unsigned q = 0; q < 4; q++) {
         if (!(f.live >> q & 1))
            continue;
         struct naive_texel texels[4];
         const unsigned count = f.linear ? 4 : 1;
         for (unsigned i = 0; i < count; i++) {
            const uint32_t column =
               at_edge(f.texel[q].x + (int)(i % 2), (int)texture.width, binding.repeat_s);
            const uint32_t row = at_edge(f.texel[q].y + (int)(i / 2), (int)texture.height, binding.repeat_t);
            const uint64_t offset =
               cm_texture_offset(&layout, 0, 0, column / texture.block_width, row / texture.block_height);
            texels[i].number = offset / texture.samples / texture.block_bytes;
            texels[i].address = 4096 + offset + (texture.samples > 1 ? f.level : 0) * texture.block_bytes;
         }
         naive_footprint(config, texels, count, texture.block_bytes, &naive);
         footprints++;
      }
      const uint64_t misses = f.live ? random_below(state, 5) : 0;
      if (misses) {
         cm_texture_access_missed(&access, &image, &binding, &f, misses);
         add_misses(miss_banks, &before, &naive, misses);
      }
   }
   /* Parts of a bank that are left over are not counted. */
   for (unsigned kind = 0; kind < 2; kind++) {
      const double counted =
         (double)cm_texture_access_count(&access, kind ? CM_TEXTURE_ACCESS_EVENT_MISS_TAG_BANKS
                                                       : CM_TEXTURE_ACCESS_EVENT_MISS_DATA_BANKS);
      assert_true(counted <= miss_banks[kind] + 0.001 && counted > miss_banks[kind] - 1.001);
   }
   assert_access_equal(&access, &naive);
   assert_int_equal(cm_texture_access_count(&access, CM_TEXTURE_ACCESS_EVENT_FOOTPRINTS), footprints);
   uint64_t by_place = 0;
   for (uint32_t p = 0; p < access.first_position[CM_ACCESS_TEXEL_SIZES]; p++)
      by_place += access.footprints[p];
   cm_texture_access_finish(&access);
   return by_place;
}

TEST(naive_models)
{
   uint64_t state = 3, by_place = 0;
   for (unsigned n = 0; n < test_rounds(20000); n++) {
      const struct cm_config config = random_configuration(&state);
      by_place += compare_with_naive(&state, &config);
   }
   assert_true(by_place > 100000);
}

/* ---- the GPU -------------------------------------------------------------------- */

/* A quad of four bilinear footprints and one of a single texel, of recursive Z; the buffer's element takes
 * an access as well. */
static void
expect_quads(const char *miss, uint64_t miss_data_banks, uint64_t miss_tag_banks)
{
   char assignment[40];
   snprintf(assignment, sizeof assignment, "texture_access.miss=%s", miss);
   struct cm_gpu *gpu =
      test_gpu((const char *const[]){"texture.placement=rz", "texture_access.design=banked-continuous",
                                     "texture_access.tags=banked", "texture_access.access_energy=100",
                                     "texture_access.tag_energy=7", assignment, NULL});
   define_texture(gpu, 1, 64, 64, 1);
   define_buffer(gpu, 2, 4096);
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   struct cm_draw *draw = pass_draw(pass);
   draw->num_textures = 2;
   draw->textures[0].resource = 1;
   draw->textures[1] = (struct cm_texture_binding){.resource = 2, .texel_bytes = 4};
   pass_shade(pass, 0, 0, 1, 15);
   pass_footprints(pass, 0, 0,
                   &(struct cm_footprint){.live = 15, .linear = 1, .texel = {{0, 0}, {1, 0}, {0, 1}, {3, 3}}},
                   1);
   pass_footprints(pass, 0, 0, &(struct cm_footprint){.live = 1, .texel = {{5, 5}}}, 1);
   pass_footprints(pass, 0, 1, &(struct cm_footprint){.live = 1, .texel = {{7, 0}}}, 1);
   pass_run(pass, gpu);
   /* Lines: 0, 0, 0, all four; the one of (4, 4); the buffer's. */
   expect_counters(gpu, {"texture_access.footprints", 6}, {"texture_access.accesses", 6},
                   {"texture_access.one_bank_accesses", 3}, {"texture_access.two_bank_accesses", 2},
                   {"texture_access.four_bank_accesses", 1}, {"texture_access.data_banks", 3 + 4 + 4},
                   {"texture_access.tag_banks", 3 + 4 + 2}, {"texture_cache.texture.misses", 5},
                   {"texture_access.miss_data_banks", miss_data_banks},
                   {"texture_access.miss_tag_banks", miss_tag_banks},
                   {"texture_access.energy", (11 + miss_data_banks) * 100 + (9 + miss_tag_banks) * 7});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

TEST(counters)
{
   /* Five misses, each of a line in four banks, which has one tag. */
   expect_quads("line", 4 * 5, 5);
   /* Four misses in the first quad, whose four accesses take 1 + 2 + 2 + 4 data banks and 1 + 1 + 1 + 4 tag banks; one of
    * the buffer's element. */
   expect_quads("access", 4 * (1 + 2 + 2 + 4) / 4 + 1, 4 * (1 + 1 + 1 + 4) / 4 + 1);
   struct cm_gpu *gpu;
   /* Without a design there are none. */
   gpu = test_gpu(NULL);
   assert_int_equal(cm_counter_table_find(cm_gpu_counters(gpu), "texture_access.accesses"), -1);
   cm_gpu_destroy(gpu);
}

/* Three textures of whole ways of the cache, 2 ways of 8 KiB: one texel of each at the same coordinates. */
static uint64_t
misses_of_three(const char *offset)
{
   char assignment[40];
   snprintf(assignment, sizeof assignment, "texture.offset=%s", offset);
   struct cm_gpu *gpu =
      test_gpu((const char *const[]){"texture.placement=rz", "caches.texture_cache.size=16384",
                                     "caches.texture_cache.ways=2", "caches.texture_cache.index=modulo",
                                     "fragment_stage.processors=1", "caches.texture_cache.instances=1",
                                     assignment, NULL});
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   struct cm_draw *draw = pass_draw(pass);
   draw->num_textures = 3;
   for (uint32_t t = 0; t < 3; t++) {
      define_texture(gpu, t + 1, 64, 64, 1);
      draw->textures[t].resource = t + 1;
   }
   for (unsigned n = 0; n < 5; n++) {
      pass_shade(pass, 0, 0, 1, 15);
      for (uint32_t t = 0; t < 3; t++)
         pass_footprints(pass, 0, t, &(struct cm_footprint){.live = 1, .texel = {{0, 0}}}, 1);
   }
   pass_run(pass, gpu);
   const uint64_t misses = gpu_total(gpu, "texture_cache.texture.misses");
   pass_free(pass);
   cm_gpu_destroy(gpu);
   return misses;
}

TEST(offsets)
{
   /* Three lines in turn in a set of two ways: none stays. */
   assert_int_equal(misses_of_three("none"), 15);
   assert_int_equal(misses_of_three("hashed"), 3);
}
