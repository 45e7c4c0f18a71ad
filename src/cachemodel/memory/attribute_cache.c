/* SPDX-License-Identifier: MIT */
#include "memory/attribute_cache.h"

#include <assert.h>
#include <stdlib.h>

#include "memory/cache_internal.h"
#include "util/minmax.h"

uint32_t
cm_attribute_buffer_entries(const struct cm_config *config)
{
   const uint32_t bytes = config->primitive_buffer.entry_bytes;
   return config->caches[CM_UNIT_ATTRIBUTE_CACHE].size / (bytes ? bytes : CM_PB_BLOCK_BYTES);
}

struct cm_attribute_cache *
cm_attribute_cache_create(const struct cm_config *config, struct cm_cache *unit)
{
   const struct cm_cache_config *shape = &config->caches[CM_UNIT_ATTRIBUTE_CACHE];
   const uint32_t lines = config->primitive_buffer.lines;
   const uint32_t entries = cm_attribute_buffer_entries(config);
   assert(shape->ways && lines >= shape->ways && entries && config->primitive_buffer.output_queue);
   struct cm_attribute_cache *cache = calloc(1, sizeof *cache);
   if (!cache)
      return NULL;
   cache->unit = unit;
   cache->lru = shape->policy == CM_POLICY_LRU;
   cache->ties = config->primitive_buffer.ties;
   cache->further_victims = config->primitive_buffer.further_victims;
   cache->num_lines = lines;
   cache->sets = lines / shape->ways;
   cache->ways = lines / cache->sets;
   cache->larger_sets = lines % cache->sets;
   cm_set_index_init(&cache->index, cache->sets, shape->index);
   cache->lines = calloc(lines, sizeof *cache->lines);
   cache->victims = malloc(lines * sizeof(struct cm_primitive_line *));
   cache->next_entry = malloc(entries * sizeof *cache->next_entry);
   cache->queue_size = config->primitive_buffer.output_queue;
   cache->queue = malloc(cache->queue_size * sizeof(struct cm_primitive_line *));
   if (!cache->lines || !cache->victims || !cache->next_entry || !cache->queue) {
      cm_attribute_cache_destroy(cache);
      return NULL;
   }
   for (uint32_t entry = 0; entry < entries; entry++)
      cache->next_entry[entry] = entry + 1 < entries ? entry + 1 : CM_NO_ENTRY;
   cache->num_free = entries;
   return cache;
}

void
cm_attribute_cache_destroy(struct cm_attribute_cache *cache)
{
   if (!cache)
      return;
   free(cache->lines);
   free(cache->victims);
   free(cache->next_entry);
   free(cache->queue);
   free(cache);
}

static uint32_t
set_of(const struct cm_attribute_cache *cache, uint32_t primitive)
{
   return (uint32_t)cm_set_of(&cache->index, primitive);
}

/* The lines of a set, and how many. */
static struct cm_primitive_line *
lines_of(const struct cm_attribute_cache *cache, uint32_t set, uint32_t *ways)
{
   assert(set < cache->sets);
   *ways = cache->ways + (set < cache->larger_sets);
   return cache->lines + (size_t)set * cache->ways + cm_min(set, cache->larger_sets);
}

static struct cm_primitive_line *
find(const struct cm_attribute_cache *cache, uint32_t set, uint32_t primitive)
{
   uint32_t ways;
   struct cm_primitive_line *lines = lines_of(cache, set, &ways);
   for (uint32_t way = 0; way < ways; way++) {
      if (lines[way].valid && lines[way].primitive == primitive)
         return &lines[way];
   }
   return NULL;
}

/* ---- towards the next level -------------------------------------------- */

/* The number of a block of PB-Attributes in memory. */
static uint64_t
block_of(const struct cm_attribute_cache *cache, uint32_t attribute)
{
   return (CM_PB_ATTRIBUTES_ADDRESS + cache->buffer) / CM_PB_BLOCK_BYTES + attribute;
}

