/* SPDX-License-Identifier: MIT */
#include "tbr_vertex_reads.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "draw/draw_context.h"
#include "nir.h"
#include "nir_builder.h"
#include "util/log.h"
#include "util/u_memory.h"
#include "tbr_batch.h"
#include "tbr_binning.h"
#include "tbr_context.h"
#include "tbr_draw_events.h"
#include "tbr_draw_state.h"
#include "tbr_resource.h"
#include "tbr_shader.h"
#include "tbr_texture_unit.h"

/** An instruction that an invocation ran: as the generated code stores it, words. */
struct logged_read {
   uint32_t instruction; /**< its number in the shader */
   uint32_t invocation;  /**< of the draw, in the order of shading */
   uint32_t vertex, instance;
   uint32_t coords[4];      /**< coords[3]: layer of a cube array */
   uint32_t lod, sample;    /**< bits */
   uint32_t texture_offset; /**< added to the unit */
   uint32_t offset[3], ddx[3], ddy[3];
};

/** The head of shader buffer 1. */
struct log {
   uint32_t count;       /**< reads, be there room for them or not */
   uint32_t invocations; /**< of the draw */
   uint32_t unused[2];
   struct logged_read reads[];
};

#define LOG_BUFFER 1
/** Address space; what is not written to takes no memory. Sizes of shader buffers are signed. */
#define LOG_BYTES 0x7fff0000u
#define LOG_READS ((LOG_BYTES - sizeof(struct log)) / sizeof(struct logged_read))
/** Memory that the log keeps from draw to draw. */
#define LOG_KEPT_BYTES (16u << 20)

/** A texel, or 2x2, and when it was read. */
struct found_read {
   struct cm_vertex_read read;
   uint32_t instance, invocation;
   uint64_t order;
};

struct tbr_vertex_reads {
   struct log *log;
   struct tbr_texture_thread *thread;
   struct cm_tile_events events;       /**< of one call of the texture unit */
   struct util_dynarray found;         /**< struct found_read */
   uint32_t bound, announced;          /**< units of `bindings` of the draw, those that are in its events */
   uint32_t numbers[TBR_MAX_TEXTURES]; /**< in the batch's vertex_textures */
   struct tbr_texture_binding bindings[TBR_MAX_TEXTURES];
};

/* ---- the shader ---------------------------------------------------------- */

static void
store(nir_builder *b, nir_def *address, size_t member, nir_def *value)
{
   nir_store_ssbo(b, value, nir_imm_int(b, LOG_BUFFER), nir_iadd_imm(b, address, member), .align_mul = 4,
                  .write_mask = BITFIELD_MASK(value->num_components));
}

/** Operands in the order in which gallivm passes them on. */
static void
store_coords(nir_builder *b, const nir_tex_instr *tex, nir_def *address, nir_def *coords)
{
   for (unsigned i = 0; i < tex->coord_components; i++) {
      const bool layer_of_1d = tex->is_array && tex->sampler_dim == GLSL_SAMPLER_DIM_1D && i == 1;
      store(b, address, offsetof(struct logged_read, coords) + 4 * (layer_of_1d ? 2 : i),
            nir_channel(b, coords, i));
   }
}

static void
store_operands(nir_builder *b, const nir_tex_instr *tex, nir_def *address,
               struct tbr_logged_instruction *instruction)
{
   for (unsigned s = 0; s < tex->num_srcs; s++) {
      nir_def *value = tex->src[s].src.ssa;
      switch (tex->src[s].src_type) {
      case nir_tex_src_coord: store_coords(b, tex, address, value); break;
      case nir_tex_src_bias:
      case nir_tex_src_lod: store(b, address, offsetof(struct logged_read, lod), value); break;
      case nir_tex_src_ms_index:
         instruction->has_sample = true;
         store(b, address, offsetof(struct logged_read, sample), value);
         break;
      case nir_tex_src_offset:
         instruction->has_offset = true;
         store(b, address, offsetof(struct logged_read, offset), value);
         break;
      case nir_tex_src_ddx:
         instruction->lod_control = TBR_LOD_DERIVATIVES;
         store(b, address, offsetof(struct logged_read, ddx), value);
         break;
      case nir_tex_src_ddy: store(b, address, offsetof(struct logged_read, ddy), value); break;
      case nir_tex_src_texture_offset:
         store(b, address, offsetof(struct logged_read, texture_offset), value);
         break;
      default: break; /* what is compared with, and samplers: of a unit's own */
      }
   }
}

