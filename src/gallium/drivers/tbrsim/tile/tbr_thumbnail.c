/* SPDX-License-Identifier: MIT */
#include "tile/tbr_thumbnail.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "util/format/u_format.h"
#include "util/format_srgb.h"
#include "util/log.h"
#include "util/u_debug.h"
#include "util/u_math.h"
#include "tile/tbr_pass.h"

/** Rows of the image that a row of the picture is the average of, at most. */
#define MAX_ROWS 4

/** An image in memory. */
struct image {
   const uint8_t *first; /**< its first pixel */
   ptrdiff_t stride;     /**< bytes from row to row */
   enum pipe_format format;
   uint32_t width, height;
   bool depth;
};

/** The picture before it is a file. */
struct picture {
   uint32_t width, height;
   float *values; /**< three per pixel */
};

bool
tbr_thumbnails_are_wanted(void)
{
   return debug_get_bool_option("TBRSIM_THUMBNAILS", false);
}

/* ---- what is shown ------------------------------------------------------------ */

static bool
is_shown(enum pipe_format format)
{
   return !util_format_is_pure_integer(format);
}

/* The averaged samples where there are such of the whole pass, else the first sample. */
static bool
choose_color(const struct tbr_pass *pass, unsigned i, struct image *image)
{
   const struct tbr_attachment *color = &pass->color[i];
   const struct tbr_resolve *resolve = &pass->resolve[i];
   const uint32_t width = resolve->x1 - resolve->x0, height = resolve->y1 - resolve->y0;
   if (resolve->memory && is_shown(resolve->to) &&
       (!color->store || (width == pass->width && height == pass->height))) {
      *image = (struct image){resolve->memory, resolve->stride, resolve->to, width, height};
      return true;
   }
   if (!color->memory || !color->store || !is_shown(color->format))
      return false;
   *image = (struct image){color->memory, color->stride, color->format, pass->width, pass->height};
   return true;
}

static bool
choose_image(const struct tbr_pass *pass, struct image *image)
{
   for (unsigned i = 0; i < pass->num_color; i++) {
      if (choose_color(pass, i, image))
         return true;
   }
   const struct tbr_attachment *depth = &pass->depth;
   if (!depth->memory || !depth->store)
      return false;
   *image = (struct image){depth->memory, depth->stride, depth->format, pass->width, pass->height, true};
   return true;
}

/* ---- making it smaller ----------------------------------------------------------- */

/* A row as three values per pixel; room: for four. */
static void
read_row(const struct image *image, uint32_t y, float *room)
{
   const uint8_t *row = image->first + (ptrdiff_t)y * image->stride;
   if (image->depth) {
      util_format_unpack_z_float(image->format, room, row, image->width);
      for (uint32_t x = image->width; x--;)
         room[3 * x] = room[3 * x + 1] = room[3 * x + 2] = room[x];
      return;
   }
   const bool grey = util_format_get_nr_components(image->format) == 1;
   util_format_unpack_rgba(image->format, room, row, image->width);
   for (uint32_t x = 0; x < image->width; x++) {
      for (unsigned c = 0; c < 3; c++)
         room[3 * x + c] = room[4 * x + (grey ? 0 : c)];
   }
}

/* Adds a row of the image to one of the picture: of each pixel the average of those that it stands for. */
static void
add_row(const struct picture *picture, uint32_t row, const float *values, uint32_t width, float weight)
{
   for (uint32_t x = 0; x < picture->width; x++) {
      const uint32_t first = (uint64_t)x * width / picture->width;
      const uint32_t end = MAX2((uint64_t)(x + 1) * width / picture->width, first + 1);
      float sum[3] = {0};
      for (uint32_t n = first; n < end; n++) {
         for (unsigned c = 0; c < 3; c++)
            sum[c] += CLAMP(values[3 * n + c], 0.0f, 1.0f);
      }
      float *pixel = &picture->values[3 * ((size_t)row * picture->width + x)];
      for (unsigned c = 0; c < 3; c++)
         pixel[c] += sum[c] * weight / (end - first);
   }
}

