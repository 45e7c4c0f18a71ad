/* SPDX-License-Identifier: MIT */
/* Units on the access stream: the victim buffer against a reference on random entries; what a unit must have; what a
 * configuration can have; counters, energy, and what arrives after it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/access_unit.h"
#include "energy/energy.h"
#include "gpu/gpu_config.h"
#include "support/arrivals.h"
#include "support/nuca_harness.h"
#include "support/random_pass.h"
#include "support/test.h"

/* ---- the victim buffer -------------------------------------------------- */

#define ENTRIES 6
#define BLOCKS 40
#define INSTANCES 2

/* Of a block: when it came into the buffer, 0 if it is not there, and who wrote it last. */
struct reference {
   struct {
      uint64_t since;
      enum cm_stream stream;
   } blocks[INSTANCES][BLOCKS];
   uint64_t now;
   uint64_t reads, writes, read_hits, write_hits, bypasses, fills, writebacks;
   cm_entry expected[1 << 20];
   unsigned count;
};

static cm_entry
block_entry(unsigned instance, enum cm_access access, enum cm_stream stream, unsigned block)
{
   return cm_entry_access(cm_entry_cache(CM_UNIT_L2, instance), access, stream, block * 64);
}

/* The oldest of the blocks from first on, of those there are; they leave until `most` are there. */
static void
write_back_oldest(struct reference *reference, unsigned first, unsigned end, unsigned most)
{
   for (;;) {
      unsigned count = 0, oldest = 0, of = 0;
      uint64_t since = UINT64_MAX;
      for (unsigned i = 0; i < INSTANCES; i++) {
         for (unsigned b = first; b < end; b++) {
            const uint64_t came = reference->blocks[i][b].since;
            count += came != 0;
            if (came && came < since) {
               since = came;
               oldest = b;
               of = i;
            }
         }
      }
      if (count <= most)
         return;
      reference->expected[reference->count++] =
         block_entry(of, CM_WRITE_BLOCK, reference->blocks[of][oldest].stream, oldest);
      reference->blocks[of][oldest].since = 0;
      reference->writebacks++;
   }
}

static void
reference_access(struct reference *reference, cm_entry entry, unsigned instance, unsigned block)
{
   const enum cm_entry_kind kind = cm_entry_kind(entry);
   const bool there = reference->blocks[instance][block].since;
   *(kind == CM_ENTRY_READ ? &reference->reads : &reference->writes) += 1;
   if (there)
      *(kind == CM_ENTRY_READ ? &reference->read_hits : &reference->write_hits) += 1;
   if (there && kind != CM_ENTRY_READ)
      reference->blocks[instance][block].stream = cm_entry_stream(entry);
   if (there)
      return;
   if (kind != CM_ENTRY_WRITE_BLOCK) {
      reference->bypasses += kind == CM_ENTRY_WRITE;
      reference->expected[reference->count++] = entry;
      return;
   }
   write_back_oldest(reference, 0, BLOCKS, ENTRIES - 1);
   reference->blocks[instance][block].since = ++reference->now;
   reference->blocks[instance][block].stream = cm_entry_stream(entry);
   reference->fills++;
}

struct taken {
   cm_entry entries[1 << 20];
   unsigned count;
};

static void
take(void *context, struct cm_access_stream *stream)
{
   struct taken *taken = context;
   memcpy(taken->entries + taken->count, stream->entries, stream->count * sizeof(cm_entry));
   taken->count += stream->count;
   stream->count = 0;
}

/* An entry, or two, for both. */
static void
random_entry(uint64_t *state, struct cm_access_stream *stream, struct reference *reference)
{
   const unsigned what = random_below(state, 100), block = random_below(state, BLOCKS);
   const unsigned instance = random_below(state, 8) == 0;
   const enum cm_stream of = (enum cm_stream)random_below(state, CM_STREAM_COUNT);
   if (what < 90) {
      const enum cm_access access = what < 40 ? CM_READ : what < 50 ? CM_WRITE : CM_WRITE_BLOCK;
      const cm_entry entry =
         block_entry(instance, access, of, block) + (access == CM_WRITE_BLOCK ? 0 : random_below(state, 4));
      cm_access_stream_append(stream, entry);
      reference_access(reference, entry, instance, block);
   } else if (what < 92) {
      const unsigned end = block + 1 + random_below(state, BLOCKS - block);
      const cm_entry range = cm_entry_make(CM_ENTRY_RANGE, 0, 0, CM_STREAM_COLOR, block * 4);
      const cm_entry invalidate =
         cm_entry_make(CM_ENTRY_INVALIDATE, CM_UNIT_L2, 0, CM_STREAM_VERTEX, end * 4 - 1);
      cm_access_stream_append(stream, range);
      cm_access_stream_append(stream, invalidate);
      reference->expected[reference->count++] = range;
      write_back_oldest(reference, block, end, 0);
      reference->expected[reference->count++] = invalidate;
   } else {
      const cm_entry other = what < 95 ? cm_entry_dram(what & 1, of, block * 64, 64)
                             : what < 98
                                ? cm_entry_make(CM_ENTRY_MARK, CM_MARK_TILE_END, 0, of, block)
                                : cm_entry_access(cm_entry_cache(CM_UNIT_LLC, 0), CM_READ, of, block * 64);
      cm_access_stream_append(stream, other);
      reference->expected[reference->count++] = other;
   }
}

