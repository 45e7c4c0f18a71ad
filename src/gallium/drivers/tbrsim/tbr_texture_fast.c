/* SPDX-License-Identifier: MIT */
/**
 * Sampling of 2D textures and cube maps of 8-bit channels, a vector of lanes at
 * a time. Included by tbr_texture_sample.c.
 *
 * Texels are filtered as 16-bit channels, two in a lane: 32640 (255 * 128) is 1,
 * weights have 16 bits, so a result is within 1/40 of 1/255 of the exact one.
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

/** Channels 0 (low half) and 2 of each lane, and 1 and 3. */
struct texture_color {
   texture_short even, odd;
};

/** Where the lanes sample one level. */
struct texture_point {
   texture_float s, t;   /**< 0 … 1 */
   texture_int face;     /**< of a cube map */
   texture_int linear;   /**< lanes that filter linearly, for TEXTURE_MIXED */
   texture_int level;
   bool uniform;         /**< the lanes of a quad agree on the level */
};

TEXTURE_INLINE texture_int
texture_load_word(const uint8_t *base, texture_int offset)
{
#if TEXTURE_LANES == 16
   return (texture_int)_mm512_i32gather_epi32((__m512i)offset, base, 1);
#elif TEXTURE_LANES == 8
   return (texture_int)_mm256_i32gather_epi32((const int *)base, (__m256i)offset, 1);
#else
   texture_int word;
   for (unsigned i = 0; i < TEXTURE_LANES; i++) {
      int32_t value;
      memcpy(&value, base + offset[i], 4);
      word[i] = value;
   }
   return word;
#endif
}

/** The texels at byte offsets from base, each in the low bits of its lane, zeros
 * above. */
TEXTURE_INLINE texture_int
texture_load_texel(enum texture_kind kind, const uint8_t *base, texture_int offset)
{
   if (kind == TEXTURE_KIND_BYTES_4)
      return texture_load_word(base, offset);
#if TEXTURE_LANES >= 8
   /* The aligned word around a texel lies in the texel's page. */
   texture_uint word = (texture_uint)texture_load_word(base, offset & ~3);
   word >>= (texture_uint)((offset & 3) << 3);
   return (texture_int)word & (kind == TEXTURE_KIND_BYTES_2 ? 0xffff : 0xff);
#else
   texture_int word;
   for (unsigned i = 0; i < TEXTURE_LANES; i++) {
      uint16_t value;
      if (kind == TEXTURE_KIND_BYTES_2) {
         memcpy(&value, base + offset[i], 2);
      } else {
         value = base[offset[i]];
      }
      word[i] = value;
   }
   return word;
#endif
}

/** Two texels next to each other: at the offsets and four bytes on. */
TEXTURE_INLINE void
texture_load_pair(const uint8_t *base, texture_int offset, texture_int *left, texture_int *right)
{
#if TEXTURE_LANES == 16
   const __m512i even = (__m512i)(texture_int){0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30};
   const __m512i odd = (__m512i)(texture_int){1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31};
   __m512i low = _mm512_i32gather_epi64(_mm512_castsi512_si256((__m512i)offset), base, 1);
   __m512i high = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64((__m512i)offset, 1), base, 1);
   *left = (texture_int)_mm512_permutex2var_epi32(low, even, high);
   *right = (texture_int)_mm512_permutex2var_epi32(low, odd, high);
#elif TEXTURE_LANES == 8
   __m256i low = _mm256_i32gather_epi64((const long long *)base, _mm256_castsi256_si128((__m256i)offset), 1);
   __m256i high = _mm256_i32gather_epi64((const long long *)base, _mm256_extracti128_si256((__m256i)offset, 1), 1);
   __m256 first = _mm256_castsi256_ps(_mm256_permute2x128_si256(low, high, 0x20));
   __m256 second = _mm256_castsi256_ps(_mm256_permute2x128_si256(low, high, 0x31));
   *left = (texture_int)_mm256_shuffle_ps(first, second, 0x88);
   *right = (texture_int)_mm256_shuffle_ps(first, second, 0xdd);
