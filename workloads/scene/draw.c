/* SPDX-License-Identifier: MIT */
#include "draw.h"

#include <stdlib.h>

struct program
find_uniforms(GLuint name)
{
   return (struct program){
      name,
      glGetUniformLocation(name, "object"),
      glGetUniformLocation(name, "view"),
      glGetUniformLocation(name, "scroll"),
      glGetUniformLocation(name, "tint"),
   };
}

static void
create_buffers(struct renderer *renderer)
{
   static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
   const struct scene *scene = renderer->scene;
   glGenBuffers(3, renderer->buffers);
   glBindBuffer(GL_ARRAY_BUFFER, renderer->buffers[2]);
   glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
   glBindBuffer(GL_ARRAY_BUFFER, renderer->buffers[0]);
   glBufferData(GL_ARRAY_BUFFER, scene->num_vertices * sizeof *scene->vertices, scene->vertices,
                GL_STATIC_DRAW);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, renderer->buffers[1]);
   glBufferData(GL_ELEMENT_ARRAY_BUFFER, scene->num_indices * sizeof *scene->indices, scene->indices,
                GL_STATIC_DRAW);
}

/* The vertex shader's instructions where a share of the fragment shader's is asked for. */
static unsigned
vertex_instructions(const struct scene *scene)
{
   const struct description *description = scene->description;
   if (description->vertex_share <= 0)
      return description->vertex_instructions;
   const struct measure measure = measure_frame(scene, 0);
   struct samples *samples = sample_frame(scene, 0);
   const double fragment = sampled_fragments(samples) * description->instructions;
   free_samples(samples);
   return (unsigned)(description->vertex_share * fragment / measure.vertices + 0.5);
}

struct renderer *
create_renderer(const struct scene *scene)
{
   const struct description *description = scene->description;
   struct renderer *renderer = allocate(1, sizeof *renderer);
   renderer->scene = scene;
   create_buffers(renderer);
   renderer->textures = allocate(scene->num_textures, sizeof *renderer->textures);
   for (unsigned i = 0; i < scene->num_textures; i++)
      renderer->textures[i] = create_texture(scene->textures[i], scene->texture_size,
                                             description->texture_format, description->texture_filter);
   struct shader_request request = {
      .reads = description->texture_reads,
      .instructions = description->instructions,
      .vertex_instructions = vertex_instructions(scene),
      .targets = description->gbuffer ? description->gbuffer : 1,
      .perspective = scene->perspective,
   };
   for (unsigned i = 0; i < scene->num_objects; i++) {
      request.attributes = scene->objects[i].attributes;
      struct program *program = &renderer->programs[request.attributes];
      if (!program->name)
         *program = find_uniforms(build_scene_program(request));
   }
   if (description->shadow_maps)
      renderer->shadow =
         find_uniforms(build_shadow_program(description->shadow_kind == SHADOW_COLOR, scene->perspective));
   if (description->target != WINDOW)
      renderer->passes = create_passes(renderer);
   return renderer;
}

struct view
main_view(const struct scene *scene)
{
   return (struct view){
      .scale = {2.0f / scene->description->width, 2.0f / scene->description->height},
      .shift = 2 * scene->horizon,
   };
}

static void
bind_textures(const struct renderer *renderer, unsigned first)
{
   for (unsigned i = 0; i < renderer->scene->description->texture_reads; i++) {
      glActiveTexture(GL_TEXTURE0 + i);
      glBindTexture(GL_TEXTURE_2D, renderer->textures[(first + 5 * i) % renderer->scene->num_textures]);
   }
}

static void
draw_object(const struct renderer *renderer, const struct object *object, const struct program *program,
            unsigned frame)
{
   const struct scene *scene = renderer->scene;
   float at[4];
   object_position(scene, object, frame, at);
   glUniform4fv(program->object, 1, at);
   glUniform2f(program->scroll, object->scroll[0] * frame, object->scroll[1] * frame);
   glUniform3fv(program->tint, 1, object->tint);
   glDrawElements(GL_TRIANGLES, object_indices(scene, object), GL_UNSIGNED_SHORT,
                  (void *)(scene->meshes[object->mesh].first_index * sizeof *scene->indices));
}

static void
set_vertices(const struct renderer *renderer)
{
   static const GLint sizes[3] = {3, 2, 3};
   static const size_t offsets[3] = {offsetof(struct vertex, position), offsetof(struct vertex, coordinates),
                                     offsetof(struct vertex, normal)};
   glBindBuffer(GL_ARRAY_BUFFER, renderer->buffers[0]);
   for (unsigned i = 0; i < 3; i++) {
      glEnableVertexAttribArray(i);
      glVertexAttribPointer(i, sizes[i], GL_FLOAT, GL_FALSE, sizeof(struct vertex), (void *)offsets[i]);
   }
}

/** Opaque objects, then those that are blended, each in the scene's order. */
void
draw_objects(const struct renderer *renderer, unsigned frame, const struct view *view, bool shadow)
{
   const struct scene *scene = renderer->scene;
   set_vertices(renderer);
   glEnable(GL_CULL_FACE);
   glFrontFace(view->flipped ? GL_CW : GL_CCW);
   if (scene->perspective)
      glEnable(GL_DEPTH_TEST);
   glDepthFunc(GL_LEQUAL);
   glBlendColor(0, 0, 0, 0.75f);
   glBlendFunc(GL_CONSTANT_ALPHA, GL_ONE_MINUS_CONSTANT_ALPHA);
   GLuint current = 0;
   for (unsigned blended = 0; blended < (shadow ? 1 : 2); blended++) {
      (blended ? glEnable : glDisable)(GL_BLEND);
      glDepthMask(!blended);
      for (unsigned i = 0; i < scene->num_objects; i++) {
         const struct object *object = &scene->objects[i];
         if (object->blended != (blended != 0) || (shadow && object->backdrop))
            continue;
         const struct program *program = shadow ? &renderer->shadow : &renderer->programs[object->attributes];
         if (program->name != current) {
            current = program->name;
            glUseProgram(current);
            glUniform4f(program->view, view->scale[0], view->scale[1], view->shift, 0);
         }
         if (!shadow)
            bind_textures(renderer, object->texture);
         draw_object(renderer, object, program, frame);
      }
   }
   glDepthMask(GL_TRUE);
   glDisable(GL_BLEND);
   glDisable(GL_CULL_FACE);
   glDisable(GL_DEPTH_TEST);
}

void
draw_frame(struct renderer *renderer, unsigned frame)
{
   const struct scene *scene = renderer->scene;
   if (renderer->passes) {
      draw_passes(renderer, frame);
      return;
   }
   const struct view view = main_view(scene);
   glViewport(0, 0, scene->width, scene->height);
   glClearColor(0, 0, 0, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   draw_objects(renderer, frame, &view, false);
}

void
free_renderer(struct renderer *renderer)
{
   if (renderer->passes)
      free_passes(renderer->passes);
   free(renderer->textures);
   free(renderer);
}
