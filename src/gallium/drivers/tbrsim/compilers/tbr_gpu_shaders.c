/* SPDX-License-Identifier: MIT */
#include "compilers/tbr_gpu_shaders.h"

#include <stdlib.h>
#include <string.h>

#include "nir.h"
#include "util/hash_table.h"
#include "util/log.h"
#include "util/ralloc.h"
#include "util/simple_mtx.h"
#include "compilers/tbr_gpu_code.h"
#include "compilers/tbr_regions.h"
#include "state/tbr_context.h"
#include "state/tbr_debug.h"
#include "state/tbr_screen.h"

struct tbr_gpu_shader {
   nir_shader *nir; /**< NULL once it is compiled */
   struct tbr_regions *regions;
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
tbr_gpu_shaders_wanted(unsigned *isas)
{
   const char *value = getenv("TBRSIM_RECORD_ISA");
   *isas = 0;
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
   shader->regions = tbr_regions_create(shader, nir);
   if (!shader->nir || !shader->regions) {
      ralloc_free(shader);
      return NULL;
   }
   return shader;
}

void
tbr_gpu_shader_number_regions(struct tbr_gpu_shader *shader, const unsigned *of_block, unsigned count)
{
   if (shader)
      tbr_regions_number(shader->regions, of_block, count);
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
      if (!tbr_gpu_code_compile(shader, isa, shader->nir, shader->regions, &code)) {
         if (tbr_debug.flags & TBR_DEBUG_SHADERS)
            fprintf(tbr_debug.out, "%s shader %u: no code of %s\n", stages[stage], id, isa_names[isa]);
         continue;
      }
      for (unsigned i = 0; i < code.num_parts; i++) {
         code.parts[i].stage = stage;
         code.parts[i].shader = id;
         if (tbr_debug.flags & TBR_DEBUG_SHADERS)
            print_part(&code.parts[i]);
      }
   }
   ralloc_free(shader->nir);
   shader->nir = NULL;
}
