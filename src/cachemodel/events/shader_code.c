/* SPDX-License-Identifier: MIT */
#include "events/shader_code.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

/* The most operations that are returned: far more than a shader runs, and sums of them do not wrap. */
#define MOST_OPERATIONS (UINT64_C(1) << 48)

static uint64_t
add_up(uint64_t sum, uint64_t runs, uint64_t operations)
{
   const uint64_t product =
      operations && runs > MOST_OPERATIONS / operations ? MOST_OPERATIONS : runs * operations;
   return sum + product < MOST_OPERATIONS ? sum + product : MOST_OPERATIONS;
}

uint64_t
cm_code_quad_operations(const struct cm_shader_code *code, enum cm_pipe pipe, const uint32_t *runs)
{
   assert(code->num_regions && pipe < CM_PIPE_COUNT);
   uint64_t sum = code->regions[0].operations[pipe];
   for (uint32_t r = 1; runs && r < code->num_regions; r++)
      sum = add_up(sum, cm_regions_runs(runs, r), code->regions[r].operations[pipe]);
   return sum;
}

uint64_t
cm_code_mean_operations(const struct cm_shader_code *code, enum cm_pipe pipe, const uint64_t *runs,
                        uint32_t num_runs, uint64_t invocations)
{
   assert(code->num_regions && pipe < CM_PIPE_COUNT);
   uint64_t sum = 0;
   for (uint32_t r = 0; r < code->num_regions && r < num_runs; r++)
      sum = add_up(sum, runs[r], code->regions[r].operations[pipe]);
   if (!num_runs || !runs[0])
      return add_up(0, invocations, code->regions[0].operations[pipe]);
   /* Numbers of invocations have 32 bits. */
   return add_up((sum % runs[0] * invocations + runs[0] / 2) / runs[0], sum / runs[0], invocations);
}

/* ---- all codes of a stream --------------------------------------------------- */

static int
compare(const struct cm_shader_code *a, const struct cm_shader_code *b)
{
   if (a->stage != b->stage)
      return a->stage < b->stage ? -1 : 1;
   if (a->shader != b->shader)
      return a->shader < b->shader ? -1 : 1;
   if (a->isa != b->isa)
      return a->isa < b->isa ? -1 : 1;
   return (int)a->part - (int)b->part;
}

/* Where a code is, or where it would be. */
static size_t
find_place(const struct cm_shader_codes *codes, const struct cm_shader_code *code)
{
   size_t first = 0, end = codes->count;
   while (first < end) {
      const size_t middle = first + (end - first) / 2;
      if (compare(&codes->codes[middle], code) < 0)
         first = middle + 1;
      else
         end = middle;
   }
   return first;
}

static bool
is_at(const struct cm_shader_codes *codes, size_t place, const struct cm_shader_code *code)
{
   return place < codes->count && compare(&codes->codes[place], code) == 0;
}

bool
cm_shader_codes_define(struct cm_shader_codes *codes, const struct cm_shader_code *code)
{
   assert(code->num_regions && code->num_regions <= CM_MAX_REGIONS);
   const size_t bytes = code->num_regions * sizeof *code->regions, place = find_place(codes, code);
   struct cm_code_region *regions = malloc(bytes);
   if (!regions ||
       (!is_at(codes, place, code) && !cm_array_grow(&codes->codes, codes->count, sizeof *code))) {
      free(regions);
      return false;
   }
   memcpy(regions, code->regions, bytes);
   struct cm_shader_code *at = &codes->codes[place];
   if (is_at(codes, place, code)) {
      free((void *)at->regions);
   } else {
      memmove(at + 1, at, (codes->count - place) * sizeof *at);
      codes->count++;
   }
   *at = *code;
   at->regions = regions;
   return true;
}

const struct cm_shader_code *
cm_shader_codes_find(const struct cm_shader_codes *codes, enum cm_shader_stage stage, uint32_t shader,
                     enum cm_isa isa, enum cm_code_part part)
{
   const struct cm_shader_code code = {.stage = stage, .shader = shader, .isa = isa, .part = part};
   const size_t place = find_place(codes, &code);
   return is_at(codes, place, &code) ? &codes->codes[place] : NULL;
}

void
cm_shader_codes_finish(struct cm_shader_codes *codes)
{
   for (size_t c = 0; c < codes->count; c++)
      free((void *)codes->codes[c].regions);
   free(codes->codes);
   *codes = (struct cm_shader_codes){0};
}
