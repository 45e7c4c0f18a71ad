/* SPDX-License-Identifier: MIT */
/** What shaders use of the bound descriptor sets is bound to their slots, before each draw and dispatch. */
#include <assert.h>
#include <string.h>

#include "util/box.h"
#include "util/format/u_format.h"
#include "util/hash_table.h"
#include "util/log.h"
#include "util/u_atomic.h"
#include "util/u_framebuffer.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "nir.h"
#include "nir_control_flow.h"
#include "state/tbr_context.h"
#include "state/tbr_resource.h"
#include "vulkan/tbr_vulkan_context.h"
#include "vulkan/tbr_vulkan_queue.h"
#include "vulkan/tbr_vulkan_nir.h"

struct sampler {
   struct pipe_sampler_state key;
   void *state;
};

/* ---- handles --------------------------------------------------------------- */

/** The number of a sampler's state; number 0 is that of textures which are used without one. */
static uint32_t
sampler_number(struct pipe_context *context, const struct pipe_sampler_state *state)
{
   struct tbr_vulkan_context *vulkan = tbr_vulkan_context(context);
   const unsigned count = util_dynarray_num_elements(&vulkan->samplers, struct sampler *);
   for (unsigned i = 0; i < count; i++) {
      struct sampler *sampler = *util_dynarray_element(&vulkan->samplers, struct sampler *, i);
      if (!memcmp(&sampler->key, state, sizeof *state))
         return i;
   }
   struct sampler *sampler = CALLOC_STRUCT(sampler);
   if (!sampler)
      return 0;
   memcpy(&sampler->key, state, sizeof *state);
   sampler->state = context->create_sampler_state(context, state);
   util_dynarray_append(&vulkan->samplers, struct sampler *, sampler);
   return count;
}

static void *
sampler_state(struct tbr_vulkan_context *vulkan, const struct lp_descriptor *descriptor)
{
   const uint32_t number = descriptor ? descriptor->texture.sampler_index : 0;
   const unsigned count = util_dynarray_num_elements(&vulkan->samplers, struct sampler *);
   return (*util_dynarray_element(&vulkan->samplers, struct sampler *, number < count ? number : 0))->state;
}

static struct tbr_vulkan_handle *
create_handle(struct tbr_vulkan_context *vulkan)
{
   struct tbr_vulkan_handle *handle = CALLOC_STRUCT(tbr_vulkan_handle);
   if (!handle)
      return NULL;
   handle->base.functions = (void *)++vulkan->last_handle;
   if (!_mesa_hash_table_insert(vulkan->handles, handle->base.functions, handle)) {
      FREE(handle);
      return NULL;
   }
   return handle;
}

static uint64_t
create_texture_handle(struct pipe_context *context, struct pipe_sampler_view *view,
                      const struct pipe_sampler_state *sampler)
{
   struct tbr_vulkan_handle *handle = create_handle(tbr_vulkan_context(context));
   if (handle && sampler)
      handle->base.sampler_index = sampler_number(context, sampler);
   if (handle && view && view->texture)
      pipe_sampler_view_reference(&handle->view, view);
   return (uint64_t)(uintptr_t)handle;
}

static uint64_t
create_image_handle(struct pipe_context *context, const struct pipe_image_view *view)
{
   struct tbr_vulkan_handle *handle = create_handle(tbr_vulkan_context(context));
   if (handle)
      util_copy_image_view(&handle->image, view);
   return (uint64_t)(uintptr_t)handle;
}

static void
delete_handle(struct pipe_context *context, uint64_t number)
{
   struct tbr_vulkan_handle *handle = (struct tbr_vulkan_handle *)(uintptr_t)number;
   if (!handle)
      return;
   _mesa_hash_table_remove_key(tbr_vulkan_context(context)->handles, handle->base.functions);
   pipe_sampler_view_reference(&handle->view, NULL);
   util_copy_image_view(&handle->image, NULL);
   FREE(handle);
}

