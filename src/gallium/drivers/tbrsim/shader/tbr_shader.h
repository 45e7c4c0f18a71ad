/* SPDX-License-Identifier: MIT */
/** Shaders: NIR in, generated fragment functions and draw's vertex shaders out. */
#ifndef TBR_SHADER_H
#define TBR_SHADER_H

#include <stdbool.h>
#include <stdint.h>

#include "pipe/p_state.h"
#include "util/u_inlines.h"
#include "events/event_stream.h"
#include "tile/tbr_fragment.h"
#include "state/tbr_names.h"

struct nir_shader;
struct tbr_code;
struct tbr_gpu_shader;
struct tbr_regions;
struct tbr_shader_cache;
struct tbr_context;
struct tbr_screen;
struct draw_vertex_shader;
struct draw_geometry_shader;
struct draw_tess_ctrl_shader;
struct draw_tess_eval_shader;
struct draw_fragment_shader;

/** What a fragment shader's input slot is fed with. */
enum tbr_input_source {
   TBR_INPUT_UNUSED,
   TBR_INPUT_ATTRIBUTE, /**< an interpolated attribute of the primitive */
   TBR_INPUT_POSITION,  /**< gl_FragCoord */
   TBR_INPUT_FACE,      /**< gl_FrontFacing as 0 or ~0 */
   TBR_INPUT_FETCH,     /**< a value of the framebuffer */
};

struct tbr_shader_input {
   uint8_t source;        /**< enum tbr_input_source */
   uint8_t attribute;     /**< index among the primitive's attributes after the position; of a value of the
                           * framebuffer: which (enum tbr_attachment_number) */
   uint8_t components;    /**< mask of the components read */
   uint8_t interpolation; /**< enum tbr_interpolation */
   bool color;            /**< constant if the rasterizer says flatshade */
   bool centroid;         /**< evaluated at the centroid of multisampled fragments */
   uint8_t location;      /**< VARYING_SLOT_* */
   uint8_t semantic_name; /**< draw's name of the output that feeds it */
   uint8_t semantic_index;
};

/** What generated code depends on besides the shader. */
struct tbr_fragment_variant_key {
   uint8_t num_color_buffers;
   bool flatshade;
   bool dual_source;
   bool multisample; /**< the pass has TBR_MAX_SAMPLES samples per pixel, not one */
   bool per_sample;  /**< the shader runs once per sample */
};

struct tbr_fragment_variant {
   struct tbr_fragment_variant *next;
   struct tbr_fragment_variant_key key;
   struct tbr_code *code;
};

struct tbr_fragment_shader {
   struct pipe_reference reference;       /**< the context's, and one a batch that draws with it */
   struct tbr_shader_cache *shader_cache; /**< the screen's, where the variants' code is */
   struct nir_shader *nir;
   bool has_digest;
   unsigned char digest[20];          /**< of nir */
   struct draw_fragment_shader *draw; /**< draw's view of it; NULL once the application has deleted it */
   uint32_t id;                       /**< in the event stream */
   struct tbr_shader_name name;
   uint32_t num_instructions;
   struct tbr_gpu_shader *gpu;  /**< for the compilers of real GPUs; NULL: for none */
   struct tbr_regions *regions; /**< NULL: it has no control flow, or nobody counts */

   unsigned num_inputs;     /**< input slots of the shader */
   unsigned num_attributes; /**< attributes of a primitive after the position */
   struct tbr_shader_input inputs[TBR_MAX_INPUTS + 2 + TBR_NUM_ATTACHMENTS];
   bool any_color_input;
   unsigned num_pushed_constants; /**< vec4s of constant buffer 0 that are read at constant offsets */
   uint32_t color_outputs;        /**< mask of FRAG_RESULT_DATA* written */
   bool discards, writes_depth, writes_stencil, early_tests, writes_memory;
   bool pixel_local; /**< it accesses pixel local storage, as colour outputs 1 and later */
   bool any_centroid_input;
   bool reads_sample_mask;   /**< gl_SampleMaskIn */
   bool post_depth_coverage; /**< which is what passes the early tests */
   bool writes_sample_mask;  /**< gl_SampleMask */
   bool per_sample;          /**< what it reads makes it run once per sample */
   uint32_t textures_used;
   uint32_t buffers_used, images_used; /**< masks of what it may load from or store to */
   bool by_address;                    /**< it accesses memory by address */
   uint32_t fetched;                   /**< mask of PIPE_CLEAR_*: what the shader reads of the framebuffer */

