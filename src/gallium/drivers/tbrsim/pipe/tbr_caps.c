/* SPDX-License-Identifier: MIT */
/**
 * What the simulated GPU can do: OpenGL ES 3.2 and OpenGL 4.5, and those
 * extensions whose every part is implemented. All else stays at "no".
 */
#include "state/tbr_screen.h"

#include "compiler/nir/nir.h"
#include "draw/draw_context.h"
#include "gallivm/lp_bld_limits.h"
#include "gallivm/lp_bld_nir.h"
#include "util/format/u_format.h"
#include "util/os_misc.h"
#include "util/u_math.h"
#include "util/u_screen.h"
#include "shader/tbr_gpu_shaders.h"
#include "compute/tbr_compute.h"
#include "state/tbr_context.h"
#include "tile/tbr_decoding.h"
#include "pipe/tbr_formats.h"
#include "pipe/tbr_functions.h"
#include "tbr_limits.h"
#include "shader/tbr_nir.h"

#define MAX_TEXTURE_2D_SIZE 16384
#define MAX_TEXTURE_3D_SIZE 2048
#define MAX_TEXTURE_UNITS 16 /* a stage; the rest of TBR_MAX_TEXTURES is for draw's stipple texture */
#define MAX_TEXTURE_LAYERS 2048
#define MAX_VARYINGS 16 /* vec4s; with colours, fog and point coordinates within TBR_MAX_INPUTS */
#define MAX_POINT_OR_LINE_WIDTH 255.0f

/* ---- shaders --------------------------------------------------------- */

/* gallivm translates scalar NIR and has no code for the operations lowered here.
 * A multiply and add is never one operation: whether that rounds once or twice
 * would depend on the CPU. */
static const struct nir_shader_compiler_options compiler_options = {
   .lower_uniforms_to_ubo = true,
   .lower_vector_cmp = true,
   .lower_ffma16 = true,
   .lower_ffma32 = true,
   .lower_ffma64 = true,
   .lower_flrp16 = true,
   .lower_flrp32 = true,
   .lower_flrp64 = true,
   .lower_fmod = true,
   .lower_fdph = true,
   .lower_fsat = true,
   .lower_scmp = true,
   .lower_ldexp = true,
   .lower_fisnormal = true,
   .lower_fquantize2f16 = true,
   .lower_fminmax_signed_zero = true,
   .lower_bitfield_insert = true,
   .lower_bitfield_extract = true,
   .lower_ifind_msb = true,
   .lower_uadd_carry = true,
   .lower_usub_borrow = true,
   .lower_uadd_sat = true,
   .lower_usub_sat = true,
   .lower_iadd_sat = true,
   .lower_hadd = true,
   .lower_mul_2x32_64 = true,
   .lower_extract_byte = true,
   .lower_extract_word = true,
   .lower_insert_byte = true,
   .lower_insert_word = true,
   .lower_pack_snorm_2x16 = true,
   .lower_pack_snorm_4x8 = true,
   .lower_pack_unorm_2x16 = true,
   .lower_pack_unorm_4x8 = true,
   .lower_pack_half_2x16 = true,
   .lower_pack_64_4x16 = true,
   .lower_pack_split = true,
   .lower_unpack_snorm_2x16 = true,
   .lower_unpack_snorm_4x8 = true,
   .lower_unpack_unorm_2x16 = true,
   .lower_unpack_unorm_4x8 = true,
   .lower_unpack_half_2x16 = true,
   .lower_int64_options = nir_lower_imul_2x32_64,
   .lower_doubles_options = nir_lower_dround_even,
   .lower_device_index_to_zero = true,
   .scalarize_ddx = true,
   .max_unroll_iterations = 32,
   /* A texture instruction names its unit; loops over samplers are unrolled. */
   .force_indirect_unrolling_sampler = true,
};

static const void *
get_compiler_options(struct pipe_screen *screen, enum pipe_shader_ir ir, enum pipe_shader_type shader)
{
   return ir == PIPE_SHADER_IR_NIR ? &compiler_options : NULL;
}

