/* SPDX-License-Identifier: MIT */
#include "shader/tbr_gpu_shaders.h"

#include <stdlib.h>
#include <string.h>

#include "gallivm/lp_bld_misc.h"
#include "nir.h"
#include "nir_serialize.h"
#include "util/blob.h"
#include "util/hash_table.h"
#include "util/log.h"
#include "util/mesa-sha1.h"
#include "util/ralloc.h"
#include "util/simple_mtx.h"
#include "compilers/tbr_gpu_code.h"
#include "compilers/tbr_flow.h"
#include "model/tbr_model.h"
#include "shader/tbr_shader_cache.h"
#include "state/tbr_context.h"
#include "state/tbr_debug.h"
#include "state/tbr_screen.h"

struct tbr_gpu_shader {
   nir_shader *nir; /**< NULL once it is compiled */
   struct tbr_flow *flow;
};

static const char *const isa_names[CM_ISA_COUNT] = {
#define ISA_NAME(id, name, description) name,
   CM_ISAS(ISA_NAME)
#undef ISA_NAME
};

/* ---- what is wanted --------------------------------------------------------- */

static bool
find_isa(const char *name, size_t length, unsigned *isas)
{
   for (unsigned isa = 0; isa < CM_ISA_COUNT; isa++) {
      if (tbr_gpu_code_has(isa) && strlen(isa_names[isa]) == length &&
          !memcmp(isa_names[isa], name, length)) {
         *isas |= 1u << isa;
         return true;
      }
   }
   return false;
}

static void
report_unknown(const char *value)
{
   char expected[128] = "";
   for (unsigned isa = 0; isa < CM_ISA_COUNT; isa++) {
      const size_t length = strlen(expected);
      if (tbr_gpu_code_has(isa))
         snprintf(expected + length, sizeof expected - length, "%s%s", length ? ", " : "", isa_names[isa]);
   }
   mesa_loge("TBRSIM_RECORD_ISA=%s: expected a list of %s", value, expected);
}

bool
tbr_gpu_shaders_wanted(enum cm_isa configured, unsigned *isas)
{
   const char *value = getenv("TBRSIM_RECORD_ISA");
   *isas = tbr_gpu_code_has(configured) ? 1u << configured : 0;
   if (!value || !*value)
      return true;
   for (const char *name = value;; name++) {
      const size_t length = strcspn(name, ",");
      if (!find_isa(name, length, isas)) {
         report_unknown(value);
         return false;
      }
      name += length;
      if (!*name)
         return true;
   }
}

/* ---- copies ------------------------------------------------------------------- */

/** Between the driver's first passes and its shader. */
struct kept {
   nir_shader *of; /**< which owns this */
   nir_shader *copy;
};

static simple_mtx_t kept_mutex = SIMPLE_MTX_INITIALIZER;
static struct hash_table *kept_by_shader; /* struct kept */

static void
forget(void *data)
{
   struct kept *kept = data;
   simple_mtx_lock(&kept_mutex);
   struct hash_entry *entry = _mesa_hash_table_search(kept_by_shader, kept->of);
   if (entry && entry->data == kept)
      _mesa_hash_table_remove(kept_by_shader, entry);
   simple_mtx_unlock(&kept_mutex);
}

void
tbr_gpu_shaders_keep(nir_shader *nir)
{
   struct kept *kept = ralloc(nir, struct kept);
   nir_shader *copy = kept ? nir_shader_clone(kept, nir) : NULL;
   if (!copy)
      return;
   *kept = (struct kept){nir, copy};
   simple_mtx_lock(&kept_mutex);
   if (!kept_by_shader)
      kept_by_shader = _mesa_pointer_hash_table_create(NULL);
   if (kept_by_shader && _mesa_hash_table_insert(kept_by_shader, nir, kept))
      ralloc_set_destructor(kept, forget);
   simple_mtx_unlock(&kept_mutex);
}

/** The copy of a shader, which is the caller's then. */
static nir_shader *
take(void *owner, nir_shader *nir)
{
   simple_mtx_lock(&kept_mutex);
   struct hash_entry *entry = kept_by_shader ? _mesa_hash_table_search(kept_by_shader, nir) : NULL;
   struct kept *kept = entry ? entry->data : NULL;
   simple_mtx_unlock(&kept_mutex);
   if (!kept)
      return NULL;
   nir_shader *copy = kept->copy;
   ralloc_steal(owner, copy);
   ralloc_free(kept);
   return copy;
}

struct tbr_gpu_shader *
tbr_gpu_shader_create(const struct tbr_screen *screen, nir_shader *nir)
{
   if (!screen->isas)
      return NULL;
   struct tbr_gpu_shader *shader = rzalloc(NULL, struct tbr_gpu_shader);
   if (!shader)
      return NULL;
   shader->nir = take(shader, nir);
   shader->flow = tbr_flow_create(shader, nir);
   if (!shader->nir || !shader->flow) {
      ralloc_free(shader);
      return NULL;
   }
   return shader;
}

void
tbr_gpu_shader_number_regions(struct tbr_gpu_shader *shader, const unsigned *of_block, unsigned count)
{
   if (shader)
      tbr_flow_number(shader->flow, of_block, count);
}

void
tbr_gpu_shader_destroy(struct tbr_gpu_shader *shader)
{
   ralloc_free(shader);
}

/* ---- code ---------------------------------------------------------------------- */

static const char *const stages[CM_SHADER_STAGES] = {"vertex",  "fragment", "geometry",
                                                     "compute", "control",  "evaluation"};

