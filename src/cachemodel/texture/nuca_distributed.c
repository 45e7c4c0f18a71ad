/* SPDX-License-Identifier: MIT */
/* DTM-NUCA with an Affinity Table in each node (IV-B). */
#include <stdlib.h>
#include <string.h>

#include "texture/nuca_internal.h"

/* At first each processor owns all buckets. */
static bool
start_table(struct cm_nuca *nuca, uint32_t node)
{
   struct cm_affinity_table *table = &nuca->nodes.tables[node];
   if (!cm_affinity_table_init(table, &nuca->config.affinity_table, nuca->processors))
      return false;
   memset(table->owners, (int)node, table->buckets);
   return true;
}

/* Lists the other nodes by their distance from each. */
static bool
find_distances(struct cm_nuca *nuca)
{
   struct cm_nuca_nodes *nodes = &nuca->nodes;
   nodes->diameter = nuca->mesh.columns + nuca->mesh.rows - 2;
   nodes->by_distance = calloc(nuca->processors, nuca->processors);
   nodes->num_within = calloc(nuca->processors, nodes->diameter + 1);
   if (!nodes->by_distance || !nodes->num_within)
      return false;
   for (uint32_t node = 0; node < nuca->processors; node++) {
      uint8_t count = 0;
      for (uint32_t hops = 0; hops <= nodes->diameter; hops++) {
         for (uint32_t other = 0; other < nuca->processors; other++) {
            if (other != node && cm_mesh_hops(&nuca->mesh, node, other) == hops)
               nodes->by_distance[node * nuca->processors + count++] = (uint8_t)other;
         }
         nodes->num_within[node * (nodes->diameter + 1) + hops] = count;
      }
   }
   return true;
}

static bool
start(struct cm_nuca *nuca)
{
   struct cm_nuca_nodes *nodes = &nuca->nodes;
   if (!find_distances(nuca))
      return false;
   const size_t entries = (size_t)nuca->processors * nuca->config.affinity_table.buckets;
   nodes->tables = calloc(nuca->processors, sizeof *nodes->tables);
   nodes->claims = calloc(entries, sizeof *nodes->claims);
   nodes->packets = calloc(entries, sizeof *nodes->packets);
   nodes->first_packet = calloc(nuca->processors + 1, sizeof *nodes->first_packet);
   bool ok = nodes->tables && nodes->claims && nodes->packets && nodes->first_packet;
   for (uint32_t p = 0; ok && p < nuca->processors; p++)
      ok = start_table(nuca, p);
   return ok;
}

static void
finish(struct cm_nuca *nuca)
{
   for (uint32_t p = 0; nuca->nodes.tables && p < nuca->processors; p++)
      cm_affinity_table_finish(&nuca->nodes.tables[p]);
   free(nuca->nodes.tables);
   free(nuca->nodes.claims);
   free(nuca->nodes.packets);
   free(nuca->nodes.first_packet);
   free(nuca->nodes.by_distance);
   free(nuca->nodes.num_within);
}

/* ---- synchronisation ----------------------------------------------------- */

/* A packet arrives at a node. */
static void
receive(struct cm_nuca *nuca, uint32_t node, const struct cm_nuca_packet *packet)
{
   struct cm_affinity_table *table = &nuca->nodes.tables[node];
   struct cm_nuca_claim *best = &nuca->nodes.claims[node * table->buckets + packet->bucket];
   if (best->node != CM_NO_OWNER &&
       (packet->counter < best->counter || (packet->counter == best->counter && packet->node > best->node)))
      return;
   *best = (struct cm_nuca_claim){.node = packet->node, .counter = packet->counter};
   nuca->counts[CM_NUCA_OWNERSHIP_CHANGES] += table->owners[packet->bucket] != packet->node;
   table->owners[packet->bucket] = packet->node;
   table->counters[packet->bucket * table->processors + packet->node] = packet->counter;
}

/* A packet arrives at the nodes that it reaches with so many hops, first to last. */
static void
deliver(struct cm_nuca *nuca, const struct cm_nuca_packet *packet, uint32_t first, uint32_t last)
{
   const struct cm_nuca_nodes *nodes = &nuca->nodes;
   const uint8_t *num_within = nodes->num_within + packet->node * (nodes->diameter + 1);
   const uint8_t *others = nodes->by_distance + packet->node * nuca->processors;
   for (uint32_t n = first ? num_within[first - 1] : 0; n < num_within[last]; n++)
      receive(nuca, others[n], packet);
}

/* The packets of a node that arrive in a cycle. Each packet is sent a cycle after the one before: the one
 * that arrives with so many hops is found by its number. */
