/* SPDX-License-Identifier: MIT */
#include "shader/tbr_shader.h"
#include "config/config.h"

#include "draw/draw_context.h"
#include "nir.h"
#include "nir_serialize.h"
#include "nir/nir_to_tgsi_info.h"
#include "nir/tgsi_to_nir.h"
#include "tgsi/tgsi_from_mesa.h"
#include "tgsi/tgsi_scan.h"
#include "util/bitset.h"
#include "util/log.h"
#include "util/blob.h"
#include "util/mesa-sha1.h"
#include "util/os_time.h"
#include "util/u_atomic.h"
#include "util/u_memory.h"
#include "state/tbr_context.h"
#include "state/tbr_debug.h"
#include "shader/tbr_gpu_shaders.h"
#include "shader/tbr_nir.h"
#include "shader/tbr_nir_addresses.h"
#include "shader/tbr_nir_fetch.h"
#include "shader/tbr_nir_log.h"
#include "shader/tbr_nir_numbers.h"
#include "shader/tbr_nir_regions.h"
#include "shader/tbr_nir_storage.h"
#include "shader/tbr_shader_cache.h"
#include "model/tbr_model.h"
#include "model/tbr_progress.h"

uint32_t
tbr_next_shader_id(void)
{
   static uint32_t id;
   return p_atomic_inc_return(&id);
}

nir_shader *
tbr_take_nir(const struct tbr_context *context, const struct pipe_shader_state *state)
{
   if (state->type == PIPE_SHADER_IR_NIR)
      return state->ir.nir;
   return tgsi_to_nir(state->tokens, context->base.screen, false);
}

struct tbr_regions *
tbr_count_regions(const struct tbr_screen *screen, nir_shader *nir, struct tbr_gpu_shader *gpu)
{
   const bool is_drawn = nir->info.stage != MESA_SHADER_FRAGMENT && nir->info.stage != MESA_SHADER_COMPUTE;
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   if (!screen->model)
      return NULL;
   nir_index_blocks(impl);
   unsigned *of_block = CALLOC(impl->num_blocks, sizeof *of_block);
   if (!of_block)
      return NULL;
   struct tbr_regions *regions =
      is_drawn ? tbr_nir_log_regions(nir, of_block) : tbr_nir_find_regions(nir, &tbr_count_in_code, of_block);
   tbr_gpu_shader_number_regions(gpu, of_block, regions ? regions->count : 1);
   FREE(of_block);
   return regions;
}

static void
announce_regions(struct tbr_screen *screen, enum cm_shader_stage stage, uint32_t id,
                 const struct tbr_regions *regions)
{
   struct cm_code_region *executed = CALLOC(regions->count, sizeof *executed);
   if (!executed) {
      mesa_loge("out of memory: instructions of a shader are those of its text");
      return;
   }
   for (uint32_t r = 0; r < regions->count; r++)
      executed[r].operations[CM_PIPE_ISSUE] = regions->regions[r].instructions;
   const struct cm_shader_code code = {
      .stage = stage,
      .shader = id,
      .isa = CM_ISA_NIR,
      .num_regions = regions->count,
      .regions = executed,
   };
   tbr_model_define_code(screen->model, &code);
   FREE(executed);
}

void
tbr_announce_shader(struct tbr_context *context, enum cm_shader_stage stage, uint32_t id,
                    struct tbr_shader_name *name, const struct tbr_regions *regions)
{
   struct tbr_screen *screen = tbr_screen(context->base.screen);
   if (screen->model && regions && !name->announced)
      announce_regions(screen, stage, id, regions);
   tbr_names_announce_shader(context, stage, id, name);
}

/* ---- fragment shaders ------------------------------------------------- */

static void
fragment_shader_destroy(struct tbr_fragment_shader *shader)
{
   assert(!shader->draw);
   struct tbr_fragment_variant *variant = shader->variants;
   while (variant) {
      struct tbr_fragment_variant *next = variant->next;
      tbr_shader_cache_release(shader->shader_cache, variant->code);
      FREE(variant);
      variant = next;
   }
   tbr_gpu_shader_destroy(shader->gpu);
   ralloc_free(shader->nir);
   FREE(shader->regions);
   FREE(shader);
}

