/* SPDX-License-Identifier: MIT */
/**
 * Attachments of a pass that several subpasses draw, or that are read in the tile (VK_KHR_dynamic_rendering_local_read). A
 * fragment shader names outputs by its subpass's locations and input attachments by descriptors. The pass has both as colour
 * buffers, depth and stencil; before a draw, a variant of the shader is bound that names these. It reads input attachments
 * as shaders of OpenGL ES fetch from the framebuffer.
 */
#include <assert.h>
#include <string.h>

#include "util/hash_table.h"
#include "util/log.h"
#include "util/u_memory.h"
#include "nir.h"
#include <vulkan/vulkan_core.h>
#include "pass/tbr_batch.h"
#include "pipe/tbr_functions.h"
#include "state/tbr_context.h"
#include "vulkan/tbr_vulkan_context.h"

void lvp_map_attachments(struct pipe_context *context, const int *map, unsigned count, bool partial);
void lvp_clear_in_pass(struct pipe_context *context, unsigned buffers, const VkClearRect *rect,
                       const union pipe_color_union *color, double depth, unsigned stencil);

void
tbr_vulkan_reset_attachments(struct tbr_vulkan_context *vulkan)
{
   for (unsigned i = 0; i < TBR_MAX_COLOR_BUFFERS; i++)
      vulkan->color_of[i] = i;
}

/** A hook in lavapipe, at the beginning of a pass and of each subpass: the location of each colour attachment (NULL: its
 * number). partial: the attachments are those of several subpasses. */
void
lvp_map_attachments(struct pipe_context *context, const int *map, unsigned count, bool partial)
{
   struct tbr_vulkan_context *vulkan = tbr_vulkan_context(context);
   tbr_context(context)->partial_colors = partial || map;
   tbr_vulkan_reset_attachments(vulkan);
   if (!map)
      return;
   memset(vulkan->color_of, TBR_NO_ATTACHMENT, sizeof vulkan->color_of);
   for (unsigned i = 0; i < count; i++) {
      if (map[i] >= 0 && map[i] < TBR_MAX_COLOR_BUFFERS)
         vulkan->color_of[map[i]] = i;
   }
}

/** A hook in lavapipe, vkCmdClearAttachments: of all pixels and layers on chip, if nothing has been drawn yet; else drawn. */
void
lvp_clear_in_pass(struct pipe_context *context, unsigned buffers, const VkClearRect *rect,
                  const union pipe_color_union *color, double depth, unsigned stencil)
{
   const struct pipe_framebuffer_state *framebuffer = &tbr_context(context)->framebuffer;
   const struct pipe_scissor_state part = {
      .minx = rect->rect.offset.x,
      .miny = rect->rect.offset.y,
      .maxx = rect->rect.offset.x + rect->rect.extent.width,
      .maxy = rect->rect.offset.y + rect->rect.extent.height,
   };
   const unsigned num_layers = MAX2(framebuffer->layers, 1), first = rect->baseArrayLayer;
   assert(framebuffer->viewmask || first < num_layers);
   const unsigned count = MIN2(rect->layerCount, num_layers - first);
   const bool all_pixels =
      !part.minx && !part.miny && part.maxx == framebuffer->width && part.maxy == framebuffer->height;
   const bool all_layers =
      framebuffer->viewmask ? framebuffer->viewmask == BITFIELD_MASK(num_layers) : count == num_layers;
   if (framebuffer->viewmask || (all_pixels && all_layers))
      context->clear(context, buffers, all_pixels && all_layers ? NULL : &part, color, depth, stencil);
   else
      tbr_clear_layers(tbr_context(context), buffers, &part, first, count, color, depth, stencil);
}

/* ---- finding attachments --------------------------------------------------- */

static bool
is_of_surface(const struct pipe_image_view *image, const struct pipe_surface *surface)
{
   return surface && surface->texture == image->resource && surface->u.tex.level == image->u.tex.level &&
          surface->u.tex.first_layer == image->u.tex.first_layer;
}

/** The attachment of the bound framebuffer that an input attachment is. */
static uint8_t
find_attachment(const struct tbr_context *context, const struct tbr_vulkan_handle *handle, bool is_integer)
{
   const struct pipe_framebuffer_state *framebuffer = &context->framebuffer;
   if (!handle || !handle->image.resource)
      return TBR_NO_ATTACHMENT;
   if (is_of_surface(&handle->image, framebuffer->zsbuf))
      return is_integer ? TBR_STENCIL : TBR_DEPTH;
   for (unsigned i = 0; i < framebuffer->nr_cbufs; i++) {
      if (is_of_surface(&handle->image, framebuffer->cbufs[i]) &&
          framebuffer->cbufs[i]->format == handle->image.format)
         return TBR_COLOR0 + i;
   }
   return TBR_NO_ATTACHMENT;
}

static struct tbr_attachment_map
find_attachments(struct pipe_context *base)
{
   const struct tbr_vulkan_context *vulkan = tbr_vulkan_context(base);
   const struct tbr_vulkan_stage *stage = &vulkan->stages[PIPE_SHADER_FRAGMENT];
   const struct tbr_descriptor_slots *slots = &stage->shader->slots;
   struct tbr_attachment_map map;
   memset(&map, TBR_NO_ATTACHMENT, sizeof map);
   for (unsigned i = 0; i < TBR_MAX_COLOR_BUFFERS; i++)
      map.color[i] = stage->shader->outputs >> i & 1 ? vulkan->color_of[i] : i;
   for (unsigned i = 0; i < slots->num_inputs; i++) {
      const struct lp_descriptor *descriptor = tbr_vulkan_find_descriptor(stage, slots->inputs[i].image);
      map.input[i] = find_attachment(tbr_context(base), tbr_vulkan_find_handle(vulkan, descriptor),
                                     slots->inputs[i].is_integer);
   }
   return map;
}

