/* SPDX-License-Identifier: MIT */
#include "raster_harness.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "events/deferred.h"
#include "util/format/u_format.h"
#include "support/run_tests.h"
#include "util/u_cpu_detect.h"

#define PAGE_SHIFT 10

static _Thread_local uint64_t shaded_fragments;

/* ---- random numbers ---------------------------------------------------- */

uint32_t
random_bits(uint64_t *state)
{
   *state = *state * 6364136223846793005u + 1442695040888963407u;
   uint64_t x = *state;
   x ^= x >> 33;
   x *= 0xff51afd7ed558ccdu;
   return x >> 32;
}

uint32_t
random_below(uint64_t *state, uint32_t n)
{
   return (uint64_t)random_bits(state) * n >> 32;
}

float
random_float(uint64_t *state, float low, float high)
{
   return low + (high - low) * (random_bits(state) >> 8) * (1.0f / (1 << 24));
}

/* ---- the fragment program ---------------------------------------------- */

bool
program_discards(const struct program_constants *constants, int x, int y)
{
   return constants->discard != 0.0f && (x * 7 + y * 13) % 5 < 2;
}

static float
evaluate(const struct tbr_plane *plane, float x, float y)
{
   return plane->base + plane->ddx * x + plane->ddy * y + plane->offset;
}

void
program_shade(const struct tbr_fragment_resources *resources, struct tbr_fragment_block *block,
              struct tbr_texture_thread *thread)
{
   const struct program_constants *constants = (const void *)resources->constants[0].words;
   assert_int_equal(block->live & ~block->quads, 0);
   assert_int_equal(block->live, thread->live);
   shaded_fragments += (unsigned)__builtin_popcount(block->live);
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      const struct tbr_plane *planes = block->planes[lane / 4];
      const float x = block->x[lane], y = block->y[lane];
      const float w = 1.0f / evaluate(&planes[TBR_PLANE_INVERSE_W], x, y);
      for (unsigned c = 0; c < 4; c++) {
         float value = evaluate(&planes[TBR_PLANE_INPUT(0, c)], x, y) * w;
         if (!block->front_facing[lane / 4] && c == 2)
            value = 1.0f - value;
         for (unsigned n = 0; n < TBR_MAX_COLOR_BUFFERS; n++)
            block->color[n][c][lane] = value * (n + 1);
         block->color_second[c][lane] = 1.0f - value;
      }
      block->depth[lane] = evaluate(&planes[TBR_PLANE_DEPTH], x, y) + constants->depth;
      block->stencil[lane] = (uint32_t)constants->stencil + ((int)block->window_x[lane] & 1);
      if (program_discards(constants, (int)block->window_x[lane], (int)block->window_y[lane]))
         block->live &= ~(1u << lane);
   }
}

/* ---- scenes ------------------------------------------------------------ */

void
scene_init(struct scene *scene, uint32_t width, uint32_t height, enum pipe_format color,
           enum pipe_format depth)
{
   memset(scene, 0, sizeof(*scene));
   scene->width = width;
   scene->height = height;
   scene->samples = 1;
   if (color != PIPE_FORMAT_NONE) {
      scene->num_color = 1;
      scene->color[0].format = color;
      scene->color[0].clear = true;
   }
   scene->depth.format = depth;
   scene->depth.clear = true;
   scene->depth.clear_value.f[0] = 1.0f;
}

void
scene_finish(struct scene *scene)
{
   free(scene->primitives);
}

struct tbr_draw_state *
scene_add_draw(struct scene *scene)
{
   assert_true(scene->num_draws < SCENE_MAX_DRAWS);
   struct tbr_draw_state *draw = &scene->draws[scene->num_draws++];
   draw->shade = program_shade;
   draw->num_inputs = 1;
   draw->interpolation[0] = TBR_INTERPOLATE_PERSPECTIVE;
   draw->input_components[0] = 0xf;
   draw->depth_func = PIPE_FUNC_LESS;
   draw->depth_far = 1.0f;
   for (unsigned n = 0; n < TBR_MAX_COLOR_BUFFERS; n++)
      draw->blend.rt[n].colormask = 0xf;
   draw->color_outputs = (1u << scene->num_color) - 1;
   draw->scissor_x1 = scene->width;
   draw->scissor_y1 = scene->height;
   draw->half_pixel_center = true;
   draw->sample_mask = ~0u;
   draw->event_draw = scene->num_draws - 1;
   return draw;
}

