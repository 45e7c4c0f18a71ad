/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "reference_streams.h"
#include "test.h"

enum { Z, TEXTURE, RENDER_TARGET, OTHER };

static int
kind_of(enum cm_stream stream)
{
   if (stream == CM_STREAM_DEPTH)
      return Z;
   if (stream == CM_STREAM_TEXTURE)
      return TEXTURE;
   if (stream == CM_STREAM_COLOR || stream == CM_STREAM_DISPLAY)
      return RENDER_TARGET;
   return OTHER;
}

/* Samples of each policy of a duel; the largest value of its counter; bimodal insertions of which one is long. */
#define LEADER_SETS 32
#define SELECTOR_MAX 1023
#define BIMODAL_PERIOD 32

void
reference_streams_init(struct reference_streams *cache, const struct cm_cache_config *config)
{
   memset(cache, 0, sizeof *cache);
   cache->policy = config->policy;
   cache->ways = config->ways;
   cache->sets = config->size / config->ways / config->block;
   cache->num_banks = config->banks ? config->banks : 1;
   cache->xor_index = config->index == CM_INDEX_XOR;
   cache->uncached = (int)config->uncached - 1;
   cache->t = config->gspc.threshold ? (int)config->gspc.threshold : 8;
   cache->render_target_distant =
      config->gspc.render_target_distant ? (int)config->gspc.render_target_distant : 16;
   cache->render_target_long = config->gspc.render_target_long ? (int)config->gspc.render_target_long : 8;
   cache->samples = config->gspc.samples;
   cache->blocks = calloc((size_t)cache->sets * cache->ways, sizeof *cache->blocks);
   cache->banks = calloc(cache->num_banks, sizeof *cache->banks);
   for (uint32_t bank = 0; bank < cache->num_banks; bank++) {
      for (unsigned region = 0; region < 1 << 14; region++)
         cache->banks[bank].regions[region] = 1;
   }
   cache->leaders = config->rrip.leaders;
   for (unsigned kind = 0; kind < 4; kind++) {
      for (unsigned bank = 0; bank < 16; bank++)
         cache->selectors[kind][bank] = SELECTOR_MAX / 2;
   }
}

void
reference_streams_finish(struct reference_streams *cache)
{
   free(cache->blocks);
   free(cache->banks);
}

uint32_t
reference_streams_set(const struct reference_streams *cache, uint64_t block)
{
   uint64_t set = block % cache->sets;
   if (cache->xor_index)
      set ^= block / cache->sets % cache->sets;
   return (uint32_t)set;
}

static bool
is_gspc(const struct reference_streams *cache)
{
   return cache->policy == CM_POLICY_GSPZTC || cache->policy == CM_POLICY_GSPZTC_TSE ||
          cache->policy == CM_POLICY_GSPC;
}

static bool
is_sample(const struct reference_streams *cache, uint32_t set)
{
   static const uint32_t samples[2][16] = {
      [CM_GSPC_SAMPLES_QUARTER] = {0, 65, 130, 195, 260, 325, 390, 455, 520, 585, 650, 715, 780, 845, 910,
                                   975},
      [CM_GSPC_SAMPLES_SPREAD] = {0, 81, 162, 243, 260, 341, 422, 503, 520, 601, 682, 763, 780, 861, 942,
                                  1023},
   };
   for (unsigned i = 0; i < 16; i++) {
      if (set % 1024 == samples[cache->samples][i])
         return true;
   }
   return false;
}

static void
count(struct reference_bank *bank, int *counter)
{
   if (*counter < 255)
      *counter += 1;
   bank->totals[counter - &bank->fill_z]++;
}

static void
end_sample_access(struct reference_bank *bank)
{
   bank->acc += 1;
   if (bank->acc == 127) {
      bank->fill_z /= 2;
      bank->hit_z /= 2;
      bank->fill_tex[0] /= 2;
      bank->fill_tex[1] /= 2;
      bank->hit_tex[0] /= 2;
      bank->hit_tex[1] /= 2;
      bank->prod /= 2;
      bank->cons /= 2;
      bank->acc = 0;
   }
}

/* ---- insertion ---------------------------------------------------------- */

