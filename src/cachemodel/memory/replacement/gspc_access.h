/* SPDX-License-Identifier: MIT */
/**
 * The policies of gspc.h. Before it includes this file, a policy's file defines
 *
 *    GSPC_EPOCHS        whether texture blocks have epochs (Table 4)
 *    GSPC_CONSUMPTION   whether the insertion of render targets follows their consumption (Table 5)
 *
 * It then defines its policy with GSPC_REPLACEMENT(name).
 */
#include "memory/replacement/graphics_streams.h"
#include "memory/replacement/gspc.h"
#include "memory/replacement/rrip.h"

/** What the samples of a bank count. */
struct gspc_sample {
   struct gspc_bank *bank;
   uint64_t *totals; /**< by the number of the bank's counter */
};

static inline __attribute__((always_inline)) void
gspc_count(struct gspc_sample sample, uint8_t *counter)
{
   *counter = (uint8_t)(*counter + (*counter < GSPC_COUNTER_MAX));
   sample.totals[counter - (const uint8_t *)sample.bank]++;
}

/** An access to a sample has been counted. */
static inline void
gspc_end_access(struct gspc_bank *bank)
{
   if (++bank->accesses < GSPC_ACCESSES_MAX)
      return;
   bank->z_fills /= 2;
   bank->z_hits /= 2;
   for (unsigned epoch = 0; epoch < 2; epoch++) {
      bank->texture_fill[epoch] /= 2;
      bank->texture_hit[epoch] /= 2;
   }
   bank->produced /= 2;
   bank->consumed /= 2;
   bank->accesses = 0;
}

/** Whether events of a kind follow on less than one in 2^threshold others. */
static inline __attribute__((always_inline)) bool
gspc_is_unlikely(unsigned others, unsigned events, unsigned threshold)
{
   return others > events << threshold;
}

/** The prediction of a texture block of epoch 0 or 1. */
static inline __attribute__((always_inline)) uint8_t
gspc_texture_prediction(const struct gspc_bank *bank, const struct gspc_thresholds *thresholds,
                        unsigned epoch)
{
   return gspc_is_unlikely(bank->texture_fill[epoch], bank->texture_hit[epoch], thresholds->reuse)
             ? GSPC_DISTANT
             : GSPC_NEAR;
}

/** The prediction of a render target's block at insertion. */
static inline __attribute__((always_inline)) uint8_t
gspc_render_target_prediction(const struct gspc_bank *bank, const struct gspc_thresholds *thresholds)
{
   if (!GSPC_CONSUMPTION)
      return GSPC_NEAR;
   if (gspc_is_unlikely(bank->produced, bank->consumed, thresholds->render_target_distant))
      return GSPC_DISTANT;
   return gspc_is_unlikely(bank->produced, bank->consumed, thresholds->render_target_long) ? GSPC_LONG
                                                                                           : GSPC_NEAR;
}

/* ---- sample sets -------------------------------------------------------- */

static void
gspc_sample_fill(struct gspc_sample sample, enum graphics_stream stream)
{
   struct gspc_bank *bank = sample.bank;
   switch (stream) {
   case GRAPHICS_STREAM_Z: gspc_count(sample, &bank->z_fills); break;
   case GRAPHICS_STREAM_TEXTURE: gspc_count(sample, &bank->texture_fill[0]); break;
   case GRAPHICS_STREAM_RENDER_TARGET:
      if (GSPC_CONSUMPTION)
         gspc_count(sample, &bank->produced);
      break;
   default: break;
   }
   gspc_end_access(bank);
}

/** A hit on a block in a state, which has not yet changed. */
static void
gspc_sample_hit(struct gspc_sample sample, enum graphics_stream stream, enum gspc_state state)
{
   struct gspc_bank *bank = sample.bank;
   if (stream == GRAPHICS_STREAM_Z) {
      gspc_count(sample, &bank->z_hits);
   } else if (stream == GRAPHICS_STREAM_TEXTURE && state == GSPC_RENDER_TARGET) {
      gspc_count(sample, &bank->texture_fill[0]);
      if (GSPC_CONSUMPTION)
         gspc_count(sample, &bank->consumed);
   } else if (stream == GRAPHICS_STREAM_TEXTURE && state == GSPC_EPOCH_0) {
      gspc_count(sample, &bank->texture_hit[0]);
      if (GSPC_EPOCHS)
         gspc_count(sample, &bank->texture_fill[1]);
   } else if (stream == GRAPHICS_STREAM_TEXTURE && state == GSPC_EPOCH_1) {
      gspc_count(sample, &bank->texture_hit[1]);
   }
   gspc_end_access(bank);
}

