/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "support/check.h"
#include "support/program.h"
#include "desktop.h"

void
dump_record(struct world *world, const char *name, char kind, double tolerance, const void *values,
            unsigned count)
{
   if (!world->dump)
      return;
   if (world->loose && strcmp(name, "error") != 0)
      tolerance = ANY;
   fprintf(world->dump, "%lu %s %c %g %u\n", world->seed, name, kind, tolerance, count);
   fwrite(values, 4, count, world->dump);
}

/** The pixels of the bound framebuffer's current read buffer. */
static void
dump_pixels(struct world *world, const char *name, const struct format *format, int width, int height)
{
   static union {
      GLubyte bytes[128 * 128 * 4];
      float floats[128 * 128 * 4];
      GLuint words[128 * 128 * 4];
   } pixels;
   static GLuint words[128 * 128 * 4];
   const unsigned count = (unsigned)(width * height) * 4;
   const bool is_float = format->sort == FLOAT && format->is_float;
   if (format->sort != FLOAT) {
      glReadPixels(0, 0, width, height, GL_RGBA_INTEGER, format->sort == INT ? GL_INT : GL_UNSIGNED_INT,
                   pixels.words);
      dump_record(world, name, 'u', 0, pixels.words, count);
   } else if (is_float) {
      glReadPixels(0, 0, width, height, GL_RGBA, GL_FLOAT, pixels.floats);
      /* A step of the channel with the fewest bits, of numbers up to 1. */
      dump_record(world, name, 'f', format->internal == GL_R11F_G11F_B10F ? 0.032 : 0.016, pixels.floats,
                  count);
   } else {
      glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.bytes);
      for (unsigned i = 0; i < count; i++)
         words[i] = pixels.bytes[i];
      dump_record(world, name, 'u', 2 + 2 * format->tolerance, words, count);
   }
}

/** Of a framebuffer with samples: their averages. */
static void
dump_resolved(struct world *world, const char *name, const struct framebuffer *framebuffer, unsigned color)
{
   GLuint resolved;
   const GLuint texture = bind_new_texture(GL_TEXTURE_2D);
   glTexStorage2D(GL_TEXTURE_2D, 1, framebuffer->colors[color]->internal, framebuffer->width,
                  framebuffer->height);
   glGenFramebuffers(1, &resolved);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved);
   glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   glBlitFramebuffer(0, 0, framebuffer->width, framebuffer->height, 0, 0, framebuffer->width,
                     framebuffer->height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, resolved);
   dump_pixels(world, name, framebuffer->colors[color], framebuffer->width, framebuffer->height);
   glDeleteFramebuffers(1, &resolved);
   glDeleteTextures(1, &texture);
}

static void
dump_layers(struct world *world, const char *name, const struct framebuffer *framebuffer, unsigned color)
{
   const GLuint layer = bind_new_framebuffer(0);
   for (int i = 0; i < framebuffer->layers; i++) {
      glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, framebuffer->color_names[color], 0, i);
      dump_pixels(world, name, framebuffer->colors[color], framebuffer->width, framebuffer->height);
   }
   glDeleteFramebuffers(1, &layer);
}

static void
dump_framebuffer(struct world *world, int index)
{
   const struct framebuffer *framebuffer = &world->framebuffers[index];
   for (unsigned i = 0; i < framebuffer->color_count; i++) {
      char name[64];
      snprintf(name, sizeof name, "framebuffer%d-color%u-0x%x", index, i, framebuffer->colors[i]->internal);
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffer->name);
      glReadBuffer(GL_COLOR_ATTACHMENT0 + i);
      if (framebuffer->samples)
         dump_resolved(world, name, framebuffer, i);
      else if (framebuffer->layers)
         dump_layers(world, name, framebuffer, i);
      else
         dump_pixels(world, name, framebuffer->colors[i], framebuffer->width, framebuffer->height);
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffer->name);
      glReadBuffer(GL_COLOR_ATTACHMENT0);
   }
}

static void
dump_buffer(struct world *world, const char *name, GLuint buffer, unsigned words, char kind)
{
   glBindBuffer(GL_COPY_READ_BUFFER, buffer);
   const void *mapped = glMapBufferRange(GL_COPY_READ_BUFFER, 0, words * 4, GL_MAP_READ_BIT);
   require(mapped != NULL, "seed %lu: glMapBufferRange", world->seed);
   dump_record(world, name, kind, kind == 'f' ? 0.001 : 0, mapped, words);
   glUnmapBuffer(GL_COPY_READ_BUFFER);
}

static void
dump_image(struct world *world, const char *name, GLuint image, const struct format *format)
{
   const GLuint framebuffer = bind_new_framebuffer(image);
   dump_pixels(world, name, format, 128, 128);
   glDeleteFramebuffers(1, &framebuffer);
}

void
dump_results(struct world *world)
{
   glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
   glMemoryBarrier(GL_ALL_BARRIER_BITS);
   reset_state(world);
   for (int i = 0; i < FRAMEBUFFERS; i++)
      dump_framebuffer(world, i);
   dump_buffer(world, "words", world->words, STORAGE_WORDS, 'u');
   dump_buffer(world, "results", world->results, 1024 * 4, 'f');
   dump_buffer(world, "captured", world->captured, 16384 / 4, 'f');
   dump_image(world, "counts", world->counts, &(struct format){.sort = UINT});
   dump_image(world, "picture", world->picture, &(struct format){.sort = FLOAT, .tolerance = 1});
   if (world->desktop)
      dump_desktop_results(world);
}
