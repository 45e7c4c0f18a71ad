/* SPDX-License-Identifier: MIT */
#include "support/naive_nuca.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

struct naive_nuca *
naive_nuca_new(const struct cm_config *config)
{
   const struct cm_cache_config *cache = &config->caches[CM_UNIT_TEXTURE_CACHE];
   struct naive_nuca *naive = calloc(1, sizeof *naive);
   naive->config = config;
   naive->processors = (int)config->fragment_stage.processors;
   naive->ways = (int)cache->ways;
   naive->sets = (int)(cache->size / cache->block / cache->ways);
   assert_true(naive->ways <= NAIVE_WAYS && naive->sets <= NAIVE_SETS);
   assert_true(config->nuca.affinity_table.buckets <= NAIVE_BUCKETS);
   assert_int_equal(config->caches[CM_UNIT_L2].size / cache->block, NAIVE_FORMER);
   naive->columns = (int)config->nuca.mesh.columns;
   const bool distributed = config->nuca.organisation == CM_NUCA_DTM_DISTRIBUTED;
   for (int p = 0; p < naive->processors; p++) {
      for (int b = 0; b < NAIVE_BUCKETS; b++)
         naive->tables[p][b].owner = distributed ? p : -1;
   }
   for (int i = 0; i < NAIVE_FORMER; i++)
      naive->former[i].processor = -1;
   naive->packets = calloc(NAIVE_PACKETS * NAIVE_PROCESSORS, sizeof *naive->packets);
   return naive;
}

void
naive_nuca_free(struct naive_nuca *naive)
{
   free(naive->packets);
   free(naive);
}

/* ---- the mesh ---------------------------------------------------------- */

/* The table with a node of its own. */
#define TABLE 1000

static int hops(const struct naive_nuca *naive, int from, int to);
static int place(const struct naive_nuca *naive, enum cm_mesh_node where);

static int
hops_of_table(const struct naive_nuca *naive, int other)
{
   return other == TABLE ? 0 : 1 + hops(naive, place(naive, naive->config->nuca.mesh.table), other);
}

static int
hops(const struct naive_nuca *naive, int from, int to)
{
   if (from == TABLE || to == TABLE)
      return hops_of_table(naive, from == TABLE ? to : from);
   const int dx = from % naive->columns - to % naive->columns;
   const int dy = from / naive->columns - to / naive->columns;
   return abs(dx) + abs(dy);
}

static int
routers(const struct naive_nuca *naive)
{
   int count = naive->columns;
   while (count < naive->processors)
      count += naive->columns;
   return count;
}

static int
place(const struct naive_nuca *naive, enum cm_mesh_node where)
{
   const int rows = routers(naive) / naive->columns;
   return where == CM_MESH_NODE_CENTER ? rows / 2 * naive->columns + naive->columns / 2 : 0;
}

static int
place_of_table(const struct naive_nuca *naive)
{
   const struct cm_mesh_config *mesh = &naive->config->nuca.mesh;
   return mesh->table_node == CM_TABLE_NODE_OWN ? TABLE : place(naive, mesh->table);
}

static void
message(struct naive_nuca *naive, int from, int to)
{
   naive->counts[CM_NUCA_HOPS] += (uint64_t)hops(naive, from, to);
}

static void
block_message(struct naive_nuca *naive, int from, int to)
{
   message(naive, from, to);
   naive->counts[CM_NUCA_BLOCK_HOPS] += (uint64_t)hops(naive, from, to);
}

/* ---- caches ------------------------------------------------------------ */

static int
set_of(const struct naive_nuca *naive, uint64_t block)
{
   if (naive->config->caches[CM_UNIT_TEXTURE_CACHE].index == CM_INDEX_XOR)
      return (int)((block ^ block / (uint64_t)naive->sets) % (uint64_t)naive->sets);
   return (int)(block % (uint64_t)naive->sets);
}

static int
find(const struct naive_nuca *naive, int cache, uint64_t block)
{
   const int set = set_of(naive, block);
   for (int i = 0; i < naive->used[cache][set]; i++) {
      if (naive->blocks[cache][set][i] == block)
         return i;
   }
   return -1;
}

bool
naive_nuca_has(const struct naive_nuca *naive, int cache, uint64_t block)
{
   return find(naive, cache, block) >= 0;
}

static void
take_out(struct naive_nuca *naive, int cache, int set, int i)
{
   uint64_t *blocks = naive->blocks[cache][set];
   memmove(blocks + i, blocks + i + 1, (size_t)(naive->used[cache][set] - i - 1) * sizeof *blocks);
   naive->used[cache][set]--;
}

static void
put_first(struct naive_nuca *naive, int cache, uint64_t block)
{
   const int set = set_of(naive, block);
   uint64_t *blocks = naive->blocks[cache][set];
   memmove(blocks + 1, blocks, (size_t)naive->used[cache][set] * sizeof *blocks);
   blocks[0] = block;
   naive->used[cache][set]++;
}

