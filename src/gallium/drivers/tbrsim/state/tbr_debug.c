/* SPDX-License-Identifier: MIT */
#include "state/tbr_debug.h"

#include <stdlib.h>
#include <string.h>

#include "nir.h"
#include "util/log.h"
#include "util/simple_mtx.h"

struct tbr_debug tbr_debug;

static _Noreturn void
fail(const char *value)
{
   mesa_loge("TBRSIM_DEBUG=%s: expected a list of nir, shaders, passes, tile=X,Y[,FRAME]", value);
   exit(1);
}

/** Reads a number and advances past it. */
static bool
take_number(const char **rest, uint32_t *number)
{
   char *end;
   if (**rest < '0' || **rest > '9')
      return false;
   *number = strtoul(*rest, &end, 10);
   *rest = end;
   return true;
}

static bool
take_tile(const char **rest)
{
   if (!take_number(rest, &tbr_debug.tile_x) || *(*rest)++ != ',' || !take_number(rest, &tbr_debug.tile_y))
      return false;
   tbr_debug.every_frame = true;
   if ((*rest)[0] == ',' && (*rest)[1] >= '0' && (*rest)[1] <= '9') {
      (*rest)++;
      tbr_debug.every_frame = !take_number(rest, &tbr_debug.frame);
   }
   return true;
}

static bool
take_flag(const char **rest)
{
   static const struct {
      const char *name;
      enum tbr_debug_flag flag;
   } flags[] = {
      {"nir", TBR_DEBUG_NIR},
      {"shaders", TBR_DEBUG_SHADERS},
      {"passes", TBR_DEBUG_PASSES},
      {"tile=", TBR_DEBUG_TILE},
   };
   for (unsigned i = 0; i < ARRAY_SIZE(flags); i++) {
      const size_t length = strlen(flags[i].name);
      if (strncmp(*rest, flags[i].name, length))
         continue;
      *rest += length;
      tbr_debug.flags |= flags[i].flag;
      return flags[i].flag != TBR_DEBUG_TILE || take_tile(rest);
   }
   return false;
}

static void
open_output(void)
{
   const char *name = getenv("TBRSIM_DEBUG_FILE");
   tbr_debug.out = name && *name ? fopen(name, "w") : stderr;
   if (!tbr_debug.out) {
      mesa_loge("TBRSIM_DEBUG_FILE=%s cannot be written", name);
      exit(1);
   }
   setvbuf(tbr_debug.out, NULL, _IOLBF, 0);
}

void
tbr_debug_init(void)
{
   static simple_mtx_t mutex = SIMPLE_MTX_INITIALIZER;
   const char *value = getenv("TBRSIM_DEBUG");
   simple_mtx_lock(&mutex);
   if (!tbr_debug.out && value && *value) {
      const char *rest = value;
      do {
         if (!take_flag(&rest))
            fail(value);
      } while (*rest == ',' && *++rest);
      if (*rest)
         fail(value);
      open_output();
   }
   simple_mtx_unlock(&mutex);
}

/* ---- shaders ---------------------------------------------------------- */

void
tbr_debug_nir(const char *stage, uint32_t id, struct nir_shader *nir)
{
   if (!(tbr_debug.flags & TBR_DEBUG_NIR))
      return;
   fprintf(tbr_debug.out, "%s shader %u:\n", stage, id);
   nir_print_shader(nir, tbr_debug.out);
}

void
tbr_debug_shader(const char *stage, uint32_t id, uint32_t instructions)
{
   if (tbr_debug.flags & TBR_DEBUG_SHADERS)
      fprintf(tbr_debug.out, "%s shader %u: %u instructions\n", stage, id, instructions);
}

void
tbr_debug_code(uint32_t id, uint32_t instructions, int64_t nanoseconds, const char *how)
{
   if (tbr_debug.flags & TBR_DEBUG_SHADERS)
      fprintf(tbr_debug.out, "fragment shader %u: %u instructions, code %s in %.3f ms\n", id, instructions,
              how, nanoseconds / 1e6);
}
