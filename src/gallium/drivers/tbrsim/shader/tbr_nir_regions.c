/* SPDX-License-Identifier: MIT */
#include "shader/tbr_nir_regions.h"

#include "nir_builder.h"
#include "util/u_memory.h"
#include "shader/tbr_nir.h"
#include "tile/tbr_load_store.h"

/** A region that has no instruction yet. */
#define NEXT UINT32_MAX

struct walk {
   nir_builder builder;
   const struct tbr_region_counting *counting;
   struct tbr_regions *regions;
   uint32_t region;    /**< that the next instruction is of, or NEXT */
   uint32_t around;    /**< the last one that was not NEXT */
   unsigned *of_block; /**< NULL, or by block: its region */
   uint32_t head;      /**< that the next region's counter is the counter of, too; 0: none */
};

/* ---- what leaves a list of nodes ---------------------------------------------- */

static bool
discards(const nir_instr *instr)
{
   if (instr->type != nir_instr_type_intrinsic)
      return false;
   switch (nir_instr_as_intrinsic(instr)->intrinsic) {
   case nir_intrinsic_demote:
   case nir_intrinsic_demote_if:
   case nir_intrinsic_terminate:
   case nir_intrinsic_terminate_if: return true;
   default: return false;
   }
}

/** What of that there is in a list of nodes. */
struct exits {
   unsigned jumps;    /**< out of, or to the next iteration of, the loop around the list */
   unsigned breaks;   /**< of these the breaks */
   unsigned discards; /**< and returns */
};

static void
find_exits(struct exec_list *nodes, struct exits *exits)
{
   foreach_list_typed(nir_cf_node, node, node, nodes)
   {
      if (node->type == nir_cf_node_if) {
         find_exits(&nir_cf_node_as_if(node)->then_list, exits);
         find_exits(&nir_cf_node_as_if(node)->else_list, exits);
      } else if (node->type == nir_cf_node_loop) {
         struct exits inner = {0};
         find_exits(&nir_cf_node_as_loop(node)->body, &inner);
         exits->discards += inner.discards;
      } else {
         nir_foreach_instr (instr, nir_cf_node_as_block(node)) {
            const bool jumps = instr->type == nir_instr_type_jump;
            const nir_jump_type jump = jumps ? nir_instr_as_jump(instr)->type : nir_jump_break;
            const bool in_loop = jump == nir_jump_break || jump == nir_jump_continue;
            exits->jumps += jumps && in_loop;
            exits->breaks += jumps && jump == nir_jump_break;
            exits->discards += (jumps && !in_loop) || discards(instr);
         }
      }
   }
}

static bool
leaves(struct exec_list *nodes)
{
   struct exits exits = {0};
   find_exits(nodes, &exits);
   return exits.jumps || exits.discards;
}

/** The jump that is all there is in a side of a branch; NULL: it is something else. */
static nir_jump_instr *
get_lone_jump(struct exec_list *nodes)
{
   nir_cf_node *first = exec_node_data(nir_cf_node, exec_list_get_head(nodes), node);
   if (!exec_list_is_singular(nodes) || first->type != nir_cf_node_block)
      return NULL;
   const nir_block *block = nir_cf_node_as_block(first);
   nir_instr *instr =
      exec_list_is_singular(&block->instr_list) ? nir_block_first_instr((nir_block *)block) : NULL;
   return instr && instr->type == nir_instr_type_jump ? nir_instr_as_jump(instr) : NULL;
}

/** Whether an instruction makes a region: it is executed by some processor. */
static bool
is_code(const nir_instr *instr)
{
   switch (instr->type) {
   case nir_instr_type_load_const:
   case nir_instr_type_undef:
   case nir_instr_type_phi:
   case nir_instr_type_deref: return false;
   default: return true;
   }
}

static bool
has_code(const nir_block *block)
{
   nir_foreach_instr (instr, block) {
      if (is_code(instr))
         return true;
   }
   return false;
}

static bool
is_empty(struct exec_list *nodes)
{
   nir_cf_node *first = exec_node_data(nir_cf_node, exec_list_get_head(nodes), node);
   return exec_list_is_singular(nodes) && !has_code(nir_cf_node_as_block(first));
}

/** The branch at a loop's head which is its only way out, and behind which the body begins; NULL: the loop is another. */
static nir_if *
get_only_exit(nir_loop *loop)
{
   struct exits exits = {0};
   find_exits(&loop->body, &exits);
   nir_cf_node *node = nir_cf_node_next(&nir_loop_first_block(loop)->cf_node);
   if (exits.breaks != 1 || exits.discards || nir_loop_has_continue_construct(loop) || !node ||
       node->type != nir_cf_node_if)
      return NULL;
   nir_if *branch = nir_cf_node_as_if(node);
   const nir_jump_instr *jump = get_lone_jump(&branch->then_list);
   jump = jump ? jump : get_lone_jump(&branch->else_list);
   nir_block *next = nir_cf_node_as_block(nir_cf_node_next(node));
   if (!is_empty(&branch->then_list) + !is_empty(&branch->else_list) > 1)
      return NULL;
   return jump && jump->type == nir_jump_break && (has_code(next) || nir_cf_node_next(&next->cf_node))
             ? branch
             : NULL;
}

/* ---- the walk ------------------------------------------------------------------- */

static void
count_at(struct walk *walk, nir_cursor cursor, uint32_t counter)
{
   walk->builder.cursor = cursor;
   if (walk->counting->count)
      walk->counting->count(&walk->builder, counter, walk->counting->data);
}