struct scene_primitive *
scene_add_primitive(struct scene *scene)
{
   if (scene->num_primitives == scene->capacity) {
      scene->capacity = scene->capacity ? scene->capacity * 2 : 256;
      scene->primitives = realloc(scene->primitives, scene->capacity * sizeof(*scene->primitives));
      assert_non_null(scene->primitives);
   }
   struct scene_primitive *primitive = &scene->primitives[scene->num_primitives++];
   memset(primitive, 0, sizeof(*primitive));
   primitive->draw = scene->num_draws - 1;
   primitive->flags = TBR_PRIMITIVE_FRONT_FACING;
   for (unsigned v = 0; v < 3; v++)
      primitive->position[v][3] = 1.0f;
   return primitive;
}

/* ---- running ----------------------------------------------------------- */

struct parameter_buffer {
   uint32_t *order;
   struct cm_pb_lists *lists;
   struct cm_pb_attribute_block **pages;
   uint32_t num_pages;
   uint32_t *event_primitive;
};

static uint32_t
bin_tiles(const struct scene_primitive *primitive, const struct tbr_pass *pass, uint32_t *tiles)
{
   float low_x = INFINITY, low_y = INFINITY, high_x = -INFINITY, high_y = -INFINITY;
   const float(*p)[4] = primitive->position;
   for (unsigned v = 0; v < 4; v++) {
      const float x = v < 3 ? p[v][0] : p[1][0] + p[2][0] - p[0][0];
      const float y = v < 3 ? p[v][1] : p[1][1] + p[2][1] - p[0][1];
      low_x = fminf(low_x, x);
      high_x = fmaxf(high_x, x);
      low_y = fminf(low_y, y);
      high_y = fmaxf(high_y, y);
   }
   const float size = pass->tile_size;
   const int x0 = fmaxf(floorf((low_x - 1) / size), 0), y0 = fmaxf(floorf((low_y - 1) / size), 0);
   const int x1 = fminf(floorf((high_x + 1) / size), pass->tiles_x - 1.0f);
   const int y1 = fminf(floorf((high_y + 1) / size), pass->tiles_y - 1.0f);
   uint32_t count = 0;
   for (int y = y0; y <= y1; y++) {
      for (int x = x0; x <= x1; x++)
         tiles[count++] = y * pass->tiles_x + x;
   }
   return count;
}

static void
fill_parameter_buffer(struct parameter_buffer *buffer, const struct scene *scene, uint32_t first,
                      uint32_t end, struct tbr_pass *pass)
{
   const uint32_t num_tiles = pass->tiles_x * pass->tiles_y;
   const uint32_t num_blocks = (end - first) * 2;
   pass->wide = cm_pb_needs_wide(num_tiles, num_blocks, 2);
   buffer->order = malloc(num_tiles * sizeof(uint32_t));
   for (uint32_t n = 0; n < num_tiles; n++)
      buffer->order[n] = n;
   buffer->lists = cm_pb_lists_create(CM_PB_LAYOUT_INTERLEAVED, pass->wide, num_tiles, buffer->order, true);
   assert_non_null(buffer->lists);
   buffer->num_pages = (num_blocks >> PAGE_SHIFT) + 1;
   buffer->pages = malloc(buffer->num_pages * sizeof(*buffer->pages));
   for (uint32_t n = 0; n < buffer->num_pages; n++)
      buffer->pages[n] = aligned_alloc(64, sizeof(struct cm_pb_attribute_block) << PAGE_SHIFT);
   buffer->event_primitive = calloc(num_blocks + 1, sizeof(uint32_t));
   uint32_t *tiles = malloc(num_tiles * sizeof(uint32_t));
   for (uint32_t n = first; n < end; n++) {
      const struct scene_primitive *primitive = &scene->primitives[n];
      const uint32_t number = (n - first) * 2;
      struct cm_pb_attribute_block *block =
         &buffer->pages[number >> PAGE_SHIFT][number & ((1u << PAGE_SHIFT) - 1)];
      memset(block, 0, 2 * sizeof(*block));
      memcpy(block[0].vertex, primitive->position, sizeof(block[0].vertex));
      memcpy(block[1].vertex, primitive->color, sizeof(block[1].vertex));
      block[0].draw = primitive->draw;
      block[0].flags = primitive->flags;
      buffer->event_primitive[number] = n;
      const uint32_t count = bin_tiles(primitive, pass, tiles);
      if (count)
         assert_true(cm_pb_lists_append(buffer->lists, number, 2, tiles, count, NULL, NULL, NULL, NULL));
   }
   free(tiles);
   pass->lists = buffer->lists;
   pass->attribute_pages = (const struct cm_pb_attribute_block *const *)buffer->pages;
   pass->attribute_page_shift = PAGE_SHIFT;
   pass->event_primitive = buffer->event_primitive;
}

