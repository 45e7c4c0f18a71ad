/* SPDX-License-Identifier: MIT */
#include "pixel_local.h"

#include "nir_builder.h"
#include "nir_format_convert.h"

struct storage {
   nir_builder b;
   nir_variable *words[PIXEL_LOCAL_WORDS]; /**< the outputs; NULL: not used */
};

/** What is done to one word: a member, or an element of one that is an array. */
typedef void (*word_function)(struct storage *storage, nir_deref_instr *deref, enum pipe_format format,
                              unsigned word);

static bool
is_storage(const nir_variable *variable)
{
   return variable->data.mode == nir_var_shader_out && variable->interface_type;
}

/* ---- walking through variables -------------------------------------------- */

static unsigned
count_words(const struct glsl_type *type)
{
   return MAX2(glsl_get_aoa_size(type), 1);
}

static void
for_each_element(struct storage *storage, nir_deref_instr *deref, enum pipe_format format, unsigned word,
                 word_function function)
{
   if (!glsl_type_is_array(deref->type)) {
      function(storage, deref, format, word);
      return;
   }
   const unsigned size = count_words(glsl_get_array_element(deref->type));
   for (unsigned i = 0; i < glsl_get_length(deref->type); i++)
      for_each_element(storage, nir_build_deref_array_imm(&storage->b, deref, i), format, word + i * size,
                       function);
}

/** Calls the function for the words of a block's members that are in the mask and in the variable: it is an instance,
 * or one of the members. */
static void
for_each_word(struct storage *storage, nir_variable *variable, uint32_t members, word_function function)
{
   const struct glsl_type *block = variable->interface_type;
   const bool is_instance = variable->type == block;
   unsigned word = 0;
   for (unsigned i = 0; i < glsl_get_length(block); i++) {
      const struct glsl_struct_field *field = glsl_get_struct_field_data(block, i);
      if (members >> i & 1 && (is_instance || !strcmp(field->name, variable->name))) {
         nir_deref_instr *deref = nir_build_deref_var(&storage->b, variable);
         if (is_instance)
            deref = nir_build_deref_struct(&storage->b, deref, i);
         for_each_element(storage, deref, field->image_format, word, function);
      }
      word += count_words(field->type);
   }
}

/* ---- what is copied ------------------------------------------------------- */

static nir_variable *
word_variable(struct storage *storage, unsigned word)
{
   if (!storage->words[word]) {
      char name[] = "gl_PixelLocal0";
      name[sizeof name - 2] += word;
      nir_variable *variable =
         nir_variable_create(storage->b.shader, nir_var_shader_out, glsl_uint_type(), name);
      variable->data.location = FRAG_RESULT_DATA1 + word;
      variable->data.explicit_location = true;
      variable->data.how_declared = nir_var_hidden;
      variable->data.precision = GLSL_PRECISION_HIGH;
      storage->words[word] = variable;
   }
   return storage->words[word];
}

static void
read_word(struct storage *storage, nir_deref_instr *deref, enum pipe_format format, unsigned word)
{
   nir_builder *b = &storage->b;
   nir_variable *variable = word_variable(storage, word);
   variable->data.fb_fetch_output = true;
   variable->data.access |= ACCESS_COHERENT;
   nir_def *value = nir_format_unpack_rgba(b, nir_load_var(b, variable), format);
   const unsigned components = glsl_get_vector_elements(deref->type);
   nir_store_deref(b, deref, nir_trim_vector(b, value, components), nir_component_mask(components));
}

static void
write_word(struct storage *storage, nir_deref_instr *deref, enum pipe_format format, unsigned word)
{
   nir_builder *b = &storage->b;
   nir_def *value = nir_pad_vector_imm_int(b, nir_load_deref(b, deref), 0, 4);
   nir_store_var(b, word_variable(storage, word), nir_format_pack_rgba(b, format, value), 1);
}

/** Storage that is not read is what the shader writes, or zeros. */
static void
clear_word(struct storage *storage, nir_deref_instr *deref, enum pipe_format format, unsigned word)
{
   nir_builder *b = &storage->b;
   const unsigned components = glsl_get_vector_elements(deref->type);
   nir_store_deref(b, deref, nir_imm_zero(b, components, 32), nir_component_mask(components));
}

/* ---- what is written ------------------------------------------------------ */

