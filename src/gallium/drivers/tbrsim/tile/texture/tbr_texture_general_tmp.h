/* SPDX-License-Identifier: MIT */
/**
 * Sampling, fetching, gathering and querying of every target, format, filter and
 * wrap mode, a fragment at a time. Included by tbr_texture_sample_tmp.h.
 */

/** What one fragment samples. */
struct texture_fragment {
   unsigned lane;
   float coordinates[3]; /**< s and t on the face for cube maps */
   int layer;            /**< array layer, or face of a cube map (six a cube) */
   int offset[3];
   float reference; /**< to compare with, shadow lookups */
   bool shadow;
};

/** The texels of one slice that a fragment reads of a level: 1, or 2 × 2 in the
 * order (0, 0), (1, 0), (0, 1), (1, 1). */
struct texture_square {
   union texture_texel texel[4];
   float weight_x, weight_y;
};

static inline bool
texture_is_cube(const struct tbr_texture_binding *binding)
{
   return binding->target == PIPE_TEXTURE_CUBE || binding->target == PIPE_TEXTURE_CUBE_ARRAY;
}

static void
texture_compare_texel(const struct tbr_texture_binding *binding, const struct texture_fragment *fragment,
                      union texture_texel *texel)
{
   if (!fragment->shadow)
      return;
   texel->f[0] = texture_compare(binding->sampler.compare_func, fragment->reference, texel->f[0]);
   texel->f[1] = texel->f[2] = texel->f[0];
   texel->f[3] = 1.0f;
}

/** The square of a seamless cube map; past a corner, where three faces meet, the
 * missing texel is the mean of the other three. */
static void
texture_read_cube_square(const struct tbr_texture_binding *binding, const struct texture_fragment *fragment,
                         unsigned level, unsigned slot, struct texture_reads *reads,
                         struct texture_square *square)
{
   const int size = (int)binding->levels[level].width;
   const float u = CLAMP(fragment->coordinates[0], 0.0f, 1.0f) * (float)size - 0.5f;
   const float v = CLAMP(fragment->coordinates[1], 0.0f, 1.0f) * (float)size - 0.5f;
   const int first_x = (int)floorf(u), first_y = (int)floorf(v);
   const unsigned cube = (unsigned)fragment->layer / 6 * 6;
   const bool inside = first_x >= 0 && first_y >= 0 && first_x + 1 < size && first_y + 1 < size;
   struct texture_cube_taps taps;

   square->weight_x = u - floorf(u);
   square->weight_y = v - floorf(v);
   if (inside)
      texture_note(reads, slot, fragment->lane, level, true, (unsigned)fragment->layer, first_x, first_y);
   texture_cube_taps_init(&taps, (unsigned)fragment->layer % 6, size, first_x, first_y);
   const int missing = taps.missing;
   for (int i = 0; i < 4; i++) {
      if (i == missing)
         continue;
      if (!inside)
         texture_note(reads, slot + (unsigned)i, fragment->lane, level, false, cube + taps.face[i], taps.x[i],
                      taps.y[i]);
      square->texel[i] =
         texture_fetch(binding, level, cube + taps.face[i], (unsigned)taps.x[i], (unsigned)taps.y[i]);
      texture_compare_texel(binding, fragment, &square->texel[i]);
   }
   if (missing >= 0) {
      for (unsigned c = 0; c < 4; c++) {
         float sum = 0.0f;
         for (int i = 0; i < 4; i++)
            sum += i == missing ? 0.0f : square->texel[i].f[c];
         square->texel[missing].f[c] = sum * (1.0f / 3.0f);
      }
      if (binding->private_state.integer)
         square->texel[missing] = square->texel[missing ^ 1];
   }
}

