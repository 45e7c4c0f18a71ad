/* SPDX-License-Identifier: MIT */
/* image_views: images of texture views (ARB_texture_view) are of the view's kind, whatever the texture is that has the
 * texels: their layers are the view's, what lies outside reads as 0, imageSize() is the view's. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define SIZE 4
#define LEVELS 2

struct view {
   GLenum texture; /**< the texture's target */
   int layers;     /**< its layers, faces or slices */
   GLenum target;  /**< the view's */
   int level, first_layer, num_layers;
};

static const struct view views[] = {
   {GL_TEXTURE_1D, 1, GL_TEXTURE_1D, 1, 0, 1},
   {GL_TEXTURE_1D, 1, GL_TEXTURE_1D_ARRAY, 0, 0, 1},
   {GL_TEXTURE_1D_ARRAY, 7, GL_TEXTURE_1D, 0, 3, 1},
   {GL_TEXTURE_1D_ARRAY, 7, GL_TEXTURE_1D_ARRAY, 1, 2, 4},
   {GL_TEXTURE_2D, 1, GL_TEXTURE_2D, 1, 0, 1},
   {GL_TEXTURE_2D, 1, GL_TEXTURE_2D_ARRAY, 0, 0, 1},
   {GL_TEXTURE_2D, 1, GL_TEXTURE_2D_ARRAY, 1, 0, 1},
   {GL_TEXTURE_2D_ARRAY, 14, GL_TEXTURE_2D, 0, 3, 1},
   {GL_TEXTURE_2D_ARRAY, 14, GL_TEXTURE_2D, 1, 13, 1},
   {GL_TEXTURE_2D_ARRAY, 14, GL_TEXTURE_2D_ARRAY, 0, 5, 4},
   {GL_TEXTURE_2D_ARRAY, 14, GL_TEXTURE_2D_ARRAY, 1, 9, 1},
   {GL_TEXTURE_2D_ARRAY, 14, GL_TEXTURE_CUBE_MAP, 0, 2, 6},
   {GL_TEXTURE_2D_ARRAY, 14, GL_TEXTURE_CUBE_MAP_ARRAY, 0, 1, 12},
   {GL_TEXTURE_2D_ARRAY, 14, GL_TEXTURE_CUBE_MAP_ARRAY, 1, 8, 6},
   {GL_TEXTURE_2D_ARRAY, 1, GL_TEXTURE_2D_ARRAY, 0, 0, 1},
   {GL_TEXTURE_2D_ARRAY, 1, GL_TEXTURE_2D, 0, 0, 1},
   {GL_TEXTURE_CUBE_MAP, 6, GL_TEXTURE_2D, 0, 4, 1},
   {GL_TEXTURE_CUBE_MAP, 6, GL_TEXTURE_2D_ARRAY, 0, 1, 5},
   {GL_TEXTURE_CUBE_MAP, 6, GL_TEXTURE_CUBE_MAP, 1, 0, 6},
   {GL_TEXTURE_CUBE_MAP, 6, GL_TEXTURE_CUBE_MAP_ARRAY, 0, 0, 6},
   {GL_TEXTURE_CUBE_MAP_ARRAY, 18, GL_TEXTURE_2D, 0, 17, 1},
   {GL_TEXTURE_CUBE_MAP_ARRAY, 18, GL_TEXTURE_2D_ARRAY, 0, 3, 12},
   {GL_TEXTURE_CUBE_MAP_ARRAY, 18, GL_TEXTURE_CUBE_MAP, 0, 7, 6},
   {GL_TEXTURE_CUBE_MAP_ARRAY, 18, GL_TEXTURE_CUBE_MAP_ARRAY, 1, 6, 12},
   {GL_TEXTURE_3D, 5, GL_TEXTURE_3D, 0, 0, 1},
   {GL_TEXTURE_3D, 5, GL_TEXTURE_3D, 1, 0, 1},
};

/** What a target's images are in shaders: the names of all of it and of one layer, and how coordinates and size are
 * made of x, y and the layer. */
static const struct kind {
   GLenum target;
   bool has_rows;
   const char *type, *place; /**< of an image of all layers */
   const char *layer_type, *layer_place;
   int components; /**< of the size */
   int faces;      /**< layers of one element of the size's last component; 0: it has none */
} kinds[] = {
   {GL_TEXTURE_1D, false, "uimage1D", "place.x", "uimage1D", "place.x", 1, 0},
   {GL_TEXTURE_1D_ARRAY, false, "uimage1DArray", "place.xz", "uimage1D", "place.x", 2, 1},
   {GL_TEXTURE_2D, true, "uimage2D", "place.xy", "uimage2D", "place.xy", 2, 0},
   {GL_TEXTURE_2D_ARRAY, true, "uimage2DArray", "place", "uimage2D", "place.xy", 3, 1},
   {GL_TEXTURE_CUBE_MAP, true, "uimageCube", "place", "uimage2D", "place.xy", 2, 0},
   {GL_TEXTURE_CUBE_MAP_ARRAY, true, "uimageCubeArray", "place", "uimage2D", "place.xy", 3, 6},
   {GL_TEXTURE_3D, true, "uimage3D", "place", "uimage2D", "place.xy", 3, 1},
};

