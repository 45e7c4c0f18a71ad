/* SPDX-License-Identifier: MIT */
/* Tile load, clear and flush: between memory's rows and the on-chip blocks. */
#include "tile/tbr_tile.h"
#include "tile/tbr_tile_content.h"
#include "tile/raster/tbr_vector.h"
#include "tile/raster/tbr_vector_half.h"

/* ---- raw pixels: 16 pixels of a block, quad by quad -------------------- */

/* Between memory's rows and a block. */
TBR_INLINE void
copy_whole_block(uint8_t *rows, ptrdiff_t stride, uint8_t *pixels, size_t pixel_bytes, bool to_rows)
{
   for (unsigned pair = 0; pair < 8; pair++) {
      const ptrdiff_t row = (pair >> 2) * 2 + (pair & 1), column = (pair & 2);
      uint8_t *place = rows + row * stride + column * (ptrdiff_t)pixel_bytes;
      uint8_t *pixel = pixels + pair * 2 * pixel_bytes;
      memcpy(to_rows ? place : pixel, to_rows ? pixel : place, 2 * pixel_bytes);
   }
}

/* The same for those pixels of the block that are within x0, y0 … x1, y1 (exclusive). */
static void
copy_part_of_block(uint8_t *rows, ptrdiff_t stride, uint8_t *pixels, size_t pixel_bytes, int x0, int y0,
                   int x1, int y1, bool to_rows)
{
   for (unsigned lane = 0; lane < 16; lane++) {
      const int x = tbr_lane_x[lane], y = tbr_lane_y[lane];
      if (x < x0 || x >= x1 || y < y0 || y >= y1)
         continue;
      uint8_t *place = rows + y * stride + x * (ptrdiff_t)pixel_bytes;
      uint8_t *pixel = pixels + lane * pixel_bytes;
      memcpy(to_rows ? place : pixel, to_rows ? pixel : place, pixel_bytes);
   }
}

/* Blocks at the framebuffer's right and lower edge have only width × height pixels. */
TBR_INLINE void
copy_block(uint8_t *rows, uint32_t stride, uint8_t *pixels, size_t pixel_bytes, int width, int height,
           bool to_rows)
{
   if (likely(width >= 4 && height >= 4)) {
      copy_whole_block(rows, stride, pixels, pixel_bytes, to_rows);
      return;
   }
   if (!to_rows)
      memset(pixels, 0, 16 * pixel_bytes);
   copy_part_of_block(rows, stride, pixels, pixel_bytes, 0, 0, width, height, to_rows);
}

/* Whether the tile begins with the attachment's memory, and whether it ends there. */
TBR_INLINE bool
is_loaded(const struct tbr_tile_thread *thread, const struct tbr_attachment *attachment)
{
   return attachment->load && !attachment->clear && thread->layer < attachment->layers;
}

TBR_INLINE bool
is_stored(const struct tbr_tile_thread *thread, const struct tbr_attachment *attachment)
{
   return attachment->store && thread->layer < attachment->layers;
}

/* ---- colour ------------------------------------------------------------ */

/* Where a sample's pixels of the tile begin in memory. */
TBR_INLINE uint8_t *
attachment_tile(const struct tbr_tile_thread *thread, const struct tbr_attachment *attachment,
                uint32_t sample, size_t pixel_bytes)
{
   return attachment->memory + thread->layer * attachment->layer_stride + sample * attachment->sample_stride +
          (size_t)thread->tile_y * attachment->stride + thread->tile_x * pixel_bytes;
}

TBR_INLINE void
transfer_color(struct tbr_tile_thread *thread, struct tbr_tile_color *color,
               const struct tbr_attachment *attachment, uint32_t sample, size_t pixel_bytes, bool to_memory)
{
   const uint32_t stride = attachment->stride;
   assert(attachment->memory && color->pixels && pixel_bytes == color->pixel_bytes);
   uint8_t *const memory = attachment_tile(thread, attachment, sample, pixel_bytes);
   uint8_t *const first = color->pixels + sample * color->sample_bytes;
   for (int y = 0; y < thread->height; y += 4) {
      uint8_t *rows = memory + (size_t)y * stride;
      uint8_t *pixels = first + (size_t)(y / 4) * thread->blocks_x * 16 * pixel_bytes;
      for (int x = 0; x < thread->width; x += 4) {
         copy_block(rows, stride, pixels, pixel_bytes, thread->width - x, thread->height - y, to_memory);
         rows += 4 * pixel_bytes;
         pixels += 16 * pixel_bytes;
      }
   }
}

