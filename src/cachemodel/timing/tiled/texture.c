/* SPDX-License-Identifier: MIT */
#include "timing/tiled/texture.h"

#include <assert.h>

#include "timing/log.h"
#include "util/minmax.h"

/* Sets a unit's clock; CM_UNKNOWN: it has no work. */
static inline __attribute__((always_inline)) void
set_clock(struct cm_texture_timing *texture, uint32_t unit, uint64_t clock)
{
   uint64_t *const keys = texture->keys;
   uint64_t least = clock == CM_UNKNOWN ? CM_UNKNOWN : clock << CM_TEXTURE_UNIT_BITS | unit;
   for (uint32_t node = texture->num_leaves + unit; node > 1; node /= 2) {
      keys[node] = least;
      least = cm_min64(least, keys[node ^ 1]);
   }
   texture->least = least;
}

void
cm_texture_timing_init(struct cm_texture_timing *texture, struct cm_tiled_memory *memory, uint32_t num_units,
                       uint32_t size, struct cm_pool *pool)
{
   *texture = (struct cm_texture_timing){
      .memory = memory,
      .num_units = num_units,
      .num_leaves = 1,
      .size = size,
      .least = CM_UNKNOWN,
   };
   assert(num_units <= CM_TEXTURE_MAX_UNITS);
   const uint32_t instances = memory->config->caches[CM_UNIT_TEXTURE_CACHE].instances;
   texture->latency = memory->config->caches[CM_UNIT_TEXTURE_CACHE].latency;
   texture->units = cm_pool_take(pool, num_units, sizeof *texture->units);
   for (uint32_t u = 0; texture->units && memory->texture && memory->texture_port && u < num_units; u++) {
      const uint32_t instance = instances ? u % instances : 0;
      texture->units[u] = (struct cm_texture_unit){
         .quads = cm_pool_take(pool, size, sizeof *texture->units[u].quads),
         .mshrs = &memory->texture[instance],
         .port = &memory->texture_port[instance],
      };
   }
   while (texture->num_leaves < num_units)
      texture->num_leaves *= 2;
   memset(texture->keys, 0xff, sizeof texture->keys);
}

/* ---- load/store units ---------------------------------------------------- */

/* Looks up the blocks of an instruction, one after another. What is loaded may still be outstanding. Returns when all are
 * looked up. */
static uint64_t
look_up_storage(struct cm_tiled_memory *memory, uint32_t processor, const cm_entry **token, uint64_t cycle,
                struct cm_dependency *wait)
{
   struct cm_mshrs *mshrs = &memory->load_store[processor];
   const cm_entry group = *(*token)++;
   wait->resource = cm_group_resource(group);
   const uint32_t count = cm_group_count(group);
   const uint64_t taken = cm_memory_take_blocks(&memory->base, memory->config, processor, count, cycle);
   const uint64_t found = taken + memory->config->caches[CM_UNIT_LOAD_STORE_CACHE].latency;
   if (cm_group_operation(group) != CM_STORAGE_STORE)
      cm_dependency_until(wait, found);
   for (uint32_t i = 0; i < count; i++, (*token)++) {
      if (cm_group_operation(group) == CM_STORAGE_LOAD && cm_mshrs_may_have(mshrs, cm_entry_address(**token)))
         cm_mshrs_add_pending(&memory->base, mshrs, cm_entry_address(**token), taken, wait);
   }
   return found;
}

/* A read that misses. Nobody waits for what a part of a block is written to. */
static void
miss_storage(struct cm_tiled_memory *memory, struct cm_texture_quad *quad)
{
   struct cm_dependency nobody = {0};
   cm_tiled_memory_miss(memory, &quad->miss, quad->misses_end, quad->cycle, quad->mshrs, NULL, 0, 0,
                        quad->is_store ? &nobody : quad->wait);
}

