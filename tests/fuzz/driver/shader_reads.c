/* SPDX-License-Identifier: MIT */
#include "shader_reads.h"

#include <string.h>

/** A vector of a type's name and several operands, exact ones. */
static void
put_exact_vector(struct writer *writer, unsigned count, const char *scale)
{
   static const char *const types[] = {"", "(", "vec2(", "vec3(", "vec4("};
   put(writer, "%s", types[count]);
   for (unsigned i = 0; i < count; i++) {
      put(writer, "%s", i ? ", " : "");
      put_exact(writer, 1);
      put(writer, "%s", scale);
   }
   put(writer, ")");
}

/** A direction well inside of a cube's face. Unfiltered texels are not at their edges: the division rounds. */
static void
put_direction(struct writer *writer, const struct sampler_kind *kind)
{
   static const char *const swizzles[] = {"xyz", "xzy", "zxy"};
   put(writer, "vec3(");
   if (kind->filtered) {
      put(writer, "(");
      put_approximate(writer, 1);
      put(writer, ").xy * 0.5");
   } else {
      put(writer, "clamp(");
      put_exact(writer, 1);
      put(writer, ", -1.0, 1.0) + 0.015625, 0.265625");
   }
   put(writer, ", %s).%s", chance(writer->dice, 50) ? "2.0" : "-2.0", PICK(writer->dice, swizzles));
}

/** Coordinates, with what a shadow sampler compares. */
static void
put_coordinates(struct writer *writer, const struct sampler_kind *kind, bool with_reference)
{
   static const char *const types[] = {"", "float(", "vec2(", "vec3(", "vec4("};
   static const char *const parts[] = {"", "x", "xy", "xyz", "xyzw"};
   const unsigned count = kind->coordinates + with_reference;
   if (count > 1)
      put(writer, "%s", types[count]);
   if (kind->cube) {
      put_direction(writer, kind);
      if (kind->coordinates == 4)
         put(writer, ", float(i0 & 1)");
   } else if (strstr(kind->type, "Array")) {
      if (kind->filtered) {
         put(writer, "clamp(");
         put_approximate(writer, 1);
         put(writer, ", -2.0, 2.0).%s", parts[kind->coordinates - 1]);
      } else {
         put_exact_vector(writer, kind->coordinates - 1, " * 0.125 + 0.0078125");
      }
      put(writer, ", float(i%u & 7)", roll(writer->dice, 3));
   } else if (kind->filtered) {
      put(writer, "clamp(");
      put_approximate(writer, 1);
      put(writer, ", -2.0, 2.0).%s%s", parts[kind->coordinates], kind->rectangle ? " * 16.0" : "");
   } else {
      put_exact_vector(writer, kind->coordinates, kind->rectangle ? " + 0.0625" : " * 0.125 + 0.0078125");
   }
   if (with_reference) {
      put(writer, ", fract(");
      put_exact(writer, 1);
      put(writer, " + 0.001953125)"); /* between the depths that vertices and shaders make */
   }
   if (count > 1)
      put(writer, ")");
}

static void
put_fetch(struct writer *writer, unsigned unit, const struct sampler_kind *kind)
{
   static const char *const types[] = {"", "(", "ivec2(", "ivec3("};
   struct dice *dice = writer->dice;
   const bool samples = strstr(kind->type, "MS") != NULL, array = strstr(kind->type, "Array") != NULL;
   const unsigned level = kind->levels > 1 ? roll(dice, kind->levels) : 0;
   put(writer, "texelFetch(texture%u, %s", unit, types[kind->coordinates]);
   for (unsigned i = 0; i < kind->coordinates; i++) {
      put(writer, "%s(", i ? ", " : "");
      put_int(writer, 1);
      /* The last level's sides are right for all of them. */
      if (writer->plan->wild && chance(dice, 30))
         put(writer, ")");
      else
         put(writer, " & 0xffff) %% %u", array && i == 2 ? 2 : kind->sides[i]);
   }
   put(writer, ")");
   if (samples)
      put(writer, ", (i%u & 0xffff) %% %u", roll(dice, 3), kind->sides[2]);
   else if (strcmp(kind->type, "samplerBuffer") != 0 && !kind->rectangle)
      put(writer, ", %u", level);
   put(writer, ")");
}