/** The linker gets vectors: of scalars it would find more that is undefined, and then
 * drop uniforms which shaders expect to be there. */
static void
scalarize(struct nir_shader *nir)
{
   bool progress;
   NIR_PASS_V(nir, nir_lower_load_const_to_scalar);
   do {
      progress = false;
      NIR_PASS(progress, nir, nir_lower_alu_to_scalar, NULL, NULL);
      NIR_PASS(progress, nir, nir_lower_phis_to_scalar, true);
      NIR_PASS(progress, nir, nir_copy_prop);
      NIR_PASS(progress, nir, nir_opt_remove_phis);
      NIR_PASS(progress, nir, nir_opt_dce);
      NIR_PASS(progress, nir, nir_opt_dead_cf);
      NIR_PASS(progress, nir, nir_opt_cse);
      NIR_PASS(progress, nir, nir_opt_phi_precision);
      NIR_PASS(progress, nir, nir_opt_algebraic);
      NIR_PASS(progress, nir, nir_opt_constant_folding);
      NIR_PASS(progress, nir, nir_opt_undef);
   } while (progress);
}

static char *
finalize_nir(struct pipe_screen *screen, struct nir_shader *nir)
{
   if (tbr_screen(screen)->isas)
      tbr_gpu_shaders_keep(nir);
   scalarize(nir);
   tbr_nir_size_subgroups(nir);
   lp_build_opt_nir(nir);
   return NULL;
}

static int
get_shader_param(struct pipe_screen *screen, enum pipe_shader_type shader, enum pipe_shader_cap param)
{
   const bool is_drawn = tbr_is_drawn_stage(shader);
   if (shader != PIPE_SHADER_FRAGMENT && shader != PIPE_SHADER_COMPUTE && !is_drawn)
      return 0;

   /* mediump is 16 bits wide, as on the GPUs that are simulated: every operation
    * rounds to half precision, whether the CPU has such arithmetic or not. */
   switch (param) {
   case PIPE_SHADER_CAP_MAX_TEXTURE_SAMPLERS:
   case PIPE_SHADER_CAP_MAX_SAMPLER_VIEWS: return MAX_TEXTURE_UNITS;
   case PIPE_SHADER_CAP_MAX_CONST_BUFFERS: return TBR_MAX_CONSTANT_BUFFERS;
   case PIPE_SHADER_CAP_MAX_SHADER_BUFFERS:
      return is_drawn ? TBR_MAX_DRAWN_STORAGE_BUFFERS : TBR_MAX_STORAGE_BUFFERS;
   case PIPE_SHADER_CAP_MAX_SHADER_IMAGES: return TBR_MAX_IMAGES;
   case PIPE_SHADER_CAP_SUPPORTED_IRS: return 1 << PIPE_SHADER_IR_NIR;
   default: return is_drawn ? draw_get_shader_param(shader, param) : gallivm_get_shader_param(param);
   }
}