static void
use(struct naive_nuca *naive, int cache, uint64_t block)
{
   take_out(naive, cache, set_of(naive, block), find(naive, cache, block));
   put_first(naive, cache, block);
}

/* Makes room for a block. Returns whether another left, and which. */
static bool
make_room(struct naive_nuca *naive, int cache, uint64_t block, uint64_t *evicted)
{
   const int set = set_of(naive, block);
   if (naive->used[cache][set] < naive->ways)
      return false;
   *evicted = naive->blocks[cache][set][naive->ways - 1];
   naive->used[cache][set]--;
   return true;
}

void
naive_nuca_invalidate(struct naive_nuca *naive, uint64_t first, uint64_t last)
{
   for (int cache = 0; cache < naive->processors; cache++) {
      for (int set = 0; set < naive->sets; set++) {
         for (int i = naive->used[cache][set]; i-- > 0;) {
            if (naive->blocks[cache][set][i] >= first && naive->blocks[cache][set][i] <= last)
               take_out(naive, cache, set, i);
         }
      }
   }
}

/* ---- requests ---------------------------------------------------------- */

static void
remember_last(struct naive_nuca *naive, uint64_t block, int processor)
{
   int i = 0;
   while (i < naive->num_last && naive->last[i].block != block)
      i++;
   assert_true(i < 1024);
   naive->num_last += i == naive->num_last;
   naive->last[i].block = block;
   naive->last[i].processor = processor;
}

static int
last_of(const struct naive_nuca *naive, uint64_t block)
{
   for (int i = 0; i < naive->num_last; i++) {
      if (naive->last[i].block == block)
         return naive->last[i].processor;
   }
   return -1;
}

static void
forget(struct naive_nuca *naive, uint64_t block, int cache)
{
   naive->former[block % NAIVE_FORMER].block = block;
   naive->former[block % NAIVE_FORMER].processor = cache;
}

/* A block left a cache of d-nuca for another one. */
static void
evicted_from(struct naive_nuca *naive, int cache, uint64_t block)
{
   const int to = last_of(naive, block);
   uint64_t second;
   if (naive->config->nuca.organisation != CM_NUCA_DYNAMIC)
      return;
   if (naive->config->nuca.migration == CM_NUCA_MIGRATION_NEXT_REQUESTER || to == cache) {
      forget(naive, block, cache);
      return;
   }
   if (make_room(naive, to, block, &second))
      forget(naive, second, to);
   put_first(naive, to, block);
   naive->counts[CM_NUCA_NOTICE_HOPS] += (uint64_t)hops(naive, cache, to);
   naive->counts[CM_NUCA_MIGRATIONS]++;
}

/* A cache serves a processor. */
static bool
serve(struct naive_nuca *naive, int processor, int cache, uint64_t block)
{
   uint64_t evicted;
   if (naive_nuca_has(naive, cache, block)) {
      naive->counts[cache == processor ? CM_NUCA_LOCAL_HITS : CM_NUCA_REMOTE_HITS]++;
      if (cache == processor || naive->config->nuca.remote_hits == CM_NUCA_REMOTE_HITS_UPDATE)
         use(naive, cache, block);
      return true;
   }
   naive->counts[CM_NUCA_L2_ACCESSES]++;
   naive->counts[CM_NUCA_LOCAL_L2_ACCESSES] += cache == processor;
   if (naive->config->nuca.mesh.l2 != CM_MESH_NODE_BUS) {
      const int l2 = place(naive, naive->config->nuca.mesh.l2);
      message(naive, cache, l2);
      block_message(naive, l2, cache);
   }
   if (make_room(naive, cache, block, &evicted))
      evicted_from(naive, cache, evicted);
   put_first(naive, cache, block);
   return false;
}

/* The owner serves; another processor may keep a copy. */
static void
serve_by_owner(struct naive_nuca *naive, int processor, int owner, uint64_t block)
{
   static const bool kept[][2] = {
      [CM_NUCA_REMOTE_COPIES_NONE] = {false, false},
      [CM_NUCA_REMOTE_COPIES_HITS] = {true, false},
      [CM_NUCA_REMOTE_COPIES_MISSES] = {false, true},
      [CM_NUCA_REMOTE_COPIES_ALL] = {true, true},
   };
   uint64_t evicted;
   const bool hit = serve(naive, processor, owner, block);
   if (owner == processor || !kept[naive->config->nuca.remote_copies][!hit])
      return;
   make_room(naive, processor, block, &evicted);
   put_first(naive, processor, block);
   naive->counts[CM_NUCA_COPIES]++;
}