const struct tbr_vulkan_handle *
tbr_vulkan_find_handle(const struct tbr_vulkan_context *vulkan, const struct lp_descriptor *descriptor)
{
   struct hash_entry *entry = descriptor && descriptor->functions
                                 ? _mesa_hash_table_search(vulkan->handles, descriptor->functions)
                                 : NULL;
   return entry ? entry->data : NULL;
}

/* ---- binding ----------------------------------------------------------------- */

const struct lp_descriptor *
tbr_vulkan_find_descriptor(const struct tbr_vulkan_stage *stage, struct tbr_descriptor_place place)
{
   assert(place.set < TBR_VULKAN_SETS);
   const struct pipe_constant_buffer *set = &stage->sets[place.set];
   const uint64_t offset = set->buffer_offset + (uint64_t)place.index * sizeof(struct lp_descriptor);
   if (!set->buffer || offset + sizeof(struct lp_descriptor) > set->buffer->width0)
      return NULL;
   return (const struct lp_descriptor *)(tbr_vulkan_buffer_memory(set->buffer) + offset);
}

/** The part of a buffer that a descriptor describes, with a reference. */
static struct pipe_shader_buffer
find_buffer(struct pipe_context *context, const struct lp_descriptor *descriptor)
{
   struct pipe_shader_buffer found = {0};
   if (!descriptor)
      return found;
   found.buffer = tbr_vulkan_find_buffer(context->screen, (uint32_t)(uintptr_t)descriptor->functions);
   if (!found.buffer)
      return found;
   const uint64_t offset =
      (uint64_t)((const uint8_t *)descriptor->buffer.u - tbr_vulkan_buffer_memory(found.buffer));
   const uint64_t bytes = found.buffer->width0;
   found.buffer_offset = (unsigned)MIN2(offset, bytes);
   found.buffer_size = (unsigned)MIN2(descriptor->buffer.num_elements, bytes - found.buffer_offset);
   return found;
}

/** A stage whose slots are bound. */
struct binding {
   struct pipe_context *context;
   struct tbr_vulkan_context *vulkan;
   const struct tbr_context *bound; /**< has what is bound so far */
   enum pipe_shader_type number;
   struct tbr_vulkan_stage *stage;
   const struct tbr_descriptor_slots *slots; /**< not NULL: without a shader there are none */
};

static void
bind_textures(const struct binding *binding)
{
   struct pipe_context *context = binding->context;
   struct tbr_vulkan_stage *stage = binding->stage;
   const enum pipe_shader_type number = binding->number;
   const unsigned count = binding->slots->num_textures;
   struct pipe_sampler_view *views[TBR_MAX_TEXTURES];
   void *samplers[TBR_MAX_TEXTURES];
   bool new_views = count < stage->num_textures, new_samplers = false;
   for (unsigned i = 0; i < count; i++) {
      const struct tbr_vulkan_handle *handle =
         tbr_vulkan_find_handle(binding->vulkan,
                                tbr_vulkan_find_descriptor(stage, binding->slots->textures[i].texture));
      const struct tbr_descriptor_place sampler = binding->slots->textures[i].sampler;
      views[i] = handle ? handle->view : NULL;
      samplers[i] =
         sampler_state(binding->vulkan, sampler.set ? tbr_vulkan_find_descriptor(stage, sampler) : NULL);
      new_views |= views[i] != binding->bound->sampler_views[number][i];
      new_samplers |= samplers[i] != binding->bound->samplers[number][i];
   }
   if (new_views)
      context->set_sampler_views(context, number, 0, count,
                                 stage->num_textures > count ? stage->num_textures - count : 0, false, views);
   if (new_samplers)
      context->bind_sampler_states(context, number, 0, count, samplers);
   stage->num_textures = count;
}

static bool
is_same_block(const struct pipe_constant_buffer *a, const struct pipe_constant_buffer *b)
{
   return a->buffer == b->buffer && a->buffer_offset == b->buffer_offset && a->buffer_size == b->buffer_size;
}

