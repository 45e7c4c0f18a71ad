/* SPDX-License-Identifier: MIT */
/**
 * Generates a fragment function from NIR with gallivm: one call shades a
 * struct tbr_fragment_block. All lanes run, helper fragments and the lanes of
 * missing quads included, so that no lane's values depend on another quad's.
 */
#include <stddef.h>

#include "gallivm/lp_bld_const.h"
#include "gallivm/lp_bld_flow.h"
#include "gallivm/lp_bld_init.h"
#include "gallivm/lp_bld_misc.h"
#include "gallivm/lp_bld_intr.h"
#include "gallivm/lp_bld_nir.h"
#include "gallivm/lp_bld_pack.h"
#include "gallivm/lp_bld_swizzle.h"
#include "gallivm/lp_bld_type.h"
#include "nir.h"
#include "util/u_memory.h"
#include "state/tbr_context.h"
#include "shader/tbr_jit_regions.h"
#include "shader/tbr_jit_sampler.h"
#include "shader/tbr_jit_storage.h"
#include "shader/tbr_shader_cache.h"
#include "shader/tbr_shader.h"

/** The same for all shaders: code from the disk is found by it. */
#define FUNCTION_NAME "fragment"

/** State of the generation of one function. */
struct jit {
   struct gallivm_state *gallivm;
   LLVMBuilderRef builder;
   struct lp_type type;
   LLVMTypeRef vector, integer_vector;
   LLVMValueRef resources, block, thread;
   const struct tbr_fragment_shader *shader;
   const struct tbr_fragment_variant_key *key;
   LLVMValueRef inverse_w[2]; /**< interpolated 1 / w at the fragment's point and at its centroid */
   LLVMValueRef w[2];         /**< their inverses */
};

static LLVMValueRef
load(const struct jit *jit, LLVMTypeRef type, LLVMValueRef base, size_t offset)
{
   return tbr_jit_load(jit->gallivm, type, base, offset);
}

static LLVMValueRef
load_pointer(const struct jit *jit, LLVMValueRef base, size_t offset)
{
   LLVMTypeRef pointer = LLVMPointerTypeInContext(jit->gallivm->context, 0);
   return LLVMBuildLoad2(jit->builder, pointer, tbr_jit_address(jit->gallivm, base, offset), "");
}

static void
store(const struct jit *jit, LLVMValueRef value, LLVMValueRef base, size_t offset)
{
   tbr_jit_store(jit->gallivm, value, base, offset);
}

/* ---- inputs ------------------------------------------------------------ */

enum coefficient { COEFFICIENT_BASE, COEFFICIENT_DDX, COEFFICIENT_DDY, COEFFICIENT_OFFSET };

/** The planes of the four quads side by side: lanes 4q … 4q+3 hold quad q's
 * base, ddx, ddy and offset. */
static LLVMValueRef
load_planes(const struct jit *jit, unsigned plane)
{
   const struct lp_type quad = lp_type_float_vec(32, 4 * 32);
   LLVMValueRef parts[TBR_QUADS];

   for (unsigned q = 0; q < TBR_QUADS; q++) {
      LLVMValueRef planes =
         load_pointer(jit, jit->block, offsetof(struct tbr_fragment_block, planes) + q * sizeof(void *));
      parts[q] = load(jit, lp_build_vec_type(jit->gallivm, quad), planes, plane * sizeof(struct tbr_plane));
   }
   return lp_build_concat(jit->gallivm, parts, quad, TBR_QUADS);
}

static LLVMValueRef
spread(const struct jit *jit, LLVMValueRef planes, enum coefficient coefficient)
{
   LLVMValueRef lanes[TBR_LANES];
   for (unsigned i = 0; i < TBR_LANES; i++)
      lanes[i] = lp_build_const_int32(jit->gallivm, (i & ~3) + coefficient);
   return LLVMBuildShuffleVector(jit->builder, planes, LLVMGetUndef(LLVMTypeOf(planes)),
                                 LLVMConstVector(lanes, TBR_LANES), "");
}

/** Where in their pixels fragments are evaluated, relative to their primitives. */
struct position {
   LLVMValueRef x, y;
};