/** Reads a fragment's texels of a level and layer or slice. */
static void
texture_read_square(const struct tbr_texture_binding *binding, const struct texture_fragment *fragment,
                    unsigned level, int layer, bool linear, unsigned slot, struct texture_reads *reads,
                    struct texture_square *square)
{
   const struct tbr_texture_level *image = &binding->levels[level];
   const struct pipe_sampler_state *sampler = &binding->sampler;
   const bool normalized = !sampler->unnormalized_coords && binding->target != PIPE_TEXTURE_RECT;
   const int width = (int)image->width, height = (int)image->height;
   const struct texture_axis x = texture_wrap_axis(sampler->wrap_s, fragment->coordinates[0], width,
                                                   normalized, linear, fragment->offset[0]);
   struct texture_axis y = {0, 0, 0.0f};
   if (binding->private_state.dimensions > 1)
      y = texture_wrap_axis(sampler->wrap_t, fragment->coordinates[1], height, normalized, linear,
                            fragment->offset[1]);

   bool reads_any = false;
   for (unsigned i = 0; i < (linear ? 4 : 1); i++) {
      int column = i & 1 ? x.second : x.first, row = i & 2 ? y.second : y.first;
      if (layer >= 0 && texture_inside(column, width) && texture_inside(row, height)) {
         square->texel[i] = texture_fetch(binding, level, (unsigned)layer, (unsigned)column, (unsigned)row);
         reads_any = true;
      } else {
         square->texel[i] = texture_border(binding);
      }
      texture_compare_texel(binding, fragment, &square->texel[i]);
   }
   square->weight_x = x.weight;
   square->weight_y = y.weight;
   if (reads_any)
      texture_note(reads, slot, fragment->lane, level, linear, (unsigned)layer,
                   linear ? texture_lower_corner(x, sampler->wrap_s, width) : x.first,
                   linear ? texture_lower_corner(y, sampler->wrap_t, height) : y.first);
}

/** The lesser or greater component of two texels, as integers of the format's where it has these. */
static bool
texture_takes_second(const struct tbr_texture_private *state, const union texture_texel *a,
                     const union texture_texel *b, unsigned i)
{
   const bool less =
      state->integer ? state->is_signed ? (int32_t)b->bits[i] < (int32_t)a->bits[i] : b->bits[i] < a->bits[i]
                     : b->f[i] < a->f[i];
   return less == (state->reduction == PIPE_TEX_REDUCTION_MIN);
}

/** Mixes texels; weight: of the second. With another reduction than the average it is only about which have any weight. */
static union texture_texel
texture_blend(const struct tbr_texture_private *state, union texture_texel a, union texture_texel b,
              float weight)
{
   for (unsigned i = 0; i < 4; i++) {
      if (state->reduction == PIPE_TEX_REDUCTION_WEIGHTED_AVERAGE)
         a.f[i] += (b.f[i] - a.f[i]) * weight;
      else if (weight > 0.0f && texture_takes_second(state, &a, &b, i))
         a.bits[i] = b.bits[i];
   }
   return a;
}

static union texture_texel
texture_filter_square(const struct tbr_texture_private *state, const struct texture_square *square,
                      bool linear)
{
   if (!linear)
      return square->texel[0];
   const union texture_texel first =
      texture_blend(state, square->texel[0], square->texel[1], square->weight_x);
   if (state->dimensions == 1)
      return first;
   return texture_blend(state, first,
                        texture_blend(state, square->texel[2], square->texel[3], square->weight_x),
                        square->weight_y);
}

/** Filters one level. Slots from `slot` on: at most TEXTURE_MAX_READS / 2. */
static union texture_texel
texture_filter_image(const struct tbr_texture_binding *binding, const struct texture_fragment *fragment,
                     unsigned level, bool linear, unsigned slot, struct texture_reads *reads)
{
   struct texture_square square;

   if (linear && binding->private_state.seamless) {
      texture_read_cube_square(binding, fragment, level, slot, reads, &square);
      return texture_filter_square(&binding->private_state, &square, true);
   }
   if (binding->private_state.dimensions < 3) {
      texture_read_square(binding, fragment, level, fragment->layer, linear, slot, reads, &square);
      return texture_filter_square(&binding->private_state, &square, linear);
   }
   const int depth = (int)binding->levels[level].depth;
   const struct texture_axis z = texture_wrap_axis(binding->sampler.wrap_r, fragment->coordinates[2], depth,
                                                   true, linear, fragment->offset[2]);
   const int first = texture_inside(z.first, depth) ? z.first : -1;
   texture_read_square(binding, fragment, level, first, linear, slot, reads, &square);
   union texture_texel result = texture_filter_square(&binding->private_state, &square, linear);
   if (linear) {
      const int second = texture_inside(z.second, depth) ? z.second : -1;
      texture_read_square(binding, fragment, level, second, true, slot + 1, reads, &square);
      result = texture_blend(&binding->private_state, result,
                             texture_filter_square(&binding->private_state, &square, true), z.weight);
   }
   return result;
}