/** Blocks that are inline in the bound sets, one after another in a buffer. */
static void
bind_inline_blocks(const struct binding *binding)
{
   const struct tbr_descriptor_slots *slots = binding->slots;
   struct tbr_vulkan_stage *stage = binding->stage;
   uint8_t packed[TBR_MAX_INLINE_BLOCKS * TBR_MAX_INLINE_BYTES];
   memset(packed, 0, slots->inline_bytes);
   for (unsigned i = 0; i < slots->num_inline; i++) {
      const struct pipe_constant_buffer *set = &stage->sets[slots->inline_blocks[i].set];
      const uint64_t offset = (uint64_t)set->buffer_offset + slots->inline_blocks[i].offset;
      const uint64_t bytes = slots->inline_blocks[i].bytes;
      if (set->buffer && offset + bytes <= set->buffer->width0)
         memcpy(packed + slots->inline_blocks[i].packed, tbr_vulkan_buffer_memory(set->buffer) + offset,
                bytes);
   }
   const struct pipe_constant_buffer *bound = &binding->bound->constants[binding->number][slots->inline_slot];
   if (stage->inline_slot == slots->inline_slot && bound->buffer &&
       bound->buffer_size == slots->inline_bytes && !memcmp(stage->inline_data, packed, slots->inline_bytes))
      return;
   memcpy(stage->inline_data, packed, slots->inline_bytes);
   const struct pipe_constant_buffer block = {.buffer_size = slots->inline_bytes, .user_buffer = packed};
   binding->vulkan->driver.set_constant_buffer(binding->context, binding->number, slots->inline_slot, false,
                                               &block);
}

static void
bind_constants(const struct binding *binding)
{
   struct pipe_context *context = binding->context;
   struct tbr_vulkan_stage *stage = binding->stage;
   const struct tbr_descriptor_slots *slots = binding->slots;
   const unsigned count = slots->num_constants;
   for (unsigned i = 1; i < MAX2(count, stage->num_constants); i++) {
      if (i < count && i == slots->inline_slot) {
         bind_inline_blocks(binding);
         continue;
      }
      struct pipe_constant_buffer block = {0};
      struct pipe_shader_buffer found = {0};
      if (i < count) {
         found = find_buffer(context, tbr_vulkan_find_descriptor(stage, slots->constants[i]));
         block.buffer = found.buffer;
         block.buffer_offset = found.buffer_offset;
         block.buffer_size = found.buffer_size;
      }
      if (!is_same_block(&block, &binding->bound->constants[binding->number][i]))
         binding->vulkan->driver.set_constant_buffer(context, binding->number, i, false,
                                                     block.buffer ? &block : NULL);
      pipe_resource_reference(&found.buffer, NULL);
   }
   stage->num_constants = count;
   stage->inline_slot = slots->inline_slot;
}

static void
bind_buffers(const struct binding *binding)
{
   struct pipe_context *context = binding->context;
   struct tbr_vulkan_stage *stage = binding->stage;
   const enum pipe_shader_type number = binding->number;
   const struct tbr_context *bound = binding->bound;
   const unsigned count = binding->slots->num_buffers, all = MAX2(count, stage->num_buffers);
   struct pipe_shader_buffer buffers[TBR_MAX_STORAGE_BUFFERS] = {0};
   bool changed = false;
   const uint32_t written = binding->slots->written_buffers;
   for (unsigned i = 0; i < all; i++) {
      const struct pipe_shader_buffer *old = &bound->shader_buffers[number][i];
      if (i < count)
         buffers[i] = find_buffer(context, tbr_vulkan_find_descriptor(stage, binding->slots->buffers[i]));
      changed |= buffers[i].buffer != old->buffer || buffers[i].buffer_offset != old->buffer_offset ||
                 buffers[i].buffer_size != old->buffer_size;
   }
   if (changed || (all && written != (bound->writable_buffers[number] & BITFIELD_MASK(all))))
      context->set_shader_buffers(context, number, 0, all, buffers, written);
   for (unsigned i = 0; i < count; i++)
      pipe_resource_reference(&buffers[i].buffer, NULL);
   stage->num_buffers = count;
}

