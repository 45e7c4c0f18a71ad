/* SPDX-License-Identifier: MIT */
#include "output/comparison.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/output.h"
#include "tools.h"

void
comparison_judge(struct comparison *comparison, double tolerance)
{
   const struct difference *ours = &comparison->llvmpipe, *reference = &comparison->reference;
   const bool has_softpipe = comparison->has_softpipe;
   comparison->past = !ours->same_size || ours->share > tolerance;
   if (!ours->same_size || (has_softpipe && !reference->same_size)) {
      comparison->more_pixels = comparison->larger_error = !ours->same_size;
      return;
   }
   comparison->more_pixels = has_softpipe && ours->share > reference->share;
   comparison->larger_error = has_softpipe && ours->error > reference->error;
}

/* Adds the columns of a pair of drivers. */
static void
add_difference(json_t *row, const char *pair, const struct difference *difference)
{
   const double psnr = difference->same_size ? difference_psnr(difference) : 0;
   char *largest = text("%s max", pair), *share = text("%s > 2/255 share", pair),
        *similar = text("%s PSNR", pair);
   json_object_set_new(row, largest, difference->same_size ? json_integer(difference->largest) : json_null());
   json_object_set_new(row, share, difference->same_size ? json_real(difference->share) : json_null());
   json_object_set_new(row, similar,
                       !difference->same_size ? json_string("other size")
                       : isinf(psnr)          ? json_string("equal")
                                              : json_sprintf("%.1f dB", psnr));
   free(largest);
   free(share);
   free(similar);
}

/* The frames of which a member (at this offset) is true; false where there are none. */
static bool
print_frames(const char *label, const struct comparison *comparisons, unsigned count, size_t member)
{
   unsigned found = 0;
   for (unsigned c = 0; c < count; c++) {
      if (*(const bool *)((const char *)&comparisons[c] + member))
         printf("%s %u", found++ ? "" : label, comparisons[c].frame);
   }
   if (found)
      printf(" (%u of %u frames)\n", found, count);
   return found;
}

/* Frames that are farther from llvmpipe's than softpipe's are. */
static void
print_softpipe(const struct comparison *comparisons, unsigned count)
{
   if (!print_frames("more pixels off by more than 2/255 from llvmpipe's than softpipe:", comparisons, count,
                     offsetof(struct comparison, more_pixels)))
      puts("no frame has more pixels off by more than 2/255 from llvmpipe's than softpipe's has");
   if (!print_frames("lower PSNR to llvmpipe's than softpipe:", comparisons, count,
                     offsetof(struct comparison, larger_error)))
      puts("no frame has a lower PSNR to llvmpipe's than softpipe's has");
}

bool
comparison_print(const struct comparison *comparisons, unsigned count, double tolerance)
{
   const struct comparison *worst = comparisons;
   json_t *rows = json_array();
   for (unsigned c = 0; c < count; c++) {
      const struct comparison *comparison = &comparisons[c];
      json_t *row = json_pack("{s:i}", "frame", (int)comparison->frame);
      add_difference(row, "llvmpipe", &comparison->llvmpipe);
      if (comparison->has_softpipe) {
         add_difference(row, "softpipe", &comparison->softpipe);
         add_difference(row, "softpipe to llvmpipe", &comparison->reference);
      }
      json_array_append_new(rows, row);
      if (!comparison->llvmpipe.same_size ||
          (worst->llvmpipe.same_size && comparison->llvmpipe.error > worst->llvmpipe.error))
         worst = comparison;
   }

   output_table(rows, stdout);
   printf("\nfarthest from llvmpipe: frame %u\n", worst->frame);
   printf("last frame from llvmpipe: largest difference %u, %.4f %% of the pixels off by more than 2/255\n",
          comparisons[count - 1].llvmpipe.largest, comparisons[count - 1].llvmpipe.share * 100);
   if (comparisons->has_softpipe)
      print_softpipe(comparisons, count);
   print_frames("of one colour, so that equal says little:", comparisons, count,
                offsetof(struct comparison, plain));
   if (print_frames("past the tolerance:", comparisons, count, offsetof(struct comparison, past)))
      return false;
   printf("every frame is within the tolerance (%g %% of the pixels off by more than 2/255)\n",
          tolerance * 100);
   return true;
}
