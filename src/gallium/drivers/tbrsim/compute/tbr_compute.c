/* SPDX-License-Identifier: MIT */
#include "compute/tbr_compute.h"

#include "config/config.h"
#include "draw/draw_context.h"
#include "nir.h"
#include "nir_serialize.h"
#include "util/blob.h"
#include "util/log.h"
#include "util/mesa-sha1.h"
#include "util/u_atomic.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "shader/tbr_gpu_shaders.h"
#include "pass/tbr_batch.h"
#include "pass/tbr_hazards.h"
#include "state/tbr_context.h"
#include "pass/tbr_counter_query.h"
#include "state/tbr_debug.h"
#include "compute/tbr_dispatch.h"
#include "geometry/tbr_draw_state.h"
#include "geometry/tbr_drawn_storage.h"
#include "shader/tbr_nir.h"
#include "shader/tbr_nir_addresses.h"
#include "shader/tbr_nir_numbers.h"
#include "shader/tbr_nir_storage.h"
#include "state/tbr_resource.h"
#include "state/tbr_screen.h"
#include "shader/tbr_shader.h"
#include "shader/tbr_shader_cache.h"

/* ---- shaders ------------------------------------------------------------ */

static uint32_t
low_bits(const unsigned *bits, unsigned count)
{
   uint32_t mask = 0;
   for (unsigned i = 0; i < count; i++)
      mask |= (uint32_t)BITSET_TEST(bits, i) << i;
   return mask;
}

static void
describe(struct tbr_compute_shader *shader)
{
   const struct shader_info *info = &shader->nir->info;
   shader->shared_bytes = info->shared_size;
   shader->zeroes_shared = info->zero_initialize_shared_memory;
   shader->has_barrier = info->uses_control_barrier;
   shader->textures_used = low_bits(info->textures_used, TBR_MAX_TEXTURES);
   shader->images_used = BITFIELD_MASK(MIN2(info->num_images, TBR_MAX_IMAGES));
   shader->buffers_used = BITFIELD_MASK(MIN2(info->num_ssbos, TBR_MAX_STORAGE_BUFFERS));
   shader->by_address = tbr_nir_uses_addresses(shader->nir);
   shader->writes_memory = info->writes_memory;
}

static void *
create_compute_state(struct pipe_context *pipe, const struct pipe_compute_state *state)
{
   struct tbr_screen *screen = tbr_screen(pipe->screen);
   struct tbr_compute_shader *shader = CALLOC_STRUCT(tbr_compute_shader);
   assert(state->ir_type == PIPE_SHADER_IR_NIR);
   if (!shader)
      return NULL;
   shader->shader_cache = screen->shader_cache;
   shader->nir = (struct nir_shader *)state->prog;
   shader->name = tbr_names_of_shader(screen, shader->nir);
   NIR_PASS_V(shader->nir, nir_lower_compute_system_values, NULL);
   nir_shader_gather_info(shader->nir, nir_shader_get_entrypoint(shader->nir));
   describe(shader);
   shader->id = tbr_next_shader_id();
   shader->num_instructions = tbr_nir_count_instructions(shader->nir);
   shader->gpu = tbr_gpu_shader_create(screen, shader->nir);
   shader->regions = tbr_count_regions(screen, shader->nir, shader->gpu);
   tbr_nir_bound_numbers(shader->nir);
   /* Renumbers images; what becomes one afterwards has its number. */
   tbr_nir_lower_subgroups(shader->nir);
   tbr_nir_lower_storage(shader->nir);
   shader->blocks = tbr_nir_lower_uniform_blocks(shader->nir);
   tbr_nir_limit_loops(shader->nir, screen->config->shader.loop_limit);
   tbr_nir_bound_offsets(shader->nir);
   tbr_nir_split_numbers(shader->nir);
   tbr_nir_take_active_numbers(shader->nir);
   tbr_nir_widen_functions(shader->nir);
   tbr_nir_narrow_texels(shader->nir);
   tbr_debug_nir("compute", shader->id, shader->nir);
   return shader;
}

static void
bind_compute_state(struct pipe_context *pipe, void *shader)
{
   tbr_context(pipe)->compute_shader = shader;
}