static int
texture_array_layer(float layer, uint32_t num_layers)
{
   layer = layer > 0.0f ? floorf(layer + 0.5f) : 0.0f;
   return (int)MIN2(layer, (float)(num_layers - 1));
}

/** Coordinates, layer and face of a lane. */
static void
texture_fragment_init(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
                      unsigned lane, struct texture_fragment *fragment)
{
   memset(fragment, 0, sizeof(*fragment));
   fragment->lane = lane;
   for (unsigned i = 0; i < 3; i++) {
      fragment->coordinates[i] = arguments->coords[i][lane];
      if (arguments->has_offset)
         fragment->offset[i] = arguments->offset[i][lane];
   }
   if (binding->private_state.layered)
      fragment->layer = texture_array_layer(arguments->coords[2][lane], binding->num_layers);
   fragment->shadow = arguments->shadow;
   fragment->reference = arguments->compare[lane];
   const struct util_format_description *description = util_format_description(binding->format);
   if (description->channel[0].type != UTIL_FORMAT_TYPE_FLOAT)
      fragment->reference = CLAMP(fragment->reference, 0.0f, 1.0f);
}

/** Stores what the view's swizzle makes of a texel as a component of the result. */
static void
texture_store_component(const struct tbr_texture_binding *binding, const union texture_texel *texel,
                        unsigned swizzle, float *component)
{
   const union texture_texel ones = {.f = {1.0f}};
   const uint32_t one = binding->private_state.integer ? 1 : ones.bits[0];
   const uint32_t bits = swizzle <= PIPE_SWIZZLE_W   ? texel->bits[swizzle]
                         : swizzle == PIPE_SWIZZLE_1 ? one
                                                     : 0;
   memcpy(component, &bits, sizeof(bits));
}

static void
texture_store_texel(const struct tbr_texture_binding *binding, struct tbr_sample_arguments *arguments,
                    unsigned lane, const union texture_texel *texel)
{
   for (unsigned i = 0; i < 4; i++)
      texture_store_component(binding, texel, binding->swizzle[i], &arguments->texel[i][lane]);
}

/** One component of the four texels that bilinear filtering would mix, in the
 * order of textureGather: (0, 1), (1, 1), (1, 0), (0, 0). */
static void
texture_gather_lane(const struct tbr_texture_binding *binding, struct tbr_sample_arguments *arguments,
                    const struct texture_fragment *fragment, struct texture_reads *reads)
{
   static const uint8_t order[4] = {2, 3, 1, 0};
   const unsigned swizzle = binding->swizzle[arguments->shadow ? 0 : arguments->gather_component];
   struct texture_square square;

   if (binding->private_state.seamless)
      texture_read_cube_square(binding, fragment, 0, 0, reads, &square);
   else
      texture_read_square(binding, fragment, 0, fragment->layer, true, 0, reads, &square);
   for (unsigned i = 0; i < 4; i++)
      texture_store_component(binding, &square.texel[order[i]], swizzle,
                              &arguments->texel[i][fragment->lane]);
}

/** texelFetch's operands. */
struct texture_position {
   int32_t x, y, layer; /**< layer: or slice */
   int32_t level;
   int32_t sample;
};

static int32_t
texture_integer(const float *operand)
{
   int32_t value;
   memcpy(&value, operand, sizeof(value));
   return value;
}