static void
serve_static(struct naive_nuca *naive, int processor, uint64_t block)
{
   const int home = (int)(block / naive->config->nuca.interleave_blocks % (uint64_t)naive->processors);
   message(naive, processor, home);
   block_message(naive, home, processor);
   serve(naive, processor, home, block);
}

static void
serve_dynamic(struct naive_nuca *naive, int processor, uint64_t block)
{
   const int table = place_of_table(naive);
   int holder = -1;
   for (int cache = 0; cache < naive->processors; cache++) {
      if (naive_nuca_has(naive, cache, block)) {
         assert_int_equal(holder, -1);
         holder = cache;
      }
   }
   if (holder == -1) {
      naive->counts[CM_NUCA_MIGRATIONS] += naive->former[block % NAIVE_FORMER].block == block &&
                                           naive->former[block % NAIVE_FORMER].processor != -1 &&
                                           naive->former[block % NAIVE_FORMER].processor != processor;
      message(naive, processor, table);
      message(naive, table, processor);
      serve(naive, processor, processor, block);
   } else {
      if (holder != processor) {
         message(naive, processor, table);
         message(naive, table, holder);
         block_message(naive, holder, processor);
      }
      serve(naive, processor, holder, block);
   }
   remember_last(naive, block, processor);
}

/* An access counts for a processor in a table. */
static void
count(struct naive_nuca *naive, int table, int bucket, int processor)
{
   const struct cm_affinity_config *config = &naive->config->nuca.affinity_table;
   struct naive_bucket *entry = &naive->tables[table][bucket];
   const int highest = (1 << config->counter_bits) - 1;
   if (++entry->counters[processor] < highest)
      return;
   const double needed = entry->counters[entry->owner] * (1 + config->threshold_percent / 100.0);
   if (entry->owner != processor && highest > needed + 1e-9) {
      entry->owner = processor;
      naive->counts[CM_NUCA_OWNERSHIP_CHANGES]++;
   }
   for (int p = 0; p < naive->processors; p++)
      entry->counters[p] /= 2;
}

static int
bucket_of(const struct naive_nuca *naive, uint64_t block)
{
   const struct cm_affinity_config *config = &naive->config->nuca.affinity_table;
   return (int)(block / config->page_blocks % config->buckets);
}

/* Whether the own cache, no longer the owner's, serves itself. */
static bool
serve_old_owner(struct naive_nuca *naive, int processor, int owner, uint64_t block)
{
   if (owner == processor || !naive_nuca_has(naive, processor, block))
      return false;
   naive->counts[CM_NUCA_LOCAL_HITS]++;
   naive->counts[CM_NUCA_OLD_OWNER_HITS]++;
   return true;
}

static void
reset(const struct naive_nuca *naive, struct naive_bucket *entry)
{
   const bool halves = naive->config->nuca.affinity_table.epoch_reset == CM_EPOCH_RESET_HALVE;
   for (int p = 0; p < NAIVE_PROCESSORS; p++)
      entry->counters[p] = halves ? entry->counters[p] / 2 : 0;
}

static void
end_epoch_of_table(struct naive_nuca *naive)
{
   for (int b = 0; b < (int)naive->config->nuca.affinity_table.buckets; b++) {
      struct naive_bucket *entry = &naive->tables[0][b];
      const int before = entry->owner;
      int most = 0;
      for (int p = naive->processors - 1; p >= 0; p--) {
         if (entry->counters[p] >= most && entry->counters[p] > 0) {
            most = entry->counters[p];
            if (naive->config->nuca.affinity_table.epoch_owner == CM_EPOCH_OWNER_RECOMPUTE)
               entry->owner = p;
         }
      }
      if (naive->config->nuca.affinity_table.epoch_owner == CM_EPOCH_OWNER_RELEASE)
         entry->owner = -1;
      naive->counts[CM_NUCA_OWNERSHIP_CHANGES] += entry->owner != before;
      reset(naive, entry);
   }
}

static void
serve_dtm(struct naive_nuca *naive, int processor, uint64_t block)
{
   const int table = place_of_table(naive), bucket = bucket_of(naive, block);
   struct naive_bucket *entry = &naive->tables[0][bucket];
   if (entry->owner == -1)
      entry->owner = processor;
   const int owner = entry->owner;
   const bool all = naive->config->nuca.affinity_table.counted == CM_AFFINITY_COUNTED_ALL;
   const bool local = naive_nuca_has(naive, processor, block);
   if (!local) {
      message(naive, processor, table);
      message(naive, table, owner);
      block_message(naive, owner, processor);
   } else if (all) {
      naive->counts[CM_NUCA_NOTICE_HOPS] += (uint64_t)hops(naive, processor, table);
   }
   if (!serve_old_owner(naive, processor, owner, block))
      serve_by_owner(naive, processor, owner, block);
   if (!local || all)
      count(naive, 0, bucket, processor);
}

/* ---- distributed tables ------------------------------------------------ */

