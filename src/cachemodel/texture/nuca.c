/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "texture/nuca_internal.h"
#include "texture/placement.h"

static const struct cm_nuca_organisation *const organisations[] = {
   [CM_NUCA_PRIVATE] = &cm_nuca_private,
   [CM_NUCA_STATIC] = &cm_nuca_static,
   [CM_NUCA_DYNAMIC] = &cm_nuca_dynamic,
   [CM_NUCA_DTM] = &cm_nuca_dtm,
   [CM_NUCA_DTM_DISTRIBUTED] = &cm_nuca_dtm_distributed,
};

/* A block was removed from a texture cache. */
static void
block_removed(void *context, const struct cm_cache *cache, uint64_t block)
{
   struct cm_nuca *nuca = context;
   const uint32_t number = (uint32_t)(cache - nuca->caches);
   const struct cm_holders_entry entry = *cm_holders_find(&nuca->holders, block);
   cm_holders_remove(&nuca->holders, block, number);
   if (nuca->organisation->removed)
      nuca->organisation->removed(nuca, number, &entry);
}

static uint32_t
router_at(const struct cm_mesh *mesh, enum cm_mesh_node node)
{
   return node == CM_MESH_NODE_CENTER ? cm_mesh_center(mesh) : 0;
}

static bool
start(struct cm_nuca *nuca, const struct cm_config *config)
{
   const struct cm_cache_config *cache = &config->caches[CM_UNIT_TEXTURE_CACHE];
   const struct cm_cache_config *l2 = &config->caches[cache->next == CM_UNIT_DRAM ? CM_UNIT_L2 : cache->next];
   if (!cm_mesh_init(&nuca->mesh, config->nuca.mesh.columns, nuca->processors))
      return false;
   nuca->mesh.attached_to = router_at(&nuca->mesh, config->nuca.mesh.table);
   const bool has_own_node = config->nuca.mesh.table_node == CM_TABLE_NODE_OWN;
   nuca->table_router = has_own_node ? nuca->mesh.routers : nuca->mesh.attached_to;
   nuca->l2_router = router_at(&nuca->mesh, config->nuca.mesh.l2);
   nuca->link_loads = calloc(cm_mesh_num_links(&nuca->mesh), sizeof *nuca->link_loads);
   if (!nuca->link_loads)
      return false;
   if (nuca->organisation != &cm_nuca_static &&
       !cm_holders_init(&nuca->holders, (uint64_t)nuca->processors * (cache->size / cache->block)))
      return false;
   uint64_t former = 1;
   while (former < l2->size / cache->block)
      former *= 2;
   nuca->former_mask = former - 1;
   return !nuca->organisation->start || nuca->organisation->start(nuca);
}

struct cm_nuca *
cm_nuca_create(const struct cm_config *config, struct cm_hierarchy *hierarchy)
{
   struct cm_nuca *nuca = calloc(1, sizeof *nuca);
   if (!nuca)
      return NULL;
   nuca->organisation = organisations[config->nuca.organisation];
   nuca->hierarchy = hierarchy;
   nuca->caches = hierarchy->caches[CM_UNIT_TEXTURE_CACHE];
   nuca->processors = config->fragment_stage.processors;
   nuca->config = config->nuca;
   nuca->l2_is_in_mesh = cm_config_l2_is_in_mesh(config);
   nuca->interleave_shift = (uint32_t)__builtin_ctz(config->nuca.interleave_blocks);
   if (!start(nuca, config)) {
      cm_nuca_destroy(nuca);
      return NULL;
   }
   for (uint32_t p = 0; p < nuca->processors && nuca->holders.entries; p++) {
      cm_cache_observe_removals(&nuca->caches[p], block_removed, nuca);
   }
   return nuca;
}

void
cm_nuca_destroy(struct cm_nuca *nuca)
{
   if (!nuca)
      return;
   if (nuca->organisation->finish)
      nuca->organisation->finish(nuca);
   for (uint32_t p = 0; p < nuca->processors; p++)
      cm_cache_observe_removals(&nuca->caches[p], NULL, NULL);
   cm_mesh_finish(&nuca->mesh);
   cm_holders_finish(&nuca->holders);
   free(nuca->link_loads);
   free(nuca);
}

const struct cm_mesh *
cm_nuca_mesh(const struct cm_nuca *nuca)
{
   return &nuca->mesh;
}

uint32_t
cm_nuca_table_router(const struct cm_nuca *nuca)
{
   return nuca->table_router;
}

uint32_t
cm_nuca_l2_router(const struct cm_nuca *nuca)
{
   return nuca->l2_router;
}

/** More entries than a request causes, but for messages. */
#define REQUEST_ENTRIES 64

static inline void
report(struct cm_nuca *nuca, cm_entry entry)
{
   struct cm_shared_side *shared = &nuca->hierarchy->shared;
   if (nuca->hierarchy->requests == &shared->reported)
      cm_shared_side_report(shared, entry);
   else
      cm_access_stream_append(nuca->hierarchy->requests, entry);
}