static void
log_instruction(nir_builder *b, const nir_tex_instr *tex, nir_def *invocation, uint32_t number,
                struct tbr_logged_instruction *instruction)
{
   static const struct logged_read none;
   const bool is_fetch = tex->op == nir_texop_txf || tex->op == nir_texop_txf_ms;
   *instruction = (struct tbr_logged_instruction){
      .unit = tex->texture_index,
      .operation = is_fetch                   ? TBR_TEXTURE_FETCH
                   : tex->op == nir_texop_tg4 ? TBR_TEXTURE_GATHER
                                              : TBR_TEXTURE_SAMPLE,
      .lod_control = TBR_LOD_EXPLICIT, /* vertices have no derivatives: 0 where the shader gives none */
      .gather_component = tex->component,
      .shadow = tex->is_shadow,
   };
   nir_def *slot = nir_ssbo_atomic(b, 32, nir_imm_int(b, LOG_BUFFER), nir_imm_int(b, 0), nir_imm_int(b, 1),
                                   .atomic_op = nir_atomic_op_iadd);
   nir_def *address =
      nir_iadd_imm(b, nir_imul_imm(b, slot, sizeof(struct logged_read)), offsetof(struct log, reads));
   for (unsigned word = 0; word < sizeof none / 4; word++)
      store(b, address, 4 * word, nir_imm_int(b, 0));
   store(b, address, offsetof(struct logged_read, instruction), nir_imm_int(b, number));
   store(b, address, offsetof(struct logged_read, invocation), invocation);
   store(b, address, offsetof(struct logged_read, vertex), nir_load_vertex_id(b));
   store(b, address, offsetof(struct logged_read, instance), nir_load_instance_id(b));
   store_operands(b, tex, address, instruction);
}

static uint32_t
count_instructions(nir_function_impl *impl)
{
   uint32_t count = 0;
   nir_foreach_block (block, impl) {
      nir_foreach_instr (instr, block)
         count += instr->type == nir_instr_type_tex && !nir_tex_instr_is_query(nir_instr_as_tex(instr));
   }
   return count;
}

struct tbr_logged_instruction *
tbr_nir_log_texture_reads(nir_shader *nir, uint32_t *count)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   *count = count_instructions(impl);
   struct tbr_logged_instruction *instructions = *count ? CALLOC(*count, sizeof *instructions) : NULL;
   if (!instructions)
      return NULL;
   nir_builder b = nir_builder_at(nir_before_impl(impl));
   nir_def *invocation =
      nir_ssbo_atomic(&b, 32, nir_imm_int(&b, LOG_BUFFER), nir_imm_int(&b, offsetof(struct log, invocations)),
                      nir_imm_int(&b, 1), .atomic_op = nir_atomic_op_iadd);
   uint32_t number = 0;
   nir_foreach_block (block, impl) {
      nir_foreach_instr_safe (instr, block) {
         if (instr->type != nir_instr_type_tex || nir_tex_instr_is_query(nir_instr_as_tex(instr)))
            continue;
         b.cursor = nir_before_instr(instr);
         log_instruction(&b, nir_instr_as_tex(instr), invocation, number, &instructions[number]);
         number++;
      }
   }
   nir_metadata_preserve(impl, nir_metadata_control_flow);
   return instructions;
}

/* ---- the log ------------------------------------------------------------- */

