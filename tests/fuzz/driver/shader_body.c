/* SPDX-License-Identifier: MIT */
#include "shader_body.h"

#include <stdarg.h>
#include <stdio.h>

#include "shader_desktop.h"
#include "shader_reads.h"
#include "support/check.h"

#define MAX_DEPTH 3 /* of nested statements */

void
put(struct writer *writer, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   const int count =
      vsnprintf(writer->text + writer->length, SHADER_BYTES - writer->length, format, arguments);
   va_end(arguments);
   require(count >= 0 && writer->length + (unsigned)count < SHADER_BYTES, "a shader longer than %d bytes",
           SHADER_BYTES);
   writer->length += (unsigned)count;
}

static bool
is_wild(const struct writer *writer)
{
   return writer->plan->wild;
}

static bool
has_storage(const struct writer *writer)
{
   return writer->stage == COMPUTE || (writer->stage == FRAGMENT && writer->plan->storage);
}

void
put_form(struct writer *writer, const char *form, unsigned depth)
{
   for (; *form; form++) {
      if (*form == '%') {
         put_approximate(writer, depth - 1);
         continue;
      }
      switch (*form == '$' ? *++form : 0) {
      case 'c': put_condition(writer); break;
      case 'e': put_exact(writer, depth - 1); break;
      case 'i': put_int(writer, depth - 1); break;
      case 'l': put_exact_leaf(writer); break;
      case 'u': put_uint(writer, depth - 1); break;
      default: put(writer, "%c", *form); break;
      }
   }
}

/* ---- exact expressions ---------------------------------------------------- */

void
put_exact_leaf(struct writer *writer)
{
   struct dice *dice = writer->dice;
   switch (roll(dice, 6)) {
   case 0: put(writer, "%.3f", roll_between(dice, -40, 40) / 8.0); break;
   case 1: put(writer, "steps[%u].%c", roll(dice, 4), "xyzw"[roll(dice, 4)]); break;
   case 2:
      if (writer->stage == FRAGMENT) {
         put(writer, "gl_FragCoord.%c", "xy"[roll(dice, 2)]);
         break;
      }
      /* fallthrough */
   case 3: put(writer, "float(i%u & 31)", roll(dice, 3)); break;
   default: put(writer, "x%u", roll(dice, 3)); break;
   }
}

void
put_exact(struct writer *writer, unsigned depth)
{
   struct dice *dice = writer->dice;
   if (is_wild(writer) && chance(dice, 10)) {
      put(writer, "(");
      put_approximate(writer, 1);
      put(writer, ").%c", "xyzw"[roll(dice, 4)]);
      return;
   }
   if (depth == 0 || chance(dice, 20)) {
      put_exact_leaf(writer);
      return;
   }
   if (writer->plan->desktop && chance(dice, 8)) {
      put_double(writer);
      return;
   }
   static const char *const functions[] = {"floor", "abs", "fract", "sign", "trunc", "ceil", "roundEven"};
   static const char *const pairs[] = {"min", "max", "step"};
   switch (roll(dice, 6)) {
   case 0:
      put(writer, "%s", PICK(dice, functions));
      put_form(writer, "($e)", depth);
      break;
   case 1:
      put(writer, "%s", PICK(dice, pairs));
      put_form(writer, "($e, $e)", depth);
      break;
   /* The product of two leaves has few enough digits. */
   case 2: put_form(writer, "($l * $l)", depth); break;
   case 3: put_form(writer, "($c ? $e : $e)", depth); break;
   default:
      put(writer, "(");
      put_exact(writer, depth - 1);
      put(writer, chance(dice, 50) ? " + " : " - ");
      put_exact(writer, depth - 1);
      put(writer, ")");
      break;
   }
}

