/* SPDX-License-Identifier: MIT */
#include "output/image.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "tools.h"

#define FAR 2          /* differences up to this are rounding */
#define MAX_SIDE 65536 /* of an image that is read, in pixels */

static void
resize(struct image *image, unsigned width, unsigned height)
{
   if (image->pixels && image->width == width && image->height == height)
      return;
   free(image->pixels);
   *image = (struct image){width, height, allocate((size_t)width * height * 3)};
}

void
image_free(struct image *image)
{
   free(image->pixels);
   *image = (struct image){0};
}

/* A number of a PPM's header, with blanks and comments before it, one blank after it. */
static bool
read_number(FILE *stream, unsigned *number)
{
   int c = getc(stream);
   while (c == '#' || isspace(c)) {
      while (c == '#' && (c = getc(stream)) != '\n' && c != EOF)
         c = '#';
      c = getc(stream);
   }
   for (*number = 0; isdigit(c) && *number < 100000; c = getc(stream))
      *number = *number * 10 + (c - '0');
   return isspace(c);
}

bool
image_read(FILE *stream, struct image *image)
{
   unsigned width, height, maximum;
   if (getc(stream) != 'P' || getc(stream) != '6')
      return false;
   if (!read_number(stream, &width) || !read_number(stream, &height) || !read_number(stream, &maximum) ||
       !width || !height || maximum != 255)
      return false;
   resize(image, width, height);
   return fread(image->pixels, (size_t)width * 3, height, stream) == height;
}

/* The header of a BMP; its numbers are little-endian. */
struct bmp {
   char magic[2];
   uint32_t file_bytes, reserved, pixels_at, header_bytes;
   int32_t width, height; /* rows are from the bottom */
   uint16_t planes, bits;
   uint32_t compression;
} __attribute__((packed));

static bool
read_bmp(FILE *file, struct image *image)
{
   struct bmp header;
   if (fread(&header, sizeof header, 1, file) != 1 || memcmp(header.magic, "BM", 2) || header.bits != 32 ||
       header.compression || header.width <= 0 || header.height <= 0 || header.width > MAX_SIDE ||
       header.height > MAX_SIDE || fseek(file, header.pixels_at, SEEK_SET))
      return false;
   const size_t width = header.width;
   uint8_t *row = allocate(width * 4);
   bool whole = true;
   resize(image, header.width, header.height);
   for (unsigned y = image->height; whole && y--;) {
      uint8_t *pixels = image->pixels + y * width * 3;
      whole = fread(row, 4, width, file) == width;
      for (size_t x = 0; x < width; x++) {
         for (unsigned c = 0; c < 3; c++)
            pixels[x * 3 + c] = row[x * 4 + 2 - c];
      }
   }
   free(row);
   return whole;
}

bool
image_read_bmp(const char *path, struct image *image)
{
   FILE *file = fopen(path, "rbe");
   const bool read = file && read_bmp(file, image);
   if (file)
      fclose(file);
   return read;
}

bool
image_write_png(const struct image *image, const char *path)
{
   png_image png = {
      .version = PNG_IMAGE_VERSION,
      .width = image->width,
      .height = image->height,
      .format = PNG_FORMAT_RGB,
      .flags = PNG_IMAGE_FLAG_FAST,
   };
   FILE *file = fopen(path, "wbe");
   if (!file)
      return false;
   errno = 0;
   bool written = png_image_write_to_stdio(&png, file, 0, image->pixels, 0, NULL);
   int error = errno ? errno : EIO;
   if (fclose(file)) {
      written = false;
      error = errno;
   }
   errno = error;
   return written;
}

bool
image_is_plain(const struct image *image)
{
   return !memcmp(image->pixels, image->pixels + 3, ((size_t)image->width * image->height - 1) * 3);
}

struct difference
image_compare(const struct image *a, const struct image *b)
{
   struct difference difference = {.same_size = a->width == b->width && a->height == b->height};
   if (!difference.same_size)
      return difference;
   size_t pixels = (size_t)a->width * a->height, far = 0;
   uint64_t squares = 0;
   for (size_t p = 0; p < pixels; p++) {
      unsigned largest = 0;
      for (unsigned c = 0; c < 3; c++) {
         unsigned distance = abs(a->pixels[p * 3 + c] - b->pixels[p * 3 + c]);
         squares += distance * distance;
         if (distance > largest)
            largest = distance;
      }
      far += largest > FAR;
      if (largest > difference.largest)
         difference.largest = largest;
   }
   difference.share = (double)far / pixels;
   difference.error = (double)squares / (pixels * 3);
   return difference;
}

double
difference_psnr(const struct difference *difference)
{
   return difference->error > 0 ? 10 * log10(255.0 * 255.0 / difference->error) : INFINITY;
}

void
image_difference(const struct image *a, const struct image *b, struct image *result)
{
   unsigned width = a->width > b->width ? a->width : b->width;
   unsigned height = a->height > b->height ? a->height : b->height;
   resize(result, width, height);
   for (unsigned y = 0; y < height; y++) {
      for (unsigned x = 0; x < width * 3; x++) {
         int left = y < a->height && x < a->width * 3 ? a->pixels[(size_t)y * a->width * 3 + x] : 0;
         int right = y < b->height && x < b->width * 3 ? b->pixels[(size_t)y * b->width * 3 + x] : 0;
         int bright = abs(left - right) * DIFFERENCE_GAIN;
         result->pixels[(size_t)y * width * 3 + x] = bright > 255 ? 255 : bright;
      }
   }
}