bool
tbr_vertex_reads_prepare(struct tbr_context *context)
{
   if (context->vertex_reads)
      return true;
   struct tbr_vertex_reads *reads = CALLOC_STRUCT(tbr_vertex_reads);
   if (!reads)
      return false;
   void *log =
      mmap(NULL, LOG_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
   reads->log = log == MAP_FAILED ? NULL : log;
   reads->thread = CALLOC_STRUCT(tbr_texture_thread);
   if (!reads->log || !reads->thread) {
      tbr_vertex_reads_destroy(reads);
      return false;
   }
   reads->thread->events = &reads->events;
   util_dynarray_init(&reads->found, NULL);
   context->vertex_reads = reads;
   draw_set_mapped_shader_buffer(context->draw, PIPE_SHADER_VERTEX, LOG_BUFFER, reads->log, LOG_BYTES);
   return true;
}

void
tbr_vertex_reads_destroy(struct tbr_vertex_reads *reads)
{
   if (!reads)
      return;
   if (reads->log)
      munmap(reads->log, LOG_BYTES);
   util_dynarray_fini(&reads->found);
   free(reads->events.words);
   FREE(reads->thread);
   FREE(reads);
}

static void
reset_log(struct tbr_vertex_reads *reads)
{
   const size_t used = reads->log->count * sizeof *reads->log->reads;
   if (used > LOG_KEPT_BYTES)
      madvise(reads->log, LOG_BYTES, MADV_DONTNEED);
   reads->log->count = reads->log->invocations = 0;
}

void
tbr_vertex_reads_begin(struct tbr_context *context)
{
   if (!context->vertex_reads)
      return;
   reset_log(context->vertex_reads);
   context->vertex_reads->bound = 0;
   context->vertex_reads->thread->generation++;
}

/* ---- what was read ------------------------------------------------------- */

/** The binding of a unit; NULL: nothing is bound there. */
static const struct tbr_texture_binding *
bind(struct tbr_context *context, unsigned unit)
{
   struct tbr_vertex_reads *reads = context->vertex_reads;
   struct pipe_sampler_view *view =
      unit < TBR_MAX_TEXTURES ? context->sampler_views[PIPE_SHADER_VERTEX][unit] : NULL;
   const struct tbr_storage *storage = view ? context->held.textures[PIPE_SHADER_VERTEX][unit] : NULL;
   if (!view || !view->texture || !storage)
      return NULL;
   if (!(reads->bound >> unit & 1)) {
      tbr_draw_state_describe_texture(view, context->samplers[PIPE_SHADER_VERTEX][unit], storage, unit,
                                      &reads->bindings[unit]);
      tbr_resource_announce(context, tbr_resource(view->texture));
      reads->bound |= 1u << unit;
   }
   return &reads->bindings[unit];
}

/** The number of a unit's texture in the batch's events. False when out of memory. */
static bool
announce(struct tbr_context *context, struct tbr_batch *batch, unsigned unit)
{
   struct tbr_vertex_reads *reads = context->vertex_reads;
   if (reads->announced >> unit & 1)
      return true;
   struct cm_texture_binding *binding =
      util_dynarray_grow(&batch->event_vertex_textures, struct cm_texture_binding, 1);
   if (!binding)
      return false;
   memset(binding, 0, sizeof *binding);
   tbr_draw_events_describe_texture(context->sampler_views[PIPE_SHADER_VERTEX][unit],
                                    context->samplers[PIPE_SHADER_VERTEX][unit], binding);
   reads->numbers[unit] =
      util_dynarray_num_elements(&batch->event_vertex_textures, struct cm_texture_binding) - 1;
   reads->announced |= 1u << unit;
   return true;
}

static void
fill_arguments(struct tbr_sample_arguments *arguments, const struct tbr_logged_instruction *instruction,
               const struct logged_read *logged, unsigned lanes)
{
   memset(arguments, 0, sizeof *arguments);
   for (unsigned lane = 0; lane < lanes; lane++) {
      const struct logged_read *read = &logged[lane];
      for (unsigned i = 0; i < 3; i++) {
         memcpy(&arguments->coords[i][lane], &read->coords[i], 4);
         memcpy(&arguments->ddx[i][lane], &read->ddx[i], 4);
         memcpy(&arguments->ddy[i][lane], &read->ddy[i], 4);
         arguments->offset[i][lane] = (int32_t)read->offset[i];
      }
      memcpy(&arguments->cube_layer[lane], &read->coords[3], 4);
      memcpy(&arguments->lod[lane], &read->lod, 4);
      arguments->sample[lane] = (int32_t)read->sample;
   }
   arguments->active = BITFIELD_MASK(lanes);
   arguments->operation = instruction->operation;
   arguments->lod_control = instruction->lod_control;
   arguments->shadow = instruction->shadow;
   arguments->has_offset = instruction->has_offset;
   arguments->has_sample = instruction->has_sample;
   arguments->gather_component = instruction->gather_component;
}

/** Takes the footprints of a call of the texture unit apart. False when out of memory. */
static bool
take_footprints(struct tbr_vertex_reads *reads, const struct logged_read *logged, unsigned unit)
{
   const uint32_t *end = reads->events.words + reads->events.num_words;
   for (const uint32_t *event = reads->events.words; event < end; event = cm_event_next(event)) {
      const struct cm_footprint *footprints = (const struct cm_footprint *)(event + 1);
      assert(cm_event_type(*event) == CM_EVENT_FOOTPRINTS);
      for (unsigned i = 0; i < cm_event_count(*event); i++) {
         u_foreach_bit (f, footprints[i].live) {
            const struct logged_read *read = &logged[4 * footprints[i].quad + f];
            const uint64_t order = util_dynarray_num_elements(&reads->found, struct found_read);
            struct found_read *found = util_dynarray_grow(&reads->found, struct found_read, 1);
            if (!found)
               return false;
            *found = (struct found_read){
               .read = {.vertex = read->vertex,
                        .texture = reads->numbers[unit],
                        .layer = footprints[i].layer,
                        .level = footprints[i].level,
                        .linear = footprints[i].linear,
                        .x = (uint16_t)footprints[i].texel[f].x,
                        .y = (uint16_t)footprints[i].texel[f].y},
               .instance = read->instance,
               .invocation = read->invocation,
               .order = order,
            };
         }
      }
   }
   return true;
}

/** Samples once more for reads of one instruction. False when out of memory. */
static bool
sample(struct tbr_context *context, struct tbr_batch *batch, const struct tbr_logged_instruction *instruction,
       const struct logged_read *logged, unsigned lanes)
{
   alignas(64) struct tbr_sample_arguments arguments;
   struct tbr_vertex_reads *reads = context->vertex_reads;
   const unsigned unit = instruction->unit + logged->texture_offset;
   const struct tbr_texture_binding *binding = bind(context, unit);
   if (!binding)
      return true;
   if (!announce(context, batch, unit))
      return false;
   fill_arguments(&arguments, instruction, logged, lanes);
   reads->events.num_words = 0;
   reads->thread->live = arguments.active;
   binding->sample(reads->thread, binding, &arguments);
   return take_footprints(reads, logged, unit);
}

/** Of an instance the vertices, and of each its invocations, in order. */
static int
compare_reads(const void *a, const void *b)
{
   const struct found_read *left = a, *right = b;
   if (left->instance != right->instance)
      return left->instance < right->instance ? -1 : 1;
   if (left->read.vertex != right->read.vertex)
      return left->read.vertex < right->read.vertex ? -1 : 1;
   if (left->invocation != right->invocation)
      return left->invocation < right->invocation ? -1 : 1;
   return left->order < right->order ? -1 : left->order > right->order;
}

/** Gives the draws of the instances their reads: of each vertex those of its first invocation. */
static bool
append_reads(struct tbr_vertex_reads *reads, const struct tbr_binning *binning, struct tbr_batch *batch)
{
   struct found_read *found = reads->found.data;
   const size_t count = util_dynarray_num_elements(&reads->found, struct found_read);
   if (!count)
      return true;
   qsort(found, count, sizeof *found, compare_reads);
   const struct found_read *first = found;
   for (size_t i = 0; i < count; i++) {
      if (found[i].instance != first->instance || found[i].read.vertex != first->read.vertex)
         first = &found[i];
      if (found[i].invocation != first->invocation)
         continue;
      const uint32_t instance = MIN2(found[i].instance, binning->num_event_draws - 1);
      struct cm_draw *draw =
         util_dynarray_element(&batch->event_draws, struct cm_draw, binning->first_event_draw + instance);
      struct cm_vertex_read *read = util_dynarray_grow(&batch->event_vertex_reads, struct cm_vertex_read, 1);
      if (!read)
         return false;
      *read = found[i].read;
      if (!draw->num_vertex_reads++)
         draw->first_vertex_read =
            util_dynarray_num_elements(&batch->event_vertex_reads, struct cm_vertex_read) - 1;
   }
   return true;
}

bool
tbr_vertex_reads_end(struct tbr_context *context)
{
   struct tbr_vertex_reads *reads = context->vertex_reads;
   struct tbr_binning *binning = context->binning;
   const struct tbr_drawn_shader *shader = context->vertex_shader;
   if (!reads || !reads->log->count)
      return true;
   const struct logged_read *logged = reads->log->reads;
   const uint32_t count = reads->log->count;
   if (count > LOG_READS)
      return false;
   util_dynarray_clear(&reads->found);
   reads->announced = 0;
   bool fine = true;
   for (uint32_t first = 0, end; fine && binning->events && first < count; first = end) {
      end = first + 1;
      while (end < count && end - first < TBR_LANES && logged[end].instruction == logged[first].instruction &&
             logged[end].texture_offset == logged[first].texture_offset)
         end++;
      assert(logged[first].instruction < shader->num_logged);
      fine = sample(context, binning->events, &shader->logged[logged[first].instruction], logged + first,
                    end - first);
   }
   fine = fine && (!binning->events || append_reads(reads, binning, binning->events));
   reset_log(reads);
   return fine;
}
