/* SPDX-License-Identifier: MIT */
/** Descriptors of shaders become slots. */
#include <assert.h>

#include "vulkan/tbr_vulkan_nir.h"

uint32_t lvp_name_buffers(uint32_t set, uint32_t first, uint32_t count);

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

/** A hook in lavapipe: what names a buffer says which array it is of. */
uint32_t
lvp_name_buffers(uint32_t set, uint32_t first, uint32_t count)
{
   assert(set >= 1 && set < TBR_VULKAN_SETS);
   if (first > TBR_MAX_NAMED_FIRST || count > TBR_MAX_NAMED_COUNT)
      return set;
   return set | first << 4 | count << 20;
}

/** Which array a descriptor is of whose number is computed. False: that is not known. */
static bool
find_array(nir_def *name, uint32_t set_word, struct named *named)
{
   uint32_t binding;
   if (name->num_components < 3) {
      named->first = TBR_NAMED_FIRST(set_word);
      named->count = TBR_NAMED_COUNT(set_word);
      return named->count;
   }
   ASSERTED const bool known = component_is_known(name, 2, &binding);
   assert(known);
   named->first = TBR_BINDING_FIRST(binding);
   named->count = TBR_BINDING_COUNT(binding);
   return named->count;
}

/** From (set, descriptor) of blocks and buffers, (set, descriptor, binding) of textures and images. */
static bool
find_named(nir_builder *b, struct lowering *lowering, nir_def *name, struct named *named)
{
   uint32_t set, index;
   if (!component_is_known(name, 0, &set)) {
      miss(lowering, "pointers to storage that it chooses between (variablePointers)");
      return false;
   }
   assert(TBR_NAMED_SET(set) >= 1);
   *named = (struct named){.set = TBR_NAMED_SET(set), .count = 1};
   if (component_is_known(name, 1, &index)) {
      named->first = index;
      return true;
   }
   if (!find_array(name, set, named)) {
      miss(lowering, "an array of more descriptors than there are slots, that it computes the index of");
      return false;
   }
   named->computed = nir_iadd_imm(b, nir_channel(b, name, 1), -(int64_t)named->first);
   return true;
}

/** The number of a slot: the first one's, and what is computed. */
static nir_def *
number_slot(nir_builder *b, const struct named *named, int slot)
{
   return named->computed ? nir_iadd_imm(b, named->computed, slot) : nir_imm_int(b, slot);
}

/** What is accessed may differ from invocation to invocation, whatever the shader says: quads of several instances run together. */
static void
mark(nir_intrinsic_instr *intrinsic, const struct named *named)
{
   if (named->computed)
      nir_intrinsic_set_access(intrinsic, nir_intrinsic_access(intrinsic) | ACCESS_NON_UNIFORM);
}

/* ---- slots ------------------------------------------------------------------ */

static bool
is_same_place(struct tbr_descriptor_place a, struct tbr_descriptor_place b)
{
   return a.set == b.set && a.index == b.index;
}

static struct tbr_descriptor_place
place_of(const struct named *named, uint32_t offset)
{
   return (struct tbr_descriptor_place){named->set, named->first + offset};
}

/** Textures that an instruction may read, each with the samplers that it may read it with: a slot for each pair. */
struct pairs {
   const struct named *texture, *sampler; /**< sampler NULL: none */
   uint32_t samplers;                     /**< of each texture */
   bool combined;                         /**< a descriptor is both: the sampler is the texture's own */
};

static struct pairs
pair(const struct named *texture, const struct named *sampler)
{
   const bool combined = sampler && sampler->set == texture->set && sampler->first == texture->first;
   assert(!combined || sampler->count == texture->count);
   return (struct pairs){texture, sampler, sampler && !combined ? sampler->count : 1, combined};
}

static struct tbr_descriptor_place
texture_of_pair(const struct pairs *pairs, uint32_t number)
{
   return place_of(pairs->texture, number / pairs->samplers);
}

static struct tbr_descriptor_place
sampler_of_pair(const struct pairs *pairs, uint32_t number)
{
   const struct tbr_descriptor_place none = {0};
   return pairs->sampler ? place_of(pairs->sampler, pairs->combined ? number : number % pairs->samplers)
                         : none;
}

/** Which pair it is, if the shader computes it; else NULL. */
static nir_def *
number_of_pair(nir_builder *b, const struct pairs *pairs)
{
   nir_def *texture = pairs->texture->computed;
   nir_def *sampler = pairs->sampler && !pairs->combined ? pairs->sampler->computed : NULL;
   if (!texture || !sampler)
      return texture ? texture : sampler;
   return nir_iadd(b, nir_imul_imm(b, texture, pairs->samplers), sampler);
}

