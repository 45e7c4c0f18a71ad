/* SPDX-License-Identifier: MIT */
/** The render passes of a frame: shadow maps, a reflection, the scene off the screen (with a G-buffer, or several samples a
 * pixel), light, bloom, a chain of post-processing, and the window. */
#include <stdlib.h>

#include "draw.h"

#define MAX_TARGETS 4
#define FULL_SCREEN_INSTRUCTIONS 24

struct target {
   GLuint framebuffer, colors[MAX_TARGETS], depth;
   unsigned width, height, num_colors;
   GLuint
      samples; /**< the framebuffer of several samples that is drawn to, and then resolved into the other; 0: there is none */
};

struct passes {
   struct target shadows[4], reflection, main, light, chain[2], bloom[6];
   struct {
      GLuint name;
      GLint object, shares;
   } programs[MAX_READS + 1]; /* full-screen passes by their reads */
};

/* ---- targets ------------------------------------------------------------------------------------------------ */

static GLuint
create_image(GLenum format, unsigned width, unsigned height, GLenum filter)
{
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
   return texture;
}

static const GLenum all[MAX_TARGETS] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2,
                                        GL_COLOR_ATTACHMENT3};

static void
check_framebuffer(void)
{
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      fail("the driver cannot render to a target of this format");
}

static struct target
create_target(unsigned width, unsigned height, unsigned colors, GLenum format, bool depth)
{
   struct target target = {.width = width ? width : 1, .height = height ? height : 1, .num_colors = colors};
   glGenFramebuffers(1, &target.framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, target.framebuffer);
   for (unsigned i = 0; i < colors; i++) {
      target.colors[i] = create_image(format, target.width, target.height, GL_LINEAR);
      glFramebufferTexture2D(GL_FRAMEBUFFER, all[i], GL_TEXTURE_2D, target.colors[i], 0);
   }
   if (depth) {
      target.depth = create_image(GL_DEPTH_COMPONENT24, target.width, target.height, GL_NEAREST);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, target.depth, 0);
   }
   glDrawBuffers(colors, all);
   check_framebuffer();
   return target;
}

static void
attach_samples(const struct target *target, unsigned samples, GLenum format, GLenum attachment)
{
   GLuint buffer;
   glGenRenderbuffers(1, &buffer);
   glBindRenderbuffer(GL_RENDERBUFFER, buffer);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, target->width, target->height);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer);
}

static void
add_samples(struct target *target, unsigned samples, GLenum format)
{
   glGenFramebuffers(1, &target->samples);
   glBindFramebuffer(GL_FRAMEBUFFER, target->samples);
   for (unsigned i = 0; i < target->num_colors; i++)
      attach_samples(target, samples, format, all[i]);
   attach_samples(target, samples, GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT);
   glDrawBuffers(target->num_colors, all);
   check_framebuffer();
}

static bool
has_light(const struct description *description)
{
   return description->gbuffer || description->shadow_maps || description->reflection > 0;
}

static void
create_targets(struct passes *passes, const struct scene *scene)
{
   static const GLenum formats[] = {
      [TARGET_RGBA8] = GL_RGBA8, [TARGET_RGB10_A2] = GL_RGB10_A2, [TARGET_RGBA16F] = GL_RGBA16F};
   const struct description *description = scene->description;
   const GLenum format = formats[description->target];
   const unsigned width = scene->width * description->scale, height = scene->height * description->scale;
   for (unsigned i = 0; i < description->shadow_maps; i++)
      passes->shadows[i] = create_target(description->shadow_size, description->shadow_size,
                                         description->shadow_kind == SHADOW_COLOR, GL_RGBA8, true);
   if (description->reflection > 0)
      passes->reflection = create_target(width * description->reflection, height * description->reflection,
                                         description->gbuffer ? description->gbuffer : 1, format, true);
   passes->main = create_target(width, height, description->gbuffer ? description->gbuffer : 1, format, true);
   if (description->samples > 1)
      add_samples(&passes->main, description->samples, format);
   if (has_light(description))
      passes->light = create_target(width, height, 1, format, false);
   for (unsigned i = 0; i < 2 && i < description->post; i++)
      passes->chain[i] = create_target(width, height, 1, format, false);
   for (unsigned i = 0; i < description->bloom; i++)
      passes->bloom[i] = create_target(width >> (i + 1), height >> (i + 1), 1, format, false);
}

