/* SPDX-License-Identifier: MIT */
/**
 * Sampling of 2D textures and cube maps, a vector of lanes at a time. Included by
 * tbr_texture_sample_tmp.h.
 *
 * Normalised channels of up to 8 bits are filtered as 16-bit ones, two in a lane:
 * 32640 (255 * 128) is 1, weights have 16 bits, so a result is within 1/40 of
 * 1/255 of the exact one. Single channels of more bits are filtered as floats.
 * Coordinates on a level are 16.16 fixed point.
 */

enum texture_filter {
   TEXTURE_NEAREST,
   TEXTURE_LINEAR,
   TEXTURE_MIXED, /**< minification and magnification differ */
};

enum texture_mip {
   TEXTURE_MIP_NONE,
   TEXTURE_MIP_NEAREST,
   TEXTURE_MIP_LINEAR,
};

/** What a sampling function is specialised for: constants where it is instantiated. */
struct texture_special {
   enum texture_kind kind;
   bool cube;
   enum texture_filter filter;
   enum texture_mip mip;
};

/** Where the lanes sample one level. */
struct texture_point {
   texture_float s, t; /**< 0 … 1 */
   texture_int layer;  /**< face of a cube map, layer of an array */
   texture_int linear; /**< lanes that filter linearly, for TEXTURE_MIXED */
   texture_int level;  /**< 0 without mipmaps */
   bool uniform;       /**< the lanes of a quad agree on the level */
   /** Depth to compare texels with; NULL: they are not compared. */
   const texture_float *reference;
   unsigned compare; /**< enum pipe_compare_func */
};

/** A coordinate into 0 … 1 as the wrap mode says; a fraction may round up to 1. */
TEXTURE_INLINE texture_float
texture_fold(unsigned wrap, texture_float c)
{
   const texture_float zero = {0};
   if (wrap == PIPE_TEX_WRAP_REPEAT)
      return texture_max(c - texture_floor(c), zero);
   if (wrap == PIPE_TEX_WRAP_MIRROR_REPEAT)
      c -= texture_floor(c * 0.5f + 0.5f) * 2.0f;
   if (wrap != PIPE_TEX_WRAP_CLAMP_TO_EDGE)
      c = (texture_float)((texture_int)c & 0x7fffffff);
   return texture_min(texture_max(c, zero), texture_splat_float(1.0f));
}

/** A byte by byte mean of three texels. */
static uint32_t
texture_mean_of_three(uint32_t a, uint32_t b, uint32_t c)
{
   uint32_t mean = 0;
   for (unsigned shift = 0; shift < 32; shift += 8) {
      const uint32_t sum = (a >> shift & 0xff) + (b >> shift & 0xff) + (c >> shift & 0xff);
      mean |= (sum + 1) / 3 << shift;
   }
   return mean;
}

/** Replaces the texels of lanes whose squares cross the edges of a cube's faces. */
static __attribute__((noinline)) void
texture_cross_words(const struct tbr_texture_private *state, texture_int face, texture_int level,
                    texture_int x, texture_int y, uint32_t lanes, texture_int texels[4])
{
   u_foreach_bit (lane, lanes) {
      const int32_t *record = state->records[level[lane]];
      struct texture_cube_taps taps;
      uint32_t word[4] = {0, 0, 0, 0};
      texture_cube_taps_init(&taps, (unsigned)face[lane], record[TEXTURE_LAST_X] + 1, x[lane], y[lane]);
      for (int i = 0; i < 4; i++) {
         if (i != taps.missing)
            memcpy(&word[i],
                   state->base + record[TEXTURE_OFFSET] + taps.face[i] * record[TEXTURE_LAYER_STRIDE] +
                      taps.y[i] * record[TEXTURE_ROW_STRIDE] + taps.x[i] * 4,
                   sizeof(word[i]));
      }
      if (taps.missing >= 0)
         word[taps.missing] =
            texture_mean_of_three(word[taps.missing ^ 1], word[taps.missing ^ 2], word[taps.missing ^ 3]);
      for (unsigned i = 0; i < 4; i++)
         texels[i][lane] = (int32_t)word[i];
   }
}

