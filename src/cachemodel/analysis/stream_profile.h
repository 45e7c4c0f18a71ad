/* SPDX-License-Identifier: MIT */
/**
 * What GSPC (Gaur et al., "Efficient Management of Last-level Caches in Graphics Processors
 * for 3D Scene Rendering Workloads", MICRO 2013, section 2) measures of the blocks in a
 * last-level cache, with any policy: inter- and intra-stream hits of textures and the render targets that
 * are consumed (Figure 6), the epochs of texture and of Z blocks and their death ratios (Figures 7, 9), what
 * is inserted with a distant RRPV (Figure 8). The cache counts accesses and hits by stream (Figures 4 and 5).
 *
 *    struct cm_stream_profile *profile = cm_stream_profile_create(&config, &cache);
 *    cm_stream_profile_access(profile, address, stream, access) …
 *    cm_stream_profile_counts(profile)->texture.entered[0] …
 *
 * The streams are those of the policies that know streams (replacement/graphics_streams.h).
 */
#ifndef CM_STREAM_PROFILE_H
#define CM_STREAM_PROFILE_H

#include "config/config.h"
#include "memory/cache.h"

/** Epochs that are counted separately; the last one includes all later ones. */
#define CM_EPOCHS 4

/** The lives of a stream's blocks (2.3). A block enters epoch 0 when it becomes the stream's, and the next
 * epoch with each hit of the stream; it ends when the block is evicted or invalidated, or becomes another
 * stream's. */
struct cm_epochs {
   uint64_t entered[CM_EPOCHS]; /**< |E_k|: times that a block entered epoch k */
   uint64_t hits[CM_EPOCHS];    /**< hits of the stream on blocks in epoch k; of the last one, and later */
};

/** Counted since creation. All uint64_t. */
struct cm_stream_profile_counts {
   /** Figure 6. Texture accesses that hit: inter_stream_hits + intra_stream_hits. A render target access sets a
    * block's RT bit; a texture access that hits the block resets it, and is an inter-stream hit; hits on other
    * blocks are intra-stream ones. */
   uint64_t inter_stream_hits, intra_stream_hits;
   uint64_t produced; /**< times that a clear RT bit of a block was set */
   uint64_t consumed; /**< of those, the ones that a texture access hit before the block was evicted */

   /** The same of depth, which the paper does not count ("not observed much", 2.1): times that a Z access made a block
    * one that has depth, and of those the ones that a texture access hit before the block left the cache or became a
    * render target. These hits are intra-stream ones, as the RT bit does not see them. */
   uint64_t z_produced, z_consumed;

   /** Figure 7. A block is a texture block from the texture access on that brought it in, that consumed it
    * as render target, or that hit it first (first_texture_hits). */
   struct cm_epochs texture;
   /** Intra-stream hits on blocks that were no texture blocks, but Z's or the rest's: they are in no epoch.
    * intra_stream_hits is the sum of texture.hits and these. */
   uint64_t first_texture_hits;

   /** Figure 8. Blocks that were inserted with a distant RRPV (3 of 2 bits). */
   uint64_t distant_fills[CM_STREAM_COUNT];

   /** Figure 9. A block is a Z block from the Z access on that brought it in or hit it first. */
   struct cm_epochs z;
};

struct cm_stream_profile;

/** For a cache that is new, of this configuration, and outlives the profile; its `left` is the profile's. NULL when out of
 * memory. */
struct cm_stream_profile *
cm_stream_profile_create(const struct cm_cache_config *config, struct cm_cache *cache);
void cm_stream_profile_destroy(struct cm_stream_profile *profile);

/** An access to the cache. */
void cm_stream_profile_access(struct cm_stream_profile *profile, uint64_t address, enum cm_stream stream,
                              enum cm_access access);

/** Valid until the profile is destroyed. The difference of two copies has the counts in between. */
const struct cm_stream_profile_counts *cm_stream_profile_counts(const struct cm_stream_profile *profile);

/** The fraction of the blocks in epoch k (below CM_EPOCHS - 1) that do not reach the next one,
 * (|E_k| - |E_k+1|) / |E_k|; 0 where there were none. 1 less it is the epoch's reuse probability. Of a
 * difference of counts it may be less than 0: blocks entered epoch k before. */
double cm_epoch_death_ratio(const struct cm_epochs *epochs, unsigned k);

#endif
