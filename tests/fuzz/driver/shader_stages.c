/* SPDX-License-Identifier: MIT */
#include "shader_desktop.h"

static const char *
type_of(enum sort sort, unsigned components)
{
   static const char *const types[][5] = {
      [FLOAT] = {"", "float", "vec2", "vec3", "vec4"},
      [INT] = {"", "int", "ivec2", "ivec3", "ivec4"},
      [UINT] = {"", "uint", "uvec2", "uvec3", "uvec4"},
   };
   return types[sort][components];
}

static struct writer
begin(struct dice *dice, const struct program_plan *plan, enum stage stage, char *text)
{
   struct writer writer = {.dice = dice, .plan = plan, .stage = stage, .text = text};
   put(&writer, !plan->desktop     ? "#version 320 es\n"
                : plan->compatible ? "#version 450 compatibility\n"
                                   : "#version 450 core\n");
   put(&writer, "precision %s float;\nprecision highp int;\n",
       plan->wild && !plan->desktop && chance(dice, 30) ? "mediump" : "highp");
   return writer;
}

static void
begin_main(struct writer *writer)
{
   put_declarations(writer);
   put(writer, "void main() {\n");
   put_locals(writer);
   writer->uniform_flow = true;
}

/* ---- varyings ------------------------------------------------------------------ */

static void
choose_varyings(struct dice *dice, struct program_plan *plan)
{
   static const char *const qualifiers[] = {"", "", "centroid ", "sample "};
   plan->varying_count = roll(dice, MAX_VARYINGS + 1);
   for (unsigned v = 0; v < plan->varying_count; v++) {
      struct varying *varying = &plan->varyings[v];
      varying->sort = PICK(dice, ((enum sort[]){FLOAT, FLOAT, FLOAT, INT, UINT}));
      varying->components = 1 + roll(dice, 4);
      varying->flat = varying->sort != FLOAT || chance(dice, 20);
      /* Where a pixel is covered in part, it is up to the driver where these are. */
      varying->qualifier = plan->loose && !varying->flat ? PICK(dice, qualifiers) : "";
   }
}

/** The declarations of a side of a stage; a prefix for their names. */
static void
put_varyings(struct writer *writer, const char *direction, const char *prefix, const char *suffix)
{
   const struct program_plan *plan = writer->plan;
   for (unsigned v = 0; v < plan->varying_count; v++) {
      const struct varying *varying = &plan->varyings[v];
      put(writer, "layout(location = %u) %s%s%s highp %s %s%u%s;\n", v, varying->flat ? "flat " : "",
          varying->qualifier, direction, type_of(varying->sort, varying->components), prefix, v, suffix);
   }
}

/** Locals from the inputs of a vertex or a fragment. */
static void
put_inputs(struct writer *writer, const char *prefix, const char *suffix)
{
   const struct program_plan *plan = writer->plan;
   for (unsigned v = 0; v < plan->varying_count; v++) {
      const struct varying *varying = &plan->varyings[v];
      const char *last = varying->components > 1 ? ".y" : "";
      if (varying->sort == FLOAT)
         put(writer, "a%u = clamp(vec4(%s%u%s%s), -2.0, 2.0)%s;\n", v & 3, prefix, v, suffix,
             varying->components == 4 ? "" : last, v & 1 ? ".wxyz" : "");
      else
         put(writer, "%c%u = %s%u%s%s;\n", varying->sort == INT ? 'i' : 'u', v % 3, prefix, v, suffix, last);
   }
}

/** The outputs of a vertex from the locals. */
static void
put_outputs(struct writer *writer, const char *suffix)
{
   static const char *const parts[] = {"", ".x", ".xy", ".xyz", ""};
   const struct program_plan *plan = writer->plan;
   for (unsigned v = 0; v < plan->varying_count; v++) {
      const struct varying *varying = &plan->varyings[v];
      if (varying->sort == FLOAT)
         put(writer, "to%u%s = a%u%s;\n", v, suffix, v & 3, parts[varying->components]);
      else
         put(writer, "to%u%s = %s(%s)%s;\n", v, suffix, type_of(varying->sort, 4),
             varying->sort == INT ? "i0, i1, i2, i1" : "u0, u1, u2, u1", parts[varying->components]);
   }
}