static void
delete_compute_state(struct pipe_context *pipe, void *state)
{
   struct tbr_compute_shader *shader = state;
   if (shader->code)
      tbr_shader_cache_release(shader->shader_cache, shader->code);
   tbr_gpu_shader_destroy(shader->gpu);
   ralloc_free(shader->nir);
   FREE(shader->regions);
   FREE(shader);
}

static bool
compile(struct tbr_context *context, struct tbr_compute_shader *shader)
{
   static const char kind[] = "compute";
   unsigned char digest[SHA1_DIGEST_LENGTH];
   struct mesa_sha1 sha1;
   struct blob blob;
   if (shader->code)
      return true;
   blob_init(&blob);
   nir_serialize(&blob, shader->nir, true);
   _mesa_sha1_init(&sha1);
   _mesa_sha1_update(&sha1, kind, sizeof kind);
   _mesa_sha1_update(&sha1, blob.data, blob.size);
   _mesa_sha1_final(&sha1, digest);
   blob_finish(&blob);
   shader->code = tbr_shader_cache_acquire(shader->shader_cache, digest);
   if (shader->code)
      return true;
   struct tbr_code *code = tbr_jit_compile_compute(context, shader->nir, shader->shader_cache, digest);
   shader->code = code ? tbr_shader_cache_enter(shader->shader_cache, code) : NULL;
   return shader->code;
}

/* ---- bindings ------------------------------------------------------------ */

static void
note_fragment_storage(struct tbr_context *context, enum pipe_shader_type stage)
{
   if (stage != PIPE_SHADER_FRAGMENT)
      return;
   draw_flush(context->draw);
   context->dirty |= TBR_DIRTY_FRAGMENT_STORAGE;
}

static void
set_shader_buffers(struct pipe_context *pipe, enum pipe_shader_type stage, unsigned start, unsigned count,
                   const struct pipe_shader_buffer *buffers, unsigned writable)
{
   struct tbr_context *context = tbr_context(pipe);
   assert(start + count <= TBR_MAX_STORAGE_BUFFERS);
   for (unsigned i = 0; i < count; i++)
      util_copy_shader_buffer(&context->shader_buffers[stage][start + i], buffers ? &buffers[i] : NULL);
   context->writable_buffers[stage] &= ~(BITFIELD_MASK(count) << start);
   context->writable_buffers[stage] |= writable << start;
   note_fragment_storage(context, stage);
}

static void
set_shader_images(struct pipe_context *pipe, enum pipe_shader_type stage, unsigned start, unsigned count,
                  unsigned num_unbound, const struct pipe_image_view *images)
{
   struct tbr_context *context = tbr_context(pipe);
   assert(start + count + num_unbound <= TBR_MAX_IMAGES);
   for (unsigned i = 0; i < count; i++)
      util_copy_image_view(&context->images[stage][start + i], images ? &images[i] : NULL);
   for (unsigned i = 0; i < num_unbound; i++)
      util_copy_image_view(&context->images[stage][start + count + i], NULL);
   if (tbr_is_drawn_stage(stage))
      tbr_drawn_storage_set_images(context, stage);
   note_fragment_storage(context, stage);
}

/* ---- what a dispatch accesses -------------------------------------------- */

/** Memories of a dispatch, and what describes them to the shader. */
struct bound {
   struct tbr_fragment_resources resources;
   struct tbr_bound_storage storage;
   struct tbr_texture_binding textures[TBR_MAX_TEXTURES];
   struct tbr_storage
      *held[TBR_MAX_CONSTANT_BUFFERS + TBR_MAX_TEXTURES + TBR_MAX_STORAGE_BUFFERS + TBR_MAX_IMAGES];
   unsigned num_held;
};

/** The memory of a resource, which no pending work uses. */
static struct tbr_storage *
use(struct tbr_context *context, struct bound *bound, struct pipe_resource *base, bool writes)
{
   struct tbr_resource *resource = tbr_resource(base);
   tbr_resource_wait(context, resource, writes, CM_END_COMPUTE);
   tbr_resource_announce(context, resource);
   if (writes) {
      p_atomic_inc(&resource->writes);
      resource->undefined = false;
   }
   assert(bound->num_held < ARRAY_SIZE(bound->held));
   struct tbr_storage **held = &bound->held[bound->num_held++];
   tbr_resource_hold(resource, held);
   return *held;
}

