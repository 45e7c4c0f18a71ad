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

/** An instruction that an invocation ran: as the generated code stores it, words. Of the operands those are valid that
 * the instruction has (struct tbr_logged_instruction). */
struct logged_read {
   uint32_t instruction; /**< its number in the shader */
   uint32_t invocation;  /**< of the draw, in the order of shading */
   uint32_t vertex, instance;
   uint32_t coords[4];      /**< coords[3]: layer of a cube array */
   uint32_t lod, sample;    /**< bits */
   uint32_t texture_offset; /**< added to the unit */
   uint32_t offset[3], ddx[3], ddy[3];
};
#define WORD(member) (offsetof(struct logged_read, member) / 4)

/** The head of shader buffer 1. */
struct log {
   uint32_t count;       /**< reads of a part of the draw, be there room for them or not */
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
   struct util_dynarray found;         /**< struct found_read, of the draw */
   bool lost;                          /**< not all of them: out of memory, or of room in the log */
   uint32_t bound, announced;          /**< units of `bindings` of the draw, those that are in its events */
   uint32_t numbers[TBR_MAX_TEXTURES]; /**< in the batch's vertex_textures */
   struct tbr_texture_binding bindings[TBR_MAX_TEXTURES];
};

/* ---- the shader ---------------------------------------------------------- */

static void
store_words(nir_builder *b, nir_def *address, size_t word, nir_def *value)
{
   nir_store_ssbo(b, value, nir_imm_int(b, LOG_BUFFER), nir_iadd_imm(b, address, 4 * word), .align_mul = 4,
                  .write_mask = BITFIELD_MASK(value->num_components));
}

static void
store_operand(nir_builder *b, nir_def *address, size_t word, nir_def *value,
              struct tbr_logged_instruction *instruction)
{
   store_words(b, address, word, value);
   instruction->operands |= BITFIELD_MASK(value->num_components) << word;
}

/** Operands in the order in which gallivm passes them on. */
static void
store_coords(nir_builder *b, const nir_tex_instr *tex, nir_def *address, nir_def *coords,
             struct tbr_logged_instruction *instruction)
{
   if (!tex->is_array || tex->sampler_dim != GLSL_SAMPLER_DIM_1D) {
      store_operand(b, address, WORD(coords), coords, instruction);
      return;
   }
   store_operand(b, address, WORD(coords), nir_channel(b, coords, 0), instruction);
   store_operand(b, address, WORD(coords[2]), nir_channel(b, coords, 1), instruction);
}

static void
store_operands(nir_builder *b, const nir_tex_instr *tex, nir_def *address,
               struct tbr_logged_instruction *instruction)
{
   for (unsigned s = 0; s < tex->num_srcs; s++) {
      nir_def *value = tex->src[s].src.ssa;
      switch (tex->src[s].src_type) {
      case nir_tex_src_coord:
         store_coords(b, tex, address, nir_trim_vector(b, value, tex->coord_components), instruction);
         break;
      case nir_tex_src_bias:
      case nir_tex_src_lod: store_operand(b, address, WORD(lod), value, instruction); break;
      case nir_tex_src_ms_index:
         instruction->has_sample = true;
         store_operand(b, address, WORD(sample), value, instruction);
         break;
      case nir_tex_src_offset:
         instruction->has_offset = true;
         store_operand(b, address, WORD(offset), value, instruction);
         break;
      case nir_tex_src_ddx:
         instruction->lod_control = TBR_LOD_DERIVATIVES;
         store_operand(b, address, WORD(ddx), value, instruction);
         break;
      case nir_tex_src_ddy: store_operand(b, address, WORD(ddy), value, instruction); break;
      case nir_tex_src_texture_offset:
         store_operand(b, address, WORD(texture_offset), value, instruction);
         break;
      default: break; /* what is compared with, and samplers: of a unit's own */
      }
   }
}

/** What begins each of an invocation's reads, but for the instruction. */
struct invocation {
   nir_def *number, *vertex, *instance;
};