/* A write: the unit waits until the next level takes it. */
static void
write_storage(struct cm_tiled_memory *memory, uint32_t processor, struct cm_texture_quad *quad)
{
   const uint64_t begin = cm_tiled_memory_write(memory, &quad->miss, quad->misses_end, quad->cycle);
   const uint64_t waited = begin - quad->cycle;
   memory->base.load_store_port[processor] += waited;
   memory->base.stores.writes += waited;
}

/* ---- a NUCA -------------------------------------------------------------- */

/* A copy of a block is on its way to the requester, in one of its MSHRs: hits on it wait. If none is free, they do not. */
static void
await_copy(struct cm_tiled_memory *memory, uint32_t processor, const struct cm_texture_quad *quad,
           uint64_t block)
{
   struct cm_mshrs *own = &memory->texture[processor];
   struct cm_mshr *copy = cm_mshrs_take_free(&memory->base, own, quad->cycle);
   if (!copy)
      return;
   struct cm_arrival arrival = {.time = quad->cycle + quad->back, .ticket = CM_NO_TICKET};
   for (uint16_t at = cm_mshrs_find(quad->mshrs, block); at != CM_NO_MSHR;
        at = cm_mshrs_find_next(quad->mshrs, at)) {
      const struct cm_arrival *fill = &quad->mshrs->entries[at].fill;
      arrival.time = cm_later(arrival.time, fill->time + quad->back);
      if (fill->ticket == CM_NO_TICKET)
         continue;
      arrival.ticket = fill->ticket;
      arrival.after = fill->after + quad->back;
   }
   cm_mshrs_set_block(own, copy, block);
   copy->fill = arrival;
}

/* A processor's request for a block from the cache that serves it: request, access, reply (texture/nuca.h).
 * has_missed: the block is not in that cache. */
static void
request(struct cm_tiled_memory *memory, uint32_t processor, struct cm_texture_quad *quad, cm_entry token,
        bool has_missed)
{
   struct cm_mesh_timing *mesh = &memory->mesh;
   const uint32_t server = cm_entry_instance(token);
   const uint64_t begin = cm_mesh_timing_take_port(mesh, processor, quad->at);
   uint64_t at = begin + mesh->look_up_cycles;
   quad->back = 0;
   if (mesh->has_table && (server != processor || has_missed)) {
      at = cm_mesh_timing_ask_table(mesh, processor, at);
      at = cm_mesh_timing_send(mesh, mesh->table_router, server, at + 1);
   } else if (mesh->is_notified && server == processor) {
      cm_mesh_timing_ask_table(mesh, processor, at);
   } else if (server != processor) {
      /* In s-nuca the address says that the block is not in the processor's own cache. */
      at = cm_mesh_timing_send(mesh, processor, server, mesh->knows_home ? begin + 1 : at);
   }
   if (server != processor) {
      at = cm_mesh_timing_take_port(mesh, server, at) + mesh->look_up_cycles;
      quad->back = (uint32_t)(cm_mesh_timing_send(mesh, server, processor, at) - at);
   }
   quad->copies = server != processor && mesh->copies[has_missed];
   quad->mshrs = &memory->texture[server];
   quad->at = begin + 1;
   quad->cycle = at;
   quad->from_l2 = 0;
   if (has_missed && mesh->l2_is_in_mesh) {
      quad->cycle = cm_mesh_timing_send(mesh, server, mesh->l2_router, at);
      const uint64_t found = quad->cycle + memory->l2_latency;
      quad->from_l2 = (uint32_t)(cm_mesh_timing_send(mesh, mesh->l2_router, server, found) - found);
   }
   cm_dependency_until(quad->wait, at + quad->back);
   if (!has_missed && cm_mshrs_may_have(quad->mshrs, cm_entry_address(token)))
      cm_mshrs_add_pending(&memory->base, quad->mshrs, cm_entry_address(token), at, quad->wait);
   if (quad->copies && !has_missed)
      await_copy(memory, processor, quad, cm_entry_address(token));
}