/* The unit counts accesses attribute by attribute. */
static void
arrive(struct cm_attribute_cache *cache, const struct cm_tiled_primitive *primitive, enum cm_access access)
{
   struct cm_cache *unit = cache->unit;
   unit->accesses[CM_STREAM_PB_ATTRIBUTE][access != CM_READ] += primitive->num_attributes;
   cache->accesses++;
   for (uint32_t a = 0; unit->lookups && a < primitive->num_attributes; a++)
      cm_cache_append_lookup(unit, block_of(cache, primitive->first_block + a), CM_STREAM_PB_ATTRIBUTE,
                             access);
   for (uint32_t a = 0; unit->attribution && a < primitive->num_attributes; a++)
      cm_cache_attribute_access(unit, block_of(cache, primitive->first_block + a) << unit->block_shift,
                                CM_STREAM_PB_ATTRIBUTE, access);
}

static void
write_attributes(struct cm_attribute_cache *cache, uint32_t first_block, uint32_t num_attributes)
{
   for (uint32_t a = 0; a < num_attributes; a++)
      cm_cache_write_next(cache->unit, block_of(cache, first_block + a), CM_STREAM_PB_ATTRIBUTE,
                          CM_WRITE_BLOCK);
}

static void
count(struct cm_attribute_cache *cache, enum cm_cache_event event, uint32_t attributes)
{
   cm_cache_count(cache->unit, CM_STREAM_PB_ATTRIBUTE, event, attributes);
}

/* ---- evictions and fills ----------------------------------------------- */

static void
free_line(struct cm_attribute_cache *cache, struct cm_primitive_line *line)
{
   assert(line->valid && !line->locks && line->num_attributes);
   uint32_t last = line->abp;
   while (cache->next_entry[last] != CM_NO_ENTRY)
      last = cache->next_entry[last];
   cache->next_entry[last] = cache->free_entry;
   cache->free_entry = line->abp;
   cache->num_free += line->num_attributes;
   count(cache, CM_CACHE_EVENT_EVICTIONS, line->num_attributes);
   if (!cache->lru && line->opt_number == CM_PB_NEVER)
      count(cache, CM_CACHE_EVENT_DEAD_EVICTIONS, line->num_attributes);
   cache->counts[CM_PRIMITIVE_BUFFER_EVICTIONS]++;
   line->valid = false;
}

/* A primitive that is never read again is written back as any other: only the L2 checks whether
 * it is dead (III-C5, Figure 10 at tile 3). */
static void
evict(struct cm_attribute_cache *cache, struct cm_primitive_line *line)
{
   if (line->dirty)
      write_attributes(cache, line->first_block, line->num_attributes);
   free_line(cache, line);
}

static void
fill(struct cm_attribute_cache *cache, struct cm_primitive_line *line,
     const struct cm_tiled_primitive *primitive, uint32_t opt_number, bool dirty)
{
   const uint32_t num_attributes = primitive->num_attributes;
   assert(!line->valid && num_attributes && cache->num_free >= num_attributes);
   *line = (struct cm_primitive_line){
      .primitive = primitive->id,
      .first_block = primitive->first_block,
      .opt_number = opt_number,
      .abp = cache->free_entry,
      .num_attributes = num_attributes,
      .valid = true,
      .dirty = dirty,
      .last_use = cache->accesses,
   };
   uint32_t last = cache->free_entry;
   for (uint32_t a = 1; a < num_attributes; a++)
      last = cache->next_entry[last];
   cache->free_entry = cache->next_entry[last];
   cache->next_entry[last] = CM_NO_ENTRY;
   cache->num_free -= num_attributes;
   count(cache, CM_CACHE_EVENT_MISSES, num_attributes);
   cache->counts[CM_PRIMITIVE_BUFFER_MISSES]++;
}

/* The Rasterizer consumes the oldest primitive of the output queue. */
static void
consume(struct cm_attribute_cache *cache)
{
   assert(cache->queue_length && cache->queue[cache->queue_first]->locks);
   cache->queue[cache->queue_first]->locks--;
   cache->queue_first = cache->queue_first + 1 == cache->queue_size ? 0 : cache->queue_first + 1;
   cache->queue_length--;
}

static void
push(struct cm_attribute_cache *cache, struct cm_primitive_line *line)
{
   assert(cache->queue_length < cache->queue_size && line->valid);
   const uint32_t index = cache->queue_first + cache->queue_length++;
   cache->queue[index < cache->queue_size ? index : index - cache->queue_size] = line;
   line->locks++;
}

/* ---- victims ----------------------------------------------------------- */

