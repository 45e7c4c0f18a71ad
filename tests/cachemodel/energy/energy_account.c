/* SPDX-License-Identifier: MIT */
/* The account of energy: what each event takes, that terms add up to units, units to groups and frames to
 * the run, and what is left where nothing happens. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_config.h"
#include "energy/energy.h"
#include "energy/energy_table.h"
#include "support/test.h"
#include "gpu/counters.h"

/* A GPU with its account; the values of its counters are set by name. */
struct account {
   struct cm_config *config;
   struct cm_counter_table *table;
   struct cm_energy *energy;
   uint64_t *values;
};

static struct cm_config *
load(const char *preset, const char *const *settings)
{
   char error[512];
   struct cm_config *config = cm_config_load(preset, NULL, error, sizeof error);
   if (!config)
      fail_msg("%s", error);
   for (; settings && *settings; settings++)
      assert_true(cm_config_set(config, *settings, error, sizeof error));
   return config;
}

static struct account
open_account(const char *preset, const char *const *settings)
{
   static const char *const keys[] = {
      "energy.technology=32",          "energy.cell=itrs-lstp",          "energy.vertex_instruction=1300",
      "energy.quad_instruction=5300",  "energy.primitive_setup=90000",   "energy.tile_overlap=700",
      "energy.raster_quad=1100",       "energy.quad_attribute=9000",     "energy.depth_quad=400",
      "energy.blend_quad=7000",        "energy.texture_footprint=15000", "energy.mesh_bit=140",
      "energy.processor_leakage=3000", "energy.unit_leakage=2000",       NULL,
   };
   struct account account = {.config = load(preset, keys)};
   char error[512];
   for (; settings && *settings; settings++)
      assert_true(cm_config_set(account.config, *settings, error, sizeof error));
   if (!cm_config_validate(account.config, error, sizeof error))
      fail_msg("%s: %s", preset, error);
   account.table = cm_gpu_counter_table_create(account.config);
   account.energy = cm_energy_create(account.config, account.table, error, sizeof error);
   if (!account.energy)
      fail_msg("%s: %s", preset, error);
   account.values = calloc(account.table->count, sizeof *account.values);
   return account;
}

static void
close_account(struct account *account)
{
   free(account->values);
   cm_energy_destroy(account->energy);
   cm_counter_table_destroy(account->table);
   cm_config_destroy(account->config);
}

static void
set(struct account *account, const char *name, uint64_t value)
{
   const int counter = cm_counter_table_find(account->table, name);
   if (counter < 0)
      fail_msg("no counter %s", name);
   account->values[counter] = value;
}

static struct cm_energy_sums
sum_up(const struct account *account, uint64_t cycles)
{
   struct cm_energy_sums sums;
   cm_energy_sum_up(account->energy, account->values, cycles, &sums);
   return sums;
}

/* ---- what an event takes ----------------------------------------------- */

/* A million of each, of the 1 MiB L2 with 8 ways at 32 nm: 0.289302 nJ a read, 0.268144 nJ a write,
 * 0.092698 mW. */
TEST(cache)
{
   struct account account = open_account("tcor-baseline-64k", NULL);
   set(&account, "l2.total.reads", 1000000);
   assert_int_equal(sum_up(&account, 0).units[CM_UNIT_L2].dynamic, 289302000);
   set(&account, "l2.total.writes", 2000000);
   assert_int_equal(sum_up(&account, 0).units[CM_UNIT_L2].dynamic, 289302000 + 2 * 268144000);
   /* Hits and misses are reads and writes; it is the lines that come and go. */
   set(&account, "l2.total.hits", 2500000);
   set(&account, "l2.total.misses", 500000);
   assert_int_equal(sum_up(&account, 0).units[CM_UNIT_L2].dynamic, 289302000 + 2 * 268144000);
   set(&account, "l2.total.fills", 1000000);
   assert_int_equal(sum_up(&account, 0).units[CM_UNIT_L2].dynamic, 289302000 + 3 * 268144000);
   set(&account, "l2.total.writebacks", 1000000);
   assert_int_equal(sum_up(&account, 0).units[CM_UNIT_L2].dynamic, 2 * 289302000 + 3 * 268144000);
   assert_int_equal(sum_up(&account, 0).units[CM_UNIT_L2].leakage, 0);
   /* A second: 600 MHz. */
   assert_int_equal(sum_up(&account, 600000000).units[CM_UNIT_L2].leakage, 92698000);
   /* Four texture caches of 64 KiB and 4 ways, 0.00614853 mW each, for 10 s. */
   assert_int_equal(sum_up(&account, 6000000000).units[CM_UNIT_TEXTURE_CACHE].leakage, 4 * 61485300);
   close_account(&account);
}