/** Whether shaders can load from it. They cannot where it is an input attachment of depth or stencil which is not read in the
 * tile; that is said once. */
static bool
is_loadable(struct tbr_vulkan_context *vulkan, const struct pipe_image_view *image)
{
   if (!util_format_is_depth_or_stencil(image->format))
      return true;
   if (!vulkan->reported_depth)
      mesa_loge(
         "Vulkan: input attachments of depth and stencil can be read on the simulated GPU where they are "
         "in the tile, at the own sample: shaders get zeros");
   vulkan->reported_depth = true;
   return false;
}

static void
bind_images(const struct binding *binding)
{
   struct tbr_vulkan_context *vulkan = binding->vulkan;
   struct tbr_vulkan_stage *stage = binding->stage;
   const struct tbr_descriptor_slots *slots = binding->slots;
   const unsigned count = slots->num_images, all = MAX2(count, stage->num_images);
   struct pipe_image_view images[TBR_MAX_IMAGES] = {0};
   bool changed = false;
   for (unsigned i = 0; i < all; i++) {
      const struct tbr_vulkan_handle *handle =
         i < count ? tbr_vulkan_find_handle(vulkan, tbr_vulkan_find_descriptor(stage, slots->images[i]))
                   : NULL;
      if (handle && handle->image.resource && is_loadable(vulkan, &handle->image)) {
         images[i] = handle->image;
         images[i].access = images[i].shader_access = slots->image_access[i];
      }
      changed |= memcmp(&images[i], &binding->bound->images[binding->number][i], sizeof images[i]) != 0;
   }
   if (changed)
      binding->context->set_shader_images(binding->context, binding->number, 0, all, 0, images);
   stage->num_images = count;
}

static void
bind_stage(struct pipe_context *context, enum pipe_shader_type number)
{
   static const struct tbr_descriptor_slots none;
   struct tbr_vulkan_context *vulkan = tbr_vulkan_context(context);
   struct tbr_vulkan_stage *stage = &vulkan->stages[number];
   const struct binding binding = {
      context, vulkan, tbr_context(context), number, stage, stage->slots ? stage->slots : &none,
   };
   bind_textures(&binding);
   bind_constants(&binding);
   bind_buffers(&binding);
   bind_images(&binding);
}

/** The driver's own shaders, textures and constants, which copy, are bound as they are. */
static bool
is_copying(struct pipe_context *context)
{
   return tbr_context(context)->blitter->running;
}

static const enum pipe_shader_type graphics_stages[] = {
   PIPE_SHADER_VERTEX,   PIPE_SHADER_TESS_CTRL, PIPE_SHADER_TESS_EVAL,
   PIPE_SHADER_GEOMETRY, PIPE_SHADER_FRAGMENT,
};

/** Binds what the stages' shaders use. False if one cannot run, which was said when it was created. */
static bool
prepare_stages(struct pipe_context *context, const enum pipe_shader_type *stages, unsigned count)
{
   const struct tbr_vulkan_context *vulkan = tbr_vulkan_context(context);
   for (unsigned i = 0; i < count; i++) {
      const struct tbr_descriptor_slots *slots = vulkan->stages[stages[i]].slots;
      if (slots && slots->missing)
         return false;
   }
   for (unsigned i = 0; i < count; i++)
      bind_stage(context, stages[i]);
   if (tbr_vulkan_describe_uses(context, stages, count))
      return true;
   mesa_loge("a draw or a dispatch was lost: out of memory");
   return false;
}

