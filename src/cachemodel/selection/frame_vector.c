/* SPDX-License-Identifier: MIT */
#include "selection/frame_vector.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Texels of the side of a block. */
#define BLOCK 4
#define BUFFER_BLOCK 64

/* What names blocks and gives their bytes. */
struct cm_vector_resource {
   bool is_buffer;
   uint32_t block_bytes; /* of BLOCK × BLOCK texels, all samples */
};

static uint64_t
texel_key(uint32_t resource, uint32_t level, uint32_t layer, uint32_t x, uint32_t y)
{
   return (uint64_t)resource << 40 | (uint64_t)(level & 15) << 36 | (uint64_t)(layer & 0xfff) << 24 |
          (uint64_t)(y / BLOCK & 0xfff) << 12 | (x / BLOCK & 0xfff);
}

static void
access_block(struct cm_frame_vectors *vectors, uint64_t key, uint32_t bytes, bool is_read)
{
   vectors->out_of_memory |= !cm_frame_reuse_access(&vectors->reuse, key, bytes, is_read);
}

static const struct cm_vector_resource *
describe(const struct cm_frame_vectors *vectors, uint32_t resource)
{
   const uint32_t index = cm_id_table_find(&vectors->resources, resource);
   return index == CM_NO_INDEX ? NULL : &vectors->descriptions[index];
}

/* ---- definitions ------------------------------------------------------------- */

void
cm_frame_vectors_gpu(struct cm_frame_vectors *vectors)
{
   cm_id_table_finish(&vectors->resources);
   vectors->resources = (struct cm_id_table){0};
   cm_frame_reuse_clear(&vectors->reuse);
   memset(vectors->current, 0, sizeof(vectors->current));
}

void
cm_frame_vectors_resource(struct cm_frame_vectors *vectors, const struct cm_resource_description *resource)
{
   const uint32_t index = cm_id_table_add(&vectors->resources, resource->id);
   if (index == CM_NO_INDEX || !cm_array_make_room(&vectors->descriptions, &vectors->descriptions_capacity,
                                                   index, 1, sizeof(*vectors->descriptions))) {
      vectors->out_of_memory = true;
      return;
   }
   const uint32_t texels = (uint32_t)resource->block_width * resource->block_height;
   vectors->descriptions[index] = (struct cm_vector_resource){
      .is_buffer = resource->is_buffer,
      .block_bytes = texels ? BLOCK * BLOCK * resource->block_bytes * resource->samples / texels : 0,
   };
}

/* The element of a shader among those of its stage. */
static unsigned
shader_element(struct cm_frame_vectors *vectors, enum cm_shader_stage stage, uint32_t id)
{
   const uint32_t index = cm_id_table_add(&vectors->shaders[stage], id);
   vectors->out_of_memory |= index == CM_NO_INDEX;
   return index % CM_VECTOR_SHADERS;
}

/* ---- geometry ---------------------------------------------------------------- */

static void
access_buffer(struct cm_frame_vectors *vectors, uint32_t buffer, uint64_t begin, uint64_t end)
{
   assert(begin <= end);
   for (uint64_t block = begin / BUFFER_BLOCK; buffer && block * BUFFER_BLOCK < end; block++)
      access_block(vectors, (uint64_t)buffer << 40 | block, BUFFER_BLOCK, true);
}

static void
take_vertices(struct cm_frame_vectors *vectors, const struct cm_pass *pass, const struct cm_draw *draw)
{
   uint64_t first = draw->first_vertex_number, last = first + draw->num_vertices;
   if (draw->index_buffer && draw->num_vertices) {
      const uint32_t *numbers = pass->vertices + draw->first_vertex;
      access_buffer(vectors, draw->index_buffer, draw->index_offset,
                    draw->index_offset + (uint64_t)draw->num_vertices * draw->index_bytes);
      first = last = numbers[0];
      for (uint32_t v = 1; v < draw->num_vertices; v++) {
         first = numbers[v] < first ? numbers[v] : first;
         last = numbers[v] > last ? numbers[v] : last;
      }
      last++;
   }
   for (uint32_t e = 0; e < draw->num_elements && draw->num_vertices; e++) {
      const struct cm_vertex_element *element = &draw->elements[e];
      uint64_t begin = first, end = last;
      if (element->instance_divisor) {
         begin = draw->first_instance + draw->instance / element->instance_divisor;
         end = begin + 1;
      }
      access_buffer(vectors, element->buffer, element->offset + begin * element->stride,
                    element->offset + (end - 1) * element->stride + element->bytes);
   }
}