static void
transfer_color_any(struct tbr_tile_thread *thread, struct tbr_tile_color *color,
                   const struct tbr_attachment *attachment, bool to_memory)
{
   const uint32_t samples = to_memory ? attachment->samples : thread->pass->samples;
   for (uint32_t sample = 0; sample < samples; sample++) {
      switch (color->pixel_bytes) {
      case 1: transfer_color(thread, color, attachment, sample, 1, to_memory); break;
      case 2: transfer_color(thread, color, attachment, sample, 2, to_memory); break;
      case 4: transfer_color(thread, color, attachment, sample, 4, to_memory); break;
      case 8: transfer_color(thread, color, attachment, sample, 8, to_memory); break;
      case 16: transfer_color(thread, color, attachment, sample, 16, to_memory); break;
      default: transfer_color(thread, color, attachment, sample, color->pixel_bytes, to_memory);
      }
   }
}

static void
clear_pixels(uint8_t *pixels, size_t bytes, const uint8_t *clear_pixel, size_t pixel_bytes)
{
   if (pixel_bytes == 4) {
      int32_t value;
      memcpy(&value, clear_pixel, 4);
      for (size_t at = 0; at < bytes; at += 64)
         ints_store(pixels + at, ints_all(value));
      return;
   }
   for (size_t at = 0; at < bytes; at += pixel_bytes)
      memcpy(pixels + at, clear_pixel, pixel_bytes);
}

static void
begin_tile_color(struct tbr_tile_thread *thread, struct tbr_tile_color *color,
                 const struct tbr_attachment *attachment)
{
   const size_t bytes = (size_t)thread->num_blocks * 16 * color->pixel_bytes;
   if (is_loaded(thread, attachment)) {
      transfer_color_any(thread, color, attachment, false);
      return;
   }
   for (uint32_t sample = 0; sample < thread->pass->samples; sample++) {
      uint8_t *pixels = color->pixels + sample * color->sample_bytes;
      if (attachment->clear)
         clear_pixels(pixels, bytes, color->clear_pixel, color->pixel_bytes);
      else /* anything would do, but the same anything on every run */
         memset(pixels, 0, bytes);
   }
}

/* ---- resolving --------------------------------------------------------- */

/* The mean of a block's samples, four bytes per pixel. */
static void
average_bytes(const struct tbr_tile_color *color, const uint8_t *block, uint8_t *pixels)
{
   typedef uint8_t bytes64 __attribute__((vector_size(64)));
   typedef uint16_t halves64 __attribute__((vector_size(128)));
   halves64 sum = {};
   for (unsigned s = 0; s < TBR_MAX_SAMPLES; s++) {
      bytes64 sample;
      memcpy(&sample, block + s * color->sample_bytes, 64);
      sum += __builtin_convertvector(sample, halves64);
   }
   const bytes64 mean = __builtin_convertvector((sum + TBR_MAX_SAMPLES / 2) / TBR_MAX_SAMPLES, bytes64);
   memcpy(pixels, &mean, 64);
}

/* The same of any format into any other. Of integers the first sample counts. */
static void
average_any(const struct tbr_tile_color *color, const struct tbr_resolve *resolve, const uint8_t *block,
            uint8_t *pixels)
{
   const struct util_format_unpack_description *unpack = util_format_unpack_description(resolve->from);
   const struct util_format_pack_description *pack = util_format_pack_description(resolve->to);
   float rows[TBR_LANES * 4], sum[TBR_LANES * 4] = {0};
   if (color->integer) {
      memcpy(pixels, block, TBR_LANES * color->pixel_bytes);
      return;
   }
   for (unsigned s = 0; s < TBR_MAX_SAMPLES; s++) {
      unpack->unpack_rgba(rows, block + s * color->sample_bytes, TBR_LANES);
      for (unsigned n = 0; n < TBR_LANES * 4; n++)
         sum[n] += rows[n];
   }
   for (unsigned n = 0; n < TBR_LANES * 4; n++)
      sum[n] *= 1.0f / TBR_MAX_SAMPLES;
   pack->pack_rgba_float(pixels, 0, sum, 0, TBR_LANES, 1);
}