/** Notes the texels of lanes (bits from lane `part` on) that cross edges one by one. */
static __attribute__((noinline)) void
texture_note_crossing(const struct tbr_texture_private *state, texture_int face, texture_int level,
                      texture_int texel, uint32_t lanes, unsigned part, unsigned slot,
                      struct texture_reads *reads)
{
   u_foreach_bit (lane, lanes) {
      struct texture_cube_taps taps;
      texture_cube_taps_init(&taps, (unsigned)face[lane], state->records[level[lane]][TEXTURE_LAST_X] + 1,
                             (int16_t)texel[lane], texel[lane] >> 16);
      reads->lanes[slot] &= ~(1u << (part + lane));
      for (int i = 0; i < 4; i++)
         if (i != taps.missing)
            texture_note(reads, slot + (unsigned)i, part + lane, (unsigned)level[lane], false, taps.face[i],
                         taps.x[i], taps.y[i]);
   }
}

/** Compares texels of depth with the reference, if there is one. */
TEXTURE_INLINE void
texture_compare_color(enum texture_kind kind, const struct texture_point *point, struct texture_color *color)
{
   if (texture_is_single(kind) && point->reference)
      color->single = texture_compare_lanes(point->compare, *point->reference, color->single);
}

/** Where the lanes sample a level, in its own terms. */
struct texture_place {
   texture_int offset, row_stride; /**< bytes: of the layer's first texel, from row to row */
   texture_int last_x, last_y;
   texture_int x, y; /**< texels, 16.16 fixed point */
};

TEXTURE_INLINE struct texture_place
texture_place_on_level(const struct tbr_texture_private *state, struct texture_special special,
                       const struct texture_point *point)
{
   struct texture_geometry geometry;
   if (special.mip == TEXTURE_MIP_NONE)
      texture_look_up_first_level(state, &geometry);
   else
      texture_look_up_level(state, point->level, point->uniform, &geometry);
   texture_int offset = geometry.field[TEXTURE_OFFSET];
   if (special.cube || state->layered)
      offset += point->layer * geometry.field[TEXTURE_LAYER_STRIDE];
   return (struct texture_place){
      .offset = offset,
      .row_stride = geometry.field[TEXTURE_ROW_STRIDE],
      .last_x = geometry.field[TEXTURE_LAST_X],
      .last_y = geometry.field[TEXTURE_LAST_Y],
      .x = texture_truncate(point->s * (texture_float)geometry.field[TEXTURE_WIDTH]),
      .y = texture_truncate(point->t * (texture_float)geometry.field[TEXTURE_HEIGHT]),
   };
}

TEXTURE_INLINE struct texture_color
texture_sample_nearest(struct tbr_texture_thread *thread, const struct tbr_texture_private *state,
                       enum texture_kind kind, const struct texture_point *point,
                       const struct texture_place *place, texture_int *texel)
{
   texture_int x = place->x >> 16, y = place->y >> 16;
   x = texture_select_int(x > place->last_x, place->last_x, x);
   y = texture_select_int(y > place->last_y, place->last_y, y);
   *texel = x | y << 16;
   const struct texel_positions places = {place->offset, place->row_stride, {x, x}, {y, y}};
   const struct texture_weights none = {0};
   struct texture_color color;
   if (kind == TEXTURE_KIND_WIDE)
      return texture_filter_wide(thread, state, &places, 1, none, none);
   texture_load_square(thread, state, kind, &places, 1, &color);
   texture_compare_color(kind, point, &color);
   return color;
}

/** The texels of squares whose first ones are x, y, all within the level. */
TEXTURE_INLINE void
texture_load_inner(const struct tbr_texture_private *state, struct texture_special special,
                   const struct texture_place *place, texture_int x, texture_int y,
                   struct texture_color colors[4])
{
   texture_int texels[4];
   const texture_int offset = place->offset + (y * place->row_stride + x * 4);
   texture_load_pair(state, state->base, offset, &texels[0], &texels[1]);
   /* On one level the second rows are as far from the first in all lanes: the same addresses, from another base. */
   if (special.mip == TEXTURE_MIP_NONE)
      texture_load_pair(state, state->base + state->records[0][TEXTURE_ROW_STRIDE], offset, &texels[2],
                        &texels[3]);
   else
      texture_load_pair(state, state->base, offset + place->row_stride, &texels[2], &texels[3]);
#pragma GCC unroll 4
   for (unsigned i = 0; i < 4; i++)
      colors[i] = texture_unpack(special.kind, texels[i]);
}