static int
widest(const struct reference_streams *cache)
{
   const bool four_bits = cache->policy == CM_POLICY_SRRIP4 || cache->policy == CM_POLICY_DRRIP4 ||
                          cache->policy == CM_POLICY_BRRIP4 || cache->policy == CM_POLICY_GS_DRRIP4;
   return four_bits ? 15 : 3;
}

enum sample { OF_STATIC, OF_BIMODAL, OF_NONE };

/* By groups of neighbours, of at least so many sets: the set whose number in its group is the group's own, and its
 * complement. A group's number has as many bits as a set's number in its group: zeros above it, or its own again. */
static enum sample
sample_by_groups(uint32_t set, uint32_t sets, uint32_t leaders, unsigned contender, uint32_t smallest_group,
                 bool repeated)
{
   uint32_t group_sets = sets / leaders;
   if (group_sets < smallest_group)
      group_sets = smallest_group;
   if (group_sets > sets)
      group_sets = sets;
   const uint32_t groups = sets / group_sets, number = set % group_sets;
   uint32_t own = 0;
   for (uint32_t bit = 1, n = 0; bit < group_sets; bit *= 2, n++) {
      uint32_t bits = 0; /* of a group's number */
      while (1u << bits < groups)
         bits++;
      if (bits && (repeated || n < bits) && set / group_sets >> n % bits & 1)
         own |= bit;
   }
   own ^= contender % group_sets;
   return number == own ? OF_STATIC : number == group_sets - 1 - own ? OF_BIMODAL : OF_NONE;
}

/* In the order of a hash, modulo the sets: *, ^, *, ^, *. */
static enum sample
sample_by_hash(uint32_t set, uint32_t sets, uint32_t leaders, unsigned contender, uint32_t smallest_group)
{
   uint32_t bits = 0;
   while (1u << bits < sets)
      bits++;
   uint32_t hash = set * 0x9e3779b1u % sets;
   hash ^= hash >> (bits / 2 + 1);
   hash = hash * 0x85ebca6bu % sets;
   hash ^= hash >> (bits / 2 + 1);
   hash = hash * 0xc2b2ae35u % sets;
   uint32_t each = sets / smallest_group < leaders ? sets / smallest_group : leaders;
   if (each == 0)
      each = 1;
   return hash / each == 2 * contender ? OF_STATIC : hash / each == 2 * contender + 1 ? OF_BIMODAL : OF_NONE;
}

/* Whether a block comes in bimodally, by the duel of a contender in groups of at least so many sets. */
static bool
duel(struct reference_streams *cache, uint32_t set, unsigned contender, uint32_t smallest_group)
{
   const bool by_bank = cache->leaders == CM_LEADERS_BANK;
   const uint32_t banks = by_bank ? cache->num_banks : 1;
   const uint32_t leaders = LEADER_SETS / banks;
   int *selector = &cache->selectors[contender][set % banks];
   const enum sample sample = cache->leaders == CM_LEADERS_HASH
                                 ? sample_by_hash(set, cache->sets, leaders, contender, smallest_group)
                                 : sample_by_groups(set / banks, cache->sets / banks, leaders, contender,
                                                    smallest_group, cache->leaders != CM_LEADERS_GROUPS);
   if (sample == OF_STATIC) {
      if (*selector < SELECTOR_MAX)
         *selector += 1;
      return false;
   }
   if (sample == OF_BIMODAL) {
      if (*selector > 0)
         *selector -= 1;
      return true;
   }
   return 2 * *selector > SELECTOR_MAX;
}

static int
insert_dueling(struct reference_streams *cache, bool bimodal)
{
   if (!bimodal)
      return widest(cache) - 1;
   cache->bimodal += 1;
   return cache->bimodal % BIMODAL_PERIOD == 0 ? widest(cache) - 1 : widest(cache);
}