/** An instruction, or a node, is found: gives its region a number. */
static void
take_region(struct walk *walk, nir_cursor cursor)
{
   struct tbr_regions *regions = walk->regions;
   if (walk->region == NEXT && regions->count < CM_MAX_REGIONS) {
      struct tbr_region *region = &regions->regions[regions->count];
      region->counter = regions->counters++;
      if (walk->head)
         regions->regions[walk->head].counter = region->counter;
      count_at(walk, cursor, region->counter);
      walk->region = regions->count++;
   } else if (walk->region == NEXT) {
      walk->region = walk->around;
   }
   walk->head = 0;
   walk->around = walk->region;
}

/** The head of a loop that leaves by one branch runs once more than what is behind this, each time the loop is entered. */
static void
take_head(struct walk *walk, uint32_t entered)
{
   struct tbr_regions *regions = walk->regions;
   if (regions->count + 2 > CM_MAX_REGIONS)
      return;
   regions->regions[regions->count].entered = 1 + entered;
   walk->region = walk->around = regions->count++;
}

static void
walk_block(struct walk *walk, nir_block *block)
{
   nir_foreach_instr_safe (instr, block) {
      if (!is_code(instr))
         continue;
      take_region(walk, nir_before_instr(instr));
      walk->regions->regions[walk->region].instructions += tbr_nir_is_executed(instr);
      if (discards(instr))
         walk->region = NEXT;
   }
   if (walk->of_block)
      walk->of_block[block->index] = walk->around;
}

static void walk_list(struct walk *walk, struct exec_list *nodes);

static void
walk_side(struct walk *walk, struct exec_list *nodes, uint32_t around)
{
   walk->around = around;
   walk->region = get_lone_jump(nodes) ? around : NEXT;
   walk_list(walk, nodes);
}

static void
walk_if(struct walk *walk, nir_if *branch)
{
   const uint32_t around = walk->region;
   const bool ends = leaves(&branch->then_list) || leaves(&branch->else_list);
   walk_side(walk, &branch->then_list, around);
   walk_side(walk, &branch->else_list, around);
   walk->region = ends ? NEXT : around;
   walk->around = around;
}

static void
walk_loop(struct walk *walk, nir_loop *loop)
{
   const uint32_t around = walk->region;
   struct exits exits = {0};
   const nir_if *exit = get_only_exit(loop);
   find_exits(&loop->body, &exits);
   walk->region = NEXT;
   if (exit)
      take_head(walk, around);
   const uint32_t head = walk->region == NEXT ? 0 : walk->region;
   foreach_list_typed_safe(nir_cf_node, node, node, &loop->body)
   {
      if (node->type == nir_cf_node_block) {
         walk_block(walk, nir_cf_node_as_block(node));
         continue;
      }
      take_region(walk, nir_before_cf_node(node));
      if (node->type == nir_cf_node_loop) {
         walk_loop(walk, nir_cf_node_as_loop(node));
         continue;
      }
      walk_if(walk, nir_cf_node_as_if(node));
      if (nir_cf_node_as_if(node) == exit)
         walk->head = head;
   }
   walk->head = 0;
   walk->region = exits.discards ? NEXT : around;
   walk->around = around;
}

static void
walk_list(struct walk *walk, struct exec_list *nodes)
{
   foreach_list_typed_safe(nir_cf_node, node, node, nodes)
   {
      if (node->type == nir_cf_node_block) {
         walk_block(walk, nir_cf_node_as_block(node));
         continue;
      }
      take_region(walk, nir_before_cf_node(node));
      if (node->type == nir_cf_node_if)
         walk_if(walk, nir_cf_node_as_if(node));
      else
         walk_loop(walk, nir_cf_node_as_loop(node));
   }
}

static uint32_t
walk_shader(nir_function_impl *impl, const struct tbr_region_counting *counting, struct tbr_regions *regions,
            unsigned *of_block)
{
   struct walk walk = {.builder = nir_builder_create(impl),
                       .counting = counting,
                       .regions = regions,
                       .of_block = of_block};
   *regions = (struct tbr_regions){.count = 1};
   memset(regions->regions, 0, CM_MAX_REGIONS * sizeof *regions->regions);
   walk_list(&walk, &impl->body);
   return regions->count;
}

struct tbr_regions *
tbr_nir_find_regions(nir_shader *nir, const struct tbr_region_counting *counting, unsigned *of_block)
{
   static const struct tbr_region_counting none;
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   const size_t bytes = sizeof(struct tbr_regions) + CM_MAX_REGIONS * sizeof(struct tbr_region);
   struct tbr_regions *regions = MALLOC(bytes);
   if (!regions || walk_shader(impl, &none, regions, of_block) == 1) {
      FREE(regions);
      return NULL;
   }
   if (counting->count) {
      walk_shader(impl, counting, regions, NULL);
      nir_metadata_preserve(impl, nir_metadata_control_flow);
   }
   struct tbr_regions *smaller =
      REALLOC(regions, bytes, sizeof *regions + regions->count * sizeof(struct tbr_region));
   return smaller ? smaller : regions;
}

/* ---- counting in generated code --------------------------------------------------- */

static void
count_in_code(nir_builder *b, uint32_t counter, void *data)
{
   nir_def *zeros = nir_imm_ivec4(b, 0, 0, 0, 0);
   nir_image_store(b, nir_imm_int(b, TBR_REGION_COUNTER(counter)), zeros, nir_imm_int(b, 0), zeros,
                   nir_imm_int(b, 0), .image_dim = GLSL_SAMPLER_DIM_BUF, .format = TBR_STORAGE_FORMAT,
                   .src_type = nir_type_uint32);
}

const struct tbr_region_counting tbr_count_in_code = {.count = count_in_code};
