/* SPDX-License-Identifier: MIT */
/** Descriptors of shaders become slots. */
#include <assert.h>

#include "vulkan/tbr_vulkan_nir.h"

struct lowering {
   const struct tbr_attachment_map *map; /**< NULL: input attachments are in memory */
   struct tbr_descriptor_slots *slots;
};

/** Says what is missing, the first time. */
static void
miss(struct lowering *lowering, const char *what)
{
   if (!lowering->slots->missing)
      lowering->slots->missing = what;
}

/* ---- what names a descriptor ------------------------------------------------ */

/** Descriptors that an instruction may name: `count` from `first` on; `computed` is the number of the one that it does
 * name, NULL if there is one only. */
struct named {
   uint16_t set;
   uint32_t first;
   uint32_t count;
   nir_def *computed;
};

static bool
component_is_known(nir_def *name, unsigned component, uint32_t *value)
{
   const nir_scalar scalar = nir_scalar_resolved(name, component);
   if (!nir_scalar_is_const(scalar))
      return false;
   *value = nir_scalar_as_uint(scalar);
   return true;
}

/** From (set, descriptor) of blocks, (set, descriptor, binding) of textures and images. */
static bool
find_named(nir_builder *b, struct lowering *lowering, nir_def *name, struct named *named)
{
   uint32_t set, index, binding;
   if (!component_is_known(name, 0, &set)) {
      miss(lowering, "pointers to storage that it chooses between (variablePointers)");
      return false;
   }
   assert(set >= 1 && set < TBR_VULKAN_SETS);
   *named = (struct named){.set = (uint16_t)set, .count = 1};
   if (component_is_known(name, 1, &index)) {
      named->first = index;
      return true;
   }
   if (name->num_components < 3) {
      miss(lowering, "buffers of an array that it computes the index of "
                     "(shaderUniformBufferArrayDynamicIndexing, shaderStorageBufferArrayDynamicIndexing)");
      return false;
   }
   ASSERTED const bool known = component_is_known(name, 2, &binding);
   assert(known && TBR_BINDING_COUNT(binding));
   named->first = TBR_BINDING_FIRST(binding);
   named->count = TBR_BINDING_COUNT(binding);
   named->computed = nir_iadd_imm(b, nir_channel(b, name, 1), -(int64_t)named->first);
   return true;
}

/* ---- slots ------------------------------------------------------------------ */

static bool
is_place(const struct tbr_descriptor_place *place, const struct named *named, uint32_t offset)
{
   return place->set == named->set && place->index == named->first + offset;
}

static struct tbr_descriptor_place
place_of(const struct named *named, uint32_t offset)
{
   return (struct tbr_descriptor_place){named->set, named->first + offset};
}

/** The first slot of a texture, or an array of them, with its samplers (NULL: none); -1: there are not as many. */
static int
texture_slot(struct lowering *lowering, const struct named *texture, const struct named *sampler)
{
   struct tbr_descriptor_slots *slots = lowering->slots;
   const uint32_t count = texture->count;
   const bool same = sampler && sampler->computed;
   for (unsigned first = 0; first + count <= slots->num_textures; first++) {
      unsigned i = 0;
      for (; i < count; i++) {
         const struct tbr_descriptor_place *found = &slots->textures[first + i].sampler;
         if (!is_place(&slots->textures[first + i].texture, texture, i) ||
             !(sampler ? is_place(found, sampler, same ? i : 0) : !found->set))
            break;
      }
      if (i == count)
         return (int)first;
   }
   if (slots->num_textures + count > TBR_MAX_TEXTURES) {
      miss(lowering, "more than 32 pairs of a texture and a sampler");
      return -1;
   }
   const unsigned first = slots->num_textures;
   for (unsigned i = 0; i < count; i++) {
      slots->textures[first + i].texture = place_of(texture, i);
      if (sampler)
         slots->textures[first + i].sampler = place_of(sampler, same ? i : 0);
   }
   slots->num_textures += count;
   return (int)first;
}