static struct position
load_position(const struct jit *jit, bool centroid)
{
   const size_t offset_x =
      centroid ? offsetof(struct tbr_fragment_block, centroid_x) : offsetof(struct tbr_fragment_block, x);
   const size_t offset_y =
      centroid ? offsetof(struct tbr_fragment_block, centroid_y) : offsetof(struct tbr_fragment_block, y);
   return (struct position){load(jit, jit->vector, jit->block, offset_x),
                            load(jit, jit->vector, jit->block, offset_y)};
}

/** base + ddx * x + ddy * y, in the order in which the raster pipeline does it. */
static LLVMValueRef
evaluate_plane_at(const struct jit *jit, unsigned plane, struct position position)
{
   LLVMValueRef planes = load_planes(jit, plane);
   LLVMValueRef value = spread(jit, planes, COEFFICIENT_BASE);
   LLVMValueRef x = LLVMBuildFMul(jit->builder, spread(jit, planes, COEFFICIENT_DDX), position.x, "");
   LLVMValueRef y = LLVMBuildFMul(jit->builder, spread(jit, planes, COEFFICIENT_DDY), position.y, "");
   value = LLVMBuildFAdd(jit->builder, value, x, "");
   return LLVMBuildFAdd(jit->builder, value, y, "");
}

static LLVMValueRef
evaluate_plane(const struct jit *jit, unsigned plane, bool centroid)
{
   return evaluate_plane_at(jit, plane, load_position(jit, centroid));
}

static void
prepare_w(struct jit *jit, bool centroid)
{
   if (jit->w[centroid])
      return;
   jit->inverse_w[centroid] = evaluate_plane(jit, TBR_PLANE_INVERSE_W, centroid);
   jit->w[centroid] = LLVMBuildFDiv(jit->builder, lp_build_const_vec(jit->gallivm, jit->type, 1.0),
                                    jit->inverse_w[centroid], "");
}

static bool
is_constant(const struct jit *jit, const struct tbr_shader_input *input)
{
   return input->interpolation == TBR_INTERPOLATE_CONSTANT || (input->color && jit->key->flatshade);
}

static LLVMValueRef
attribute_input(struct jit *jit, const struct tbr_shader_input *input, unsigned component)
{
   const unsigned plane = TBR_PLANE_INPUT(input->attribute, component);
   if (is_constant(jit, input))
      return spread(jit, load_planes(jit, plane), COEFFICIENT_BASE);

   const bool centroid = input->centroid && jit->key->multisample && !jit->key->per_sample;
   LLVMValueRef value = evaluate_plane(jit, plane, centroid);
   if (input->interpolation == TBR_INTERPOLATE_PERSPECTIVE) {
      prepare_w(jit, centroid);
      value = LLVMBuildFMul(jit->builder, value, jit->w[centroid], "");
   }
   return value;
}

static LLVMValueRef
position_input(struct jit *jit, unsigned component)
{
   switch (component) {
   case 0: return load(jit, jit->vector, jit->block, offsetof(struct tbr_fragment_block, window_x));
   case 1: return load(jit, jit->vector, jit->block, offsetof(struct tbr_fragment_block, window_y));
   case 2:
      return LLVMBuildFAdd(jit->builder, evaluate_plane(jit, TBR_PLANE_DEPTH, false),
                           spread(jit, load_planes(jit, TBR_PLANE_DEPTH), COEFFICIENT_OFFSET), "");
   default: prepare_w(jit, false); return jit->inverse_w[0];
   }
}

static LLVMValueRef
face_input(const struct jit *jit)
{
   LLVMTypeRef quads = LLVMVectorType(LLVMInt32TypeInContext(jit->gallivm->context), TBR_QUADS);
   LLVMValueRef faces = load(jit, quads, jit->block, offsetof(struct tbr_fragment_block, front_facing));
   LLVMValueRef lanes[TBR_LANES];
   for (unsigned i = 0; i < TBR_LANES; i++)
      lanes[i] = lp_build_const_int32(jit->gallivm, i / 4);
   faces =
      LLVMBuildShuffleVector(jit->builder, faces, LLVMGetUndef(quads), LLVMConstVector(lanes, TBR_LANES), "");
   return LLVMBuildBitCast(jit->builder, faces, jit->vector, "");
}

