/* SPDX-License-Identifier: MIT */
/* fixed_rates: programs may ask for lossy compression at a fixed rate (EXT_texture_storage_compression,
 * EGL_EXT_surface_compression). The driver has none: there are no rates, and a texture has none, whatever was asked for.
 * So what the extensions forbid for compressed textures is allowed, and pixels are exact. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl31.h>
#include <GLES2/gl2ext.h>

#include "gles.h"
#include "support/egl.h"

#define SIZE 16
#define NUM_ASKED \
   (GL_SURFACE_COMPRESSION_FIXED_RATE_12BPC_EXT - GL_SURFACE_COMPRESSION_FIXED_RATE_NONE_EXT + 1)

static PFNGLTEXSTORAGEATTRIBS2DEXTPROC tex_storage_2d;
static PFNGLTEXSTORAGEATTRIBS3DEXTPROC tex_storage_3d;

static void
check_formats(void)
{
   static const GLenum formats[] = {GL_RGBA8, GL_RGB565, GL_RGB10_A2, GL_RGBA16F, GL_DEPTH24_STENCIL8};
   for (unsigned i = 0; i < COUNT_OF(formats); i++) {
      GLint count = -1, rate = -1;
      glGetInternalformativ(GL_RENDERBUFFER, formats[i], GL_NUM_SURFACE_COMPRESSION_FIXED_RATES_EXT, 1,
                            &count);
      glGetInternalformativ(GL_RENDERBUFFER, formats[i], GL_SURFACE_COMPRESSION_EXT, 1, &rate);
      holds(count == 0 && rate == -1, "format %04x: %d rates, the first %04x", formats[i], count, rate);
   }
}

static void
check_configurations(EGLDisplay display)
{
   const PFNEGLQUERYSUPPORTEDCOMPRESSIONRATESEXTPROC query =
      (PFNEGLQUERYSUPPORTEDCOMPRESSIONRATESEXTPROC)eglGetProcAddress("eglQuerySupportedCompressionRatesEXT");
   EGLConfig configurations[64];
   EGLint count = 0;
   require(query != NULL && eglGetConfigs(display, configurations, COUNT_OF(configurations), &count) && count,
           "no configurations, or no query of their rates");
   for (int i = 0; i < count; i++) {
      EGLint rates[16], num_rates = -1;
      const EGLBoolean ok = query(display, configurations[i], NULL, rates, COUNT_OF(rates), &num_rates);
      holds(ok && num_rates == 0, "configuration %d: %d rates", i, num_rates);
   }
}

/** A texture that was created with the rate that was asked for, bound. */
static GLuint
create(GLenum target, GLint asked)
{
   const GLint attributes[] = {GL_SURFACE_COMPRESSION_EXT, asked, GL_NONE};
   const GLuint texture = bind_new_texture(target);
   if (target == GL_TEXTURE_2D)
      tex_storage_2d(target, 1, GL_RGBA8, SIZE, SIZE, attributes);
   else
      tex_storage_3d(target, 1, GL_RGBA8, SIZE, SIZE, 2, attributes);
   return texture;
}

static void
check_rates(GLenum target)
{
   for (GLint i = 0; i < NUM_ASKED; i++) {
      const GLint asked = GL_SURFACE_COMPRESSION_FIXED_RATE_NONE_EXT + i;
      if (asked == GL_SURFACE_COMPRESSION_FIXED_RATE_DEFAULT_EXT + 1)
         continue; /* no rate */
      GLint rate = 0;
      create(target, asked);
      glGetTexParameteriv(target, GL_SURFACE_COMPRESSION_EXT, &rate);
      holds(rate == GL_SURFACE_COMPRESSION_FIXED_RATE_NONE_EXT, "target %04x, asked for %04x: has %04x",
            target, asked, rate);
   }
}

/** A texture that was asked to be lossy keeps its pixels, is an image of a shader, and is shared as an EGL image. */
static void
check_use(EGLDisplay display)
{
   const PFNGLEGLIMAGETARGETTEXTURE2DOESPROC set_image =
      (PFNGLEGLIMAGETARGETTEXTURE2DOESPROC)eglGetProcAddress("glEGLImageTargetTexture2DOES");
   const GLuint texture = create(GL_TEXTURE_2D, GL_SURFACE_COMPRESSION_FIXED_RATE_1BPC_EXT);
   bind_new_framebuffer(texture);
   glClearColor(1 / 255.0f, 2 / 255.0f, 3 / 255.0f, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   holds(gles_pixel(3, 5) == 0x010203ff, "a pixel is %08x", gles_pixel(3, 5));

   glBindImageTexture(0, texture, 0, GL_FALSE, 0, GL_READ_WRITE, GL_RGBA8);
   const EGLImage image = eglCreateImage(display, eglGetCurrentContext(), EGL_GL_TEXTURE_2D,
                                         (EGLClientBuffer)(uintptr_t)texture, (EGLAttrib[]){EGL_NONE});
   require(image != EGL_NO_IMAGE && set_image, "no EGL image");
   bind_new_texture(GL_TEXTURE_2D);
   set_image(GL_TEXTURE_2D, image);
   const GLenum error = glGetError();
   holds(error == GL_NO_ERROR, "as an image: error %04x", error);
   eglDestroyImage(display, image);
}

int
main(void)
{
   struct egl egl = egl_open_context((struct surface_request){SURFACELESS}, false, 3, 1);
   tex_storage_2d = (PFNGLTEXSTORAGEATTRIBS2DEXTPROC)eglGetProcAddress("glTexStorageAttribs2DEXT");
   tex_storage_3d = (PFNGLTEXSTORAGEATTRIBS3DEXTPROC)eglGetProcAddress("glTexStorageAttribs3DEXT");
   require(has_extension("GL_EXT_texture_storage_compression"), "no EXT_texture_storage_compression");
   check_formats();
   check_configurations(egl.display);
   check_rates(GL_TEXTURE_2D);
   check_rates(GL_TEXTURE_2D_ARRAY);
   check_use(egl.display);
   holds(glGetError() == GL_NO_ERROR, "GL reports an error");
   egl_close(&egl);
   return check_status();
}