static void
damage_parameter_buffer(struct parameter_buffer *buffer, const struct damage *damage)
{
   uint8_t *bytes = NULL;
   if (damage->where == DAMAGE_ATTRIBUTES)
      bytes =
         (uint8_t *)&buffer->pages[damage->number >> PAGE_SHIFT][damage->number & ((1u << PAGE_SHIFT) - 1)];
   else if (damage->where == DAMAGE_LIST)
      bytes = (uint8_t *)cm_pb_lists_pmd(buffer->lists, damage->number, 0);
   if (bytes)
      bytes[damage->byte] ^= damage->bits;
}

static void
parameter_buffer_finish(struct parameter_buffer *buffer)
{
   cm_pb_lists_destroy(buffer->lists);
   for (uint32_t n = 0; n < buffer->num_pages; n++)
      free(buffer->pages[n]);
   free(buffer->pages);
   free(buffer->order);
   free(buffer->event_primitive);
}

/* The quad must lie where its primitive is. */
static void
check_quad(const struct cm_quad *quad, const struct scene *scene, const struct tbr_pass *pass, uint32_t tile)
{
   assert_true(quad->primitive < scene->num_primitives);
   assert_in_range(quad->covered, 1, 15);
   assert_true(quad->x < pass->tile_size / 2 && quad->y < pass->tile_size / 2);
   const float x = tile % pass->tiles_x * pass->tile_size + quad->x * 2 + 1.0f;
   const float y = tile / pass->tiles_x * pass->tile_size + quad->y * 2 + 1.0f;
   const float(*p)[4] = scene->primitives[quad->primitive].position;
   float low[2], high[2];
   for (unsigned axis = 0; axis < 2; axis++) {
      const float fourth = p[1][axis] + p[2][axis] - p[0][axis];
      low[axis] = fminf(fminf(p[0][axis], p[1][axis]), fminf(p[2][axis], fourth));
      high[axis] = fmaxf(fmaxf(p[0][axis], p[1][axis]), fmaxf(p[2][axis], fourth));
   }
   assert_true(x >= low[0] - 1 && x <= high[0] + 1 && y >= low[1] - 1 && y <= high[1] + 1);
}

static uint64_t
count_recorded(const struct cm_tile_events *events, const struct scene *scene, const struct tbr_pass *pass,
               uint32_t tile)
{
   uint64_t live = 0;
   for (size_t at = 0; at < events->num_words;) {
      const uint32_t *event = events->words + at;
      at += (size_t)(cm_event_next(event) - event);
      if (pass->keep_hidden && cm_event_type(*event) >= CM_EVENT_UNSHADED)
         continue;
      assert_int_equal(cm_event_type(*event), CM_EVENT_SHADE);
      const uint32_t count = cm_event_count(*event);
      assert_in_range(count, 1, TBR_QUADS);
      for (uint32_t n = 0; n < count; n++) {
         struct cm_quad quad;
         memcpy(&quad, event + 2 + n * CM_QUAD_WORDS, sizeof(quad));
         check_quad(&quad, scene, pass, tile);
         assert_int_equal(scene->primitives[quad.primitive].draw, event[1]);
         assert_int_equal(quad.live & ~quad.covered, 0);
         assert_int_equal(quad.visible & ~quad.live, 0);
         assert_int_equal(quad.written & ~quad.live, 0);
         live += (unsigned)__builtin_popcount(quad.live);
      }
   }
   return live;
}

static uint64_t
mix(uint64_t sum, uint64_t value)
{
   return (sum ^ value) * 0x9e3779b97f4a7c15ull + (sum >> 29);
}