static int
get_compute_param(struct pipe_screen *screen, enum pipe_shader_ir ir, enum pipe_compute_cap param,
                  void *result)
{
   const uint64_t grid[] = {65535, 65535, 65535}, one = 1, three = 3;
   const uint64_t block[] = {TBR_MAX_GROUP_INVOCATIONS, TBR_MAX_GROUP_INVOCATIONS, 64};
   const uint64_t invocations = TBR_MAX_GROUP_INVOCATIONS, shared = TBR_MAX_SHARED_BYTES, none = 0;
   const uint64_t memory = 1ull << 31;
   const uint32_t address_bits = 64, megahertz = 1000, units = 1, lanes = 0, images = 1;
#define RETURN(value)                             \
   do {                                           \
      if (result)                                 \
         memcpy(result, &(value), sizeof(value)); \
      return sizeof(value);                       \
   } while (0)
   switch (param) {
   case PIPE_COMPUTE_CAP_GRID_DIMENSION: RETURN(three);
   case PIPE_COMPUTE_CAP_MAX_GRID_SIZE: RETURN(grid);
   case PIPE_COMPUTE_CAP_MAX_BLOCK_SIZE: RETURN(block);
   case PIPE_COMPUTE_CAP_MAX_THREADS_PER_BLOCK: RETURN(invocations);
   case PIPE_COMPUTE_CAP_MAX_VARIABLE_THREADS_PER_BLOCK: RETURN(none);
   case PIPE_COMPUTE_CAP_MAX_LOCAL_SIZE: RETURN(shared);
   case PIPE_COMPUTE_CAP_MAX_PRIVATE_SIZE:
   case PIPE_COMPUTE_CAP_MAX_INPUT_SIZE: RETURN(one);
   case PIPE_COMPUTE_CAP_MAX_GLOBAL_SIZE:
   case PIPE_COMPUTE_CAP_MAX_MEM_ALLOC_SIZE: RETURN(memory);
   case PIPE_COMPUTE_CAP_ADDRESS_BITS: RETURN(address_bits);
   case PIPE_COMPUTE_CAP_MAX_CLOCK_FREQUENCY: RETURN(megahertz);
   case PIPE_COMPUTE_CAP_MAX_COMPUTE_UNITS: RETURN(units);
   case PIPE_COMPUTE_CAP_IMAGES_SUPPORTED: RETURN(images);
   case PIPE_COMPUTE_CAP_SUBGROUP_SIZES:
   case PIPE_COMPUTE_CAP_MAX_SUBGROUPS: RETURN(lanes);
   default: return 0;
   }
#undef RETURN
}

/* ---- formats ---------------------------------------------------------- */

/** Formats by which views of a depth and stencil texture show its stencil. */
static bool
is_stencil_view(enum pipe_format format)
{
   return format == PIPE_FORMAT_X24S8_UINT || format == PIPE_FORMAT_S8X24_UINT ||
          format == PIPE_FORMAT_X32_S8X24_UINT;
}

static bool
is_sampleable(enum pipe_format format)
{
   const struct util_format_description *description = util_format_description(format);

   if (description->colorspace == UTIL_FORMAT_COLORSPACE_ZS)
      return tbr_format_is_depth_stencil(format) || is_stencil_view(format);
   if (description->colorspace == UTIL_FORMAT_COLORSPACE_YUV)
      return false;

   switch (description->layout) {
   case UTIL_FORMAT_LAYOUT_PLAIN:
      return !tbr_format_is_odd_rgb(description) && !tbr_format_has_wide_channels(description) &&
             !util_format_is_scaled(format) && util_format_fetch_rgba_func(format);
   case UTIL_FORMAT_LAYOUT_S3TC:
   case UTIL_FORMAT_LAYOUT_RGTC:
   case UTIL_FORMAT_LAYOUT_BPTC:
   case UTIL_FORMAT_LAYOUT_FXT1:
   case UTIL_FORMAT_LAYOUT_OTHER: return util_format_fetch_rgba_func(format);
   case UTIL_FORMAT_LAYOUT_ETC:
   case UTIL_FORMAT_LAYOUT_ASTC:
      return util_format_fetch_rgba_func(format) || tbr_decoded_format(format) != PIPE_FORMAT_NONE;
   default: return false;
   }
}

/** Formats of the texels of buffers. */
static bool
is_buffer_texel(enum pipe_format format)
{
   const struct util_format_description *description = util_format_description(format);
   return description->layout == UTIL_FORMAT_LAYOUT_PLAIN &&
          description->colorspace == UTIL_FORMAT_COLORSPACE_RGB;
}

/** Formats of the texels of Vulkan's uniform texel buffers, which lavapipe asks for as constant buffers. */
static bool
is_uniform_texel(enum pipe_format format)
{
   const struct util_format_description *description = util_format_description(format);
   return (description->layout == UTIL_FORMAT_LAYOUT_PLAIN ||
           description->layout == UTIL_FORMAT_LAYOUT_OTHER) &&
          (description->colorspace == UTIL_FORMAT_COLORSPACE_RGB ||
           description->colorspace == UTIL_FORMAT_COLORSPACE_SRGB) &&
          !tbr_format_has_wide_channels(description) && util_format_fetch_rgba_func(format);
}

