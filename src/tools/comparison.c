/* SPDX-License-Identifier: MIT */
#include "comparison.h"

#include <math.h>
#include <stdio.h>

static bool
differs_in_size(const struct comparison *comparison)
{
   if (!comparison->has_softpipe)
      return !comparison->llvmpipe.same_size;
   return !comparison->llvmpipe.same_size || !comparison->reference.same_size;
}

bool
comparison_more_pixels(const struct comparison *comparison)
{
   if (differs_in_size(comparison))
      return !comparison->llvmpipe.same_size;
   return comparison->has_softpipe && comparison->llvmpipe.share > comparison->reference.share;
}

bool
comparison_larger_error(const struct comparison *comparison)
{
   if (differs_in_size(comparison))
      return !comparison->llvmpipe.same_size;
   return comparison->has_softpipe && comparison->llvmpipe.error > comparison->reference.error;
}

bool
comparison_past(const struct comparison *comparison, double tolerance)
{
   return !comparison->llvmpipe.same_size || comparison->llvmpipe.share > tolerance;
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

static void
print_frames(const char *label, const struct comparison *comparisons, unsigned count,
             bool (*belongs)(const struct comparison *comparison, double tolerance), double tolerance)
{
   unsigned found = 0;
   for (unsigned c = 0; c < count; c++) {
      if (!belongs(&comparisons[c], tolerance))
         continue;
      printf(found++ ? " %u" : label, comparisons[c].frame);
   }
   if (found)
      printf(" (%u of %u frames)\n", found, count);
}

static bool
more_pixels(const struct comparison *comparison, double tolerance)
{
   (void)tolerance;
   return comparison_more_pixels(comparison);
}

static bool
larger_error(const struct comparison *comparison, double tolerance)
{
   (void)tolerance;
   return comparison_larger_error(comparison);
}

static const char *
mark(const struct comparison *comparison)
{
   static const char *const marks[2][2] = {{"", "  lower PSNR"}, {"  more pixels", "  farther"}};
   return marks[comparison_more_pixels(comparison)][comparison_larger_error(comparison)];
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
   puts(comparison->has_softpipe ? mark(comparison) : "");
}

/* Frames that are farther from llvmpipe's than softpipe's are. */
static void
print_softpipe(const struct comparison *comparisons, unsigned count)
{
   unsigned num_more_pixels = 0, num_larger_error = 0;
   for (unsigned c = 0; c < count; c++) {
      num_more_pixels += comparison_more_pixels(&comparisons[c]);
      num_larger_error += comparison_larger_error(&comparisons[c]);
   }
   if (num_more_pixels)
      print_frames("more pixels off by more than 2/255 from llvmpipe's than softpipe: %u", comparisons, count,
                   more_pixels, 0);
   else
      puts("no frame has more pixels off by more than 2/255 from llvmpipe's than softpipe's has");
   if (num_larger_error)
      print_frames("lower PSNR to llvmpipe's than softpipe: %u", comparisons, count, larger_error, 0);
   else
      puts("no frame has a lower PSNR to llvmpipe's than softpipe's has");
}

bool
comparison_print(const struct comparison *comparisons, unsigned count, double tolerance)
{
   const struct comparison *worst = comparisons;
   unsigned past = 0;

   print_header(comparisons->has_softpipe);
   for (unsigned c = 0; c < count; c++) {
      const struct comparison *comparison = &comparisons[c];
      print_row(comparison);
      past += comparison_past(comparison, tolerance);
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
   if (past)
      print_frames("past the tolerance: %u", comparisons, count, comparison_past, tolerance);
   else
      printf("every frame is within the tolerance (%g %% of the pixels off by more than 2/255)\n",
             tolerance * 100);
   return !past;
}