/** Slot 0 is that of push constants. */
static int
constant_slot(struct lowering *lowering, struct tbr_descriptor_place place, bool is_set)
{
   struct tbr_descriptor_slots *slots = lowering->slots;
   for (unsigned i = 1; i < slots->num_constants; i++) {
      if (slots->constants[i].is_set == is_set && slots->constants[i].block.set == place.set &&
          slots->constants[i].block.index == place.index)
         return (int)i;
   }
   const unsigned slot = MAX2(slots->num_constants, 1);
   if (slot >= TBR_MAX_CONSTANT_BUFFERS) {
      miss(lowering, "more than 15 uniform blocks");
      return -1;
   }
   slots->constants[slot].block = place;
   slots->constants[slot].is_set = is_set;
   slots->num_constants = slot + 1;
   return (int)slot;
}

static int
buffer_slot(struct lowering *lowering, unsigned most, const struct named *named)
{
   struct tbr_descriptor_slots *slots = lowering->slots;
   for (unsigned i = 0; i < slots->num_buffers; i++) {
      if (is_place(&slots->buffers[i], named, 0))
         return (int)i;
   }
   if (slots->num_buffers >= most) {
      miss(lowering, "more storage buffers than maxPerStageDescriptorStorageBuffers");
      return -1;
   }
   slots->buffers[slots->num_buffers] = place_of(named, 0);
   return (int)slots->num_buffers++;
}

static int
image_slot(struct lowering *lowering, const struct named *named)
{
   struct tbr_descriptor_slots *slots = lowering->slots;
   for (unsigned first = 0; first + named->count <= slots->num_images; first++) {
      unsigned i = 0;
      while (i < named->count && is_place(&slots->images[first + i].image, named, i))
         i++;
      if (i == named->count)
         return (int)first;
   }
   if (slots->num_images + named->count > TBR_MAX_IMAGES) {
      miss(lowering, "more than 16 storage images and input attachments");
      return -1;
   }
   const unsigned first = slots->num_images;
   for (unsigned i = 0; i < named->count; i++)
      slots->images[first + i].image = place_of(named, i);
   slots->num_images += named->count;
   return (int)first;
}

/** The number of an input attachment; -1: there are not as many. */
static int
input_number(struct lowering *lowering, const struct named *named, bool is_integer)
{
   struct tbr_descriptor_slots *slots = lowering->slots;
   for (unsigned i = 0; i < slots->num_inputs; i++) {
      if (is_place(&slots->inputs[i].image, named, 0) && slots->inputs[i].is_integer == is_integer)
         return (int)i;
   }
   if (slots->num_inputs >= TBR_MAX_INPUT_ATTACHMENTS)
      return -1;
   slots->inputs[slots->num_inputs].image = place_of(named, 0);
   slots->inputs[slots->num_inputs].is_integer = is_integer;
   return (int)slots->num_inputs++;
}

/* ---- instructions ------------------------------------------------------------ */

static bool
lower_texture(nir_builder *b, nir_tex_instr *tex, struct lowering *lowering)
{
   struct named texture, sampler;
   const int texture_source = nir_tex_instr_src_index(tex, nir_tex_src_texture_handle);
   int sampler_source = nir_tex_instr_src_index(tex, nir_tex_src_sampler_handle);
   if (texture_source < 0)
      return false;
   b->cursor = nir_before_instr(&tex->instr);
   const bool sampled = sampler_source >= 0 && nir_tex_instr_need_sampler(tex);
   if (!find_named(b, lowering, tex->src[texture_source].src.ssa, &texture) ||
       (sampled && !find_named(b, lowering, tex->src[sampler_source].src.ssa, &sampler)))
      return false;
   if (sampled && sampler.computed && (!texture.computed || sampler.count != texture.count)) {
      miss(lowering, "samplers of an array that it computes the index of, apart from their textures");
      return false;
   }
   const int slot = texture_slot(lowering, &texture, sampled ? &sampler : NULL);
   if (slot < 0)
      return false;
   tex->texture_index = tex->sampler_index = (unsigned)slot;
   nir_tex_instr_remove_src(tex, (unsigned)texture_source);
   sampler_source = nir_tex_instr_src_index(tex, nir_tex_src_sampler_handle);
   if (sampler_source >= 0)
      nir_tex_instr_remove_src(tex, (unsigned)sampler_source);
   if (texture.computed) {
      nir_tex_instr_add_src(tex, nir_tex_src_texture_offset, texture.computed);
      if (sampled)
         nir_tex_instr_add_src(tex, nir_tex_src_sampler_offset, texture.computed);
   }
   return true;
}

