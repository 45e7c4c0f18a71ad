/* SPDX-License-Identifier: MIT */
/** What a frame has, by arithmetic of our own: primitives on the screen as a GPU clips and snaps them, the tiles that
 * each overlaps exactly, the texels that its fragments read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

#define SUBPIXELS 256
#define MAX_CORNERS 8

/** A corner: position before the division, and texture coordinates. */
struct corner {
   float x, y, w, u, v;
};

/** A triangle on the screen, pixels from the upper left. */
struct triangle {
   float x[3], y[3], w[3], u[3], v[3];
};

typedef void visit_triangle(void *context, const struct object *object, const struct triangle *triangle);

/* ---- from objects to triangles --------------------------------------------------------------------------- */

static struct corner
project(const struct scene *scene, const float at[4], const struct vertex *vertex, const float scroll[2])
{
   const struct description *description = scene->description;
   const float x = at[0] + at[3] * vertex->position[0], y = at[1] + at[3] * vertex->position[1];
   const float w = scene->perspective ? at[2] + at[3] * vertex->position[2] : 1;
   return (struct corner){
      .x = x * (2.0f / description->width),
      .y = y * (2.0f / description->height) + 2 * scene->horizon * w,
      .w = w,
      .u = vertex->coordinates[0] + scroll[0],
      .v = vertex->coordinates[1] + scroll[1],
   };
}

/* Inside: not negative. In the order in which Mesa clips: right, left, top, bottom. */
static float
distance(const struct corner *corner, unsigned plane)
{
   switch (plane) {
   case 0: return corner->w - corner->x;
   case 1: return corner->w + corner->x;
   case 2: return corner->w - corner->y;
   default: return corner->w + corner->y;
   }
}

static struct corner
between(const struct corner *from, const struct corner *to, float t)
{
   return (struct corner){
      from->x + t * (to->x - from->x), from->y + t * (to->y - from->y), from->w + t * (to->w - from->w),
      from->u + t * (to->u - from->u), from->v + t * (to->v - from->v),
   };
}

static unsigned
clip_at(const struct corner *in, unsigned count, unsigned plane, struct corner *out)
{
   unsigned corners = 0;
   for (unsigned i = 0; i < count; i++) {
      const struct corner *previous = &in[i], *next = &in[(i + 1) % count];
      const float from = distance(previous, plane), to = distance(next, plane);
      if (from >= 0)
         out[corners++] = *previous;
      if ((from >= 0) != (to >= 0)) {
         /* From the corner outside, as Mesa does. */
         if (to < 0)
            out[corners++] = between(next, previous, to / (to - from));
         else
            out[corners++] = between(previous, next, from / (from - to));
      }
   }
   return corners;
}

static void
to_screen(const struct scene *scene, const struct corner *corners[3], struct triangle *triangle)
{
   for (unsigned i = 0; i < 3; i++) {
      const float inverse = 1 / corners[i]->w;
      triangle->x[i] = corners[i]->x * inverse * (scene->width * 0.5f) + scene->width * 0.5f;
      triangle->y[i] = corners[i]->y * inverse * (scene->height * -0.5f) + scene->height * 0.5f;
      triangle->w[i] = corners[i]->w;
      triangle->u[i] = corners[i]->u;
      triangle->v[i] = corners[i]->v;
   }
}

static void
visit_clipped(const struct scene *scene, const struct object *object, struct corner corners[3],
              visit_triangle *visit, void *context)
{
   struct corner buffers[2][MAX_CORNERS];
   memcpy(buffers[0], corners, 3 * sizeof *corners);
   unsigned count = 3, current = 0;
   for (unsigned plane = 0; plane < 4 && count >= 3; plane++) {
      bool outside = false;
      for (unsigned i = 0; i < 3; i++)
         outside |= distance(&corners[i], plane) < 0;
      if (!outside)
         continue;
      count = clip_at(buffers[current], count, plane, buffers[!current]);
      current = !current;
   }
   for (unsigned i = 2; i < count; i++) {
      struct triangle triangle;
      const struct corner *fan[3] = {&buffers[current][i - 1], &buffers[current][i], &buffers[current][0]};
      to_screen(scene, fan, &triangle);
      visit(context, object, &triangle);
   }
}