/** The draw or the dispatch has been recorded, or it is the driver's own. */
static void
forget_uses(struct pipe_context *context)
{
   tbr_context(context)->descriptors = NULL;
   tbr_context(context)->num_descriptors = 0;
}

static void
draw_vbo(struct pipe_context *context, const struct pipe_draw_info *info, unsigned drawid_offset,
         const struct pipe_draw_indirect_info *indirect, const struct pipe_draw_start_count_bias *draws,
         unsigned num_draws)
{
   const struct pipe_context *driver = &tbr_vulkan_context(context)->driver;
   if (is_copying(context)) {
      /* Perhaps within a draw. */
      struct tbr_context *its = tbr_context(context);
      const struct tbr_named_descriptors *descriptors = its->descriptors;
      const unsigned count = its->num_descriptors;
      forget_uses(context);
      driver->draw_vbo(context, info, drawid_offset, indirect, draws, num_draws);
      its->descriptors = descriptors;
      its->num_descriptors = count;
   } else if (tbr_vulkan_place_attachments(context) &&
              prepare_stages(context, graphics_stages, ARRAY_SIZE(graphics_stages))) {
      driver->draw_vbo(context, info, drawid_offset, indirect, draws, num_draws);
      forget_uses(context);
   }
}

static void
launch_grid(struct pipe_context *context, const struct pipe_grid_info *info)
{
   static const enum pipe_shader_type stage = PIPE_SHADER_COMPUTE;
   if (!prepare_stages(context, &stage, 1))
      return;
   tbr_vulkan_context(context)->driver.launch_grid(context, info);
   forget_uses(context);
}

/** A submission or a barrier: the program may free what was bound before. */
static void
flush(struct pipe_context *context, struct pipe_fence_handle **fence, unsigned flags)
{
   struct tbr_vulkan_context *vulkan = tbr_vulkan_context(context);
   vulkan->driver.flush(context, fence, flags);
   for (unsigned number = 0; number < PIPE_SHADER_TYPES; number++) {
      struct tbr_vulkan_stage *stage = &vulkan->stages[number];
      const struct tbr_descriptor_slots *slots = stage->slots;
      stage->slots = NULL;
      bind_stage(context, number);
      stage->slots = slots;
   }
}

/** Push constants go to the driver, a descriptor set's memory to its stage. What is for all stages is for those of mesh shaders,
 * too, which the device does not have. */
static void
set_constant_buffer(struct pipe_context *context, enum pipe_shader_type number, uint index,
                    bool take_ownership, const struct pipe_constant_buffer *buffer)
{
   struct tbr_vulkan_context *vulkan = tbr_vulkan_context(context);
   if (number >= PIPE_SHADER_TYPES) {
      struct pipe_resource *unused = take_ownership && buffer ? buffer->buffer : NULL;
      pipe_resource_reference(&unused, NULL);
      return;
   }
   if (!index) {
      vulkan->driver.set_constant_buffer(context, number, index, take_ownership, buffer);
      return;
   }
   assert(index < TBR_VULKAN_SETS);
   util_copy_constant_buffer(&vulkan->stages[number].sets[index], buffer, take_ownership);
}

/** lavapipe says how many samples the rasterizer has when it comes to the first draw: no other framebuffer than the one that
 * has been cleared, with attachments that have as many. */
static void
set_framebuffer_state(struct pipe_context *context, const struct pipe_framebuffer_state *framebuffer)
{
   struct pipe_framebuffer_state normal = *framebuffer;
   bool attached = normal.zsbuf != NULL;
   for (unsigned i = 0; i < normal.nr_cbufs; i++)
      attached |= normal.cbufs[i] != NULL;
   if (attached)
      normal.samples = (uint8_t)util_framebuffer_get_num_samples(&normal);
   tbr_vulkan_context(context)->driver.set_framebuffer_state(context, &normal);
}