/* Requests one by one: each precedes what it causes in the access stream. The serving cache is known only afterwards. */
static __attribute__((noinline)) void
serve_and_report(struct cm_nuca *nuca, uint32_t processor, const uint64_t *blocks, uint32_t count)
{
   const uint32_t shift = nuca->caches[0].block_shift;
   struct cm_access_stream *stream = nuca->hierarchy->requests;
   for (uint32_t b = 0; b < count; b++) {
      const cm_entry request = cm_nuca_request_encode(processor, blocks[b]);
      cm_access_stream_reserve(stream, REQUEST_ENTRIES);
      const uint32_t number = stream->count;
      report(nuca, cm_entry_make(CM_ENTRY_REQUEST, CM_UNIT_TEXTURE_CACHE, 0, CM_STREAM_TEXTURE,
                                 blocks[b] << shift >> CM_ENTRY_ADDRESS_SHIFT));
      const bool is_lost = stream->count == number; /* out of memory */
      nuca->organisation->read(nuca, &request, 1);
      if (!is_lost)
         stream->entries[number] |= (cm_entry)nuca->server << CM_ENTRY_INSTANCE_SHIFT;
      for (uint32_t m = 0; m < nuca->num_messages; m++)
         report(nuca, nuca->messages[m]);
      nuca->num_messages = 0;
   }
}

/* The blocks that a footprint requests: each of them, or in `firsts` each once. */
static inline const uint64_t *
find_requests(const struct cm_nuca *nuca, const uint64_t *blocks, unsigned *count, uint64_t *firsts)
{
   assert(*count <= CM_MAX_FOOTPRINT_BLOCKS);
   if (nuca->config.requests != CM_NUCA_REQUESTS_FOOTPRINT)
      return blocks;
   *count = cm_distinct_blocks(blocks, *count, firsts);
   return firsts;
}

/* Requests for the same block in a row are one. Returns how many there are then. */
static inline uint32_t
list_requests(uint32_t processor, const uint64_t *blocks, unsigned count, cm_entry *requests)
{
   uint32_t num_requests = 0;
   cm_entry last = 0; /* which is no request */
   for (unsigned b = 0; b < count; b++) {
      const cm_entry request = cm_nuca_request_encode(processor, blocks[b]);
      const bool again = last >> CM_NUCA_REPEATS_BITS == request >> CM_NUCA_REPEATS_BITS;
      last = again ? last + 1 : request;
      num_requests += !again;
      requests[num_requests - 1] = last;
   }
   return num_requests;
}

void
cm_nuca_read(struct cm_nuca *nuca, uint32_t processor, const uint64_t *blocks, unsigned count)
{
   uint64_t firsts[CM_MAX_FOOTPRINT_BLOCKS];
   cm_entry requests[CM_MAX_FOOTPRINT_BLOCKS];
   blocks = find_requests(nuca, blocks, &count, firsts);
   if (nuca->hierarchy->requests)
      serve_and_report(nuca, processor, blocks, count);
   else
      nuca->organisation->read(nuca, requests, list_requests(processor, blocks, count, requests));
}

void
cm_nuca_list(const struct cm_nuca *nuca, struct cm_access_stream *stream, uint32_t processor,
             const uint64_t *blocks, unsigned count)
{
   uint64_t firsts[CM_MAX_FOOTPRINT_BLOCKS];
   blocks = find_requests(nuca, blocks, &count, firsts);
   cm_access_stream_reserve(stream, CM_MAX_FOOTPRINT_BLOCKS);
   if (__builtin_expect(stream->capacity - stream->count <= CM_MAX_FOOTPRINT_BLOCKS, false))
      return; /* out of memory */
   stream->count += list_requests(processor, blocks, count, stream->entries + stream->count);
}

uint32_t
cm_nuca_take(struct cm_nuca *nuca, const cm_entry *entries, uint32_t count)
{
   uint32_t taken = 0;
   while (taken < count && cm_entry_kind(entries[taken]) == CM_ENTRY_REQUEST)
      taken++;
   assert(taken);
   if (!nuca->hierarchy->requests)
      nuca->organisation->read(nuca, entries, taken);
   for (uint32_t n = 0; nuca->hierarchy->requests && n < taken; n++) {
      const struct cm_nuca_request request = cm_nuca_request_decode(entries[n]);
      for (uint32_t r = 0; r < request.repeats; r++)
         serve_and_report(nuca, request.processor, &request.block, 1);
   }
   return taken;
}

void
cm_nuca_report_to(struct cm_nuca *nuca, struct cm_hierarchy *hierarchy)
{
   nuca->hierarchy = hierarchy;
}

/* ---- counters ---------------------------------------------------------- */