/* A checksum of the quads that run, in their order. */
static uint64_t
sum_quads(const struct cm_tile_events *events, uint64_t sum)
{
   const uint32_t *word = events->words, *end = word + events->num_words;
   while (word < end) {
      const uint32_t *group = word;
      word = cm_event_next(word);
      if (cm_event_type(*group) != CM_EVENT_SHADE)
         continue;
      while (word < end && cm_event_continues(*word))
         word = cm_event_next(word);
      for (uint32_t n = 0; n < cm_event_count(*group); n++) {
         for (const uint32_t *event = group; event < word; event = cm_event_next(event)) {
            struct cm_quad quad;
            memcpy(&quad, event + 2 + n * CM_QUAD_WORDS, sizeof(quad));
            if (quad.live)
               sum = mix(mix(sum, (uint64_t)event[1] << 32 | quad.primitive),
                         (uint64_t)quad.y << 16 | (uint64_t)quad.x << 8 | quad.live);
         }
      }
   }
   return sum;
}

/* The shaded quads of a tile in the run's mode. */
static uint64_t
sum_tile(const struct cm_tile_events *events, const struct run *run, uint64_t sum)
{
   if (!run->keep_hidden || !run->deferred)
      return sum_quads(events, sum);
   struct cm_deferred deferred = {0};
   assert_true(cm_deferred_build(&deferred, events));
   sum = sum_quads(deferred.result, sum);
   cm_deferred_finish(&deferred);
   return sum;
}