/* The Attribute Cache: Attribute Buffer of 48 KiB (between two rows) and Primitive Buffer of 256 lines of 41 bits,
 * a set of which are two accesses of 128 bits. */
TEST(attribute_cache)
{
   struct account account = open_account("tcor-64k", NULL);
   struct cm_array_lookup attributes, primitives;
   struct cm_array_shape shape = {CM_ARRAY_RAM, 32, CM_CELL_ITRS_LSTP, 49152, 1, 384};
   char error[256];
   assert_true(cm_energy_table_find(&shape, &attributes, error, sizeof error));
   shape.size = 256 * 41 / 8;
   shape.bus_bits = 128;
   assert_true(cm_energy_table_find(&shape, &primitives, error, sizeof error));
   const uint64_t pico = 1000000000;
   const struct cm_array_energy *a = &attributes.energy, *p = &primitives.energy;
   static const struct {
      const char *counter;
      int reads, writes, set_reads, line_writes;
   } steps[] = {
      {"primitive_buffer.reads", 0, 0, 2, 1},
      {"primitive_buffer.writes", 0, 0, 2, 1},
      {"primitive_buffer.bypasses", 0, 0, 0, -1},
      {"attribute_cache.total.reads", 1, 0, 0, 0},
      {"attribute_cache.total.writes", 0, 1, 0, 0},
      {"attribute_cache.total.fills", 0, 1, 0, 0},
      {"attribute_cache.total.writebacks", 1, 0, 0, 0},
      /* Writes that pass by are not written, and are no attributes read to be written back. */
      {"attribute_cache.total.bypasses", -1, -1, 0, 0},
   };
   int reads = 0, writes = 0, set_reads = 0, line_writes = 0;
   for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
      set(&account, steps[i].counter, pico);
      reads += steps[i].reads;
      writes += steps[i].writes;
      set_reads += steps[i].set_reads;
      line_writes += steps[i].line_writes;
      assert_int_equal(sum_up(&account, 0).units[CM_UNIT_ATTRIBUTE_CACHE].dynamic,
                       (uint64_t)reads * a->read + (uint64_t)writes * a->write +
                          (uint64_t)set_reads * p->read + (uint64_t)line_writes * p->write);
   }
   assert_int_equal(reads + writes + set_reads + line_writes, 1 + 1 + 4 + 1);
   close_account(&account);
}

/* Each design without banks by its own array: 16 KiB of 2 ways at 90 nm, whose reads take what
 * texture_access.access_energy of the presets says. */