/** For squares that may reach beyond the level: repeats or clamps. */
TEXTURE_INLINE struct texel_positions
texture_wrap_square(const struct tbr_texture_private *state, const struct texture_place *place, texture_int x,
                    texture_int y)
{
   texture_int repeat_x = texture_splat_int(state->repeat[0]);
   texture_int repeat_y = texture_splat_int(state->repeat[1]);
   texture_int x1 = texture_select_int(x >= place->last_x, place->last_x & ~repeat_x, x + 1);
   texture_int y1 = texture_select_int(y >= place->last_y, place->last_y & ~repeat_y, y + 1);
   texture_int x0 = texture_select_int(x < 0, place->last_x & repeat_x, x);
   texture_int y0 = texture_select_int(y < 0, place->last_y & repeat_y, y);
   return (struct texel_positions){place->offset, place->row_stride, {x0, x1}, {y0, y1}};
}

/** For a seamless cube map; crossing: the lanes whose squares cross edges of its faces. */
TEXTURE_INLINE void
texture_load_seamless(const struct tbr_texture_private *state, enum texture_kind kind,
                      const struct texture_point *point, const struct texel_positions *places, texture_int x,
                      texture_int y, uint32_t crossing, struct texture_color colors[4])
{
   texture_int texels[4];
   for (unsigned i = 0; i < 4; i++)
      texels[i] =
         texture_load_texel(kind, state->base,
                            places->offset + places->y[i >> 1] * places->row_stride + places->x[i & 1] * 4);
   texture_cross_words(state, point->layer, point->level, x, y, crossing, texels);
#pragma GCC unroll 4
   for (unsigned i = 0; i < 4; i++)
      colors[i] = texture_unpack(kind, texels[i]);
}

/** Reads and filters one level. texel: what is read, x | y << 16; crossing: the
 * lanes that read across the edges of a seamless cube map's faces. */
TEXTURE_INLINE struct texture_color
texture_sample_level(struct tbr_texture_thread *thread, const struct tbr_texture_private *state,
                     struct texture_special special, const struct texture_point *point, texture_int *texel,
                     uint32_t *crossing)
{
   const enum texture_kind kind = special.kind;
   const bool mixed = special.filter == TEXTURE_MIXED;
   struct texture_place place = texture_place_on_level(state, special, point);
   *crossing = 0;
   if (special.filter == TEXTURE_NEAREST)
      return texture_sample_nearest(thread, state, kind, point, &place, texel);

   texture_int half = texture_splat_int(0x8000);
   if (mixed)
      half &= point->linear;
   place.x -= half;
   place.y -= half;
   texture_int x = place.x >> 16, y = place.y >> 16;
   if (mixed) {
      x = texture_select_int(x > place.last_x, place.last_x, x);
      y = texture_select_int(y > place.last_y, place.last_y, y);
      place.x &= point->linear;
      place.y &= point->linear;
   }
   const struct texture_weights weight_x = texture_weight(kind, place.x),
                                weight_y = texture_weight(kind, place.y);
   *texel = (x & 0xffff) | y << 16;

   struct texture_color colors[4]; /* in registers, where the loops over them are unrolled */
   const texture_int outside =
      ((texture_uint)x >= (texture_uint)place.last_x) | ((texture_uint)y >= (texture_uint)place.last_y);
   if (texture_has_pairs(kind) && likely(!texture_any(outside))) {
      texture_load_inner(state, special, &place, x, y, colors);
   } else {
      const struct texel_positions places = texture_wrap_square(state, &place, x, y);
      if (kind == TEXTURE_KIND_WIDE)
         return texture_filter_wide(thread, state, &places, 4, weight_x, weight_y);
      if (special.cube && state->seamless) {
         *crossing = texture_bits(mixed ? outside & point->linear : outside);
         texture_load_seamless(state, kind, point, &places, x, y, *crossing, colors);
      } else {
         texture_load_square(thread, state, kind, &places, 4, colors);
      }
   }

#pragma GCC unroll 4
   for (unsigned i = 0; i < 4; i++)
      texture_compare_color(kind, point, &colors[i]);
   const struct texture_color low = texture_mix_colors(kind, colors[0], colors[1], weight_x);
   const struct texture_color high = texture_mix_colors(kind, colors[2], colors[3], weight_x);
   return texture_mix_colors(kind, low, high, weight_y);
}

