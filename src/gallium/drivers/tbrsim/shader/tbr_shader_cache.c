/* SPDX-License-Identifier: MIT */
#include "shader/tbr_shader_cache.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "draw/draw_context.h"
#include "gallivm/lp_bld_init.h"
#include "gallivm/lp_bld_misc.h"
#include "util/disk_cache.h"
#include "util/disk_cache_os.h"
#include "util/hash_table.h"
#include "util/list.h"
#include "util/os_time.h"
#include "util/simple_mtx.h"
#include "util/u_cpu_detect.h"
#include "util/u_memory.h"
#include "util/u_thread.h"
#include "model/tbr_progress.h"

struct tbr_shader_cache {
   struct list_head link; /**< in caches */
   simple_mtx_t lock;
   struct hash_table *codes; /**< struct tbr_code by key */
   struct disk_cache *disk;
};

static uint32_t
hash_key(const void *key)
{
   uint32_t hash;
   memcpy(&hash, key, sizeof hash);
   return hash;
}

static bool
equal_keys(const void *a, const void *b)
{
   return memcmp(a, b, SHA1_DIGEST_LENGTH) == 0;
}

/** Code on disk is for one build of the driver and of LLVM, and one kind of CPU. */
static struct disk_cache *
open_disk_cache(const char *isa)
{
   const struct util_cpu_caps_t *cpu = util_get_cpu_caps();
   const unsigned flags = gallivm_get_perf_flags();
   unsigned char digest[SHA1_DIGEST_LENGTH];
   char name[SHA1_DIGEST_STRING_LENGTH];
   struct mesa_sha1 sha1;

   _mesa_sha1_init(&sha1);
   if (!disk_cache_get_function_identifier(open_disk_cache, &sha1) ||
       !disk_cache_get_function_identifier(LLVMLinkInMCJIT, &sha1))
      return NULL;
   _mesa_sha1_update(&sha1, isa, strlen(isa));
   _mesa_sha1_update(&sha1, &flags, sizeof flags);
   /* What follows describes the topology of this one machine. */
   _mesa_sha1_update(&sha1, cpu, offsetof(struct util_cpu_caps_t, num_L3_caches));
   _mesa_sha1_final(&sha1, digest);
   _mesa_sha1_format(name, digest);
   return disk_cache_create("tbrsim", name, 0);
}

/* ---- forked children --------------------------------------------------- */

static simple_mtx_t caches_mutex = SIMPLE_MTX_INITIALIZER;
static struct list_head caches = {&caches, &caches}; /* of the process */

/** Mesa waits for the threads of a cache on disk when a process exits; a forked
 * child has none. */
static void
reset_caches_after_fork(void)
{
   list_for_each_entry (struct tbr_shader_cache, cache, &caches, link) {
      if (cache->disk)
         cache->disk->cache_queue.num_threads = 0;
   }
   simple_mtx_init(&caches_mutex, mtx_plain);
}

static void
add_cache(struct tbr_shader_cache *cache)
{
   static bool registered;
   simple_mtx_lock(&caches_mutex);
   if (!registered)
      registered = pthread_atfork(NULL, NULL, reset_caches_after_fork) == 0;
   list_add(&cache->link, &caches);
   simple_mtx_unlock(&caches_mutex);
}

static void
remove_cache(struct tbr_shader_cache *cache)
{
   simple_mtx_lock(&caches_mutex);
   list_del(&cache->link);
   simple_mtx_unlock(&caches_mutex);
}

/* ---- creation and destruction ------------------------------------------- */

struct tbr_shader_cache *
tbr_shader_cache_create(const char *isa)
{
   struct tbr_shader_cache *cache = CALLOC_STRUCT(tbr_shader_cache);
   if (!cache)
      return NULL;
   cache->codes = _mesa_hash_table_create(NULL, hash_key, equal_keys);
   if (!cache->codes) {
      FREE(cache);
      return NULL;
   }
   simple_mtx_init(&cache->lock, mtx_plain);
   cache->disk = open_disk_cache(isa);
   add_cache(cache);
   return cache;
}