#else
   for (unsigned i = 0; i < TEXTURE_LANES; i++) {
      int32_t value[2];
      memcpy(value, base + offset[i], 8);
      (*left)[i] = value[0];
      (*right)[i] = value[1];
   }
#endif
}

TEXTURE_INLINE struct texture_color
texture_unpack(texture_int word)
{
   return (struct texture_color){
      .even = (texture_short)(word << 7 & 0x7f807f80),
      .odd = (texture_short)(word >> 1 & 0x7f807f80),
   };
}

/** a + (b - a) * weight; the weight is in 1/65536 minus one half, which halves
 * the product's range to what 16 bits hold. Exactly a for weight 0. */
TEXTURE_INLINE texture_short
texture_mix(texture_short a, texture_short b, texture_short weight)
{
   return texture_average(a, b) + texture_multiply_high(b - a, weight);
}

TEXTURE_INLINE struct texture_color
texture_mix_colors(struct texture_color a, struct texture_color b, texture_short weight)
{
   return (struct texture_color){
      .even = texture_mix(a.even, b.even, weight),
      .odd = texture_mix(a.odd, b.odd, weight),
   };
}

/** texture_mix's weight from a fraction in the low 16 bits, for both channels. */
TEXTURE_INLINE texture_short
texture_weight(texture_int fraction)
{
   fraction = (fraction & 0xffff) ^ 0x8000;
   return (texture_short)(fraction | fraction << 16);
}

/** A coordinate into 0 … 1 as the wrap mode of the axis says. */
TEXTURE_INLINE texture_float
texture_fold(const struct tbr_texture_private *state, unsigned axis, texture_float c)
{
   c -= texture_floor(c * state->wrap[axis].scale + state->wrap[axis].offset) * state->wrap[axis].period;
   c = (texture_float)((texture_uint)c & state->wrap[axis].magnitude);
   return texture_min(texture_max(c, texture_splat_float(0.0f)), texture_splat_float(1.0f));
}

