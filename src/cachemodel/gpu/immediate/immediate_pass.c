/* SPDX-License-Identifier: MIT */
/* What an immediate-mode GPU does to the attachments of a pass as a whole: clears, resolves, what is left in the
 * render caches at the end. */
#include <assert.h>

#include "gpu/attribution_internal.h"
#include "gpu/immediate/immediate_internal.h"
#include "gpu/tiled/stages.h"
#include "util/minmax.h"

/** Attachments are cleared and resolved in areas of so many pixels per side: those of the largest tile, so that the
 * order does not depend on the renderer's tiles where all are touched. */
#define AREA_SIZE 64

/* ---- attachments ------------------------------------------------------- */

static void
select_layer(struct cm_immediate *immediate, uint32_t layer)
{
   immediate->layer = layer;
   for (uint32_t s = 0; s < immediate->num_surfaces; s++)
      cm_render_surface_select(&immediate->surfaces[s], layer);
   if (immediate->hiz)
      immediate->hiz_address = cm_hiz_layer_address(immediate->hiz, immediate->gpu->pass->depth.level,
                                                    immediate->gpu->pass->depth.layer + layer);
}

void
cm_immediate_select_layer(struct cm_immediate *immediate, uint32_t layer)
{
   if (layer != immediate->layer)
      select_layer(immediate, layer);
}

/* The bits of what fast clears clear. */
static bool
bind_cleared(struct cm_immediate *immediate)
{
   struct cm_gpu *gpu = immediate->gpu;
   const bool clears_stencil_in_depth = immediate->stencil_is_depth && gpu->pass->stencil.clear;
   for (uint32_t s = 0; s < immediate->num_surfaces; s++) {
      const struct cm_render_surface *surface = &immediate->surfaces[s];
      const bool clears =
         surface->attachment->clear || (surface == immediate->depth && clears_stencil_in_depth);
      if (surface->resource && clears &&
          !cm_address_space_use_cleared(&gpu->space, surface->resource, surface->stream, &gpu->hierarchy,
                                        gpu->pipeline))
         return false;
   }
   return true;
}

bool
cm_immediate_bind(struct cm_immediate *immediate)
{
   struct cm_gpu *gpu = immediate->gpu;
   const struct cm_pass *pass = gpu->pass;
   const struct cm_framebuffer_stage *framebuffer = immediate->framebuffer;
   immediate->num_color = framebuffer->num_color;
   immediate->num_surfaces = framebuffer->num_attachments;
   immediate->depth = &immediate->surfaces[immediate->num_color];
   immediate->stencil = immediate->depth + 1;
   for (uint32_t s = 0; s < immediate->num_surfaces; s++)
      cm_render_surface_bind(&immediate->surfaces[s], gpu, framebuffer->attachments[s],
                             framebuffer->streams[s]);
   immediate->stencil_is_depth =
      pass->stencil.resource && pass->stencil.resource == pass->depth.resource && !pass->stencil.pixel_bytes;
   immediate->hiz = NULL;
   if (immediate->depth->resource) {
      immediate->hiz = cm_address_space_use_hiz(&gpu->space, immediate->depth->resource);
      if (!immediate->hiz)
         return false;
      immediate->hiz_level = &immediate->hiz->levels[pass->depth.level % immediate->hiz->num_levels];
   }
   if (gpu->config.immediate.clears == CM_CLEARS_FAST && !bind_cleared(immediate))
      return false;
   select_layer(immediate, 0);
   return true;
}

/* ---- parts of a layer -------------------------------------------------- */

struct task {
   void (*act)(struct cm_immediate *immediate, const struct task *task, struct cm_rectangle part);
   struct cm_render_surface *surface;
   const struct cm_resolve *resolve;
   bool keep_part; /* a part of each pixel is not cleared */
};

static bool
is_touched(const struct cm_immediate *immediate, uint32_t x, uint32_t y)
{
   assert(x < immediate->gpu->pass->tiles_x && y < immediate->gpu->pass->layer_tiles_y);
   const struct cm_pass *pass = immediate->gpu->pass;
   return pass->touched[(immediate->layer * pass->layer_tiles_y + y) * pass->tiles_x + x];
}

