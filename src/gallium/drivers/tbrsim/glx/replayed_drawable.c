/* SPDX-License-Identifier: MIT */
#include "replayed_drawable.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line of the file: the size of a drawable from so many swaps of its buffers on. */
struct size {
   unsigned number; /* in the order in which they are first drawn to, from 1 */
   unsigned swaps;
   int width, height;
   unsigned is_swapped; /* 0: a swap changes nothing */
};

static struct {
   pthread_once_t once;
   struct size *sizes; /* those of a drawable in their order */
   size_t count;
   struct replayed_drawable *last; /* a replay's threads take turns */
} replay = {.once = PTHREAD_ONCE_INIT};

static void
read_sizes(void)
{
   const char *path = getenv("TBRSIM_DRAWABLES");
   if (!path || !*path)
      return;
   FILE *file = fopen(path, "re");
   if (!file) {
      fprintf(stderr, "tbrsim: TBRSIM_DRAWABLES=%s: %s\n", path, strerror(errno));
      return;
   }
   struct size size;
   while (fscanf(file, "%u %u %d %d %u", &size.number, &size.swaps, &size.width, &size.height,
                 &size.is_swapped) == 5) {
      struct size *more = realloc(replay.sizes, (replay.count + 1) * sizeof(*more));
      if (!more) {
         fprintf(stderr, "tbrsim: TBRSIM_DRAWABLES=%s: out of memory\n", path);
         break;
      }
      replay.sizes = more;
      replay.sizes[replay.count++] = size;
   }
   fclose(file);
}

struct replayed_drawable *
replayed_drawable_bind(unsigned long id)
{
   struct replayed_drawable *drawable = replay.last;
   pthread_once(&replay.once, read_sizes);
   if (!replay.count)
      return NULL;
   while (drawable && drawable->id != id)
      drawable = drawable->before;
   if (!drawable && (drawable = calloc(1, sizeof(*drawable)))) {
      drawable->id = id;
      drawable->number = replay.last ? replay.last->number + 1 : 1;
      drawable->before = replay.last;
      replay.last = drawable;
   }
   return drawable;
}

/* NULL: the file has none. */
static const struct size *
find_size(const struct replayed_drawable *drawable)
{
   const struct size *found = NULL;
   for (size_t s = 0; drawable && s < replay.count; s++) {
      if (replay.sizes[s].number == drawable->number && replay.sizes[s].swaps <= drawable->swaps)
         found = &replay.sizes[s];
   }
   return found;
}

void
replayed_drawable_resize(struct replayed_drawable *drawable, int *width, int *height)
{
   const struct size *size = find_size(drawable);
   if (!size)
      return;
   drawable->width = *width = size->width;
   drawable->height = *height = size->height;
}

bool
replayed_drawable_swap(struct replayed_drawable *drawable)
{
   const struct size *size = find_size(drawable);
   if (!size)
      return true;
   drawable->swaps += size->is_swapped;
   return size->is_swapped;
}