/** A component of what the raster pipeline has read of the framebuffer. */
static LLVMValueRef
fetch_input(const struct jit *jit, const struct tbr_shader_input *input, unsigned component)
{
   const size_t plane = (input->attribute * 4 + component) * sizeof(float) * TBR_LANES;
   return load(jit, jit->vector, jit->block, offsetof(struct tbr_fragment_block, last) + plane);
}

static void
build_inputs(struct jit *jit, LLVMValueRef (*inputs)[4])
{
   for (unsigned slot = 0; slot < jit->shader->num_inputs; slot++) {
      const struct tbr_shader_input *input = &jit->shader->inputs[slot];
      for (unsigned c = 0; c < 4; c++) {
         if (!(input->components & (1 << c)) || input->source == TBR_INPUT_UNUSED)
            inputs[slot][c] = LLVMConstNull(jit->vector);
         else if (input->source == TBR_INPUT_ATTRIBUTE)
            inputs[slot][c] = attribute_input(jit, input, c);
         else if (input->source == TBR_INPUT_POSITION)
            inputs[slot][c] = position_input(jit, c);
         else if (input->source == TBR_INPUT_FETCH)
            inputs[slot][c] = fetch_input(jit, input, c);
         else
            inputs[slot][c] = face_input(jit);
      }
   }
}

/* ---- interpolateAt ----------------------------------------------------- */

struct interpolator {
   struct lp_build_fs_iface base;
   const struct jit *jit;
};

/** How far the samples with these numbers are from the centre along an axis. */
static LLVMValueRef
sample_offsets(const struct jit *jit, LLVMValueRef samples, unsigned axis)
{
   LLVMValueRef offsets = lp_build_const_vec(jit->gallivm, jit->type, tbr_sample_positions[0][axis] - 0.5f);
   for (unsigned s = 1; s < TBR_MAX_SAMPLES; s++) {
      LLVMValueRef is_it = LLVMBuildICmp(jit->builder, LLVMIntEQ, samples,
                                         lp_build_const_int_vec(jit->gallivm, jit->type, s), "");
      offsets =
         LLVMBuildSelect(jit->builder, is_it,
                         lp_build_const_vec(jit->gallivm, jit->type, tbr_sample_positions[s][axis] - 0.5f),
                         offsets, "");
   }
   return offsets;
}

/** The pixels' centres; shaders that run once per sample are at the samples. */
static struct position
load_centers(const struct jit *jit)
{
   struct position position = load_position(jit, false);
   if (!jit->key->multisample || !jit->key->per_sample)
      return position;
   LLVMTypeRef word = LLVMInt32TypeInContext(jit->gallivm->context);
   LLVMValueRef sample =
      lp_build_broadcast(jit->gallivm, jit->integer_vector,
                         load(jit, word, jit->block, offsetof(struct tbr_fragment_block, sample_id)));
   position.x = LLVMBuildFSub(jit->builder, position.x, sample_offsets(jit, sample, 0), "");
   position.y = LLVMBuildFSub(jit->builder, position.y, sample_offsets(jit, sample, 1), "");
   return position;
}

/** An input at the centroid, at sample offsets[0] or at offsets from the centre. */
static LLVMValueRef
interpolate_at(const struct lp_build_fs_iface *base, struct lp_build_context *build, unsigned slot,
               unsigned component, bool centroid, bool sample, LLVMValueRef index, LLVMValueRef offsets[2])
{
   const struct jit *jit = ((const struct interpolator *)base)->jit;
   const struct tbr_shader_input *input = &jit->shader->inputs[slot];
   const unsigned plane = TBR_PLANE_INPUT(input->attribute, component);
   if (is_constant(jit, input))
      return spread(jit, load_planes(jit, plane), COEFFICIENT_BASE);

   struct position position;
   if (centroid) {
      position = load_position(jit, jit->key->multisample && !jit->key->per_sample);
   } else {
      position = load_centers(jit);
      if (!sample || jit->key->multisample) {
         LLVMValueRef x = sample ? sample_offsets(jit, offsets[0], 0) : offsets[0];
         LLVMValueRef y = sample ? sample_offsets(jit, offsets[0], 1) : offsets[1];
         position.x = LLVMBuildFAdd(jit->builder, position.x, x, "");
         position.y = LLVMBuildFAdd(jit->builder, position.y, y, "");
      }
   }
   LLVMValueRef value = evaluate_plane_at(jit, plane, position);
   if (input->interpolation == TBR_INTERPOLATE_PERSPECTIVE)
      value = LLVMBuildFDiv(jit->builder, value, evaluate_plane_at(jit, TBR_PLANE_INVERSE_W, position), "");
   return value;
}