/** An integer, of a signed or an unsigned type. */
static void
put_integer(struct writer *writer, unsigned depth, bool is_unsigned)
{
   struct dice *dice = writer->dice;
   const char *suffix = is_unsigned ? "u" : "";
   const char *type = is_unsigned ? "uint" : "int";
   void (*const operand)(struct writer *, unsigned) = is_unsigned ? put_uint : put_int;
   static const char *const operators[] = {"+", "-", "*", "&", "|", "^"};
   static const char *const functions[] = {"bitfieldReverse", "bitCount", "findLSB", "findMSB"};
   if (depth == 0 || chance(dice, 15)) {
      const unsigned kind = roll(dice, 5);
      if (kind == 0)
         put(writer, "%u%s", roll(dice, 1u << (1 + roll(dice, 16))), suffix);
      else if (kind == 1)
         put(writer, "%sarray[%s & 7]", is_unsigned ? "uint(i" : "i", is_unsigned ? "i1" : "i0");
      else
         put(writer, "%c%u", is_unsigned ? 'u' : 'i', roll(dice, 3));
      if (kind == 1 && is_unsigned)
         put(writer, ")");
      return;
   }
   if (writer->plan->desktop && chance(dice, 8)) {
      put_desktop_integer(writer, is_unsigned);
      return;
   }
   switch (roll(dice, 9)) {
   case 0:
      put(writer, "(");
      operand(writer, depth - 1);
      put(writer, " %s %u)", chance(dice, 50) ? "<<" : ">>", roll(dice, 32));
      break;
   case 1:
      put(writer, "((");
      operand(writer, depth - 1);
      put(writer, " & 0xffff%s) %c %u%s)", suffix, "%/"[roll(dice, 2)], 1 + roll(dice, 50), suffix);
      break;
   case 2:
      put(writer, "%s(%s(", type, PICK(dice, functions));
      operand(writer, depth - 1);
      put(writer, "))");
      break;
   case 3: {
      const unsigned offset = roll(dice, 32);
      put(writer, "bitfieldExtract(");
      operand(writer, depth - 1);
      put(writer, ", %u, %u)", offset, roll(dice, 33 - offset));
      break;
   }
   case 4: {
      const unsigned offset = roll(dice, 32);
      put(writer, "bitfieldInsert(");
      operand(writer, depth - 1);
      put(writer, ", ");
      operand(writer, depth - 1);
      put(writer, ", %u, %u)", offset, roll(dice, 33 - offset));
      break;
   }
   case 5:
      if (put_integer_read(writer, is_unsigned ? UINT : INT))
         break;
      put_form(writer, is_unsigned ? "uint(abs($e))" : "int(($e))", 2);
      break;
   case 6:
      put_form(writer, "($c ? ", depth);
      operand(writer, depth - 1);
      put(writer, " : ");
      operand(writer, depth - 1);
      put(writer, ")");
      break;
   case 7: put_form(writer, is_unsigned ? "uint($i)" : "int($u)", depth); break;
   default:
      put(writer, "(");
      operand(writer, depth - 1);
      put(writer, " %s ", PICK(dice, operators));
      operand(writer, depth - 1);
      put(writer, ")");
      break;
   }
}

void
put_int(struct writer *writer, unsigned depth)
{
   put_integer(writer, depth, false);
}

void
put_uint(struct writer *writer, unsigned depth)
{
   put_integer(writer, depth, true);
}

void
put_condition(struct writer *writer)
{
   struct dice *dice = writer->dice;
   static const char *const comparisons[] = {"<", ">", "<=", ">=", "==", "!="};
   switch (roll(dice, 5)) {
   case 0:
      put_form(writer, "($e", 2);
      put(writer, " %s ", PICK(dice, comparisons));
      put_form(writer, "$e)", 2);
      break;
   case 1:
      put_form(writer, "(($u", 2);
      put(writer, " & %uu) != 0u)", 1u << roll(dice, 6));
      break;
   case 2:
      if (writer->stage == FRAGMENT) {
         put(writer, "gl_FrontFacing");
         break;
      }
      /* fallthrough */
   case 3:
      put_form(writer, "($i", 2);
      put(writer, " %s ", PICK(dice, comparisons));
      put_form(writer, "$i)", 2);
      break;
   default:
      put_form(writer, "($e > 1.0", 1);
      put_form(writer, chance(dice, 50) ? " || $e < 3.0)" : " && $e < 3.0)", 1);
      break;
   }
}

/* ---- approximate expressions ------------------------------------------------ */