/** What transform feedback captures, of the stage before the rasteriser. */
static bool
is_last(const struct writer *writer)
{
   const struct program_plan *plan = writer->plan;
   return writer->stage == (plan->geometry ? GEOMETRY : plan->tessellation ? EVALUATION : VERTEX);
}

static void
put_captured_declaration(struct writer *writer)
{
   if (writer->plan->captured && is_last(writer))
      put(writer, "layout(location = 9) out highp vec4 captured;\n");
}

static void
put_captured(struct writer *writer)
{
   if (writer->plan->clips && is_last(writer))
      put_distances(writer);
   if (writer->plan->captured && is_last(writer))
      put(writer, "captured = vec4(a0.xy, x1, float(i1 & 255));\n");
}

/* ---- stages ------------------------------------------------------------------------ */

static void
write_vertex(struct dice *dice, const struct program_plan *plan, char *text)
{
   struct writer writer = begin(dice, plan, VERTEX, text);
   put(&writer, "layout(location = 0) in highp vec4 position;\nlayout(location = 1) in highp vec4 shade;\n"
                "layout(location = 2) in highp ivec4 number;\nlayout(location = 3) in highp uvec2 word;\n");
   put_varyings(&writer, "out", "to", "");
   put_captured_declaration(&writer);
   put(&writer, "uniform highp vec4 place;\n");
   begin_main(&writer);
   put(&writer, "a0 = clamp(shade, -2.0, 2.0); i0 = gl_VertexID; i1 = gl_InstanceID; i2 = number.x;\n"
                "u0 = word.x; x0 = position.x;\n");
   put_statements(&writer, 2 + roll(dice, 5));
   /* On a grid of 1/32, and the fourth number is a power of two: positions in pixels are exact. A primitive has one
    * depth, as it is up to the driver how others are rounded. */
   put(&writer,
       "gl_Position = vec4(position.xy * place.z + place.xy + float(gl_InstanceID & 3) * 0.25,\n"
       "clamp(%splace.w + float(gl_InstanceID & 3) * 0.125, -1.0, 1.0), 1.0)",
       plan->loose ? "position.z + " : "");
   put(&writer, chance(dice, 30) ? " * ((word.y & 1u) == 0u ? 2.0 : 1.0);\n" : ";\n");
   if (plan->wild && chance(dice, 20))
      put(&writer, "gl_Position += a1;\n");
   put(&writer, "gl_PointSize = float(1 + (i2 & 7));\n");
   put_outputs(&writer, "");
   put_captured(&writer);
   put(&writer, "}\n");
}

static void
write_control(struct dice *dice, const struct program_plan *plan, char *text)
{
   struct writer writer = begin(dice, plan, CONTROL, text);
   put(&writer, "layout(vertices = %u) out;\n", plan->patch_vertices);
   put_varyings(&writer, "in", "from", "[]");
   put_varyings(&writer, "out", "to", "[]");
   put(&writer, "layout(location = 10) patch out highp vec4 of_patch;\n");
   begin_main(&writer);
   put(&writer, "i0 = gl_InvocationID; i1 = gl_PrimitiveID;\n");
   put_inputs(&writer, "from", "[gl_InvocationID % gl_PatchVerticesIn]");
   put_statements(&writer, 1 + roll(dice, 4));
   put(&writer,
       "gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID %% gl_PatchVerticesIn].gl_Position;\n");
   put_outputs(&writer, "[gl_InvocationID]");
   put(&writer, "if (gl_InvocationID == 0) {\nof_patch = a1;\n");
   for (unsigned i = 0; i < 4; i++) {
      put(&writer, "gl_TessLevelOuter[%u] = float(1 + ((", i);
      put_int(&writer, 1);
      put(&writer, ") & 3))%s;\n", chance(dice, 20) ? " * 0.75" : "");
   }
   for (unsigned i = 0; i < 2; i++) {
      put(&writer, "gl_TessLevelInner[%u] = float(1 + ((", i);
      put_int(&writer, 1);
      put(&writer, ") & 3));\n");
   }
   put(&writer, "}\n}\n");
}