/* The same of four channels of half precision. */
static void
average_halves(const struct tbr_tile_color *color, const uint8_t *block, uint8_t *pixels)
{
   floats sum[4] = {floats_all(0.0f), floats_all(0.0f), floats_all(0.0f), floats_all(0.0f)};
   for (unsigned s = 0; s < TBR_MAX_SAMPLES; s++) {
      const uint8_t *first = block + s * color->sample_bytes;
      const uint8_t *quads[TBR_QUADS] = {first, first + 32, first + 64, first + 96};
      const struct half_pixels sample = load_half_quads(quads);
      sum[0] = floats_add(sum[0], floats_from_halves(sample.red_green));
      sum[1] = floats_add(sum[1], floats_from_halves(ints_shift_right_logical(sample.red_green, 16)));
      sum[2] = floats_add(sum[2], floats_from_halves(sample.blue_alpha));
      sum[3] = floats_add(sum[3], floats_from_halves(ints_shift_right_logical(sample.blue_alpha, 16)));
   }
   ints mean[4];
   for (unsigned c = 0; c < 4; c++)
      mean[c] = halves_from_floats(floats_mul(sum[c], floats_all(1.0f / TBR_MAX_SAMPLES)));
   uint8_t *quads[TBR_QUADS] = {pixels, pixels + 32, pixels + 64, pixels + 96};
   store_half_quads(quads, 0xffff,
                    (struct half_pixels){ints_or(mean[0], ints_shift_left(mean[1], 16)),
                                         ints_or(mean[2], ints_shift_left(mean[3], 16))});
}

/* Whether a resolve leaves the order and meaning of the channels alone. */
static bool
resolves_as(const struct tbr_tile_color *color, const struct tbr_resolve *resolve, enum tbr_color_kind kind)
{
   return color->kind == kind && resolve->from == resolve->to && resolve->from == color->format;
}

static void
resolve_color(struct tbr_tile_thread *thread, const struct tbr_tile_color *color,
              const struct tbr_resolve *resolve)
{
   const int x0 = MAX2((int)resolve->x0 - thread->tile_x, 0), y0 = MAX2((int)resolve->y0 - thread->tile_y, 0);
   const int x1 = MIN2((int)resolve->x1 - thread->tile_x, thread->width);
   const int y1 = MIN2((int)resolve->y1 - thread->tile_y, thread->height);
   assert(thread->pass->samples == TBR_MAX_SAMPLES && thread->layer <= resolve->more_layers);
   const bool bytes = resolves_as(color, resolve, TBR_COLOR_BYTES);
   const bool halves = resolves_as(color, resolve, TBR_COLOR_HALF);
   const ptrdiff_t pixel_bytes = util_format_get_blocksize(resolve->to);
   uint8_t *const image = resolve->memory + thread->layer * resolve->layer_stride;
   _Alignas(64) uint8_t pixels[TBR_LANES * 16];
   for (int y = y0 & ~3; y < y1; y += 4) {
      for (int x = x0 & ~3; x < x1; x += 4) {
         const uint8_t *block =
            color->pixels + ((size_t)(y / 4) * thread->blocks_x + x / 4) * 16 * color->pixel_bytes;
         if (bytes)
            average_bytes(color, block, pixels);
         else if (halves)
            average_halves(color, block, pixels);
         else
            average_any(color, resolve, block, pixels);
         /* A number, as a block may begin before the rectangle. */
         const uintptr_t corner = (uintptr_t)image +
                                  (thread->tile_y + y - (ptrdiff_t)resolve->y0) * resolve->stride +
                                  (thread->tile_x + x - (ptrdiff_t)resolve->x0) * pixel_bytes;
         uint8_t *const rows = (uint8_t *)corner;
         if (x >= x0 && x + 4 <= x1 && y >= y0 && y + 4 <= y1)
            copy_whole_block(rows, resolve->stride, pixels, pixel_bytes, true);
         else
            copy_part_of_block(rows, resolve->stride, pixels, pixel_bytes, x0 - x, y0 - y, x1 - x, y1 - y,
                               true);
      }
   }
}

/* ---- depth and stencil ------------------------------------------------- */