TEST(victim_buffer)
{
   struct reference *reference = calloc(1, sizeof *reference);
   struct taken *taken = calloc(1, sizeof *taken);
   struct cm_access_stream stream;
   struct cm_access_unit unit;
   const struct cm_access_unit_config config = {.before = CM_UNIT_L2, .entries = ENTRIES, .latency = 2};
   assert_true(cm_access_stream_init(&stream, take, taken));
   assert_true(
      cm_access_unit_init(&unit, cm_access_unit_kinds[CM_ACCESS_UNIT_VICTIM_BUFFER], &config, 6, &stream));
   uint64_t state = 17;
   for (unsigned i = 0; i < 300000; i++)
      random_entry(&state, &stream, reference);
   cm_access_stream_drain(&stream);
   cm_access_stream_drain(&unit.next);
   assert_int_equal(taken->count, reference->count);
   assert_memory_equal(taken->entries, reference->expected, taken->count * sizeof(cm_entry));
   const uint64_t counts[] = {reference->reads,      reference->writes,   reference->read_hits,
                              reference->write_hits, reference->bypasses, reference->fills,
                              reference->writebacks};
   assert_int_equal(unit.kind->num_events, sizeof counts / sizeof counts[0]);
   for (unsigned e = 0; e < unit.kind->num_events; e++) {
      assert_int_equal(unit.counts[e], counts[e]);
      assert_true(counts[e] > 1000);
   }
   cm_access_unit_finish(&unit);
   cm_access_stream_finish(&stream);
   free(reference);
   free(taken);
}

/* ---- what a unit must have ---------------------------------------------- */

static void
check_refused(struct cm_access_unit_kind kind, const char *expected)
{
   char error[200] = "";
   assert_false(cm_access_unit_check(&kind, error, sizeof error));
   assert_non_null(strstr(error, "victim_buffer "));
   assert_non_null(strstr(error, expected));
   assert_null(strchr(error, '\n'));
}

TEST(incomplete_units)
{
   const struct cm_access_unit_kind *whole = cm_access_unit_kinds[CM_ACCESS_UNIT_VICTIM_BUFFER];
   char error[200];
   assert_true(cm_access_unit_check(whole, error, sizeof error));
   const struct cm_access_unit_energy of_nothing = {"nothing", 0, false},
                                      of_others = {"others", 1u << 15, false};
   struct cm_access_unit_kind kind = *whole;
   kind.take = NULL;
   check_refused(kind, "does not take entries");
   kind = *whole;
   kind.num_events = 0;
   check_refused(kind, "has no counters");
   kind = *whole;
   kind.num_energy = 0;
   check_refused(kind, "has no energy");
   kind = *whole;
   kind.entry_bytes = 0;
   check_refused(kind, "has no energy");
   kind = *whole;
   kind.energy = &of_nothing;
   kind.num_energy = 1;
   check_refused(kind, "has no energy");
   kind.energy = &of_others;
   check_refused(kind, "has no energy");
   kind = *whole;
   kind.ports = 0;
   check_refused(kind, "has no time");
   kind.ports = 9;
   check_refused(kind, "too many ports, expected 1 to 8");
   kind.ports = 8;
   assert_true(cm_access_unit_check(&kind, error, sizeof error));
}

#define BUFFER "access_units.victim_buffer."
#define SETTINGS BUFFER "entries=16", BUFFER "before=l2", BUFFER "latency=2"

TEST(configurations)
{
   static const struct {
      const char *settings[2], *expected;
   } wrong[] = {
      {{BUFFER "before=texture_cache"}, BUFFER "before: texture_cache is no shared cache"},
      {{BUFFER "before=dram"}, BUFFER "before: dram is no shared cache"},
      {{BUFFER "before=llc"}, BUFFER "before: llc is no shared cache"},
      {{BUFFER "entries=2000"}, BUFFER "entries: "},
      {{BUFFER "latency=0"}, BUFFER "latency: "},
   };
   static const char *const right[] = {SETTINGS, NULL};
   char error[512];
   for (unsigned w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
      struct cm_config *config = test_config(right);
      assert_true(cm_config_set(config, wrong[w].settings[0], error, sizeof error));
      assert_false(cm_config_validate(config, error, sizeof error));
      assert_ptr_equal(strstr(error, wrong[w].expected), error);
      cm_config_destroy(config);
   }
   struct cm_config *config = test_config(right);
   assert_false(cm_config_set(config, "access_units.prefetcher.entries=4", error, sizeof error));
   assert_non_null(strstr(error, "expected keys of: victim_buffer"));
   cm_config_destroy(config);
}