TEST(texture_designs)
{
   static const char *const settings[] = {"energy.technology=90", NULL};
   static const struct {
      const char *preset;
      uint64_t line_parts;
      enum cm_array_kind kind;
   } cases[] = {
      {"banked-traditional", 16, CM_ARRAY_TEXTURE_TRADITIONAL},
      {"banked-wide", 4, CM_ARRAY_TEXTURE_WIDE},
      {"banked-multiport", 16, CM_ARRAY_TEXTURE_MULTI_PORT},
   };
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      struct account account = open_account(cases[i].preset, settings);
      /* Reads of blocks are what banks are activated for, and not counted again. */
      set(&account, "texture_cache.total.reads", 12345);
      set(&account, "texture_access.data_banks", 1000000);
      const uint64_t read = sum_up(&account, 0).units[CM_UNIT_TEXTURE_CACHE].dynamic;
      assert_in_range(read / 1000, account.config->texture_access.access_energy - 1,
                      account.config->texture_access.access_energy + 1);
      const struct cm_array_shape shape = {cases[i].kind, 90, CM_CELL_ITRS_LSTP, 16384, 2, 0};
      struct cm_array_lookup array;
      char error[256];
      assert_true(cm_energy_table_find(&shape, &array, error, sizeof error));
      assert_true(array.exact);
      set(&account, "texture_cache.total.fills", 1000000);
      assert_int_equal(sum_up(&account, 0).units[CM_UNIT_TEXTURE_CACHE].dynamic,
                       read + cases[i].line_parts * array.energy.write / 1000);
      /* Their tags are in the row. */
      set(&account, "texture_access.tag_banks", 1000000);
      assert_int_equal(sum_up(&account, 0).units[CM_UNIT_TEXTURE_CACHE].dynamic,
                       read + cases[i].line_parts * array.energy.write / 1000);
      assert_int_equal(sum_up(&account, 600000000).units[CM_UNIT_TEXTURE_CACHE].leakage,
                       4 * array.energy.leakage / 1000);
      close_account(&account);
   }
}

/* A number on the line through those of the arrays of 1 and 2 KiB, in logarithms. */
static double
extended(double at_1k, double at_2k, double bytes)
{
   return at_1k * pow(at_2k / at_1k, log2(bytes / 1024));
}

/* Banked designs: data banks and tags, each as often as it is read. By hand, from the rows of 90 nm, itrs-lstp, ram: a
 * way of a bank has 16384 / 4 / 2 bytes; of 32-bit addresses 7 + 6 are a set and a byte, so that a way's 128 tags are
 * of 19 bits and a valid one: 320 bytes, 80 in each of four banks. */
TEST(banked_texture_designs)
{
   /* pJ of 32 bits: 1 KiB read 3.51527, write 9.59312; 2 KiB 5.67763 and 10.8588; of 128 bits and 2 KiB 13.4147 and
    * 25.2552. nW: 1 KiB 67.0832; 2 KiB 118.711, of 128 bits 112.041. */
   static const struct {
      const char *preset, *tags;
      double data_read, line_write, leakage; /* of a way of a data bank */
      double tag_bytes, tag_arrays,
         tag_lines; /* of a way of an array; arrays; arrays that a line's tag is in */
   } cases[] = {
      {"banked-continuous", "texture_access.tags=banked", 13.4147, 4 * 25.2552, 112.041, 80, 4, 1},
      {"banked-continuous", "texture_access.tags=shared", 13.4147, 4 * 25.2552, 112.041, 320, 1, 1},
      {"banked-interleaved", "texture_access.tags=banked", 5.67763, 16 * 10.8588, 118.711, 80, 4, 1},
      {"banked-interleaved", "texture_access.tags=four-arrays", 5.67763, 16 * 10.8588, 118.711, 320, 4, 4},
   };
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      const char *const settings[] = {"energy.technology=90", cases[i].tags, NULL};
      struct account account = open_account(cases[i].preset, settings);
      const double tag_read = extended(3.51527, 5.67763, cases[i].tag_bytes),
                   tag_write = extended(9.59312, 10.8588, cases[i].tag_bytes),
                   tag_leakage = extended(67.0832, 118.711, cases[i].tag_bytes);
      double expected = 0; /* pJ of a million of each */
      static const char *const counters[] = {"texture_access.data_banks", "texture_access.tag_banks",
                                             "texture_cache.total.fills"};
      const double each[] = {2 * cases[i].data_read, 2 * tag_read,
                             cases[i].line_write + cases[i].tag_lines * tag_write};
      for (unsigned c = 0; c < 3; c++) {
         set(&account, counters[c], 1000000);
         expected += 1000000 * each[c];
         const double dynamic = (double)sum_up(&account, 0).units[CM_UNIT_TEXTURE_CACHE].dynamic;
         assert_true(fabs(dynamic - expected) <= 4); /* terms are rounded down */
      }
      /* A second of four caches: pJ are a thousandth of nW. */
      const double leakage = 4 * 2 * (4 * cases[i].leakage + cases[i].tag_arrays * tag_leakage) * 1000;
      assert_true(fabs((double)sum_up(&account, 600000000).units[CM_UNIT_TEXTURE_CACHE].leakage - leakage) <=
                  2);
      close_account(&account);
   }
}