/** The slot of the first pair; -1: there are not as many. */
static int
texture_slot(struct lowering *lowering, const struct pairs *pairs)
{
   struct tbr_descriptor_slots *slots = lowering->slots;
   const uint32_t count = pairs->texture->count * pairs->samplers;
   for (unsigned first = 0; first + count <= slots->num_textures; first++) {
      unsigned i = 0;
      while (i < count && is_same_place(slots->textures[first + i].texture, texture_of_pair(pairs, i)) &&
             is_same_place(slots->textures[first + i].sampler, sampler_of_pair(pairs, i)))
         i++;
      if (i == count)
         return (int)first;
   }
   if (slots->num_textures + count > TBR_MAX_TEXTURES) {
      miss(lowering, "more than 32 pairs of a texture and a sampler");
      return -1;
   }
   const unsigned first = slots->num_textures;
   for (unsigned i = 0; i < count; i++) {
      slots->textures[first + i].texture = texture_of_pair(pairs, i);
      slots->textures[first + i].sampler = sampler_of_pair(pairs, i);
   }
   slots->num_textures += count;
   return (int)first;
}

/** Whether the places from the first on are those that an instruction names. */
static bool
are_places(const struct tbr_descriptor_place *places, const struct named *named)
{
   for (unsigned i = 0; i < named->count; i++) {
      if (!is_same_place(places[i], place_of(named, i)))
         return false;
   }
   return true;
}

/** Of blocks or buffers, of which there are *num_places: the number of those that an instruction names; new ones if there are at
 * most `most`, else -1. */
static int
find_or_add(struct tbr_descriptor_place *places, unsigned *num_places, unsigned first, unsigned most,
            const struct named *named)
{
   for (unsigned i = first; i + named->count <= *num_places; i++) {
      if (are_places(&places[i], named))
         return (int)i;
   }
   if (*num_places + named->count > most)
      return -1;
   const unsigned added = *num_places;
   for (unsigned i = 0; i < named->count; i++)
      places[added + i] = place_of(named, i);
   *num_places = added + named->count;
   return (int)added;
}

/** Slot 0 is that of push constants. */
static int
constant_slot(struct lowering *lowering, const struct named *named)
{
   struct tbr_descriptor_slots *slots = lowering->slots;
   slots->num_constants = MAX2(slots->num_constants, 1);
   const unsigned most = 1 + TBR_MAX_UNIFORM_BLOCKS + (slots->inline_slot != 0);
   const int slot = find_or_add(slots->constants, &slots->num_constants, 1, most, named);
   if (slot < 0)
      miss(lowering, "more uniform blocks than maxPerStageDescriptorUniformBuffers");
   return slot;
}

/** The slot of all inline blocks. */
static unsigned
inline_slot(struct tbr_descriptor_slots *slots)
{
   if (!slots->inline_slot) {
      slots->inline_slot = MAX2(slots->num_constants, 1);
      slots->num_constants = slots->inline_slot + 1;
      assert(slots->num_constants <= TBR_MAX_CONSTANT_BUFFERS);
   }
   return slots->inline_slot;
}

/** The number of an inline block; -1: there are not as many. */
static int
inline_block(struct lowering *lowering, uint16_t set, uint32_t offset, uint32_t bytes)
{
   struct tbr_descriptor_slots *slots = lowering->slots;
   for (unsigned i = 0; i < slots->num_inline; i++) {
      if (slots->inline_blocks[i].set == set && slots->inline_blocks[i].offset == offset)
         return (int)i;
   }
   if (slots->num_inline == TBR_MAX_INLINE_BLOCKS || bytes > TBR_MAX_INLINE_BYTES) {
      miss(lowering,
           "more inline uniform blocks than maxPerStageDescriptorInlineUniformBlocks, or larger ones");
      return -1;
   }
   slots->inline_blocks[slots->num_inline].set = set;
   slots->inline_blocks[slots->num_inline].offset = offset;
   slots->inline_blocks[slots->num_inline].bytes = bytes;
   slots->inline_blocks[slots->num_inline].packed = slots->inline_bytes;
   slots->inline_bytes += align(bytes, 16);
   return (int)slots->num_inline++;
}