/* How the bits of depth and stencil share a pixel. */
enum depth_layout {
   DEPTH_16,
   DEPTH_24_LOW,  /* in the low bits, stencil or nothing above */
   DEPTH_24_HIGH, /* in the high bits, stencil or nothing below */
   DEPTH_FLOAT,
   DEPTH_FLOAT_STENCIL, /* 8 bytes */
   DEPTH_NONE_STENCIL,
};

static enum depth_layout
depth_layout(enum pipe_format format)
{
   switch (format) {
   case PIPE_FORMAT_Z16_UNORM: return DEPTH_16;
   case PIPE_FORMAT_Z24X8_UNORM:
   case PIPE_FORMAT_Z24_UNORM_S8_UINT: return DEPTH_24_LOW;
   case PIPE_FORMAT_X8Z24_UNORM:
   case PIPE_FORMAT_S8_UINT_Z24_UNORM: return DEPTH_24_HIGH;
   case PIPE_FORMAT_Z32_FLOAT: return DEPTH_FLOAT;
   case PIPE_FORMAT_Z32_FLOAT_S8X24_UINT: return DEPTH_FLOAT_STENCIL;
   case PIPE_FORMAT_S8_UINT: return DEPTH_NONE_STENCIL;
   default: unreachable("the screen does not offer other depth formats");
   }
}

static size_t
depth_pixel_bytes(enum depth_layout layout)
{
   static const uint8_t bytes[] = {
      [DEPTH_16] = 2,    [DEPTH_24_LOW] = 4,        [DEPTH_24_HIGH] = 4,
      [DEPTH_FLOAT] = 4, [DEPTH_FLOAT_STENCIL] = 8, [DEPTH_NONE_STENCIL] = 1,
   };
   return bytes[layout];
}

/* Floats' bits as integers of the same order, and back. */
TBR_INLINE ints
order_float_bits(ints bits)
{
   return ints_xor(bits, ints_shift_right_logical(ints_shift_right(bits, 31), 1));
}

/* Sixteen raw pixels as they lie in memory, quad by quad. */
union raw_block {
   _Alignas(64) uint8_t bytes[16 * 8];
   uint16_t halves[16];
   int32_t words[16];
   int32_t pairs[16][2];
};

TBR_INLINE void
decode_block(enum depth_layout layout, const union raw_block *raw, ints *depth, ints *stencil)
{
   int32_t lanes[2][16];
   *depth = *stencil = ints_all(0);
   switch (layout) {
   case DEPTH_16:
      for (unsigned lane = 0; lane < 16; lane++)
         lanes[0][lane] = raw->halves[lane];
      *depth = ints_load(lanes[0]);
      break;
   case DEPTH_24_LOW:
      *depth = ints_and(ints_load(raw->words), ints_all(0xffffff));
      *stencil = ints_shift_right_logical(ints_load(raw->words), 24);
      break;
   case DEPTH_24_HIGH:
      *depth = ints_shift_right_logical(ints_load(raw->words), 8);
      *stencil = ints_and(ints_load(raw->words), ints_all(0xff));
      break;
   case DEPTH_FLOAT: *depth = order_float_bits(ints_load(raw->words)); break;
   case DEPTH_FLOAT_STENCIL:
      for (unsigned lane = 0; lane < 16; lane++) {
         lanes[0][lane] = raw->pairs[lane][0];
         lanes[1][lane] = raw->pairs[lane][1];
      }
      *depth = order_float_bits(ints_load(lanes[0]));
      *stencil = ints_load(lanes[1]);
      break;
   case DEPTH_NONE_STENCIL: *stencil = ints_from_bytes(raw->bytes); break;
   }
}

TBR_INLINE void
encode_block(enum depth_layout layout, union raw_block *raw, ints depth, ints stencil)
{
   int32_t lanes[2][16];
   switch (layout) {
   case DEPTH_16:
      ints_store(lanes[0], depth);
      for (unsigned lane = 0; lane < 16; lane++)
         raw->halves[lane] = lanes[0][lane];
      break;
   case DEPTH_24_LOW: ints_store(raw->words, ints_or(depth, ints_shift_left(stencil, 24))); break;
   case DEPTH_24_HIGH: ints_store(raw->words, ints_or(ints_shift_left(depth, 8), stencil)); break;
   case DEPTH_FLOAT: ints_store(raw->words, order_float_bits(depth)); break;
   case DEPTH_FLOAT_STENCIL:
      ints_store(lanes[0], order_float_bits(depth));
      ints_store(lanes[1], stencil);
      for (unsigned lane = 0; lane < 16; lane++) {
         raw->pairs[lane][0] = lanes[0][lane];
         raw->pairs[lane][1] = lanes[1][lane];
      }
      break;
   case DEPTH_NONE_STENCIL: ints_store_bytes(raw->bytes, stencil); break;
   }
}

