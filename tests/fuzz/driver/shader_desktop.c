/* SPDX-License-Identifier: MIT */
#include "shader_desktop.h"

#include <string.h>

void
put_double(struct writer *writer)
{
   static const char *const forms[] = {
      "float(double($l) + double($l))",
      "float(fma(double($l), 2.0LF, double($l)))",
      "float(floor(double($l) * 0.25LF))",
      "float(min(double($l), double($l)))",
      "float(dot(dvec2($l, $l), dvec2(1.0LF, -2.0LF)))",
      "float(dvec3($l, $l, 1.0LF)[i0 & 1])",
      "float(abs(double($l)) - double(i1 & 15))",
      "float(mix(double($l), double($l), (i0 & 1) == 0))",
      "float(packDouble2x32(unpackDouble2x32(double($l))))",
   };
   put_form(writer, PICK(writer->dice, forms), 0);
}

/** Its size as a shader asks for it; buffers, samples and rectangles have no levels. */
static void
put_size(struct writer *writer, unsigned unit)
{
   const struct sampler_kind *kind = &writer->plan->samplers[unit];
   const bool levels = !kind->rectangle && !kind->fetched;
   if (levels && chance(writer->dice, 30))
      put(writer, "textureQueryLevels(texture%u)", unit);
   else
      put(writer, "textureSize(texture%u%s)%s", unit, levels ? ", 0" : "",
          strcmp(kind->type, "samplerBuffer") == 0 || strcmp(kind->type, "sampler1D") == 0 ? "" : ".x");
}

void
put_desktop_integer(struct writer *writer, bool is_unsigned)
{
   struct dice *dice = writer->dice;
   put(writer, "%s(", is_unsigned ? "uint" : "int");
   switch (roll(dice, 4)) {
   case 0: put_size(writer, roll(dice, TEXTURE_UNITS)); break;
   case 1: put(writer, "imageSize(source).%c", "xy"[roll(dice, 2)]); break;
   case 2: put(writer, "double(i%u & 0xffff) * 0.5LF + 0.5LF", roll(dice, 3)); break;
   default: put_form(writer, "unpackDouble2x32(double($l)).y", 0); break;
   }
   put(writer, ")");
}

void
put_desktop_approximate(struct writer *writer, unsigned depth)
{
   static const char *const forms[] = {
      "vec4(dvec4(%) * 0.5LF)",
      "vec4(clamp(dvec4(%), 0.0LF, 1.0LF))",
      "vec4(sqrt(abs(dvec4(%)) + 0.25LF))",
      "vec4(inversesqrt(abs(dvec4(%)) + 0.5LF))",
      "vec4(dmat4(turn) * dvec4(%))",
      "vec4(dvec4(%) / (abs(dvec4(%)) + 1.5LF))",
      "vec4(length(dvec4(%)) * 0.25LF)",
      "imageLoad(source, ivec2(i0 & 127, i1 & 127))",
      "imageLoad(source, ivec2(u0 & 127u, i2 & 127))",
   };
   static const char *const wild_forms[] = {
      "vec4(dvec4(%) / dvec4(%))",
      "vec4(fract(dvec4(%)))",
      "vec4(inverse(dmat4(turn)) * dvec4(%))",
      "imageLoad(source, ivec2(i0, i1))",
      "vec4(mod(dvec4(%), dvec4(%)))",
   };
   struct dice *dice = writer->dice;
   const struct program_plan *plan = writer->plan;
   if (plan->subroutines && writer->stage == FRAGMENT && !writer->in_function && chance(dice, 40))
      put_form(writer, "chosen(%)", depth);
   else
      put_form(writer, plan->wild && chance(dice, 20) ? PICK(dice, wild_forms) : PICK(dice, forms), depth);
}

void
put_desktop_declarations(struct writer *writer)
{
   put(writer, "layout(binding = 1, rgba8) readonly uniform image2D source;\n");
   if (writer->stage != FRAGMENT)
      return;
   if (writer->plan->counts)
      put(writer, "layout(binding = 0, offset = 4) uniform atomic_uint counter;\n");
   if (writer->plan->subroutines)
      put(writer,
          "subroutine vec4 choice(vec4 value);\nsubroutine uniform choice chosen;\n"
          "subroutine(choice) vec4 mirrored(vec4 value) { return value.wzyx * 0.5; }\n"
          "subroutine(choice) vec4 turned(vec4 value) { return turn * value; }\n"
          "subroutine(choice) vec4 read(vec4 value) { return imageLoad(source, ivec2(7, 9)) * value; }\n");
}

void
put_distances(struct writer *writer)
{
   static const char *const numbers[] = {
      [VERTEX] = "gl_InstanceID", [EVALUATION] = "gl_PrimitiveID", [GEOMETRY] = "gl_PrimitiveIDIn"};
   struct dice *dice = writer->dice;
   for (unsigned i = 0; i < 2; i++) {
      const char *name = i ? "gl_CullDistance[0]" : "gl_ClipDistance[1]";
      if (writer->plan->loose && chance(dice, 50))
         put(writer, "%s = a%u.x + 0.5;\n", name, roll(dice, 4));
      else
         put(writer, "%s = float((%s + %u) & 3) - 0.5;\n", name, numbers[writer->stage], roll(dice, 4));
   }
   put(writer, "gl_ClipDistance[0] = %s;\n", writer->plan->loose ? "gl_Position.x + 0.5" : "0.25");
}
