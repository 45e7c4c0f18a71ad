/* SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "world.h"

/** What the shaders of a program see of a texture. */
static struct sampler_kind
kind_of(const struct texture *texture)
{
   static const struct {
      GLenum target;
      const char *type, *shadow;
      unsigned coordinates;
   } types[] = {
      {GL_TEXTURE_2D, "sampler2D", "sampler2DShadow", 2},
      {GL_TEXTURE_2D_ARRAY, "sampler2DArray", "sampler2DArrayShadow", 3},
      {GL_TEXTURE_3D, "sampler3D", "", 3},
      {GL_TEXTURE_CUBE_MAP, "samplerCube", "samplerCubeShadow", 3},
      {GL_TEXTURE_CUBE_MAP_ARRAY, "samplerCubeArray", "samplerCubeArrayShadow", 4},
      {GL_TEXTURE_BUFFER, "samplerBuffer", "", 1},
      {GL_TEXTURE_2D_MULTISAMPLE, "sampler2DMS", "", 2},
      {GL_TEXTURE_1D, "sampler1D", "", 1},
      {GL_TEXTURE_1D_ARRAY, "sampler1DArray", "", 2},
      {GL_TEXTURE_RECTANGLE, "sampler2DRect", "", 2},
   };
   unsigned t = 0;
   while (types[t].target != texture->target)
      t++;
   const int last = texture->levels - 1;
   const bool samples = texture->target == GL_TEXTURE_2D_MULTISAMPLE;
   return (struct sampler_kind){
      .type = texture->compares ? types[t].shadow : types[t].type,
      .sort = texture->format->sort,
      .coordinates = types[t].coordinates,
      .shadow = texture->compares,
      .fetched = samples || texture->target == GL_TEXTURE_BUFFER,
      .filtered = texture->filtered,
      .cube = texture->target == GL_TEXTURE_CUBE_MAP || texture->target == GL_TEXTURE_CUBE_MAP_ARRAY,
      .rectangle = texture->target == GL_TEXTURE_RECTANGLE,
      .sides = {(unsigned)side(texture->width, last), (unsigned)height_of(texture, last),
                samples ? 4 : (unsigned)side(texture->depth, last)},
      .levels = (unsigned)texture->levels,
   };
}

static GLuint
compile(struct world *world, GLenum stage, const char *source)
{
   char log[1000] = "";
   GLint compiled;
   const GLuint shader = glCreateShader(stage);
   glShaderSource(shader, 1, &source, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
   glGetShaderInfoLog(shader, sizeof log, NULL, log);
   if (world->verbose)
      fprintf(stderr, "%s\n", source);
   require(compiled, "seed %lu: a shader does not compile: %s\n%s", world->seed, log, source);
   return shader;
}

static void
link(struct world *world, struct program *program, const struct program_text *text)
{
   const struct {
      GLenum stage;
      const char *source;
   } stages[] = {
      {GL_VERTEX_SHADER, text->vertex},     {GL_TESS_CONTROL_SHADER, text->control},
      {GL_GEOMETRY_SHADER, text->geometry}, {GL_TESS_EVALUATION_SHADER, text->evaluation},
      {GL_FRAGMENT_SHADER, text->fragment}, {GL_COMPUTE_SHADER, text->compute},
   };
   char log[1000] = "";
   GLint linked;
   program->name = glCreateProgram();
   for (unsigned i = 0; i < sizeof stages / sizeof stages[0]; i++) {
      if (!*stages[i].source)
         continue;
      const GLuint shader = compile(world, stages[i].stage, stages[i].source);
      glAttachShader(program->name, shader);
      glDeleteShader(shader);
   }
   if (program->plan.captured)
      glTransformFeedbackVaryings(program->name, 1, &(const char *){"captured"}, GL_INTERLEAVED_ATTRIBS);
   glLinkProgram(program->name);
   glGetProgramiv(program->name, GL_LINK_STATUS, &linked);
   glGetProgramInfoLog(program->name, sizeof log, NULL, log);
   require(linked, "seed %lu: a program does not link: %s", world->seed, log);
}

static void
plan_geometry(struct dice *dice, struct program_plan *plan)
{
   static const struct {
      const char *name;
      unsigned vertices;
   } inputs[] = {
      {"triangles", 3}, {"triangles_adjacency", 6}, {"points", 1}, {"lines", 2}, {"lines_adjacency", 4}};
   /* Which pixels of lines and points are drawn is not exactly said. */
   const unsigned input = plan->tessellation ? 0 : roll(dice, plan->loose ? 5 : 2);
   plan->primitives_in = inputs[input].name;
   plan->vertices_in = inputs[input].vertices;
   plan->points_out = plan->vertices_in == 1 || (plan->loose && chance(dice, 20));
   plan->layered = chance(dice, 60);
}

void
create_program(struct world *world, int index)
{
   struct dice dice = dice_of(world->seed, 1000 + (unsigned)index);
   struct program *program = &world->programs[index];
   program->framebuffer = (int)roll(&dice, FRAMEBUFFERS);
   const struct framebuffer *framebuffer = &world->framebuffers[program->framebuffer];
   struct program_plan plan = {
      .desktop = world->desktop,
      .compatible = world->compatible,
      .wild = world->wild,
      .loose = world->loose,
      .compute = chance(&dice, 20),
      .geometry = chance(&dice, 20),
      .tessellation = chance(&dice, 20),
      .storage = chance(&dice, 25),
      .early_tests = chance(&dice, 20),
      .captured = chance(&dice, 30),
      .multisampled = framebuffer->samples > 0,
      .layers = (unsigned)framebuffer->layers,
      .color_count = framebuffer->color_count,
      .patch_vertices = 3 + roll(&dice, 2),
      .group = {1 + roll(&dice, 8), 1 + roll(&dice, 4), 1 + roll(&dice, 2)},
   };
   for (unsigned i = 0; i < plan.color_count; i++)
      plan.colors[i] = framebuffer->colors[i]->sort;
   if (plan.compute)
      plan.captured = false;
   if (plan.geometry)
      plan_geometry(&dice, &plan);
   if (plan.desktop) {
      plan.clips = chance(&dice, 40);
      plan.viewports = plan.geometry && chance(&dice, 30);
      plan.dual = plan.color_count == 1 && plan.colors[0] == FLOAT && chance(&dice, 30);
      plan.counts = chance(&dice, 40);
      plan.subroutines = chance(&dice, 30);
   }
   for (unsigned unit = 0; unit < TEXTURE_UNITS; unit++) {
      /* Not what it draws to. */
      do
         program->textures[unit] = (int)roll(&dice, (unsigned)world->texture_count);
      while (!plan.compute && world->textures[program->textures[unit]].framebuffer == program->framebuffer);
      plan.samplers[unit] = kind_of(&world->textures[program->textures[unit]]);
   }
   static struct program_text text;
   write_program(&dice, &plan, &text);
   program->plan = plan;
   link(world, program, &text);
}