static void
put_approximate_leaf(struct writer *writer)
{
   struct dice *dice = writer->dice;
   switch (roll(dice, 7)) {
   case 0:
      put(writer, "vec4(%.2f, %.2f, %.2f, %.2f)", roll_between(dice, -100, 100) / 100.0,
          roll_between(dice, -100, 100) / 100.0, roll_between(dice, 0, 100) / 100.0,
          roll_between(dice, 0, 100) / 100.0);
      break;
   case 1: put(writer, "weights[%u]", roll(dice, 4)); break;
   case 2:
      put(writer, "array[i%u%s]", roll(dice, 3), is_wild(writer) && chance(dice, 30) ? "" : " & 3");
      break;
   case 3: put(writer, "(vec4(x%u) * 0.0156)", roll(dice, 3)); break;
   default:
      put(writer, "a%u%s", roll(dice, 4), chance(dice, 30) ? (chance(dice, 50) ? ".wzyx" : ".yyxz") : "");
      break;
   }
}

/** A function that is continuous. */
static void
put_continuous(struct writer *writer, unsigned depth)
{
   static const char *const forms[] = {
      "abs(%)",
      "(-%)",
      "sin(%)",
      "cos(%)",
      "clamp(%, 0.0, 1.0)",
      "vec4(dot(%, vec4(0.25)))",
      "exp2(clamp(%, -3.0, 1.0))",
      "log2(abs(%) + 0.5)",
      "sqrt(abs(%) + 0.25)",
      "inversesqrt(abs(%) + 0.5)",
      "pow(abs(%) + 0.25, vec4(1.5))",
      "(% / (abs(%) + 1.5))",
      "smoothstep(-1.0, 1.0, %)",
      "tanh(%)",
      "atan(%)",
      "vec4(distance(%, vec4(3.0)) * 0.25)",
      "(turn * %)",
      "(% * turn)",
      "min(%, %)",
      "max(%, %)",
      "mix(%, %, 0.375)",
      "mix(%, %, clamp(%, 0.0, 1.0))",
      "vec4(cross((%).xyz, (%).wyx), 0.5)",
      "reflect(%, vec4(0.6, 0.0, 0.8, 0.0))",
      "ldexp(%, ivec4(i0 & 1, -1, 0, i1 & 1))",
      "(% * %)",
      "(% * %)",
      "(% + %)",
      "(% + %)",
      "(% - %)",
   };
   static const char *const wild_forms[] = {
      "fract(%)",
      "(% / %)",
      "normalize(%)",
      "floor(%)",
      "mod(%, %)",
      "sqrt(%)",
      "log(%)",
      "pow(%, %)",
      "intBitsToFloat(ivec4(%))",
      "acos(%)",
      "(inverse(turn) * %)",
      "refract(%, %, 0.5)",
   };
   struct dice *dice = writer->dice;
   put_form(writer, is_wild(writer) && chance(dice, 20) ? PICK(dice, wild_forms) : PICK(dice, forms), depth);
}

static void
put_derivative(struct writer *writer)
{
   struct dice *dice = writer->dice;
   static const char *const functions[] = {"dFdx", "dFdy", "fwidth"};
   put(writer, "%s(", PICK(dice, functions));
   if (writer->plan->loose)
      put_approximate(writer, 1);
   else
      put(writer, "gl_FragCoord.xyyx * %.3f + gl_FragCoord.yxyx * %.3f", roll_between(dice, -8, 8) / 8.0,
          roll_between(dice, -8, 8) / 8.0);
   put(writer, ")");
}

void
put_approximate(struct writer *writer, unsigned depth)
{
   struct dice *dice = writer->dice;
   if (depth == 0 || chance(dice, 15)) {
      put_approximate_leaf(writer);
      return;
   }
   if (writer->plan->desktop && chance(dice, 12)) {
      put_desktop_approximate(writer, depth);
      return;
   }
   switch (roll(dice, 10)) {
   case 0:
   case 1:
      if (put_read(writer))
         break;
      put_continuous(writer, depth);
      break;
   case 2: put_form(writer, "($c ? % : %)", depth); break;
   case 3:
      put_form(writer, chance(dice, 50) ? "unpackUnorm4x8($u).zwxy" : "unpackSnorm2x16($u).yxyy", 2);
      break;
   case 4:
      if (writer->stage == FRAGMENT && (writer->uniform_flow || is_wild(writer)) && !writer->in_function) {
         put_derivative(writer);
         break;
      }
      /* fallthrough */
   case 5:
      if (!writer->in_function) {
         put_form(writer, "helper(%, ", depth);
         put_form(writer, "$i)", 2);
         break;
      }
      /* fallthrough */
   default: put_continuous(writer, depth); break;
   }
}

