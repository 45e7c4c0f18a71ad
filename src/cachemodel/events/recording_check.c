/* SPDX-License-Identifier: MIT */
#include "events/recording_check.h"

#include <stdlib.h>

#include "events/names.h"
#include "events/tile_content.h"
#include "tiling/parameter_buffer.h"
#include "util/array.h"
#include "util/minmax.h"

/** Far above what any API allows. */
#define MAX_TEXELS 65536u
#define MAX_LAYERS 65536u
#define MAX_SAMPLES 64u
#define MAX_INSTRUCTIONS (1u << 24)
#define MAX_CONSTANT_BYTES (1u << 28)
#define MAX_ELEMENT_BYTES 65536u
/* Of an instruction of an invocation. */
#define MAX_ACCESS_BYTES 16
#define MAX_GROUPS (1u << 20)
#define MAX_INVOCATIONS 65536u

const char *
cm_check_resource(const struct cm_resource_description *resource)
{
   if (!resource->id || resource->id == UINT32_MAX)
      return "a resource has no number";
   if (resource->is_buffer)
      return NULL;
   if (!resource->levels || resource->levels > CM_MAX_LEVELS || !resource->samples ||
       resource->samples > MAX_SAMPLES || !resource->block_width || !resource->block_height ||
       !resource->block_bytes)
      return "a texture has levels, samples or texels out of range";
   if (!resource->width || resource->width > MAX_TEXELS || !resource->height ||
       resource->height > MAX_TEXELS || !resource->depth || resource->depth > MAX_LAYERS ||
       !resource->layers || resource->layers > MAX_LAYERS)
      return "a texture has a size out of range";
   return NULL;
}

static bool
is_shader(const struct cm_shader *shader)
{
   return shader->instructions <= MAX_INSTRUCTIONS && shader->constant_bytes <= MAX_CONSTANT_BYTES;
}

/* The tiles of a compute pass have all work-groups. */
static const char *
check_dispatch(const struct cm_pass *pass)
{
   const struct cm_dispatch *dispatch = &pass->dispatch;
   uint64_t groups = 1, invocations = 1;
   for (unsigned i = 0; i < 3; i++) {
      if (dispatch->groups[i] > MAX_GROUPS || dispatch->group_size[i] > MAX_INVOCATIONS)
         return "a dispatch is too large";
      groups *= dispatch->groups[i];
      invocations *= dispatch->group_size[i];
   }
   if (!groups || !invocations || invocations > MAX_INVOCATIONS || !dispatch->groups_per_tile ||
       !is_shader(&dispatch->shader))
      return "a dispatch has no work-groups, or too large ones";
   const uint64_t tiles = (groups + dispatch->groups_per_tile - 1) / dispatch->groups_per_tile;
   if (pass->tiles_x != tiles || tiles > CM_PB_WIDE_TILES || pass->tiles_y != 1 || pass->layer_tiles_y != 1 ||
       pass->tile_size != 1 || pass->num_color)
      return "a compute pass has other tiles than its work-groups";
   return NULL;
}

const char *
cm_check_pass_size(const struct cm_pass *pass)
{
   const uint32_t size = pass->tile_size;
   if (pass->kind > CM_PASS_COMPUTE)
      return "a pass of an unknown kind";
   if (pass->end >= CM_END_REASONS)
      return "a pass ended for an unknown reason";
   if (pass->kind == CM_PASS_COMPUTE)
      return check_dispatch(pass);
   if (size != 8 && size != 16 && size != 32 && size != 64)
      return "a pass has a tile size other than 8, 16, 32 and 64";
   if (pass->num_color > CM_MAX_COLOR_ATTACHMENTS)
      return "a pass has too many color attachments";
   if (!pass->tiles_x || !pass->tiles_y || pass->tiles_x > CM_PB_WIDE_TILES / pass->tiles_y)
      return "a pass has no tiles, or too many";
   if (!pass->layer_tiles_y || pass->tiles_y % pass->layer_tiles_y)
      return "a pass has layers that are not whole rows of tiles";
   if (pass->width > (uint64_t)pass->tiles_x * size || pass->height > (uint64_t)pass->layer_tiles_y * size)
      return "a pass is larger than its tiles";
   return NULL;
}

static bool
is_part(uint64_t first, uint64_t count, uint64_t all)
{
   return first <= all && count <= all - first;
}

/* Invocations are limited by what vertices and patches there are; but for the rest of a draw whose vertices are in the
 * pass before. */
