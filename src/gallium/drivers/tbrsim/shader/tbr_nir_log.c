/* SPDX-License-Identifier: MIT */
#include "shader/tbr_nir_log.h"

#include "nir.h"
#include "nir_builder.h"
#include "util/u_memory.h"
#include "shader/tbr_nir.h"
#include "shader/tbr_nir_regions.h"
#include "tile/tbr_texture_unit.h"

/** What begins each of an invocation's accesses, but for the instruction. */
struct invocation {
   enum cm_preraster_stage stage;
   nir_def *number, *vertex, *instance;
};

/** An instruction on its way into the log. */
struct entry {
   nir_def *address; /**< bytes from the log's beginning */
   struct tbr_logged_instruction *instruction;
};

static enum cm_preraster_stage
stage_of(const nir_shader *nir)
{
   switch (nir->info.stage) {
   case MESA_SHADER_VERTEX: return CM_PRERASTER_VERTEX;
   case MESA_SHADER_TESS_CTRL: return CM_PRERASTER_CONTROL;
   case MESA_SHADER_TESS_EVAL: return CM_PRERASTER_EVALUATION;
   default: assert(nir->info.stage == MESA_SHADER_GEOMETRY); return CM_PRERASTER_GEOMETRY;
   }
}

static nir_def *
log_buffer(nir_builder *b)
{
   return nir_imm_int(b, TBR_LOG_BUFFER);
}

static void
store_words(nir_builder *b, nir_def *address, size_t word, nir_def *value)
{
   nir_store_ssbo(b, value, log_buffer(b), nir_iadd_imm(b, address, 4 * word), .align_mul = 4,
                  .write_mask = BITFIELD_MASK(value->num_components));
}

static void
store_operand(nir_builder *b, const struct entry *entry, size_t word, nir_def *value)
{
   store_words(b, entry->address, word, value);
   entry->instruction->operands |= BITFIELD_MASK(value->num_components) << word;
}

/** Coordinates in the order in which gallivm passes them on. */
static void
store_coords(nir_builder *b, const struct entry *entry, nir_def *coords, bool is_1d_array)
{
   if (!is_1d_array) {
      store_operand(b, entry, TBR_LOGGED_WORD(coords), coords);
      return;
   }
   store_operand(b, entry, TBR_LOGGED_WORD(coords), nir_channel(b, coords, 0));
   store_operand(b, entry, TBR_LOGGED_WORD(coords[2]), nir_channel(b, coords, 1));
}

/** Takes the next entry of the log, and stores which instruction of which invocation it is of. */
static struct entry
begin_entry(nir_builder *b, const struct invocation *invocation, uint32_t number,
            struct tbr_logged_instruction *instruction)
{
   nir_def *slot = nir_ssbo_atomic(b, 32, log_buffer(b), nir_imm_int(b, offsetof(struct tbr_log, count)),
                                   nir_imm_int(b, 1), .atomic_op = nir_atomic_op_iadd);
   /* Those for which there is no space must not reach the beginning again, as addresses have 32 bits. */
   slot = nir_umin(b, slot, nir_imm_int(b, TBR_LOG_ACCESSES));
   nir_def *address = nir_iadd_imm(b, nir_imul_imm(b, slot, sizeof(struct tbr_logged_access)),
                                   offsetof(struct tbr_log, accesses));
   nir_def *word = nir_imm_int(b, number | invocation->stage << TBR_LOGGED_STAGE_SHIFT);
   store_words(b, address, TBR_LOGGED_WORD(instruction),
               nir_vec4(b, word, invocation->number, invocation->vertex, invocation->instance));
   return (struct entry){address, instruction};
}

/* ---- textures ------------------------------------------------------------- */