/* tiles: columns and rows of those of the layer. */
static void
act_on_tiles(struct cm_immediate *immediate, const struct task *task, struct cm_rectangle tiles)
{
   const struct cm_pass *pass = immediate->gpu->pass;
   const uint32_t size = pass->tile_size;
   const struct cm_rectangle part = {tiles.x0 * size, tiles.y0 * size, cm_min(tiles.x1 * size, pass->width),
                                     cm_min(tiles.y1 * size, pass->height)};
   if (part.x0 < part.x1 && part.y0 < part.y1)
      task->act(immediate, task, part);
}

/* An area at once, or, where not all of it is touched, those of its tiles that are. */
static void
act_on_area(struct cm_immediate *immediate, const struct task *task, struct cm_rectangle area)
{
   const uint32_t width = area.x1 - area.x0, count = width * (area.y1 - area.y0);
   uint32_t touched = 0;
   for (uint32_t t = 0; t < count; t++)
      touched += is_touched(immediate, area.x0 + t % width, area.y0 + t / width);
   if (touched == count) {
      act_on_tiles(immediate, task, area);
      return;
   }
   for (uint32_t t = 0; t < count; t++) {
      const uint32_t x = area.x0 + t % width, y = area.y0 + t / width;
      if (is_touched(immediate, x, y))
         act_on_tiles(immediate, task, (struct cm_rectangle){x, y, x + 1, y + 1});
   }
}

/* All that is touched of the layer that is selected. */
static void
act_on_layer(struct cm_immediate *immediate, const struct task *task)
{
   const struct cm_pass *pass = immediate->gpu->pass;
   assert(pass->tile_size && pass->tile_size <= AREA_SIZE);
   const uint32_t step = AREA_SIZE / pass->tile_size;
   for (uint32_t y = 0; y < pass->layer_tiles_y; y += step) {
      for (uint32_t x = 0; x < pass->tiles_x; x += step)
         act_on_area(immediate, task,
                     (struct cm_rectangle){x, y, cm_min(x + step, pass->tiles_x),
                                           cm_min(y + step, pass->layer_tiles_y)});
   }
}

/* ---- clears ------------------------------------------------------------ */

static void
clear_part(struct cm_immediate *immediate, const struct task *task, struct cm_rectangle part)
{
   struct cm_render_surface *surface = task->surface;
   const struct cm_attachment *attachment = surface->attachment;
   const uint32_t layer = attachment->layer + immediate->layer;
   if (task->keep_part)
      cm_framebuffer_transfer(immediate->gpu, attachment->resource, attachment->level, layer, part,
                              surface->stream, CM_TRANSFER_LOAD, NULL);
   cm_framebuffer_transfer(immediate->gpu, attachment->resource, attachment->level, layer, part,
                           surface->stream, task->keep_part ? CM_TRANSFER_STORE : CM_TRANSFER_CLEAR, NULL);
   surface->written = true;
}

/* Block by block; one of which all regions are cleared is not read. */
static void
clear_hiz(struct cm_immediate *immediate, const struct task *task, struct cm_rectangle part)
{
   assert(immediate->hiz && task->surface == immediate->depth);
   const uint32_t columns = task->surface->level->columns, rows = task->surface->level->rows;
   const struct cm_hiz_buffer *hiz = immediate->hiz;
   const uint32_t width = 1u << hiz->shape.block_column_shift, height = 1u << hiz->shape.block_row_shift;
   struct cm_hierarchy *hierarchy = &immediate->gpu->hierarchy;
   cm_gpu_attribute_resource(immediate->gpu, immediate->gpu->pass->depth.resource);
   part.x1 = cm_min(part.x1, columns);
   part.y1 = cm_min(part.y1, rows);
   for (uint32_t y = part.y0 & ~(height - 1); y < part.y1; y += height) {
      for (uint32_t x = part.x0 & ~(width - 1); x < part.x1; x += width) {
         const bool whole = x >= part.x0 && y >= part.y0 && cm_min(x + width, columns) <= part.x1 &&
                            cm_min(y + height, rows) <= part.y1;
         const uint64_t address =
            immediate->hiz_address + cm_hiz_region_offset(hiz, immediate->hiz_level, x, y);
         if (hiz->cleared && whole)
            cm_cleared_blocks_add(hiz->cleared, address);
         else if (hiz->cleared)
            cm_cleared_blocks_access(hiz->cleared, hierarchy, address, CM_STREAM_HIZ, CM_WRITE);
         else
            cm_hierarchy_access_range(hierarchy, 0, address,
                                      whole ? CM_HIZ_BLOCK_BYTES : hiz->shape.region_bytes, CM_STREAM_HIZ,
                                      true);
      }
   }
}