/* ---- constants --------------------------------------------------------- */

/** Constants at known offsets, broadcast to all lanes. LLVM drops unused ones. */
static void
build_pushed_constants(const struct jit *jit, LLVMValueRef (*slots)[4])
{
   LLVMTypeRef scalar = LLVMFloatTypeInContext(jit->gallivm->context);
   LLVMValueRef words =
      load_pointer(jit, jit->resources, offsetof(struct tbr_fragment_resources, constants[0].words));
   const unsigned kind = LLVMGetMDKindIDInContext(jit->gallivm->context, "invariant.load", 14);
   LLVMValueRef none = LLVMMDNodeInContext(jit->gallivm->context, NULL, 0);

   for (unsigned i = 0; i < jit->shader->num_pushed_constants; i++) {
      for (unsigned c = 0; c < 4; c++) {
         LLVMValueRef word = load(jit, scalar, words, (i * 4 + c) * sizeof(float));
         LLVMSetMetadata(word, kind, none);
         slots[i][c] = lp_build_broadcast(jit->gallivm, jit->vector, word);
      }
   }
}

/* ---- outputs ----------------------------------------------------------- */

/** Where gallivm keeps an output; -1 if the shader does not write it. */
static int
output_slot(const nir_shader *nir, unsigned location, unsigned index)
{
   if (nir->info.io_lowered) {
      if (index || !(nir->info.outputs_written & BITFIELD64_BIT(location)))
         return -1;
      return util_bitcount64(nir->info.outputs_written & BITFIELD64_MASK(location));
   }
   nir_foreach_shader_out_variable (variable, nir) {
      const unsigned slots = nir_variable_count_slots(variable, variable->type);
      if (variable->data.index == index && location >= variable->data.location &&
          location < variable->data.location + slots)
         return variable->data.driver_location + (location - variable->data.location);
   }
   return -1;
}

static void
store_color(const struct jit *jit, LLVMValueRef (*outputs)[4], int slot, size_t offset)
{
   for (unsigned c = 0; slot >= 0 && c < 4; c++) {
      LLVMValueRef pointer = outputs[slot][c];
      LLVMValueRef value =
         pointer ? LLVMBuildLoad2(jit->builder, jit->vector, pointer, "") : LLVMConstNull(jit->vector);
      store(jit, value, jit->block, offset + c * sizeof(float) * TBR_LANES);
   }
}

static void
store_outputs(const struct jit *jit, const nir_shader *nir, LLVMValueRef (*outputs)[4])
{
   /* Which component gallivm has them in. */
   static const struct {
      uint8_t location, component;
      size_t offset;
   } others[] = {
      {FRAG_RESULT_DEPTH, 2, offsetof(struct tbr_fragment_block, depth)},
      {FRAG_RESULT_STENCIL, 1, offsetof(struct tbr_fragment_block, stencil)},
      {FRAG_RESULT_SAMPLE_MASK, 0, offsetof(struct tbr_fragment_block, sample_mask)},
   };
   for (unsigned i = 0; i < jit->key->num_color_buffers; i++)
      store_color(jit, outputs, output_slot(nir, FRAG_RESULT_DATA0 + i, 0),
                  offsetof(struct tbr_fragment_block, color[i]));
   if (jit->key->dual_source)
      store_color(jit, outputs, output_slot(nir, FRAG_RESULT_DATA0, 1),
                  offsetof(struct tbr_fragment_block, color_second));
   for (unsigned i = 0; i < ARRAY_SIZE(others); i++) {
      const int slot = output_slot(nir, others[i].location, 0);
      if (slot >= 0)
         store(jit, LLVMBuildLoad2(jit->builder, jit->vector, outputs[slot][others[i].component], ""),
               jit->block, others[i].offset);
   }
}