static void
print_part(const struct cm_shader_code *part)
{
   static const char *const parts[] = {"whole", "position", "varyings"};
   static const char *const pipes[] = {
#define PIPE_NAME(id, name, what) name,
      CM_PIPES(PIPE_NAME)
#undef PIPE_NAME
   };
   fprintf(tbr_debug.out,
           "%s shader %u: code of %s, %s, %u bytes, %u registers, threads / %u, %u spills, %u fills\n",
           stages[part->stage], part->shader, isa_names[part->isa], parts[part->part], part->bytes,
           part->registers, part->threads_shared, part->spills, part->fills);
   for (unsigned region = 0; region < part->num_regions; region++) {
      fprintf(tbr_debug.out, "   region %u:", region);
      for (unsigned pipe = 0; pipe < CM_PIPE_COUNT; pipe++)
         fprintf(tbr_debug.out, " %u %s%s", part->regions[region].operations[pipe], pipes[pipe],
                 pipe + 1 < CM_PIPE_COUNT ? "," : "\n");
   }
}

/* On disk: what follows the parts are their regions. */

static void
digest_shader(const struct tbr_gpu_shader *shader, enum cm_isa isa, unsigned char *digest)
{
   static const char kind[] = "code of GPUs";
   struct mesa_sha1 sha1;
   struct blob blob;
   blob_init(&blob);
   nir_serialize(&blob, shader->nir, true);
   _mesa_sha1_init(&sha1);
   _mesa_sha1_update(&sha1, kind, sizeof kind);
   _mesa_sha1_update(&sha1, isa_names[isa], strlen(isa_names[isa]));
   tbr_flow_digest(shader->flow, &sha1);
   _mesa_sha1_update(&sha1, blob.data, blob.size);
   _mesa_sha1_final(&sha1, digest);
   blob_finish(&blob);
}

static bool
load_code(struct tbr_shader_cache *cache, struct tbr_gpu_shader *shader, const unsigned char *digest,
          struct tbr_gpu_code *code)
{
   struct lp_cached_code found = {0};
   tbr_shader_cache_find(cache, digest, &found);
   if (!found.data)
      return false;
   struct blob_reader reader;
   blob_reader_init(&reader, found.data, found.data_size);
   blob_copy_bytes(&reader, code, sizeof *code);
   const unsigned num_parts = MIN2(code->num_parts, CM_CODE_PARTS);
   for (unsigned i = 0; i < num_parts && !reader.overrun; i++) {
      const size_t bytes = code->parts[i].num_regions * sizeof(struct cm_code_region);
      const void *regions = blob_read_bytes(&reader, bytes);
      code->parts[i].regions = regions ? ralloc_memdup(shader, regions, bytes) : NULL;
   }
   const bool complete = !reader.overrun && reader.current == reader.end && num_parts == code->num_parts;
   free(found.data);
   return complete;
}

static void
store_code(struct tbr_shader_cache *cache, const unsigned char *digest, const struct tbr_gpu_code *code)
{
   struct tbr_gpu_code plain = *code;
   struct blob blob;
   blob_init(&blob);
   for (unsigned i = 0; i < code->num_parts; i++)
      plain.parts[i].regions = NULL;
   blob_write_bytes(&blob, &plain, sizeof plain);
   for (unsigned i = 0; i < code->num_parts; i++)
      blob_write_bytes(&blob, code->parts[i].regions,
                       code->parts[i].num_regions * sizeof(struct cm_code_region));
   if (!blob.out_of_memory)
      tbr_shader_cache_store(cache, digest,
                             &(struct lp_cached_code){.data = blob.data, .data_size = blob.size});
   blob_finish(&blob);
}

/** Compiles a shader, or loads the code from disk; none: the compiler refuses it. */
static void
make_code(const struct tbr_screen *screen, struct tbr_gpu_shader *shader, enum cm_isa isa,
          struct tbr_gpu_code *code)
{
   unsigned char digest[SHA1_DIGEST_LENGTH];
   digest_shader(shader, isa, digest);
   if (load_code(screen->shader_cache, shader, digest, code))
      return;
   tbr_gpu_code_compile(shader, isa, shader->nir, shader->flow, code);
   store_code(screen->shader_cache, digest, code);
}

void
tbr_gpu_shader_announce(struct tbr_context *context, enum cm_shader_stage stage, uint32_t id,
                        struct tbr_gpu_shader *shader)
{
   const struct tbr_screen *screen = tbr_screen(context->base.screen);
   if (!shader || !shader->nir)
      return;
   for (unsigned isa = 0; isa < CM_ISA_COUNT; isa++) {
      struct tbr_gpu_code code;
      if (!(screen->isas & 1u << isa))
         continue;
      make_code(screen, shader, isa, &code);
      if (!code.num_parts && tbr_debug.flags & TBR_DEBUG_SHADERS)
         fprintf(tbr_debug.out, "%s shader %u: no code of %s\n", stages[stage], id, isa_names[isa]);
      for (unsigned i = 0; i < code.num_parts; i++) {
         code.parts[i].stage = stage;
         code.parts[i].shader = id;
         if (tbr_debug.flags & TBR_DEBUG_SHADERS)
            print_part(&code.parts[i]);
         if (screen->model)
            tbr_model_define_code(screen->model, &code.parts[i]);
      }
   }
   ralloc_free(shader->nir);
   shader->nir = NULL;
}