/* Moves depth, stencil or both, for one layout. What shares the pixels but is
 * not moved stays as it is in memory. */
TBR_INLINE void
transfer_depth(struct tbr_tile_thread *thread, const struct tbr_attachment *attachment, uint32_t sample,
               enum depth_layout layout, bool move_depth, bool move_stencil, bool to_memory)
{
   const size_t pixel_bytes = depth_pixel_bytes(layout);
   const uint32_t stride = attachment->stride;
   uint8_t *const memory = attachment_tile(thread, attachment, sample, pixel_bytes);
   const bool has_both = layout == DEPTH_24_LOW || layout == DEPTH_24_HIGH || layout == DEPTH_FLOAT_STENCIL;
   const bool merge = has_both && !(move_depth && move_stencil);
   for (int y = 0; y < thread->height; y += 4) {
      uint8_t *rows = memory + (size_t)y * stride;
      for (int x = 0; x < thread->width; x += 4) {
         const uint32_t first = sample * TBR_TILE_MAX_PIXELS + ((y / 4) * thread->blocks_x + x / 4) * 16;
         const int width = thread->width - x, height = thread->height - y;
         union raw_block raw;
         ints depth, stencil;
         if (!to_memory || merge) {
            copy_block(rows, stride, raw.bytes, pixel_bytes, width, height, false);
            decode_block(layout, &raw, &depth, &stencil);
         }
         if (!to_memory) {
            if (move_depth)
               ints_store(thread->depth + first, depth);
            if (move_stencil)
               ints_store_bytes(thread->stencil + first, stencil);
         } else {
            if (!merge || move_depth)
               depth = ints_load(thread->depth + first);
            if (!merge || move_stencil)
               stencil = ints_from_bytes(thread->stencil + first);
            encode_block(layout, &raw, depth, stencil);
            copy_block(rows, stride, raw.bytes, pixel_bytes, width, height, true);
         }
         rows += 4 * pixel_bytes;
      }
   }
}

static void
transfer_depth_sample(struct tbr_tile_thread *thread, const struct tbr_attachment *attachment,
                      uint32_t sample, bool move_depth, bool move_stencil, bool to_memory)
{
   switch (depth_layout(attachment->format)) {
#define CASE(layout)                                                                           \
   case layout:                                                                                \
      transfer_depth(thread, attachment, sample, layout, move_depth, move_stencil, to_memory); \
      break;
      CASE(DEPTH_16)
      CASE(DEPTH_24_LOW)
      CASE(DEPTH_24_HIGH)
      CASE(DEPTH_FLOAT)
      CASE(DEPTH_FLOAT_STENCIL)
      CASE(DEPTH_NONE_STENCIL)
#undef CASE
   }
}

static void
transfer_depth_any(struct tbr_tile_thread *thread, const struct tbr_attachment *attachment, bool move_depth,
                   bool move_stencil, bool to_memory)
{
   const uint32_t samples = to_memory ? attachment->samples : thread->pass->samples;
   for (uint32_t sample = 0; sample < samples; sample++)
      transfer_depth_sample(thread, attachment, sample, move_depth, move_stencil, to_memory);
}

static int32_t
encode_clear_depth(const struct tbr_tile_thread *thread, float depth)
{
   if (thread->depth_is_float) {
      int32_t bits;
      memcpy(&bits, &depth, 4);
      return bits ^ (int32_t)((uint32_t)(bits >> 31) >> 1);
   }
   /* Rounded as a fragment's depth is: a clear and a draw of a depth are equal. */
   const float clamped = depth > 0.0f ? depth < 1.0f ? depth : 1.0f : 0.0f;
   return (int32_t)__builtin_rintf(clamped * thread->depth_scale);
}

/* Whether depth and stencil are moved together: one pixel holds both. */
static bool
shares_memory(const struct tbr_pass *pass)
{
   return pass->depth.memory && pass->depth.memory == pass->stencil.memory;
}