void
tbr_fragment_shader_reference(struct tbr_fragment_shader **destination, struct tbr_fragment_shader *source)
{
   struct tbr_fragment_shader *old = *destination;
   if (pipe_reference(old ? &old->reference : NULL, source ? &source->reference : NULL))
      fragment_shader_destroy(old);
   *destination = source;
}

static uint8_t
interpolation_of(const nir_variable *variable)
{
   const enum glsl_base_type type = glsl_get_base_type(glsl_without_array(variable->type));
   switch (variable->data.interpolation) {
   case INTERP_MODE_FLAT: return TBR_INTERPOLATE_CONSTANT;
   case INTERP_MODE_NOPERSPECTIVE: return TBR_INTERPOLATE_LINEAR;
   case INTERP_MODE_NONE:
      return glsl_base_type_is_integer(type) ? TBR_INTERPOLATE_CONSTANT : TBR_INTERPOLATE_PERSPECTIVE;
   default: return TBR_INTERPOLATE_PERSPECTIVE;
   }
}

static void
describe_input(struct tbr_fragment_shader *shader, const nir_variable *variable, unsigned slot,
               unsigned offset, const struct tgsi_shader_info *info)
{
   struct tbr_shader_input *input = &shader->inputs[slot];
   unsigned name, index;

   input->location = variable->data.location + offset;
   input->components = info->input_usage_mask[slot];
   tgsi_get_gl_varying_semantic(variable->data.location, true, &name, &index);
   input->semantic_name = name;
   input->semantic_index = index + offset;

   if (variable->data.location == VARYING_SLOT_POS) {
      input->source = TBR_INPUT_POSITION;
   } else if (variable->data.location == VARYING_SLOT_FACE) {
      input->source = TBR_INPUT_FACE;
   } else {
      input->source = TBR_INPUT_ATTRIBUTE;
      input->interpolation = interpolation_of(variable);
      input->color =
         variable->data.interpolation == INTERP_MODE_NONE &&
         (variable->data.location == VARYING_SLOT_COL0 || variable->data.location == VARYING_SLOT_COL1);
      shader->any_color_input |= input->color;
      input->centroid = variable->data.centroid && input->interpolation != TBR_INTERPOLATE_CONSTANT;
      shader->any_centroid_input |= input->centroid;
   }
}

/** False if the shader has more inputs than a primitive can carry. */
static bool
describe_inputs(struct tbr_fragment_shader *shader)
{
   struct tgsi_shader_info info = {0};
   nir_tgsi_scan_shader(shader->nir, &info, true);

   nir_foreach_shader_in_variable (variable, shader->nir) {
      const unsigned slots = nir_variable_count_slots(variable, variable->type);
      for (unsigned i = 0; i < slots; i++) {
         const unsigned slot = variable->data.driver_location + i;
         if (slot >= TBR_MAX_INPUTS)
            return false;
         describe_input(shader, variable, slot, i, &info);
         shader->num_inputs = MAX2(shader->num_inputs, slot + 1);
      }
   }
   for (unsigned slot = 0; slot < shader->num_inputs; slot++) {
      if (shader->inputs[slot].source == TBR_INPUT_ATTRIBUTE)
         shader->inputs[slot].attribute = shader->num_attributes++;
   }
   return true;
}

static void
describe_outputs(struct tbr_fragment_shader *shader)
{
   const struct shader_info *info = &shader->nir->info;
   shader->color_outputs = (info->outputs_written >> FRAG_RESULT_DATA0) & 0xff;
   shader->writes_depth = info->outputs_written & BITFIELD64_BIT(FRAG_RESULT_DEPTH);
   shader->writes_stencil = info->outputs_written & BITFIELD64_BIT(FRAG_RESULT_STENCIL);
   shader->pixel_local = info->fs.pixel_interlock_ordered;
   shader->discards = info->fs.uses_discard;
   shader->early_tests = info->fs.early_fragment_tests || info->fs.post_depth_coverage;
   shader->post_depth_coverage = info->fs.post_depth_coverage;
   shader->writes_memory = info->writes_memory;
   shader->buffers_used = BITFIELD_MASK(MIN2(info->num_ssbos, TBR_MAX_STORAGE_BUFFERS));
   shader->images_used = BITFIELD_MASK(MIN2(info->num_images, TBR_MAX_IMAGES));
   shader->by_address = tbr_nir_uses_addresses(shader->nir);
   shader->writes_sample_mask = info->outputs_written & BITFIELD64_BIT(FRAG_RESULT_SAMPLE_MASK);
   shader->reads_sample_mask = BITSET_TEST(info->system_values_read, SYSTEM_VALUE_SAMPLE_MASK_IN);
   shader->per_sample = info->fs.uses_sample_qualifier || info->fs.uses_sample_shading ||
                        BITSET_TEST(info->system_values_read, SYSTEM_VALUE_SAMPLE_ID) ||
                        BITSET_TEST(info->system_values_read, SYSTEM_VALUE_SAMPLE_POS);
   for (unsigned unit = 0; unit < TBR_MAX_TEXTURES; unit++) {
      if (BITSET_TEST(info->textures_used, unit))
         shader->textures_used |= 1u << unit;
   }
}