/** Push constants are constant buffer 0, which lavapipe fills. */
static bool
lower_push_constant(nir_builder *b, nir_intrinsic_instr *intrinsic)
{
   b->cursor = nir_before_instr(&intrinsic->instr);
   nir_def *offset = nir_iadd_imm(b, intrinsic->src[0].ssa, nir_intrinsic_base(intrinsic));
   nir_def *value = nir_load_ubo(b, intrinsic->def.num_components, intrinsic->def.bit_size, nir_imm_int(b, 0),
                                 offset, .align_mul = intrinsic->def.bit_size / 8, .range = ~0u);
   nir_def_replace(&intrinsic->def, value);
   return true;
}

static bool
lower_block(nir_builder *b, nir_intrinsic_instr *intrinsic, struct lowering *lowering)
{
   nir_def *name = intrinsic->src[0].ssa;
   struct tbr_descriptor_place place;
   const bool is_set = name->num_components == 1;
   if (is_set) {
      uint32_t set;
      ASSERTED const bool known = component_is_known(name, 0, &set);
      assert(known);
      if (!set)
         return false; /* push constants */
      place = (struct tbr_descriptor_place){.set = (uint16_t)set};
   } else {
      struct named named;
      if (!find_named(b, lowering, name, &named))
         return false;
      place = place_of(&named, 0);
   }
   const int slot = constant_slot(lowering, place, is_set);
   if (slot < 0)
      return false;
   b->cursor = nir_before_instr(&intrinsic->instr);
   nir_src_rewrite(&intrinsic->src[0], nir_imm_int(b, slot));
   return true;
}

static bool
lower_buffer(nir_builder *b, nir_intrinsic_instr *intrinsic, struct lowering *lowering, unsigned source,
             bool writes)
{
   struct named named;
   const gl_shader_stage stage = b->shader->info.stage;
   const unsigned most = stage == MESA_SHADER_FRAGMENT || stage == MESA_SHADER_COMPUTE
                            ? TBR_MAX_STORAGE_BUFFERS
                            : TBR_MAX_DRAWN_STORAGE_BUFFERS;
   if (!find_named(b, lowering, nir_trim_vector(b, intrinsic->src[source].ssa, 2), &named))
      return false;
   const int slot = buffer_slot(lowering, most, &named);
   if (slot < 0)
      return false;
   nir_src_rewrite(&intrinsic->src[source], nir_imm_int(b, slot));
   if (writes)
      lowering->slots->written_buffers |= BITFIELD_BIT(slot);
   return true;
}

/** Makes it an instruction for images by number, with the same properties. */
static void
change_image_instruction(nir_intrinsic_instr *intrinsic, nir_intrinsic_op op)
{
   const nir_intrinsic_instr old = *intrinsic;
   nir_intrinsic_instr named = {.instr = old.instr, .intrinsic = old.intrinsic};
   memcpy(named.const_index, old.const_index, sizeof named.const_index);
   memset(intrinsic->const_index, 0, sizeof intrinsic->const_index);
   intrinsic->intrinsic = op;
   nir_intrinsic_set_image_dim(intrinsic, nir_intrinsic_image_dim(&named));
   nir_intrinsic_set_image_array(intrinsic, nir_intrinsic_image_array(&named));
   nir_intrinsic_set_format(intrinsic, nir_intrinsic_format(&named));
   nir_intrinsic_set_access(intrinsic, nir_intrinsic_access(&named));
   if (nir_intrinsic_has_src_type(&named))
      nir_intrinsic_set_src_type(intrinsic, nir_intrinsic_src_type(&named));
   if (nir_intrinsic_has_dest_type(&named))
      nir_intrinsic_set_dest_type(intrinsic, nir_intrinsic_dest_type(&named));
   if (nir_intrinsic_has_atomic_op(&named))
      nir_intrinsic_set_atomic_op(intrinsic, nir_intrinsic_atomic_op(&named));
}