/** Reads and filters one level. texel: what is read, x | y << 16. */
TEXTURE_INLINE struct texture_color
texture_sample_level(const struct tbr_texture_private *state, enum texture_kind kind, bool cube,
                     enum texture_filter filter, enum texture_mip mip, const struct texture_point *point,
                     texture_int *texel)
{
   const unsigned bytes = kind == TEXTURE_KIND_BYTES_4 ? 4 : kind == TEXTURE_KIND_BYTES_2 ? 2 : 1;
   const uint8_t *base = state->base;
   texture_float width, height;
   texture_int last_x, last_y, row_stride, offset;

   if (mip == TEXTURE_MIP_NONE) {
      width = texture_splat_float(state->width[0]);
      height = texture_splat_float(state->height[0]);
      last_x = texture_splat_int(state->last_x[0]);
      last_y = texture_splat_int(state->last_y[0]);
      row_stride = texture_splat_int(state->row_stride[0]);
      offset = texture_splat_int(state->offset[0]);
      if (cube)
         offset += point->face * state->layer_stride[0];
   } else {
      width = texture_lookup_float(state->width, point->level, point->uniform);
      height = texture_lookup_float(state->height, point->level, point->uniform);
      last_x = texture_lookup_int(state->last_x, point->level, point->uniform);
      last_y = texture_lookup_int(state->last_y, point->level, point->uniform);
      row_stride = texture_lookup_int(state->row_stride, point->level, point->uniform);
      offset = texture_lookup_int(state->offset, point->level, point->uniform);
      if (cube)
         offset += point->face * texture_lookup_int(state->layer_stride, point->level, point->uniform);
   }

   texture_int fixed_x = texture_truncate(point->s * width);
   texture_int fixed_y = texture_truncate(point->t * height);
   if (filter == TEXTURE_NEAREST) {
      texture_int x = fixed_x >> 16, y = fixed_y >> 16;
      x = texture_select_int(x > last_x, last_x, x);
      y = texture_select_int(y > last_y, last_y, y);
      *texel = x | y << 16;
      return texture_unpack(texture_load_texel(kind, base, offset + y * row_stride + x * (int)bytes));
   }

   texture_int half = texture_splat_int(0x8000);
   if (filter == TEXTURE_MIXED)
      half &= point->linear;
   fixed_x -= half;
   fixed_y -= half;
   texture_int x = fixed_x >> 16, y = fixed_y >> 16;
   if (filter == TEXTURE_MIXED) {
      x = texture_select_int(x > last_x, last_x, x);
      y = texture_select_int(y > last_y, last_y, y);
      fixed_x &= point->linear;
      fixed_y &= point->linear;
   }
   texture_short weight_x = texture_weight(fixed_x), weight_y = texture_weight(fixed_y);
   *texel = (x & 0xffff) | y << 16;

   texture_int texel00, texel10, texel01, texel11;
   texture_int outside = ((texture_uint)x >= (texture_uint)last_x) | ((texture_uint)y >= (texture_uint)last_y);
   if (kind == TEXTURE_KIND_BYTES_4 && __builtin_expect(!texture_any(outside), 1)) {
      offset += y * row_stride + x * 4;
      texture_load_pair(base, offset, &texel00, &texel10);
      texture_load_pair(base, offset + row_stride, &texel01, &texel11);
   } else {
      texture_int repeat_x = texture_splat_int(state->wrap[0].repeat);
      texture_int repeat_y = texture_splat_int(state->wrap[1].repeat);
      texture_int x1 = texture_select_int(x >= last_x, last_x & ~repeat_x, x + 1);
      texture_int y1 = texture_select_int(y >= last_y, last_y & ~repeat_y, y + 1);
      texture_int x0 = texture_select_int(x < 0, last_x & repeat_x, x);
      texture_int y0 = texture_select_int(y < 0, last_y & repeat_y, y);
      texture_int row0 = offset + y0 * row_stride, row1 = offset + y1 * row_stride;
      x0 *= (int)bytes;
      x1 *= (int)bytes;
      texel00 = texture_load_texel(kind, base, row0 + x0);
      texel10 = texture_load_texel(kind, base, row0 + x1);
      texel01 = texture_load_texel(kind, base, row1 + x0);
      texel11 = texture_load_texel(kind, base, row1 + x1);
   }

   struct texture_color low = texture_mix_colors(texture_unpack(texel00), texture_unpack(texel10), weight_x);
   struct texture_color high = texture_mix_colors(texture_unpack(texel01), texture_unpack(texel11), weight_x);
   return texture_mix_colors(low, high, weight_y);
}

/** Stores lanes part … as floats, components as the view's swizzle says. */
TEXTURE_INLINE void
texture_store_color(const struct tbr_texture_private *state, struct texture_color color, unsigned part,
                    struct tbr_sample_arguments *arguments)
{
   const float scale = 1.0f / 255.0f / 128.0f;
   texture_float channels[6];
   channels[0] = texture_to_float((texture_int)color.even & 0xffff) * scale;
   channels[1] = texture_to_float((texture_int)color.odd & 0xffff) * scale;
   channels[2] = texture_to_float((texture_int)color.even >> 16) * scale;
   channels[3] = texture_to_float((texture_int)color.odd >> 16) * scale;
   if (state->identity) {
      for (unsigned i = 0; i < 4; i++)
         texture_store_float(arguments->texel[i] + part, channels[i]);
      return;
   }
   channels[4] = texture_splat_float(0.0f);
   channels[5] = texture_splat_float(1.0f);
   for (unsigned i = 0; i < 4; i++)
      texture_store_float(arguments->texel[i] + part, channels[state->channel[i]]);
}

/** The specialised sampling function: all but the first three parameters are
 * constants where it is instantiated. */
TEXTURE_INLINE void
texture_sample_fast(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
                    struct tbr_sample_arguments *arguments, enum texture_kind kind, bool cube,
                    enum texture_filter filter, enum texture_mip mip)
{
   if (arguments->operation != TBR_TEXTURE_SAMPLE || arguments->shadow || arguments->has_offset) {
      texture_sample_general(thread, binding, arguments);
      return;
   }
   const struct tbr_texture_private *state = &binding->private_state;
   const bool mixed = filter == TEXTURE_MIXED;
   const bool uniform = arguments->lod_control == TBR_LOD_IMPLICIT;
   const bool record = thread->events != NULL && (thread->live & arguments->active) != 0;
   struct texture_reads reads;
   reads.lanes[0] = ~0u;
   reads.lanes[1] = 0;