static void
write_evaluation(struct dice *dice, const struct program_plan *plan, char *text)
{
   static const char *const domains[] = {"triangles", "quads", "isolines"};
   static const char *const spacings[] = {"equal_spacing", "fractional_even_spacing",
                                          "fractional_odd_spacing"};
   static const char *const orders[] = {"cw", "ccw"};
   struct writer writer = begin(dice, plan, EVALUATION, text);
   /* A geometry shader gets triangles; which pixels of a line are drawn is not exactly said. */
   const unsigned domain = roll(dice, plan->loose && !plan->geometry ? 3 : 2);
   put(&writer, "layout(%s, %s, %s) in;\n", domains[domain], PICK(dice, spacings), PICK(dice, orders));
   put_varyings(&writer, "in", "from", "[]");
   put_varyings(&writer, "out", "to", "");
   put(&writer, "layout(location = 10) patch in highp vec4 of_patch;\n");
   put_captured_declaration(&writer);
   begin_main(&writer);
   put(&writer, "a0 = clamp(of_patch, -2.0, 2.0); i0 = gl_PrimitiveID;\n");
   put_inputs(&writer, "from", "[1]");
   put_statements(&writer, 1 + roll(dice, 3));
   put(&writer,
       "a3 = vec4(gl_TessCoord, 1.0);\nvec4 at = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, "
       "gl_TessCoord.x), gl_in[2].gl_Position, gl_TessCoord.y);\n"
       "gl_Position = vec4(floor(at.xy / at.w * 32.0) / 32.0, gl_in[0].gl_Position.z / "
       "gl_in[0].gl_Position.w, 1.0);\n");
   put_outputs(&writer, "");
   put_captured(&writer);
   put(&writer, "}\n");
}

static void
write_geometry(struct dice *dice, const struct program_plan *plan, char *text)
{
   struct writer writer = begin(dice, plan, GEOMETRY, text);
   const unsigned copies = 1 + roll(dice, 3), invocations = 1 + roll(dice, 3);
   const unsigned vertices = plan->vertices_in > 3 ? 3 : plan->vertices_in;
   put(&writer, "layout(%s, invocations = %u) in;\nlayout(%s, max_vertices = %u) out;\n", plan->primitives_in,
       invocations,
       plan->points_out ? "points"
       : vertices < 3   ? "line_strip"
                        : "triangle_strip",
       copies * vertices);
   put_varyings(&writer, "in", "from", "[]");
   put_varyings(&writer, "out", "to", "");
   put_captured_declaration(&writer);
   begin_main(&writer);
   put(&writer, "i0 = gl_PrimitiveIDIn; i1 = gl_InvocationID;\n");
   put_inputs(&writer, "from", "[0]");
   put_statements(&writer, 1 + roll(dice, 3));
   put(&writer, "for (int copy = 0; copy < %u; copy++) {\nfor (int v = 0; v < %u; v++) {\n", copies,
       vertices);
   put_inputs(&writer, "from", "[v]");
   put(&writer, "gl_Position = gl_in[v].gl_Position + vec4(float(copy - i1 %% 2) * 0.25, 0.0, 0.0, 0.0) * "
                "gl_in[v].gl_Position.w;\n");
   put(&writer, "gl_PrimitiveID = gl_PrimitiveIDIn;\n");
   if (plan->layered && plan->layers)
      put(&writer, "gl_Layer = (gl_InvocationID + copy) %% %u;\n", plan->layers);
   if (plan->viewports)
      put(&writer, "gl_ViewportIndex = (gl_PrimitiveIDIn + copy) %% %u;\n", VIEWPORTS);
   put_outputs(&writer, "");
   put_captured(&writer);
   put(&writer, "EmitVertex();\n}\nEndPrimitive();\n}\n}\n");
}

static void
put_color(struct writer *writer, unsigned i)
{
   const struct program_plan *plan = writer->plan;
   if (plan->colors[i] == FLOAT) {
      put(writer, "color%u = clamp(", i);
      put_approximate(writer, 1);
      put(writer, " + a%u * 0.5, 0.0, 1.0);\n", i & 3);
   } else if (plan->colors[i] == INT) {
      put(writer, "color%u = ivec4(i0, i1, i2, i0 + 1) & 127;\n", i);
   } else {
      put(writer, "color%u = uvec4(u0, u1, u2, u1 >> 3) & 255u;\n", i);
   }
}

