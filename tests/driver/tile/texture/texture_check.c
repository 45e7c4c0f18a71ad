/* SPDX-License-Identifier: MIT */
/** What the texture unit returned and recorded, against the reference. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "texture_test.h"
#include "support/run_tests.h"
#include "util/format/u_format.h"
#include "util/macros.h"

/** Counts of a test's lanes, to show that it compared what it claims to. */
unsigned texture_compared;
static unsigned skipped;

/* ---- footprints --------------------------------------------------------- */

static int
resolve(int index, int size, bool repeat)
{
   if (index < -1 || index > size)
      fail_msg("texel %d of %d", index, size);
   if (index < 0)
      return repeat ? size - 1 : 0;
   if (index >= size)
      return repeat ? 0 : size - 1;
   return index;
}

static void
add_read(struct texture_recorded *recorded, struct texture_reference_read read)
{
   for (unsigned i = 0; i < recorded->count; i++)
      if (!memcmp(&recorded->reads[i], &read, sizeof(read)))
         return;
   assert_true(recorded->count < ARRAY_SIZE(recorded->reads));
   recorded->reads[recorded->count++] = read;
}

void
texture_decode_events(const struct tbr_texture_binding *binding, const struct cm_tile_events *events,
                      struct texture_recorded recorded[TBR_LANES])
{
   const bool repeat_s = tbr_texture_repeats(binding->sampler.wrap_s);
   const bool repeat_t = tbr_texture_repeats(binding->sampler.wrap_t);
   const bool buffer = binding->target == PIPE_BUFFER;

   for (unsigned lane = 0; lane < TBR_LANES; lane++)
      recorded[lane].count = 0;
   for (size_t at = 0; at < events->num_words;) {
      const uint32_t word = events->words[at++];
      assert_int_equal(word & 0xff, CM_EVENT_FOOTPRINTS);
      assert_int_equal(word >> 16, binding->unit);
      const unsigned count = word >> 8 & 0xff;
      assert_int_not_equal(count, 0);
      assert_true(at + count * CM_FOOTPRINT_WORDS <= events->num_words);
      for (unsigned i = 0; i < count; i++, at += CM_FOOTPRINT_WORDS) {
         struct cm_footprint footprint;
         memcpy(&footprint, events->words + at, sizeof(footprint));
         assert_in_range(footprint.quad, 0, TBR_QUADS - 1);
         assert_in_range(footprint.live, 1, 15);
         assert_in_range(footprint.linear, 0, 1);
         assert_in_range(footprint.level, 0, binding->num_levels - 1);
         const struct tbr_texture_level *level = &binding->levels[footprint.level];
         for (unsigned pixel = 0; pixel < 4; pixel++) {
            if (!(footprint.live >> pixel & 1))
               continue;
            const unsigned lane = footprint.quad * 4u + pixel;
            for (int tap = 0; tap < (footprint.linear ? 4 : 1); tap++) {
               int x = footprint.texel[pixel].x + (tap & 1), y = footprint.texel[pixel].y + (tap >> 1);
               if (!buffer) {
                  x = resolve(x, (int)level->width, repeat_s);
                  y = resolve(y, (int)level->height, repeat_t);
               }
               add_read(&recorded[lane],
                        (struct texture_reference_read){footprint.level, footprint.layer, x, y});
            }
         }
      }
   }
}

void
texture_print_case(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
                   unsigned lane)
{
   const struct pipe_sampler_state *s = &binding->sampler;
   printf(
      "%s target %u %ux%ux%u layers %u levels %u wrap %u %u %u min %u mag %u mip %u seamless %u lod %g..%g "
      "bias %g unnormalized %u | operation %u lod_control %u shadow %u offset %u "
      "lane %u coords %.9g %.9g %.9g lod %g\n",
      util_format_name(binding->format), binding->target, binding->levels[0].width, binding->levels[0].height,
      binding->levels[0].depth, binding->num_layers, binding->num_levels, s->wrap_s, s->wrap_t, s->wrap_r,
      s->min_img_filter, s->mag_img_filter, s->min_mip_filter, s->seamless_cube_map, s->min_lod, s->max_lod,
      s->lod_bias, s->unnormalized_coords, arguments->operation, arguments->lod_control, arguments->shadow,
      arguments->has_offset, lane, arguments->coords[0][lane], arguments->coords[1][lane],
      arguments->coords[2][lane], arguments->lod[lane]);
}