static void
receive_from(struct cm_nuca *nuca, uint32_t node, uint32_t cycle)
{
   const struct cm_nuca_nodes *nodes = &nuca->nodes;
   const struct cm_nuca_packet *packets = nodes->packets + nodes->first_packet[node];
   const uint32_t num_packets = nodes->first_packet[node + 1] - nodes->first_packet[node];
   const uint32_t hop_cycles = nuca->config.mesh.hop_cycles;
   if (!hop_cycles) {
      if (cycle < num_packets)
         deliver(nuca, &packets[cycle], 0, nodes->diameter);
      return;
   }
   uint32_t hops = cycle < num_packets ? 1 : (cycle - num_packets) / hop_cycles + 1;
   for (; hops <= nodes->diameter && hops * hop_cycles <= cycle; hops++)
      deliver(nuca, &packets[cycle - hops * hop_cycles], hops, hops);
}

/* Packets arrive until a cycle, that included. */
static void
receive_until(struct cm_nuca *nuca, uint32_t cycle)
{
   struct cm_nuca_nodes *nodes = &nuca->nodes;
   while (nodes->num_cycles && nodes->cycle <= cycle) {
      for (uint32_t node = 0; node < nuca->processors; node++)
         receive_from(nuca, node, nodes->cycle);
      if (++nodes->cycle == nodes->num_cycles)
         nodes->num_cycles = 0;
   }
}

/* A node broadcasts what it owns, and resets its counters. */
static void
send_owned(struct cm_nuca *nuca, uint32_t node)
{
   struct cm_nuca_nodes *nodes = &nuca->nodes;
   struct cm_affinity_table *table = &nodes->tables[node];
   struct cm_nuca_claim *claims = &nodes->claims[node * table->buckets];
   struct cm_nuca_packet *packets = nodes->packets + nodes->first_packet[node];
   uint32_t num_packets = 0;
   for (uint32_t bucket = 0; bucket < table->buckets; bucket++) {
      const uint8_t counter = table->counters[bucket * table->processors + node];
      claims[bucket].node = CM_NO_OWNER;
      if (table->owners[bucket] != node)
         continue;
      claims[bucket] = (struct cm_nuca_claim){.node = (uint8_t)node, .counter = counter};
      packets[num_packets++] =
         (struct cm_nuca_packet){.bucket = (uint16_t)bucket, .node = (uint8_t)node, .counter = counter};
   }
   nodes->first_packet[node + 1] = nodes->first_packet[node] + num_packets;
   cm_affinity_reset(table);
   cm_mesh_broadcast(&nuca->mesh, node, num_packets);
   if (num_packets)
      cm_nuca_report(nuca, node, node, num_packets);
   nuca->counts[CM_NUCA_BROADCASTS] += num_packets;
}

static void
end_epoch(struct cm_nuca *nuca)
{
   struct cm_nuca_nodes *nodes = &nuca->nodes;
   receive_until(nuca, UINT32_MAX);
   nuca->epoch_accesses = 0;
   nuca->counts[CM_NUCA_EPOCHS]++;
   for (uint32_t p = 0; p < nuca->processors; p++)
      send_owned(nuca, p);
   nodes->cycle = 0;
   nodes->num_cycles = nodes->tables->buckets + nodes->diameter * nuca->config.mesh.hop_cycles;
}

/* ---- requests ------------------------------------------------------------ */

static inline __attribute__((always_inline)) uint32_t
serve(struct cm_nuca *nuca, uint32_t processor, uint64_t block, uint32_t repeats)
{
   const bool counts_all = nuca->config.affinity_table.counted == CM_AFFINITY_COUNTED_ALL;
   struct cm_affinity_table *table = &nuca->nodes.tables[processor];
   if (nuca->nodes.num_cycles) {
      receive_until(nuca, nuca->epoch_accesses / nuca->config.mesh.accesses_per_cycle);
      repeats = 1;
   }
   const uint32_t bucket = cm_affinity_bucket(table, block), owner = table->owners[bucket];
   const uint32_t times = cm_nuca_alike(nuca, table, bucket, processor, repeats);
   const bool local = cm_nuca_serves_itself(nuca, processor, owner, block, times);
   /* Those that the own cache has not served; as the owner it has after a miss. */
   const uint32_t asked = local ? 0 : owner == processor ? 1 : times;
   if (asked && owner != processor) {
      cm_mesh_send(&nuca->mesh, CM_MESH_REQUEST, processor, owner, asked);
      cm_mesh_send(&nuca->mesh, CM_MESH_BLOCK, owner, processor, asked);
      cm_nuca_ask_owner(nuca, processor, owner, block, asked);
   }
   if (counts_all || asked)
      nuca->counts[CM_NUCA_OWNERSHIP_CHANGES] +=
         cm_affinity_count(table, bucket, processor, counts_all ? times : asked);
   cm_nuca_count_degree(nuca, block, times);
   nuca->epoch_accesses += times;
   if (nuca->epoch_accesses >= nuca->config.affinity_table.epoch_accesses)
      end_epoch(nuca);
   return times;
}

static void
read_distributed(struct cm_nuca *nuca, const cm_entry *requests, uint32_t count)
{
   cm_nuca_serve_each(nuca, requests, count, serve);
}

const struct cm_nuca_organisation cm_nuca_dtm_distributed = {
   .read = read_distributed,
   .start = start,
   .finish = finish,
};