void
cm_nuca_sum_up(struct cm_nuca *nuca)
{
   nuca->counts[CM_NUCA_BLOCK_HOPS] = cm_mesh_message_hops(&nuca->mesh, CM_MESH_BLOCK);
   nuca->counts[CM_NUCA_HOPS] =
      cm_mesh_message_hops(&nuca->mesh, CM_MESH_REQUEST) + nuca->counts[CM_NUCA_BLOCK_HOPS];
   nuca->counts[CM_NUCA_NOTICE_HOPS] = cm_mesh_message_hops(&nuca->mesh, CM_MESH_NOTICE);
   nuca->counts[CM_NUCA_BROADCAST_HOPS] = cm_mesh_broadcast_hops(&nuca->mesh);
   if (nuca->organisation->has_one_copy)
      nuca->degrees[1] = nuca->counts[CM_NUCA_REQUESTS];
   nuca->counts[CM_NUCA_REPLICATION_SUM] = 0;
   for (uint32_t degree = 1; degree <= nuca->processors; degree++)
      nuca->counts[CM_NUCA_REPLICATION_SUM] += degree * nuca->degrees[degree];
   cm_mesh_link_loads(&nuca->mesh, nuca->link_loads);
}

static bool
list_events(const struct cm_config *config, struct cm_counter_table *table)
{
   static const struct cm_counter_text events[] = {CM_NUCA_EVENTS(CM_COUNTER_TEXT)};
   return config->nuca.organisation == CM_NUCA_NONE ||
          cm_counter_table_append_texts(table, events, CM_NUCA_EVENT_COUNT, 0, "nuca.",
                                        "the texture caches as one: ");
}

static uint64_t
read_event(const void *nuca, const struct cm_counter *counter)
{
   return ((const struct cm_nuca *)nuca)->counts[counter->event];
}

const struct cm_counter_source cm_nuca_counters = {list_events, read_event};

static bool
list_degrees(const struct cm_config *config, struct cm_counter_table *table)
{
   const uint32_t processors =
      config->nuca.organisation == CM_NUCA_NONE ? 0 : config->fragment_stage.processors;
   for (uint32_t degree = 1; degree <= processors; degree++) {
      struct cm_counter *counter = cm_counter_table_append(table, (int)degree, "requests");
      if (!counter)
         return false;
      snprintf(counter->name, sizeof counter->name, "nuca.replication.%u", degree);
      snprintf(counter->description, sizeof counter->description,
               "the texture caches as one: requests after which %u of them hold%s the block", degree,
               degree == 1 ? "s" : "");
   }
   return true;
}

static uint64_t
read_degree(const void *nuca, const struct cm_counter *counter)
{
   return ((const struct cm_nuca *)nuca)->degrees[counter->event];
}

const struct cm_counter_source cm_replication_counters = {list_degrees, read_degree};

/* The links of a table that hangs at a router. */
static bool
list_table_links(const struct cm_config *config, struct cm_counter_table *table, uint32_t routers)
{
   static const struct cm_counter_text texts[] = {
      [CM_MESH_EAST] = {"mesh.table.out.messages", "messages",
                        "the mesh of the texture caches: messages from the table to its router"},
      [CM_MESH_WEST] = {"mesh.table.in.messages", "messages",
                        "the mesh of the texture caches: messages from that router to the table"},
   };
   return config->nuca.mesh.table_node != CM_TABLE_NODE_OWN ||
          cm_counter_table_append_texts(table, texts, 2, (int)(routers * CM_MESH_DIRECTION_COUNT), "", "");
}

static bool
list_links(const struct cm_config *config, struct cm_counter_table *table)
{
   const uint32_t nodes = config->fragment_stage.processors;
   const uint32_t columns = cm_mesh_columns(config->nuca.mesh.columns, nodes);
   const uint32_t rows = (nodes + columns - 1) / columns;
   const uint32_t links =
      config->nuca.organisation == CM_NUCA_NONE ? 0 : columns * rows * CM_MESH_DIRECTION_COUNT;
   for (uint32_t link = 0; link < links; link++) {
      const uint32_t router = link / CM_MESH_DIRECTION_COUNT;
      const enum cm_mesh_direction direction = (enum cm_mesh_direction)(link % CM_MESH_DIRECTION_COUNT);
      if (!cm_mesh_has_link(columns, rows, router, direction))
         continue;
      struct cm_counter *counter = cm_counter_table_append(table, (int)link, "messages");
      if (!counter)
         return false;
      snprintf(counter->name, sizeof counter->name, "mesh.%u.%s.messages", router,
               cm_mesh_direction_names[direction]);
      snprintf(counter->description, sizeof counter->description,
               "the mesh of the texture caches: messages from router %u (column %u, row %u) to the %s",
               router, router % columns, router / columns, cm_mesh_direction_names[direction]);
   }
   return !links || list_table_links(config, table, columns * rows);
}

static uint64_t
read_link(const void *nuca, const struct cm_counter *counter)
{
   return ((const struct cm_nuca *)nuca)->link_loads[counter->event];
}

const struct cm_counter_source cm_mesh_counters = {list_links, read_link};