static const char *
check_stages(const struct cm_draw *draw)
{
   if (!is_shader(&draw->control_shader) || !is_shader(&draw->evaluation_shader))
      return "a draw's program is too large";
   if (!draw->num_vertices)
      return NULL;
   /* Primitives that reach a geometry shader: patches have fewer than two triangles per point. */
   const uint64_t primitives = draw->patches ? 2 * draw->evaluation_invocations : draw->num_vertices;
   if (draw->patches > draw->num_vertices ||
       draw->control_invocations > draw->patches * CM_MAX_PATCH_VERTICES ||
       draw->evaluation_invocations > draw->patches * CM_MAX_PATCH_POINTS ||
       draw->geometry_invocations > primitives * CM_MAX_GEOMETRY_INSTANCES)
      return "a draw has more invocations than its vertices can cause";
   return NULL;
}

static bool
is_access(const struct cm_pass *pass, const struct cm_vertex_access *access)
{
   if (access->binding >= pass->num_vertex_bindings || access->operation >= CM_STORAGE_OPERATIONS ||
       pass->vertex_bindings[access->binding].is_storage != (access->type != CM_VERTEX_TEXTURE))
      return false;
   switch (access->type) {
   case CM_VERTEX_TEXTURE: return access->linear <= 1 && !access->bytes && !access->operation;
   case CM_VERTEX_BUFFER:
      return !access->linear && !access->level && !access->x && !access->y && access->bytes &&
             access->bytes <= MAX_ACCESS_BYTES;
   case CM_VERTEX_IMAGE: return !access->linear && !access->bytes;
   default: return false;
   }
}

/* Those of a stage ascend by invocation, of `invocations`. */
static const char *
check_stage_accesses(const struct cm_pass *pass, const struct cm_vertex_access *accesses, uint32_t count,
                     uint64_t invocations)
{
   for (uint32_t i = 0; i < count; i++) {
      if (!is_access(pass, &accesses[i]) || accesses[i].invocation >= invocations ||
          (i && accesses[i].invocation < accesses[i - 1].invocation))
         return "a vertex, or what runs behind vertices, accesses what is not there, or accesses are not in "
                "order";
   }
   return NULL;
}

static const char *
check_vertex_accesses(const struct cm_pass *pass, const struct cm_draw *draw)
{
   /* Numbers of vertices are any. */
   const uint64_t invocations[CM_PRERASTER_STAGES] = {
      [CM_PRERASTER_VERTEX] = UINT64_MAX,
      [CM_PRERASTER_CONTROL] = draw->control_invocations,
      [CM_PRERASTER_EVALUATION] = draw->evaluation_invocations,
      [CM_PRERASTER_GEOMETRY] = draw->geometry_invocations,
   };
   uint64_t first = draw->first_vertex_access;
   const char *wrong = NULL;
   for (unsigned stage = 0; stage < CM_PRERASTER_STAGES && !wrong; stage++) {
      const uint32_t count = draw->num_accesses[stage];
      if (!is_part(first, count, pass->num_vertex_accesses))
         return "a draw names accesses of vertices that are not there";
      wrong = check_stage_accesses(pass, pass->vertex_accesses + first, count, invocations[stage]);
      first += count;
   }
   return wrong;
}

/* Region 0 of a stage that has regions ran once an invocation. */
static const char *
check_region_runs(const struct cm_pass *pass, const struct cm_draw *draw)
{
   uint64_t first = draw->first_region_run;
   for (unsigned stage = 0; stage < CM_PRERASTER_STAGES; stage++) {
      const uint32_t count = draw->num_regions[stage];
      if (count > CM_MAX_REGIONS || !is_part(first, count, pass->num_region_runs))
         return "a draw names runs of regions that are not there";
      if (count && pass->region_runs[first] > UINT32_MAX)
         return "a draw has too many invocations";
      first += count;
   }
   return NULL;
}

static const char *
check_draw(const struct cm_pass *pass, const struct cm_draw *draw)
{
   if (!is_shader(&draw->vertex_shader) || !is_shader(&draw->geometry_shader) ||
       !is_shader(&draw->fragment_shader))
      return "a draw's program is too large";
   if (draw->num_elements > CM_MAX_VERTEX_ELEMENTS || draw->num_textures > CM_MAX_TEXTURE_UNITS)
      return "a draw has too many vertex elements or textures";
   for (uint32_t e = 0; e < draw->num_elements; e++) {
      if (draw->elements[e].bytes > MAX_ELEMENT_BYTES)
         return "a draw's vertex element is too large";
   }
   if (draw->index_buffer && !is_part(draw->first_vertex, draw->num_vertices, pass->num_vertices))
      return "a draw names vertices that are not there";
   if (!is_part(draw->first_feedback, draw->num_feedback, pass->num_feedback))
      return "a draw names transform feedback that is not there";
   if (draw->storage > pass->num_storages)
      return "a draw names storage that is not there";
   const char *wrong = check_vertex_accesses(pass, draw);
   wrong = wrong ? wrong : check_region_runs(pass, draw);
   return wrong ? wrong : check_stages(draw);
}