static bool
shrink(const struct image *image, struct picture *picture)
{
   const uint32_t longer = MAX2(image->width, image->height);
   const uint32_t size = MIN2(longer, TBR_THUMBNAIL_SIZE);
   picture->width = MAX2((uint64_t)image->width * size / longer, 1);
   picture->height = MAX2((uint64_t)image->height * size / longer, 1);
   picture->values = calloc((size_t)picture->width * picture->height, 3 * sizeof(float));
   float *room = malloc((size_t)image->width * 4 * sizeof(float));
   const bool ok = picture->values && room;
   for (uint32_t row = 0; ok && row < picture->height; row++) {
      const uint32_t first = (uint64_t)row * image->height / picture->height;
      const uint32_t rows = MAX2((uint64_t)(row + 1) * image->height / picture->height, first + 1) - first;
      const uint32_t taken = MIN2(rows, MAX_ROWS);
      for (uint32_t n = 0; n < taken; n++) {
         read_row(image, first + n * rows / taken, room);
         add_row(picture, row, room, image->width, 1.0f / taken);
      }
   }
   free(room);
   return ok;
}

/* Depths are often all near 1: stretches them from black to white. */
static void
stretch(const struct picture *picture)
{
   const size_t count = (size_t)3 * picture->width * picture->height;
   float least = picture->values[0], greatest = least;
   for (size_t n = 0; n < count; n++) {
      least = MIN2(least, picture->values[n]);
      greatest = MAX2(greatest, picture->values[n]);
   }
   for (size_t n = 0; n < count && greatest > least; n++)
      picture->values[n] = (picture->values[n] - least) / (greatest - least);
}

/* ---- the file ------------------------------------------------------------------- */

static uint8_t *
put_number(uint8_t *to, uint32_t value)
{
   for (unsigned n = 0; n < 4; n++)
      to[n] = value >> (24 - 8 * n);
   return to + 4;
}

/* Completes a chunk whose bytes begin at `chunk` + 8; returns its end. */
static uint8_t *
end_chunk(uint8_t *chunk, const char name[4], uint32_t size)
{
   put_number(chunk, size);
   memcpy(chunk + 4, name, 4);
   return put_number(chunk + 8 + size, crc32(0, chunk + 4, size + 4));
}

/* Rows of bytes, each after a byte that says "not filtered". */
static uint8_t *
make_rows(const struct picture *picture, bool srgb)
{
   uint8_t *rows = malloc((size_t)picture->height * (1 + 3 * picture->width)), *to = rows;
   for (uint32_t y = 0; rows && y < picture->height; y++) {
      *to++ = 0;
      for (uint32_t n = 0; n < 3 * picture->width; n++) {
         const float value = picture->values[(size_t)3 * y * picture->width + n];
         *to++ = srgb ? util_format_linear_float_to_srgb_8unorm(value) : float_to_ubyte(value);
      }
   }
   return rows;
}

static void
write_png(const struct picture *picture, bool srgb, struct tbr_thumbnail *thumbnail)
{
   static const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
   static const uint8_t kind[] = {8, 2, 0, 0, 0}; /* 8 bits, RGB, deflated, five filters, not interlaced */
   const uLong bytes = (uLong)picture->height * (1 + 3 * picture->width);
   uint8_t *rows = make_rows(picture, srgb);
   uLongf packed = compressBound(bytes);
   uint8_t *png = malloc(sizeof signature + 12 + 13 + 12 + packed + 12), *end = png;
   if (!rows || !png) {
      free(rows);
      free(png);
      return;
   }
   memcpy(end, signature, sizeof signature);
   end += sizeof signature;
   put_number(put_number(end + 8, picture->width), picture->height);
   memcpy(end + 16, kind, sizeof kind);
   end = end_chunk(end, "IHDR", 13);
   ASSERTED const int code = compress2(end + 8, &packed, rows, bytes, Z_BEST_COMPRESSION);
   assert(code == Z_OK);
   end = end_chunk(end, "IDAT", packed);
   end = end_chunk(end, "IEND", 0);
   free(rows);
   thumbnail->png = png;
   thumbnail->size = end - png;
}

struct tbr_thumbnail
tbr_thumbnail_take(const struct tbr_pass *pass)
{
   struct tbr_thumbnail thumbnail = {0};
   struct image image;
   if (!choose_image(pass, &image))
      return thumbnail;
   struct picture picture = {0};
   if (shrink(&image, &picture)) {
      if (image.depth)
         stretch(&picture);
      write_png(&picture, util_format_is_srgb(image.format), &thumbnail);
   }
   if (!thumbnail.png)
      mesa_logw("out of memory for the thumbnail of a pass");
   free(picture.values);
   return thumbnail;
}
