/* SPDX-License-Identifier: MIT */
/**
 * The policies of gspc.h. Before it includes this file, a policy's file defines
 *
 *    GSPC_EPOCHS        whether texture blocks have epochs (Table 4)
 *    GSPC_CONSUMPTION   whether render targets come in as their consumption says (Table 5)
 *
 * What it gets is GSPC_REPLACEMENT(name).
 */
#include "memory/replacement/graphics_streams.h"
#include "memory/replacement/gspc.h"
#include "memory/replacement/rrip.h"

static inline __attribute__((always_inline)) void
gspc_count(uint8_t *counter)
{
   *counter = (uint8_t)(*counter + (*counter < GSPC_COUNTER_MAX));
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

/** What a texture block of epoch 0 or 1 is predicted as. */
static inline __attribute__((always_inline)) uint8_t
gspc_texture_prediction(const struct gspc_bank *bank, const struct gspc_thresholds *thresholds,
                        unsigned epoch)
{
   return gspc_is_unlikely(bank->texture_fill[epoch], bank->texture_hit[epoch], thresholds->reuse)
             ? GSPC_DISTANT
             : GSPC_NEAR;
}

/** What a render target's block is predicted as when it comes in. */
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
gspc_sample_fill(struct gspc_bank *bank, enum graphics_stream stream)
{
   switch (stream) {
   case GRAPHICS_STREAM_Z: gspc_count(&bank->z_fills); break;
   case GRAPHICS_STREAM_TEXTURE: gspc_count(&bank->texture_fill[0]); break;
   case GRAPHICS_STREAM_RENDER_TARGET:
      if (GSPC_CONSUMPTION)
         gspc_count(&bank->produced);
      break;
   default: break;
   }
   gspc_end_access(bank);
}

/** A hit on a block in a state, which has not yet changed. */
static void
gspc_sample_hit(struct gspc_bank *bank, enum graphics_stream stream, enum gspc_state state)
{
   if (stream == GRAPHICS_STREAM_Z) {
      gspc_count(&bank->z_hits);
   } else if (stream == GRAPHICS_STREAM_TEXTURE && state == GSPC_RENDER_TARGET) {
      gspc_count(&bank->texture_fill[0]);
      if (GSPC_CONSUMPTION)
         gspc_count(&bank->consumed);
   } else if (stream == GRAPHICS_STREAM_TEXTURE && state == GSPC_EPOCH_0) {
      gspc_count(&bank->texture_hit[0]);
      if (GSPC_EPOCHS)
         gspc_count(&bank->texture_fill[1]);
   } else if (stream == GRAPHICS_STREAM_TEXTURE && state == GSPC_EPOCH_1) {
      gspc_count(&bank->texture_hit[1]);
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

/* ---- the policy --------------------------------------------------------- */

static inline __attribute__((always_inline)) enum gspc_state
gspc_state_after_texture_hit(enum gspc_state state)
{
   if (!GSPC_EPOCHS || state == GSPC_RENDER_TARGET)
      return GSPC_EPOCH_0;
   return state == GSPC_EPOCH_0 ? GSPC_EPOCH_1 : GSPC_EPOCH_2;
}

static inline __attribute__((always_inline)) struct gspc_bank *
gspc_bank_of(const struct cm_cache *cache, uint64_t set)
{
   return (struct gspc_bank *)cache->bank_state + (set & cache->bank_mask);
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way,
              enum cm_stream access_stream)
{
   uint8_t *prediction = cache->state + set * 2 * ways + way, *state = prediction + ways;
   struct gspc_bank *bank = gspc_bank_of(cache, set);
   const enum graphics_stream stream = graphics_stream(access_stream);
   const enum gspc_state before = (enum gspc_state) * state;

   *prediction = GSPC_NEAR;
   if (stream == GRAPHICS_STREAM_TEXTURE) {
      *prediction = gspc_texture_hit_prediction(bank, cache->shared, before);
      *state = (uint8_t)gspc_state_after_texture_hit(before);
   } else if (stream == GRAPHICS_STREAM_RENDER_TARGET) {
      *state = GSPC_RENDER_TARGET;
   }
   if (gspc_is_sample(set)) {
      *prediction = GSPC_NEAR;
      gspc_sample_hit(bank, stream, before);
   }
   return lines + way;
}

static inline __attribute__((always_inline)) unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   return rrip_victim(cache->state + set * 2 * ways, lines, ways, GSPC_DISTANT);
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   uint8_t *prediction = cache->state + set * 2 * ways + way, *state = prediction + ways;
   struct gspc_bank *bank = gspc_bank_of(cache, set);
   const enum graphics_stream stream = graphics_stream(cm_line_stream(lines[way]));

   *state = stream == GRAPHICS_STREAM_RENDER_TARGET ? GSPC_RENDER_TARGET : GSPC_EPOCH_0;
   *prediction = gspc_fill_prediction(bank, cache->shared, stream);
   if (gspc_is_sample(set)) {
      *prediction = GSPC_LONG;
      gspc_sample_fill(bank, stream);
   }
   return lines + way;
}

/* Each hit may count, or change the state. */
static inline bool
cm_policy_is_settled(const struct cm_cache *cache, uint64_t set, const cm_line *lines, uint64_t block)
{
   (void)cache;
   (void)set;
   (void)lines;
   (void)block;
   return false;
}

#define CM_POLICY_FOLDS_FILL false
#define CM_POLICY_FOLDS_HIT false
#include "memory/cache_access.h"

static uint32_t
gspc_state_bytes(uint32_t ways)
{
   return 2 * ways;
}

static void
gspc_start(struct cm_cache *cache, const struct cm_cache_config *config)
{
   const struct cm_gspc_config gspc = cm_cache_config_gspc(config);
   *(struct gspc_thresholds *)cache->shared = (struct gspc_thresholds){
      .reuse = (uint8_t)__builtin_ctz(gspc.threshold),
      .render_target_distant = (uint8_t)__builtin_ctz(gspc.render_target_distant),
      .render_target_long = (uint8_t)__builtin_ctz(gspc.render_target_long),
   };
}

#define GSPC_REPLACEMENT(name)                        \
   const struct cm_replacement name = {               \
      CM_POLICY_FUNCTIONS,                            \
      .remove = cm_ways_remove,                       \
      .state_bytes = gspc_state_bytes,                \
      .shared_bytes = sizeof(struct gspc_thresholds), \
      .bank_bytes = sizeof(struct gspc_bank),         \
      .start = gspc_start,                            \
   }
