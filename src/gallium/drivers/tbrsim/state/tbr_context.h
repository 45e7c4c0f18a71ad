/* SPDX-License-Identifier: MIT */
/** The context: bound state and the batch that is being recorded. */
#ifndef TBR_CONTEXT_H
#define TBR_CONTEXT_H

#include "pipe/p_context.h"
#include "pipe/p_state.h"
#include "util/list.h"
#include "util/slab.h"
#include "util/u_blitter.h"
#include "tbr_limits.h"
#include "state/tbr_names.h"
#include "state/tbr_screen.h"

struct draw_context;
struct vbuf_render;
struct tbr_batch;
struct tbr_job;
struct tbr_fragment_shader;
struct tbr_drawn_shader;
struct tbr_fragment_sink;
struct tbr_draw_state;
struct tbr_texture_binding;
struct tbr_vertex_accesses;
struct lp_context_ref;
struct tbr_binning;
struct tbr_resource;
struct tbr_storage;
struct tbr_vulkan_context;

/** What changed since the last draw. */
enum tbr_dirty {
   TBR_DIRTY_BLEND = 1 << 0,
   TBR_DIRTY_DEPTH_STENCIL = 1 << 1,
   TBR_DIRTY_RASTERIZER = 1 << 2,
   TBR_DIRTY_FRAGMENT_SHADER = 1 << 3,
   TBR_DIRTY_VERTEX_SHADER = 1 << 4,
   TBR_DIRTY_FRAGMENT_CONSTANTS = 1 << 5,
   TBR_DIRTY_FRAGMENT_TEXTURES = 1 << 6, /**< views or samplers of the fragment stage */
   TBR_DIRTY_VERTEX_TEXTURES = 1 << 7,
   TBR_DIRTY_FRAMEBUFFER = 1 << 8,
   TBR_DIRTY_SCISSOR = 1 << 9,
   TBR_DIRTY_VIEWPORT = 1 << 10,
   TBR_DIRTY_VERTEX_ELEMENTS = 1 << 11,
   TBR_DIRTY_VERTEX_BUFFERS = 1 << 12,
   TBR_DIRTY_QUERY = 1 << 13,
   TBR_DIRTY_SAMPLE_MASK = 1 << 14,
   TBR_DIRTY_STENCIL_REFERENCE = 1 << 15,
   TBR_DIRTY_BLEND_COLOR = 1 << 16,
   TBR_DIRTY_CLIP = 1 << 17,
   TBR_DIRTY_VERTEX_CONSTANTS = 1 << 18,
   TBR_DIRTY_POLYGON_STIPPLE = 1 << 19,
   TBR_DIRTY_GEOMETRY_SHADER = 1 << 20,
   TBR_DIRTY_FRAGMENT_STORAGE = 1 << 21, /**< storage buffers and images of the fragment stage */
   TBR_DIRTY_TESSELLATION = 1 << 22,     /**< control or evaluation shader */
   TBR_DIRTY_ALL = BITFIELD_MASK(23),
   /** What draw's vertices are laid out for. */
   TBR_DIRTY_LAYOUT = TBR_DIRTY_VERTEX_SHADER | TBR_DIRTY_TESSELLATION | TBR_DIRTY_GEOMETRY_SHADER |
                      TBR_DIRTY_FRAGMENT_SHADER | TBR_DIRTY_RASTERIZER,
};

struct tbr_vertex_elements {
   unsigned count;
   struct pipe_vertex_element elements[PIPE_MAX_ATTRIBS];
};

/** Copies, blits and clears of other framebuffers than the bound one, which the blitter draws. */
enum tbr_copy_state {
   TBR_COPY_NONE,
   TBR_COPY_BEGINS, /**< the framebuffer is still the program's */
   TBR_COPY_DRAWS,  /**< it is, or was, the copy's */
};

/** Counts fragments for all active queries of a kind. */
struct tbr_fragment_counting {
   struct tbr_fragment_sink *part; /**< NULL: nothing is counted */
   struct list_head active;        /**< struct tbr_query */
};

/** Memories that draw reads or writes immediately, by the resource's binding: referenced, as another
 * context may replace them. */
struct tbr_held_storages {
   struct tbr_storage *constants[PIPE_SHADER_TYPES][TBR_MAX_CONSTANT_BUFFERS];
   struct tbr_storage *textures[PIPE_SHADER_TYPES][PIPE_MAX_SHADER_SAMPLER_VIEWS];
   struct tbr_storage *vertices[PIPE_MAX_ATTRIBS];
   struct tbr_storage *feedback[PIPE_MAX_SO_BUFFERS];
   struct tbr_storage *indices;
   struct tbr_storage *buffers[PIPE_SHADER_TYPES][TBR_MAX_DRAWN_STORAGE_BUFFERS];
   struct tbr_storage *images[PIPE_SHADER_TYPES][TBR_MAX_IMAGES];
};