/* Whether a line is evicted rather than the other. */
static bool
leaves_before(const struct cm_attribute_cache *cache, const struct cm_primitive_line *line,
              const struct cm_primitive_line *other)
{
   if (cache->lru)
      return line->last_use < other->last_use;
   if (line->opt_number != other->opt_number)
      return line->opt_number > other->opt_number;
   switch (cache->ties) {
   case CM_TIES_LEAST_ID: return line->primitive < other->primitive;
   case CM_TIES_LRU: return line->last_use < other->last_use;
   case CM_TIES_MRU: return line->last_use > other->last_use;
   default: return line->primitive > other->primitive;
   }
}

/* The victim among the lines from … to; NULL: all are empty, locked or already chosen. */
static struct cm_primitive_line *
first_to_leave(struct cm_attribute_cache *cache, struct cm_primitive_line *lines, uint32_t num_lines)
{
   struct cm_primitive_line *first = NULL;
   for (uint32_t i = 0; i < num_lines; i++) {
      if (lines[i].valid && !lines[i].locks && !lines[i].chosen &&
          (!first || leaves_before(cache, &lines[i], first)))
         first = &lines[i];
   }
   return first;
}

static struct cm_primitive_line *
further_victim(struct cm_attribute_cache *cache, uint32_t set)
{
   if (cache->further_victims == CM_FURTHER_VICTIMS_ALL_SETS)
      return first_to_leave(cache, cache->lines, cache->num_lines);
   for (uint32_t i = 0; i < cache->sets; i++) {
      uint32_t ways;
      struct cm_primitive_line *lines = lines_of(cache, (set + i) % cache->sets, &ways);
      struct cm_primitive_line *line = first_to_leave(cache, lines, ways);
      if (line)
         return line;
   }
   return NULL;
}

/* An access that needs free lines. */
struct request {
   uint32_t set;
   uint32_t num_attributes;
   /* A read waits for locked lines and takes any; a write takes no line that is read in the same
    * tile as its primitive or before. */
   bool is_read;
   uint32_t first_tile;
};

static bool
choose(struct cm_attribute_cache *cache, const struct request *request, struct cm_primitive_line *line)
{
   if (!line || (!request->is_read && !cache->lru && line->opt_number <= request->first_tile))
      return false;
   assert(!line->chosen && !line->locks && cache->num_victims < cache->num_lines);
   line->chosen = true;
   cache->victims[cache->num_victims++] = line;
   cache->room += line->num_attributes;
   return true;
}

/* Waits for the Rasterizer; false where a request does not, or there is nothing to wait for. */
static bool
wait_for_rasterizer(struct cm_attribute_cache *cache, const struct request *request)
{
   if (!request->is_read || !cache->queue_length)
      return false;
   consume(cache);
   cache->counts[CM_PRIMITIVE_BUFFER_LOCK_WAITS]++;
   return true;
}

/* A line of the set, empty or chosen to be evicted; NULL: there is none. */
static struct cm_primitive_line *
find_line(struct cm_attribute_cache *cache, const struct request *request)
{
   assert(request->set < cache->sets);
   uint32_t ways;
   struct cm_primitive_line *lines = lines_of(cache, request->set, &ways);
   for (uint32_t way = 0; way < ways; way++) {
      if (!lines[way].valid)
         return &lines[way];
   }
   struct cm_primitive_line *line;
   do
      line = first_to_leave(cache, lines, ways);
   while (!line && wait_for_rasterizer(cache, request));
   return choose(cache, request, line) ? line : NULL;
}

/* A line and the entries for a request's primitive, after evicting the victims (III-C3,
 * III-C4); NULL, and nothing evicted, where a write finds none. */
static struct cm_primitive_line *
make_room(struct cm_attribute_cache *cache, const struct request *request)
{
   cache->num_victims = 0;
   cache->room = cache->num_free;
   struct cm_primitive_line *line = find_line(cache, request);
   const uint32_t num_victims = cache->num_victims;
   while (line && cache->room < request->num_attributes) {
      if (!choose(cache, request, further_victim(cache, request->set)) &&
          !wait_for_rasterizer(cache, request))
         line = NULL;
   }
   for (uint32_t v = 0; v < cache->num_victims; v++) {
      cache->victims[v]->chosen = false;
      if (line)
         evict(cache, cache->victims[v]);
   }
   if (line)
      cache->counts[CM_PRIMITIVE_BUFFER_FURTHER_EVICTIONS] += cache->num_victims - num_victims;
   return line;
}

/* ---- accesses ---------------------------------------------------------- */

