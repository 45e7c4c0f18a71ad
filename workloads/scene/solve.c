/* SPDX-License-Identifier: MIT */
/** Finds the scene that has what its description asks for: the sizes of objects, how much of the area is in large
 * triangles, the size of textures. Everything is measured on the scene itself (measure.c), and bisected. */
#include <math.h>
#include <stdio.h>

#include "scene.h"

#define STEPS 14
#define SIZE_STEPS 16
#define CORRECTIONS 4
#define NEIGHBOURS 10 /* sizes of textures on each side */
#define LARGEST_TEXTURE 2048
#define MOST_SENT 4       /* triangles for each that is on the screen */
#define NEAR_ENOUGH 0.01  /* relative: no further steps */
#define CLOSE_ENOUGH 0.02 /* what is taken for a solution */

/** The split of the area. 0: all triangles are equal; 0.5: the backdrop is one cell a piece; 1: objects' area, too, is
 * in large ones. */
static struct filling
filling_of(const struct description *description, double split)
{
   const double area = description->overdraw * description->width * description->height;
   const double cell = sqrt(2 * area / description->num_primitives);
   struct filling filling = {.small_triangles = description->num_primitives};
   if (split < 0.5) {
      const double largest = description->height;
      filling.cell = cell * pow(fmax(largest / cell, 1), 2 * split);
   } else {
      filling.large_share = 0.999 * (2 * split - 1);
   }
   return filling;
}

/* The size at which objects make up the overdraw. */
static struct measure
find_size(struct scene *scene, const struct description *description, struct filling *filling)
{
   const double wanted = description->overdraw * description->width * description->height;
   double low = 0.5, high = 2.0 * description->width;
   struct measure measure = {0};
   for (unsigned step = 0; step < SIZE_STEPS; step++) {
      filling->size = sqrt(low * high);
      lay_out(scene, description, filling);
      if (scene->full)
         break;
      measure = measure_frame(scene, 0);
      if (fabs(measure.area - wanted) < 0.002 * wanted)
         break;
      if (measure.area < wanted)
         low = filling->size;
      else
         high = filling->size;
   }
   return measure;
}

/* With the number of triangles, too: some are outside of the screen, or between pixels. Where that needs more vertices
 * than there can be (limited), with as many as there can be. */
static struct measure
try_split(struct scene *scene, const struct description *description, double split, bool *limited)
{
   struct filling filling = filling_of(description, split);
   const double wanted = description->num_primitives;
   /* What the backdrop and the large objects have. */
   struct filling without = filling;
   without.small_triangles = 1;
   without.size = 0.5;
   lay_out(scene, description, &without);
   *limited |= scene->full;
   if (scene->full)
      return (struct measure){0};
   const double others = measure_frame(scene, 0).primitives - 1;
   filling.small_triangles = (unsigned)fmax(wanted - others, 1);
   struct filling fits = filling;
   struct measure measure = {0};
   for (unsigned i = 0; i < CORRECTIONS; i++) {
      const struct measure found = find_size(scene, description, &filling);
      if (scene->full) {
         *limited = true;
         if (i)
            lay_out(scene, description, &fits);
         break;
      }
      measure = found;
      fits = filling;
      if (fabs(measure.primitives - wanted) < 0.003 * wanted + 1)
         break;
      const double small = measure.primitives - others;
      const double more = filling.small_triangles * fmin((wanted - others) / fmax(small, 1), 3);
      filling.small_triangles = (unsigned)fmin(fmax(more, 1), MOST_SENT * wanted);
   }
   return measure;
}

static _Noreturn void
contradict(const struct description *description, const char *limit, double tiles)
{
   fail("%s: %u primitives on %.2f tiles each contradict an overdraw of %.2f at %s: with it they are %s %.2f",
        description->name, description->num_primitives, description->tiles, description->overdraw,
        description->resolution, limit, tiles);
}

/* Or else triangles are too small to be seen, or limited. */
static bool
is_complete(const struct description *description, const struct measure *measure)
{
   return fabs(measure->primitives / description->num_primitives - 1) < CLOSE_ENOUGH;
}

static struct measure
find_split(struct scene *scene, const struct description *description)
{
   bool limited = false;
   struct measure measure = try_split(scene, description, 0, &limited);
   /* If a fine backdrop has too many vertices, coarser ones are tried. */
   const bool fits = !scene->full;
   double tiles = fits ? measure.tiles / measure.primitives : INFINITY, low = 0, high = 1, best = 0;
   double error = is_complete(description, &measure) ? fabs(tiles / description->tiles - 1) : INFINITY;
   double least = tiles;
   if (tiles < description->tiles * (1 - CLOSE_ENOUGH))
      contradict(description, "on at most", tiles);
   for (unsigned step = 0; step < STEPS && error > NEAR_ENOUGH; step++) {
      const double split = (low + high) / 2;
      measure = try_split(scene, description, split, &limited);
      if (scene->full) {
         *(fits ? &high : &low) = split;
         continue;
      }
      tiles = measure.tiles / measure.primitives;
      const bool complete = is_complete(description, &measure);
      if (complete)
         least = fmin(least, tiles);
      if (complete && fabs(tiles / description->tiles - 1) < error) {
         error = fabs(tiles / description->tiles - 1);
         best = split;
      }
      if (complete && tiles > description->tiles)
         low = split;
      else
         high = split;
   }
   if (error > CLOSE_ENOUGH && limited)
      fail("%s: more than %d vertices: a larger mesh or more objects_per_mesh would need fewer",
           description->name, MAX_VERTICES);
   if (error > CLOSE_ENOUGH)
      contradict(description, "on at least", least);
   return try_split(scene, description, best, &limited);
}