/* ---- statements -------------------------------------------------------------- */

static void put_statement(struct writer *writer);

static void
put_block(struct writer *writer, unsigned count)
{
   const bool uniform = writer->uniform_flow;
   writer->uniform_flow = false;
   writer->depth++;
   put(writer, "{\n");
   for (unsigned i = 0; i < count; i++)
      put_statement(writer);
   put(writer, "}\n");
   writer->depth--;
   writer->uniform_flow = uniform;
}

static void
put_if(struct writer *writer)
{
   put_form(writer, "if ($c) ", 0);
   put_block(writer, 1 + roll(writer->dice, 2));
   if (chance(writer->dice, 40)) {
      put(writer, "else ");
      put_block(writer, 1);
   }
}

static void
put_loop(struct writer *writer)
{
   struct dice *dice = writer->dice;
   const unsigned k = writer->loops++;
   if (chance(dice, 60)) {
      put(writer, "for (int k%u = 0; k%u < ", k, k);
      if (chance(dice, 40))
         put(writer, "%u", 1 + roll(dice, 5));
      else
         put(writer, "(i%u & 3)", roll(dice, 3));
      put(writer, "; k%u++) {\ni0 += k%u;\n", k, k);
   } else {
      put(writer, "int k%u = 0;\nwhile (true) {\nif (k%u++ > %u || ", k, k, roll(dice, 4));
      put_condition(writer);
      put(writer, ") break;\n");
   }
   if (chance(dice, 30)) {
      put(writer, "if (");
      put_condition(writer);
      put(writer, ") %s;\n", chance(dice, 50) ? "break" : "continue");
   }
   put_block(writer, 1 + roll(dice, 2));
   put(writer, "}\n");
}

static void
put_switch(struct writer *writer)
{
   put_form(writer, "switch ($i & 3) {\n", 2);
   for (unsigned i = 0; i < 3; i++) {
      put(writer, "case %u:\n", i);
      put_block(writer, 1);
      if (chance(writer->dice, 70))
         put(writer, "break;\n");
   }
   put(writer, "default: break;\n}\n");
}

/** A word of the storage buffer has one operation, whose result is not used: the order does not matter. */
static void
put_store(struct writer *writer)
{
   static const char *const operations[] = {"Add", "Max", "Or", "Xor"};
   const unsigned range = roll(writer->dice, 4);
   const unsigned words = STORAGE_WORDS / 4;
   if (writer->stage == FRAGMENT && writer->plan->counts && chance(writer->dice, 20)) {
      put(writer, "atomicCounterIncrement(counter);\n");
      return;
   }
   if (writer->stage == FRAGMENT && chance(writer->dice, 40)) {
      put_form(writer, "imageAtomicAdd(counts, ivec2(gl_FragCoord.xy), $u & 0xfffu);\n", 2);
      return;
   }
   if (is_wild(writer) && chance(writer->dice, 30)) {
      /* Larger constants do not compile. */
      put_form(writer, "u0 = atomicExchange(words[$u & 0x7fffffffu], u1);\n", 2);
      return;
   }
   put(writer, "atomic%s", operations[range]);
   put_form(writer, "(words[($u", 2);
   put(writer, " & %uu) + %uu]", words - 1, range * words);
   put_form(writer, ", $u);\n", 2);
}