void
tbr_shader_cache_destroy(struct tbr_shader_cache *cache)
{
   if (!cache)
      return;
   remove_cache(cache);
   disk_cache_destroy(cache->disk);
   _mesa_hash_table_destroy(cache->codes, NULL);
   simple_mtx_destroy(&cache->lock);
   FREE(cache);
}

/* ---- in memory --------------------------------------------------------- */

static struct tbr_code *
acquire_locked(struct tbr_shader_cache *cache, const unsigned char *key)
{
   struct hash_entry *entry = _mesa_hash_table_search(cache->codes, key);
   struct tbr_code *code = entry ? entry->data : NULL;
   simple_mtx_assert_locked(&cache->lock);
   assert(!code || code->users);
   if (code)
      code->users++;
   return code;
}

static void
destroy_code(struct tbr_code *code)
{
   assert(!code->users);
   gallivm_destroy(code->gallivm);
   FREE(code);
}

struct tbr_code *
tbr_shader_cache_acquire(struct tbr_shader_cache *cache, const unsigned char *key)
{
   simple_mtx_lock(&cache->lock);
   struct tbr_code *code = acquire_locked(cache, key);
   simple_mtx_unlock(&cache->lock);
   return code;
}

struct tbr_code *
tbr_shader_cache_enter(struct tbr_shader_cache *cache, struct tbr_code *code)
{
   assert(!code->users && code->function);
   simple_mtx_lock(&cache->lock);
   struct tbr_code *present = acquire_locked(cache, code->key);
   if (!present) {
      code->users = 1;
      _mesa_hash_table_insert(cache->codes, code->key, code);
   }
   simple_mtx_unlock(&cache->lock);
   if (!present)
      return code;
   destroy_code(code);
   return present;
}

void
tbr_shader_cache_release(struct tbr_shader_cache *cache, struct tbr_code *code)
{
   simple_mtx_lock(&cache->lock);
   assert(code->users);
   const bool last = --code->users == 0;
   if (last)
      _mesa_hash_table_remove_key(cache->codes, code->key);
   simple_mtx_unlock(&cache->lock);
   if (last)
      destroy_code(code);
}

/* ---- on disk ----------------------------------------------------------- */

void
tbr_shader_cache_find(struct tbr_shader_cache *cache, const unsigned char *key, struct lp_cached_code *found)
{
   cache_key disk_key;
   found->data = NULL;
   found->data_size = 0;
   if (!cache->disk)
      return;
   disk_cache_compute_key(cache->disk, key, SHA1_DIGEST_LENGTH, disk_key);
   found->data = disk_cache_get(cache->disk, disk_key, &found->data_size);
   if (!found->data)
      found->data_size = 0;
}

void
tbr_shader_cache_store(struct tbr_shader_cache *cache, const unsigned char *key,
                       const struct lp_cached_code *code)
{
   cache_key disk_key;
   if (!cache->disk || !code->data_size || code->dont_cache)
      return;
   disk_cache_compute_key(cache->disk, key, SHA1_DIGEST_LENGTH, disk_key);
   disk_cache_put(cache->disk, disk_key, code->data, code->data_size, NULL);
}

/** When this thread began to compile a vertex or geometry shader, in nanoseconds. */
static thread_local int64_t compiling_since;

static void
find_for_draw(void *cookie, struct lp_cached_code *found, unsigned char key[SHA1_DIGEST_LENGTH])
{
   tbr_shader_cache_find(cookie, key, found);
   compiling_since = os_time_get_nano();
}

static void
store_for_draw(void *cookie, struct lp_cached_code *code, unsigned char key[SHA1_DIGEST_LENGTH])
{
   tbr_progress_shader(os_time_get_nano() - compiling_since);
   tbr_shader_cache_store(cookie, key, code);
}

void
tbr_shader_cache_serve_draw(struct tbr_shader_cache *cache, struct draw_context *draw)
{
   if (cache->disk)
      draw_set_disk_cache_callbacks(draw, cache, find_for_draw, store_for_draw);
}

struct disk_cache *
tbr_shader_cache_disk(struct tbr_shader_cache *cache)
{
   return cache->disk;
}