static void
write_fragment(struct dice *dice, const struct program_plan *plan, char *text)
{
   struct writer writer = begin(dice, plan, FRAGMENT, text);
   const bool depth = !plan->early_tests && chance(dice, 15);
   if (plan->early_tests)
      put(&writer, "layout(early_fragment_tests) in;\n");
   put_varyings(&writer, "in", "v", "");
   for (unsigned i = 0; i < plan->color_count; i++)
      put(&writer, "layout(location = %u%s) out highp %s color%u;\n", i, plan->dual ? ", index = 0" : "",
          type_of(plan->colors[i], 4), i);
   if (plan->dual)
      put(&writer, "layout(location = 0, index = 1) out highp vec4 second;\n");
   begin_main(&writer);
   put(&writer, "x0 = gl_FragCoord.x; i0 = int(gl_FragCoord.y); i1 = gl_FrontFacing ? 3 : 4;\n"
                "u0 = uint(gl_FragCoord.x);\n");
   put_inputs(&writer, "v", "");
   if (plan->loose)
      put(&writer, "a3 = gl_FragCoord * 0.01; u1 = uint(gl_PrimitiveID);\n");
   if (plan->loose && plan->multisampled && chance(dice, 30))
      put(&writer, "i2 = gl_SampleID; a2.xy = gl_SamplePosition;\n");
   put_statements(&writer, 2 + roll(dice, 8));
   for (unsigned i = 0; i < plan->color_count; i++)
      put_color(&writer, i);
   if (plan->dual)
      put(&writer, "second = clamp(a%u, 0.0, 1.0);\n", roll(dice, 4));
   if (depth)
      put(&writer, "gl_FragDepth = fract(x1 * 0.125);\n");
   if (plan->loose && plan->multisampled && chance(dice, 20))
      put(&writer, "gl_SampleMask[0] = i1;\n");
   put(&writer, "}\n");
}

static void
write_compute(struct dice *dice, const struct program_plan *plan, char *text)
{
   struct writer writer = begin(dice, plan, COMPUTE, text);
   const unsigned size = plan->group[0] * plan->group[1] * plan->group[2];
   put(&writer, "layout(local_size_x = %u, local_size_y = %u, local_size_z = %u) in;\n", plan->group[0],
       plan->group[1], plan->group[2]);
   put(&writer,
       "layout(std430, binding = 1) writeonly buffer Results { vec4 results[]; };\n"
       "layout(binding = 0, rgba8) writeonly uniform highp image2D picture;\nshared uint ours[%u];\n"
       "shared vec4 colors[%u];\n",
       size, size);
   begin_main(&writer);
   put(&writer,
       "uint me = gl_LocalInvocationIndex;\n"
       "uint at = (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x + "
       "gl_WorkGroupID.x;\nat = at * %uu + me;\n"
       "i0 = int(gl_GlobalInvocationID.x); i1 = int(me); u0 = at; x0 = float(at & 63u) * 0.125;\n"
       "a0 = vec4(gl_LocalInvocationID, 1u) * 0.0625;\n",
       size);
   put_statements(&writer, 2 + roll(dice, 5));
   const unsigned rounds = roll(dice, 4);
   for (unsigned round = 0; round < rounds; round++) {
      put(&writer, "ours[me] = u%u;\ncolors[me] = a%u;\nbarrier();\n", roll(dice, 3), roll(dice, 4));
      put(&writer,
          "u%u += ours[(me * %uu + %uu) %% %uu];\na1 = a1 * 0.5 + colors[(me + %uu) %% %uu] * 0.5;\n",
          roll(dice, 3), 1 + roll(dice, 7), roll(dice, size), size, roll(dice, size), size);
      put(&writer, "barrier();\n");
      writer.uniform_flow = true;
      put_statements(&writer, 1 + roll(dice, 3));
   }
   put(&writer, "if (at < uint(%u)) results[at] = vec4(a0.xy, x1, float(u0 & 0xffffu));\n", 1024u);
   put(&writer, "imageStore(picture, ivec2(at & 31u, at >> 5), clamp(a1, 0.0, 1.0));\n}\n");
}

void
write_program(struct dice *dice, struct program_plan *plan, struct program_text *text)
{
   *text = (struct program_text){.vertex = ""};
   if (plan->compute) {
      write_compute(dice, plan, text->compute);
      return;
   }
   choose_varyings(dice, plan);
   write_vertex(dice, plan, text->vertex);
   if (plan->tessellation) {
      write_control(dice, plan, text->control);
      write_evaluation(dice, plan, text->evaluation);
   }
   if (plan->geometry)
      write_geometry(dice, plan, text->geometry);
   write_fragment(dice, plan, text->fragment);
}