/* ---- other sets --------------------------------------------------------- */

static inline __attribute__((always_inline)) uint8_t
gspc_fill_prediction(const struct gspc_bank *bank, const struct gspc_thresholds *thresholds,
                     enum graphics_stream stream)
{
   switch (stream) {
   case GRAPHICS_STREAM_Z:
      return gspc_is_unlikely(bank->z_fills, bank->z_hits, thresholds->reuse) ? GSPC_DISTANT : GSPC_LONG;
   case GRAPHICS_STREAM_TEXTURE: return gspc_texture_prediction(bank, thresholds, 0);
   case GRAPHICS_STREAM_RENDER_TARGET: return gspc_render_target_prediction(bank, thresholds);
   default: return GSPC_LONG;
   }
}

/** After a hit of a texture access on a block in a state, which has not yet changed. */
static inline __attribute__((always_inline)) uint8_t
gspc_texture_hit_prediction(const struct gspc_bank *bank, const struct gspc_thresholds *thresholds,
                            enum gspc_state state)
{
   if (GSPC_EPOCHS && state == GSPC_RENDER_TARGET)
      return gspc_texture_prediction(bank, thresholds, 0);
   if (GSPC_EPOCHS && state == GSPC_EPOCH_0)
      return gspc_texture_prediction(bank, thresholds, 1);
   return GSPC_NEAR;
}

static inline enum gspc_state
gspc_state_after_texture_hit(enum gspc_state state)
{
   if (!GSPC_EPOCHS || state == GSPC_RENDER_TARGET)
      return GSPC_EPOCH_0;
   return state == GSPC_EPOCH_0 ? GSPC_EPOCH_1 : GSPC_EPOCH_2;
}

/* ---- actions ------------------------------------------------------------ */

static __attribute__((noinline)) void
gspc_decide(struct gspc_actions *actions, const struct gspc_bank *bank,
            const struct gspc_thresholds *thresholds)
{
   memcpy(actions->counters, bank, GSPC_DECISIVE_BYTES);
   for (enum graphics_stream stream = 0; stream < GRAPHICS_STREAM_COUNT; stream++) {
      actions->fill[stream] = (struct gspc_action){
         .prediction = gspc_fill_prediction(bank, thresholds, stream),
         .state = stream == GRAPHICS_STREAM_RENDER_TARGET ? GSPC_RENDER_TARGET : GSPC_EPOCH_0,
      };
      for (enum gspc_state state = GSPC_EPOCH_0; state <= GSPC_RENDER_TARGET; state++) {
         struct gspc_action *hit = &actions->hit[stream][state];
         *hit = (struct gspc_action){GSPC_NEAR, (uint8_t)state};
         if (stream == GRAPHICS_STREAM_TEXTURE)
            *hit = (struct gspc_action){gspc_texture_hit_prediction(bank, thresholds, state),
                                        (uint8_t)gspc_state_after_texture_hit(state)};
         else if (stream == GRAPHICS_STREAM_RENDER_TARGET)
            hit->state = GSPC_RENDER_TARGET;
      }
   }
}

static inline __attribute__((always_inline)) struct gspc_bank *
gspc_bank_of(const struct cm_cache *cache, uint64_t set)
{
   return (struct gspc_bank *)cache->bank_state + (set & cache->bank_mask);
}

static inline __attribute__((always_inline)) const struct gspc_actions *
gspc_actions_of(const struct cm_cache *cache, uint64_t set)
{
   struct gspc_shared *shared = cache->shared;
   struct gspc_actions *actions = &shared->banks[set & cache->bank_mask];
   const struct gspc_bank *bank = gspc_bank_of(cache, set);
   if (__builtin_expect(memcmp(actions->counters, bank, GSPC_DECISIVE_BYTES) != 0, 0))
      gspc_decide(actions, bank, &shared->thresholds);
   return actions;
}

