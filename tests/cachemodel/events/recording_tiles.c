/* SPDX-License-Identifier: MIT */
/* Tiles of passes that are read by themselves: in any order, by several readers, they are those of cm_recording_next, and what is
 * damaged is what that finds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/recording_format.h"
#include "support/random_recording.h"
#include "support/test.h"

#define FRAMES 5
#define SEED 4
#define MAX_PASSES (3 * FRAMES)

static struct cm_recording *
open_recording(void)
{
   char error[512] = "";
   struct cm_recording *recording = cm_recording_open(recording_path(), error, sizeof error);
   assert_non_null(recording);
   return recording;
}

static void
free_item(struct cm_item *item)
{
   free(item->resources);
   free(item->names);
   free(item->codes);
}

/* All passes that can be read, without their tiles or with them. Returns how many. */
static unsigned
read_passes(struct cm_recording *recording, struct cm_item (*next)(struct cm_recording *recording),
            struct cm_recorded_pass *passes[MAX_PASSES])
{
   unsigned count = 0;
   struct cm_item item = next(recording);
   for (; item.type != CM_ITEM_END && item.type != CM_ITEM_DAMAGED; item = next(recording)) {
      if (item.type == CM_ITEM_PASS) {
         assert_true(count < MAX_PASSES);
         passes[count++] = item.pass;
      }
      free_item(&item);
   }
   return count;
}

static void
release(struct cm_recorded_pass *const passes[], unsigned count)
{
   for (unsigned p = 0; p < count; p++)
      cm_recorded_pass_release(passes[p]);
}

TEST(in_any_order)
{
   struct cm_recorded_pass *expected[MAX_PASSES], *passes[MAX_PASSES];
   write_random_recording(recording_path(), SEED, FRAMES);
   struct cm_recording *recording = open_recording(), *other = open_recording();
   const unsigned count = read_passes(recording, cm_recording_next, expected);
   assert_true(count > FRAMES);
   assert_int_equal(read_passes(other, cm_recording_next_without_tiles, passes), count);

   struct cm_tile_reader *readers[2] = {cm_tile_reader_create(other), cm_tile_reader_create(other)};
   for (unsigned p = count; p-- > 0;) {
      assert_int_equal(passes[p]->bytes, 0);
      assert_true(cm_tile_reader_read(readers[p % 2], passes[p]));
      assert_passes_equal(&passes[p]->pass, &expected[p]->pass);
      assert_int_equal(passes[p]->bytes, expected[p]->bytes);
   }
   assert_null(cm_recording_damage(other));
   release(expected, count);
   release(passes, count);
   cm_tile_reader_destroy(readers[0]);
   cm_tile_reader_destroy(readers[1]);
   cm_recording_close(recording);
   cm_recording_close(other);
}

/* Changes a byte of what is stored of a pass' tiles. */
static void
damage(const struct cm_recorded_pass *pass)
{
   FILE *file = fopen(recording_path(), "r+b");
   const long at = (long)pass->parts + CM_CHUNK_HEADER_BYTES + 8;
   assert_non_null(file);
   assert_int_equal(fseek(file, at, SEEK_SET), 0);
   const int byte = fgetc(file);
   assert_int_equal(fseek(file, at, SEEK_SET), 0);
   assert_int_equal(fputc(byte ^ 255, file), byte ^ 255);
   assert_int_equal(fclose(file), 0);
}

/* Passes `first` and `second` are damaged: a reader finds that for each of them, and reads the others; the first one's is the
 * recording's damage. */
static void
check_damage(unsigned first, unsigned second)
{
   struct cm_recorded_pass *passes[MAX_PASSES], *before[MAX_PASSES];
   write_random_recording(recording_path(), SEED, FRAMES);
   struct cm_recording *recording = open_recording();
   const unsigned count = read_passes(recording, cm_recording_next_without_tiles, passes);
   assert_true(first < second && second < count);
   damage(passes[first]);
   damage(passes[second]);

   struct cm_tile_reader *reader = cm_tile_reader_create(recording);
   for (unsigned p = count; p-- > first;)
      assert_int_equal(cm_tile_reader_read(reader, passes[p]), p != first && p != second);
   assert_null(cm_recording_damage(recording));
   cm_recording_take_damage(recording, reader);
   struct cm_recording *other = open_recording();
   const unsigned whole = read_passes(other, cm_recording_next, before);
   assert_int_equal(whole, first);
   assert_string_equal(cm_recording_damage(recording), cm_recording_damage(other));
   assert_false(cm_recording_is_out_of_memory(recording));
   release(before, whole);
   release(passes, count);
   cm_tile_reader_destroy(reader);
   cm_recording_close(recording);
   cm_recording_close(other);
}

TEST(first_damage)
{
   check_damage(0, 1);
   check_damage(2, 5);
   check_damage(3, 4);
}