/* Tables 3 to 5: the fills. */
static int
insert_gspc(struct reference_streams *cache, uint32_t set, int kind, struct reference_block *block)
{
   struct reference_bank *bank = &cache->banks[set % cache->num_banks];
   const bool has_consumption = cache->policy == CM_POLICY_GSPC;
   block->state = kind == RENDER_TARGET ? 3 : 0;
   if (is_sample(cache, set) && cache->foreseen)
      return 2;
   if (is_sample(cache, set)) {
      if (kind == Z)
         count(bank, &bank->fill_z);
      if (kind == TEXTURE)
         count(bank, &bank->fill_tex[0]);
      if (kind == RENDER_TARGET && has_consumption)
         count(bank, &bank->prod);
      end_sample_access(bank);
      return 2;
   }
   int rrpv = 2;
   if (kind == Z) {
      rrpv = bank->fill_z > cache->t * bank->hit_z ? 3 : 2;
   } else if (kind == TEXTURE) {
      rrpv = bank->fill_tex[0] > cache->t * bank->hit_tex[0] ? 3 : 0;
   } else if (kind == RENDER_TARGET) {
      rrpv = 0;
      if (has_consumption && bank->prod > cache->render_target_distant * bank->cons)
         rrpv = 3;
      else if (has_consumption && bank->prod > cache->render_target_long * bank->cons)
         rrpv = 2;
   }
   cache->fills[kind][rrpv] += 1;
   return rrpv;
}

static int *
region_of(struct reference_streams *cache, uint32_t set, uint64_t block)
{
   return &cache->banks[set % cache->num_banks].regions[block * 64 / 16384 % 16384];
}

static int
insert(struct reference_streams *cache, uint32_t set, uint64_t number, int kind,
       struct reference_block *block)
{
   int rrpv = widest(cache) - 1;
   switch (cache->policy) {
   case CM_POLICY_SRRIP:
   case CM_POLICY_SRRIP4: return rrpv;
   case CM_POLICY_BRRIP:
   case CM_POLICY_BRRIP4: return insert_dueling(cache, true);
   case CM_POLICY_SHIP_MEM: return *region_of(cache, set, number) == 0 ? 3 : 2;
   case CM_POLICY_DRRIP:
   case CM_POLICY_DRRIP4: return insert_dueling(cache, duel(cache, set, 0, 4));
   case CM_POLICY_GS_DRRIP:
   case CM_POLICY_GS_DRRIP4:
      rrpv = insert_dueling(cache, duel(cache, set, (unsigned)kind, 8));
      cache->fills[kind][rrpv] += 1;
      return rrpv;
   default: assert_true(is_gspc(cache)); return insert_gspc(cache, set, kind, block);
   }
}

/* ---- hits --------------------------------------------------------------- */

/* Tables 3 to 5: the hits of texture accesses. Sets the state; returns the RRPV of sets that are no samples. */
static int
hit_texture(struct reference_streams *cache, struct reference_bank *bank, bool sample,
            struct reference_block *block)
{
   const int state = block->state;
   int rrpv = 0;
   if (cache->policy == CM_POLICY_GSPZTC) {
      if (sample)
         count(bank, state == 3 ? &bank->fill_tex[0] : &bank->hit_tex[0]);
      block->state = 0;
   } else if (state == 3) {
      if (sample)
         count(bank, &bank->fill_tex[0]);
      if (sample && cache->policy == CM_POLICY_GSPC)
         count(bank, &bank->cons);
      rrpv = bank->fill_tex[0] > cache->t * bank->hit_tex[0] ? 3 : 0;
      block->state = 0;
   } else if (state == 0) {
      if (sample) {
         count(bank, &bank->hit_tex[0]);
         count(bank, &bank->fill_tex[1]);
      }
      rrpv = bank->fill_tex[1] > cache->t * bank->hit_tex[1] ? 3 : 0;
      block->state = 1;
   } else {
      if (sample && state == 1)
         count(bank, &bank->hit_tex[1]);
      block->state = 2;
   }
   cache->texture_hits[state][rrpv] += !sample;
   return rrpv;
}

static void
hit(struct reference_streams *cache, uint32_t set, int kind, struct reference_block *block)
{
   block->rrpv = 0;
   if (cache->policy == CM_POLICY_SHIP_MEM) {
      int *region = region_of(cache, set, block->number);
      if (*region < 7)
         *region += 1;
      block->reused = true;
   }
   if (!is_gspc(cache))
      return;
   struct reference_bank *bank = &cache->banks[set % cache->num_banks];
   const bool sample = is_sample(cache, set) && !cache->foreseen, is_one = is_sample(cache, set);
   if (kind == RENDER_TARGET)
      block->state = 3;
   if (kind == Z && sample)
      count(bank, &bank->hit_z);
   if (kind == TEXTURE)
      block->rrpv = hit_texture(cache, bank, sample, block);
   if (is_one)
      block->rrpv = 0;
   if (sample)
      end_sample_access(bank);
}