static int
buffer_slot(struct lowering *lowering, unsigned most, const struct named *named)
{
   struct tbr_descriptor_slots *slots = lowering->slots;
   const int slot = find_or_add(slots->buffers, &slots->num_buffers, 0, most, named);
   if (slot < 0)
      miss(lowering, "more storage buffers than maxPerStageDescriptorStorageBuffers");
   return slot;
}

static int
image_slot(struct lowering *lowering, const struct named *named)
{
   struct tbr_descriptor_slots *slots = lowering->slots;
   const int slot = find_or_add(slots->images, &slots->num_images, 0, TBR_MAX_IMAGES, named);
   if (slot < 0)
      miss(lowering, "more than 16 storage images and input attachments");
   return slot;
}

/** The number of an input attachment; -1: there are not as many. */
static int
input_number(struct lowering *lowering, const struct named *named, bool is_integer)
{
   struct tbr_descriptor_slots *slots = lowering->slots;
   for (unsigned i = 0; i < slots->num_inputs; i++) {
      if (is_same_place(slots->inputs[i].image, place_of(named, 0)) &&
          slots->inputs[i].is_integer == is_integer)
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
   const struct pairs pairs = pair(&texture, sampled ? &sampler : NULL);
   const int slot = texture_slot(lowering, &pairs);
   if (slot < 0)
      return false;
   tex->texture_index = tex->sampler_index = (unsigned)slot;
   nir_tex_instr_remove_src(tex, (unsigned)texture_source);
   sampler_source = nir_tex_instr_src_index(tex, nir_tex_src_sampler_handle);
   if (sampler_source >= 0)
      nir_tex_instr_remove_src(tex, (unsigned)sampler_source);
   nir_def *number = number_of_pair(b, &pairs);
   tex->texture_non_uniform = tex->sampler_non_uniform = number != NULL;
   if (number) {
      tex->sampler_index = (unsigned)slot + texture.count * pairs.samplers - 1; /* tbr_nir_numbers.h */
      nir_tex_instr_add_src(tex, nir_tex_src_texture_offset, number);
      if (sampled)
         nir_tex_instr_add_src(tex, nir_tex_src_sampler_offset, number);
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

/** A block that is in the set's own memory, where a hook in lavapipe says. */
static bool
lower_inline_block(nir_builder *b, nir_intrinsic_instr *intrinsic, struct lowering *lowering)
{
   uint32_t set;
   ASSERTED const bool known = component_is_known(intrinsic->src[0].ssa, 0, &set);
   assert(known);
   if (!set)
      return false; /* push constants */
   const uint32_t offset = nir_intrinsic_range_base(intrinsic);
   const int block = inline_block(lowering, (uint16_t)set, offset, nir_intrinsic_range(intrinsic));
   if (block < 0)
      return false;
   const int64_t moved = (int64_t)lowering->slots->inline_blocks[block].packed - offset;
   b->cursor = nir_before_instr(&intrinsic->instr);
   nir_src_rewrite(&intrinsic->src[0], nir_imm_int(b, inline_slot(lowering->slots)));
   nir_src_rewrite(&intrinsic->src[1], nir_iadd_imm(b, intrinsic->src[1].ssa, moved));
   nir_intrinsic_set_range_base(intrinsic, 0);
   nir_intrinsic_set_range(intrinsic, ~0u);
   return true;
}

static bool
lower_block(nir_builder *b, nir_intrinsic_instr *intrinsic, struct lowering *lowering)
{
   struct named named;
   if (intrinsic->src[0].ssa->num_components == 1)
      return lower_inline_block(b, intrinsic, lowering);
   b->cursor = nir_before_instr(&intrinsic->instr);
   if (!find_named(b, lowering, intrinsic->src[0].ssa, &named))
      return false;
   const int slot = constant_slot(lowering, &named);
   if (slot < 0)
      return false;
   nir_src_rewrite(&intrinsic->src[0], number_slot(b, &named, slot));
   mark(intrinsic, &named);
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
   nir_src_rewrite(&intrinsic->src[source], number_slot(b, &named, slot));
   mark(intrinsic, &named);
   if (writes)
      lowering->slots->written_buffers |= BITFIELD_RANGE(slot, named.count);
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
   nir_src_rewrite(&intrinsic->src[0], number_slot(b, &named, slot));
   for (unsigned i = 0; i < named.count; i++)
      lowering->slots->image_access[slot + i] |= access;
   if (op != nir_intrinsic_image_size && op != nir_intrinsic_image_samples)
      clear_unused_coordinates(b, intrinsic);
   change_image_instruction(intrinsic, op);
   mark(intrinsic, &named);
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