static void
log_instruction(nir_builder *b, const nir_tex_instr *tex, const struct invocation *invocation,
                uint32_t number, struct tbr_logged_instruction *instruction)
{
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
   /* Those for which there is no room must not get at the beginning again, as addresses have 32 bits. */
   slot = nir_umin(b, slot, nir_imm_int(b, LOG_READS));
   nir_def *address =
      nir_iadd_imm(b, nir_imul_imm(b, slot, sizeof(struct logged_read)), offsetof(struct log, reads));
   store_words(b, address, WORD(instruction),
               nir_vec4(b, nir_imm_int(b, number), invocation->number, invocation->vertex,
                        invocation->instance));
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
   const struct invocation invocation = {
      .number = nir_ssbo_atomic(&b, 32, nir_imm_int(&b, LOG_BUFFER),
                                nir_imm_int(&b, offsetof(struct log, invocations)), nir_imm_int(&b, 1),
                                .atomic_op = nir_atomic_op_iadd),
      .vertex = nir_load_vertex_id(&b),
      .instance = nir_load_instance_id(&b),
   };
   uint32_t number = 0;
   nir_foreach_block (block, impl) {
      nir_foreach_instr_safe (instr, block) {
         if (instr->type != nir_instr_type_tex || nir_tex_instr_is_query(nir_instr_as_tex(instr)))
            continue;
         b.cursor = nir_before_instr(instr);
         log_instruction(&b, nir_instr_as_tex(instr), &invocation, number, &instructions[number]);
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

/** Empties the log, but for the number of invocations. */
static void
reset_log(struct tbr_vertex_reads *reads)
{
   const uint32_t invocations = reads->log->invocations;
   const size_t used = reads->log->count * sizeof *reads->log->reads;
   if (used > LOG_KEPT_BYTES)
      madvise(reads->log, LOG_BYTES, MADV_DONTNEED);
   reads->log->count = 0;
   reads->log->invocations = invocations;
}

void
tbr_vertex_reads_begin(struct tbr_context *context)
{
   struct tbr_vertex_reads *reads = context->vertex_reads;
   if (!reads)
      return;
   assert(!reads->log->count && !util_dynarray_num_elements(&reads->found, struct found_read));
   reads->log->invocations = 0;
   reads->bound = reads->announced = 0;
   reads->thread->generation++;
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
   tbr_draw_events_describe_texture(context, context->sampler_views[PIPE_SHADER_VERTEX][unit],
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
   void *const operands[] = {
      [WORD(coords[0])] = arguments->coords[0],
      [WORD(coords[1])] = arguments->coords[1],
      [WORD(coords[2])] = arguments->coords[2],
      [WORD(coords[3])] = arguments->cube_layer,
      [WORD(lod)] = arguments->lod,
      [WORD(sample)] = arguments->sample,
      [WORD(texture_offset)] = NULL,
      [WORD(offset[0])] = arguments->offset[0],
      [WORD(offset[1])] = arguments->offset[1],
      [WORD(offset[2])] = arguments->offset[2],
      [WORD(ddx[0])] = arguments->ddx[0],
      [WORD(ddx[1])] = arguments->ddx[1],
      [WORD(ddx[2])] = arguments->ddx[2],
      [WORD(ddy[0])] = arguments->ddy[0],
      [WORD(ddy[1])] = arguments->ddy[1],
      [WORD(ddy[2])] = arguments->ddy[2],
   };
   u_foreach_bit (word, instruction->operands) {
      for (unsigned lane = 0; operands[word] && lane < lanes; lane++)
         memcpy((uint32_t *)operands[word] + lane, (const uint32_t *)&logged[lane] + word, 4);
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

static uint32_t
unit_of(const struct tbr_logged_instruction *instructions, const struct logged_read *logged)
{
   const struct tbr_logged_instruction *instruction = &instructions[logged->instruction];
   return instruction->unit +
          (instruction->operands >> WORD(texture_offset) & 1 ? logged->texture_offset : 0);
}

/** Samples once more for reads of one instruction and unit. False when out of memory. */
static bool
sample(struct tbr_context *context, struct tbr_batch *batch,
       const struct tbr_logged_instruction *instructions, const struct logged_read *logged, unsigned lanes)
{
   alignas(64) struct tbr_sample_arguments arguments;
   struct tbr_vertex_reads *reads = context->vertex_reads;
   const unsigned unit = unit_of(instructions, logged);
   const struct tbr_texture_binding *binding = bind(context, unit);
   if (!binding)
      return true;
   if (!announce(context, batch, unit))
      return false;
   fill_arguments(&arguments, &instructions[logged->instruction], logged, lanes);
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

/** By instance, vertex and invocation. Reads of one instruction, without indices, are in order as they were logged. */
static void
sort_reads(struct found_read *found, size_t count)
{
   for (size_t i = 1; i < count; i++) {
      if (compare_reads(&found[i - 1], &found[i]) > 0) {
         qsort(found, count, sizeof *found, compare_reads);
         return;
      }
   }
}

/** Gives the draws of the instances their reads: of each vertex those of its first invocation. */
static bool
append_reads(struct tbr_vertex_reads *reads, const struct tbr_binning *binning, struct tbr_batch *batch)
{
   struct found_read *found = reads->found.data;
   const size_t count = util_dynarray_num_elements(&reads->found, struct found_read);
   if (!count)
      return true;
   sort_reads(found, count);
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

/** Finds what the logged instructions read. False when out of memory, or of room in the log. */
static bool
find_reads(struct tbr_context *context)
{
   const struct tbr_drawn_shader *shader = context->vertex_shader;
   const struct logged_read *logged = context->vertex_reads->log->reads;
   const uint32_t count = context->vertex_reads->log->count;
   if (count > LOG_READS)
      return false;
   for (uint32_t first = 0, end; first < count; first = end) {
      assert(logged[first].instruction < shader->num_logged);
      end = first + 1;
      while (end < count && end - first < TBR_LANES && logged[end].instruction == logged[first].instruction &&
             unit_of(shader->logged, &logged[end]) == unit_of(shader->logged, &logged[first]))
         end++;
      if (!sample(context, context->binning->events, shader->logged, logged + first, end - first))
         return false;
   }
   return true;
}

void
tbr_vertex_reads_end_part(struct tbr_context *context)
{
   struct tbr_vertex_reads *reads = context->vertex_reads;
   if (!reads || !reads->log->count)
      return;
   if (context->binning->events && !find_reads(context))
      reads->lost = true;
   reset_log(reads);
}

bool
tbr_vertex_reads_end(struct tbr_context *context)
{
   struct tbr_vertex_reads *reads = context->vertex_reads;
   const struct tbr_binning *binning = context->binning;
   if (!reads)
      return true;
   tbr_vertex_reads_end_part(context);
   const bool fine = !reads->lost && (!binning->events || append_reads(reads, binning, binning->events));
   util_dynarray_clear(&reads->found);
   reads->announced = 0;
   reads->lost = false;
   return fine;
}