   struct tbr_fragment_variant *variants;
};

/** Whether it has instructions of the load/store unit. */
static inline bool
tbr_fragment_shader_uses_storage(const struct tbr_fragment_shader *shader)
{
   return shader->buffers_used || shader->images_used || shader->by_address;
}

/** A vertex, tessellation or geometry shader, which draw executes. */
struct tbr_drawn_shader {
   uint8_t stage; /**< MESA_SHADER_* */
   union {
      struct draw_vertex_shader *vertex;
      struct draw_tess_ctrl_shader *control;
      struct draw_tess_eval_shader *evaluation;
      struct draw_geometry_shader *geometry;
   } draw;
   struct pipe_stream_output_info stream_output;
   uint32_t id; /**< in the event stream */
   struct tbr_shader_name name;
   uint32_t num_instructions;
   struct tbr_gpu_shader *gpu;     /**< for the compilers of real GPUs; NULL: for none */
   struct tbr_regions *regions;    /**< NULL: it has no control flow, or nobody counts */
   uint8_t vertices_per_primitive; /**< of what tessellation or a geometry shader makes: 1 points, 2 lines, 3
                                    * triangles */
   uint8_t invocations;            /**< of a control shader per patch, of a geometry shader per primitive */
   bool reads_textures;            /**< draw samples for it */
   bool writes_memory;
   uint32_t buffers_used, images_used; /**< masks of what it may load from or store to */
   bool by_address;                    /**< it accesses memory by address */
   uint32_t num_logged;                /**< instructions that it logs */
   struct tbr_logged_instruction *logged;
};

/** The stages that draw executes, by enum cm_preraster_stage, and the shader that is bound to one; NULL: none. */
extern const enum pipe_shader_type tbr_drawn_stages[CM_PRERASTER_STAGES];
const struct tbr_drawn_shader *
tbr_drawn_shader(const struct tbr_context *context, enum pipe_shader_type stage);
/** The last shader of the bound ones that draw executes. */
const struct tbr_drawn_shader *tbr_last_drawn_shader(const struct tbr_context *context);

/** Identifiers of shaders in the event stream. */
uint32_t tbr_next_shader_id(void);

/** The regions of a shader as the driver gets it, which is made to count them: by generated code, or, before the rasterizer, in
 * the log. gpu: its copy for compilers, which numbers them alike; may be NULL. NULL: it has no control flow, nobody counts, or
 * out of memory. The caller frees them (FREE). */
struct tbr_regions *
tbr_count_regions(const struct tbr_screen *screen, struct nir_shader *nir, struct tbr_gpu_shader *gpu);

/** Announces a shader before its first draw: what it is called, and its regions (NULL: it has no control flow). */
void tbr_announce_shader(struct tbr_context *context, enum cm_shader_stage stage, uint32_t id,
                         struct tbr_shader_name *name, const struct tbr_regions *regions);

/** The NIR of a shader that Gallium creates, which the caller owns. */
struct nir_shader *tbr_take_nir(const struct tbr_context *context, const struct pipe_shader_state *state);

/** What create_fs_state makes, with one reference; NULL when out of memory. */
struct tbr_fragment_shader *
tbr_fragment_shader_create(struct tbr_context *context, const struct pipe_shader_state *state);

void
tbr_fragment_shader_reference(struct tbr_fragment_shader **destination, struct tbr_fragment_shader *source);

/** The function for the key, compiled if it does not exist yet; NULL if that fails. */
tbr_fragment_function
tbr_fragment_shader_compile(struct tbr_context *context, struct tbr_fragment_shader *shader,
                            const struct tbr_fragment_variant_key *key);

/** Generates code (tbr_jit.c), or loads it from the cache on disk by its key. NULL if
 * LLVM fails or when out of memory. */
struct tbr_code *tbr_jit_compile(struct tbr_context *context, const struct tbr_fragment_shader *shader,
                                 const struct tbr_fragment_variant_key *key, const unsigned char *digest);
/** The same of a compute shader (tbr_jit_compute.c). */
struct tbr_code *tbr_jit_compile_compute(struct tbr_context *context, const struct nir_shader *nir,
                                         struct tbr_shader_cache *cache, const unsigned char *digest);

#endif