static void
clear_surface(struct cm_immediate *immediate, struct cm_render_surface *surface, bool keep_part)
{
   const struct cm_pass *pass = immediate->gpu->pass;
   const struct task pixels = {.act = clear_part, .surface = surface, .keep_part = keep_part};
   const struct task hiz = {.act = clear_hiz, .surface = surface};
   for (uint32_t layer = 0; surface->resource && layer < pass->tiles_y / pass->layer_tiles_y; layer++) {
      cm_immediate_select_layer(immediate, layer);
      if (!surface->has_layer)
         continue;
      act_on_layer(immediate, &pixels);
      if (surface == immediate->depth && pass->depth.clear)
         act_on_layer(immediate, &hiz);
   }
}

void
cm_immediate_clear(struct cm_immediate *immediate)
{
   const struct cm_pass *pass = immediate->gpu->pass;
   if (immediate->stencil_is_depth) {
      /* One of the two may be cleared while the other keeps its content. */
      if (pass->depth.clear || pass->stencil.clear)
         clear_surface(immediate, immediate->depth, pass->depth.load || pass->stencil.load);
   } else {
      if (pass->depth.clear)
         clear_surface(immediate, immediate->depth, false);
      if (pass->stencil.clear)
         clear_surface(immediate, immediate->stencil, false);
   }
   for (uint32_t c = 0; c < immediate->num_color; c++) {
      if (pass->color[c].clear)
         clear_surface(immediate, &immediate->surfaces[c], false);
   }
}

/* ---- resolves ---------------------------------------------------------- */

/* The samples of a part, then what they become. */
static void
resolve_part(struct cm_immediate *immediate, const struct task *task, struct cm_rectangle part)
{
   assert(task->resolve && task->surface->attachment);
   const struct cm_resolve *resolve = task->resolve;
   const struct cm_render_surface *surface = task->surface;
   const struct cm_rectangle source = {
      cm_max(part.x0, resolve->x0),
      cm_max(part.y0, resolve->y0),
      cm_min(part.x1, resolve->x1),
      cm_min(part.y1, resolve->y1),
   };
   if (source.x0 >= source.x1 || source.y0 >= source.y1)
      return;
   cm_framebuffer_transfer(immediate->gpu, surface->attachment->resource, surface->attachment->level,
                           surface->attachment->layer + immediate->layer, source, surface->stream,
                           CM_TRANSFER_LOAD, NULL);
   cm_framebuffer_resolve(immediate->gpu, resolve, immediate->layer, part, CM_TRANSFER_STORE, NULL);
}

void
cm_immediate_resolve(struct cm_immediate *immediate)
{
   const struct cm_pass *pass = immediate->gpu->pass;
   for (uint32_t c = 0; c < immediate->num_color; c++) {
      const struct task task = {.act = resolve_part,
                                .surface = &immediate->surfaces[c],
                                .resolve = &pass->resolve[c]};
      if (!pass->resolve[c].resource || !immediate->surfaces[c].resource)
         continue;
      for (uint32_t layer = 0; layer < cm_framebuffer_resolved_layers(pass, c); layer++) {
         cm_immediate_select_layer(immediate, layer);
         act_on_layer(immediate, &task);
      }
   }
   cm_immediate_select_layer(immediate, 0);
}

/* ---- before and after a pass --------------------------------------------- */