static int32_t
texture_position_along(const struct tbr_sample_arguments *arguments, unsigned axis, unsigned lane)
{
   const uint32_t offset = arguments->has_offset ? (uint32_t)arguments->offset[axis][lane] : 0;
   return (int32_t)((uint32_t)texture_integer(&arguments->coords[axis][lane]) + offset);
}

static struct texture_position
texture_position_of(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
                    unsigned lane)
{
   struct texture_position position = {.x = texture_position_along(arguments, 0, lane)};
   if (binding->private_state.dimensions > 1)
      position.y = texture_position_along(arguments, 1, lane);
   if (binding->target == PIPE_TEXTURE_3D)
      position.layer = texture_position_along(arguments, 2, lane);
   if (binding->private_state.layered)
      position.layer = texture_integer(&arguments->coords[2][lane]);
   if (arguments->lod_control == TBR_LOD_EXPLICIT)
      position.level = texture_integer(&arguments->lod[lane]);
   if (arguments->has_sample)
      position.sample = arguments->sample[lane];
   return position;
}

static union texture_texel
texture_fetch_buffer(const struct tbr_texture_binding *binding, uint32_t element, unsigned lane,
                     struct texture_reads *reads)
{
   if (element >= binding->buffer_elements)
      return (union texture_texel){.bits = {0, 0, 0, 0}};
   const size_t offset = (size_t)element * binding->private_state.block_bytes;
   texture_note(reads, 0, lane, 0, false, 0, (int)(element & 0x7fff), (int)(element >> 15));
   return texture_decode(&binding->private_state, binding->levels[0].texels + offset, 0, 0);
}

static union texture_texel
texture_fetch_image(const struct tbr_texture_binding *binding, const struct texture_position *position,
                    unsigned lane, struct texture_reads *reads)
{
   const struct tbr_texture_private *state = &binding->private_state;
   const union texture_texel nothing = {.bits = {0, 0, 0, 0}};
   const int samples = (int)MAX2(binding->num_samples, 1);
   if (!texture_inside(position->level, (int)binding->num_levels) ||
       !texture_inside(position->sample, samples))
      return nothing;
   const struct tbr_texture_level *image = &binding->levels[position->level];
   const uint32_t layers = binding->target == PIPE_TEXTURE_3D ? image->depth : binding->num_layers;
   if (!texture_inside(position->x, (int)image->width) || !texture_inside(position->y, (int)image->height) ||
       !texture_inside(position->layer, (int)layers))
      return nothing;

   const unsigned x = (unsigned)position->x, y = (unsigned)position->y;
   const uint8_t *block = image->texels + (size_t)position->sample * binding->sample_stride +
                          (size_t)position->layer * image->layer_stride +
                          (size_t)(y / state->block_height) * image->row_stride +
                          (size_t)(x / state->block_width) * state->block_bytes;
   /* Multisampled textures have one level; their footprints name the sample. */
   texture_note(reads, 0, lane, (unsigned)(samples > 1 ? position->sample : position->level), false,
                (unsigned)position->layer, position->x, position->y);
   return texture_decode(state, block, x % state->block_width, y % state->block_height);
}

/** texelFetch: zeros outside the texture. */
static void
texture_fetch_lane(const struct tbr_texture_binding *binding, struct tbr_sample_arguments *arguments,
                   unsigned lane, struct texture_reads *reads)
{
   const struct texture_position position = texture_position_of(binding, arguments, lane);
   const union texture_texel texel = binding->target == PIPE_BUFFER
                                        ? texture_fetch_buffer(binding, (uint32_t)position.x, lane, reads)
                                        : texture_fetch_image(binding, &position, lane, reads);
   texture_store_texel(binding, arguments, lane, &texel);
}

/** The level of detail as a fractional level, and its filter. */
static float
texture_level_of(const struct tbr_texture_binding *binding, float lambda, bool *linear)
{
   const struct pipe_sampler_state *sampler = &binding->sampler;
   const float last = (float)binding->private_state.last_level;

   *linear = binding->private_state.filtered &&
             (lambda > 0.0f ? sampler->min_img_filter : sampler->mag_img_filter) == PIPE_TEX_FILTER_LINEAR;
   if (sampler->min_mip_filter == PIPE_TEX_MIPFILTER_NONE)
      return 0.0f;
   if (sampler->min_mip_filter == PIPE_TEX_MIPFILTER_NEAREST || !binding->private_state.filtered)
      lambda = ceilf(lambda + 0.5f) - 1.0f;
   return CLAMP(lambda, 0.0f, last);
}