/* ---- variants -------------------------------------------------------------------- */

/** Whether the shader as it is names what the pass has. */
static bool
is_identity(const struct tbr_attachment_map *map)
{
   for (unsigned i = 0; i < TBR_MAX_COLOR_BUFFERS; i++) {
      if (map->color[i] != i)
         return false;
   }
   for (unsigned i = 0; i < TBR_MAX_INPUT_ATTACHMENTS; i++) {
      if (map->input[i] != TBR_NO_ATTACHMENT)
         return false;
   }
   return true;
}

/** NULL when out of memory. */
static struct tbr_vulkan_variant *
create_variant(struct pipe_context *context, struct tbr_vulkan_shader *shader,
               const struct tbr_attachment_map *map)
{
   struct tbr_vulkan_context *vulkan = tbr_vulkan_context(context);
   struct tbr_vulkan_variant *variant = CALLOC_STRUCT(tbr_vulkan_variant);
   struct tbr_vulkan_variant **place =
      variant ? util_dynarray_grow(&shader->variants, struct tbr_vulkan_variant *, 1) : NULL;
   if (!place) {
      FREE(variant);
      return NULL;
   }
   nir_shader *nir = nir_shader_clone(NULL, shader->nir);
   variant->map = *map;
   tbr_vulkan_prepare_shader(context, nir, map, &variant->slots);
   const struct pipe_shader_state state = {.type = PIPE_SHADER_IR_NIR, .ir.nir = nir};
   variant->shader = vulkan->driver.create_fs_state(context, &state);
   if (!variant->shader || !_mesa_hash_table_insert(vulkan->shaders, variant->shader, shader)) {
      shader->variants.size -= sizeof *place;
      FREE(variant);
      return NULL;
   }
   *place = variant;
   return variant;
}

static struct tbr_vulkan_variant *
find_variant(struct pipe_context *context, struct tbr_vulkan_shader *shader,
             const struct tbr_attachment_map *map)
{
   util_dynarray_foreach (&shader->variants, struct tbr_vulkan_variant *, variant) {
      if (!memcmp(&(*variant)->map, map, sizeof *map))
         return *variant;
   }
   return create_variant(context, shader, map);
}

/* ---- what is not in the tile ------------------------------------------------- */

static bool
is_attached(const struct tbr_batch *batch, const struct pipe_resource *resource)
{
   u_foreach_bit (i, batch->pass.attached) {
      if (batch->surfaces[i]->texture == resource)
         return true;
   }
   return false;
}

/** Whether the fragment shader reads what the pass draws from memory, as a texture or as an image. */
static bool
reads_pass_in_memory(struct pipe_context *context, const struct tbr_batch *batch)
{
   const struct tbr_vulkan_context *vulkan = tbr_vulkan_context(context);
   const struct tbr_vulkan_stage *stage = &vulkan->stages[PIPE_SHADER_FRAGMENT];
   const struct tbr_descriptor_slots *slots = stage->slots;
   for (unsigned i = 0; i < slots->num_images; i++) {
      const struct tbr_vulkan_handle *handle =
         tbr_vulkan_find_handle(vulkan, tbr_vulkan_find_descriptor(stage, slots->images[i]));
      if (handle && handle->image.resource && is_attached(batch, handle->image.resource))
         return true;
   }
   for (unsigned i = 0; i < slots->num_textures; i++) {
      const struct tbr_vulkan_handle *handle =
         tbr_vulkan_find_handle(vulkan, tbr_vulkan_find_descriptor(stage, slots->textures[i].texture));
      if (handle && handle->view && is_attached(batch, handle->view->texture))
         return true;
   }
   return false;
}

/** Ends the batch, which stores its attachments, if a draw reads them in memory. */
static void
split_pass(struct pipe_context *base)
{
   struct tbr_context *context = tbr_context(base);
   const struct tbr_batch *batch = context->batch;
   const struct tbr_vulkan_shader *shader = tbr_vulkan_context(base)->stages[PIPE_SHADER_FRAGMENT].shader;
   if (batch && (context->partial_colors || shader->slots.num_inputs) && reads_pass_in_memory(base, batch))
      tbr_batch_flush(context, CM_END_BARRIER);
}

/* ---- draws ------------------------------------------------------------------------- */

bool
tbr_vulkan_place_attachments(struct pipe_context *context)
{
   struct tbr_vulkan_context *vulkan = tbr_vulkan_context(context);
   struct tbr_vulkan_stage *stage = &vulkan->stages[PIPE_SHADER_FRAGMENT];
   struct tbr_vulkan_shader *shader = stage->shader;
   if (!shader || shader->slots.missing)
      return true;
   const struct tbr_attachment_map map = find_attachments(context);
   void *wanted = shader->shader;
   stage->slots = &shader->slots;
   if (!is_identity(&map)) {
      const struct tbr_vulkan_variant *variant = find_variant(context, shader, &map);
      if (!variant) {
         mesa_loge("a draw was lost: out of memory");
         return false;
      }
      wanted = variant->shader;
      stage->slots = &variant->slots;
   }
   if (wanted != stage->bound)
      vulkan->driver.bind_fs_state(context, wanted);
   stage->bound = wanted;
   split_pass(context);
   return true;
}