   for (unsigned part = 0; part < TBR_LANES; part += TEXTURE_LANES) {
      struct texture_point point = {.uniform = uniform};
      struct texture_cube projection;
      texture_float lambda = {0};
      texture_short level_weight = {0};
      texture_int second = {0};

      if (cube) {
         texture_cube_project(arguments, part, &projection);
         point.face = projection.face;
         point.s = texture_min(texture_max(projection.s, texture_splat_float(0.0f)), texture_splat_float(1.0f));
         point.t = texture_min(texture_max(projection.t, texture_splat_float(0.0f)), texture_splat_float(1.0f));
      } else {
         point.s = texture_fold(state, 0, texture_load_operand(arguments->coords[0] + part));
         point.t = texture_fold(state, 1, texture_load_operand(arguments->coords[1] + part));
      }

      if (mixed || mip != TEXTURE_MIP_NONE) {
         texture_float unclamped, rho = {0};
         if (arguments->lod_control != TBR_LOD_EXPLICIT)
            rho = texture_rho(binding, arguments, part, 2, cube ? &projection : NULL);
         lambda = texture_lambda(binding, arguments, part, rho, &unclamped);
      }
      if (mixed) {
         texture_int minified = lambda > texture_splat_float(0.0f);
         point.linear = binding->sampler.min_img_filter == PIPE_TEX_FILTER_LINEAR ? minified : ~minified;
      }
      if (mip == TEXTURE_MIP_NEAREST) {
         lambda = -texture_floor(-0.5f - lambda) - 1.0f;
         lambda = texture_min(texture_max(lambda, texture_splat_float(0.0f)),
                              texture_splat_float((float)state->last_level));
         point.level = texture_truncate(lambda);
      } else if (mip == TEXTURE_MIP_LINEAR) {
         lambda = texture_min(texture_max(lambda, texture_splat_float(0.0f)),
                              texture_splat_float((float)state->last_level));
         texture_int fixed = texture_truncate(lambda * 65536.0f);
         point.level = fixed >> 16;
         second = (fixed & 0xffff) != 0;
         level_weight = texture_weight(fixed);
      }

      texture_int texel, linear = filter == TEXTURE_NEAREST ? texture_splat_int(0)
                                : mixed ? point.linear & 0x100 : texture_splat_int(0x100);
      struct texture_color color = texture_sample_level(state, kind, cube, filter, mip, &point, &texel);
      if (record) {
         texture_store_int(reads.texel[0] + part, texel);
         texture_int key = linear;
         if (mip != TEXTURE_MIP_NONE)
            key |= point.level;
         if (cube)
            key |= point.face << 9;
         texture_store_int(reads.key[0] + part, key);
      }
      if (mip == TEXTURE_MIP_LINEAR && texture_any(second)) {
         /* Lanes without a second level mix it in with weight 0. */
         point.level -= second;
         struct texture_color next = texture_sample_level(state, kind, cube, filter, mip, &point, &texel);
         color = texture_mix_colors(color, next, level_weight);
         if (record) {
            texture_int key = linear | point.level;
            if (cube)
               key |= point.face << 9;
            reads.lanes[1] |= texture_bits(second) << part;
            texture_store_int(reads.texel[1] + part, texel);
            texture_store_int(reads.key[1] + part, key);
         }
      }
      texture_store_color(state, color, part, arguments);
   }

   if (record) {
      const unsigned slots = mip == TEXTURE_MIP_LINEAR && reads.lanes[1] ? 2 : 1;
      if (cube || ((mixed || mip != TEXTURE_MIP_NONE) && !uniform)) {
         texture_record(thread, binding, arguments, &reads, slots, true);
      } else {
         texture_record(thread, binding, arguments, &reads, slots, false);
      }
   }
}