/** Formats of images, beyond those that shaders can name. */
static bool
is_image_texel(enum pipe_format format)
{
   const struct util_format_description *description = util_format_description(format);
   return !util_format_is_srgb(format) && !util_format_is_scaled(format) &&
          description->colorspace == UTIL_FORMAT_COLORSPACE_RGB &&
          !tbr_format_has_wide_channels(description) && !tbr_format_is_odd_rgb(description) &&
          (description->layout == UTIL_FORMAT_LAYOUT_PLAIN || format == PIPE_FORMAT_R11G11B10_FLOAT);
}

static bool
is_fetchable(enum pipe_format format)
{
   const struct util_format_description *description = util_format_description(format);
   if (description->colorspace != UTIL_FORMAT_COLORSPACE_RGB)
      return false;
   if (description->layout != UTIL_FORMAT_LAYOUT_PLAIN && format != PIPE_FORMAT_R11G11B10_FLOAT)
      return false;
   return !(util_format_is_pure_integer(format) && tbr_format_has_wide_channels(description));
}

static bool
is_index_format(enum pipe_format format)
{
   return format == PIPE_FORMAT_R8_UINT || format == PIPE_FORMAT_R16_UINT || format == PIPE_FORMAT_R32_UINT;
}

static bool
is_format_supported(struct pipe_screen *screen, enum pipe_format format, enum pipe_texture_target target,
                    unsigned sample_count, unsigned storage_sample_count, unsigned bind)
{
   struct sw_winsys *winsys = tbr_screen(screen)->winsys;
   const unsigned displayed = PIPE_BIND_DISPLAY_TARGET | PIPE_BIND_SCANOUT | PIPE_BIND_SHARED;
   const unsigned of_images =
      PIPE_BIND_RENDER_TARGET | PIPE_BIND_BLENDABLE | PIPE_BIND_DEPTH_STENCIL | displayed;

   if (sample_count != storage_sample_count || (sample_count > 1 && sample_count != TBR_MAX_SAMPLES))
      return false;
   if (sample_count > 1 && target != PIPE_TEXTURE_2D && target != PIPE_TEXTURE_2D_ARRAY)
      return false;
   if (format == PIPE_FORMAT_NONE) /* a framebuffer without attachments */
      return bind == PIPE_BIND_RENDER_TARGET;
   if (format >= PIPE_FORMAT_COUNT)
      return false;
   if ((bind & PIPE_BIND_SHADER_IMAGE) && !is_image_texel(format))
      return false;
   if (target == PIPE_BUFFER && (bind & of_images))
      return false;
   if ((bind & (PIPE_BIND_RENDER_TARGET | PIPE_BIND_BLENDABLE)) && !tbr_format_is_color_renderable(format))
      return false;
   if ((bind & PIPE_BIND_BLENDABLE) && util_format_is_pure_integer(format))
      return false;
   if ((bind & PIPE_BIND_DEPTH_STENCIL) && !tbr_format_is_depth_stencil(format))
      return false;
   if ((bind & PIPE_BIND_SAMPLER_VIEW) && !is_sampleable(format))
      return false;
   if ((bind & PIPE_BIND_SAMPLER_VIEW) && target == PIPE_BUFFER && !is_buffer_texel(format))
      return false;
   if ((bind & PIPE_BIND_CONSTANT_BUFFER) && !is_uniform_texel(format))
      return false;
   if ((bind & PIPE_BIND_VERTEX_BUFFER) && !is_fetchable(format))
      return false;
   if ((bind & PIPE_BIND_INDEX_BUFFER) && !is_index_format(format))
      return false;
   if ((bind & displayed) && !winsys->is_displaytarget_format_supported(winsys, bind, format))
      return false;
   return true;
}

/* ---- caps ------------------------------------------------------------- */