static void
put_assignment(struct writer *writer)
{
   struct dice *dice = writer->dice;
   const unsigned to = roll(dice, 3);
   switch (roll(dice, 8)) {
   case 0:
      put(writer, "x%u = clamp(floor((", to);
      put_form(writer, "$e) * 8.0) * 0.125, -64.0, 64.0);\n", 3);
      break;
   case 1:
      put(writer, "i%u", to);
      put_form(writer, " = $i;\n", 4);
      break;
   case 2:
      put(writer, "u%u", to);
      put_form(writer, " = $u;\n", 4);
      break;
   case 3:
      put(writer, "array[i%u & 3]", to);
      put_form(writer, " = clamp(%, -2.0, 2.0);\n", 3);
      break;
   case 4:
      put(writer, "iarray[u%u & 7u]", to);
      put_form(writer, " = $i;\n", 3);
      break;
   case 5:
      put(writer, "a%u.%s", roll(dice, 4), chance(dice, 50) ? "zx" : "wy");
      put_form(writer, " = clamp(%, -2.0, 2.0).xy;\n", 3);
      break;
   default:
      put(writer, "a%u", roll(dice, 4));
      put_form(writer, " = clamp(%, -2.0, 2.0);\n", 4);
      break;
   }
}

static void
put_statement(struct writer *writer)
{
   struct dice *dice = writer->dice;
   const unsigned kind = roll(dice, 20);
   if (writer->depth < MAX_DEPTH && kind < 3)
      put_if(writer);
   else if (writer->depth < MAX_DEPTH - 1 && kind == 3)
      put_loop(writer);
   else if (writer->depth < MAX_DEPTH - 1 && kind == 4)
      put_switch(writer);
   else if (kind < 8 && has_storage(writer))
      put_store(writer);
   else if (kind == 8)
      put(writer, "change(a%u, i%u);\n", roll(dice, 4), roll(dice, 3));
   else if (kind == 9 && writer->stage == FRAGMENT && chance(dice, 40)) {
      put_form(writer, "if ($c) discard;\n", 0);
      writer->uniform_flow = false;
   } else
      put_assignment(writer);
}

void
put_statements(struct writer *writer, unsigned count)
{
   for (unsigned i = 0; i < count; i++)
      put_statement(writer);
}

/* ---- declarations -------------------------------------------------------------- */

static void
put_functions(struct writer *writer)
{
   writer->in_function = true;
   put(writer, "vec4 helper(vec4 value, int number) {\n");
   put_locals(writer);
   put(writer, "i0 = number; a0 = value;\nif ((number & 1) == 0) return value.wzyx;\nreturn value * ");
   put_approximate(writer, 1);
   put(writer, ";\n}\nvoid change(inout vec4 value, inout int number) {\n");
   put_locals(writer);
   put(writer, "number = number * 3 + 1;\ni1 = number;\nvalue = clamp(value * ");
   put_approximate(writer, 1);
   put(writer, " + float(number & 3) * 0.25, -2.0, 2.0);\n}\n");
   writer->in_function = false;
}

void
put_declarations(struct writer *writer)
{
   const struct program_plan *plan = writer->plan;
   put(writer, "layout(std140, binding = 0) uniform Block { mat4 turn; vec4 weights[4]; vec4 steps[4]; };\n");
   for (unsigned unit = 0; unit < TEXTURE_UNITS; unit++) {
      const struct sampler_kind *kind = &plan->samplers[unit];
      put(writer, "layout(binding = %u) uniform highp %s%s texture%u;\n", unit,
          kind->sort == INT    ? "i"
          : kind->sort == UINT ? "u"
                               : "",
          kind->type, unit);
   }
   if (has_storage(writer))
      put(writer, "layout(std430, binding = 0) buffer Words { uint words[]; };\n");
   if (has_storage(writer) && writer->stage == FRAGMENT)
      put(writer, "layout(binding = 0, r32ui) uniform highp uimage2D counts;\n");
   if (plan->desktop)
      put_desktop_declarations(writer);
   put_functions(writer);
}

void
put_locals(struct writer *writer)
{
   put(writer,
       "vec4 a0 = vec4(0.25), a1 = weights[1], a2 = vec4(0.5, 0.0, 1.0, -0.5), a3 = steps[0] * 0.0625;\n"
       "float x0 = steps[1].x, x1 = 0.5, x2 = -3.0;\nint i0 = 1, i1 = 7, i2 = int(steps[2].y);\n"
       "uint u0 = 3u, u1 = 0xfffffff0u, u2 = uint(abs(steps[3].z));\n"
       "vec4 array[4] = vec4[4](a0, a1, a2, a3);\nint iarray[8] = int[8](1, 2, 3, 5, 8, 13, 21, 34);\n");
}
