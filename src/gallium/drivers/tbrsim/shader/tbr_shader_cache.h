/* SPDX-License-Identifier: MIT */
/**
 * Generated code by what it was generated from: in memory, shared by all contexts
 * of a screen as long as a shader uses it, and as object code on disk (Mesa's
 * shader cache, MESA_SHADER_CACHE_DISABLE and its other variables apply), keyed by
 * the build of driver and LLVM and by the CPU.
 */
#ifndef TBR_SHADER_CACHE_H
#define TBR_SHADER_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/mesa-sha1.h"
#include "tile/tbr_fragment.h"

struct disk_cache;
struct draw_context;
struct gallivm_state;
struct lp_cached_code;
struct tbr_shader_cache;

/** The code of a compute shader, or of a fragment shader's variant. */
struct tbr_code {
   unsigned char key[SHA1_DIGEST_LENGTH];
   unsigned users; /**< the cache's lock protects it */
   bool from_disk;
   struct gallivm_state *gallivm;
   union {
      tbr_fragment_function function;
      tbr_compute_function compute;
   };
};

/** isa: the vector feature level, part of the key of what is on disk. NULL when
 * memory is out. */
struct tbr_shader_cache *tbr_shader_cache_create(const char *isa);
/** No code is used any more, though GLX closes a display's screen with contexts on it, which are then lost. */
void tbr_shader_cache_destroy(struct tbr_shader_cache *cache);

/** The code with this key, with a reference for the caller; NULL if there is none in memory. */
struct tbr_code *tbr_shader_cache_acquire(struct tbr_shader_cache *cache, const unsigned char *key);
/** Inserts generated code, with a reference for the caller. Returns the other code
 * with the same key if another context was faster. */
struct tbr_code *tbr_shader_cache_enter(struct tbr_shader_cache *cache, struct tbr_code *code);
/** Drops a reference; code without references is freed. */
void tbr_shader_cache_release(struct tbr_shader_cache *cache, struct tbr_code *code);

/** Object code on disk: found is empty if there is none. */
void
tbr_shader_cache_find(struct tbr_shader_cache *cache, const unsigned char *key, struct lp_cached_code *found);
void tbr_shader_cache_store(struct tbr_shader_cache *cache, const unsigned char *key,
                            const struct lp_cached_code *code);
/** draw's shaders are kept on disk, too. */
void tbr_shader_cache_serve_draw(struct tbr_shader_cache *cache, struct draw_context *draw);
/** For Mesa's linker; NULL if there is no cache on disk. */
struct disk_cache *tbr_shader_cache_disk(struct tbr_shader_cache *cache);

#endif