static void
use_constants(struct tbr_context *context, struct bound *bound)
{
   for (unsigned i = 0; i < TBR_MAX_CONSTANT_BUFFERS; i++) {
      const struct pipe_constant_buffer *constants = &context->constants[PIPE_SHADER_COMPUTE][i];
      if (!constants->buffer || constants->buffer_offset >= constants->buffer->width0)
         continue;
      const struct tbr_storage *storage = use(context, bound, constants->buffer, false);
      bound->resources.constants[i] = (struct tbr_constant_buffer){
         .words = (const uint32_t *)(storage->memory + constants->buffer_offset),
         .num_words = MIN2(constants->buffer_size, constants->buffer->width0 - constants->buffer_offset) / 4,
      };
      bound->storage.buffers[TBR_UNIFORM_BLOCK(i)] = (struct tbr_bound_buffer){
         .memory = storage->memory + constants->buffer_offset,
         .bytes = bound->resources.constants[i].num_words * 4,
      };
   }
}

static void
use_textures(struct tbr_context *context, const struct tbr_compute_shader *shader, struct bound *bound)
{
   for (unsigned unit = 0; unit < TBR_MAX_TEXTURES; unit++)
      bound->resources.textures[unit] = context->empty_texture;
   u_foreach_bit (unit, shader->textures_used) {
      struct pipe_sampler_view *view = context->sampler_views[PIPE_SHADER_COMPUTE][unit];
      if (!view || !view->texture)
         continue;
      const struct tbr_storage *storage = use(context, bound, view->texture, false);
      tbr_draw_state_describe_texture(view, context->samplers[PIPE_SHADER_COMPUTE][unit], storage, unit,
                                      &bound->textures[unit]);
      bound->resources.textures[unit] = &bound->textures[unit];
   }
}

static void
use_storage(struct tbr_context *context, const struct tbr_compute_shader *shader, struct bound *bound)
{
   u_foreach_bit (i, shader->buffers_used) {
      const struct pipe_shader_buffer *buffer = &context->shader_buffers[PIPE_SHADER_COMPUTE][i];
      if (!buffer->buffer)
         continue;
      const bool writes = context->writable_buffers[PIPE_SHADER_COMPUTE] >> i & 1;
      tbr_describe_buffer(buffer, use(context, bound, buffer->buffer, writes), &bound->storage.buffers[i]);
   }
   u_foreach_bit (i, shader->images_used) {
      const struct pipe_image_view *image = &context->images[PIPE_SHADER_COMPUTE][i];
      if (!image->resource)
         continue;
      const bool writes = image->shader_access & PIPE_IMAGE_ACCESS_WRITE;
      const struct tbr_storage *storage = use(context, bound, image->resource, writes);
      tbr_describe_image(image, tbr_resource(image->resource), storage, &bound->storage.images[i]);
   }
}

static void
use_addresses(struct tbr_context *context, const struct tbr_compute_shader *shader, struct bound *bound)
{
   tbr_addresses_wait(context, shader->writes_memory, CM_END_COMPUTE);
   if (shader->writes_memory)
      tbr_addresses_note_write(tbr_screen(context->base.screen));
   bound->storage.addresses = context->addresses;
}

static void
use_all(struct tbr_context *context, const struct tbr_compute_shader *shader, struct bound *bound)
{
   struct tbr_screen *screen = tbr_screen(context->base.screen);
   bound->resources.query_size = tbr_texture_query_size;
   bound->resources.loops_ended =
      (struct tbr_constant_buffer){&screen->loops_ended, sizeof screen->loops_ended};
   bound->resources.storage = &bound->storage;
   bound->resources.load_store = tbr_isa_get()->load_store;
   bound->resources.query_storage = tbr_load_store_query_size;
   use_constants(context, bound);
   use_textures(context, shader, bound);
   use_storage(context, shader, bound);
   if (shader->by_address)
      use_addresses(context, shader, bound);
}

