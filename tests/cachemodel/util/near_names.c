/* SPDX-License-Identifier: MIT */
/** Which names are near a wrong one, and how that is said. */
#include <stdio.h>
#include <string.h>

#include "support/test.h"
#include "util/near.h"

/* What is said of a word where there are these names, with spaces between them. */
static void
check(const char *word, const char *names, const char *expected)
{
   struct cm_near near;
   char list[1024], text[CM_NEAR_TEXT];
   snprintf(list, sizeof list, "%s", names);
   cm_near_start(&near, word, strlen(word));
   for (char *name = strtok(list, " "); name; name = strtok(NULL, " "))
      cm_near_offer(&near, name);
   if (strcmp(cm_near_text(&near, text, sizeof text), expected) != 0)
      fail_msg("%s of %s: '%s', expected '%s'", word, names, text, expected);
}

TEST(near)
{
   check("conifg", "compare config set", " (did you mean config?)");     /* swapped */
   check("confg", "compare config set", " (did you mean config?)");      /* missing */
   check("configg", "compare config set", " (did you mean config?)");    /* too many */
   check("comfig", "compare config set", " (did you mean config?)");     /* wrong */
   check("advice", "analyze advise parquet", " (did you mean advise?)"); /* one of six */
   check("LRU", "mru lru fifo", " (did you mean lru?)");                 /* the nearest alone */
   check("tile_size", "tile.size caches.l2.size", " (did you mean tile.size?)");
   check("l2size", "l2.size l2.ways", " (did you mean l2.size?)");
   check("x", "y z", "");
   check("frobnicate", "analyze advise parquet", "");
   check("", "analyze", "");
}

TEST(prefixes_and_parts)
{
   check("mali", "boustro-fo mali-like imr-8m", " (did you mean mali-like?)");
   check("simulate", "select sim sweep", " (did you mean sim?)");
   check("l2.misses", "l2.total.misses l2.texture.misses l2.texture.hits",
         " (did you mean l2.total.misses or l2.texture.misses?)");
   check("read_bytes", "dram.texture.read_bytes l2.reads", " (did you mean dram.texture.read_bytes?)");
   check("l2", "a.l2 a.l2.size b.l2", " (did you mean a.l2 or b.l2?)");
   check("misses.l2", "l2.total.misses", "");
   /* What begins so, not what has it somewhere; of many, the first ones. */
   check("tcor", "tcor-64k l2-tcor tcor-128k tcor-256k tcor-512k",
         " (did you mean tcor-64k, tcor-128k or tcor-256k?)");
   /* A wrong letter is nearer than a longer name. */
   check("mali-lika", "mali-like-2 mali-like", " (did you mean mali-like?)");
}

TEST(long_names)
{
   char longest[CM_NEAR_BYTES], longer[CM_NEAR_BYTES + 1], expected[CM_NEAR_TEXT];
   memset(longest, 'a', sizeof longest);
   memset(longer, 'a', sizeof longer);
   longest[sizeof longest - 1] = longer[sizeof longer - 1] = '\0';
   snprintf(expected, sizeof expected, " (did you mean %s?)", longest);
   check(longest, longest, expected);
   check(longer, longest, "");
   check(longest, longer, "");
   /* Three of the longest have room. */
   struct cm_near near;
   char text[CM_NEAR_TEXT];
   cm_near_start(&near, longest, strlen(longest));
   for (unsigned n = 0; n < 5; n++)
      cm_near_offer(&near, longest);
   assert_int_equal(near.count, CM_NEAR_NAMES);
   cm_near_text(&near, text, sizeof text);
   assert_int_equal(strlen(text), strlen(" (did you mean , or ?)") + 1 + 3 * strlen(longest));
}