/* ---- accesses ----------------------------------------------------------- */

static struct reference_block *
choose_victim(struct reference_streams *cache, struct reference_block *set)
{
   for (uint32_t way = 0; way < cache->ways; way++) {
      if (!set[way].valid)
         return &set[way];
   }
   for (;;) {
      for (uint32_t way = 0; way < cache->ways; way++) {
         if (set[way].rrpv == widest(cache))
            return &set[way];
      }
      for (uint32_t way = 0; way < cache->ways; way++)
         set[way].rrpv += 1;
   }
}

static void
write_back(struct reference_streams *cache, const struct reference_block *block)
{
   if (!block->dirty)
      return;
   cache->counts[block->stream][CM_CACHE_EVENT_WRITEBACKS]++;
   cache->memory_writes[block->stream]++;
}

static void
invalidate(struct reference_streams *cache, struct reference_block *block)
{
   cache->counts[block->stream][CM_CACHE_EVENT_INVALIDATIONS]++;
   write_back(cache, block);
   block->valid = false;
}

static void
pass_by(struct reference_streams *cache, uint64_t number, enum cm_stream stream, bool write)
{
   struct reference_block *set = cache->blocks + (size_t)reference_streams_set(cache, number) * cache->ways;
   for (uint32_t way = 0; way < cache->ways; way++) {
      if (set[way].valid && set[way].number == number)
         invalidate(cache, &set[way]);
   }
   cache->counts[stream][CM_CACHE_EVENT_BYPASSES]++;
   cache->counts[stream][write ? CM_CACHE_EVENT_WRITEBACKS : CM_CACHE_EVENT_FILLS]++;
   if (write)
      cache->memory_writes[stream]++;
   else
      cache->memory_reads[stream]++;
}

static void
miss(struct reference_streams *cache, uint32_t set, uint64_t number, enum cm_stream stream, bool write)
{
   struct reference_block *block = choose_victim(cache, cache->blocks + (size_t)set * cache->ways);
   cache->counts[stream][CM_CACHE_EVENT_MISSES]++;
   if (block->valid) {
      cache->counts[block->stream][CM_CACHE_EVENT_EVICTIONS]++;
      write_back(cache, block);
      int *region = region_of(cache, set, block->number);
      if (cache->policy == CM_POLICY_SHIP_MEM && !block->reused && *region > 0)
         *region -= 1;
   }
   if (!write) {
      cache->counts[stream][CM_CACHE_EVENT_FILLS]++;
      cache->memory_reads[stream]++;
   }
   *block = (struct reference_block){.valid = true, .dirty = write, .number = number, .stream = stream};
   block->rrpv = insert(cache, set, number, kind_of(stream), block);
}

bool
reference_streams_access(struct reference_streams *cache, uint64_t number, enum cm_stream stream, bool write)
{
   const uint32_t set = reference_streams_set(cache, number);
   cache->counts[stream][write ? CM_CACHE_EVENT_WRITES : CM_CACHE_EVENT_READS]++;
   if ((int)stream == cache->uncached) {
      pass_by(cache, number, stream, write);
      return false;
   }
   for (uint32_t way = 0; way < cache->ways; way++) {
      struct reference_block *block = &cache->blocks[(size_t)set * cache->ways + way];
      if (!block->valid || block->number != number)
         continue;
      cache->counts[stream][CM_CACHE_EVENT_HITS]++;
      hit(cache, set, kind_of(stream), block);
      if (write) {
         block->dirty = true;
         block->stream = stream;
      }
      return true;
   }
   miss(cache, set, number, stream, write);
   return false;
}

void
reference_streams_invalidate(struct reference_streams *cache, uint64_t first, uint64_t last)
{
   for (size_t i = 0; i < (size_t)cache->sets * cache->ways; i++) {
      struct reference_block *block = &cache->blocks[i];
      if (block->valid && block->number >= first && block->number <= last)
         invalidate(cache, block);
   }
}