/** Zero in place of coordinates that the image does not have, which may be anything: the driver takes the third for a layer. */
static void
clear_unused_coordinates(nir_builder *b, nir_intrinsic_instr *intrinsic)
{
   nir_def *coordinates = intrinsic->src[1].ssa;
   const unsigned used = nir_image_intrinsic_coord_components(intrinsic);
   if (used < coordinates->num_components)
      nir_src_rewrite(&intrinsic->src[1], nir_pad_vector_imm_int(b, nir_trim_vector(b, coordinates, used), 0,
                                                                 coordinates->num_components));
}

static bool
lower_image(nir_builder *b, nir_intrinsic_instr *intrinsic, struct lowering *lowering, nir_intrinsic_op op,
            unsigned access)
{
   struct named named;
   b->cursor = nir_before_instr(&intrinsic->instr);
   if (!find_named(b, lowering, intrinsic->src[0].ssa, &named))
      return false;
   const int slot = image_slot(lowering, &named);
   if (slot < 0)
      return false;
   nir_src_rewrite(&intrinsic->src[0],
                   named.computed ? nir_iadd_imm(b, named.computed, slot) : nir_imm_int(b, slot));
   for (unsigned i = 0; i < named.count; i++)
      lowering->slots->images[slot + i].access |= access;
   if (op != nir_intrinsic_image_size && op != nir_intrinsic_image_samples)
      clear_unused_coordinates(b, intrinsic);
   change_image_instruction(intrinsic, op);
   return true;
}

/** Whether a load is of an input attachment, at the sample that the shader is run for. */
static bool
reads_own_pixel(const nir_intrinsic_instr *load)
{
   if (nir_intrinsic_image_dim(load) != GLSL_SAMPLER_DIM_SUBPASS_MS)
      return nir_intrinsic_image_dim(load) == GLSL_SAMPLER_DIM_SUBPASS;
   const nir_scalar sample = nir_scalar_resolved(load->src[2].ssa, 0);
   return nir_scalar_is_intrinsic(sample) && nir_scalar_intrinsic_op(sample) == nir_intrinsic_load_sample_id;
}

/** False: it is a load of an image in memory. */
static bool
lower_input(nir_builder *b, nir_intrinsic_instr *load, struct lowering *lowering)
{
   struct named named;
   if (!reads_own_pixel(load) || load->def.bit_size != 32 ||
       !find_named(b, lowering, load->src[0].ssa, &named) || named.computed)
      return false;
   const bool is_integer = nir_alu_type_get_base_type(nir_intrinsic_dest_type(load)) != nir_type_float;
   const int number = input_number(lowering, &named, is_integer);
   if (number < 0 || !lowering->map || lowering->map->input[number] == TBR_NO_ATTACHMENT)
      return false;
   tbr_nir_fetch_input(b, load, lowering->map->input[number]);
   return true;
}

