/* SPDX-License-Identifier: MIT */
#include "commands/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/comparison.h"
#include "output/progress.h"
#include "process/replayer.h"
#include "process/temporary.h"
#include "tools.h"

enum { TBRSIM, LLVMPIPE, SOFTPIPE, NUM_DRIVERS };
static const char *const driver_names[NUM_DRIVERS] = {"tbrsim", "llvmpipe", "softpipe"};

static void
write_image(const struct image *image, const char *directory, const char *name, unsigned frame)
{
   char *path = text("%s/%s-%04u.png", directory, name, frame);
   if (!image_write_png(image, path))
      fail(STATUS_FAILED, "%s: %s", path, strerror(errno));
   free(path);
}

/* The drivers that take part. */
static unsigned
count_drivers(const struct check *check)
{
   return !check->images ? 1 : check->with_softpipe ? NUM_DRIVERS : 2;
}

static struct comparison
compare_frame(const struct check *check, const struct image images[NUM_DRIVERS], unsigned frame)
{
   static struct image difference;
   struct comparison comparison = {
      .frame = frame,
      .llvmpipe = image_compare(&images[TBRSIM], &images[LLVMPIPE]),
      .has_softpipe = check->with_softpipe,
      .plain = image_is_plain(&images[TBRSIM]) && image_is_plain(&images[LLVMPIPE]),
   };
   if (check->with_softpipe) {
      comparison.softpipe = image_compare(&images[TBRSIM], &images[SOFTPIPE]);
      comparison.reference = image_compare(&images[SOFTPIPE], &images[LLVMPIPE]);
   }
   bool equal = comparison.llvmpipe.same_size && !comparison.llvmpipe.largest;
   if (!equal) {
      image_difference(&images[TBRSIM], &images[LLVMPIPE], &difference);
      write_image(&difference, check->images, "difference", frame);
   }
   comparison_judge(&comparison, check->tolerance);
   if (comparison.past || comparison.more_pixels || comparison.larger_error) {
      for (unsigned d = 0; d < count_drivers(check); d++)
         write_image(&images[d], check->images, driver_names[d], frame);
   }
   return comparison;
}

/* A file with the numbers of the calls at which the images are taken. */
static const char *
list_calls(const struct check *check)
{
   const char *path;
   FILE *file = temporary_create(".calls", &path);
   for (unsigned frame = 0; frame < check->trace->frames; frame++) {
      if (cm_frame_list_has(check->frames, frame))
         fprintf(file, "%u\n", trace_frame_end(check->trace, frame));
   }
   temporary_close(file, path);
   return path;
}

bool
check_images(const struct check *check)
{
   struct options options = *check->options;
   struct replayer replayers[NUM_DRIVERS];
   struct image images[NUM_DRIVERS] = {0};
   const unsigned num_drivers = count_drivers(check);
   const unsigned count = cm_frame_list_count(check->frames);
   const uint32_t first = check->frames->ranges[0].first,
                  last = check->frames->ranges[check->frames->count - 1].last;
   struct comparison *comparisons = allocate(count * sizeof(*comparisons));
   const char *what = check->images ? "comparing images" : "taking images";
   const struct replay_images wanted = {
      .frames = check->frames,
      .calls = check->trace->vulkan ? NULL : list_calls(check),
   };

   options.model = false;
   options.record = NULL;
   for (unsigned d = 0; d < num_drivers; d++) {
      char *log = text("%s/%s-images.log", options.out, driver_names[d]);
      replayer_start(&replayers[d], check->trace, driver_names[d], &options, NULL, &wanted, log);
      free(log);
   }
   unsigned done = 0;
   for (unsigned frame = first; frame <= last; frame++) {
      if (!cm_frame_list_has(check->frames, frame))
         continue;
      for (unsigned d = 0; d < num_drivers; d++) {
         while (!replayer_has_image(&replayers[d], frame, 100))
            progress_show(what, done + (double)d / num_drivers, count);
         replayer_read(&replayers[d], &images[d], frame);
      }
      if (check->snapshots)
         write_image(&images[TBRSIM], check->snapshots, "frame", frame);
      if (check->images)
         comparisons[done] = compare_frame(check, images, frame);
      progress_show(what, ++done, count);
   }
   bool complained = false;
   for (unsigned d = 0; d < num_drivers; d++) {
      replayer_finish(&replayers[d]);
      complained |= replayers[d].complained;
      image_free(&images[d]);
   }
   progress_end();

   bool passed = !check->images || comparison_print(comparisons, count, check->tolerance);
   free(comparisons);
   return passed && !complained;
}