/* ---- units --------------------------------------------------------------- */

/* The accesses that a lookup causes end at the next lookup. */
static const cm_entry *
find_end(const cm_entry *token, const cm_entry *end)
{
   while (token < end && cm_entry_kind(*token) < CM_ENTRY_GROUP)
      token++;
   return token;
}

static inline __attribute__((always_inline)) void
look_up_next(struct cm_texture_timing *texture, uint32_t processor, struct cm_texture_quad *quad)
{
   struct cm_tiled_memory *memory = texture->memory;
   const cm_entry first = *quad->next;
   quad->is_storage = cm_is_storage_group(first);
   if (quad->is_storage) {
      quad->is_store = cm_group_operation(first) == CM_STORAGE_STORE;
      quad->miss = quad->next;
      quad->mshrs = &memory->load_store[processor];
      quad->cycle = look_up_storage(memory, processor, &quad->miss, quad->at, quad->wait);
      quad->misses_end = find_end(quad->miss, quad->end);
      quad->at += quad->piece;
   } else if (cm_entry_kind(first) == CM_ENTRY_REQUEST) {
      quad->miss = quad->next + 1;
      quad->misses_end = find_end(quad->miss, quad->end);
      request(memory, processor, quad, first, quad->miss < quad->misses_end);
   } else if (cm_entry_kind(first) == CM_ENTRY_MESSAGE) {
      quad->miss = quad->misses_end = quad->next + 1;
      cm_mesh_timing_send_messages(&memory->mesh, first, quad->at);
   } else if (memory->mesh.shape) {
      quad->wait->resource = cm_group_resource(first);
      quad->miss = quad->misses_end = quad->next + 1;
      quad->at += quad->piece;
   } else {
      const struct cm_texture_unit *unit = &texture->units[processor];
      quad->miss = quad->next;
      quad->mshrs = unit->mshrs;
      quad->back = 0;
      quad->cycle = cm_texture_look_up(texture, unit, &quad->miss, quad->at, quad->wait);
      quad->misses_end = find_end(quad->miss, quad->end);
      quad->at += quad->piece;
   }
   quad->next = quad->misses_end;
}

/* A place of a unit's ring; less than twice its size. */
static inline uint32_t
wrap(const struct cm_texture_timing *texture, uint32_t place)
{
   return place < texture->size ? place : place - texture->size;
}

void
cm_texture_timing_put(struct cm_texture_timing *texture, uint32_t processor, const cm_entry *token,
                      const cm_entry *end, uint64_t cycle, uint32_t piece, struct cm_dependency *wait,
                      bool *pending)
{
   struct cm_texture_unit *unit = &texture->units[processor];
   while (!unit->count && !texture->memory->mesh.shape && token < end && cm_group_hits(token, end)) {
      if (cm_is_storage_group(*token))
         look_up_storage(texture->memory, processor, &token, cycle, wait);
      else
         cm_texture_look_up(texture, unit, &token, cycle, wait);
      cycle += piece;
   }
   *pending = token < end;
   if (token == end)
      return;
   /* The ring's beginning, which the processor's cache has, is used again and again. */
   if (!unit->count)
      unit->first = 0;
   assert(unit->count < texture->size);
   struct cm_texture_quad *quad = &unit->quads[wrap(texture, unit->first + unit->count)];
   *quad = (struct cm_texture_quad){
      .wait = wait, .pending = pending, .next = token, .end = end, .at = cycle, .piece = piece};
   if (unit->count++ == 0) {
      texture->busy++;
      set_clock(texture, processor, cycle);
   }
}

bool
cm_texture_timing_ready(struct cm_texture_timing *texture, uint64_t *clock)
{
   *clock = texture->least >> CM_TEXTURE_UNIT_BITS;
   return texture->busy;
}