/* ---- one call ------------------------------------------------------------ */

static void
compare_reads(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
              unsigned lane, const struct texture_reference *reference,
              const struct texture_recorded *recorded)
{
   bool equal = recorded->count == reference->num_reads;
   for (unsigned i = 0; equal && i < reference->num_reads; i++) {
      bool found = false;
      for (unsigned j = 0; j < recorded->count; j++)
         found |= !memcmp(&reference->reads[i], &recorded->reads[j], sizeof(recorded->reads[j]));
      equal = found;
   }
   if (equal)
      return;
   texture_print_case(binding, arguments, lane);
   for (unsigned i = 0; i < reference->num_reads; i++)
      printf("  reads    level %u layer %u (%d, %d)\n", reference->reads[i].level, reference->reads[i].layer,
             reference->reads[i].x, reference->reads[i].y);
   for (unsigned i = 0; i < recorded->count; i++)
      printf("  recorded level %u layer %u (%d, %d)\n", recorded->reads[i].level, recorded->reads[i].layer,
             recorded->reads[i].x, recorded->reads[i].y);
   fail_msg("footprints differ");
}

static void
compare_lane(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
             unsigned lane, const struct texture_reference *reference, double tolerance)
{
   for (unsigned i = 0; i < 4; i++) {
      if (reference->integer) {
         uint32_t bits;
         memcpy(&bits, &arguments->texel[i][lane], sizeof(bits));
         if (bits == (uint32_t)reference->texel[i])
            continue;
      } else if (fabs(arguments->texel[i][lane] - reference->texel[i]) <= tolerance) {
         continue;
      }
      texture_print_case(binding, arguments, lane);
      fail_msg("component %u is %.9g, not %.9g", i, arguments->texel[i][lane], reference->texel[i]);
   }
}

/** The arguments with the quads in another order, or one quad four times. */
static void
permute_quads(const struct tbr_sample_arguments *from, struct tbr_sample_arguments *to,
              const unsigned order[4])
{
   *to = *from;
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      const unsigned source = order[lane / 4] * 4 + lane % 4;
      for (unsigned i = 0; i < 3; i++) {
         to->coords[i][lane] = from->coords[i][source];
         to->ddx[i][lane] = from->ddx[i][source];
         to->ddy[i][lane] = from->ddy[i][source];
         to->offset[i][lane] = from->offset[i][source];
      }
      to->cube_layer[lane] = from->cube_layer[source];
      to->compare[lane] = from->compare[source];
      to->lod[lane] = from->lod[source];
   }
   to->active = 0xffff;
}

static void
check_grouping(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments)
{
   _Alignas(64) struct tbr_sample_arguments all, permuted;
   const unsigned orders[2][4] = {{3, 1, 0, 2}, {texture_test_below(4)}};
   struct tbr_texture_thread thread = {0};
   permute_quads(arguments, &all, (const unsigned[4]){0, 1, 2, 3});
   binding->sample(&thread, binding, &all);
   for (unsigned o = 0; o < 2; o++) {
      unsigned order[4];
      for (unsigned i = 0; i < 4; i++)
         order[i] = o == 0 ? orders[0][i] : orders[1][0];
      permute_quads(arguments, &permuted, order);
      binding->sample(&thread, binding, &permuted);
      for (unsigned lane = 0; lane < TBR_LANES; lane++)
         for (unsigned i = 0; i < 4; i++)
            if (memcmp(&permuted.texel[i][lane], &all.texel[i][order[lane / 4] * 4 + lane % 4], 4)) {
               texture_print_case(binding, arguments, lane);
               fail_msg("depends on the other quads");
            }
   }
}

/* What later calls find in variables that they do not set. */
static __attribute__((noinline)) void
fill_stack(void)
{
   uint8_t bytes[32 * 1024];
   memset(bytes, (int)texture_test_below(256), sizeof(bytes));
   __asm__ volatile("" : : "r"(bytes) : "memory");
}