static void
describe_fetches(struct tbr_fragment_shader *shader)
{
   const unsigned base = shader->num_inputs;
   shader->fetched = tbr_nir_lower_framebuffer_fetch(shader->nir, base);
   if (!shader->fetched)
      return;
   nir_shader_gather_info(shader->nir, nir_shader_get_entrypoint(shader->nir));
   u_foreach_bit (value, shader->fetched) {
      assert(base + value < ARRAY_SIZE(shader->inputs));
      shader->inputs[base + value] = (struct tbr_shader_input){
         .source = TBR_INPUT_FETCH,
         .attribute = value,
         .components = 15,
      };
      shader->num_inputs = base + value + 1;
   }
}

struct tbr_fragment_shader *
tbr_fragment_shader_create(struct tbr_context *context, const struct pipe_shader_state *state)
{
   struct tbr_screen *screen = tbr_screen(context->base.screen);
   struct tbr_fragment_shader *shader = CALLOC_STRUCT(tbr_fragment_shader);
   if (!shader)
      return NULL;

   pipe_reference_init(&shader->reference, 1);
   shader->shader_cache = screen->shader_cache;
   shader->nir = tbr_take_nir(context, state);
   shader->name = tbr_names_of_shader(screen, shader->nir);
   /* Blending is not the shader's: it runs once per pixel, and depends on nothing below it. */
   const bool equation = tbr_nir_drop_blend_equation(shader->nir);
   NIR_PASS_V(shader->nir, nir_lower_fragcolor,
              shader->nir->info.fs.color_is_dual_source ? 1 : TBR_MAX_COLOR_BUFFERS);
   nir_shader_gather_info(shader->nir, nir_shader_get_entrypoint(shader->nir));

   if (!describe_inputs(shader)) {
      fragment_shader_destroy(shader);
      return NULL;
   }
   describe_fetches(shader);
   if (equation && !shader->fetched)
      shader->nir->info.fs.uses_sample_shading = false;
   describe_outputs(shader);
   shader->any_centroid_input |= tbr_nir_interpolates_at_centroid(shader->nir);
   shader->id = tbr_next_shader_id();
   shader->num_instructions = tbr_nir_count_instructions(shader->nir);
   shader->gpu = tbr_gpu_shader_create(screen, shader->nir);
   shader->regions = tbr_count_regions(screen, shader->nir, shader->gpu);

   /* draw looks for gl_FrontFacing, and gives it to the lines and points of unfilled polygons. */
   const struct pipe_shader_state nir_state = {.type = PIPE_SHADER_IR_NIR, .ir.nir = shader->nir};
   shader->draw = draw_create_fragment_shader(context->draw, &nir_state);
   if (!shader->draw) {
      fragment_shader_destroy(shader);
      return NULL;
   }

   if (tbr_nir_lower_front_face(shader->nir, shader->num_inputs)) {
      assert(shader->num_inputs < ARRAY_SIZE(shader->inputs));
      struct tbr_shader_input *face = &shader->inputs[shader->num_inputs++];
      face->source = TBR_INPUT_FACE;
      face->components = 1;
   }
   tbr_nir_bound_numbers(shader->nir);
   tbr_nir_lower_subgroups(shader->nir);
   tbr_nir_lower_storage(shader->nir);
   tbr_nir_limit_loops(shader->nir, screen->config->shader.loop_limit);
   tbr_nir_bound_offsets(shader->nir);
   tbr_nir_split_numbers(shader->nir);
   tbr_nir_take_active_numbers(shader->nir);
   tbr_nir_widen_functions(shader->nir);
   tbr_nir_narrow_texels(shader->nir);
   tbr_nir_lower_coarse_derivatives(shader->nir);
   shader->num_pushed_constants = tbr_nir_push_constants(shader->nir, shader->num_inputs);

   tbr_debug_nir("fragment", shader->id, shader->nir);

   return shader;
}