/* Caches on a stream's way that textures do not pass: what they have would be missing, or be old, elsewhere. */
static void
empty_render_caches(struct cm_gpu *gpu, enum cm_stream stream, uint64_t begin, uint64_t end)
{
   const struct cm_config *config = &gpu->config;
   for (enum cm_unit unit = config->streams[stream];
        unit != CM_UNIT_DRAM && !cm_stream_reaches(config, CM_STREAM_TEXTURE, unit);
        unit = config->caches[unit].next)
      cm_hierarchy_invalidate(&gpu->hierarchy, unit, begin, end);
}

/* What render caches kept of an attachment. */
static void
empty_kept(struct cm_gpu *gpu, struct cm_resource *resource)
{
   assert(resource->kept <= CM_STREAM_COUNT);
   cm_gpu_attribute_resource(gpu, resource->description.id);
   if (resource->kept)
      empty_render_caches(gpu, (enum cm_stream)(resource->kept - 1), resource->address,
                          resource->address + resource->bytes);
   resource->kept = 0;
}

/* Blocks that have their clear value from a bit get it in memory, or in the render caches. */
static void
eliminate_clears(struct cm_gpu *gpu, struct cm_resource *resource)
{
   if (!resource->cleared || !resource->cleared->set)
      return;
   if (resource->kept != 1 + (uint32_t)resource->cleared->stream)
      empty_kept(gpu, resource);
   cm_gpu_attribute_resource(gpu, resource->description.id);
   cm_cleared_blocks_eliminate(resource->cleared, &gpu->hierarchy);
   resource->kept = 1 + (uint32_t)resource->cleared->stream;
}

void
cm_immediate_prepare(struct cm_immediate *immediate)
{
   struct cm_gpu *gpu = immediate->gpu;
   for (uint32_t d = 0; d < gpu->pass->num_draws; d++) {
      struct cm_resource *const *textures = cm_fragment_stage_textures(immediate->fragment, d);
      for (uint32_t unit = 0; unit < CM_MAX_TEXTURE_UNITS; unit++) {
         if (!textures[unit])
            continue;
         eliminate_clears(gpu, textures[unit]);
         empty_kept(gpu, textures[unit]);
      }
   }
   /* The units of an attachment's stream take it over from those of another one: stencil and depth may share pixels. */
   for (uint32_t s = 0; s < immediate->num_surfaces; s++) {
      struct cm_resource *resource = immediate->surfaces[s].resource;
      if (resource && resource->kept != 1 + (uint32_t)immediate->surfaces[s].stream)
         empty_kept(gpu, resource);
   }
}

/* Memory has what the display reads; other attachments may stay in the render caches. */
static void
write_back(struct cm_gpu *gpu, struct cm_resource *resource, enum cm_stream stream, bool written)
{
   if (!resource)
      return;
   const bool displayable = resource->description.is_displayable;
   if (displayable)
      eliminate_clears(gpu, resource);
   resource->kept = 1 + (uint32_t)stream;
   if (displayable || gpu->config.immediate.render_caches == CM_RENDER_CACHES_EMPTIED)
      empty_kept(gpu, resource);
   if (written && resource->sampled)
      cm_gpu_written_past(gpu, resource, stream);
}

void
cm_immediate_write_back(struct cm_immediate *immediate)
{
   struct cm_gpu *gpu = immediate->gpu;
   for (uint32_t s = 0; s < immediate->num_surfaces; s++) {
      const struct cm_render_surface *surface = &immediate->surfaces[s];
      write_back(gpu, surface->resource, surface->stream, surface->written);
   }
   cm_gpu_attribute_resource(gpu, gpu->pass->depth.resource);
   if (immediate->hiz && gpu->config.immediate.render_caches == CM_RENDER_CACHES_EMPTIED)
      empty_render_caches(gpu, CM_STREAM_HIZ, immediate->hiz->address,
                          immediate->hiz->address + immediate->hiz->bytes);
   for (uint32_t c = 0; c < immediate->num_color; c++) {
      struct cm_resource *target = cm_address_space_use(&gpu->space, gpu->pass->resolve[c].resource);
      write_back(gpu, target, cm_framebuffer_color_stream(gpu, target), true);
   }
}