/* A stream that passes by a cache does not look it up. */
TEST(uncached)
{
   static const char *const settings[] = {"streams.color=l2", "caches.l2.uncached=color", NULL};
   struct account account = open_account("tcor-baseline-64k", settings);
   set(&account, "l2.total.reads", 1000000);
   set(&account, "l2.color.reads", 600000);
   set(&account, "l2.texture.reads", 400000);
   set(&account, "l2.color.fills", 600000);
   assert_int_equal(sum_up(&account, 0).units[CM_UNIT_L2].dynamic, 400000ull * 289302 / 1000);
   close_account(&account);
}

/* Paths between texture caches: bits of messages, entries of tables. */
TEST(nuca)
{
   struct account account = open_account("nuca-dtm", NULL);
   set(&account, "nuca.hops", 1000);
   assert_int_equal(sum_up(&account, 0).units[CM_ENERGY_MESH].dynamic, 1000 * 64 * 140 / 1000);
   /* Of 1000 hops through the table two thirds have no block: 235 bits per hop. */
   set(&account, "nuca.block_hops", 333);
   assert_int_equal(sum_up(&account, 0).units[CM_ENERGY_MESH].dynamic,
                    (1000 * 64 * 140 / 1000) + (333 * 512 * 140 / 1000));
   set(&account, "nuca.notice_hops", 1000);
   assert_int_equal(sum_up(&account, 0).units[CM_ENERGY_MESH].dynamic,
                    2 * (1000 * 64 * 140 / 1000) + (333 * 512 * 140 / 1000));
   /* Table I: 0.51 KiB, 32 entries of 32 counters of 4 bits and an owner of 5: two ports' width. */
   struct cm_array_lookup table;
   char error[256];
   const struct cm_array_shape shape = {CM_ARRAY_RAM, 32, CM_CELL_ITRS_LSTP, 4256 / 8, 1, 128};
   assert_true(cm_energy_table_find(&shape, &table, error, sizeof error));
   set(&account, "nuca.requests", 1000000000);
   assert_int_equal(sum_up(&account, 0).units[CM_ENERGY_AFFINITY_TABLE].dynamic,
                    2 * table.energy.read + 2 * table.energy.write);
   /* Served elsewhere, the own cache was looked up first. 16 KiB, 4 ways: 0.0689213 nJ a read. */
   set(&account, "nuca.remote_hits", 3000000);
   set(&account, "nuca.l2_accesses", 2000000);
   set(&account, "nuca.local_l2_accesses", 1000000);
   assert_int_equal(sum_up(&account, 0).units[CM_UNIT_TEXTURE_CACHE].dynamic, 4 * 68921300);
   close_account(&account);

   account = open_account("nuca-private", NULL);
   assert_false(account.energy->has_unit[CM_ENERGY_MESH]);
   assert_false(account.energy->has_unit[CM_ENERGY_AFFINITY_TABLE]);
   close_account(&account);
}

