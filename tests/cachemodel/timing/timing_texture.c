/* SPDX-License-Identifier: MIT */
/* The texture caches' way to the L2 in time, against naive references in which every resource is a list of the cycles
 * that are taken. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/nuca_harness.h"
#include "support/pass_builder.h"
#include "support/test.h"
#include "timing/tiled/texture.h"

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

/* The texture units by themselves. */
struct units {
   struct cm_config *config;
   struct cm_pool pool;
   struct cm_tiled_memory memory;
   struct cm_texture_timing texture;
};

static struct units *
units_new(const char *const *settings)
{
   struct units *units = calloc(1, sizeof *units);
   units->config = test_config(settings);
   assert_true(cm_tiled_memory_init(&units->memory, units->config, NULL, &units->pool));
   cm_texture_timing_init(&units->texture, &units->memory, units->config->fragment_stage.processors, 4,
                          &units->pool);
   assert_false(units->pool.out_of_memory);
   return units;
}

static void
units_free(struct units *units)
{
   cm_memory_finish(&units->memory.base);
   cm_pool_finish(&units->pool);
   cm_config_destroy(units->config);
   free(units);
}

/* What happens to a block that a processor reads. */
enum outcome { HIT, HIT_IN_L2, MISS };

/* A quad reads one block from a cycle on, and all units go on until nothing is left to do. When it has the block. */
static uint64_t
read_block(struct units *units, uint32_t processor, uint64_t address, enum outcome outcome, uint64_t cycle)
{
   const cm_entry tokens[] = {
      cm_entry_make(CM_ENTRY_GROUP, 0, 0, CM_STREAM_TEXTURE, 1),
      cm_entry_make(CM_ENTRY_LOOKUP, CM_UNIT_TEXTURE_CACHE, 0, CM_STREAM_TEXTURE,
                    address >> CM_ENTRY_ADDRESS_SHIFT),
      cm_entry_make(CM_ENTRY_READ, CM_UNIT_L2, 0, CM_STREAM_TEXTURE, address >> CM_ENTRY_ADDRESS_SHIFT),
      cm_entry_dram(false, CM_STREAM_TEXTURE, address, 64),
   };
   struct cm_dependency wait;
   bool pending;
   uint64_t clock;
   cm_dependency_begin(&wait, 0);
   cm_texture_timing_quad(&units->texture, processor, tokens, tokens + 2 + outcome, cycle, 1, &wait,
                          &pending);
   while (cm_texture_timing_ready(&units->texture, &clock))
      cm_texture_timing_run(&units->texture, 1, 0);
   assert_false(pending);
   return cm_dependency_resolve(&units->memory.base, &wait);
}

/* ---- the bus --------------------------------------------------------------- */

enum { CYCLES = 40000, BANKS = 8, READS = 3000 };

/* The first of so many cycles, at a multiple of their number, that are not taken; takes them. */
static uint64_t
first_free(bool *taken, uint64_t from, uint64_t cycles)
{
   uint64_t begin = (from + cycles - 1) / cycles * cycles;
   for (; taken[begin]; begin += cycles)
      ;
   assert_true(begin + cycles < CYCLES);
   memset(taken + begin, true, cycles);
   return begin;
}

/* Blocks that the L2 has, read by all processors at about the same time: the ports of the caches, the banks of the L2,
 * then the bus, each block after block. */
static void
check_bus(const char *width, uint64_t cycles, const char *delay, uint64_t latency)
{
   struct units *units = units_new(SETTINGS("pipeline.texture_mshrs=256", width, delay));
   static bool bank_taken[BANKS][CYCLES], bus_taken[CYCLES];
   const uint64_t own = units->config->caches[CM_UNIT_TEXTURE_CACHE].latency,
                  l2 = units->config->caches[CM_UNIT_L2].latency;
   uint64_t random = cycles * 100 + latency, port[64] = {0}, waits = 0, now = 0;
   memset(bank_taken, 0, sizeof bank_taken);
   memset(bus_taken, 0, sizeof bus_taken);
   for (uint64_t r = 0; r < READS; r++) {
      const uint32_t processor = random_below(&random, units->config->fragment_stage.processors);
      const uint64_t block = random_below(&random, 1 << 20) * 2 + 2;
      now += random_below(&random, 2 * (uint32_t)cycles + 1);
      port[processor] = (port[processor] > now ? port[processor] : now) + 1;
      uint64_t at = first_free(bank_taken[block % BANKS], port[processor] + own, 1) + l2;
      if (cycles) {
         const uint64_t begin = first_free(bus_taken, at, cycles);
         waits += begin - at;
         at = begin + cycles;
      }
      assert_int_equal(read_block(units, processor, block * 64, HIT_IN_L2, now), at + latency);
   }
   assert_int_equal(units->memory.texture_bus.waits, waits);
   assert_true(!cycles || waits > 1000);
   units_free(units);
}