struct texture_search {
   const struct scene *scene;
   const struct samples *samples;
   double wanted, best, most; /* bytes */
   unsigned size;             /* of the best */
};

static double
try_texture_size(struct texture_search *search, unsigned size)
{
   const double bytes = footprint(search->scene, search->samples, size);
   search->most = fmax(search->most, bytes);
   if (fabs(bytes - search->wanted) < fabs(search->best - search->wanted)) {
      search->best = bytes;
      search->size = size;
   }
   return bytes;
}

static bool
is_near(const struct texture_search *search, double distance)
{
   return fabs(search->best / search->wanted - 1) <= distance;
}

/* The textures' size, a multiple of four texels, at which a pixel has so many. */
static void
find_density(struct scene *scene, double texels)
{
   struct samples *samples = sample_frame(scene, 0);
   scene->texture_size =
      (unsigned)fmin(fmax(4 * round(texels / texture_change(samples) / 4), 4), LARGEST_TEXTURE);
   free_samples(samples);
}

/* The textures' size, a multiple of four texels, at which a frame reads as much of them as is asked for. It grows with
 * the size until textures have a texel per pixel; where levels change it jumps a little, so that neighbours are tried. */
static void
find_texture_size(struct scene *scene, const struct description *description)
{
   scene->texture_size = description->texture_size ? description->texture_size : 256;
   if (description->texels_per_pixel > 0) {
      find_density(scene, description->texels_per_pixel);
      return;
   }
   if (description->texture_size || description->texture_footprint <= 0)
      return;
   struct samples *samples = sample_frame(scene, 0);
   struct texture_search search = {.scene = scene,
                                   .samples = samples,
                                   .wanted = description->texture_footprint * MEBIBYTE,
                                   .size = 4};
   int low = 4, high = LARGEST_TEXTURE;
   while (high - low > 4 && !is_near(&search, NEAR_ENOUGH)) {
      const int middle = (low + high) / 8 * 4;
      if (try_texture_size(&search, middle) < search.wanted)
         low = middle;
      else
         high = middle;
   }
   for (int away = 0; away <= NEIGHBOURS && !is_near(&search, NEAR_ENOUGH); away++) {
      try_texture_size(&search, (unsigned)fmax(low - 4 * away, 4));
      if (!is_near(&search, NEAR_ENOUGH))
         try_texture_size(&search, (unsigned)fmin(low + 4 * away, LARGEST_TEXTURE));
   }
   scene->texture_size = search.size;
   free_samples(samples);
   if (!is_near(&search, CLOSE_ENOUGH))
      fail("%s: a texture_footprint of %.2f MiB contradicts %u textures of that format: they have %.2f at %u "
           "texels per side, "
           "%.2f at most",
           description->name, description->texture_footprint, description->textures, search.best / MEBIBYTE,
           scene->texture_size, search.most / MEBIBYTE);
}

struct measure
solve(struct scene *scene, const struct description *description)
{
   const struct measure measure = find_split(scene, description);
   find_texture_size(scene, description);
   return measure;
}

void
print_scene(const struct scene *scene, const struct measure *measure)
{
   const struct description *description = scene->description;
   struct samples *samples = sample_frame(scene, 0);
   printf("name: %s\n", description->name);
   printf("size: %ux%u\n", scene->width, scene->height);
   printf("draws: %u\n", scene->num_objects);
   printf("primitives_asked: %u\n", description->num_primitives);
   printf("primitives: %.0f\n", measure->primitives);
   printf("pmds: %.0f\n", measure->tiles);
   printf("tiles_per_primitive_asked: %.3f\n", description->tiles);
   printf("tiles_per_primitive: %.3f\n", measure->tiles / measure->primitives);
   printf("attributes_asked: %.3f\n", description->attributes);
   printf("attributes: %.3f\n", measure->attributes / measure->primitives);
   printf("parameter_buffer: %.4f\n",
          (attribute_bytes(description) * measure->attributes + 4 * measure->tiles) / MEBIBYTE);
   printf("overdraw: %.3f\n", measure->area / ((double)scene->width * scene->height));
   printf("vertices: %.0f\n", measure->vertices);
   printf("fragments: %.0f\n", sampled_fragments(samples));
   printf("textures: %u\n", scene->num_textures);
   printf("texture_size: %u\n", scene->texture_size);
   printf("texels_per_pixel: %.3f\n", scene->texture_size * texture_change(samples));
   printf("texture_footprint: %.4f\n", footprint(scene, samples, scene->texture_size) / MEBIBYTE);
   free_samples(samples);
}