static void
begin_tile_depth(struct tbr_tile_thread *thread)
{
   const struct tbr_pass *pass = thread->pass;
   const uint32_t pixels = thread->num_blocks * 16;
   const bool load_depth = is_loaded(thread, &pass->depth), load_stencil = is_loaded(thread, &pass->stencil);
   for (uint32_t sample = 0; sample < pass->samples; sample++) {
      const uint32_t first = sample * TBR_TILE_MAX_PIXELS;
      if (thread->has_depth && !load_depth) {
         const int32_t value =
            pass->depth.clear ? encode_clear_depth(thread, pass->depth.clear_value.f[0]) : 0;
         for (uint32_t at = 0; at < pixels; at += 16)
            ints_store(thread->depth + first + at, ints_all(value));
      }
      if (!load_stencil) /* also without a stencil buffer: stored with depth it is 0 */
         memset(thread->stencil + first,
                pass->stencil.clear && thread->has_stencil ? pass->stencil.clear_value.ui[1] : 0, pixels);
   }
   if (load_depth && load_stencil && shares_memory(pass)) {
      transfer_depth_any(thread, &pass->depth, true, true, false);
      return;
   }
   if (load_depth)
      transfer_depth_any(thread, &pass->depth, true, false, false);
   if (load_stencil)
      transfer_depth_any(thread, &pass->stencil, false, true, false);
}

static void
flush_tile_depth(struct tbr_tile_thread *thread)
{
   const struct tbr_pass *pass = thread->pass;
   const bool store_depth = is_stored(thread, &pass->depth),
              store_stencil = is_stored(thread, &pass->stencil);
   if (store_depth && store_stencil && shares_memory(pass)) {
      transfer_depth_any(thread, &pass->depth, true, true, true);
      return;
   }
   if (store_depth) {
      const bool spare =
         pass->depth.format == PIPE_FORMAT_Z24X8_UNORM || pass->depth.format == PIPE_FORMAT_X8Z24_UNORM;
      transfer_depth_any(thread, &pass->depth, true, spare, true);
   }
   if (store_stencil)
      transfer_depth_any(thread, &pass->stencil, false, true, true);
}

/* ---- the tile ---------------------------------------------------------- */

/* The processor does not foresee which rows of memory a tile needs: they are short, and far apart. So those of the first sample are
 * fetched before they are loaded, and while the tile is shaded that is to be stored there. */
TBR_INLINE void
prefetch_color(const struct tbr_tile_thread *thread, const struct tbr_attachment *attachment,
               uint32_t pixel_bytes)
{
   const uint8_t *const memory = attachment_tile(thread, attachment, 0, pixel_bytes);
   const size_t bytes = thread->width * pixel_bytes;
   for (int y = 0; y < thread->height; y++) {
      const uint8_t *row = memory + (size_t)y * attachment->stride;
      for (size_t at = 0; at < bytes; at += 64)
         __builtin_prefetch(row + at, 1);
   }
}

static void
load_tile(struct tbr_tile_thread *thread)
{
   const struct tbr_pass *pass = thread->pass;
   for (unsigned n = 0; n < pass->num_color; n++) {
      if (is_stored(thread, &pass->color[n]))
         prefetch_color(thread, &pass->color[n], thread->color[n].pixel_bytes);
   }
   for (unsigned n = 0; n < pass->num_color; n++) {
      if (pass->color[n].memory)
         begin_tile_color(thread, &thread->color[n], &pass->color[n]);
   }
   begin_tile_depth(thread);
}

static void
flush_tile(struct tbr_tile_thread *thread)
{
   const struct tbr_pass *pass = thread->pass;
   if (unlikely(pass->contents))
      tbr_tile_content_begin(thread);
   for (unsigned n = 0; n < pass->num_color; n++) {
      if (is_stored(thread, &pass->color[n]))
         transfer_color_any(thread, &thread->color[n], &pass->color[n], true);
      if (pass->resolve[n].memory && thread->layer <= pass->resolve[n].more_layers)
         resolve_color(thread, &thread->color[n], &pass->resolve[n]);
   }
   flush_tile_depth(thread);
   if (unlikely(pass->contents))
      tbr_tile_content_end(thread);
}