/** Of a shader before the fragment shader. */
static void
take_shader(struct cm_frame_vectors *vectors, enum cm_shader_stage stage, const struct cm_shader *shader,
            uint64_t invocations)
{
   if (shader->id || invocations)
      vectors->current[CM_FEATURE_VERTICES + shader_element(vectors, stage, shader->id)] +=
         (double)invocations * shader->instructions;
}

static void
take_draw(struct cm_frame_vectors *vectors, const struct cm_pass *pass, const struct cm_draw *draw)
{
   take_shader(vectors, CM_SHADER_VERTEX, &draw->vertex_shader, draw->num_vertices);
   take_shader(vectors, CM_SHADER_TESS_CONTROL, &draw->control_shader, draw->control_invocations);
   take_shader(vectors, CM_SHADER_TESS_EVALUATION, &draw->evaluation_shader, draw->evaluation_invocations);
   take_shader(vectors, CM_SHADER_GEOMETRY, &draw->geometry_shader, draw->geometry_invocations);
   take_vertices(vectors, pass, draw);
}

static void
take_primitives(struct cm_frame_vectors *vectors, const struct cm_pass *pass)
{
   uint64_t attributes = 0;
   for (uint32_t p = 0; p < pass->num_primitives; p++)
      attributes += pass->primitives[p].num_attributes;
   vectors->current[CM_FEATURE_PRIMITIVES] += pass->num_primitives;
   vectors->current[CM_FEATURE_ATTRIBUTES] += (double)attributes;
   vectors->current[CM_FEATURE_PMDS] += (double)pass->num_primitive_tiles;
}

/* ---- tiles -------------------------------------------------------------------- */

static void
take_attachment(struct cm_frame_vectors *vectors, const struct cm_pass *pass, uint32_t tile,
                const struct cm_attachment *attachment, bool load, bool store)
{
   const struct cm_vector_resource *resource = describe(vectors, attachment->resource);
   if (!resource || !(load | store))
      return;
   const uint32_t row = tile / pass->tiles_x, size = pass->tile_size;
   const uint32_t x0 = tile % pass->tiles_x * size, y0 = row % pass->layer_tiles_y * size;
   const uint32_t layer = attachment->layer + row / pass->layer_tiles_y;
   for (uint32_t y = y0; y < y0 + size && y < pass->height; y += BLOCK) {
      for (uint32_t x = x0; x < x0 + size && x < pass->width; x += BLOCK) {
         access_block(vectors, texel_key(attachment->resource, attachment->level, layer, x, y),
                      resource->block_bytes, load);
         vectors->current[CM_FEATURE_LOADED] += load ? resource->block_bytes : 0;
         vectors->current[CM_FEATURE_STORED] += store ? resource->block_bytes : 0;
      }
   }
}

static void
take_resolve(struct cm_frame_vectors *vectors, const struct cm_pass *pass, uint32_t tile,
             const struct cm_resolve *resolve)
{
   const struct cm_attachment target = {.resource = resolve->resource,
                                        .level = resolve->level,
                                        .layer = resolve->layer};
   take_attachment(vectors, pass, tile, &target, false, resolve->resource != 0);
}

static void
take_attachments(struct cm_frame_vectors *vectors, const struct cm_pass *pass, uint32_t tile, bool load)
{
   for (uint32_t c = 0; c < pass->num_color; c++) {
      const struct cm_attachment *color = &pass->color[c];
      take_attachment(vectors, pass, tile, color, load && color->load, !load && color->store);
      if (!load)
         take_resolve(vectors, pass, tile, &pass->resolve[c]);
   }
   take_attachment(vectors, pass, tile, &pass->depth, load && pass->depth.load, !load && pass->depth.store);
   if (pass->stencil.pixel_bytes)
      take_attachment(vectors, pass, tile, &pass->stencil, load && pass->stencil.load,
                      !load && pass->stencil.store);
}