static bool
lower_intrinsic(nir_builder *b, nir_intrinsic_instr *intrinsic, struct lowering *lowering)
{
   const unsigned both = PIPE_IMAGE_ACCESS_READ | PIPE_IMAGE_ACCESS_WRITE;
   b->cursor = nir_before_instr(&intrinsic->instr);
   switch (intrinsic->intrinsic) {
   case nir_intrinsic_load_push_constant: return lower_push_constant(b, intrinsic);
   case nir_intrinsic_load_ubo: return lower_block(b, intrinsic, lowering);
   case nir_intrinsic_load_ssbo:
   case nir_intrinsic_get_ssbo_size: return lower_buffer(b, intrinsic, lowering, 0, false);
   case nir_intrinsic_ssbo_atomic:
   case nir_intrinsic_ssbo_atomic_swap: return lower_buffer(b, intrinsic, lowering, 0, true);
   case nir_intrinsic_store_ssbo: return lower_buffer(b, intrinsic, lowering, 1, true);
   case nir_intrinsic_bindless_image_load:
      if (lower_input(b, intrinsic, lowering))
         return true;
      return lower_image(b, intrinsic, lowering, nir_intrinsic_image_load, PIPE_IMAGE_ACCESS_READ);
   case nir_intrinsic_bindless_image_store:
      return lower_image(b, intrinsic, lowering, nir_intrinsic_image_store, PIPE_IMAGE_ACCESS_WRITE);
   case nir_intrinsic_bindless_image_atomic:
      return lower_image(b, intrinsic, lowering, nir_intrinsic_image_atomic, both);
   case nir_intrinsic_bindless_image_atomic_swap:
      return lower_image(b, intrinsic, lowering, nir_intrinsic_image_atomic_swap, both);
   case nir_intrinsic_bindless_image_size:
      return lower_image(b, intrinsic, lowering, nir_intrinsic_image_size, PIPE_IMAGE_ACCESS_READ);
   case nir_intrinsic_bindless_image_samples:
      return lower_image(b, intrinsic, lowering, nir_intrinsic_image_samples, PIPE_IMAGE_ACCESS_READ);
   default: return false;
   }
}

static bool
lower(nir_builder *b, nir_instr *instruction, void *data)
{
   switch (instruction->type) {
   case nir_instr_type_tex: return lower_texture(b, nir_instr_as_tex(instruction), data);
   case nir_instr_type_intrinsic: return lower_intrinsic(b, nir_instr_as_intrinsic(instruction), data);
   default: return false;
   }
}

/** What the driver reads of a shader's interface. Images are counted by their variables. */
static void
describe_slots(nir_shader *nir, const struct tbr_descriptor_slots *slots)
{
   struct shader_info *info = &nir->info;
   NIR_PASS_V(nir, nir_remove_dead_variables,
              nir_var_uniform | nir_var_image | nir_var_mem_ubo | nir_var_mem_ssbo | nir_var_mem_push_const,
              NULL);
   if (slots->num_images) {
      const struct glsl_type *image = glsl_image_type(GLSL_SAMPLER_DIM_2D, false, GLSL_TYPE_FLOAT);
      nir_variable_create(nir, nir_var_image, glsl_array_type(image, slots->num_images, 0), "images");
   }
   info->num_ubos = (uint8_t)MAX2(slots->num_constants, 1);
   info->num_ssbos = (uint8_t)slots->num_buffers;
   info->num_images = (uint8_t)slots->num_images;
   info->num_textures = (uint8_t)slots->num_textures;
   info->first_ubo_is_default_ubo = true;
   BITSET_ZERO(info->textures_used);
   BITSET_ZERO(info->samplers_used);
   BITSET_ZERO(info->images_used);
   for (unsigned i = 0; i < slots->num_images; i++)
      BITSET_SET(info->images_used, i);
   for (unsigned i = 0; i < slots->num_textures; i++) {
      BITSET_SET(info->textures_used, i);
      BITSET_SET(info->samplers_used, i);
   }
}

void
tbr_nir_lower_descriptors(nir_shader *nir, const struct tbr_attachment_map *map,
                          struct tbr_descriptor_slots *slots)
{
   struct lowering lowering = {.map = map, .slots = slots};
   *slots = (struct tbr_descriptor_slots){0};
   NIR_PASS_V(nir, nir_opt_constant_folding);
   nir_shader_instructions_pass(nir, lower, nir_metadata_control_flow, &lowering);
   NIR_PASS_V(nir, nir_opt_constant_folding);
   NIR_PASS_V(nir, nir_opt_dce);
   describe_slots(nir, slots);
}