static void
init_pipeline_caps(struct pipe_caps *caps)
{
   caps->max_render_targets = TBR_MAX_COLOR_BUFFERS;
   caps->max_dual_source_render_targets = 1;
   caps->framebuffer_no_attachment = true;
   caps->mixed_framebuffer_sizes = true;
   caps->texture_barrier = true;
   caps->string_marker = true;
   caps->mixed_colorbuffer_formats = true;
   caps->mixed_color_depth_bits = true;
   caps->blend_equation_separate = true;
   caps->indep_blend_enable = true;
   caps->indep_blend_func = true;
   caps->depth_clip_disable = true;
   caps->polygon_offset_clamp = true;
   caps->post_depth_coverage = true;
   caps->shader_stencil_export = true;
   caps->fs_coord_origin_upper_left = true;
   caps->fs_coord_pixel_center_half_integer = true;
   caps->fs_face_is_integer_sysval = true;
   caps->tgsi_texcoord = true;
   caps->fragment_shader_derivatives = true;
   caps->fs_fine_derivative = true;
   caps->texture_multisample = true;
   caps->surface_sample_count = true;
   caps->sample_shading = true;
   caps->fbfetch = TBR_MAX_COLOR_BUFFERS;
   caps->fbfetch_coherent = true;
   caps->fbfetch_zs = true;
   caps->max_viewports = PIPE_MAX_VIEWPORTS;
   caps->max_varyings = MAX_VARYINGS;
   caps->rasterizer_subpixel_bits = TBR_SUBPIXEL_BITS;
   /* The alpha test is a discard in the shader. */
   caps->alpha_test = false;

   caps->min_point_size = caps->min_point_size_aa = 1.0f;
   caps->max_point_size = caps->max_point_size_aa = MAX_POINT_OR_LINE_WIDTH;
   caps->min_line_width = caps->min_line_width_aa = 1.0f;
   caps->max_line_width = caps->max_line_width_aa = MAX_POINT_OR_LINE_WIDTH;
   caps->point_size_granularity = caps->line_width_granularity = 0.1f;
}

static void
init_vertex_caps(struct pipe_caps *caps)
{
   /* The application's own arrays are copied into buffers first: only those have
    * addresses on the simulated GPU. */
   caps->user_vertex_buffers = false;
   /* What draw does by itself. */
   caps->primitive_restart = true;
   caps->primitive_restart_fixed_index = true;
   caps->vs_instanceid = true;
   caps->vertex_element_instance_divisor = true;
   caps->start_instance = true;
   caps->vertex_color_unclamped = true;
   caps->vertex_color_clamped = true;
   caps->packed_uniforms = true;
   caps->constant_buffer_offset_alignment = 16;
   caps->load_constbuf = true; /* at any offset: uniform blocks without a layout are packed */
   caps->clip_halfz = true;
   caps->cull_distance = true;
   caps->vs_layer_viewport = true;
   caps->tes_layer_viewport = true;
   caps->multiview = 2; /* OVR_multiview2: any stage may depend on the view */
   caps->shader_array_components = true;
   caps->max_geometry_output_vertices = caps->max_geometry_total_output_components = 1024;
   caps->max_gs_invocations = CM_MAX_GEOMETRY_INSTANCES;
   caps->max_shader_patch_varyings = 32;
   caps->max_vertex_streams = PIPE_MAX_VERTEX_STREAMS;
   caps->max_vertex_attrib_stride = 2048;
   caps->max_stream_output_buffers = PIPE_MAX_SO_BUFFERS;
   caps->max_stream_output_separate_components = caps->max_stream_output_interleaved_components = 16 * 4;
   caps->stream_output_pause_resume = true;
   caps->stream_output_interleave_buffers = true;
   caps->draw_indirect = true;
   caps->multi_draw_indirect = true;
   caps->multi_draw_indirect_params = true;
   caps->draw_parameters = true;
   /* Vertex shaders belong to the context's draw module. */
   caps->shareable_shaders = false;
}