static void
store_live(const struct jit *jit, LLVMValueRef mask)
{
   LLVMTypeRef word = LLVMInt32TypeInContext(jit->gallivm->context);
   LLVMValueRef live = load(jit, word, jit->block, offsetof(struct tbr_fragment_block, live));
   live = LLVMBuildAnd(jit->builder, live, tbr_jit_lane_bits(jit->gallivm, mask), "");
   store(jit, live, jit->block, offsetof(struct tbr_fragment_block, live));
}

/* ---- samples ----------------------------------------------------------- */

/** The positions as an array in the function's own memory: code that is kept on disk
 * holds no addresses. LLVM drops it where the shader does not ask. */
static void
build_sample_positions(const struct jit *jit, struct lp_bld_tgsi_system_values *values)
{
   static const float center[1][2] = {{0.5f, 0.5f}};
   const float(*positions)[2] = jit->key->multisample ? tbr_sample_positions : center;
   const unsigned count = 2 * (jit->key->multisample ? TBR_MAX_SAMPLES : 1);
   LLVMTypeRef scalar = LLVMFloatTypeInContext(jit->gallivm->context);

   values->sample_pos_type = LLVMArrayType(scalar, count);
   values->sample_pos = lp_build_alloca_undef(jit->gallivm, values->sample_pos_type, "sample_positions");
   for (unsigned i = 0; i < count; i++)
      store(jit, lp_build_const_float(jit->gallivm, positions[i / 2][i % 2]), values->sample_pos,
            i * sizeof(float));
}

static void
build_sample_values(const struct jit *jit, struct lp_bld_tgsi_system_values *values)
{
   LLVMTypeRef word = LLVMInt32TypeInContext(jit->gallivm->context);

   build_sample_positions(jit, values);
   if (jit->key->multisample) {
      values->sample_id = load(jit, word, jit->block, offsetof(struct tbr_fragment_block, sample_id));
      values->sample_mask_in =
         load(jit, jit->integer_vector, jit->block, offsetof(struct tbr_fragment_block, sample_mask_in));
   } else {
      values->sample_id = lp_build_const_int32(jit->gallivm, 0);
      values->sample_mask_in = lp_build_const_int_vec(jit->gallivm, jit->type, 1);
   }
}

/* ---- the function ------------------------------------------------------ */

static void
build_body(struct jit *jit, nir_shader *nir)
{
   const unsigned num_slots = jit->shader->num_inputs + jit->shader->num_pushed_constants + 1;
   LLVMValueRef(*inputs)[4] = CALLOC(num_slots, sizeof *inputs);
   LLVMValueRef outputs[PIPE_MAX_SHADER_OUTPUTS][4] = {0};
   struct lp_build_mask_context mask;
   struct lp_bld_tgsi_system_values system_values = {0};

   build_inputs(jit, inputs);
   build_pushed_constants(jit, inputs + jit->shader->num_inputs);
   lp_build_mask_begin(&mask, jit->gallivm, jit->type, LLVMConstAllOnes(jit->integer_vector));
   build_sample_values(jit, &system_values);
   system_values.view_index = load(jit, LLVMInt32TypeInContext(jit->gallivm->context), jit->resources,
                                   offsetof(struct tbr_fragment_resources, view));

   struct tbr_jit_sampler sampler;
   tbr_jit_sampler_init(&sampler, jit->gallivm, jit->type, jit->resources, jit->thread, nir);

   struct tbr_jit_storage storage;
   if (tbr_fragment_shader_uses_storage(jit->shader))
      tbr_jit_storage_init(&storage, jit->gallivm, jit->type, jit->resources, jit->thread);

   struct tbr_jit_regions regions;
   if (jit->shader->regions)
      tbr_jit_regions_init(&regions, jit->gallivm, &storage.base, jit->thread,
                           load(jit, LLVMInt32TypeInContext(jit->gallivm->context), jit->block,
                                offsetof(struct tbr_fragment_block, live)));

   const struct interpolator interpolator = {.base.interp_fn = interpolate_at, .jit = jit};
   const struct lp_build_tgsi_params params = {
      .type = jit->type,
      .mask = &mask,
      .ssbo_ptr =
         tbr_jit_address(jit->gallivm, jit->resources, offsetof(struct tbr_fragment_resources, loops_ended)),
      .consts_ptr =
         tbr_jit_address(jit->gallivm, jit->resources, offsetof(struct tbr_fragment_resources, constants)),
      .system_values = &system_values,
      .inputs = (const LLVMValueRef(*)[4])inputs,
      .num_inputs = num_slots,
      .sampler = &sampler.base,
      .image = jit->shader->regions ? &regions.base : &storage.base,
      .fs_iface = &interpolator.base,
   };
   lp_build_nir_soa(jit->gallivm, nir, &params, outputs);

   LLVMValueRef alive = lp_build_mask_end(&mask);
   store_outputs(jit, nir, outputs);
   if (jit->shader->discards)
      store_live(jit, alive);
   FREE(inputs);
}