/** lavapipe destroys surfaces that it has cleared at once, whoever has references to them: passes that are not rendered yet have. */
static void
surface_destroy(struct pipe_context *context, struct pipe_surface *surface)
{
   if (!surface->reference.count || p_atomic_dec_zero(&surface->reference.count))
      tbr_vulkan_context(context)->driver.surface_destroy(context, surface);
}

/** Before a clear or a blit, which are drawn: where they write all of an image, its tiles need not be loaded. */
static void
discard_if_whole(struct pipe_context *context, struct pipe_resource *image, const struct pipe_box *box)
{
   if (!image->last_level && image->array_size == 1 && image->depth0 == 1 && !box->x && !box->y &&
       box->width == (int)image->width0 && box->height == (int)image->height0)
      context->invalidate_resource(context, image);
}

static void
clear_texture(struct pipe_context *context, struct pipe_resource *image, unsigned level,
              const struct pipe_box *box, const void *data)
{
   struct pipe_box cleared = *box;
   /* lavapipe counts the layers of an array of lines as rows. */
   if (image->target == PIPE_TEXTURE_1D_ARRAY)
      u_box_3d(box->x, 0, box->y, box->width, 1, box->height, &cleared);
   discard_if_whole(context, image, &cleared);
   tbr_vulkan_context(context)->driver.clear_texture(context, image, level, &cleared, data);
}

static void
blit(struct pipe_context *context, const struct pipe_blit_info *info)
{
   if (info->src.resource != info->dst.resource && !info->scissor_enable && !info->alpha_blend &&
       info->mask == util_format_get_mask(info->dst.resource->format))
      discard_if_whole(context, info->dst.resource, &info->dst.box);
   tbr_vulkan_context(context)->driver.blit(context, info);
}

/* ---- shaders ----------------------------------------------------------------- */

/** Of a shader that will not run. */
static void
drop_code(nir_shader *nir)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   nir_cf_list code;
   nir_cf_extract(&code, nir_before_impl(impl), nir_after_impl(impl));
   nir_cf_delete(&code);
   nir_metadata_preserve(impl, nir_metadata_none);
}

void
tbr_vulkan_prepare_shader(struct pipe_context *context, nir_shader *nir, const struct tbr_attachment_map *map,
                          struct tbr_descriptor_slots *slots)
{
   struct tbr_vulkan_screen *screen = tbr_screen(context->screen)->vulkan;
   if (map)
      tbr_nir_map_outputs(nir, map);
   tbr_nir_lower_descriptors(nir, map, slots);
   tbr_vulkan_list_uses(slots);
   if (slots->missing) {
      mesa_loge(
         "Vulkan: a %s shader uses %s, which the simulated GPU does not have: draws and dispatches with it "
         "are left out",
         _mesa_shader_stage_to_string(nir->info.stage), slots->missing);
      drop_code(nir);
   }
   screen->finalize_nir(context->screen, nir);
}

static void
free_shader(struct tbr_vulkan_shader *shader)
{
   util_dynarray_foreach (&shader->variants, struct tbr_vulkan_variant *, variant)
      FREE(*variant);
   util_dynarray_fini(&shader->variants);
   ralloc_free(shader->nir);
   FREE(shader);
}

/** NULL when out of memory. */
static struct tbr_vulkan_shader *
prepare_shader(struct pipe_context *context, nir_shader *nir)
{
   struct tbr_vulkan_shader *shader = CALLOC_STRUCT(tbr_vulkan_shader);
   if (!shader)
      return NULL;
   util_dynarray_init(&shader->variants, NULL);
   /* lavapipe's own shaders have none. */
   if (!nir->options)
      nir->options = context->screen->get_compiler_options(context->screen, PIPE_SHADER_IR_NIR,
                                                           (enum pipe_shader_type)nir->info.stage);
   if (nir->info.stage == MESA_SHADER_FRAGMENT) {
      shader->nir = nir_shader_clone(NULL, nir);
      shader->outputs =
         (nir->info.outputs_written >> FRAG_RESULT_DATA0) & BITFIELD_MASK(TBR_MAX_COLOR_BUFFERS);
   }
   tbr_vulkan_prepare_shader(context, nir, NULL, &shader->slots);
   return shader;
}