/** Stores lanes part … as floats, components as the view's swizzle says. */
TEXTURE_INLINE void
texture_store_color(const struct tbr_texture_private *state, enum texture_kind kind,
                    struct texture_color color, unsigned part, struct tbr_sample_arguments *arguments)
{
   const float scale = 1.0f / 255.0f / 128.0f;
   const texture_float zero = {0};
   texture_float red = zero, green = zero, blue = zero, alpha = zero;
   if (kind == TEXTURE_KIND_WIDE) {
      red = color.wide[0];
      green = color.wide[1];
      blue = color.wide[2];
      alpha = color.wide[3];
   } else if (texture_is_single(kind)) {
      red = color.single;
   } else {
      red = texture_to_float((texture_int)color.even & 0xffff) * scale;
      blue = texture_to_float((texture_int)color.even >> 16) * scale;
      green = texture_to_float((texture_int)color.odd & 0xffff) * scale;
      alpha = texture_to_float((texture_int)color.odd >> 16) * scale;
   }
   if (state->identity && !texture_is_single(kind)) {
      texture_store_float(arguments->texel[0] + part, red);
      texture_store_float(arguments->texel[1] + part, green);
      texture_store_float(arguments->texel[2] + part, blue);
      texture_store_float(arguments->texel[3] + part, alpha);
      return;
   }
   const texture_float channels[6] = {red, green, blue, alpha, zero, texture_splat_float(1.0f)};
   for (unsigned i = 0; i < 4; i++)
      texture_store_float(arguments->texel[i] + part, channels[state->channel[i]]);
}

/** Notes what a vector's lanes read of a level in a slot. */
TEXTURE_INLINE void
texture_note_level(const struct tbr_texture_private *state, bool cube, bool layers,
                   const struct texture_point *point, texture_int linear, texture_int texel,
                   uint32_t crossing, unsigned part, unsigned slot, struct texture_reads *reads)
{
   texture_int key = linear | point->level;
   if (layers)
      key |= point->layer << 9;
   texture_store_int(reads->texel[slot] + part, texel);
   texture_store_int(reads->key[slot] + part, key);
   if (cube && crossing)
      texture_note_crossing(state, point->layer, point->level, texel, crossing, part, slot, reads);
}

/** Coordinates, layer and reference of lanes part … */
TEXTURE_INLINE void
texture_point_init(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
                   struct texture_special special, unsigned part, struct texture_cube *projection,
                   texture_float *reference, struct texture_point *point)
{
   if (special.cube) {
      texture_cube_project(arguments, part, projection);
      point->layer = projection->face;
      point->s = texture_fold(PIPE_TEX_WRAP_CLAMP_TO_EDGE, projection->s);
      point->t = texture_fold(PIPE_TEX_WRAP_CLAMP_TO_EDGE, projection->t);
   } else {
      point->s = texture_fold(binding->sampler.wrap_s, texture_load_operand(arguments->coords[0] + part));
      point->t = texture_fold(binding->sampler.wrap_t, texture_load_operand(arguments->coords[1] + part));
      if (binding->private_state.layered)
         point->layer = texture_array_layers(binding->num_layers, arguments->coords[2] + part);
   }
   if (texture_is_single(special.kind) && arguments->shadow) {
      *reference = texture_load_operand(arguments->compare + part);
      if (special.kind != TEXTURE_KIND_FLOAT)
         *reference = texture_clamp_lambda(*reference, 0.0f, 1.0f);
      point->reference = reference;
      point->compare = binding->sampler.compare_func;
   }
}

/** The second of two levels that are mixed. */
struct texture_second_level {
   texture_int lanes; /**< that have one */
   struct texture_weights weight;
};

/** The filter and the level of each lane of a point, from its level of detail. */
TEXTURE_INLINE struct texture_second_level
texture_choose_levels(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
                      struct texture_special special, unsigned part, const struct texture_cube *projection,
                      struct texture_point *point)
{
   const struct tbr_texture_private *state = &binding->private_state;
   struct texture_second_level second = {0};
   if (special.filter != TEXTURE_MIXED && special.mip == TEXTURE_MIP_NONE)
      return second;
   texture_float lambda = texture_lambda(binding, arguments, part, 2, special.cube ? projection : NULL);
   lambda = texture_clamp_lambda(lambda, state->min_lambda, state->max_lambda);
   if (special.filter == TEXTURE_MIXED) {
      const texture_int minified = lambda > texture_splat_float(0.0f);
      point->linear = binding->sampler.min_img_filter == PIPE_TEX_FILTER_LINEAR ? minified : ~minified;
   }
   const texture_int fixed = texture_truncate(lambda * 65536.0f);
   if (special.mip == TEXTURE_MIP_NEAREST)
      point->level = (fixed + 0x7fff) >> 16;
   if (special.mip == TEXTURE_MIP_LINEAR) {
      point->level = fixed >> 16;
      second.lanes = (fixed & 0xffff) != 0;
      second.weight = texture_weight(special.kind, fixed);
   }
   return second;
}