static void
visit_object(const struct scene *scene, const struct object *object, unsigned frame, visit_triangle *visit,
             void *context)
{
   const struct mesh *mesh = &scene->meshes[object->mesh];
   const float scroll[2] = {object->scroll[0] * frame, object->scroll[1] * frame};
   float at[4];
   object_position(scene, object, frame, at);
   struct corner *corners = allocate(mesh->num_vertices, sizeof *corners);
   for (unsigned i = 0; i < mesh->num_vertices; i++)
      corners[i] = project(scene, at, &scene->vertices[mesh->first_vertex + i], scroll);
   const uint16_t *index = &scene->indices[mesh->first_index + 3 * mesh->num_culled];
   for (unsigned i = 0; i < object->num_triangles; i++, index += 3) {
      struct corner triangle[3] = {corners[index[0] - mesh->first_vertex],
                                   corners[index[1] - mesh->first_vertex],
                                   corners[index[2] - mesh->first_vertex]};
      visit_clipped(scene, object, triangle, visit, context);
   }
   free(corners);
}

/* In the order in which they are drawn. */
static void
visit_all(const struct scene *scene, unsigned frame, visit_triangle *visit, void *context)
{
   for (unsigned blended = 0; blended < 2; blended++) {
      for (unsigned i = 0; i < scene->num_objects; i++) {
         if (scene->objects[i].blended == (blended != 0))
            visit_object(scene, &scene->objects[i], frame, visit, context);
      }
   }
}

/* ---- tiles ------------------------------------------------------------------------------------------------- */

struct count {
   const struct scene *scene;
   struct measure *measure;
};

struct edge {
   int64_t a, b, c;
};

static int
smaller(int a, int b)
{
   return a < b ? a : b;
}

static int
larger(int a, int b)
{
   return a > b ? a : b;
}

/* Whether the rectangle of pixel centres may have one inside of all edges. */
static bool
touches(const struct edge edges[3], int x0, int y0, int x1, int y1)
{
   for (unsigned i = 0; i < 3; i++) {
      const int64_t x = (int64_t)(edges[i].a > 0 ? x1 : x0) * SUBPIXELS + SUBPIXELS / 2;
      const int64_t y = (int64_t)(edges[i].b > 0 ? y1 : y0) * SUBPIXELS + SUBPIXELS / 2;
      if (edges[i].a * x + edges[i].b * y + edges[i].c < 0)
         return false;
   }
   return true;
}

/* Within one tile, a triangle is not tested any further. */
static unsigned
count_tiles(const struct edge edges[3], const int box[4])
{
   unsigned tiles = 0;
   if (box[0] / TILE == box[2] / TILE && box[1] / TILE == box[3] / TILE)
      return 1;
   for (int ty = box[1] / TILE; ty <= box[3] / TILE; ty++) {
      for (int tx = box[0] / TILE; tx <= box[2] / TILE; tx++)
         tiles += touches(edges, larger(tx * TILE, box[0]), larger(ty * TILE, box[1]),
                          smaller(tx * TILE + TILE - 1, box[2]), smaller(ty * TILE + TILE - 1, box[3]));
   }
   return tiles;
}

/* Corners in 1/256 pixel; twice the area in these, negative for a front. */
static int64_t
snap_corners(const struct triangle *triangle, int32_t x[3], int32_t y[3])
{
   for (unsigned i = 0; i < 3; i++) {
      x[i] = (int32_t)lrintf(triangle->x[i] * SUBPIXELS);
      y[i] = (int32_t)lrintf(triangle->y[i] * SUBPIXELS);
   }
   return (int64_t)(x[1] - x[0]) * (y[2] - y[0]) - (int64_t)(x[2] - x[0]) * (y[1] - y[0]);
}

static void
count_triangle(void *context, const struct object *object, const struct triangle *triangle)
{
   struct count *count = context;
   int32_t x[3], y[3], low[2] = {INT32_MAX, INT32_MAX}, high[2] = {INT32_MIN, INT32_MIN};
   const int64_t area = snap_corners(triangle, x, y);
   if (area >= 0)
      return;
   struct edge edges[3];
   for (unsigned i = 0; i < 3; i++) {
      const unsigned next = (i + 1) % 3;
      edges[i].a = -(int64_t)(y[i] - y[next]);
      edges[i].b = -(int64_t)(x[next] - x[i]);
      edges[i].c = -(edges[i].a * x[i] + edges[i].b * y[i]);
      low[0] = smaller(low[0], x[i]);
      low[1] = smaller(low[1], y[i]);
      high[0] = larger(high[0], x[i]);
      high[1] = larger(high[1], y[i]);
   }
   /* Pixels whose centres are within. */
   const int box[4] = {
      larger((low[0] + SUBPIXELS / 2 - 1) >> 8, 0),
      larger((low[1] + SUBPIXELS / 2 - 1) >> 8, 0),
      smaller((high[0] - SUBPIXELS / 2) >> 8, (int)count->scene->width - 1),
      smaller((high[1] - SUBPIXELS / 2) >> 8, (int)count->scene->height - 1),
   };
   if (box[0] > box[2] || box[1] > box[3])
      return;
   const unsigned tiles = count_tiles(edges, box);
   if (!tiles)
      return;
   struct measure *measure = count->measure;
   measure->primitives++;
   measure->tiles += tiles;
   measure->area += -area / (2.0 * SUBPIXELS * SUBPIXELS);
   measure->attributes += object->attributes;
}