static void *
enter_shader(struct pipe_context *context, void *created, struct tbr_vulkan_shader *shader)
{
   shader->shader = created;
   if (!created || !_mesa_hash_table_insert(tbr_vulkan_context(context)->shaders, created, shader))
      free_shader(shader);
   return created;
}

/** The blitter binds variants again. */
static void
use_shader(struct pipe_context *context, enum pipe_shader_type number, void *bound)
{
   struct tbr_vulkan_context *vulkan = tbr_vulkan_context(context);
   struct hash_entry *entry = bound ? _mesa_hash_table_search(vulkan->shaders, bound) : NULL;
   struct tbr_vulkan_stage *stage = &vulkan->stages[number];
   stage->shader = entry ? entry->data : NULL;
   stage->slots = stage->shader ? &stage->shader->slots : NULL;
   stage->bound = bound;
}

static void
forget_shader(struct pipe_context *context, enum pipe_shader_type number, void *deleted)
{
   struct tbr_vulkan_context *vulkan = tbr_vulkan_context(context);
   struct hash_entry *entry = _mesa_hash_table_search(vulkan->shaders, deleted);
   if (!entry)
      return;
   struct tbr_vulkan_shader *shader = entry->data;
   _mesa_hash_table_remove(vulkan->shaders, entry);
   if (vulkan->stages[number].shader == shader)
      use_shader(context, number, NULL);
   util_dynarray_foreach (&shader->variants, struct tbr_vulkan_variant *, variant) {
      _mesa_hash_table_remove_key(vulkan->shaders, (*variant)->shader);
      vulkan->driver.delete_fs_state(context, (*variant)->shader);
   }
   free_shader(shader);
}