/** Whether the level of detail, of an implicit derivative, does not matter or may be anything. */
static bool
may_be_implicit(const struct writer *writer, const struct sampler_kind *kind)
{
   return writer->plan->loose || (kind->levels == 1 && (writer->stage != FRAGMENT || writer->uniform_flow));
}

static void
put_lookup(struct writer *writer, unsigned unit, const struct sampler_kind *kind)
{
   struct dice *dice = writer->dice;
   const bool cube = kind->cube, cube_array = cube && kind->coordinates == 4;
   const bool offsets = !cube && chance(dice, 20);
   const bool line = strstr(kind->type, "1D") != NULL;
   const char *offset_type = line                                   ? "2"
                             : strcmp(kind->type, "sampler3D") == 0 ? "ivec3(1, -2, 0)"
                                                                    : "ivec2(-3, 2)";
   if (kind->shadow && cube_array) {
      put(writer, "texture(texture%u, ", unit);
      put_coordinates(writer, kind, false);
      put(writer, ", fract(");
      put_exact(writer, 1);
      put(writer, " + 0.001953125))");
      return;
   }
   if (!kind->shadow && strcmp(kind->type, "sampler3D") != 0 && !line && chance(dice, 20) &&
       kind->levels == 1) {
      put(writer, "textureGather%s(texture%u, ", offsets ? "Offset" : "", unit);
      put_coordinates(writer, kind, false);
      put(writer, offsets ? ", ivec2(2, -3), %u)" : ", %u)", roll(dice, 4));
      return;
   }
   if (kind->shadow && (cube || kind->coordinates == 3)) { /* no textureLod of these */
      put(writer, "textureGrad(texture%u, ", unit);
      put_coordinates(writer, kind, true);
      put(writer, cube ? ", vec3(0.0), vec3(0.0))" : ", vec2(0.0), vec2(0.0))");
      return;
   }
   const bool implicit = kind->rectangle || (may_be_implicit(writer, kind) && chance(dice, 60));
   put(writer, "texture%s%s(texture%u, ", implicit ? "" : "Lod", offsets ? "Offset" : "", unit);
   put_coordinates(writer, kind, kind->shadow);
   if (!implicit) {
      put(writer, ", floor(");
      put_exact(writer, 1);
      put(writer, ")");
   }
   if (offsets)
      put(writer, ", %s", offset_type);
   put(writer, ")");
}

/** Units whose texels are of the sort. */
static bool
pick_unit(struct writer *writer, enum sort sort, unsigned *unit)
{
   unsigned units[TEXTURE_UNITS], count = 0;
   for (unsigned i = 0; i < TEXTURE_UNITS; i++) {
      if (writer->plan->samplers[i].sort == sort)
         units[count++] = i;
   }
   if (!count || writer->in_function)
      return false;
   *unit = units[roll(writer->dice, count)];
   return true;
}

static void
put_any_read(struct writer *writer, unsigned unit)
{
   const struct sampler_kind *kind = &writer->plan->samplers[unit];
   if (kind->fetched || (!kind->cube && !kind->shadow && chance(writer->dice, 25)))
      put_fetch(writer, unit, kind);
   else
      put_lookup(writer, unit, kind);
}

bool
put_read(struct writer *writer)
{
   unsigned unit;
   if (!pick_unit(writer, FLOAT, &unit))
      return false;
   put(writer, "clamp(vec4(");
   put_any_read(writer, unit);
   put(writer, "), -2.0, 2.0)");
   return true;
}

bool
put_integer_read(struct writer *writer, enum sort sort)
{
   unsigned unit;
   if (!pick_unit(writer, sort, &unit))
      return false;
   put_any_read(writer, unit);
   put(writer, ".%c", "xyzw"[roll(writer->dice, 4)]);
   return true;
}
