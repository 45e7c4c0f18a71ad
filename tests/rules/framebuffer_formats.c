/* SPDX-License-Identifier: MIT */
/* framebuffer_formats: prints what glCheckFramebufferStatus says of every format as every
 * attachment, from every kind of image, and of pairs of attachments. compare_test.py compares
 * with what another driver says. */
#include <stdio.h>

#include "formats.h"
#include "gles.h"

static const struct image {
   const char *name;
   GLenum target; /* GL_RENDERBUFFER, or a texture's */
   int levels, level, layer, samples;
} images[] = {
   {"renderbuffer", GL_RENDERBUFFER, 1, 0, 0, 0},
   {"renderbuffer, 1 sample", GL_RENDERBUFFER, 1, 0, 0, 1},
   {"renderbuffer, 2 samples", GL_RENDERBUFFER, 1, 0, 0, 2},
   {"renderbuffer, 4 samples", GL_RENDERBUFFER, 1, 0, 0, 4},
   {"texture", GL_TEXTURE_2D, 1, 0, 0, 0},
   {"texture's level 2", GL_TEXTURE_2D, 4, 2, 0, 0},
   {"texture's level 4", GL_TEXTURE_2D, 4, 4, 0, 0},
   {"cube's face", GL_TEXTURE_CUBE_MAP, 2, 1, 3, 0},
   {"array's layer", GL_TEXTURE_2D_ARRAY, 2, 1, 2, 0},
   {"array's layer 7", GL_TEXTURE_2D_ARRAY, 1, 0, 7, 0},
   {"3D slice", GL_TEXTURE_3D, 2, 1, 1, 0},
   {"3D slice 3 of level 1", GL_TEXTURE_3D, 2, 1, 3, 0},
};

static const struct attachment {
   const char *name;
   GLenum point;
} attachments[] = {
   {"color", GL_COLOR_ATTACHMENT0},
   {"color 1", GL_COLOR_ATTACHMENT0 + 1},
   {"depth", GL_DEPTH_ATTACHMENT},
   {"stencil", GL_STENCIL_ATTACHMENT},
   {"depth and stencil", GL_DEPTH_STENCIL_ATTACHMENT},
};

static GLenum
make_image(const struct image *image, const struct format *format, GLuint *name)
{
   if (image->target == GL_RENDERBUFFER) {
      glGenRenderbuffers(1, name);
      glBindRenderbuffer(GL_RENDERBUFFER, *name);
      glRenderbufferStorageMultisample(GL_RENDERBUFFER, image->samples, format->internal, 16, 16);
   } else {
      *name = gles_texture(image->target, format->internal, 16, 16, 4, image->levels);
   }
   return glGetError();
}

static GLenum
attach(const struct image *image, GLenum point, GLuint name)
{
   switch (image->target) {
   case GL_RENDERBUFFER: glFramebufferRenderbuffer(GL_FRAMEBUFFER, point, GL_RENDERBUFFER, name); break;
   case GL_TEXTURE_2D:
      glFramebufferTexture2D(GL_FRAMEBUFFER, point, GL_TEXTURE_2D, name, image->level);
      break;
   case GL_TEXTURE_CUBE_MAP:
      glFramebufferTexture2D(GL_FRAMEBUFFER, point, GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)image->layer,
                             name, image->level);
      break;
   default: glFramebufferTextureLayer(GL_FRAMEBUFFER, point, name, image->level, image->layer);
   }
   return glGetError();
}

static void delete(const struct image *image, GLuint name)
{
   if (image->target == GL_RENDERBUFFER)
      glDeleteRenderbuffers(1, &name);
   else
      glDeleteTextures(1, &name);
}

static void
print_single_attachments(void)
{
   for (size_t f = 0; f < num_formats; f++) {
      for (size_t i = 0; i < COUNT_OF(images); i++) {
         GLuint name, framebuffer;
         const GLenum error = make_image(&images[i], &formats[f], &name);
         printf("%s %s: error 0x%04x\n", formats[f].name, images[i].name, error);
         for (size_t a = 0; a < COUNT_OF(attachments) && !error; a++) {
            framebuffer = bind_new_framebuffer(0);
            const GLenum attach_error = attach(&images[i], attachments[a].point, name);
            printf("%s %s as %s: error 0x%04x, status 0x%04x\n", formats[f].name, images[i].name,
                   attachments[a].name, attach_error, glCheckFramebufferStatus(GL_FRAMEBUFFER));
            glDeleteFramebuffers(1, &framebuffer);
         }
         delete (&images[i], name);
      }
   }
}

/* Two attachments: of colour, depth and stencil, of other sizes and samples. */
static void
print_pairs(void)
{
   static const GLenum pair_formats[] = {GL_RGBA8,
                                         GL_RGB565,
                                         GL_R32F,
                                         GL_RGBA16UI,
                                         GL_DEPTH_COMPONENT16,
                                         GL_DEPTH24_STENCIL8,
                                         GL_DEPTH32F_STENCIL8,
                                         GL_STENCIL_INDEX8};
   static const GLsizei samples[] = {0, 4};
   const size_t kinds = COUNT_OF(pair_formats) * COUNT_OF(samples);
   for (size_t n = 0; n < kinds * kinds; n++) {
      const size_t parts[2] = {n % kinds, n / kinds};
      GLuint framebuffer, names[2];
      framebuffer = bind_new_framebuffer(0);
      glGenRenderbuffers(2, names);
      for (unsigned part = 0; part < 2; part++) {
         const size_t f = parts[part] / COUNT_OF(samples);
         const GLenum color = GL_COLOR_ATTACHMENT0 + part;
         const GLenum point = f < 4                ? color
                              : part == 0 && f < 7 ? GL_DEPTH_ATTACHMENT
                                                   : GL_STENCIL_ATTACHMENT;
         glBindRenderbuffer(GL_RENDERBUFFER, names[part]);
         glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples[parts[part] % COUNT_OF(samples)],
                                          pair_formats[f], 16 + 8 * (int)part, 16);
         glFramebufferRenderbuffer(GL_FRAMEBUFFER, point, GL_RENDERBUFFER, names[part]);
      }
      printf("pair %zu and %zu: error 0x%04x, status 0x%04x\n", parts[0], parts[1], glGetError(),
             glCheckFramebufferStatus(GL_FRAMEBUFFER));
      glDeleteRenderbuffers(2, names);
      glDeleteFramebuffers(1, &framebuffer);
   }
}

static void
print_sample_counts(void)
{
   for (size_t f = 0; f < num_formats; f++) {
      GLint count = -1, samples[8] = {0};
      glGetInternalformativ(GL_RENDERBUFFER, formats[f].internal, GL_NUM_SAMPLE_COUNTS, 1, &count);
      glGetInternalformativ(GL_RENDERBUFFER, formats[f].internal, GL_SAMPLES, 8, samples);
      printf("%s sample counts: %d, %d, error 0x%04x\n", formats[f].name, count, samples[0], glGetError());
   }
}

int
main(void)
{
   gles_open();
   print_single_attachments();
   print_pairs();
   print_sample_counts();
   return gles_close();
}