static const char *
check_compute(const struct cm_pass *pass)
{
   const bool draws = pass->num_primitives || pass->num_vertices || pass->num_feedback ||
                      pass->num_vertex_accesses || pass->draws[0].num_vertices || pass->draws[0].num_elements;
   return pass->num_draws != 1 || draws || pass->depth.resource || pass->stencil.resource
             ? "a compute pass draws"
             : NULL;
}

static bool
check_part(const struct cm_primitive *primitive, uint32_t number)
{
   if (!primitive->reach_pixels)
      return !primitive->reach_percent;
   return number && primitive->draw == primitive[-1].draw && primitive->reach_pixels <= CM_MAX_GUARD_BAND &&
          primitive->num_attributes == primitive[-1].num_attributes;
}

/* Primitives' tiles follow one another and cover all of primitive_tiles. */
static const char *
check_primitives(const struct cm_pass *pass)
{
   const uint32_t num_tiles = pass->tiles_x * pass->tiles_y;
   uint64_t blocks = 0, first_tile = 0;
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      const struct cm_primitive *primitive = &pass->primitives[p];
      if (primitive->draw >= pass->num_draws)
         return "a primitive names a draw that is not there";
      if (!primitive->num_attributes || primitive->num_attributes > CM_MAX_PRIMITIVE_ATTRIBUTES)
         return "a primitive has no attributes, or too many";
      if (!primitive->num_tiles || primitive->first_tile != first_tile ||
          !is_part(first_tile, primitive->num_tiles, pass->num_primitive_tiles))
         return "a primitive has no tiles, or names some that are not there";
      if (!check_part(primitive, p))
         return "a primitive is a part of one that is not there, or is another draw's, or reaches too far";
      const uint32_t *tiles = pass->primitive_tiles + first_tile;
      for (uint32_t i = 0; i < primitive->num_tiles; i++) {
         if (tiles[i] >= num_tiles || (i && tiles[i] <= tiles[i - 1]))
            return "a primitive's tiles are not in the pass, or not ascending";
      }
      first_tile += primitive->num_tiles;
      blocks += primitive->num_attributes;
   }
   if (first_tile != pass->num_primitive_tiles)
      return "a pass has tiles that belong to no primitive";
   return blocks > UINT32_MAX ? "a pass has too many attributes" : NULL;
}

const char *
cm_check_pass(const struct cm_pass *pass)
{
   const char *wrong = cm_check_pass_size(pass);
   for (uint32_t d = 0; !wrong && d < pass->num_draws; d++)
      wrong = check_draw(pass, &pass->draws[d]);
   if (!wrong && pass->kind == CM_PASS_COMPUTE)
      wrong = check_compute(pass);
   return wrong ? wrong : check_primitives(pass);
}

static bool
are_descriptors(const struct cm_descriptors *descriptors)
{
   return descriptors->set && descriptors->set_size <= CM_MAX_SET_DESCRIPTORS && descriptors->count &&
          is_part(descriptors->first, descriptors->count, descriptors->set_size) &&
          descriptors->stage < CM_SHADER_STAGES && descriptors->parts &&
          descriptors->parts <= (CM_DESCRIPTOR_RESOURCE | CM_DESCRIPTOR_SAMPLER);
}

const char *
cm_check_descriptors(const struct cm_pass *pass)
{
   for (uint32_t d = 0; d < pass->num_descriptors; d++) {
      if (!are_descriptors(&pass->descriptors[d]))
         return "descriptors are not in their set, or of an unknown stage";
   }
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      const struct cm_draw *draw = &pass->draws[d];
      if (!is_part(draw->first_descriptor, draw->num_descriptors, pass->num_descriptors))
         return "a draw names descriptors that are not there";
   }
   return NULL;
}

/* ---- contents of tiles ----------------------------------------------------- */

#define SAME_FRAMES ((CM_SAME_AS_FRAME << CM_EARLIER_FRAMES) - CM_SAME_AS_FRAME)

/* Groups of a row, or a column, of a tile that has so many pixels of the pass before it. */
static uint32_t
groups_from(uint32_t pixels, uint32_t before, uint32_t tile_size)
{
   return before < pixels ? (cm_min(pixels - before, tile_size) + CM_GROUP_SIZE - 1) / CM_GROUP_SIZE : 0;
}