static const struct kind *
kind_of(GLenum target)
{
   const struct kind *kind = kinds;
   while (kind->target != target)
      kind++;
   return kind;
}

/* ---- textures --------------------------------------------------------------- */

/** A texel's value: which one it is. */
static GLuint
value_of(int level, int layer, int x, int y)
{
   return 1 + x + 10 * y + 100 * layer + 10000 * level;
}

static void
fill_layer(GLenum target, int level, int layer)
{
   GLuint texels[SIZE * SIZE];
   const int size = SIZE >> level;
   for (int i = 0; i < size * size; i++)
      texels[i] = value_of(level, layer, i % size, i / size);
   if (target == GL_TEXTURE_1D)
      glTexSubImage1D(target, level, 0, size, GL_RED_INTEGER, GL_UNSIGNED_INT, texels);
   else if (target == GL_TEXTURE_1D_ARRAY)
      glTexSubImage2D(target, level, 0, layer, size, 1, GL_RED_INTEGER, GL_UNSIGNED_INT, texels);
   else if (target == GL_TEXTURE_2D || target == GL_TEXTURE_CUBE_MAP)
      glTexSubImage2D(target == GL_TEXTURE_2D ? target : (GLenum)GL_TEXTURE_CUBE_MAP_POSITIVE_X + layer,
                      level, 0, 0, size, size, GL_RED_INTEGER, GL_UNSIGNED_INT, texels);
   else
      glTexSubImage3D(target, level, 0, 0, layer, size, size, 1, GL_RED_INTEGER, GL_UNSIGNED_INT, texels);
}

static GLuint
create_texture(GLenum target, int layers)
{
   const GLuint texture = bind_new_texture(target);
   if (target == GL_TEXTURE_1D)
      glTexStorage1D(target, LEVELS, GL_R32UI, SIZE);
   else if (target == GL_TEXTURE_1D_ARRAY)
      glTexStorage2D(target, LEVELS, GL_R32UI, SIZE, layers);
   else if (target == GL_TEXTURE_2D || target == GL_TEXTURE_CUBE_MAP)
      glTexStorage2D(target, LEVELS, GL_R32UI, SIZE, SIZE);
   else
      glTexStorage3D(target, LEVELS, GL_R32UI, SIZE, SIZE, layers);
   for (int level = 0; level < LEVELS; level++) {
      for (int layer = 0; layer < (target == GL_TEXTURE_3D ? layers >> level : layers); layer++)
         fill_layer(target, level, layer);
   }
   return texture;
}

/* ---- shaders ---------------------------------------------------------------- */

struct results {
   GLint size[4];
   GLuint texel;
};

/** Loads the texel (x, y) of a layer and the image's size: in a compute shader, a fragment shader or a vertex shader. */
static GLuint
build(const struct kind *kind, bool all_layers, GLenum stage)
{
   static const char *const padding[] = {"", ", 0, 0, 0", ", 0, 0", ", 0"};
   char source[1000];
   const int components = all_layers ? kind->components : kind->has_rows ? 2 : 1;
   const bool compute = stage == GL_COMPUTE_SHADER, vertex = stage == GL_VERTEX_SHADER;
   snprintf(source, sizeof source,
            "%slayout(r32ui, binding = 0) readonly uniform %s image;\n"
            "layout(std430, binding = 0) buffer Results { ivec4 size; uint texel; };\n"
            "uniform ivec3 place;\n"
            "void main() {\n"
            "   size = ivec4(imageSize(image)%s);\n"
            "   texel = imageLoad(image, %s).x;\n"
            "%s}\n",
            compute ? "layout(local_size_x = 1) in;\n" : "", all_layers ? kind->type : kind->layer_type,
            padding[components], all_layers ? kind->place : kind->layer_place,
            vertex ? "   gl_Position = vec4(0, 0, 0, 1);\n" : "");
   const GLuint shader = compile_shader(stage, "#version 430\n", source);
   if (compute)
      return link_shaders(shader, 0);
   return link_shaders(shader,
                       compile_shader(vertex ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER, "#version 430\n",
                                      vertex ? "void main() {}"
                                             : "void main() { gl_Position = vec4(0, 0, 0, 1); }"));
}

