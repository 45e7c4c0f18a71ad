/* SPDX-License-Identifier: MIT */
#include "compilers/tbr_flow.h"

#include "nir.h"
#include "util/mesa-sha1.h"
#include "util/ralloc.h"

/* ---- trees of control flow ---------------------------------------------- */

struct flow_list;

/** A branch, with two lists, or a loop, with one. */
struct flow_node {
   nir_cf_node_type type;
   struct flow_list *lists[2];
   bool jumps_out; /**< of the list that it is in */
};

/** Blocks and the nodes between them: blocks[i] is before nodes[i]. */
struct flow_list {
   unsigned num_nodes;
   unsigned num_instructions; /**< of all blocks, those of the nodes too */
   struct flow_node *nodes;
   unsigned *blocks; /**< num_nodes + 1 indices */
};

struct tbr_flow {
   struct flow_list *body;
   unsigned *of_block;
   unsigned num_blocks, num_regions;
};

static struct flow_list *create_list(void *owner, struct exec_list *nodes);

static bool
create_node(void *owner, struct flow_node *node, nir_cf_node *source)
{
   node->type = source->type;
   if (source->type == nir_cf_node_if) {
      nir_if *branch = nir_cf_node_as_if(source);
      node->lists[0] = create_list(owner, &branch->then_list);
      node->lists[1] = create_list(owner, &branch->else_list);
      return node->lists[0] && node->lists[1];
   }
   node->lists[0] = create_list(owner, &nir_cf_node_as_loop(source)->body);
   return node->lists[0];
}

static struct flow_list *
create_list(void *owner, struct exec_list *nodes)
{
   struct flow_list *list = rzalloc(owner, struct flow_list);
   if (!list)
      return NULL;
   const unsigned count = (exec_list_length(nodes) - 1) / 2;
   list->nodes = rzalloc_array(list, struct flow_node, MAX2(count, 1));
   list->blocks = rzalloc_array(list, unsigned, count + 1);
   if (!list->nodes || !list->blocks)
      return NULL;
   foreach_list_typed(nir_cf_node, source, node, nodes)
   {
      if (source->type == nir_cf_node_block) {
         nir_block *block = nir_cf_node_as_block(source);
         list->blocks[list->num_nodes] = block->index;
         list->num_instructions += exec_list_length(&block->instr_list);
         continue;
      }
      struct flow_node *node = &list->nodes[list->num_nodes++];
      if (!create_node(list, node, source))
         return NULL;
      for (unsigned i = 0; i < 2 && node->lists[i]; i++)
         list->num_instructions += node->lists[i]->num_instructions;
   }
   assert(list->num_nodes == count);
   return list;
}

/* ---- the flow and its regions --------------------------------------------- */

struct tbr_flow *
tbr_flow_create(void *owner, nir_shader *nir)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   struct tbr_flow *flow = rzalloc(owner, struct tbr_flow);
   if (!flow)
      return NULL;
   nir_index_blocks(impl);
   flow->num_blocks = impl->num_blocks;
   flow->of_block = rzalloc_array(flow, unsigned, impl->num_blocks);
   flow->body = create_list(flow, &impl->body);
   if (!flow->of_block || !flow->body) {
      ralloc_free(flow);
      return NULL;
   }
   flow->num_regions = 1;
   return flow;
}

void
tbr_flow_number(struct tbr_flow *flow, const unsigned *of_block, unsigned count)
{
   memcpy(flow->of_block, of_block, flow->num_blocks * sizeof *of_block);
   flow->num_regions = count;
}

unsigned
tbr_flow_count_regions(const struct tbr_flow *flow)
{
   return flow->num_regions;
}

static void
digest_list(const struct tbr_flow *flow, const struct flow_list *list, struct mesa_sha1 *sha1)
{
   _mesa_sha1_update(sha1, &list->num_nodes, sizeof list->num_nodes);
   _mesa_sha1_update(sha1, &list->num_instructions, sizeof list->num_instructions);
   for (unsigned i = 0; i <= list->num_nodes; i++)
      _mesa_sha1_update(sha1, &flow->of_block[list->blocks[i]], sizeof(unsigned));
   for (unsigned i = 0; i < list->num_nodes; i++) {
      _mesa_sha1_update(sha1, &list->nodes[i].type, sizeof list->nodes[i].type);
      for (unsigned side = 0; side < 2 && list->nodes[i].lists[side]; side++)
         digest_list(flow, list->nodes[i].lists[side], sha1);
   }
}