TEST(bus)
{
   check_bus("texture_bus.bytes_per_cycle=0", 0, "texture_bus.latency=0", 0);
   check_bus("texture_bus.bytes_per_cycle=0", 0, "texture_bus.latency=9", 9);
   check_bus("texture_bus.bytes_per_cycle=64", 1, "texture_bus.latency=0", 0);
   check_bus("texture_bus.bytes_per_cycle=256", 1, "texture_bus.latency=2", 2);
   check_bus("texture_bus.bytes_per_cycle=32", 2, "texture_bus.latency=0", 0);
   check_bus("texture_bus.bytes_per_cycle=8", 8, "texture_bus.latency=3", 3);
}

/* A block from memory comes over the bus, too, and so does one that hits while it is in flight. */
TEST(bus_from_memory)
{
   struct units *without = units_new(SETTINGS()),
                *with = units_new(SETTINGS("texture_bus.bytes_per_cycle=16", "texture_bus.latency=5"));
   for (uint64_t n = 0; n < 50; n++) {
      const uint64_t address = 4096 + n * 8192, cycle = 1000 * n;
      const uint64_t miss = read_block(without, 0, address, MISS, cycle),
                     late = read_block(with, 0, address, MISS, cycle);
      /* Turns begin at multiples of four cycles. */
      assert_in_range(late - miss, 4 + 5, 3 + 4 + 5);
      assert_int_equal(read_block(without, 0, address, HIT, cycle + 3), miss);
      assert_int_equal(read_block(with, 0, address, HIT, cycle + 3), late);
      assert_true(read_block(with, 0, address, HIT, late) < late + 5);
   }
   units_free(without);
   units_free(with);
}

/* ---- the mesh -------------------------------------------------------------- */

enum { ROUTERS = 64, DIRECTIONS = 4, MESH_REQUESTS = 1500 };

/* A NUCA's texture units, and the naive model: which cycles of what are taken. */
struct mesh_model {
   struct nuca_harness harness;
   struct cm_pool pool;
   struct cm_tiled_memory memory;
   struct cm_texture_timing texture;
   const struct cm_config *config;
   int columns, rows, table; /* table: -1: it has a node of its own */
   uint64_t waits, begin;    /**< of the last request: when its port took it */
   bool link_taken[ROUTERS][DIRECTIONS][CYCLES], table_in[CYCLES], table_out[CYCLES];
   bool port_taken[ROUTERS][CYCLES], bank_taken[BANKS][CYCLES];
   uint8_t table_taken[CYCLES];
};

static struct mesh_model *
mesh_model_new(const char *const *settings)
{
   struct mesh_model *model = calloc(1, sizeof *model);
   nuca_harness_init(&model->harness, nuca_config(settings));
   model->config = model->harness.config;
   assert_true(cm_tiled_memory_init(&model->memory, model->config, model->harness.nuca, &model->pool));
   cm_texture_timing_init(&model->texture, &model->memory, model->config->fragment_stage.processors, 4,
                          &model->pool);
   assert_false(model->pool.out_of_memory);
   model->columns = (int)model->config->nuca.mesh.columns;
   model->rows = (int)model->config->fragment_stage.processors / model->columns;
   model->table = model->config->nuca.mesh.table_node == CM_TABLE_NODE_OWN
                     ? -1
                     : model->rows / 2 * model->columns + model->columns / 2;
   return model;
}

static void
mesh_model_free(struct mesh_model *model)
{
   cm_memory_finish(&model->memory.base);
   cm_pool_finish(&model->pool);
   nuca_harness_finish(&model->harness);
   free(model);
}

static uint64_t
cross(struct mesh_model *model, bool *taken, uint64_t at)
{
   const uint64_t turn = first_free(taken, at, 1);
   model->waits += turn - at;
   return turn + model->config->nuca.mesh.hop_cycles;
}

/* A router's neighbour on the way to another: along the row, then along the column; and the direction. */
static int
next_router(const struct mesh_model *model, int from, int to, int *direction)
{
   const int columns = model->columns, dx = to % columns - from % columns;
   *direction = dx > 0 ? 0 : dx < 0 ? 1 : to > from ? 2 : 3;
   return from + (dx > 0 ? 1 : dx < 0 ? -1 : to > from ? columns : -columns);
}

/* A message; -1 is the table with a node of its own, beyond the router in the middle. */
static uint64_t
message(struct mesh_model *model, int from, int to, uint64_t at)
{
   const int center = model->rows / 2 * model->columns + model->columns / 2;
   if (from == to)
      return at;
   if (from == -1)
      return message(model, center, to, cross(model, model->table_out, at));
   if (to == -1)
      return cross(model, model->table_in, message(model, from, center, at));
   while (from != to) {
      int direction;
      const int next = next_router(model, from, to, &direction);
      at = cross(model, model->link_taken[from][direction], at);
      from = next;
   }
   return at;
}