/* An immediate-mode GPU: its render caches, of more ways than there are rows, or smaller ones; nothing of tiles. */
TEST(immediate)
{
   struct account account = open_account("imr-8m", NULL);
   static const struct {
      const char *unit;
      enum cm_unit number;
      uint32_t size;
      const char *note, *other_note;
   } caches[] = {
      {"color_cache", CM_UNIT_COLOR_CACHE, 24576, "EXTRAPOLATED from ",
       "no row of 24 ways, the nearest is of 16"},
      {"index_cache", CM_UNIT_INDEX_CACHE, 1024, "EXTRAPOLATED from ",
       "16 ways, 512 bits), down to 1024 bytes"},
      {"llc", CM_UNIT_LLC, 8388608, "cacti-7.0-energies.csv:", "8388608 bytes, 16 ways"},
   };
   for (unsigned i = 0; i < sizeof caches / sizeof caches[0]; i++) {
      const struct cm_array_shape shape = {CM_ARRAY_CACHE, 32, CM_CELL_ITRS_LSTP, caches[i].size, 16, 0};
      struct cm_array_lookup array;
      char name[64], error[256];
      assert_true(cm_energy_table_find(&shape, &array, error, sizeof error));
      snprintf(name, sizeof name, "%s.total.reads", caches[i].unit);
      set(&account, name, 1000000000);
      assert_int_equal(sum_up(&account, 0).units[caches[i].number].dynamic, array.energy.read);
      bool is_noted = false;
      for (uint32_t t = 0; t < account.energy->num_terms; t++) {
         const struct cm_energy_term *term = &account.energy->terms[t];
         is_noted |= (int)term->unit == (int)caches[i].number &&
                     strstr(term->note, caches[i].note) == term->note &&
                     strstr(term->note, caches[i].other_note);
      }
      assert_true(is_noted);
   }
   set(&account, "rasterizer.quads", 1000);
   assert_int_equal(sum_up(&account, 0).units[CM_ENERGY_RASTERIZER].dynamic, 1100);
   static const enum cm_energy_unit absent[] = {CM_ENERGY_COLOR_BUFFER, CM_ENERGY_DEPTH_BUFFER,
                                                CM_ENERGY_TILING_ENGINE, CM_ENERGY_QUEUES};
   for (unsigned i = 0; i < sizeof absent / sizeof absent[0]; i++)
      assert_false(account.energy->has_unit[absent[i]]);
   assert_false(account.energy->has_unit[CM_UNIT_DRAM]);
   close_account(&account);
   /* With time, memory's is known. */
   const char *const timed[] = {"timing=on", NULL};
   account = open_account("imr-8m", timed);
   assert_true(account.energy->has_unit[CM_UNIT_DRAM]);
   assert_false(account.energy->has_unit[CM_ENERGY_QUEUES]);
   close_account(&account);
}

/* ---- sums -------------------------------------------------------------- */

static void
randomise(struct account *account, uint64_t *random, uint64_t factor)
{
   for (uint32_t i = 0; i < account->table->count; i++)
      account->values[i] += random_below(random, 1000000) * factor;
   /* What is taken away is part of what it is taken from. */
   for (uint32_t t = 0; t < account->energy->num_terms; t++) {
      const struct cm_energy_term *term = &account->energy->terms[t];
      for (uint32_t i = term->num_counters - term->num_minus; i < term->num_counters; i++)
         account->values[term->counters[i]] = 0;
   }
}

static void
check_sums(const struct account *account, const struct cm_energy_sums *sums, uint64_t cycles)
{
   uint64_t terms = 0, units = 0, hierarchy = 0;
   for (uint32_t t = 0; t < account->energy->num_terms; t++)
      terms += cm_energy_term_total(account->energy, &account->energy->terms[t], account->values, cycles);
   for (int unit = 0; unit < CM_ENERGY_UNIT_COUNT; unit++) {
      const uint64_t total = sums->units[unit].dynamic + sums->units[unit].leakage;
      units += total;
      if (unit <= CM_UNIT_DRAM || unit == CM_ENERGY_MESH || unit == CM_ENERGY_TEXTURE_BUS ||
          unit == CM_ENERGY_AFFINITY_TABLE)
         hierarchy += total;
      if (!account->energy->has_unit[unit])
         assert_int_equal(total, 0);
   }
   const struct cm_energy_sum *groups = sums->groups;
   assert_true(terms > 0);
   assert_int_equal(units, terms);
   assert_int_equal(groups[CM_ENERGY_GROUP_SYSTEM].dynamic + groups[CM_ENERGY_GROUP_SYSTEM].leakage, terms);
   assert_int_equal(groups[CM_ENERGY_GROUP_MEMORY_HIERARCHY].dynamic +
                       groups[CM_ENERGY_GROUP_MEMORY_HIERARCHY].leakage,
                    hierarchy);
   const struct cm_energy_sum *dram = &sums->units[CM_UNIT_DRAM];
   assert_int_equal(groups[CM_ENERGY_GROUP_GPU].dynamic + groups[CM_ENERGY_GROUP_GPU].leakage,
                    terms - dram->dynamic - dram->leakage);
}

