/* SPDX-License-Identifier: MIT */
/** Frames as images: read from a replayer, written as PNG, compared. */
#ifndef IMAGE_H
#define IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct image {
   unsigned width, height;
   uint8_t *pixels; /**< rows from the top, three bytes (red, green, blue) a pixel */
};

/** Reads the next image of a stream of binary PPM files into image (whose memory is
 * used again). False at the end of the stream, or where it is no PPM. */
bool image_read(FILE *stream, struct image *image);
void image_free(struct image *image);

/** The same of a file of BMP, of 32 bits a pixel without compression, as gfxrecon-replay writes it. False where it is
 * none, or has not been written to its end yet. */
bool image_read_bmp(const char *path, struct image *image);

/** Writes a PNG file. False, with errno, where it cannot be written. */
bool image_write_png(const struct image *image, const char *path);

/** Whether all its pixels are of one colour. */
bool image_is_plain(const struct image *image);

/** How far apart two images are. */
struct difference {
   bool same_size;   /**< false: nothing else is set */
   unsigned largest; /**< of all pixels and colours, in 1/255 */
   double share;     /**< pixels off by more than 2/255 in any colour, of 1 */
   double error;     /**< mean squared error, in (1/255)² */
};

/** PSNR in dB; infinite for equal images. */
double difference_psnr(const struct difference *difference);

struct difference image_compare(const struct image *a, const struct image *b);

/** result becomes their absolute difference, DIFFERENCE_GAIN times as bright, on the larger size. */
void image_difference(const struct image *a, const struct image *b, struct image *result);
#define DIFFERENCE_GAIN 16

#endif