/** Members of the variable that an instruction other than a load may change, as a mask. */
static uint32_t
written_members(const nir_shader *nir, const nir_variable *variable)
{
   uint32_t written = 0;
   nir_foreach_function_impl (impl, nir) {
      nir_foreach_block (block, impl) {
         nir_foreach_instr (instr, block) {
            if (instr->type != nir_instr_type_deref)
               continue;
            nir_deref_instr *deref = nir_instr_as_deref(instr);
            bool changes = false;
            nir_foreach_use(source, &deref->def)
            {
               const nir_instr *user = nir_src_parent_instr(source);
               if (user->type == nir_instr_type_deref)
                  continue;
               const nir_intrinsic_instr *intrinsic =
                  user->type == nir_instr_type_intrinsic ? nir_instr_as_intrinsic(user) : NULL;
               const bool reads =
                  intrinsic &&
                  (intrinsic->intrinsic == nir_intrinsic_load_deref ||
                   (intrinsic->intrinsic == nir_intrinsic_copy_deref && source == &intrinsic->src[1]));
               changes |= !reads;
            }
            if (!changes || nir_deref_instr_get_variable(deref) != variable)
               continue;
            uint32_t member = UINT32_MAX;
            for (const nir_deref_instr *d = deref; d; d = nir_deref_instr_parent(d)) {
               if (d->deref_type == nir_deref_type_struct)
                  member = 1u << d->strct.index;
            }
            written |= member;
         }
      }
   }
   return written;
}

static bool
is_accessed(const nir_shader *nir, const nir_variable *variable)
{
   nir_foreach_function_impl (impl, nir) {
      nir_foreach_block (block, impl) {
         nir_foreach_instr (instr, block) {
            if (instr->type != nir_instr_type_deref)
               continue;
            const nir_deref_instr *deref = nir_instr_as_deref(instr);
            if (deref->deref_type == nir_deref_type_var && deref->var == variable)
               return true;
         }
      }
   }
   return false;
}

/* ---- outputs -------------------------------------------------------------- */

/** While the storage is enabled there is one draw buffer: what the shader writes to others has no effect, and their
 * locations are those of words. Of an array that begins at the first one, its first element is left. */
static void
drop_other_outputs(nir_builder *b)
{
   nir_foreach_shader_out_variable_safe(variable, b->shader)
   {
      if (variable->data.how_declared == nir_var_hidden || !strncmp(variable->name, "gl_", 3))
         continue;
      const bool is_first = !variable->data.explicit_location || variable->data.location == FRAG_RESULT_DATA0;
      if (is_first && !glsl_type_is_array(variable->type))
         continue;
      if (is_first) {
         nir_variable *first = nir_variable_clone(variable, b->shader);
         first->name = ralloc_asprintf(first, "%s[0]", variable->name);
         first->type = glsl_get_array_element(variable->type);
         nir_shader_add_variable(b->shader, first);
         nir_deref_instr *element = nir_build_deref_array_imm(b, nir_build_deref_var(b, variable), 0);
         nir_store_var(b, first, nir_load_deref(b, element),
                       nir_component_mask(glsl_get_vector_elements(first->type)));
      }
      variable->data.mode = nir_var_shader_temp;
   }
   nir_fixup_deref_modes(b->shader);
}

/** Copies the words into the variables when main begins, and what may have changed back when it ends. */
static void
copy_storage(nir_shader *nir, nir_variable *const *variables, const uint32_t *written, unsigned count)
{
   nir_function_impl *main = nir_shader_get_entrypoint(nir);
   nir_lower_returns_impl(main);
   struct storage storage = {.b = nir_builder_at(nir_before_impl(main))};
   for (unsigned i = 0; i < count; i++) {
      const bool readable = !(variables[i]->data.access & ACCESS_NON_READABLE);
      for_each_word(&storage, variables[i], UINT32_MAX, readable ? read_word : clear_word);
   }
   storage.b.cursor = nir_after_impl(main);
   for (unsigned i = 0; i < count; i++)
      for_each_word(&storage, variables[i], written[i], write_word);
   drop_other_outputs(&storage.b);
}

/* ---- public --------------------------------------------------------------- */

void
pixel_local_lower(nir_shader *nir)
{
   nir_variable *found[PIXEL_LOCAL_WORDS * 2];
   uint32_t written[ARRAY_SIZE(found)];
   unsigned count = 0;
   bool accessed = false;
   if (nir->info.stage != MESA_SHADER_FRAGMENT)
      return;
   nir_foreach_shader_out_variable (variable, nir) {
      if (is_storage(variable)) {
         assert(count < ARRAY_SIZE(found));
         found[count++] = variable;
      }
   }
   if (!count)
      return;

   for (unsigned i = 0; i < count; i++) {
      written[i] = written_members(nir, found[i]);
      accessed |= is_accessed(nir, found[i]);
      found[i]->data.mode = nir_var_shader_temp;
   }
   nir_fixup_deref_modes(nir);

   if (accessed)
      copy_storage(nir, found, written, count);
   for (unsigned i = 0; i < count; i++) {
      found[i]->interface_type = NULL;
      found[i]->max_ifc_array_access = NULL;
   }
}