static void
release(struct bound *bound)
{
   for (unsigned i = 0; i < bound->num_held; i++)
      tbr_storage_reference(&bound->held[i], NULL);
   FREE(bound);
}

/* ---- dispatches ---------------------------------------------------------- */

/** Reads the parameters of an indirect dispatch. */
static void
read_indirect(struct tbr_context *context, struct pipe_grid_info *grid)
{
   struct tbr_resource *resource = tbr_resource(grid->indirect);
   struct tbr_storage *storage = NULL;
   tbr_resource_wait(context, resource, false, CM_END_COMPUTE);
   tbr_resource_announce(context, resource);
   tbr_resource_hold(resource, &storage);
   memset(grid->grid, 0, sizeof grid->grid);
   if (grid->indirect_offset + sizeof grid->grid <= resource->base.width0)
      memcpy(grid->grid, storage->memory + grid->indirect_offset, sizeof grid->grid);
   tbr_storage_reference(&storage, NULL);
}

static void
run(struct tbr_context *context, struct tbr_compute_shader *shader, struct bound *bound,
    const struct pipe_grid_info *grid)
{
   if (!context->batch)
      tbr_counter_queries_begin_pass(context);
   struct tbr_dispatch *dispatch = tbr_dispatch_begin(context, shader, grid);
   if (!tbr_compute_run(context, shader, &bound->resources, grid, dispatch))
      mesa_loge("out of memory: the work-groups of a dispatch were lost");
   if (dispatch)
      tbr_dispatch_end(dispatch);
   tbr_counter_queries_account(context);
   if (!context->queries_paused)
      context->statistics.cs_invocations += (uint64_t)grid->grid[0] * grid->grid[1] * grid->grid[2] *
                                            grid->block[0] * grid->block[1] * grid->block[2];
}

static void
launch_grid(struct pipe_context *pipe, const struct pipe_grid_info *info)
{
   struct tbr_context *context = tbr_context(pipe);
   struct tbr_compute_shader *shader = context->compute_shader;
   struct pipe_grid_info grid = *info;
   tbr_screen_check_owner(tbr_screen(pipe->screen));
   if (!shader || !tbr_render_condition_passes(context))
      return;
   if (grid.indirect)
      read_indirect(context, &grid);
   if (!grid.grid[0] || !grid.grid[1] || !grid.grid[2])
      return;
   const bool ready = (!shader->by_address || tbr_addresses_update(context)) && compile(context, shader);
   struct bound *bound = ready ? CALLOC_STRUCT(bound) : NULL;
   if (!bound) {
      mesa_loge("a dispatch was lost: its shader could not be compiled, or out of memory");
      return;
   }
   use_all(context, shader, bound);
   run(context, shader, bound, &grid);
   release(bound);
   tbr_screen_note_ended_loops(tbr_screen(pipe->screen));
}

/** What a draw has stored is visible to later passes: what depends on it starts one. */
static void
memory_barrier(struct pipe_context *pipe, unsigned flags)
{
   struct tbr_context *context = tbr_context(pipe);
   if (context->batch && context->batch->stores)
      tbr_batch_flush(context, CM_END_BARRIER);
}

void
tbr_compute_init_context(struct tbr_context *context)
{
   context->base.create_compute_state = create_compute_state;
   context->base.bind_compute_state = bind_compute_state;
   context->base.delete_compute_state = delete_compute_state;
   context->base.set_shader_buffers = set_shader_buffers;
   context->base.set_shader_images = set_shader_images;
   context->base.launch_grid = launch_grid;
   context->base.memory_barrier = memory_barrier;
}

void
tbr_compute_destroy_context(struct tbr_context *context)
{
   tbr_compute_runner_destroy(context->compute_runner);
   for (unsigned stage = 0; stage < PIPE_SHADER_TYPES; stage++) {
      for (unsigned i = 0; i < TBR_MAX_STORAGE_BUFFERS; i++)
         pipe_resource_reference(&context->shader_buffers[stage][i].buffer, NULL);
      for (unsigned i = 0; i < TBR_MAX_IMAGES; i++)
         pipe_resource_reference(&context->images[stage][i].resource, NULL);
   }
}
