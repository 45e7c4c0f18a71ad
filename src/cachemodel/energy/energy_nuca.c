/* SPDX-License-Identifier: MIT */
/* What the organisations of texture/nuca.h take beside the texture caches: the mesh, and the Affinity Tables or the
 * directory. */
#include <stdio.h>

#include "energy/energy_internal.h"

#define PORT_BITS 128
#define DIRECTORY_PORT_BITS 32
/* A message without a block: an address and the requester, or a bucket, its counter and its owner. */
#define SHORT_MESSAGE_BITS 64
/* A request goes without a block and its answer with one; hops are those of both, which have the same way. */
#define MEAN_MESSAGE_BITS ((SHORT_MESSAGE_BITS + SHORT_MESSAGE_BITS + CM_ENERGY_LINE_BYTES * 8) / 2)

static bool
add_hops(struct cm_energy_builder *builder, const char *what, const char *counter, uint32_t bits)
{
   struct cm_energy_term *term = cm_energy_add(builder, CM_ENERGY_MESH, "%s", what);
   if (!term)
      return false;
   cm_energy_count(builder, term, "%s", counter);
   term->times = bits;
   term->energy = (uint64_t)builder->config->energy.mesh_bit * CM_ZEPTOJOULES_PER_FEMTOJOULE;
   char note[240];
   cm_energy_note_key(builder, "mesh_bit", note, sizeof note);
   snprintf(term->note, sizeof term->note, "%s; %u bits a message", note, bits);
   return true;
}

static bool
add_mesh(struct cm_energy_builder *builder)
{
   const struct cm_nuca_config *nuca = &builder->config->nuca;
   const bool moves_blocks =
      nuca->organisation == CM_NUCA_DYNAMIC && nuca->migration == CM_NUCA_MIGRATION_LAST_REQUESTER;
   return add_hops(builder, "bits of requests and answers, a hop each", "nuca.hops", MEAN_MESSAGE_BITS) &&
          add_hops(builder, "bits of notices, a hop each", "nuca.notice_hops",
                   SHORT_MESSAGE_BITS + (moves_blocks ? CM_ENERGY_LINE_BYTES * 8 : 0)) &&
          add_hops(builder, "bits of broadcasts, a hop each", "nuca.broadcast_hops", SHORT_MESSAGE_BITS);
}

/* Binary logarithm, rounded up: bits of a number below n. */
static uint32_t
bits_below(uint32_t n)
{
   uint32_t bits = 0;
   while (bits < 32 && 1ull << bits < n)
      bits++;
   return bits;
}

/* An access of the table. The counters are added to by the caller. */
static struct cm_energy_term *
add_access(struct cm_energy_builder *builder, const char *what, uint32_t times, uint64_t energy,
           const struct cm_array_lookup *array)
{
   struct cm_energy_term *term = cm_energy_add(builder, CM_ENERGY_AFFINITY_TABLE, "%s", what);
   if (!term)
      return NULL;
   term->times = times;
   term->energy = energy;
   snprintf(term->note, sizeof term->note, "%s", array->note);
   return term;
}

/* Requests that ask the table: all, or those that the own cache does not serve. */
static bool
add_requests(struct cm_energy_builder *builder, const char *what, bool all, uint32_t times, uint64_t energy,
             const struct cm_array_lookup *array)
{
   struct cm_energy_term *term = add_access(builder, what, times, energy, array);
   if (!term)
      return false;
   cm_energy_count(builder, term, "nuca.requests");
   if (!all)
      cm_energy_count_less(builder, term, "nuca.local_hits");
   return true;
}

/* III-A, Figure 4: an entry is a saturating counter for each processor and the owner. An access reads it and writes
 * it with its counter. */
static bool
add_affinity_tables(struct cm_energy_builder *builder)
{
   const struct cm_config *config = builder->config;
   const struct cm_affinity_config *table = &config->nuca.affinity_table;
   const uint32_t processors = config->fragment_stage.processors;
   const bool distributed = config->nuca.organisation == CM_NUCA_DTM_DISTRIBUTED;
   const uint32_t entry_bits = table->counter_bits * processors + bits_below(processors);
   const uint32_t parts = (entry_bits + PORT_BITS - 1) / PORT_BITS;
   const bool all = table->counted == CM_AFFINITY_COUNTED_ALL;
   const struct cm_array_shape shape = {.kind = CM_ARRAY_RAM,
                                        .size = ((uint64_t)table->buckets * entry_bits + 7) / 8,
                                        .ways = 1,
                                        .bus_bits = PORT_BITS};
   struct cm_array_lookup array;
   if (!cm_energy_find(builder, "nuca.affinity_table", &shape, &array) ||
       !add_requests(builder, "reads of an entry", all, parts, array.energy.read, &array) ||
       !add_requests(builder, "writes of an entry", all, parts, array.energy.write, &array))
      return false;
   if (distributed) {
      struct cm_energy_term *term =
         add_access(builder, "entries written for broadcasts", parts, array.energy.write, &array);
      if (!term)
         return false;
      cm_energy_count(builder, term, "nuca.broadcast_hops");
   }
   return cm_energy_add_leakage(builder, CM_ENERGY_AFFINITY_TABLE, distributed ? processors : 1, "table",
                                array.energy.leakage, array.note);
}

/* VI: an entry for each block of the L2 (of the texture caches, where they have no L2) with the caches that have it. */
static bool
add_directory(struct cm_energy_builder *builder)
{
   const struct cm_config *config = builder->config;
   const struct cm_cache_config *l2 = &config->caches[CM_UNIT_L2],
                                *own = &config->caches[CM_UNIT_TEXTURE_CACHE];
   const uint32_t entry_bits = bits_below(config->fragment_stage.processors) + 1;
   const uint64_t bytes = l2->size ? l2->size : (uint64_t)own->size * own->instances;
   const struct cm_array_shape shape = {.kind = CM_ARRAY_RAM,
                                        .size = (bytes / CM_ENERGY_LINE_BYTES * entry_bits + 7) / 8,
                                        .ways = 1,
                                        .bus_bits = DIRECTORY_PORT_BITS};
   struct cm_array_lookup array;
   if (!cm_energy_find(builder, "the directory", &shape, &array) ||
       !add_requests(builder, "reads of the directory", true, 1, array.energy.read, &array))
      return false;
   struct cm_energy_term *term =
      add_access(builder, "writes of the directory", 1, array.energy.write, &array);
   if (!term)
      return false;
   cm_energy_count(builder, term, "nuca.l2_accesses");
   cm_energy_count(builder, term, "nuca.migrations");
   return cm_energy_add_leakage(builder, CM_ENERGY_AFFINITY_TABLE, 1, "directory", array.energy.leakage,
                                array.note);
}

bool
cm_energy_add_nuca(struct cm_energy_builder *builder)
{
   switch (builder->config->nuca.organisation) {
   case CM_NUCA_NONE:
   case CM_NUCA_PRIVATE: return true;
   case CM_NUCA_STATIC: return add_mesh(builder);
   case CM_NUCA_DYNAMIC: return add_mesh(builder) && add_directory(builder);
   default: return add_mesh(builder) && add_affinity_tables(builder);
   }
}