void
cm_attribute_cache_write(struct cm_attribute_cache *cache, const struct cm_tiled_primitive *primitive,
                         uint32_t first_tile)
{
   const struct request request = {.set = set_of(cache, primitive->id),
                                   .num_attributes = primitive->num_attributes,
                                   .first_tile = first_tile};
   assert(!find(cache, request.set, primitive->id));
   arrive(cache, primitive, CM_WRITE_BLOCK);
   cache->counts[CM_PRIMITIVE_BUFFER_WRITES]++;
   struct cm_primitive_line *line = make_room(cache, &request);
   if (line) {
      fill(cache, line, primitive, first_tile, true);
      return;
   }
   count(cache, CM_CACHE_EVENT_BYPASSES, primitive->num_attributes);
   cache->counts[CM_PRIMITIVE_BUFFER_BYPASSES]++;
   write_attributes(cache, primitive->first_block, primitive->num_attributes);
}

uint32_t
cm_attribute_cache_read(struct cm_attribute_cache *cache, const struct cm_tiled_primitive *primitive,
                        uint32_t opt_number)
{
   assert(primitive->num_attributes);
   const struct request request = {.set = set_of(cache, primitive->id),
                                   .num_attributes = primitive->num_attributes,
                                   .is_read = true};
   arrive(cache, primitive, CM_READ);
   cache->counts[CM_PRIMITIVE_BUFFER_READS]++;
   /* Waits for a free entry of the output queue. */
   if (cache->queue_length == cache->queue_size)
      consume(cache);

   struct cm_primitive_line *line = find(cache, request.set, primitive->id);
   if (line) {
      line->opt_number = opt_number;
      line->last_use = cache->accesses;
      cache->counts[CM_PRIMITIVE_BUFFER_HITS]++;
   } else {
      line = make_room(cache, &request);
      assert(line); /* the largest primitive fits, and all locks end */
      fill(cache, line, primitive, opt_number, false);
      for (uint32_t a = 0; a < primitive->num_attributes; a++)
         cm_cache_fetch(cache->unit, block_of(cache, primitive->first_block + a), CM_STREAM_PB_ATTRIBUTE);
   }
   push(cache, line);
   return line->abp;
}

/* A primitive that is discarded: with attribution, each of its attributes' last writer saves a write-back. */
static void
save_write_backs(struct cm_attribute_cache *cache, const struct cm_primitive_line *line)
{
   struct cm_attribution *attribution = cache->unit->attribution;
   for (uint32_t a = 0; attribution && a < line->num_attributes; a++) {
      const struct cm_attribution_former former =
         cm_attribution_begin_write_back(attribution, cache->unit, block_of(cache, line->first_block + a));
      count(cache, CM_CACHE_EVENT_WRITEBACKS_SAVED, 1);
      cm_attribution_end(attribution, &former);
   }
   if (!attribution)
      count(cache, CM_CACHE_EVENT_WRITEBACKS_SAVED, line->num_attributes);
}

void
cm_attribute_cache_begin_pass(struct cm_attribute_cache *cache, uint64_t buffer)
{
   cache->buffer = buffer;
}

void
cm_attribute_cache_end_pass(struct cm_attribute_cache *cache, bool write_back)
{
   while (cache->queue_length)
      consume(cache);
   for (uint32_t i = 0; i < cache->num_lines; i++) {
      struct cm_primitive_line *line = &cache->lines[i];
      if (!line->valid)
         continue;
      line->opt_number = CM_PB_NEVER;
      if (write_back) {
         evict(cache, line);
         continue;
      }
      if (line->dirty)
         save_write_backs(cache, line);
      free_line(cache, line);
   }
}

/* ---- counters ------------------------------------------------------------ */

static bool
list(const struct cm_config *config, struct cm_counter_table *table)
{
   static const struct cm_counter_text events[] = {CM_PRIMITIVE_BUFFER_EVENTS(CM_COUNTER_TEXT)};
   return !config->primitive_buffer.lines ||
          cm_counter_table_append_texts(table, events, CM_PRIMITIVE_BUFFER_EVENT_COUNT, 0,
                                        "primitive_buffer.", "");
}

static uint64_t
read_counter(const void *cache, const struct cm_counter *counter)
{
   return ((const struct cm_attribute_cache *)cache)->counts[counter->event];
}

const struct cm_counter_source cm_primitive_buffer_counters = {list, read_counter};