/* A resolve may have a part of the tile. */
static bool
is_surface(const struct cm_pass *pass, uint32_t tile, const struct cm_stored_surface *surface)
{
   const uint32_t columns = groups_from(pass->width, tile % pass->tiles_x * pass->tile_size, pass->tile_size);
   const uint32_t row = tile / pass->tiles_x % pass->layer_tiles_y;
   const uint32_t rows = groups_from(pass->height, row * pass->tile_size, pass->tile_size);
   if (surface->slot >= CM_CONTENT_RESOLVE) {
      const uint32_t color = surface->slot - CM_CONTENT_RESOLVE;
      return color < pass->num_color && pass->resolve[color].resource && surface->columns <= columns &&
             surface->rows <= rows;
   }
   if (surface->slot >= CM_SLOTS || (surface->slot < CM_SLOT_DEPTH && surface->slot >= pass->num_color))
      return false;
   const struct cm_attachment *attachment = cm_pass_attachment(pass, surface->slot);
   return attachment->resource && attachment->store && surface->columns == columns && surface->rows == rows;
}

static bool
has_values(const struct cm_stored_surface *surface)
{
   for (size_t g = 0; g < (size_t)surface->columns * surface->rows; g++) {
      if (surface->same[g] & ~(SAME_FRAMES | CM_SAME_AS_MEMORY))
         return false;
   }
   return true;
}

/* Sizes are those that the coding has. */
static const char *
check_content(const struct cm_pass *pass, uint32_t tile)
{
   const struct cm_tile_content *content = &pass->contents[tile];
   struct cm_stored_surface surface;
   int before = -1;
   if (content->same_inputs & ~SAME_FRAMES)
      return "a tile's inputs are the same as in a frame that is not looked at";
   for (size_t at = 0; cm_tile_content_next(content, &at, &surface); before = surface.slot) {
      if (pass->tile_size < CM_GROUP_SIZE || surface.slot <= before || !is_surface(pass, tile, &surface))
         return "a tile stores to a surface that the pass does not, or to another part of it";
      if (!has_values(&surface))
         return "contents of a tile are out of range";
   }
   return NULL;
}

const char *
cm_check_contents(const struct cm_pass *pass)
{
   const uint32_t num_tiles = pass->tiles_x * pass->tiles_y;
   if (pass->kind == CM_PASS_COMPUTE)
      return "a compute pass has contents of tiles";
   for (uint32_t t = 0; t < num_tiles; t++) {
      const char *wrong = check_content(pass, t);
      if (wrong)
         return wrong;
   }
   return NULL;
}

/* ---- names --------------------------------------------------------------- */

void
cm_name_check_begin(struct cm_name_check *check)
{
   free(check->depths);
   *check = (struct cm_name_check){0};
}

static const char *
check_group(struct cm_name_check *check, const struct cm_name *name)
{
   if (name->number != check->groups + 1)
      return "a group is not the next one";
   if (!name->string || name->parent >= name->number)
      return "a group names a string or a group that is not defined";
   const unsigned depth = name->parent ? check->depths[name->parent - 1] + 1u : 1;
   if (depth > CM_MAX_GROUP_DEPTH)
      return "a group is in too many others";
   if (!cm_array_grow(&check->depths, check->groups, 1))
      return CM_OUT_OF_MEMORY_FOR "groups";
   check->depths[check->groups++] = (uint8_t)depth;
   return NULL;
}

const char *
cm_check_name(struct cm_name_check *check, const struct cm_name *name)
{
   if (name->type == CM_NAME_STRING) {
      if (name->number != check->strings + 1)
         return "a string is not the next one";
      check->strings++;
      return NULL;
   }
   if (name->string > check->strings)
      return "a name is of a string that is not defined";
   if (name->type == CM_NAME_GROUP)
      return check_group(check, name);
   if (!name->number || name->number == UINT32_MAX)
      return "a name is of nothing";
   return name->type == CM_NAME_SHADER && name->stage >= CM_SHADER_STAGES ? "a shader of an unknown stage"
                                                                          : NULL;
}

const char *
cm_check_pass_names(const struct cm_name_check *check, const struct cm_pass *pass)
{
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      if (pass->draws[d].group > check->groups || pass->draws[d].marker > check->strings)
         return "a draw names a group or a string that is not defined";
   }
   return NULL;
}

/* ---- codes of shaders ------------------------------------------------------ */

const char *
cm_check_code(const struct cm_shader_code *code)
{
   if (code->stage >= CM_SHADER_STAGES || code->isa >= CM_ISA_COUNT || code->part >= CM_CODE_PARTS ||
       !code->shader)
      return "the code of a shader is of an unknown stage, instruction set or part";
   return !code->num_regions || code->num_regions > CM_MAX_REGIONS
             ? "the code of a shader has no regions, or too many"
             : NULL;
}