#define STAGE(name, number)                                                                        \
   static void *create_##name(struct pipe_context *context, const struct pipe_shader_state *state) \
   {                                                                                               \
      const struct pipe_context *driver = &tbr_vulkan_context(context)->driver;                    \
      if (state->type != PIPE_SHADER_IR_NIR || is_copying(context))                                \
         return driver->create_##name(context, state);                                             \
      struct tbr_vulkan_shader *shader = prepare_shader(context, state->ir.nir);                   \
      return shader ? enter_shader(context, driver->create_##name(context, state), shader) : NULL; \
   }                                                                                               \
   static void bind_##name(struct pipe_context *context, void *shader)                             \
   {                                                                                               \
      use_shader(context, number, shader);                                                         \
      tbr_vulkan_context(context)->driver.bind_##name(context, shader);                            \
   }                                                                                               \
   static void delete_##name(struct pipe_context *context, void *shader)                           \
   {                                                                                               \
      forget_shader(context, number, shader);                                                      \
      tbr_vulkan_context(context)->driver.delete_##name(context, shader);                          \
   }
STAGE(vs_state, PIPE_SHADER_VERTEX)
STAGE(tcs_state, PIPE_SHADER_TESS_CTRL)
STAGE(tes_state, PIPE_SHADER_TESS_EVAL)
STAGE(gs_state, PIPE_SHADER_GEOMETRY)
STAGE(fs_state, PIPE_SHADER_FRAGMENT)
#undef STAGE

static void *
create_compute_state(struct pipe_context *context, const struct pipe_compute_state *state)
{
   assert(state->ir_type == PIPE_SHADER_IR_NIR);
   struct tbr_vulkan_shader *shader = prepare_shader(context, (nir_shader *)state->prog);
   return shader
             ? enter_shader(context, tbr_vulkan_context(context)->driver.create_compute_state(context, state),
                            shader)
             : NULL;
}

static void
bind_compute_state(struct pipe_context *context, void *shader)
{
   use_shader(context, PIPE_SHADER_COMPUTE, shader);
   tbr_vulkan_context(context)->driver.bind_compute_state(context, shader);
}

static void
delete_compute_state(struct pipe_context *context, void *shader)
{
   forget_shader(context, PIPE_SHADER_COMPUTE, shader);
   tbr_vulkan_context(context)->driver.delete_compute_state(context, shader);
}

/* ---- the context --------------------------------------------------------------- */

static void
destroy(struct pipe_context *context)
{
   struct tbr_vulkan_context *vulkan = tbr_vulkan_context(context);
   void (*destroy_driver)(struct pipe_context *) = vulkan->driver.destroy;
   for (unsigned number = 0; number < PIPE_SHADER_TYPES; number++) {
      for (unsigned set = 0; set < TBR_VULKAN_SETS; set++)
         pipe_resource_reference(&vulkan->stages[number].sets[set].buffer, NULL);
   }
   util_dynarray_foreach (&vulkan->samplers, struct sampler *, sampler) {
      context->delete_sampler_state(context, (*sampler)->state);
      FREE(*sampler);
   }
   util_dynarray_fini(&vulkan->samplers);
   util_dynarray_fini(&vulkan->uses);
   /* Variants have been deleted with their shaders. */
   hash_table_foreach (vulkan->shaders, entry)
      free_shader(entry->data);
   _mesa_hash_table_destroy(vulkan->shaders, NULL);
   _mesa_hash_table_destroy(vulkan->handles, NULL);
   tbr_vulkan_queue_destroy(vulkan->queue);
   /* The driver's parts end with its own functions. */
   *context = vulkan->driver;
   destroy_driver(context);
   FREE(vulkan);
}

static void
wrap_functions(struct pipe_context *context)
{
#define WRAP_STAGE(name)                   \
   context->create_##name = create_##name; \
   context->bind_##name = bind_##name;     \
   context->delete_##name = delete_##name
   WRAP_STAGE(vs_state);
   WRAP_STAGE(tcs_state);
   WRAP_STAGE(tes_state);
   WRAP_STAGE(gs_state);
   WRAP_STAGE(fs_state);
   WRAP_STAGE(compute_state);
#undef WRAP_STAGE
   context->destroy = destroy;
   context->set_constant_buffer = set_constant_buffer;
   context->set_framebuffer_state = set_framebuffer_state;
   context->surface_destroy = surface_destroy;
   context->clear_texture = clear_texture;
   context->blit = blit;
   context->draw_vbo = draw_vbo;
   context->launch_grid = launch_grid;
   context->flush = flush;
   context->create_texture_handle = create_texture_handle;
   context->delete_texture_handle = delete_handle;
   context->create_image_handle = create_image_handle;
   context->delete_image_handle = delete_handle;
}

bool
tbr_vulkan_bind_init_context(struct pipe_context *context)
{
   struct tbr_vulkan_context *vulkan = CALLOC_STRUCT(tbr_vulkan_context);
   if (!vulkan)
      return false;
   vulkan->driver = *context;
   vulkan->shaders = _mesa_pointer_hash_table_create(NULL);
   vulkan->handles = _mesa_pointer_hash_table_create(NULL);
   util_dynarray_init(&vulkan->samplers, NULL);
   util_dynarray_init(&vulkan->uses, NULL);
   tbr_vulkan_reset_attachments(vulkan);
   vulkan->queue = tbr_vulkan_queue_create();
   if (!vulkan->shaders || !vulkan->handles || !vulkan->queue) {
      _mesa_hash_table_destroy(vulkan->shaders, NULL);
      _mesa_hash_table_destroy(vulkan->handles, NULL);
      if (vulkan->queue)
         tbr_vulkan_queue_destroy(vulkan->queue);
      FREE(vulkan);
      return false;
   }
   tbr_context(context)->vulkan = vulkan;
   wrap_functions(context);
   sampler_number(context, &(struct pipe_sampler_state){0});
   return true;
}