static struct results
run(GLuint program, GLenum stage, int x, int y, int layer)
{
   struct results results = {{-1, -1, -1, -1}, 0xdead};
   glUniform3i(glGetUniformLocation(program, "place"), x, y, layer);
   glBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, sizeof results, &results);
   if (stage == GL_COMPUTE_SHADER)
      glDispatchCompute(1, 1, 1);
   else
      glDrawArrays(GL_POINTS, 0, 1);
   glMemoryBarrier(GL_ALL_BARRIER_BITS);
   glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, sizeof results, &results);
   return results;
}

/* ---- checks ----------------------------------------------------------------- */

/** bound: the layer that is bound, or -1: all of them. */
static void
check_image(const struct view *view, GLuint texture, int bound, GLenum stage)
{
   const struct kind *kind = kind_of(view->target);
   const bool all = bound < 0;
   const int size = SIZE >> view->level;
   const int layers = !all                            ? 1
                      : view->target == GL_TEXTURE_3D ? view->layers >> view->level
                                                      : view->num_layers;
   const int rows = kind->has_rows ? size : 1;
   const GLuint program = build(kind, all, stage);
   glBindImageTexture(0, texture, 0, all, all ? 0 : bound, GL_READ_ONLY, GL_R32UI);
   glUseProgram(program);
   for (int layer = -1; layer <= layers; layer++) {
      /* Where there are no layers, or no rows, shaders cannot name another one. */
      const bool named = all && (kind->faces || view->target == GL_TEXTURE_CUBE_MAP);
      if (!named && layer)
         continue;
      for (int x = size - 1; x <= size; x++) {
         const struct results results = run(program, stage, x, rows - 1, layer);
         const bool inside = x < size && layer >= 0 && layer < layers;
         const int texel_layer = view->first_layer + (all ? layer : bound);
         const GLuint wanted = inside ? value_of(view->level, texel_layer, x, rows - 1) : 0;
         holds(results.texel == wanted,
               "stage 0x%04x: level %d of 0x%04x as 0x%04x, layer %d of %d from %d on: texel %d is %u "
               "instead of %u",
               stage, view->level, view->texture, view->target, all ? layer : bound, view->num_layers,
               view->first_layer, x, results.texel, wanted);
      }
   }
   int wanted[4] = {size};
   int n = 1;
   if (kind->has_rows)
      wanted[n++] = size;
   if (all && kind->faces)
      wanted[n++] = layers / kind->faces;
   const struct results results = run(program, stage, 0, 0, 0);
   for (int i = 0; i < 4; i++)
      holds(
         results.size[i] == wanted[i],
         "stage 0x%04x: component %d of the size of level %d of 0x%04x as 0x%04x, %d layers from %d on: %d "
         "instead of %d",
         stage, i, view->level, view->texture, view->target, layers, view->first_layer, results.size[i],
         wanted[i]);
   glUseProgram(0);
   glDeleteProgram(program);
}

static void
check_view(const struct view *view, GLenum stage)
{
   GLuint seen;
   const GLuint texture = create_texture(view->texture, view->layers);
   glGenTextures(1, &seen);
   glTextureView(seen, view->target, texture, GL_R32UI, view->level, 1, view->first_layer, view->num_layers);
   check_image(view, seen, -1, stage);
   if (view->target != GL_TEXTURE_1D && view->target != GL_TEXTURE_2D)
      check_image(view, seen, view->target == GL_TEXTURE_3D ? 1 : view->num_layers - 1, stage);
   glDeleteTextures(1, &seen);
   glDeleteTextures(1, &texture);
}

int
main(void)
{
   static const GLenum stages[] = {GL_COMPUTE_SHADER, GL_FRAGMENT_SHADER, GL_VERTEX_SHADER};
   GLuint buffer;
   egl_open_context((struct surface_request){SURFACELESS}, true, 4, 5);
   bind_new_vertex_array();
   bind_new_framebuffer(0);
   const GLuint renderbuffer = bind_new_renderbuffer(GL_RGBA8, 1, 1);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer);
   glViewport(0, 0, 1, 1);
   buffer = create_buffer(GL_SHADER_STORAGE_BUFFER, NULL, sizeof(struct results));
   glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
   for (unsigned s = 0; s < COUNT_OF(stages); s++) {
      for (unsigned i = 0; i < COUNT_OF(views); i++)
         check_view(&views[i], stages[s]);
   }
   const GLenum error = glGetError();
   holds(error == GL_NO_ERROR, "GL reports error 0x%04x", error);
   return check_status();
}
