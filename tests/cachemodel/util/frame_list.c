/* SPDX-License-Identifier: MIT */
/** Lists of frames: what is one, what is not, and which frames are in it, against a table of all of them. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "util/frame_list.h"

TEST(frames)
{
   static const struct {
      const char *text;
      const char *frames; /* '1' for each that is in it, from 0 on; none after them, or all with '+' */
   } lists[] = {
      {"0", "1"},       {"3", "0001"},           {"0-2", "111"},      {"2-2", "001"},
      {"4-", "00001+"}, {"1,3-4,7", "01011001"}, {"0-1,2-3", "1111"}, {"2,5-6,9-", "0010011001+"},
      {"1..3", "0111"}, {"4..", "00001+"},
   };
   for (unsigned i = 0; i < sizeof lists / sizeof lists[0]; i++) {
      struct cm_frame_list list;
      assert_true(cm_frame_list_parse(lists[i].text, &list));
      const char *frames = lists[i].frames;
      const size_t length = strcspn(frames, "+");
      const bool goes_on = frames[length] == '+';
      uint32_t count = 0;
      for (uint32_t frame = 0; frame < 20; frame++) {
         const bool expected = frame < length ? frames[frame] == '1' : goes_on;
         assert_int_equal(cm_frame_list_has(&list, frame), expected);
         count += expected;
      }
      assert_int_equal(cm_frame_list_has(&list, UINT32_MAX), goes_on);
      if (!goes_on)
         assert_int_equal(cm_frame_list_count(&list), count);
      cm_frame_list_free(&list);
      assert_false(cm_frame_list_has(&list, 0));
   }
}

/* Ranges that begin before earlier ones take them in. */
TEST(added)
{
   static const struct {
      struct cm_frame_range added;
      uint32_t count;
      struct cm_frame_range last;
   } steps[] = {
      {{2, 3}, 1, {2, 3}},     {{4, 4}, 1, {2, 4}},    {{9, 10}, 2, {9, 10}},   {{6, 12}, 2, {6, 12}},
      {{14, 15}, 3, {14, 15}}, {{13, 16}, 2, {6, 16}}, {{30, 30}, 3, {30, 30}}, {{1, 40}, 1, {1, 40}},
   };
   struct cm_frame_range ranges[8];
   struct cm_frame_list list = {.ranges = ranges};
   for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
      cm_frame_list_add(&list, steps[i].added.first, steps[i].added.last);
      assert_int_equal(list.count, steps[i].count);
      assert_int_equal(list.ranges[list.count - 1].first, steps[i].last.first);
      assert_int_equal(list.ranges[list.count - 1].last, steps[i].last.last);
   }
   struct cm_frame_list parsed;
   assert_true(cm_frame_list_parse("0,1,2-5", &parsed));
   assert_int_equal(parsed.count, 1);
   cm_frame_list_free(&parsed);
}

TEST(no_lists)
{
   static const char *const texts[] = {
      "",    ",",    "-",     "-3",   "a",     "1a",    "1-a", "3-2",        "1,",           ",1",
      "2,1", "1,1",  "1-3,3", "4-,5", "1-2-3", "1 2",   " 1",  "4294967296", "1-4294967296", "+1",
      "1.2", "1...", "3..2",  "..3",  "1..-3", "1-..3",
   };
   for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
      struct cm_frame_list list;
      if (cm_frame_list_parse(texts[i], &list))
         fail_msg("\"%s\" is no list", texts[i]);
      assert_int_equal(list.count, 0);
   }
}