static void
store_operands(nir_builder *b, const nir_tex_instr *tex, const struct entry *entry)
{
   for (unsigned s = 0; s < tex->num_srcs; s++) {
      nir_def *value = tex->src[s].src.ssa;
      switch (tex->src[s].src_type) {
      case nir_tex_src_coord:
         store_coords(b, entry, nir_trim_vector(b, value, tex->coord_components),
                      tex->is_array && tex->sampler_dim == GLSL_SAMPLER_DIM_1D);
         break;
      case nir_tex_src_bias:
      case nir_tex_src_lod: store_operand(b, entry, TBR_LOGGED_WORD(lod), value); break;
      case nir_tex_src_ms_index:
         entry->instruction->has_sample = true;
         store_operand(b, entry, TBR_LOGGED_WORD(sample), value);
         break;
      case nir_tex_src_offset:
         entry->instruction->has_offset = true;
         store_operand(b, entry, TBR_LOGGED_WORD(offset), value);
         break;
      case nir_tex_src_ddx:
         entry->instruction->lod_control = TBR_LOD_DERIVATIVES;
         store_operand(b, entry, TBR_LOGGED_WORD(ddx), value);
         break;
      case nir_tex_src_ddy: store_operand(b, entry, TBR_LOGGED_WORD(ddy), value); break;
      case nir_tex_src_texture_offset: store_operand(b, entry, TBR_LOGGED_WORD(unit), value); break;
      default: break; /* what is compared with, and samplers: of a unit's own */
      }
   }
}

static void
log_texture(nir_builder *b, const nir_tex_instr *tex, const struct invocation *invocation, uint32_t number,
            struct tbr_logged_instruction *instruction)
{
   const bool is_fetch = tex->op == nir_texop_txf || tex->op == nir_texop_txf_ms;
   *instruction = (struct tbr_logged_instruction){
      .type = CM_VERTEX_TEXTURE,
      .unit = tex->texture_index,
      .operation = is_fetch                   ? TBR_TEXTURE_FETCH
                   : tex->op == nir_texop_tg4 ? TBR_TEXTURE_GATHER
                                              : TBR_TEXTURE_SAMPLE,
      .lod_control = TBR_LOD_EXPLICIT, /* vertices have no derivatives: 0 where the shader gives none */
      .gather_component = tex->component,
      .shadow = tex->is_shadow,
   };
   const struct entry entry = begin_entry(b, invocation, number, instruction);
   store_operands(b, tex, &entry);
}

/* ---- storage --------------------------------------------------------------- */

/** How an intrinsic accesses storage. */
struct storage_access {
   enum cm_vertex_access_type type;
   enum cm_storage_operation operation;
   unsigned index, address; /**< sources: the buffer or image, the offset or coordinates */
   unsigned bytes;
   bool by_address; /**< the source `address` is all there is */
};

/** Whether an intrinsic accesses storage of the application's. */
static bool
accesses_storage(const nir_intrinsic_instr *intrinsic, struct storage_access *access)
{
   *access = (struct storage_access){.type = CM_VERTEX_IMAGE, .address = 1};
   switch (intrinsic->intrinsic) {
   case nir_intrinsic_load_ssbo:
      access->bytes = intrinsic->def.num_components * intrinsic->def.bit_size / 8;
      access->type = CM_VERTEX_BUFFER;
      break;
   case nir_intrinsic_store_ssbo:
      *access = (struct storage_access){CM_VERTEX_BUFFER, CM_STORAGE_STORE, 1, 2,
                                        intrinsic->num_components * nir_src_bit_size(intrinsic->src[0]) / 8};
      break;
   case nir_intrinsic_ssbo_atomic:
   case nir_intrinsic_ssbo_atomic_swap:
      access->bytes = intrinsic->def.bit_size / 8;
      access->type = CM_VERTEX_BUFFER;
      access->operation = CM_STORAGE_ATOMIC;
      break;
   case nir_intrinsic_load_global:
   case nir_intrinsic_load_global_constant:
      *access = (struct storage_access){
         .type = CM_VERTEX_BUFFER,
         .bytes = intrinsic->def.num_components * intrinsic->def.bit_size / 8,
         .by_address = true,
      };
      return true;
   case nir_intrinsic_store_global:
      *access = (struct storage_access){
         .type = CM_VERTEX_BUFFER,
         .operation = CM_STORAGE_STORE,
         .address = 1,
         .bytes = intrinsic->num_components * nir_src_bit_size(intrinsic->src[0]) / 8,
         .by_address = true,
      };
      return true;
   case nir_intrinsic_global_atomic:
   case nir_intrinsic_global_atomic_swap:
      *access = (struct storage_access){
         .type = CM_VERTEX_BUFFER,
         .operation = CM_STORAGE_ATOMIC,
         .bytes = intrinsic->def.bit_size / 8,
         .by_address = true,
      };
      return true;
   case nir_intrinsic_image_load: break;
   case nir_intrinsic_image_store: access->operation = CM_STORAGE_STORE; break;
   case nir_intrinsic_image_atomic:
   case nir_intrinsic_image_atomic_swap: access->operation = CM_STORAGE_ATOMIC; break;
   default: return false;
   }
   const nir_src index = intrinsic->src[access->index];
   return access->type == CM_VERTEX_IMAGE || !nir_src_is_const(index) ||
          nir_src_as_uint(index) < TBR_MAX_DRAWN_STORAGE_BUFFERS;
}