/** What the samples of a set's bank count, unless the cache is an oracle. */
static inline bool
gspc_learns(struct cm_cache *cache, uint64_t set, struct gspc_sample *sample)
{
   struct gspc_shared *shared = cache->shared;
   *sample = (struct gspc_sample){gspc_bank_of(cache, set), shared->totals[set & cache->bank_mask].counts};
   return !shared->foreseen;
}

static inline __attribute__((always_inline)) bool
gspc_is_sample_of(const struct cm_cache *cache, uint64_t set)
{
   const struct gspc_shared *shared = cache->shared;
   return gspc_is_sample(set, shared->spread);
}

/* ---- the policy --------------------------------------------------------- */

static inline __attribute__((always_inline)) uint8_t *
gspc_of_set(const struct cm_cache *cache, uint64_t set, unsigned ways)
{
   return rrip_of_set(cache, set, ways);
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way,
              enum cm_stream access_stream)
{
   uint8_t *state = gspc_of_set(cache, set, ways);
   const enum graphics_stream stream = graphics_stream(access_stream);
   const enum gspc_state before = (enum gspc_state)rrip_more_of(state, ways, way);
   const struct gspc_action action = gspc_actions_of(cache, set)->hit[stream][before];

   rrip_set_way(state, ways, way, action.prediction, action.state);
   if (gspc_is_sample_of(cache, set)) {
      rrip_set_way(state, ways, way, GSPC_NEAR, action.state);
      struct gspc_sample sample;
      if (gspc_learns(cache, set, &sample))
         gspc_sample_hit(sample, stream, before);
   }
   return lines + way;
}

static inline __attribute__((always_inline)) unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   return rrip_victim(gspc_of_set(cache, set, ways), ways, GSPC_DISTANT);
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   uint8_t *state = gspc_of_set(cache, set, ways);
   const enum graphics_stream stream = graphics_stream(cm_line_stream(lines[way]));
   const struct gspc_action action = gspc_actions_of(cache, set)->fill[stream];

   rrip_set_way(state, ways, way, action.prediction, action.state);
   rrip_set_tag(state, ways, way, lines[way] >> 8);
   if (gspc_is_sample_of(cache, set)) {
      rrip_set_way(state, ways, way, GSPC_LONG, action.state);
      struct gspc_sample sample;
      if (gspc_learns(cache, set, &sample))
         gspc_sample_fill(sample, stream);
   }
   return lines + way;
}

/* Each hit may count, or change the state. */
#define cm_policy_find rrip_find
#define CM_POLICY_FOLDS_FILL false
#define CM_POLICY_FOLDS_HIT false
#include "memory/cache_access.h"

static void
gspc_start(struct cm_cache *cache, const struct cm_cache_config *config)
{
   const struct cm_gspc_config gspc = cm_cache_config_gspc(config);
   struct gspc_shared *shared = cache->shared;
   shared->thresholds = (struct gspc_thresholds){
      .reuse = (uint8_t)__builtin_ctz(gspc.threshold),
      .render_target_distant = (uint8_t)__builtin_ctz(gspc.render_target_distant),
      .render_target_long = (uint8_t)__builtin_ctz(gspc.render_target_long),
   };
   shared->spread = gspc.samples == CM_GSPC_SAMPLES_SPREAD;
   for (uint32_t bank = 0; bank <= cache->bank_mask; bank++)
      gspc_decide(&shared->banks[bank], gspc_bank_of(cache, bank), &shared->thresholds);
   rrip_start_empty(cache, config);
}

#define GSPC_REPLACEMENT(name)                    \
   const struct cm_replacement name = {           \
      CM_POLICY_FUNCTIONS,                        \
      RRIP_MEMBERS,                               \
      .shared_bytes = sizeof(struct gspc_shared), \
      .bank_bytes = sizeof(struct gspc_bank),     \
      .distant = GSPC_DISTANT,                    \
      .start = gspc_start,                        \
   }