void
tbr_flow_digest(const struct tbr_flow *flow, struct mesa_sha1 *sha1)
{
   _mesa_sha1_update(sha1, &flow->num_regions, sizeof flow->num_regions);
   digest_list(flow, flow->body, sha1);
}

/* ---- matching ------------------------------------------------------------- */

/** A match of two nodes counts so much, and up to so much less one for lists of similar size. */
#define MATCH_WEIGHT 64

static unsigned
similarity_of_sizes(unsigned left, unsigned right)
{
   return (MATCH_WEIGHT - 1) * (MIN2(left, right) + 1) / (MAX2(left, right) + 1);
}

/** Weights of the best matches of the nodes of two lists from (i, j) on, i * (columns + 1) + j. */
static unsigned *match_lists(void *owner, const struct flow_list *source, const struct flow_list *list);

/** How well two nodes match; 0: not at all. */
static unsigned
match_nodes(void *owner, const struct flow_node *source, const struct flow_node *node)
{
   if (source->type != node->type)
      return 0;
   unsigned weight = MATCH_WEIGHT, sizes = MATCH_WEIGHT - 1;
   for (unsigned i = 0; i < 2 && node->lists[i]; i++) {
      const unsigned *table = match_lists(owner, source->lists[i], node->lists[i]);
      if (!table)
         return weight;
      weight += table[0];
      sizes = MIN2(sizes,
                   similarity_of_sizes(source->lists[i]->num_instructions, node->lists[i]->num_instructions));
   }
   return weight + sizes;
}

static unsigned *
match_lists(void *owner, const struct flow_list *source, const struct flow_list *list)
{
   const unsigned rows = source->num_nodes, columns = list->num_nodes;
   unsigned *table = rzalloc_array(owner, unsigned, (rows + 1) * (columns + 1));
   for (unsigned i = rows; table && i-- > 0;) {
      for (unsigned j = columns; j-- > 0;) {
         const unsigned skipped = MAX2(table[(i + 1) * (columns + 1) + j], table[i * (columns + 1) + j + 1]);
         const unsigned match = match_nodes(owner, &source->nodes[i], &list->nodes[j]);
         const unsigned matched = match ? match + table[(i + 1) * (columns + 1) + j + 1] : 0;
         table[i * (columns + 1) + j] = MAX2(skipped, matched);
      }
   }
   return table;
}

/** All blocks of a list that is not in the source. */
static void
fill_list(const struct flow_list *list, unsigned region, unsigned *of_block)
{
   for (unsigned i = 0; i <= list->num_nodes; i++)
      of_block[list->blocks[i]] = region;
   for (unsigned i = 0; i < list->num_nodes; i++) {
      for (unsigned side = 0; side < 2 && list->nodes[i].lists[side]; side++)
         fill_list(list->nodes[i].lists[side], region, of_block);
   }
}

static bool
join_lists(void *owner, const struct tbr_flow *flow, const struct flow_list *source,
           const struct flow_list *list, unsigned *of_block)
{
   const unsigned *table = match_lists(owner, source, list);
   if (!table)
      return false;
   const unsigned stride = list->num_nodes + 1;
   unsigned i = 0;
   for (unsigned j = 0; j < list->num_nodes; j++) {
      const struct flow_node *node = &list->nodes[j];
      unsigned match = 0;
      for (; i < source->num_nodes; i++) {
         const unsigned weight = match_nodes(owner, &source->nodes[i], node);
         match = weight && weight + table[(i + 1) * stride + j + 1] == table[i * stride + j];
         /* Otherwise the source's node is gone, or this one is new. */
         if (match || table[(i + 1) * stride + j] != table[i * stride + j])
            break;
      }
      const unsigned region = flow->of_block[source->blocks[i]];
      of_block[list->blocks[j]] = region;
      for (unsigned side = 0; side < 2 && node->lists[side]; side++) {
         if (!match)
            fill_list(node->lists[side], region, of_block);
         else if (!join_lists(owner, flow, source->nodes[i].lists[side], node->lists[side], of_block))
            return false;
      }
      i += match;
   }
   of_block[list->blocks[list->num_nodes]] = flow->of_block[source->blocks[source->num_nodes]];
   return true;
}

bool
tbr_flow_find_regions(const struct tbr_flow *flow, nir_shader *nir, unsigned *of_block)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   void *scratch = ralloc_context(NULL);
   const struct flow_list *list = scratch ? create_list(scratch, &impl->body) : NULL;
   const bool done = list && join_lists(scratch, flow, flow->body, list, of_block);
   ralloc_free(scratch);
   return done;
}