static void
log_memory(nir_builder *b, const nir_intrinsic_instr *intrinsic, const struct storage_access *access,
           const struct invocation *invocation, uint32_t number, struct tbr_logged_instruction *instruction)
{
   nir_def *address = intrinsic->src[access->address].ssa;
   *instruction = (struct tbr_logged_instruction){
      .type = access->type,
      .unit = TBR_LOGGED_BY_ADDRESS,
      .operation = access->operation,
      .bytes = access->bytes,
   };
   const struct entry entry = begin_entry(b, invocation, number, instruction);
   store_operand(b, &entry, TBR_LOGGED_WORD(coords),
                 nir_vec2(b, nir_unpack_64_2x32_split_x(b, address), nir_unpack_64_2x32_split_y(b, address)));
}

static void
log_storage(nir_builder *b, const nir_intrinsic_instr *intrinsic, const struct storage_access *access,
            const struct invocation *invocation, uint32_t number, struct tbr_logged_instruction *instruction)
{
   const nir_src index = intrinsic->src[access->index];
   nir_def *address = intrinsic->src[access->address].ssa;
   assert(intrinsic->intrinsic != nir_intrinsic_store_ssbo ||
          nir_intrinsic_write_mask(intrinsic) == BITFIELD_MASK(intrinsic->num_components));
   *instruction = (struct tbr_logged_instruction){
      .type = access->type,
      .unit = nir_src_is_const(index) ? nir_src_as_uint(index) : 0,
      .operation = access->operation,
      .bytes = access->bytes,
   };
   const struct entry entry = begin_entry(b, invocation, number, instruction);
   if (!nir_src_is_const(index))
      store_operand(b, &entry, TBR_LOGGED_WORD(unit), index.ssa);
   if (access->type == CM_VERTEX_BUFFER) {
      store_operand(b, &entry, TBR_LOGGED_WORD(coords), address);
      return;
   }
   store_coords(b, &entry, nir_trim_vector(b, address, 3),
                nir_intrinsic_image_array(intrinsic) &&
                   nir_intrinsic_image_dim(intrinsic) == GLSL_SAMPLER_DIM_1D);
   if (nir_intrinsic_image_dim(intrinsic) == GLSL_SAMPLER_DIM_MS)
      store_operand(b, &entry, TBR_LOGGED_WORD(sample), intrinsic->src[2].ssa);
}

/* ---- the pass --------------------------------------------------------------- */

static bool
is_logged(nir_instr *instr, struct storage_access *access)
{
   if (instr->type == nir_instr_type_tex)
      return !nir_tex_instr_is_query(nir_instr_as_tex(instr));
   return instr->type == nir_instr_type_intrinsic && accesses_storage(nir_instr_as_intrinsic(instr), access);
}

static uint32_t
count_instructions(nir_function_impl *impl)
{
   struct storage_access access;
   uint32_t count = 0;
   nir_foreach_block (block, impl) {
      nir_foreach_instr (instr, block)
         count += is_logged(instr, &access);
   }
   return count;
}

static bool
is_buffer_store(const nir_instr *instr, const void *unused)
{
   const nir_intrinsic_op op = nir_instr_as_intrinsic((nir_instr *)instr)->intrinsic;
   return op == nir_intrinsic_store_ssbo || op == nir_intrinsic_store_global;
}

bool
tbr_nir_has_accesses(nir_shader *nir)
{
   struct storage_access access;
   nir_foreach_block (block, nir_shader_get_entrypoint(nir)) {
      nir_foreach_instr (instr, block) {
         if (is_logged(instr, &access))
            return true;
      }
   }
   return false;
}