static void
texture_sample_lane(const struct tbr_texture_binding *binding, struct tbr_sample_arguments *arguments,
                    const struct texture_fragment *fragment, float lambda, struct texture_reads *reads)
{
   bool linear;
   const float place = texture_level_of(binding, lambda, &linear);
   const unsigned level = (unsigned)place;
   const float weight = place - (float)level;
   union texture_texel texel = texture_filter_image(binding, fragment, level, linear, 0, reads);
   if (weight > 0.0f) {
      union texture_texel next =
         texture_filter_image(binding, fragment, level + 1, linear, TEXTURE_MAX_READS / 2, reads);
      texel = texture_blend(&binding->private_state, texel, next, weight);
   }
   texture_store_texel(binding, arguments, fragment->lane, &texel);
}

/** Levels of detail of all lanes, clamped and not, and cube maps' projections. */
struct texture_lanes {
   float lambda[TBR_LANES], unclamped[TBR_LANES];
   float s[TBR_LANES], t[TBR_LANES];
   int32_t face[TBR_LANES];
};

static void
texture_prepare_lanes(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
                      struct texture_lanes *lanes)
{
   const bool cube = texture_is_cube(binding);
   for (unsigned part = 0; part < TBR_LANES; part += TEXTURE_LANES) {
      struct texture_cube projection;
      if (cube) {
         texture_cube_project(arguments, part, &projection);
         texture_store_float(lanes->s + part, projection.s);
         texture_store_float(lanes->t + part, projection.t);
         texture_store_int(lanes->face + part, projection.face);
      }
      texture_float lambda = texture_lambda(binding, arguments, part, binding->private_state.dimensions,
                                            cube ? &projection : NULL);
      texture_store_float(lanes->unclamped + part, lambda);
      lambda = texture_clamp_lambda(lambda, binding->sampler.min_lod, binding->sampler.max_lod);
      texture_store_float(lanes->lambda + part, lambda);
   }
}

static void
texture_sample_general(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
                       struct tbr_sample_arguments *arguments)
{
   struct texture_reads reads;
   struct texture_lanes lanes;
   memset(reads.lanes, 0, sizeof(reads.lanes));
   memset(arguments->texel, 0, sizeof(arguments->texel));
   if (arguments->operation != TBR_TEXTURE_FETCH)
      texture_prepare_lanes(binding, arguments, &lanes);

   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      if (!(arguments->active >> lane & 1))
         continue;
      if (arguments->operation == TBR_TEXTURE_FETCH) {
         texture_fetch_lane(binding, arguments, lane, &reads);
         continue;
      }
      if (arguments->operation == TBR_TEXTURE_LODQ) {
         bool linear;
         arguments->texel[0][lane] = texture_level_of(binding, lanes.lambda[lane], &linear);
         arguments->texel[1][lane] = lanes.unclamped[lane];
         continue;
      }
      struct texture_fragment fragment;
      texture_fragment_init(binding, arguments, lane, &fragment);
      if (texture_is_cube(binding)) {
         fragment.coordinates[0] = lanes.s[lane];
         fragment.coordinates[1] = lanes.t[lane];
         fragment.layer = lanes.face[lane];
         if (binding->target == PIPE_TEXTURE_CUBE_ARRAY)
            fragment.layer += 6 * texture_array_layer(arguments->cube_layer[lane], binding->num_layers / 6);
      }
      if (arguments->operation == TBR_TEXTURE_GATHER) {
         texture_gather_lane(binding, arguments, &fragment, &reads);
      } else {
         texture_sample_lane(binding, arguments, &fragment, lanes.lambda[lane], &reads);
      }
   }
   if (thread->events)
      texture_record(thread, binding, arguments, &reads, TEXTURE_MAX_READS, true);
}