/* A packet to all routers: each link of the tree of routes once, after those before it. */
static void
packet_to_all(struct mesh_model *model, int from, uint64_t at)
{
   static uint64_t known[ROUTERS];
   bool crossed[ROUTERS][DIRECTIONS] = {{false}};
   known[from] = at;
   for (int to = 0; to < model->columns * model->rows; to++) {
      for (int router = from; router != to;) {
         int direction;
         const int next = next_router(model, router, to, &direction);
         if (!crossed[router][direction])
            known[next] = cross(model, model->link_taken[router][direction], known[router]);
         crossed[router][direction] = true;
         router = next;
      }
   }
}

static uint64_t
at_table(struct mesh_model *model, uint64_t at)
{
   const uint32_t ports = model->config->nuca.mesh.table_ports ? model->config->nuca.mesh.table_ports : 1;
   const uint64_t since = at;
   while (model->table_taken[at] == ports)
      at++;
   model->table_taken[at]++;
   model->waits += at - since;
   return at;
}

/* When a processor has a block that it asks for at a cycle. */
static uint64_t
naive_request(struct mesh_model *model, int processor, int server, uint64_t block, bool in_l2, uint64_t cycle)
{
   const struct cm_config *config = model->config;
   const enum cm_nuca_kind kind = config->nuca.organisation;
   const uint64_t own = config->caches[CM_UNIT_TEXTURE_CACHE].latency,
                  l2 = config->caches[CM_UNIT_L2].latency;
   const uint64_t begin = model->begin = first_free(model->port_taken[processor], cycle, 1);
   const bool has_table = kind == CM_NUCA_DTM || kind == CM_NUCA_DYNAMIC;
   uint64_t at = begin + 1 + own, back = 0;
   if (has_table && (server != processor || in_l2)) {
      at = at_table(model, message(model, processor, model->table, at)) + 1;
      at = message(model, model->table, server, at);
   } else if (kind == CM_NUCA_DTM) {
      at_table(model, message(model, processor, model->table, at)); /* a notice */
   } else if (server != processor) {
      at = message(model, processor, server, kind == CM_NUCA_STATIC ? begin + 1 : at);
   }
   if (server != processor) {
      at = first_free(model->port_taken[server], at, 1) + 1 + own;
      back = message(model, server, processor, at) - at;
   }
   if (!in_l2)
      return at + back;
   uint64_t in_mesh = 0;
   if (config->nuca.mesh.l2 == CM_MESH_NODE_CORNER) {
      at = message(model, server, 0, at);
      in_mesh = message(model, 0, server, at + l2) - at - l2;
   }
   return first_free(model->bank_taken[block % BANKS], at, 1) + l2 + in_mesh + back;
}

/* The same in the timing model; messages: what the request brings about. */
static uint64_t
request(struct mesh_model *model, int processor, int server, uint64_t block, bool in_l2, cm_entry messages,
        uint64_t cycle)
{
   const uint64_t value = block * 64 >> CM_ENTRY_ADDRESS_SHIFT;
   cm_entry tokens[3] = {
      cm_entry_make(CM_ENTRY_REQUEST, CM_UNIT_TEXTURE_CACHE, (unsigned)server, CM_STREAM_TEXTURE, value)};
   unsigned count = 1;
   if (in_l2)
      tokens[count++] = cm_entry_make(CM_ENTRY_READ, CM_UNIT_L2, 0, CM_STREAM_TEXTURE, value);
   if (messages)
      tokens[count++] = messages;
   struct cm_dependency wait;
   bool pending;
   uint64_t clock;
   cm_dependency_begin(&wait, 0);
   cm_texture_timing_quad(&model->texture, (uint32_t)processor, tokens, tokens + count, cycle, 1, &wait,
                          &pending);
   while (cm_texture_timing_ready(&model->texture, &clock))
      cm_texture_timing_run(&model->texture, 1, 0);
   return cm_dependency_resolve(&model->memory.base, &wait);
}

