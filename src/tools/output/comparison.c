/* SPDX-License-Identifier: MIT */
#include "output/comparison.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

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

static void
print_difference(const struct difference *difference)
{
   if (!difference->same_size) {
      printf("  %26s", "other size");
      return;
   }
   printf("  %3u %9.4f %%", difference->largest, difference->share * 100);
   double psnr = difference_psnr(difference);
   if (isinf(psnr))
      printf("  %8s", "equal");
   else
      printf("  %5.1f dB", psnr);
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

static const char *
mark(const struct comparison *comparison)
{
   static const char *const marks[2][2] = {{"", "  lower PSNR"}, {"  more pixels", "  farther"}};
   return marks[comparison->more_pixels][comparison->larger_error];
}

static void
print_header(bool has_softpipe)
{
   printf("       %-26s", "tbrsim from llvmpipe");
   if (has_softpipe)
      printf("  %-26s  %-26s", "tbrsim from softpipe", "softpipe from llvmpipe");
   printf("\nframe");
   for (unsigned pair = 0; pair < (has_softpipe ? 3 : 1); pair++)
      printf("  max  > 2/255     PSNR   ");
   putchar('\n');
}

static void
print_row(const struct comparison *comparison)
{
   printf("%5u", comparison->frame);
   print_difference(&comparison->llvmpipe);
   if (comparison->has_softpipe) {
      print_difference(&comparison->softpipe);
      print_difference(&comparison->reference);
   }
   printf("%s%s\n", comparison->has_softpipe ? mark(comparison) : "",
          comparison->plain ? "  one colour" : "");
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

   print_header(comparisons->has_softpipe);
   for (unsigned c = 0; c < count; c++) {
      const struct comparison *comparison = &comparisons[c];
      print_row(comparison);
      if (!comparison->llvmpipe.same_size ||
          (worst->llvmpipe.same_size && comparison->llvmpipe.error > worst->llvmpipe.error))
         worst = comparison;
   }

   printf("\nfarthest from llvmpipe (max, > 2/255, PSNR): frame %u,", worst->frame);
   print_difference(&worst->llvmpipe);
   printf("\nlast frame from llvmpipe: largest difference %u, %.4f %% of the pixels off by more than 2/255\n",
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