static void
take_footprints(struct cm_frame_vectors *vectors, const struct cm_draw *draw, const uint32_t *event)
{
   assert(draw && cm_event_type(*event) == CM_EVENT_FOOTPRINTS);
   const struct cm_footprint *footprints = (const struct cm_footprint *)(event + 1);
   const unsigned count = cm_event_count(*event), unit = cm_event_unit(*event);
   vectors->current[CM_FEATURE_FOOTPRINTS] += count;
   const struct cm_texture_binding *binding = &draw->textures[unit % CM_MAX_TEXTURE_UNITS];
   const struct cm_vector_resource *resource = describe(vectors, binding->resource);
   for (unsigned f = 0; resource && f < count; f++) {
      const struct cm_footprint *footprint = &footprints[f];
      if (!footprint->live)
         continue;
      const int first = __builtin_ctz(footprint->live);
      const uint32_t x = footprint->texel[first].x < 0 ? 0 : (uint32_t)footprint->texel[first].x;
      const uint32_t y = footprint->texel[first].y < 0 ? 0 : (uint32_t)footprint->texel[first].y;
      if (resource->is_buffer)
         access_block(vectors,
                      (uint64_t)binding->resource << 40 |
                         (binding->buffer_offset + ((uint64_t)y * 32768 + x) * binding->texel_bytes) /
                            BUFFER_BLOCK,
                      BUFFER_BLOCK, true);
      else
         access_block(vectors,
                      texel_key(binding->resource, binding->first_level + footprint->level,
                                binding->first_layer + footprint->layer, x, y),
                      resource->block_bytes, true);
   }
}

static void
take_quads(struct cm_frame_vectors *vectors, const struct cm_draw *draw, const uint32_t *event)
{
   const struct cm_quad *quads = (const struct cm_quad *)(event + 2);
   unsigned live = 0, visible = 0;
   for (unsigned q = 0; q < cm_event_count(*event); q++) {
      live += (unsigned)__builtin_popcount(quads[q].live);
      visible += (unsigned)__builtin_popcount(quads[q].visible & quads[q].live);
   }
   const struct cm_shader *shader = &draw->fragment_shader;
   vectors->current[CM_FEATURE_VISIBLE] += (double)visible * shader->instructions;
   vectors->current[CM_FEATURE_FRAGMENTS + shader_element(vectors, CM_SHADER_FRAGMENT, shader->id)] +=
      (double)live * shader->instructions;
}

static void
take_invocations(struct cm_frame_vectors *vectors, const struct cm_pass *pass, const uint32_t *event)
{
   const struct cm_shader *shader = &pass->dispatch.shader;
   if (!(*event & CM_INVOKE_RESUMES))
      vectors->current[CM_FEATURE_FRAGMENTS + shader_element(vectors, CM_SHADER_COMPUTE, shader->id)] +=
         (double)cm_event_count(*event) * shader->instructions;
}

static void
take_tile(struct cm_frame_vectors *vectors, const struct cm_pass *pass, uint32_t tile)
{
   const uint32_t *event = pass->tiles[tile].words,
                  *end = event ? event + pass->tiles[tile].num_words : event;
   const struct cm_draw *draw = pass->kind == CM_PASS_COMPUTE ? pass->draws : NULL;
   vectors->current[CM_FEATURE_TILES]++;
   take_attachments(vectors, pass, tile, true);
   for (; event < end; event = cm_event_next(event)) {
      switch (cm_event_type(*event)) {
      case CM_EVENT_SHADE:
         draw = &pass->draws[event[1]];
         take_quads(vectors, draw, event);
         break;
      case CM_EVENT_FOOTPRINTS: take_footprints(vectors, draw, event); break;
      case CM_EVENT_INVOKE: take_invocations(vectors, pass, event); break;
      case CM_EVENT_BUFFER:
      case CM_EVENT_IMAGE: vectors->current[CM_FEATURE_STORAGE] += cm_event_count(*event); break;
      default: break;
      }
   }
   take_attachments(vectors, pass, tile, false);
}

/* ---- frames -------------------------------------------------------------------- */

void
cm_frame_vectors_pass(struct cm_frame_vectors *vectors, const struct cm_pass *pass)
{
   vectors->current[CM_FEATURE_PASSES]++;
   if (pass->kind != CM_PASS_COMPUTE) {
      for (uint32_t d = 0; d < pass->num_draws; d++)
         take_draw(vectors, pass, &pass->draws[d]);
      take_primitives(vectors, pass);
   }
   for (uint32_t tile = 0; tile < pass->tiles_x * pass->tiles_y; tile++) {
      if (pass->touched[tile])
         take_tile(vectors, pass, tile);
   }
}