struct measure
measure_frame(const struct scene *scene, unsigned frame)
{
   struct measure measure = {0};
   struct count count = {scene, &measure};
   visit_all(scene, frame, count_triangle, &count);
   for (unsigned i = 0; i < scene->num_objects; i++)
      measure.vertices += object_indices(scene, &scene->objects[i]);
   return measure;
}

/* ---- texels ------------------------------------------------------------------------------------------------ */

/** A fragment's texture coordinates, the logarithm (base 2) of their greatest change to the next pixel, its texture. */
struct sample {
   float u, v, change;
   uint32_t texture;
};

struct samples {
   const struct scene *scene;
   struct sample *sample;
   size_t count, room;
   float *depth; /* 1 / w of what is nearest */
};

static void
add_sample(struct samples *samples, const struct object *object, float u, float v, float change)
{
   if (samples->count == samples->room) {
      samples->room = samples->room * 2 + 1024;
      samples->sample = reallocate(samples->sample, samples->room, sizeof *samples->sample);
   }
   samples->sample[samples->count++] = (struct sample){u, v, change, object->texture};
}

/* A value that is linear on the screen: f(x, y) = a x + b y + c. */
struct plane {
   float a, b, c;
};

static struct plane
make_plane(const struct triangle *t, const float value[3], float area)
{
   const float d1 = value[1] - value[0], d2 = value[2] - value[0];
   struct plane plane = {
      (d1 * (t->y[2] - t->y[0]) - d2 * (t->y[1] - t->y[0])) / area,
      (d2 * (t->x[1] - t->x[0]) - d1 * (t->x[2] - t->x[0])) / area,
      0,
   };
   plane.c = value[0] - plane.a * t->x[0] - plane.b * t->y[0];
   return plane;
}

static float
at(const struct plane *plane, float x, float y)
{
   return plane->a * x + plane->b * y + plane->c;
}

static void
sample_pixel(struct samples *samples, const struct object *object, const struct plane planes[3], int x, int y)
{
   const float px = x + 0.5f, py = y + 0.5f, q = at(&planes[0], px, py);
   const bool perspective = samples->scene->perspective;
   float *nearest = &samples->depth[(size_t)y * samples->scene->width + x];
   if (perspective && q < *nearest)
      return;
   if (perspective && !object->blended)
      *nearest = q;
   const float w = 1 / q, u = at(&planes[1], px, py) * w, v = at(&planes[2], px, py) * w;
   const float changes[4] = {
      (planes[1].a - u * planes[0].a) * w,
      (planes[1].b - u * planes[0].b) * w,
      (planes[2].a - v * planes[0].a) * w,
      (planes[2].b - v * planes[0].b) * w,
   };
   float change = 0;
   for (unsigned i = 0; i < 4; i++)
      change = fmaxf(change, fabsf(changes[i]));
   add_sample(samples, object, u, v, log2f(fmaxf(change, 1e-9f)));
}

static void
sample_triangle(void *context, const struct object *object, const struct triangle *t)
{
   struct samples *samples = context;
   const float area = (t->x[1] - t->x[0]) * (t->y[2] - t->y[0]) - (t->x[2] - t->x[0]) * (t->y[1] - t->y[0]);
   if (area > -1e-4f)
      return;
   float values[3][3];
   for (unsigned i = 0; i < 3; i++) {
      values[0][i] = 1 / t->w[i];
      values[1][i] = t->u[i] / t->w[i];
      values[2][i] = t->v[i] / t->w[i];
   }
   const struct plane planes[3] = {make_plane(t, values[0], area), make_plane(t, values[1], area),
                                   make_plane(t, values[2], area)};
   const float top = fminf(t->y[0], fminf(t->y[1], t->y[2])),
               bottom = fmaxf(t->y[0], fmaxf(t->y[1], t->y[2]));
   const int last = smaller((int)floorf(bottom - 0.5f), (int)samples->scene->height - 1);
   for (int y = larger((int)ceilf(top - 0.5f), 0); y <= last; y++) {
      /* The part of the row that is within all edges. */
      float left = -0.5f, right = samples->scene->width;
      for (unsigned i = 0; i < 3; i++) {
         const unsigned next = (i + 1) % 3;
         const float dy = t->y[next] - t->y[i], dx = t->x[next] - t->x[i], cy = y + 0.5f - t->y[i];
         if (dy == 0)
            continue;
         const float x = t->x[i] + dx * cy / dy - 0.5f;
         if (dy > 0) /* anticlockwise: going down is on the left */
            left = fmaxf(left, x);
         else
            right = fminf(right, x);
      }
      for (int x = (int)ceilf(left); x < right && x < (int)samples->scene->width; x++) {
         if (x >= 0)
            sample_pixel(samples, object, planes, x, y);
      }
   }
}