/* The same call gives the same words, those of lanes that read nothing included. */
static void
check_words(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
            uint32_t live, const struct cm_tile_events *expected)
{
   struct cm_tile_events events = {0};
   struct tbr_texture_thread thread = {.events = &events, .live = live};
   _Alignas(64) struct tbr_sample_arguments again = *arguments;
   fill_stack();
   binding->sample(&thread, binding, &again);
   assert_int_equal(events.num_words, expected->num_words);
   if (events.num_words)
      assert_memory_equal(events.words, expected->words, events.num_words * sizeof(uint32_t));
   free(events.words);
}

void
texture_check_call(struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
                   double tolerance)
{
   _Alignas(64) struct tbr_sample_arguments results[TEXTURE_TEST_MAX_LEVELS];
   struct cm_tile_events events[TEXTURE_TEST_MAX_LEVELS] = {{0}};
   const uint32_t live = texture_test_below(4) ? (uint32_t)texture_test_random() & 0xffff : 0xffff;

   for (unsigned isa = 0; isa < texture_test_num_levels(); isa++) {
      struct tbr_texture_thread thread = {.events = &events[isa], .live = live};
      texture_test_use_level(isa);
      tbr_texture_binding_prepare(binding);
      results[isa] = *arguments;
      fill_stack();
      binding->sample(&thread, binding, &results[isa]);
      check_words(binding, arguments, live, &events[isa]);
      for (unsigned lane = 0; isa && lane < TBR_LANES; lane++)
         for (unsigned i = 0; i < 4; i++)
            if (arguments->active >> lane & 1 &&
                memcmp(&results[isa].texel[i][lane], &results[0].texel[i][lane], 4)) {
               texture_print_case(binding, arguments, lane);
               fail_msg("%s and %s differ: component %u %.9g %.9g", texture_test_level_name(isa),
                        texture_test_level_name(0), i, results[isa].texel[i][lane],
                        results[0].texel[i][lane]);
            }
      assert_int_equal(events[isa].num_words, events[0].num_words);
      struct texture_recorded of_level[TBR_LANES], of_first[TBR_LANES];
      texture_decode_events(binding, &events[isa], of_level);
      texture_decode_events(binding, &events[0], of_first);
      assert_memory_equal(of_level[0].reads, of_first[0].reads,
                          of_first[0].count * sizeof(of_first[0].reads[0]));
      check_grouping(binding, arguments);
      thread.events = NULL;
      /* Pairs of texels are loaded in two ways; processors take either. */
      _Alignas(64) struct tbr_sample_arguments other = *arguments;
      binding->private_state.gathers ^= true;
      binding->sample(&thread, binding, &other);
      assert_memory_equal(other.texel, results[isa].texel, sizeof(other.texel));
      struct tbr_sample_arguments *silent = &results[TEXTURE_TEST_MAX_LEVELS - 1];
      if (isa == 0) {
         *silent = *arguments;
         binding->sample(&thread, binding, silent);
         assert_memory_equal(silent->texel, results[0].texel, sizeof(silent->texel));
      }
   }

   struct texture_recorded recorded[TBR_LANES];
   texture_decode_events(binding, &events[0], recorded);
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      if (!(arguments->active >> lane & 1)) {
         assert_int_equal(recorded[lane].count, 0);
         continue;
      }
      struct texture_reference reference;
      texture_reference_sample(binding, arguments, lane, &reference);
      if (reference.ambiguous) {
         skipped++;
         continue;
      }
      texture_compared++;
      compare_lane(binding, &results[0], lane, &reference, tolerance);
      if (live >> lane & 1)
         compare_reads(binding, arguments, lane, &reference, &recorded[lane]);
      else
         assert_int_equal(recorded[lane].count, 0);
   }
   for (unsigned isa = 0; isa < TEXTURE_TEST_MAX_LEVELS; isa++)
      free(events[isa].words);
}

/* ---- counts --------------------------------------------------------------- */

void
texture_check_begin(void)
{
   texture_compared = skipped = 0;
}

void
texture_check_finish(void)
{
   printf("%u fragments compared, %u skipped\n", texture_compared, skipped);
   assert_true(texture_compared > 10000);
   assert_true(skipped < texture_compared / 3);
}