/* A block of a compressed image is missed. What it is made of may all be in the cache of headers. */
static __attribute__((noinline)) void
fill(struct cm_tiled_memory *memory, struct cm_texture_quad *quad)
{
   quad->fill = cm_entry_address(*quad->miss++);
   cm_dependency_until(quad->wait,
                       quad->cycle + memory->config->framebuffer_compression.decompression_cycles);
}

static inline __attribute__((always_inline)) void
miss(struct cm_tiled_memory *memory, uint32_t processor, struct cm_texture_quad *quad)
{
   const uint64_t block = cm_entry_address(*quad->miss);
   cm_tiled_memory_miss(memory, &quad->miss, quad->misses_end, quad->cycle, quad->mshrs, &memory->texture_bus,
                        quad->from_l2, quad->back, quad->wait);
   if (quad->copies)
      await_copy(memory, processor, quad, block);
}

/* A read of what a compressed block is made of: the block is there when all of it is, and has been decompressed. */
static __attribute__((noinline)) void
miss_compressed(struct cm_tiled_memory *memory, struct cm_texture_quad *quad)
{
   cm_tiled_memory_miss_of(memory, &quad->miss, quad->misses_end, quad->cycle, quad->mshrs, quad->fill,
                           &memory->texture_bus, memory->config->framebuffer_compression.decompression_cycles,
                           quad->back, quad->wait);
}

/* Continues a quad. Returns the cycle of its next step; UINT64_MAX: it is done. */
static inline __attribute__((always_inline)) uint64_t
go_on(struct cm_texture_timing *texture, uint32_t processor, struct cm_texture_quad *quad)
{
   struct cm_tiled_memory *memory = texture->memory;
   while (quad->miss < quad->misses_end) {
      if (!cm_is_read(*quad->miss)) {
         if (cm_entry_kind(*quad->miss) == CM_ENTRY_FILL)
            fill(memory, quad);
         else if (quad->is_storage)
            write_storage(memory, processor, quad);
         else
            cm_tiled_memory_write(memory, &quad->miss, quad->misses_end, quad->cycle);
         continue;
      }
      if (!cm_mshrs_has_free(&memory->base, quad->mshrs, &quad->cycle))
         return quad->cycle;
      if (quad->is_storage)
         miss_storage(memory, quad);
      else if (cm_entry_address(*quad->miss) >= CM_HEADERS_ADDRESS)
         miss_compressed(memory, quad);
      else
         miss(memory, processor, quad);
   }
   if (quad->next == quad->end)
      return UINT64_MAX;
   look_up_next(texture, processor, quad);
   return quad->miss < quad->misses_end ? quad->cycle : quad->at;
}

static inline __attribute__((always_inline)) void
step(struct cm_texture_timing *texture)
{
   const uint32_t processor = texture->least & ((1u << CM_TEXTURE_UNIT_BITS) - 1);
   struct cm_texture_unit *unit = &texture->units[processor];
   struct cm_texture_quad *quad = &unit->quads[unit->first];
   assert(unit->count);
   uint64_t next = go_on(texture, processor, quad);
   if (next == CM_UNKNOWN) {
      const uint64_t now = quad->at - quad->piece;
      *quad->pending = false;
      unit->first = unit->first + 1 == texture->size ? 0 : unit->first + 1;
      if (--unit->count == 0)
         texture->busy--;
      else
         next = cm_later(unit->quads[unit->first].at, now);
   }
   set_clock(texture, processor, next);
}

void
cm_texture_timing_run(struct cm_texture_timing *texture, uint32_t most, uint64_t until)
{
   /* No unit has work: all keys are CM_UNKNOWN. */
   const uint64_t end =
      until < CM_UNKNOWN >> CM_TEXTURE_UNIT_BITS ? (until + 1) << CM_TEXTURE_UNIT_BITS : CM_UNKNOWN;
   do
      step(texture);
   while (--most && texture->least < end);
}