struct samples *
sample_frame(const struct scene *scene, unsigned frame)
{
   struct samples *samples = allocate(1, sizeof *samples);
   *samples = (struct samples){.scene = scene};
   samples->depth = allocate((size_t)scene->width * scene->height, sizeof *samples->depth);
   visit_all(scene, frame, sample_triangle, samples);
   return samples;
}

double
sampled_fragments(const struct samples *samples)
{
   return samples->count;
}

void
free_samples(struct samples *samples)
{
   free(samples->sample);
   free(samples->depth);
   free(samples);
}

/** Where a texture's levels are: blocks of 64 bytes, each a rectangle of texels that is square or twice as wide as high,
 * as in recursive Z order. */
struct storage {
   unsigned size[MAX_LEVELS], across[MAX_LEVELS]; /* texels per side; blocks per row */
   size_t first[MAX_LEVELS], total;
   unsigned levels, width, height; /* texels of a block */
};

static struct storage
make_storage(unsigned size, enum texture_format format)
{
   const unsigned side = is_compressed(format) ? 4 : 1, bytes = texel_bits(format) * side * side / 8;
   struct storage storage = {.levels = num_levels(size), .width = side, .height = side};
   for (unsigned filled = bytes; filled < 64; filled *= 2) {
      if (storage.width > storage.height)
         storage.height *= 2;
      else
         storage.width *= 2;
   }
   for (unsigned l = 0; l < storage.levels; l++) {
      storage.size[l] = level_size(size, l);
      storage.across[l] = (storage.size[l] + storage.width - 1) / storage.width;
      storage.first[l] = storage.total;
      storage.total += (size_t)storage.across[l] * ((storage.size[l] + storage.height - 1) / storage.height);
   }
   return storage;
}

static void
mark(const struct storage *storage, uint8_t *used, unsigned level, int x, int y)
{
   const int size = storage->size[level];
   x %= size;
   y %= size;
   x = (x < 0 ? x + size : x) / storage->width;
   y = (y < 0 ? y + size : y) / storage->height;
   used[storage->first[level] + (size_t)y * storage->across[level] + x] = 1;
}

static void
mark_level(const struct storage *storage, uint8_t *used, unsigned level, const struct sample *sample)
{
   const float x = sample->u * storage->size[level] - 0.5f, y = sample->v * storage->size[level] - 0.5f;
   const int x0 = (int)floorf(x), y0 = (int)floorf(y);
   mark(storage, used, level, x0, y0);
   mark(storage, used, level, x0 + 1, y0);
   mark(storage, used, level, x0, y0 + 1);
   mark(storage, used, level, x0 + 1, y0 + 1);
}

double
texture_change(const struct samples *samples)
{
   double sum = 0;
   for (size_t i = 0; i < samples->count; i++)
      sum += samples->sample[i].change;
   return exp2(sum / (double)(samples->count ? samples->count : 1));
}

double
footprint(const struct scene *scene, const struct samples *samples, unsigned texture_size)
{
   const struct description *description = scene->description;
   const struct storage storage = make_storage(texture_size, description->texture_format);
   uint8_t *used = allocate(storage.total * scene->num_textures, 1);
   const float size = log2f(texture_size);
   for (size_t i = 0; i < samples->count; i++) {
      const struct sample *sample = &samples->sample[i];
      const float lod = sample->change + size;
      const bool trilinear = description->texture_filter == TRILINEAR;
      float level = fminf(fmaxf(trilinear ? floorf(lod) : ceilf(lod - 0.5f), 0), storage.levels - 1);
      if (description->texture_filter == ONE_LEVEL)
         level = 0;
      for (unsigned read = 0; read < description->texture_reads; read++) {
         uint8_t *texture = used + storage.total * ((sample->texture + 5 * read) % scene->num_textures);
         mark_level(&storage, texture, (unsigned)level, sample);
         if (trilinear && lod > 0 && level + 1 < storage.levels)
            mark_level(&storage, texture, (unsigned)level + 1, sample);
      }
   }
   double blocks = 0;
   for (size_t i = 0; i < storage.total * scene->num_textures; i++)
      blocks += used[i];
   free(used);
   return 64 * blocks;
}