/** At the shader's beginning: counts the invocation. */
static struct invocation
begin_invocation(nir_builder *b, const nir_shader *nir)
{
   const enum cm_preraster_stage stage = stage_of(nir);
   const bool is_vertex = stage == CM_PRERASTER_VERTEX;
   return (struct invocation){
      .stage = stage,
      .number = nir_ssbo_atomic(b, 32, log_buffer(b),
                                nir_imm_int(b, offsetof(struct tbr_log, invocations) + 4 * stage),
                                nir_imm_int(b, 1), .atomic_op = nir_atomic_op_iadd),
      .vertex = is_vertex ? nir_load_vertex_id(b) : nir_imm_int(b, 0),
      .instance = is_vertex ? nir_load_instance_id(b) : nir_imm_int(b, 0),
   };
}

struct tbr_logged_instruction *
tbr_nir_log_accesses(nir_shader *nir, uint32_t *count)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   /* A store is one of neighbouring components. */
   NIR_PASS_V(nir, nir_lower_wrmasks, is_buffer_store, NULL);
   *count = count_instructions(impl);
   struct tbr_logged_instruction *instructions = CALLOC(*count, sizeof *instructions);
   if (!instructions)
      return NULL;
   nir_builder b = nir_builder_at(nir_before_impl(impl));
   const struct invocation invocation = begin_invocation(&b, nir);
   struct storage_access access;
   uint32_t number = 0;
   nir_foreach_block (block, impl) {
      nir_foreach_instr_safe (instr, block) {
         if (!is_logged(instr, &access))
            continue;
         b.cursor = nir_before_instr(instr);
         if (instr->type == nir_instr_type_tex)
            log_texture(&b, nir_instr_as_tex(instr), &invocation, number, &instructions[number]);
         else
            (access.by_address ? log_memory : log_storage)(&b, nir_instr_as_intrinsic(instr), &access,
                                                           &invocation, number, &instructions[number]);
         number++;
      }
   }
   assert(number == *count);
   nir_metadata_preserve(impl, nir_metadata_control_flow);
   return instructions;
}

/* ---- regions ------------------------------------------------------------------ */

/** An invocation's counters. */
struct counters {
   nir_function_impl *impl;
   nir_variable *variables[CM_MAX_REGIONS];
   uint32_t count;
};

static void
count_up(nir_builder *b, uint32_t counter, void *data)
{
   struct counters *counters = data;
   assert(counter == counters->count);
   nir_variable *variable = nir_local_variable_create(counters->impl, glsl_uint_type(), "region");
   nir_store_var(b, variable, nir_iadd_imm(b, nir_load_var(b, variable), 1), 1);
   counters->variables[counters->count++] = variable;
}

static void
add_to_log(nir_builder *b, size_t offset, nir_def *value)
{
   nir_ssbo_atomic(b, 32, log_buffer(b), nir_imm_int(b, offset), value, .atomic_op = nir_atomic_op_iadd);
}

struct tbr_regions *
tbr_nir_log_regions(nir_shader *nir, unsigned *of_block)
{
   struct counters counters = {.impl = nir_shader_get_entrypoint(nir)};
   const struct tbr_region_counting counting = {.count = count_up, .data = &counters};
   struct tbr_regions *regions = tbr_nir_find_regions(nir, &counting, of_block);
   if (!regions)
      return NULL;
   const size_t first = offsetof(struct tbr_log, region_runs[stage_of(nir)]);
   nir_builder b = nir_builder_at(nir_after_impl(counters.impl));
   add_to_log(&b, first, nir_imm_int(&b, 1));
   for (uint32_t c = 0; c < counters.count; c++)
      add_to_log(&b, first + 4 * (1 + c), nir_load_var(&b, counters.variables[c]));
   b.cursor = nir_before_impl(counters.impl);
   for (uint32_t c = 0; c < counters.count; c++)
      nir_store_var(&b, counters.variables[c], nir_imm_int(&b, 0), 1);
   nir_metadata_preserve(counters.impl, nir_metadata_none);
   NIR_PASS_V(nir, nir_lower_vars_to_ssa);
   return regions;
}