static void
check_preset(const char *name, const char *description, void *context)
{
   struct account account = open_account(name, NULL);
   uint64_t random = 1;

   /* Nothing happens: leakage alone, in proportion to time. */
   struct cm_energy_sums sums = sum_up(&account, 0);
   static const struct cm_energy_sums none;
   assert_memory_equal(&sums, &none, sizeof sums);
   sums = sum_up(&account, 600000000);
   assert_int_equal(sums.groups[CM_ENERGY_GROUP_SYSTEM].dynamic, 0);
   assert_true(sums.groups[CM_ENERGY_GROUP_SYSTEM].leakage > 0);
   const struct cm_energy_sums twice_as_long = sum_up(&account, 1200000000);
   assert_in_range(twice_as_long.groups[CM_ENERGY_GROUP_SYSTEM].leakage,
                   2 * sums.groups[CM_ENERGY_GROUP_SYSTEM].leakage,
                   2 * sums.groups[CM_ENERGY_GROUP_SYSTEM].leakage + account.energy->num_terms);

   /* Twice the counts, twice the dynamic energy: so many make whole picojoules of any number of zeptojoules. */
   randomise(&account, &random, 1000000000);
   sums = sum_up(&account, 0);
   for (uint32_t i = 0; i < account.table->count; i++)
      account.values[i] *= 2;
   const struct cm_energy_sums twice = sum_up(&account, 0);
   for (int unit = 0; unit < CM_ENERGY_UNIT_COUNT; unit++)
      assert_int_equal(twice.units[unit].dynamic, 2 * sums.units[unit].dynamic);

   /* Frame by frame: each is a difference, and all are the run. */
   memset(account.values, 0, account.table->count * sizeof *account.values);
   struct cm_energy_sums before = {0};
   uint64_t run = 0, cycles = 0;
   for (unsigned frame = 0; frame < 50; frame++) {
      randomise(&account, &random, 1);
      cycles += random_below(&random, 20000000);
      sums = sum_up(&account, cycles);
      check_sums(&account, &sums, cycles);
      for (int unit = 0; unit < CM_ENERGY_UNIT_COUNT; unit++) {
         assert_true(sums.units[unit].dynamic >= before.units[unit].dynamic);
         run += sums.units[unit].dynamic - before.units[unit].dynamic;
         run += sums.units[unit].leakage - before.units[unit].leakage;
      }
      before = sums;
   }
   assert_int_equal(run, sums.groups[CM_ENERGY_GROUP_SYSTEM].dynamic +
                            sums.groups[CM_ENERGY_GROUP_SYSTEM].leakage);

   /* Each term says where it comes from. */
   for (uint32_t t = 0; t < account.energy->num_terms; t++) {
      const struct cm_energy_term *term = &account.energy->terms[t];
      assert_true(strlen(term->what) > 3 && strlen(term->note) > 10);
      assert_true(strstr(term->note, "cacti-7.0-energies.csv:") || strstr(term->note, "energy."));
      assert_true(term->by_time ? term->leakage > 0 : term->num_counters > 0 && term->energy > 0);
   }
   close_account(&account);
   ++*(unsigned *)context;
}

TEST(presets)
{
   unsigned count = 0;
   char error[512];
   assert_true(cm_config_list_presets(NULL, check_preset, &count, error, sizeof error));
   assert_true(count > 10);
}

/* A simulated minute at full load does not overflow: 2^53 pJ are 9 kJ. */
TEST(large_counts)
{
   struct account account = open_account("tcor-baseline-64k", NULL);
   set(&account, "l2.total.reads", 1ull << 40);
   assert_int_equal(sum_up(&account, 0).units[CM_UNIT_L2].dynamic,
                    (1ull << 40) / 1000 * 289302 + 776 * 289302 / 1000);
   assert_int_equal(sum_up(&account, 1ull << 62).units[CM_UNIT_L2].leakage,
                    (uint64_t)((unsigned __int128)92698000000 * (1ull << 62) / 600000000000));
   close_account(&account);
}