static void
render_part(const struct scene *scene, const struct run *run, struct image *image, uint32_t first,
            uint32_t past, struct tbr_tile_thread *thread)
{
   struct tbr_pass pass = {
      .width = scene->width,
      .height = scene->height,
      .tile_size = run->tile_size,
      .tiles_x = (scene->width + run->tile_size - 1) / run->tile_size,
      .tiles_y = (scene->height + run->tile_size - 1) / run->tile_size,
      .layer_tiles_y = (scene->height + run->tile_size - 1) / run->tile_size,
      .samples = scene->samples,
      .deferred = run->deferred && !run->keep_hidden,
      .keep_hidden = run->keep_hidden,
      .num_color = scene->num_color,
      .num_occlusion_counters = 4,
   };
   for (unsigned n = 0; n < scene->num_color; n++) {
      pass.color[n] = (struct tbr_attachment){
         .memory = image->color[n],
         .stride = image->color_bytes[n] / scene->samples / scene->height,
         .samples = scene->samples,
         .sample_stride = image->color_bytes[n] / scene->samples,
         .layers = 1,
         .format = scene->color[n].format,
         .clear = first == 0 && scene->color[n].clear,
         .load = first != 0 || !scene->color[n].clear,
         .store = true,
         .clear_value = scene->color[n].clear_value,
      };
   }
   if (scene->depth.format != PIPE_FORMAT_NONE) {
      const struct util_format_description *description = util_format_description(scene->depth.format);
      const struct tbr_attachment attachment = {
         .memory = image->depth,
         .stride = image->depth_bytes / scene->samples / scene->height,
         .samples = scene->samples,
         .sample_stride = image->depth_bytes / scene->samples,
         .layers = 1,
         .format = scene->depth.format,
         .clear = first == 0,
         .load = first != 0,
         .store = true,
         .clear_value = scene->depth.clear_value,
      };
      if (util_format_has_depth(description))
         pass.depth = attachment;
      if (util_format_has_stencil(description))
         pass.stencil = attachment;
      pass.depth.store = !scene->drop_depth;
      pass.stencil.store = !scene->drop_stencil;
   }
   struct tbr_draw_state states[SCENE_MAX_DRAWS];
   const struct tbr_draw_state *draws[SCENE_MAX_DRAWS];
   for (uint32_t n = 0; n < scene->num_draws; n++) {
      states[n] = scene->draws[n];
      states[n].resources.constants[0].words = (const uint32_t *)&scene->constants[n];
      draws[n] = &states[n];
   }
   pass.draws = draws;
   struct parameter_buffer buffer;
   fill_parameter_buffer(&buffer, scene, first, past, &pass);
   damage_parameter_buffer(&buffer, &run->damage);
   const uint32_t num_tiles = pass.tiles_x * pass.tiles_y;
   struct cm_tile_events *events = run->record ? calloc(num_tiles, sizeof(*events)) : NULL;
   assert_true(tbr_tile_thread_begin(thread, &pass));
   for (uint32_t n = 0; n <= run->repeat; n++) {
      struct timespec begin, end;
      clock_gettime(CLOCK_MONOTONIC, &begin);
      for (uint32_t tile = 0; tile < num_tiles; tile++)
         run->isa->render_tile(thread, &pass, tile, events ? &events[tile] : NULL);
      clock_gettime(CLOCK_MONOTONIC, &end);
      const double seconds =
         (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
      image->seconds = n == 0 || seconds < image->seconds ? seconds : image->seconds;
   }
   for (unsigned n = 0; n < 4; n++)
      image->occlusion[n] += tbr_tile_thread_occlusion(thread)[n];
   if (events) {
      for (uint32_t tile = 0; tile < num_tiles; tile++) {
         image->recorded += count_recorded(&events[tile], scene, &pass, tile);
         image->recorded_order = sum_tile(&events[tile], run, image->recorded_order);
         if (run->examine)
            run->examine(run->examine_context, &pass, tile, &events[tile]);
         free(events[tile].words);
      }
      free(events);
   }
   parameter_buffer_finish(&buffer);
}

void
scene_render(const struct scene *scene, const struct run *run, struct image *image)
{
   memset(image, 0, sizeof(*image));
   const size_t pixels = (size_t)scene->width * scene->height * scene->samples;
   for (unsigned n = 0; n < scene->num_color; n++) {
      image->color_bytes[n] = pixels * util_format_get_blocksize(scene->color[n].format);
      image->color[n] = malloc(image->color_bytes[n]);
      memset(image->color[n], 0x5a, image->color_bytes[n]);
   }
   if (scene->depth.format != PIPE_FORMAT_NONE) {
      image->depth_bytes = pixels * util_format_get_blocksize(scene->depth.format);
      image->depth = malloc(image->depth_bytes);
      memset(image->depth, 0x5a, image->depth_bytes);
   }
   struct tbr_tile_thread *thread = tbr_tile_thread_create();
   assert_non_null(thread);
   shaded_fragments = 0;
   if (run->split)
      render_part(scene, run, image, 0, run->split, thread);
   render_part(scene, run, image, run->split, scene->num_primitives, thread);
   image->shaded = shaded_fragments;
   tbr_tile_thread_destroy(thread);
}

void
image_finish(struct image *image)
{
   for (unsigned n = 0; n < TBR_MAX_COLOR_BUFFERS; n++)
      free(image->color[n]);
   free(image->depth);
}

static void
assert_bytes_equal(const uint8_t *a, const uint8_t *b, size_t bytes, const char *what, const char *buffer)
{
   for (size_t at = 0; at < bytes; at++) {
      if (a[at] != b[at])
         fail_msg("%s: byte %zu of the %s buffer is %u, not %u", what, at, buffer, b[at], a[at]);
   }
}

void
assert_images_equal(const struct image *a, const struct image *b, const char *what)
{
   for (unsigned n = 0; n < TBR_MAX_COLOR_BUFFERS; n++) {
      assert_int_equal(a->color_bytes[n], b->color_bytes[n]);
      assert_bytes_equal(a->color[n], b->color[n], a->color_bytes[n], what, "colour");
   }
   assert_bytes_equal(a->depth, b->depth, a->depth_bytes, what, "depth");
   for (unsigned n = 0; n < 4; n++)
      assert_int_equal(a->occlusion[n], b->occlusion[n]);
}

const struct tbr_isa *levels[4];
unsigned num_levels;

static int
find_levels(void **state)
{
   static const struct tbr_isa *const all[] = {
#if defined(TBR_ONLY)
      &TBR_ONLY_TABLE
#elif defined(__x86_64__)
      &tbr_isa_x86_64, &tbr_isa_x86_64_v3, &tbr_isa_x86_64_v4
#else
      &tbr_isa_native
#endif
   };
   num_levels = 0;
   do
      levels[num_levels] = all[num_levels];
   while (all[num_levels++] != tbr_isa_get());
   return 0;
}

TESTS_BETWEEN(find_levels, NULL)