static void
check_mesh(const char *const *settings)
{
   struct mesh_model *model = mesh_model_new(settings);
   const uint32_t processors = model->config->fragment_stage.processors;
   uint64_t random = processors, now = 0;
   for (uint64_t r = 0; r < MESH_REQUESTS; r++) {
      const int processor = (int)random_below(&random, processors);
      const int server = random_below(&random, 2) ? processor : (int)random_below(&random, processors);
      const bool in_l2 = random_below(&random, 2);
      cm_entry messages = 0;
      now += random_below(&random, 6) == 0;
      const int from = (int)random_below(&random, processors),
                to = random_below(&random, 2) ? from : (int)random_below(&random, processors);
      const uint64_t count = 1 + random_below(&random, 3);
      if (random_below(&random, 40) == 0)
         messages = cm_entry_make(CM_ENTRY_MESSAGE, CM_UNIT_TEXTURE_CACHE, (unsigned)from, CM_STREAM_TEXTURE,
                                  count << 8 | (unsigned)to);
      const uint64_t expected = naive_request(model, processor, server, 2 * r + 2, in_l2, now);
      assert_int_equal(request(model, processor, server, 2 * r + 2, in_l2, messages, now), expected);
      /* They go when the processor's port has taken the request. */
      for (uint64_t n = 0; messages && n < count; n++) {
         if (from == to)
            packet_to_all(model, from, model->begin + 1 + n);
         else
            message(model, from, to, model->begin + 1 + n);
      }
      if (server == processor || !cm_nuca_copies(&model->config->nuca, in_l2))
         continue;
      /* A hit on the copy waits until it is there. */
      const uint64_t found = naive_request(model, processor, processor, 2 * r + 2, false, now);
      assert_int_equal(request(model, processor, processor, 2 * r + 2, false, 0, now),
                       found > expected ? found : expected);
   }
   assert_int_equal(model->memory.mesh.waits, model->waits);
   assert_true(model->waits > 500);
   mesh_model_free(model);
}

TEST(mesh)
{
   static const char *const organisations[] = {"nuca.organisation=s-nuca", "nuca.organisation=d-nuca",
                                               "nuca.organisation=dtm-nuca",
                                               "nuca.organisation=dtm-nuca-distributed"};
   static const char *const tables[][2] = {{"nuca.mesh.table_node=own", "nuca.mesh.table_ports=1"},
                                           {"nuca.mesh.table_node=shared", "nuca.mesh.table_ports=1"},
                                           {"nuca.mesh.table_node=shared", "nuca.mesh.table_ports=3"},
                                           {"nuca.mesh.table_node=shared", "nuca.mesh.table_ports=4"}};
   static const char *const l2s[] = {"nuca.mesh.l2=bus", "nuca.mesh.l2=corner"};
   static const char *const copies[] = {"nuca.remote_copies=none", "nuca.remote_copies=hits",
                                        "nuca.remote_copies=misses", "nuca.remote_copies=all"};
   /* Lines of one byte and of two; messages that are in all links of a line at once. */
   static const char *const shapes[][2] = {{"nuca.mesh.columns=8", "nuca.mesh.hop_cycles=2"},
                                           {"nuca.mesh.columns=16", "nuca.mesh.hop_cycles=1"},
                                           {"nuca.mesh.columns=16", "nuca.mesh.hop_cycles=0"}};
   for (unsigned o = 0; o < 4; o++) {
      for (unsigned v = 0; v < 8; v++)
         check_mesh(SETTINGS(organisations[o], tables[v >> 1][0], tables[v >> 1][1], l2s[v & 1],
                             copies[v >> 1], shapes[(o + v) % 3][0], shapes[(o + v) % 3][1],
                             "pipeline.texture_mshrs=256", "texture_bus.bytes_per_cycle=0"));
   }
}

/* A link forgets as a calendar does, each by itself: messages along a row in any order, some of them so late that others are
 * before the windows of their links; now and then nothing happens for long. */
TEST(mesh_windows)
{
   static struct cm_calendar calendars[15];
   for (unsigned hop = 0; hop < 3; hop++) {
      char hops[64];
      snprintf(hops, sizeof hops, "nuca.mesh.hop_cycles=%u", hop);
      struct mesh_model *model = mesh_model_new(SETTINGS("nuca.mesh.columns=16", hops));
      uint64_t random = 5 + hop, now = 0, waits = 0;
      memset(calendars, 0, sizeof calendars);
      for (unsigned n = 0; n < 20000; n++) {
         const uint32_t from = random_below(&random, 15), to = from + 1 + random_below(&random, 15 - from);
         now += random_below(&random, n % 5000 ? 3 : 40000);
         const uint64_t late = random_below(&random, 4) ? 100 : 9000,
                        sent = now + random_below(&random, (uint32_t)late);
         uint64_t at = sent;
         for (uint32_t link = from; link < to; link++)
            at = cm_calendar_take(&calendars[link], at) + hop;
         waits += at - sent - (to - from) * hop;
         assert_int_equal(cm_mesh_timing_send(&model->memory.mesh, from, to, sent), at);
      }
      assert_int_equal(model->memory.mesh.waits, waits);
      mesh_model_free(model);
   }
}