struct passes *
create_passes(const struct renderer *renderer)
{
   struct passes *passes = allocate(1, sizeof *passes);
   create_targets(passes, renderer->scene);
   glBindFramebuffer(GL_FRAMEBUFFER, 0);
   return passes;
}

/* ---- full-screen passes --------------------------------------------------------------------------------------- */

/* What a full-screen pass reads: images and the shares at which they are added. */
struct input {
   GLuint images[MAX_READS];
   float shares[4 * MAX_READS];
   unsigned count;
};

static void
add_input(struct input *input, GLuint image, float share)
{
   if (input->count == MAX_READS)
      return;
   for (unsigned c = 0; c < 4; c++)
      input->shares[4 * input->count + c] = share;
   input->images[input->count++] = image;
}

/* To the target's lower left part; NULL: to the window. */
static void
full_screen(const struct renderer *renderer, const struct target *target, const struct input *input,
            float part)
{
   struct passes *passes = renderer->passes;
   const struct scene *scene = renderer->scene;
   if (!passes->programs[input->count].name) {
      const GLuint name = build_full_screen_program(input->count, FULL_SCREEN_INSTRUCTIONS);
      passes->programs[input->count].name = name;
      passes->programs[input->count].object = glGetUniformLocation(name, "object");
      passes->programs[input->count].shares = glGetUniformLocation(name, "shares");
   }
   glBindFramebuffer(GL_FRAMEBUFFER, target ? target->framebuffer : 0);
   glViewport(0, 0, target ? target->width : scene->width, target ? target->height : scene->height);
   glUseProgram(passes->programs[input->count].name);
   glUniform4f(passes->programs[input->count].object, part, part, 0, 0);
   glUniform4fv(passes->programs[input->count].shares, MAX_READS, input->shares);
   for (unsigned i = 0; i < input->count; i++) {
      glActiveTexture(GL_TEXTURE0 + i);
      glBindTexture(GL_TEXTURE_2D, input->images[i]);
   }
   glBindBuffer(GL_ARRAY_BUFFER, renderer->buffers[2]);
   glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
   glDisableVertexAttribArray(1);
   glDisableVertexAttribArray(2);
   glDrawArrays(GL_TRIANGLES, 0, 6);
}

/* Colour by colour, as one buffer is read at a time; depth where a pass reads it. The samples are not needed any more. */
static void
resolve(const struct target *target, bool depth)
{
   glBindFramebuffer(GL_READ_FRAMEBUFFER, target->samples);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, target->framebuffer);
   for (unsigned i = 0; i < target->num_colors; i++) {
      GLenum one[MAX_TARGETS] = {GL_NONE, GL_NONE, GL_NONE, GL_NONE};
      one[i] = all[i];
      glReadBuffer(all[i]);
      glDrawBuffers(target->num_colors, one);
      glBlitFramebuffer(0, 0, target->width, target->height, 0, 0, target->width, target->height,
                        GL_COLOR_BUFFER_BIT | (depth && !i ? GL_DEPTH_BUFFER_BIT : 0), GL_NEAREST);
   }
   glInvalidateFramebuffer(GL_READ_FRAMEBUFFER, target->num_colors, all);
   glInvalidateFramebuffer(GL_READ_FRAMEBUFFER, 1, (const GLenum[]){GL_DEPTH_ATTACHMENT});
}