static void
receive(struct naive_nuca *naive, const struct naive_packet *packet)
{
   struct naive_bucket *entry = &naive->tables[packet->to][packet->bucket];
   naive->num_arrived++;
   if (entry->best_owner >= 0 &&
       (entry->best_counter > packet->counter ||
        (entry->best_counter == packet->counter && entry->best_owner < packet->from)))
      return;
   naive->counts[CM_NUCA_OWNERSHIP_CHANGES] += entry->owner != packet->from;
   entry->owner = entry->best_owner = packet->from;
   entry->best_counter = entry->counters[packet->from] = packet->counter;
}

/* Packets arrive, cycle after cycle, until one, that included. */
static void
receive_until(struct naive_nuca *naive, uint64_t cycle)
{
   for (; naive->num_arrived < naive->num_packets && naive->cycle <= cycle; naive->cycle++) {
      for (int i = 0; i < naive->num_packets; i++) {
         if (naive->packets[i].arrival == naive->cycle)
            receive(naive, &naive->packets[i]);
      }
   }
}

static void
synchronise(struct naive_nuca *naive)
{
   receive_until(naive, UINT64_MAX);
   naive->num_packets = naive->num_arrived = 0;
   naive->cycle = 0;
   for (int p = 0; p < naive->processors; p++) {
      uint64_t sent = 0;
      for (int b = 0; b < (int)naive->config->nuca.affinity_table.buckets; b++) {
         struct naive_bucket *entry = &naive->tables[p][b];
         const int counter = entry->counters[p];
         reset(naive, entry);
         entry->best_owner = entry->owner == p ? p : -1;
         entry->best_counter = counter;
         if (entry->owner != p)
            continue;
         for (int to = 0; to < naive->processors; to++) {
            if (to == p)
               continue;
            naive->packets[naive->num_packets++] =
               (struct naive_packet){.from = p,
                                     .to = to,
                                     .bucket = b,
                                     .counter = counter,
                                     .arrival = sent + (uint64_t)hops(naive, p, to) *
                                                          naive->config->nuca.mesh.hop_cycles};
         }
         sent++;
         naive->counts[CM_NUCA_BROADCASTS]++;
         naive->counts[CM_NUCA_BROADCAST_HOPS] += (uint64_t)routers(naive) - 1;
      }
   }
}

static void
serve_distributed(struct naive_nuca *naive, int processor, uint64_t block)
{
   receive_until(naive, naive->accesses / naive->config->nuca.mesh.accesses_per_cycle);
   const int bucket = bucket_of(naive, block), owner = naive->tables[processor][bucket].owner;
   const bool all = naive->config->nuca.affinity_table.counted == CM_AFFINITY_COUNTED_ALL;
   const bool local = naive_nuca_has(naive, processor, block);
   if (!local) {
      message(naive, processor, owner);
      block_message(naive, owner, processor);
   }
   if (!serve_old_owner(naive, processor, owner, block))
      serve_by_owner(naive, processor, owner, block);
   if (!local || all)
      count(naive, processor, bucket, processor);
}

/* ---- any organisation -------------------------------------------------- */

static void
request(struct naive_nuca *naive, int processor, uint64_t block)
{
   const enum cm_nuca_kind kind = naive->config->nuca.organisation;
   naive->counts[CM_NUCA_REQUESTS]++;
   switch (kind) {
   case CM_NUCA_STATIC: serve_static(naive, processor, block); break;
   case CM_NUCA_DYNAMIC: serve_dynamic(naive, processor, block); break;
   case CM_NUCA_DTM: serve_dtm(naive, processor, block); break;
   case CM_NUCA_DTM_DISTRIBUTED: serve_distributed(naive, processor, block); break;
   default: serve(naive, processor, processor, block); break;
   }
   int copies = 0;
   for (int cache = 0; cache < naive->processors; cache++)
      copies += naive_nuca_has(naive, cache, block);
   naive->degrees[copies]++;
   naive->counts[CM_NUCA_REPLICATION_SUM] += (uint64_t)copies;
   if (kind < CM_NUCA_DTM || ++naive->accesses < naive->config->nuca.affinity_table.epoch_accesses)
      return;
   if (kind == CM_NUCA_DTM)
      end_epoch_of_table(naive);
   else
      synchronise(naive);
   naive->accesses = 0;
   naive->counts[CM_NUCA_EPOCHS]++;
}

void
naive_nuca_read(struct naive_nuca *naive, int processor, const uint64_t *blocks, int num_blocks)
{
   for (int b = 0; b < num_blocks; b++) {
      bool again = false;
      for (int before = 0; before < b; before++)
         again |= blocks[before] == blocks[b];
      if (!again || naive->config->nuca.requests != CM_NUCA_REQUESTS_FOOTPRINT)
         request(naive, processor, blocks[b]);
   }
}