/** Where the parameters of indirect draws are. */
struct tbr_indirect {
   uint32_t buffer;                /**< resource of the event stream; 0: none */
   uint32_t offset, stride, bytes; /**< of the next draw; from draw to draw; that are read per draw */
};

/** What the shaders that draw executes write to the shader buffer TBR_MARKS_BUFFER, besides their results. */
struct tbr_vertex_marks {
   uint32_t loops_ended; /**< as tbr_screen.loops_ended */
   uint32_t outside[3]; /**< once one has accessed memory by address where no buffer is: 1, and the address */
   uint64_t scratch;    /**< the host's address of `unused`, for such accesses */
   uint64_t reserved;
   uint8_t unused[TBR_MAX_ADDRESSED_BYTES];
   struct tbr_addressed_buffer buffers[]; /**< a copy of an address table's */
};

/** Descriptors that a shader names: as in events, but for the set's identifier. */
struct tbr_named_descriptors {
   struct tbr_resource *set; /**< its memory, which is announced with the draw's events */
   struct cm_descriptors named;
};

struct tbr_context {
   struct pipe_context base;
   struct lp_context_ref *llvm; /**< LLVM context of all generated code */
   struct draw_context *draw;
   struct vbuf_render *vbuf_render; /**< tbr_binning.c */
   struct tbr_binning *binning;
   struct blitter_context *blitter;
   void *(*create_own_fs_state)(struct pipe_context *, const struct pipe_shader_state *);
   void *(*create_staged_fs_state)(struct pipe_context *,
                                   const struct pipe_shader_state *); /**< by draw's stages */
   struct slab_child_pool transfer_pool;
   struct tbr_vulkan_context *vulkan; /**< of a Vulkan device (vulkan/tbr_vulkan_bind.c); NULL */

   uint32_t dirty; /**< enum tbr_dirty */

   /* Bound state objects: the driver's copies, see tbr_state.c. */
   const struct pipe_blend_state *blend;
   const struct pipe_depth_stencil_alpha_state *depth_stencil;
   const struct pipe_rasterizer_state *rasterizer;
   const struct tbr_vertex_elements *vertex_elements;
   struct tbr_drawn_shader *vertex_shader;
   struct tbr_drawn_shader *control_shader, *evaluation_shader; /**< NULL: none */
   struct tbr_drawn_shader *geometry_shader;                    /**< NULL: none */
   struct tbr_fragment_shader *fragment_shader;
   const struct pipe_sampler_state *samplers[PIPE_SHADER_TYPES][PIPE_MAX_SAMPLERS];
   unsigned num_samplers[PIPE_SHADER_TYPES]; /**< highest bound + 1 */
   struct pipe_sampler_view *sampler_views[PIPE_SHADER_TYPES][PIPE_MAX_SHADER_SAMPLER_VIEWS];
   unsigned num_sampler_views[PIPE_SHADER_TYPES];

   struct pipe_blend_color blend_color;
   struct pipe_stencil_ref stencil_reference;
   struct pipe_clip_state clip;
   struct pipe_framebuffer_state framebuffer;
   struct pipe_poly_stipple polygon_stipple;
   struct pipe_scissor_state scissors[PIPE_MAX_VIEWPORTS];
   struct pipe_viewport_state viewports[PIPE_MAX_VIEWPORTS];
   struct pipe_vertex_buffer vertex_buffers[PIPE_MAX_ATTRIBS];
   unsigned num_vertex_buffers;
   /** Buffers by stage and slot; user memory has been copied into a buffer. */
   struct pipe_constant_buffer constants[PIPE_SHADER_TYPES][TBR_MAX_CONSTANT_BUFFERS];
   uint32_t fragment_buffers; /**< mask of the fragment stage's constants that the application can write */
   uint32_t fragment_writes[TBR_MAX_CONSTANT_BUFFERS]; /**< their tbr_resource.writes when copied last */
   uint32_t mapped_constants[PIPE_SHADER_TYPES];       /**< masks of those that are mapped in draw */
   struct tbr_held_storages held;
   struct tbr_vertex_marks *vertex_marks;
   /** For shaders that access memory by address, and those of them that vertex_marks has; NULL before the first one. */
   struct tbr_address_table *addresses, *mapped_addresses;
   struct tbr_vertex_accesses
      *vertex_accesses; /**< NULL until a shader that draw executes accesses something */
   struct tbr_bound_storage
      *drawn_storage[PIPE_SHADER_TYPES]; /**< what is mapped for the last draw, of stages of draw;
                                                                * NULL before one accesses storage */
   struct pipe_stream_output_target *stream_output[PIPE_MAX_SO_BUFFERS];
   unsigned num_stream_output;
   unsigned sample_mask;
   unsigned min_samples;
   uint8_t patch_vertices;

