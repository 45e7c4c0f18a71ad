/* SPDX-License-Identifier: MIT */
/* What the organisations of texture/nuca.h take in addition to the texture caches: the mesh, and the Affinity Tables or the
 * directory; the bus to the L2, with or without them. */
#include <stdio.h>

#include "energy/energy_internal.h"

#define PORT_BITS 128
#define DIRECTORY_PORT_BITS 32
/* A message without a block, or what one has before it: an address and the requester, or a bucket, its counter and
 * its owner. */
#define SHORT_MESSAGE_BITS 64
#define BLOCK_BITS (CM_ENERGY_LINE_BYTES * 8)

static bool
add_hops(struct cm_energy_builder *builder, const char *what, const char *counter, uint32_t bits)
{
   char key[240], note[280];
   cm_energy_note_key(builder, "mesh_bit", key, sizeof key);
   snprintf(note, sizeof note, "%s; %u bits a message", key, bits);
   return cm_energy_add_events(builder, CM_ENERGY_MESH, what, counter, bits,
                               (uint64_t)builder->config->energy.mesh_bit * CM_ZEPTOJOULES_PER_FEMTOJOULE,
                               note);
}

static bool
add_mesh(struct cm_energy_builder *builder)
{
   const struct cm_nuca_config *nuca = &builder->config->nuca;
   const bool moves_blocks =
      nuca->organisation == CM_NUCA_DYNAMIC && nuca->migration == CM_NUCA_MIGRATION_LAST_REQUESTER;
   return add_hops(builder, "bits of requests and answers, a hop each", "nuca.hops", SHORT_MESSAGE_BITS) &&
          add_hops(builder, "bits of blocks in answers, a hop each", "nuca.block_hops", BLOCK_BITS) &&
          add_hops(builder, "bits of notices, a hop each", "nuca.notice_hops",
                   SHORT_MESSAGE_BITS + (moves_blocks ? BLOCK_BITS : 0)) &&
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
   /* Requests that the own cache serves are in the table only if it counts all. */
   const char *requests =
      table->counted == CM_AFFINITY_COUNTED_ALL ? "nuca.requests" : "nuca.requests -nuca.local_hits";
   const uint64_t bytes = ((uint64_t)table->buckets * entry_bits + 7) / 8;
   const int unit = CM_ENERGY_AFFINITY_TABLE;
   struct cm_array_lookup array;
   return cm_energy_find_ram(builder, "nuca.affinity_table", bytes, PORT_BITS, &array) &&
          cm_energy_add_events(builder, unit, "reads of an entry", requests, parts, array.energy.read,
                               array.note) &&
          cm_energy_add_events(builder, unit, "writes of an entry", requests, parts, array.energy.write,
                               array.note) &&
          (!distributed ||
           cm_energy_add_events(builder, unit, "entries written for broadcasts", "nuca.broadcast_hops", parts,
                                array.energy.write, array.note)) &&
          cm_energy_add_leakage(builder, unit, distributed ? processors : 1, "table", array.energy.leakage,
                                array.note);
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
   const uint64_t array_bytes = (bytes / CM_ENERGY_LINE_BYTES * entry_bits + 7) / 8;
   const int unit = CM_ENERGY_AFFINITY_TABLE;
   struct cm_array_lookup array;
   return cm_energy_find_ram(builder, "the directory", array_bytes, DIRECTORY_PORT_BITS, &array) &&
          cm_energy_add_events(builder, unit, "reads of the directory", "nuca.requests", 1, array.energy.read,
                               array.note) &&
          cm_energy_add_events(builder, unit, "writes of the directory", "nuca.l2_accesses nuca.migrations",
                               1, array.energy.write, array.note) &&
          cm_energy_add_leakage(builder, unit, 1, "directory", array.energy.leakage, array.note);
}

/* The bus carries each block that a texture cache reads. */
static bool
add_texture_bus(struct cm_energy_builder *builder)
{
   const struct cm_config *config = builder->config;
   const uint64_t byte_energy = config->energy.texture_bus_byte;
   if (!byte_energy || !cm_config_has_texture_bus(config))
      return true;
   char note[240];
   cm_energy_note_key(builder, "texture_bus_byte", note, sizeof note);
   return cm_energy_add_events(builder, CM_ENERGY_TEXTURE_BUS, "bytes of blocks from the L2",
                               "texture_cache.texture.fills", CM_ENERGY_LINE_BYTES,
                               byte_energy * CM_ZEPTOJOULES_PER_FEMTOJOULE, note);
}

bool
cm_energy_add_nuca(struct cm_energy_builder *builder)
{
   if (!add_texture_bus(builder))
      return false;
   switch (builder->config->nuca.organisation) {
   case CM_NUCA_NONE:
   case CM_NUCA_PRIVATE: return true;
   case CM_NUCA_STATIC: return add_mesh(builder);
   case CM_NUCA_DYNAMIC: return add_mesh(builder) && add_directory(builder);
   default: return add_mesh(builder) && add_affinity_tables(builder);
   }
}