/* ---- in a GPU ------------------------------------------------------------ */

struct arrived {
   uint64_t reads, writes;
};

static void
count_arrival(void *context, const struct cm_unit_arrival *arrival)
{
   struct arrived *arrived = context;
   *(arrival->access == CM_READ ? &arrived->reads : &arrived->writes) += 1;
}

/* All reads and writes of the L2 in the same passes without the unit are those that arrive at it; those it has with the
 * unit are those that pass. A reader sees these. */
TEST(conservation)
{
   static const char *const with[] = {SETTINGS, "streams.color=l2", "tile_cache.size=4096", "l2.size=65536",
                                      NULL};
   uint64_t reads = 0, writes = 0;
   for (unsigned run = 0; run < 3; run++) {
      const bool has_unit = run > 0, has_reader = run > 1;
      struct arrived arrived = {0};
      struct test_arrivals arrivals = {.access = count_arrival, .context = &arrived};
      struct cm_gpu *gpu = test_gpu(has_unit ? with : with + 3);
      if (has_reader)
         test_read_arrivals(gpu, CM_UNIT_L2, &arrivals);
      define_random_resources(gpu);
      uint64_t state = 4;
      for (uint32_t frame = 0; frame < 12; frame++) {
         pass_run_and_free(random_pass(&state, frame), gpu);
         cm_gpu_frame_end(gpu);
      }
      const uint64_t l2_reads = gpu_total(gpu, "l2.total.reads"),
                     l2_writes = gpu_total(gpu, "l2.total.writes");
      if (!has_unit) {
         assert_true(cm_counter_table_find(cm_gpu_counters(gpu), "victim_buffer.reads") < 0);
         reads = l2_reads;
         writes = l2_writes;
      } else {
#define OF(event) gpu_total(gpu, "victim_buffer." event)
         assert_int_equal(OF("reads"), reads);
         assert_int_equal(OF("writes"), writes);
         assert_int_equal(OF("read_hits") + l2_reads, reads);
         assert_int_equal(OF("write_hits") + OF("bypasses") + OF("fills"), writes);
         assert_int_equal(l2_writes, OF("bypasses") + OF("writebacks"));
         assert_in_range(OF("fills") - OF("writebacks"), 1, 16);
         assert_true(OF("read_hits") > 10 && OF("write_hits") > 10 && OF("writebacks") > 100);
      }
      if (has_reader) {
         assert_int_equal(arrived.reads, l2_reads);
         assert_int_equal(arrived.writes, l2_writes);
      }
      cm_gpu_destroy(gpu);
   }
}

/* An access of the array for each event that the terms name, and the array's leakage. */
TEST(energy)
{
   static const char *const with[] = {SETTINGS, BUFFER "entries=32", NULL};
   char error[512];
   struct cm_config *config = test_config(with);
   struct cm_counter_table *table = cm_gpu_counter_table_create(config);
   struct cm_energy *energy = cm_energy_create(config, table, error, sizeof error);
   assert_non_null(energy);
   uint64_t *values = calloc(table->count, sizeof *values);
   for (uint32_t c = 0; c < table->count; c++)
      values[c] = !strncmp(table->counters[c].name, "victim_buffer.", 14) ? 1000000 : 0;
   uint64_t events = 0;
   bool leaks = false;
   for (uint32_t t = 0; t < energy->num_terms; t++) {
      const struct cm_energy_term *term = &energy->terms[t];
      if (term->unit != CM_ENERGY_ACCESS_UNITS)
         continue;
      assert_null(strstr(term->note, "EXTRAPOLATED")); /* 2 KiB is in the table */
      leaks |= term->by_time && term->leakage > 0;
      events += term->by_time ? 0 : cm_energy_term_events(term, values);
      assert_true(term->by_time || term->energy > 0);
   }
   assert_true(leaks);
   assert_int_equal(events, 5000000); /* reads, writes, write hits, fills, write-backs */
   struct cm_energy_sums sums;
   cm_energy_sum_up(energy, values, 1000000, &sums);
   assert_true(sums.units[CM_ENERGY_ACCESS_UNITS].dynamic > 0 &&
               sums.units[CM_ENERGY_ACCESS_UNITS].leakage > 0);
   free(values);
   cm_energy_destroy(energy);
   cm_counter_table_destroy(table);
   cm_config_destroy(config);
}