   /* Queries. */
   struct tbr_fragment_counting samples;     /**< that pass all tests, for occlusion queries */
   struct tbr_fragment_counting invocations; /**< of fragment shaders, for pipeline statistics */
   unsigned num_active_statistics;           /**< active queries that need draw's statistics */
   unsigned num_active_primitives;           /**< active queries that need draw's primitive counts */
   /** Summed up while such queries are active. */
   struct pipe_query_data_pipeline_statistics statistics;
   bool queries_paused;                          /**< set_active_query_state(false) */
   struct list_head counter_watches;             /**< queries of the model's counters (tbr_counter_query.c) */
   unsigned num_counter_sets[1 + CM_UNIT_COUNT]; /**< by group (tbr_counter_set.c) */
   unsigned num_unread_counters;                 /**< of these, those that have ended and were not read */
   bool swaps;                                   /**< the next flush is a buffer swap's */
   unsigned deferred_flushes;                    /**< flushes that the next draw or clear makes */
   bool flushed_last;                            /**< nothing happened since the last of them */
   struct pipe_query *render_condition_query;
   bool render_condition_condition;
   enum pipe_render_cond_flag render_condition_mode;

   struct pipe_shader_buffer shader_buffers[PIPE_SHADER_TYPES][TBR_MAX_STORAGE_BUFFERS];
   uint32_t writable_buffers[PIPE_SHADER_TYPES]; /**< masks of those that shaders may write */
   struct pipe_image_view images[PIPE_SHADER_TYPES][TBR_MAX_IMAGES];
   /** What the current draw's or dispatch's shaders name in descriptor sets; those of fragment shaders are the last (Vulkan). */
   const struct tbr_named_descriptors *descriptors;
   unsigned num_descriptors;
   struct tbr_compute_shader *compute_shader;
   struct tbr_compute_runner *compute_runner; /**< NULL before the first dispatch */

   struct tbr_indirect indirect;      /**< of the current indirect draw */
   struct cm_indirect event_indirect; /**< that the next draw of the event stream reads */
   struct tbr_draw_names names;

   struct tbr_draw_state *draw_state;         /**< of the last draw, brought up to date by the next */
   struct tbr_texture_binding *empty_texture; /**< what unbound units get */

   bool partial_colors; /**< draws write some of the colour buffers: those of their subpass (Vulkan) */
   struct pipe_scissor_state clear_part; /**< of the attachments, while the blitter clears it */

   bool pixel_local; /**< pixel local storage is enabled (tbr_pixel_local.h) */
   struct pipe_surface *pixel_local_planes[TBR_PIXEL_LOCAL_WORDS]; /**< NULL: not used yet */

   /** The batch being recorded for the bound framebuffer; NULL before its first draw or clear. */
   struct tbr_batch *batch;
   /** The program's batch while a copy is being drawn to another framebuffer; NULL: there is none, or the copy depends on
    * it, so that it has been submitted. */
   struct tbr_batch *aside;
   enum tbr_copy_state copy;
   struct tbr_job *retired_jobs; /**< of batches that are rendered, to be recycled (renderer's lock) */
   unsigned batches_in_flight;   /**< (renderer's lock) */
   struct tbr_batch *free_batches;
   uint64_t last_batch; /**< sequence number of the last submitted batch */
};

static inline struct tbr_context *
tbr_context(struct pipe_context *context)
{
   return (struct tbr_context *)context;
}

/** Whether draw executes a stage's shaders. */
static inline bool
tbr_is_drawn_stage(enum pipe_shader_type stage)
{
   return stage == PIPE_SHADER_VERTEX || stage == PIPE_SHADER_TESS_CTRL || stage == PIPE_SHADER_TESS_EVAL ||
          stage == PIPE_SHADER_GEOMETRY;
}

/** A resource got new memory: what has been derived from the old is dirty. */
void tbr_context_storage_replaced(struct tbr_context *context);
/** Drops the references to a memory (NULL: to all); the next draw that reads it takes a new one. */
void tbr_context_release_storage(struct tbr_context *context, const struct tbr_storage *storage);
/** Maps a constant buffer, whose memory is held, in draw for a stage that it executes. */
void tbr_context_map_constants(struct tbr_context *context, enum pipe_shader_type stage, unsigned index);
/** Maps the current memory of constant buffers for the shaders that draw executes. */
void tbr_context_refresh_constants(struct tbr_context *context);

/** Whether the render condition allows a draw, clear or blit. Waits for the
 * query in every mode: an image must not depend on time. */
bool tbr_render_condition_passes(struct tbr_context *context);

#endif