static LLVMValueRef
declare_function(struct jit *jit)
{
   LLVMTypeRef pointer = LLVMPointerTypeInContext(jit->gallivm->context, 0);
   LLVMTypeRef parameters[] = {pointer, pointer, pointer};
   LLVMTypeRef type =
      LLVMFunctionType(LLVMVoidTypeInContext(jit->gallivm->context), parameters, ARRAY_SIZE(parameters), 0);
   LLVMValueRef function = LLVMAddFunction(jit->gallivm->module, FUNCTION_NAME, type);
   LLVMSetFunctionCallConv(function, LLVMCCallConv);
   for (unsigned i = 0; i < ARRAY_SIZE(parameters); i++)
      lp_add_function_attr(function, i + 1, LP_FUNC_ATTR_NOALIAS);

   jit->resources = LLVMGetParam(function, 0);
   jit->block = LLVMGetParam(function, 1);
   jit->thread = LLVMGetParam(function, 2);
   return function;
}

static void
define_function(struct jit *jit, LLVMValueRef function)
{
   jit->vector = lp_build_vec_type(jit->gallivm, jit->type);
   jit->integer_vector = lp_build_int_vec_type(jit->gallivm, jit->type);
   LLVMPositionBuilderAtEnd(jit->builder,
                            LLVMAppendBasicBlockInContext(jit->gallivm->context, function, "entry"));
   nir_shader *nir = nir_shader_clone(NULL, jit->shader->nir);
   build_body(jit, nir);
   ralloc_free(nir);
   LLVMBuildRetVoid(jit->builder);
   gallivm_verify_function(jit->gallivm, function);
}

struct tbr_code *
tbr_jit_compile(struct tbr_context *context, const struct tbr_fragment_shader *shader,
                const struct tbr_fragment_variant_key *key, const unsigned char *digest)
{
   struct lp_cached_code cached = {0};
   struct tbr_code *code = CALLOC_STRUCT(tbr_code);
   if (!code)
      return NULL;
   memcpy(code->key, digest, sizeof code->key);
   tbr_shader_cache_find(shader->shader_cache, digest, &cached);
   const bool found = cached.data_size;
   code->from_disk = found;

   code->gallivm = gallivm_create(FUNCTION_NAME, context->llvm, &cached);
   if (!code->gallivm) {
      FREE(code);
      return NULL;
   }
   struct jit jit = {
      .gallivm = code->gallivm,
      .builder = code->gallivm->builder,
      .type = lp_type_float_vec(32, 32 * TBR_LANES),
      .shader = shader,
      .key = key,
   };
   LLVMValueRef function = declare_function(&jit);
   if (!found)
      define_function(&jit, function);
   gallivm_compile_module(code->gallivm);
   code->function = (tbr_fragment_function)gallivm_jit_function(code->gallivm, function, FUNCTION_NAME);
   if (!found && code->function)
      tbr_shader_cache_store(shader->shader_cache, digest, &cached);
   gallivm_free_ir(code->gallivm);
   if (!code->function) {
      gallivm_destroy(code->gallivm);
      FREE(code);
      return NULL;
   }
   return code;
}