static void
draw_scene(const struct renderer *renderer, const struct target *target, const struct view *view,
           unsigned frame, bool shadow)
{
   glBindFramebuffer(GL_FRAMEBUFFER, target->samples ? target->samples : target->framebuffer);
   glViewport(0, 0, target->width, target->height);
   glClearColor(shadow, shadow, shadow, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   draw_objects(renderer, frame, view, shadow);
   if (target->samples)
      resolve(target, renderer->scene->description->gbuffer > 0);
}

/* ---- a frame ---------------------------------------------------------------------------------------------------- */

/* Each light looks from a bit farther to one side, and sees less of the scene in more detail than the one before. */
static void
draw_shadows(const struct renderer *renderer, unsigned frame)
{
   for (unsigned i = 0; i < renderer->scene->description->shadow_maps; i++) {
      struct view view = main_view(renderer->scene);
      view.scale[0] *= 0.7f + 0.2f * i;
      view.scale[1] *= 0.7f + 0.2f * i;
      view.shift = 0.1f * i;
      draw_scene(renderer, &renderer->passes->shadows[i], &view, frame, true);
   }
}

/* The scene as its light is, and what the shadow maps and the reflection add to a part of it. */
static const struct target *
draw_light(const struct renderer *renderer)
{
   const struct description *description = renderer->scene->description;
   const struct passes *passes = renderer->passes;
   struct input input = {0};
   for (unsigned i = 0; i < passes->main.num_colors; i++)
      add_input(&input, passes->main.colors[i], 1.0f / passes->main.num_colors);
   if (description->gbuffer)
      add_input(&input, passes->main.depth, 0.02f);
   full_screen(renderer, &passes->light, &input, 1);
   input.count = 0;
   for (unsigned i = 0; i < description->shadow_maps; i++)
      add_input(&input,
                description->shadow_kind == SHADOW_COLOR ? passes->shadows[i].colors[0]
                                                         : passes->shadows[i].depth,
                -0.06f);
   if (description->reflection > 0)
      add_input(&input, passes->reflection.colors[0], 0.15f);
   if (!input.count)
      return &passes->light;
   glEnable(GL_BLEND);
   glBlendFunc(GL_ONE, GL_ONE);
   full_screen(renderer, &passes->light, &input, (float)description->consumed);
   glDisable(GL_BLEND);
   return &passes->light;
}

/* Each level from the one before, half as large, and back; the result is as large as the first level. */
static void
draw_bloom(const struct renderer *renderer, const struct target *source)
{
   struct passes *passes = renderer->passes;
   const unsigned levels = renderer->scene->description->bloom;
   for (unsigned i = 0; i < levels; i++) {
      struct input input = {0};
      add_input(&input, i ? passes->bloom[i - 1].colors[0] : source->colors[0], 1);
      full_screen(renderer, &passes->bloom[i], &input, 1);
   }
   glEnable(GL_BLEND);
   glBlendFunc(GL_ONE, GL_ONE);
   for (unsigned i = levels; i > 1; i--) {
      struct input input = {0};
      add_input(&input, passes->bloom[i - 1].colors[0], 0.3f);
      full_screen(renderer, &passes->bloom[i - 2], &input, 1);
   }
   glDisable(GL_BLEND);
}

void
draw_passes(const struct renderer *renderer, unsigned frame)
{
   const struct description *description = renderer->scene->description;
   const struct passes *passes = renderer->passes;
   const struct view view = main_view(renderer->scene);
   draw_shadows(renderer, frame);
   if (description->reflection > 0) {
      struct view flipped = view;
      flipped.scale[1] = -view.scale[1];
      flipped.shift = -view.shift;
      flipped.flipped = true;
      draw_scene(renderer, &passes->reflection, &flipped, frame, false);
   }
   draw_scene(renderer, &passes->main, &view, frame, false);
   const struct target *result = has_light(description) ? draw_light(renderer) : &passes->main;
   if (description->bloom)
      draw_bloom(renderer, result);
   for (unsigned i = 0; i < description->post; i++) {
      struct input input = {0};
      add_input(&input, result->colors[0], 1);
      full_screen(renderer, &passes->chain[i % 2], &input, 1);
      result = &passes->chain[i % 2];
   }
   struct input input = {0};
   add_input(&input, result->colors[0], description->bloom ? 0.85f : 1);
   if (description->bloom)
      add_input(&input, passes->bloom[0].colors[0], 0.2f);
   full_screen(renderer, NULL, &input, 1);
}

void
free_passes(struct passes *passes)
{
   free(passes);
}