/** Where the reads of a second level begin in texture_reads. */
TEXTURE_INLINE unsigned
texture_second_slot(const struct tbr_texture_private *state, struct texture_special special)
{
   return special.cube && state->seamless ? TEXTURE_MAX_READS / 2 : 1;
}

/** Samples lanes part …; reads: what they read; NULL: it is not recorded. */
TEXTURE_INLINE void
texture_sample_part(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
                    struct tbr_sample_arguments *arguments, struct texture_special special, unsigned part,
                    bool uniform, struct texture_reads *reads)
{
   const struct tbr_texture_private *state = &binding->private_state;
   const bool layers = special.cube || state->layered;
   struct texture_point point = {.uniform = uniform};
   struct texture_cube projection;
   texture_float reference;
   texture_point_init(binding, arguments, special, part, &projection, &reference, &point);
   const struct texture_second_level second =
      texture_choose_levels(binding, arguments, special, part, &projection, &point);

   uint32_t crossing;
   texture_int texel;
   const texture_int linear = special.filter == TEXTURE_NEAREST ? texture_splat_int(0)
                              : special.filter == TEXTURE_MIXED ? point.linear & 0x100
                                                                : texture_splat_int(0x100);
   struct texture_color color = texture_sample_level(thread, state, special, &point, &texel, &crossing);
   if (reads)
      texture_note_level(state, special.cube, layers, &point, linear, texel, crossing, part, 0, reads);
   if (special.mip == TEXTURE_MIP_LINEAR && texture_any(second.lanes)) {
      /* Lanes without a second level mix it in with weight 0. */
      point.level -= second.lanes;
      const struct texture_color next =
         texture_sample_level(thread, state, special, &point, &texel, &crossing);
      color = texture_mix_colors(special.kind, color, next, second.weight);
      if (reads) {
         const uint32_t lanes = texture_bits(second.lanes);
         const unsigned slot = texture_second_slot(state, special);
         reads->lanes[slot] |= lanes << part;
         texture_note_level(state, special.cube, layers, &point, linear, texel, crossing & lanes, part, slot,
                            reads);
      }
   }
   texture_store_color(state, special.kind, color, part, arguments);
}

/** The specialised sampling function. */
TEXTURE_INLINE void
texture_sample_fast(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
                    struct tbr_sample_arguments *arguments, struct texture_special special)
{
   if (arguments->operation != TBR_TEXTURE_SAMPLE || arguments->has_offset ||
       (arguments->shadow && !texture_is_single(special.kind))) {
      texture_sample_other(thread, binding, arguments);
      return;
   }
   const struct tbr_texture_private *state = &binding->private_state;
   const bool uniform = arguments->lod_control == TBR_LOD_IMPLICIT || arguments->lod_control == TBR_LOD_QUAD;
   const bool record = thread->events != NULL && (thread->live & arguments->active) != 0;
   struct texture_reads reads;
   memset(reads.lanes, 0, sizeof(reads.lanes));
   reads.lanes[0] = ~0u;
   for (unsigned part = 0; part < TBR_LANES; part += TEXTURE_LANES)
      texture_sample_part(thread, binding, arguments, special, part, uniform, record ? &reads : NULL);
   if (!record)
      return;
   const unsigned slots = special.cube && state->seamless                       ? TEXTURE_MAX_READS
                          : special.mip == TEXTURE_MIP_LINEAR && reads.lanes[1] ? 2
                                                                                : 1;
   const bool one_level = special.filter != TEXTURE_MIXED && special.mip == TEXTURE_MIP_NONE;
   if (special.cube || state->layered || !(one_level || uniform))
      texture_record(thread, binding, arguments, &reads, slots, true);
   else
      texture_record(thread, binding, arguments, &reads, slots, false);
}