void
cm_frame_vectors_end_frame(struct cm_frame_vectors *vectors)
{
   const struct cm_frame_ages ages = cm_frame_reuse_end(&vectors->reuse);
   vectors->current[CM_FEATURE_BYTES] = (double)ages.bytes;
   for (unsigned age = 2; age <= CM_REUSE_AGES; age++)
      vectors->current[CM_FEATURE_OLD_BYTES] += (double)ages.read[age];
   vectors->current[CM_FEATURE_NEW_BYTES] = (double)ages.read[0];
   if (!cm_array_grow(&vectors->vectors, vectors->count, sizeof(vectors->current)) ||
       !cm_array_grow(&vectors->ages, vectors->count, sizeof(ages))) {
      vectors->out_of_memory = true;
      return;
   }
   memcpy(vectors->vectors + vectors->count * CM_FRAME_FEATURES, vectors->current, sizeof(vectors->current));
   vectors->ages[vectors->count++] = ages;
   memset(vectors->current, 0, sizeof(vectors->current));
}

/* ---- scale ----------------------------------------------------------------------- */

/* Kinds of work, each of which weighs the same: ranges of elements. Elements of a kind are measured by their own
 * averages, and share the weight, or by the average of their sum (is_sum). */
static const struct kind {
   unsigned first, end;
   bool is_sum;
} kinds[] = {
   {CM_FEATURE_PASSES, CM_FEATURE_PRIMITIVES, false},  {CM_FEATURE_PRIMITIVES, CM_FEATURE_VISIBLE, false},
   {CM_FEATURE_VISIBLE, CM_FEATURE_FOOTPRINTS, false}, {CM_FEATURE_FOOTPRINTS, CM_FEATURE_STORAGE, false},
   {CM_FEATURE_STORAGE, CM_FEATURE_LOADED, false},     {CM_FEATURE_LOADED, CM_FEATURE_BYTES, true},
   {CM_FEATURE_BYTES, CM_FEATURE_NEW_BYTES, true},     {CM_FEATURE_NEW_BYTES, CM_FEATURE_VERTICES, false},
   {CM_FEATURE_VERTICES, CM_FEATURE_FRAGMENTS, true},  {CM_FEATURE_FRAGMENTS, CM_FRAME_FEATURES, true},
};
#define NUM_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static double
average(const struct cm_frame_vectors *vectors, unsigned first, unsigned end)
{
   assert(first < end && end <= CM_FRAME_FEATURES);
   double sum = 0;
   for (size_t frame = 0; frame < vectors->count; frame++) {
      for (unsigned e = first; e < end; e++)
         sum += vectors->vectors[frame * CM_FRAME_FEATURES + e];
   }
   return vectors->count ? sum / (double)vectors->count : 0;
}

void
cm_frame_vectors_scale(struct cm_frame_vectors *vectors)
{
   double factors[CM_FRAME_FEATURES];
   unsigned occurring = 0;
   for (unsigned k = 0; k < NUM_KINDS; k++)
      occurring += average(vectors, kinds[k].first, kinds[k].end) > 0;
   for (unsigned k = 0; k < NUM_KINDS; k++) {
      const struct kind *kind = &kinds[k];
      for (unsigned e = kind->first; e < kind->end; e++) {
         const double mean =
            kind->is_sum ? average(vectors, kind->first, kind->end) : average(vectors, e, e + 1);
         const double weight = 1.0 / (kind->is_sum ? occurring : occurring * (kind->end - kind->first));
         factors[e] = mean > 0 ? sqrt(weight) / mean : 0;
      }
   }
   for (size_t frame = 0; frame < vectors->count; frame++) {
      for (unsigned e = 0; e < CM_FRAME_FEATURES; e++)
         vectors->vectors[frame * CM_FRAME_FEATURES + e] *= factors[e];
   }
}

void
cm_frame_vectors_finish(struct cm_frame_vectors *vectors)
{
   free(vectors->vectors);
   free(vectors->ages);
   free(vectors->descriptions);
   cm_frame_reuse_finish(&vectors->reuse);
   cm_id_table_finish(&vectors->resources);
   for (unsigned stage = 0; stage < CM_SHADER_STAGES; stage++)
      cm_id_table_finish(&vectors->shaders[stage]);
   *vectors = (struct cm_frame_vectors){0};
}