/** Most of the shaders of Mesa's own never draw: theirs is not computed. */
static void
digest_nir(struct tbr_fragment_shader *shader)
{
   struct blob blob;
   if (shader->has_digest)
      return;
   blob_init(&blob);
   nir_serialize(&blob, shader->nir, true);
   _mesa_sha1_compute(blob.data, blob.size, shader->digest);
   blob_finish(&blob);
   shader->has_digest = true;
}

/** Code depends on the shader, on what its inputs are and on the key. */
static void
digest_variant(const struct tbr_fragment_shader *shader, const struct tbr_fragment_variant_key *key,
               unsigned char *digest)
{
   struct mesa_sha1 sha1;
   _mesa_sha1_init(&sha1);
   _mesa_sha1_update(&sha1, shader->digest, sizeof shader->digest);
   _mesa_sha1_update(&sha1, shader->inputs, sizeof shader->inputs);
   _mesa_sha1_update(&sha1, key, sizeof *key);
   _mesa_sha1_final(&sha1, digest);
}

tbr_fragment_function
tbr_fragment_shader_compile(struct tbr_context *context, struct tbr_fragment_shader *shader,
                            const struct tbr_fragment_variant_key *key)
{
   assert(key->num_color_buffers <= TBR_MAX_COLOR_BUFFERS);
   for (struct tbr_fragment_variant *variant = shader->variants; variant; variant = variant->next) {
      if (!memcmp(&variant->key, key, sizeof *key))
         return variant->code->function;
   }

   struct tbr_fragment_variant *variant = CALLOC_STRUCT(tbr_fragment_variant);
   if (!variant)
      return NULL;
   unsigned char digest[SHA1_DIGEST_LENGTH];
   digest_nir(shader);
   digest_variant(shader, key, digest);
   variant->key = *key;
   const int64_t begin = os_time_get_nano();
   const char *how = "shared";
   variant->code = tbr_shader_cache_acquire(shader->shader_cache, digest);
   if (!variant->code) {
      struct tbr_code *code = tbr_jit_compile(context, shader, key, digest);
      if (!code) {
         FREE(variant);
         return NULL;
      }
      how = code->from_disk ? "from disk" : "compiled";
      variant->code = tbr_shader_cache_enter(shader->shader_cache, code);
   }
   const int64_t taken = os_time_get_nano() - begin;
   tbr_debug_code(shader->id, shader->num_instructions, taken, how);
   tbr_progress_shader(taken);
   assert(variant->code->function);
   variant->next = shader->variants;
   shader->variants = variant;
   return variant->code->function;
}

/* ---- vertex, tessellation and geometry shaders: draw's ----------------- */

const enum pipe_shader_type tbr_drawn_stages[CM_PRERASTER_STAGES] = {
   [CM_PRERASTER_VERTEX] = PIPE_SHADER_VERTEX,
   [CM_PRERASTER_CONTROL] = PIPE_SHADER_TESS_CTRL,
   [CM_PRERASTER_EVALUATION] = PIPE_SHADER_TESS_EVAL,
   [CM_PRERASTER_GEOMETRY] = PIPE_SHADER_GEOMETRY,
};

const struct tbr_drawn_shader *
tbr_drawn_shader(const struct tbr_context *context, enum pipe_shader_type stage)
{
   switch (stage) {
   case PIPE_SHADER_VERTEX: return context->vertex_shader;
   case PIPE_SHADER_TESS_CTRL: return context->control_shader;
   case PIPE_SHADER_TESS_EVAL: return context->evaluation_shader;
   default: assert(stage == PIPE_SHADER_GEOMETRY); return context->geometry_shader;
   }
}

const struct tbr_drawn_shader *
tbr_last_drawn_shader(const struct tbr_context *context)
{
   if (context->geometry_shader)
      return context->geometry_shader;
   return context->evaluation_shader ? context->evaluation_shader : context->vertex_shader;
}