static void
init_texture_caps(struct pipe_caps *caps)
{
   caps->npot_textures = true;
   caps->max_texture_2d_size = MAX_TEXTURE_2D_SIZE;
   caps->max_texture_3d_levels = util_logbase2(MAX_TEXTURE_3D_SIZE) + 1;
   caps->max_texture_cube_levels = util_logbase2(MAX_TEXTURE_2D_SIZE) + 1;
   caps->max_texture_array_layers = MAX_TEXTURE_LAYERS;
   caps->anisotropic_filter = true;
   caps->max_texture_anisotropy = 16.0f;
   caps->cube_map_array = true;
   caps->seamless_cube_map = true;
   caps->seamless_cube_map_per_texture = true;
   caps->texture_buffer_objects = true;
   caps->max_texel_buffer_elements = TBR_MAX_BUFFER_TEXELS;
   caps->texture_buffer_offset_alignment = 16;
   caps->min_texel_offset = -8;
   caps->max_texel_offset = 7;
   caps->max_texture_gather_components = 4;
   caps->min_texture_gather_offset = -32;
   caps->max_texture_gather_offset = 31;
   caps->texture_query_lod = true;
   caps->texture_query_samples = true;
   caps->texture_shadow_lod = true;
   caps->sampler_view_target = true;
   caps->copy_between_compressed_and_plain_formats = true;
   caps->max_texture_lod_bias = 16.0f;
   caps->texture_swizzle = true;
   caps->texture_mirror_clamp = true;
   caps->texture_mirror_clamp_to_edge = true;
   caps->sampler_reduction_minmax = true;
   caps->texture_float_linear = true;
   caps->texture_half_float_linear = true;
   caps->fragment_shader_texture_lod = true;
   caps->texture_transfer_modes = 0;
}

static void
init_query_caps(struct pipe_caps *caps)
{
   caps->occlusion_query = true;
   caps->query_pipeline_statistics = true;
   caps->query_so_overflow = true;
   caps->query_timestamp = true;
   caps->query_time_elapsed = true;
   caps->timer_resolution = 1; /* nanoseconds */
   caps->query_buffer_object = true;
   caps->conditional_render = true;
   caps->conditional_render_inverted = true;
}

static void
init_storage_caps(struct pipe_caps *caps)
{
   caps->compute = true;
   caps->nir_images_as_deref = false;
   caps->image_store_formatted = true;
   caps->image_load_formatted = true;
   caps->shader_buffer_offset_alignment = 16;
   caps->max_shader_buffer_size = 1u << 27;
   caps->max_combined_shader_buffers = TBR_MAX_STORAGE_BUFFERS; /* as many binding points */
}

static void
init_memory_caps(struct pipe_caps *caps)
{
   uint64_t bytes;
   caps->video_memory = os_get_total_physical_memory(&bytes) ? MIN2(bytes >> 20, UINT32_MAX) : 0;
   caps->uma = true;
   caps->invalidate_buffer = true;
   /* draw and the generated code check every access against the size. */
   caps->robust_buffer_access_behavior = true;
   caps->device_reset_status_query = true;
   caps->min_map_buffer_alignment = 64;
   caps->endianness = PIPE_ENDIAN_NATIVE;
}

void
tbr_caps_init_screen(struct tbr_screen *screen)
{
   struct pipe_screen *base = &screen->base;
   struct pipe_caps *caps = (struct pipe_caps *)&base->caps;

   base->get_shader_param = get_shader_param;
   base->get_compute_param = get_compute_param;
   base->get_compiler_options = get_compiler_options;
   base->finalize_nir = finalize_nir;
   base->is_format_supported = is_format_supported;

   u_init_pipe_screen_caps(base, 0);
   caps->glsl_feature_level = caps->glsl_feature_level_compatibility = 450;
   caps->doubles = true;
   caps->int64 = true;
   caps->shader_group_vote = true;
   caps->shader_ballot = true;
   init_pipeline_caps(caps);
   init_vertex_caps(caps);
   init_texture_caps(caps);
   init_query_caps(caps);
   init_storage_caps(caps);
   init_memory_caps(caps);
}
