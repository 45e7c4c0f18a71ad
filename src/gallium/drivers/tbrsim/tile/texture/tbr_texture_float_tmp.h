/* SPDX-License-Identifier: MIT */
/**
 * Sampling and gathering of every target, format, filter and wrap mode in floats, a vector of
 * lanes at a time. Values and footprints are those of the general function, which takes a
 * fragment at a time, bit for bit. Included by tbr_texture_sample_tmp.h.
 */

/** What differs between targets where texels are read. */
enum texture_shape {
   TEXTURE_LINE,   /**< one dimension, in an array or not */
   TEXTURE_FLAT,   /**< two */
   TEXTURE_VOLUME, /**< three */
   TEXTURE_FACES,  /**< a cube map, or an array of them */
};

/** What the lanes sample. */
struct texture_site {
   texture_float at[3];            /**< s and t on the face for cube maps */
   texture_int layer;              /**< of an array, or the face (six a cube) */
   texture_int face;               /**< of the cube */
   const texture_float *reference; /**< to compare with; NULL: nothing is compared */
};

/** The lanes that read a level, how, and where what they read is noted. */
struct texture_access {
   texture_int lanes, level;
   const struct texture_geometry *geometry; /**< of the lanes' levels */
   unsigned part, slot;
   struct texture_reads *reads; /**< NULL: nothing is recorded */
};

/** The texels that the lanes read of a level, and how they are mixed. */
struct texture_square_lanes {
   struct texture_texels texels;
   texture_float weight[3];
};

/** The remainder of an index, of which 0 … size - 1 is left. */
TEXTURE_INLINE texture_int
texture_modulo(texture_int index, texture_int size)
{
   const texture_float quotient = texture_floor(texture_to_float(index) / texture_to_float(size));
   const texture_int remainder = index - texture_truncate(quotient) * size;
   /* Indices that no texture has may round. */
   return texture_max_int(texture_min_int(remainder, size - 1), texture_splat_int(0));
}

/** The remainder of an index that is seldom more than a period outside. */
TEXTURE_INLINE texture_int
texture_repeat_index(texture_int index, texture_int last)
{
   const texture_int zero = texture_splat_int(0), size = last + 1;
   texture_int near = index + (size & (index < zero));
   near -= size & (near > last);
   return likely(!texture_any((near | (last - near)) < zero)) ? near : texture_modulo(index, size);
}

/** Texel indices after the wrap mode, as texture_wrap_index has them. Those of coordinates that repeat are
 * less than a period outside unless there is an offset. */
TEXTURE_INLINE texture_int
texture_wrap_indices(unsigned wrap, texture_int index, texture_int last, bool offset)
{
   const texture_int zero = texture_splat_int(0);
   switch (wrap) {
   case PIPE_TEX_WRAP_REPEAT:
      if (offset)
         return texture_repeat_index(index, last);
      index = texture_select_int(index < zero, last, index);
      return index & ~(index > last);
   case PIPE_TEX_WRAP_MIRROR_REPEAT:
      if (offset) {
         const texture_int inside = texture_modulo(index, 2 * last + 2);
         return texture_min_int(inside, 2 * last + 1 - inside);
      }
      return texture_min_int(index ^ index >> 31, last);
   case PIPE_TEX_WRAP_CLAMP_TO_EDGE: return texture_min_int(texture_max_int(index, zero), last);
   case PIPE_TEX_WRAP_MIRROR_CLAMP_TO_EDGE: return texture_min_int(index ^ index >> 31, last);
   case PIPE_TEX_WRAP_MIRROR_CLAMP:
   case PIPE_TEX_WRAP_MIRROR_CLAMP_TO_BORDER: return texture_min_int(index ^ index >> 31, last + 1);
   default: return texture_min_int(texture_max_int(index, zero - 1), last + 1);
   }
}

/** The texels along one axis: indices after wrapping, and the second's weight. */
struct texture_axis_lanes {
   texture_int first, second;
   texture_float weight;
};

/** Coordinates in texels, as texture_to_texels has them. */
TEXTURE_INLINE texture_float
texture_scale_coordinates(unsigned wrap, texture_float c, texture_float size, bool normalized)
{
   const texture_float zero = {0}, one = texture_splat_float(1.0f);
   const texture_float whole = normalized ? one : size;
   if (wrap == PIPE_TEX_WRAP_REPEAT) /* 0 where it is not a number */
      return texture_max(c - texture_floor(c), zero) * size;
   c = (texture_float)((texture_int)c & (c - c == zero));
   switch (wrap) {
   case PIPE_TEX_WRAP_MIRROR_REPEAT:
      c -= 2.0f * texture_floor(c * 0.5f + 0.5f);
      /* A whole period off, where the sum was rounded. */
      return (c + (texture_float)((c < -one) & (texture_int)(one + one))) * size;
   case PIPE_TEX_WRAP_CLAMP: c = texture_min(texture_max(c, zero), whole); break;
   case PIPE_TEX_WRAP_MIRROR_CLAMP:
      c = texture_min((texture_float)((texture_int)c & 0x7fffffff), whole);
      break;
   }
   if (normalized)
      c *= size;
   return texture_min(texture_max(c, texture_splat_float(-1048576.0f)), texture_splat_float(1048576.0f));
}

/** offset: of the lanes, NULL without. */
TEXTURE_INLINE struct texture_axis_lanes
texture_wrap_lanes(unsigned wrap, texture_float coordinate, texture_int last, bool normalized, bool linear,
                   const int32_t *offset)
{
   struct texture_axis_lanes axis;
   if (!linear && wrap == PIPE_TEX_WRAP_CLAMP)
      wrap = PIPE_TEX_WRAP_CLAMP_TO_EDGE;
   if (!linear && wrap == PIPE_TEX_WRAP_MIRROR_CLAMP)
      wrap = PIPE_TEX_WRAP_MIRROR_CLAMP_TO_EDGE;
   const texture_float size = texture_to_float(last + 1);
   texture_float u = texture_scale_coordinates(wrap, coordinate, size, normalized);
   if (wrap == PIPE_TEX_WRAP_REPEAT && !linear)
      u = texture_min(u, size - 0.5f);
   if (linear)
      u -= 0.5f;
   const texture_float whole = !linear && wrap == PIPE_TEX_WRAP_REPEAT ? u : texture_floor(u);
   texture_int index = texture_truncate(whole);
   if (offset)
      index += texture_load_int(offset);
   axis.first = axis.second = index;
   if (linear || offset || wrap != PIPE_TEX_WRAP_REPEAT)
      axis.first = axis.second = texture_wrap_indices(wrap, index, last, offset != NULL);
   if (linear) {
      if (wrap == PIPE_TEX_WRAP_REPEAT) {
         axis.second = axis.first + 1;
         axis.second &= ~(axis.second > last);
      } else {
         axis.second = texture_wrap_indices(wrap, index + 1, last, offset != NULL);
      }
      axis.weight = u - whole;
   }
   return axis;
}

/** The lower corner to record, as texture_lower_corner has it. */
TEXTURE_INLINE texture_int
texture_lower_corners(const struct texture_axis_lanes *axis, unsigned wrap, texture_int last)
{
   const texture_int first = axis->first, second = axis->second;
   texture_int corner = texture_min_int(first, second);
   if (wrap == PIPE_TEX_WRAP_REPEAT)
      corner = texture_select_int((first == last) & (second == 0), first, corner);
   return texture_select_int((first == second) & (first == 0), texture_splat_int(-1), corner);
}

/** Notes what lanes read in a slot. */
TEXTURE_INLINE void
texture_note_lanes(const struct texture_access *access, unsigned slot, texture_int lanes, texture_int x,
                   texture_int y, texture_int layer, bool linear)
{
   struct texture_reads *reads = access->reads;
   uint32_t *texel = reads->texel[slot] + access->part, *key = reads->key[slot] + access->part;
   const texture_int place = (x & 0xffff) | y << 16;
   const texture_int name = access->level | (linear ? 0x100 : 0) | layer << 9;
   texture_store_int(texel, texture_select_int(lanes, place, texture_load_int(texel)));
   texture_store_int(key, texture_select_int(lanes, name, texture_load_int(key)));
   reads->lanes[slot] |= texture_bits(lanes) << access->part;
}

/** Moves indices just outside inside; returns the lanes of those that were. */
TEXTURE_INLINE texture_int
texture_limit(texture_int *index, texture_int last)
{
   const texture_int limited = texture_min_int(texture_max_int(*index, texture_splat_int(0)), last);
   const texture_int inside = limited == *index;
   *index = limited;
   return inside;
}

TEXTURE_INLINE unsigned
texture_count_taps(enum texture_shape shape, bool linear)
{
   return !linear ? 1 : shape == TEXTURE_LINE ? 2 : shape == TEXTURE_VOLUME ? 8 : 4;
}

/** Where a texel past an edge of a cube's face is: on which face, and at which column and row there, either the first
 * or the last, or the place along the edge, from the one end or the other. */
enum texture_beyond {
   TEXTURE_FIRST,
   TEXTURE_LAST,
   TEXTURE_ALONG,
   TEXTURE_BACK,
};
#define TEXTURE_EDGE(face, column, row) (face) | TEXTURE_##column << 3 | TEXTURE_##row << 5
/** By face, and by edge: left, right, lower, upper. */
static const int32_t texture_edges[6][4] = {
   {TEXTURE_EDGE(4, LAST, ALONG), TEXTURE_EDGE(5, FIRST, ALONG), TEXTURE_EDGE(2, LAST, BACK),
    TEXTURE_EDGE(3, LAST, ALONG)},
   {TEXTURE_EDGE(5, LAST, ALONG), TEXTURE_EDGE(4, FIRST, ALONG), TEXTURE_EDGE(2, FIRST, ALONG),
    TEXTURE_EDGE(3, FIRST, BACK)},
   {TEXTURE_EDGE(1, ALONG, FIRST), TEXTURE_EDGE(0, BACK, FIRST), TEXTURE_EDGE(5, BACK, FIRST),
    TEXTURE_EDGE(4, ALONG, FIRST)},
   {TEXTURE_EDGE(1, BACK, LAST), TEXTURE_EDGE(0, ALONG, LAST), TEXTURE_EDGE(4, ALONG, LAST),
    TEXTURE_EDGE(5, BACK, LAST)},
   {TEXTURE_EDGE(1, LAST, ALONG), TEXTURE_EDGE(0, FIRST, ALONG), TEXTURE_EDGE(2, ALONG, LAST),
    TEXTURE_EDGE(3, ALONG, FIRST)},
   {TEXTURE_EDGE(0, LAST, ALONG), TEXTURE_EDGE(1, FIRST, ALONG), TEXTURE_EDGE(2, BACK, FIRST),
    TEXTURE_EDGE(3, BACK, LAST)},
};

/** The column or row that an enum texture_beyond in the low bits is. */
TEXTURE_INLINE texture_int
texture_beyond_edge(texture_int beyond, texture_int along, texture_int last)
{
   const texture_int place = along & -(beyond >> 1 & 1);
   return texture_select_int((beyond & 1) != 0, last - place, place);
}

/** Moves the taps of lanes whose squares cross the edges of a seamless cube map's faces to the faces next to them,
 * and notes them one by one. first: the texels at (0, 0). Returns for each tap the lanes that have no texel there: it
 * is past a corner, where three faces meet. */
static __attribute__((noinline)) void
texture_cross_faces(const struct tbr_texture_private *state, const struct texture_site *site,
                    const struct texture_access *access, const struct texture_geometry *geometry,
                    const texture_int first[2], const texture_int *crossing, struct texture_taps *taps,
                    texture_int missing[4])
{
   const texture_int last = geometry->field[TEXTURE_LAST_X], zero = texture_splat_int(0), lanes = *crossing;
   for (unsigned i = 0; i < 4; i++) {
      const texture_int x = first[0] + (int)(i & 1), y = first[1] + (int)(i >> 1);
      const texture_int x_outside = (texture_uint)x > (texture_uint)last;
      const texture_int y_outside = (texture_uint)y > (texture_uint)last;
      const texture_int outside = x_outside ^ y_outside, corner = x_outside & y_outside;
      const texture_int edge = texture_select_int(x_outside, -(x > zero), 2 - (y > zero));
      const texture_int along = texture_select_int(x_outside, y, x);
      const texture_int entry =
         texture_load_word((const uint8_t *)texture_edges, (site->face * 4 + edge) * 4);
      const texture_int column =
         texture_select_int(outside, texture_beyond_edge(entry >> 3, along, last), x) & ~corner;
      const texture_int row =
         texture_select_int(outside, texture_beyond_edge(entry >> 5, along, last), y) & ~corner;
      const texture_int layer =
         site->layer + (texture_select_int(outside, entry & 7, site->face) - site->face);
      struct texture_taps beyond;
      texture_place_tap(state, &beyond, i,
                        geometry->field[TEXTURE_OFFSET] + layer * geometry->field[TEXTURE_LAYER_STRIDE],
                        geometry->field[TEXTURE_ROW_STRIDE], column, row);
      taps->offset[i] = texture_select_int(lanes, beyond.offset[i], taps->offset[i]);
      if (state->block_shift)
         taps->place[i] = texture_select_int(lanes, beyond.place[i], taps->place[i]);
      missing[i] = lanes & corner;
      if (access->reads)
         texture_note_lanes(access, access->slot + i, lanes & ~corner, column, row, layer, false);
   }
}

/** Past corners, the mean of the other three texels; for integers, the one next to it. */
static __attribute__((noinline)) void
texture_fill_corners(const struct tbr_texture_private *state, const texture_int missing[4], unsigned channels,
                     struct texture_texels *texels)
{
   for (unsigned tap = 0; tap < 4; tap++) {
      if (!texture_any(missing[tap]))
         continue;
      for (unsigned c = 0; c < 4; c++) {
         if (!(channels >> c & 1))
            continue;
         texture_float sum = {0};
         for (unsigned i = 0; i < 4; i++)
            if (i != tap)
               sum += texels->channel[i][c];
         sum *= 1.0f / 3.0f;
         if (state->integer)
            sum = texels->channel[tap ^ 1][c];
         texels->channel[tap][c] = texture_select_float(missing[tap], sum, texels->channel[tap][c]);
      }
   }
}

/** Columns, rows and slices that the lanes read of a level; the second ones where it is filtered. */
struct texture_box_lanes {
   texture_int x[2], y[2], z[2];
};

/** Where the texels are, and how they are mixed, in the wrap modes. Sets `inside` of each tap where there are
 * borders; notes what is read. */
TEXTURE_INLINE void
texture_wrap_box(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
                 enum texture_shape shape, bool linear, const struct texture_site *site,
                 const struct texture_access *access, const struct texture_geometry *geometry,
                 struct texture_box_lanes *box, texture_float weight[3], texture_int *inside)
{
   const struct tbr_texture_private *state = &binding->private_state;
   const struct pipe_sampler_state *sampler = &binding->sampler;
   const unsigned part = access->part;
   const bool offset = shape != TEXTURE_FACES && arguments->has_offset;
   const bool normalized = shape == TEXTURE_VOLUME || shape == TEXTURE_FACES || state->normalized;
   const texture_int last_x = geometry->field[TEXTURE_LAST_X], last_y = geometry->field[TEXTURE_LAST_Y];
   const texture_int last_z = geometry->field[TEXTURE_LAST_Z];
   struct texture_axis_lanes x, y = {0}, z = {0};
   /* The modes that most textures have, with a branch for all coordinates. */
#define TEXTURE_WRAP_AXES(mode_s, mode_t, mode_r, lanes)                                    \
   do {                                                                                     \
      x = texture_wrap_lanes(mode_s, site->at[0], last_x, normalized, linear, lanes(0));    \
      if (shape != TEXTURE_LINE)                                                            \
         y = texture_wrap_lanes(mode_t, site->at[1], last_y, normalized, linear, lanes(1)); \
      if (shape == TEXTURE_VOLUME)                                                          \
         z = texture_wrap_lanes(mode_r, site->at[2], last_z, true, linear, lanes(2));       \
   } while (false)
#define TEXTURE_NO_OFFSET(axis) NULL
#define TEXTURE_ANY_OFFSET(axis) (offset ? arguments->offset[axis] + part : NULL)
   const unsigned common = offset ? TEXTURE_WRAP_MIXED : state->common_wrap;
   if (common == PIPE_TEX_WRAP_REPEAT)
      TEXTURE_WRAP_AXES(PIPE_TEX_WRAP_REPEAT, PIPE_TEX_WRAP_REPEAT, PIPE_TEX_WRAP_REPEAT, TEXTURE_NO_OFFSET);
   else if (common == PIPE_TEX_WRAP_CLAMP_TO_EDGE)
      TEXTURE_WRAP_AXES(PIPE_TEX_WRAP_CLAMP_TO_EDGE, PIPE_TEX_WRAP_CLAMP_TO_EDGE, PIPE_TEX_WRAP_CLAMP_TO_EDGE,
                        TEXTURE_NO_OFFSET);
   else
      TEXTURE_WRAP_AXES(sampler->wrap_s, sampler->wrap_t, sampler->wrap_r, TEXTURE_ANY_OFFSET);
#undef TEXTURE_WRAP_AXES
#undef TEXTURE_NO_OFFSET
#undef TEXTURE_ANY_OFFSET
   if (linear) {
      weight[0] = x.weight;
      weight[1] = y.weight;
      weight[2] = z.weight;
   }
   *box = (struct texture_box_lanes){{x.first, x.second}, {y.first, y.second}, {z.first, z.second}};

   texture_int any[2] = {texture_splat_int(-1), texture_splat_int(-1)};
   if (unlikely(state->bordered)) {
      texture_int x_inside[2], y_inside[2], z_inside[2];
      any[0] = any[1] = texture_splat_int(0);
      for (unsigned i = 0; i < 2; i++) {
         x_inside[i] = texture_limit(&box->x[i], last_x);
         y_inside[i] = texture_limit(&box->y[i], last_y);
         z_inside[i] = texture_limit(&box->z[i], last_z);
      }
      for (unsigned i = 0; i < texture_count_taps(shape, linear); i++) {
         inside[i] = x_inside[i & 1] & y_inside[i >> 1 & 1] & z_inside[i >> 2];
         any[i >> 2] |= inside[i];
      }
   }
   if (!access->reads)
      return;
   const texture_int column = linear ? texture_lower_corners(&x, sampler->wrap_s, last_x) : x.first;
   const texture_int row = linear ? texture_lower_corners(&y, sampler->wrap_t, last_y) : y.first;
   texture_note_lanes(access, access->slot, access->lanes & any[0], column, row,
                      shape == TEXTURE_VOLUME ? box->z[0] : site->layer, linear);
   if (shape == TEXTURE_VOLUME && linear)
      texture_note_lanes(access, access->slot + 1, access->lanes & any[1], column, row, box->z[1], true);
}

/** The same on the faces of a seamless cube map, of lanes whose squares are within a face; returns the
 * others. first: the texels that those have at (0, 0). */
TEXTURE_INLINE texture_int
texture_place_on_face(const struct texture_site *site, const struct texture_access *access,
                      const struct texture_geometry *geometry, struct texture_box_lanes *box,
                      texture_float weight[3], texture_int first[2])
{
   const texture_float size = texture_to_float(geometry->field[TEXTURE_LAST_X] + 1);
   const texture_int last = geometry->field[TEXTURE_LAST_X];
   for (unsigned i = 0; i < 2; i++) {
      const texture_float u = texture_clamp_lambda(site->at[i], 0.0f, 1.0f) * size - 0.5f;
      const texture_float whole = texture_floor(u);
      first[i] = texture_truncate(whole);
      weight[i] = u - whole;
   }
   const texture_int within =
      ((first[0] - last) & (first[1] - last) & ~(first[0] | first[1])) < texture_splat_int(0);
   box->x[0] = first[0] & within;
   box->y[0] = first[1] & within;
   box->y[1] = box->y[0] - within;
   if (access->reads)
      texture_note_lanes(access, access->slot, access->lanes & within, box->x[0], box->y[0], site->layer,
                         true);
   /* Of the others, which have other taps, the first two texels are read if there are two. */
   box->x[1] = texture_min_int(box->x[0] + 1, last);
   return access->lanes & ~within;
}

/** Sets the taps. */
TEXTURE_INLINE void
texture_place_box(const struct tbr_texture_private *state, enum texture_shape shape, bool linear,
                  texture_int layer, const struct texture_geometry *geometry,
                  const struct texture_box_lanes *box, struct texture_taps *taps)
{
   const texture_int row_stride = geometry->field[TEXTURE_ROW_STRIDE];
   texture_int image[2] = {geometry->field[TEXTURE_OFFSET], geometry->field[TEXTURE_OFFSET]};
   if (shape == TEXTURE_VOLUME) {
      image[0] += box->z[0] * geometry->field[TEXTURE_LAYER_STRIDE];
      image[1] += box->z[1] * geometry->field[TEXTURE_LAYER_STRIDE];
   } else if (shape == TEXTURE_FACES || state->layered) {
      image[0] += layer * geometry->field[TEXTURE_LAYER_STRIDE];
   }
#pragma GCC unroll 8
   for (unsigned i = 0; i < texture_count_taps(shape, linear); i++)
      texture_place_tap(state, taps, i, image[i >> 2], row_stride, box->x[i & 1], box->y[i >> 1 & 1]);
   taps->pairs = linear && !texture_any(box->x[1] != box->x[0] + 1);
}

/** Reads the texels of a level. */
TEXTURE_INLINE void
texture_read_lanes(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
                   const struct tbr_sample_arguments *arguments, enum texture_shape shape, bool linear,
                   const struct texture_site *site, const struct texture_access *access, unsigned channels,
                   struct texture_square_lanes *square)
{
   const struct tbr_texture_private *state = &binding->private_state;
   const unsigned count = texture_count_taps(shape, linear);
   const bool seamless = shape == TEXTURE_FACES && linear && state->seamless;
   const struct texture_geometry *geometry = access->geometry;
   struct texture_box_lanes box;
   struct texture_taps taps;
   texture_int inside[TEXTURE_MAX_TAPS], first[2], missing[4], crossing;
   bool crosses = false;

   if (seamless) {
      crossing = texture_place_on_face(site, access, geometry, &box, square->weight, first);
      crosses = texture_any(crossing);
   } else {
      texture_wrap_box(binding, arguments, shape, linear, site, access, geometry, &box, square->weight,
                       inside);
   }
   texture_place_box(state, shape, linear, site->layer, geometry, &box, &taps);
   if (unlikely(crosses)) {
      texture_cross_faces(state, site, access, geometry, first, &crossing, &taps, missing);
      taps.pairs = false;
   }

   taps.channels = channels;
   texture_load_texels(thread, state, &taps, count, &square->texels);

   if (unlikely(state->bordered) && !seamless)
      for (unsigned i = 0; i < count; i++)
         for (unsigned c = 0; c < 4; c++)
            square->texels.channel[i][c] = texture_select_float(inside[i], square->texels.channel[i][c],
                                                                texture_splat_float(state->stored_border[c]));
   if (site->reference)
      for (unsigned i = 0; i < count; i++)
         square->texels.channel[i][0] = texture_compare_lanes(binding->sampler.compare_func, *site->reference,
                                                              square->texels.channel[i][0]);
   if (unlikely(crosses))
      texture_fill_corners(state, missing, taps.channels, &square->texels);
}

/** Reads and filters one level. Slots from the access's on: at most TEXTURE_MAX_READS / 2. */
TEXTURE_INLINE void
texture_filter_lanes(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
                     const struct tbr_sample_arguments *arguments, enum texture_shape shape, bool linear,
                     const struct texture_site *site, const struct texture_access *access,
                     texture_float *channels)
{
   const unsigned used = binding->private_state.used_channels, count = texture_count_taps(shape, linear);
   struct texture_square_lanes square;
   texture_read_lanes(thread, binding, arguments, shape, linear, site, access, used, &square);
#pragma GCC unroll 4
   for (unsigned c = 0; c < 4; c++) {
      if (!(used >> c & 1))
         continue;
      channels[c] = square.texels.channel[0][c];
      if (!linear)
         continue;
      /* Along x, then y, then z. */
      texture_float texel[TEXTURE_MAX_TAPS];
      for (unsigned i = 0; i < count; i++)
         texel[i] = square.texels.channel[i][c];
      for (unsigned axis = 0; count >> axis > 1; axis++)
         for (unsigned i = 0; i < count >> (axis + 1); i++)
            texel[i] = texture_blend_lanes(texel[2 * i], texel[2 * i + 1], square.weight[axis]);
      channels[c] = texel[0];
   }
}

/** The functions that read and filter a level. */
#define TEXTURE_DEFINE_LEVEL(name, shape, linear)                                                            \
   static __attribute__((noinline)) void texture_filter_##name(struct tbr_texture_thread *thread,            \
                                                               const struct tbr_texture_binding *binding,    \
                                                               const struct tbr_sample_arguments *arguments, \
                                                               const struct texture_site *site,              \
                                                               const struct texture_access *access,          \
                                                               texture_float *channels)                      \
   {                                                                                                         \
      texture_filter_lanes(thread, binding, arguments, shape, linear, site, access, channels);               \
   }
TEXTURE_DEFINE_LEVEL(line_nearest, TEXTURE_LINE, false)
TEXTURE_DEFINE_LEVEL(line_linear, TEXTURE_LINE, true)
TEXTURE_DEFINE_LEVEL(flat_nearest, TEXTURE_FLAT, false)
TEXTURE_DEFINE_LEVEL(flat_linear, TEXTURE_FLAT, true)
TEXTURE_DEFINE_LEVEL(volume_nearest, TEXTURE_VOLUME, false)
TEXTURE_DEFINE_LEVEL(volume_linear, TEXTURE_VOLUME, true)
TEXTURE_DEFINE_LEVEL(faces_nearest, TEXTURE_FACES, false)
TEXTURE_DEFINE_LEVEL(faces_linear, TEXTURE_FACES, true)

/** Filters a level, of the lanes that filter linearly and of the others. */
TEXTURE_INLINE void
texture_filter_either(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
                      const struct tbr_sample_arguments *arguments, enum texture_shape shape,
                      const struct texture_site *site, const struct texture_access *access,
                      texture_int linear, texture_float *channels)
{
   typedef void (*function)(struct tbr_texture_thread *, const struct tbr_texture_binding *,
                            const struct tbr_sample_arguments *, const struct texture_site *,
                            const struct texture_access *, texture_float *);
   static const function functions[4][2] = {
      [TEXTURE_LINE] = {texture_filter_line_nearest, texture_filter_line_linear},
      [TEXTURE_FLAT] = {texture_filter_flat_nearest, texture_filter_flat_linear},
      [TEXTURE_VOLUME] = {texture_filter_volume_nearest, texture_filter_volume_linear},
      [TEXTURE_FACES] = {texture_filter_faces_nearest, texture_filter_faces_linear},
   };
   const uint32_t lanes = texture_bits(access->lanes), filtered = texture_bits(access->lanes & linear);
   if (filtered == lanes || !filtered) {
      functions[shape][filtered != 0](thread, binding, arguments, site, access, channels);
      return;
   }
   struct texture_access some = *access;
   texture_float nearest[4];
   some.lanes = access->lanes & linear;
   functions[shape][1](thread, binding, arguments, site, &some, channels);
   some.lanes = access->lanes & ~linear;
   functions[shape][0](thread, binding, arguments, site, &some, nearest);
   for (unsigned c = 0; c < 4; c++)
      if (binding->private_state.used_channels >> c & 1)
         channels[c] = texture_select_float(linear, channels[c], nearest[c]);
}

/** Coordinates, layers and faces of the lanes from part on. */
TEXTURE_INLINE void
texture_site_init(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
                  unsigned part, enum texture_shape shape, const struct texture_cube *projection,
                  struct texture_site *site)
{
   site->layer = texture_splat_int(0);
   if (shape == TEXTURE_FACES) {
      site->at[0] = projection->s;
      site->at[1] = projection->t;
      site->layer = site->face = projection->face;
      if (binding->target == PIPE_TEXTURE_CUBE_ARRAY)
         site->layer += 6 * texture_array_layers(binding->num_layers / 6, arguments->cube_layer + part);
      return;
   }
   for (unsigned i = 0; i < (shape == TEXTURE_VOLUME ? 3 : shape == TEXTURE_FLAT ? 2 : 1); i++)
      site->at[i] = texture_load_operand(arguments->coords[i] + part);
   if (shape <= TEXTURE_FLAT && binding->private_state.layered)
      site->layer = texture_array_layers(binding->num_layers, arguments->coords[2] + part);
}

/** Fractional levels, as texture_level_of has them, of clamped lambda. */
TEXTURE_INLINE texture_float
texture_level_places(const struct tbr_texture_binding *binding, texture_float lambda)
{
   const struct pipe_sampler_state *sampler = &binding->sampler;
   if (sampler->min_mip_filter == PIPE_TEX_MIPFILTER_NONE)
      return texture_splat_float(0.0f);
   if (sampler->min_mip_filter == PIPE_TEX_MIPFILTER_NEAREST || binding->private_state.integer)
      lambda = -texture_floor(-(lambda + 0.5f)) - 1.0f;
   return texture_clamp_lambda(lambda, 0.0f, (float)binding->private_state.last_level);
}

/** Samples the lanes of an access. */
TEXTURE_INLINE void
texture_sample_lanes(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
                     const struct tbr_sample_arguments *arguments, enum texture_shape shape,
                     const struct texture_site *site, struct texture_access *access, bool uniform,
                     texture_float lambda, texture_float *channels)
{
   const struct tbr_texture_private *state = &binding->private_state;
   const struct pipe_sampler_state *sampler = &binding->sampler;
   const texture_int minified = lambda > texture_splat_float(0.0f);
   const texture_int min_linear = texture_splat_int(-(sampler->min_img_filter == PIPE_TEX_FILTER_LINEAR));
   const texture_int mag_linear = texture_splat_int(-(sampler->mag_img_filter == PIPE_TEX_FILTER_LINEAR));
   texture_int linear = texture_select_int(minified, min_linear, mag_linear);
   if (state->integer)
      linear = texture_splat_int(0);

   const texture_float place = texture_level_places(binding, lambda);
   struct texture_geometry geometry;
   access->level = texture_truncate(place);
   texture_look_up_level(state, access->level, uniform, &geometry);
   access->geometry = &geometry;
   texture_filter_either(thread, binding, arguments, shape, site, access, linear, channels);
   if (sampler->min_mip_filter != PIPE_TEX_MIPFILTER_LINEAR)
      return;
   const texture_float weight = place - texture_to_float(access->level);
   const texture_int between = weight > texture_splat_float(0.0f), second = access->lanes & between;
   if (!texture_any(second))
      return;
   texture_float next[4];
   struct texture_access other = *access;
   other.lanes = second;
   other.level -= between;
   other.slot = TEXTURE_MAX_READS / 2;
   texture_look_up_level(state, other.level, uniform, &geometry);
   texture_filter_either(thread, binding, arguments, shape, site, &other, linear, next);
   for (unsigned c = 0; c < 4; c++)
      if (state->used_channels >> c & 1)
         channels[c] =
            texture_select_float(second, texture_blend_lanes(channels[c], next[c], weight), channels[c]);
}

/** textureGather's texels, in its order: (0, 1), (1, 1), (1, 0), (0, 0). */
TEXTURE_INLINE void
texture_gather_lanes(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
                     struct tbr_sample_arguments *arguments, enum texture_shape shape,
                     const struct texture_site *site, struct texture_access *access)
{
   assert(shape == TEXTURE_FLAT || shape == TEXTURE_FACES);
   static const uint8_t order[4] = {2, 3, 1, 0};
   const unsigned component = arguments->shadow ? 0 : arguments->gather_component;
   const struct tbr_texture_private *state = &binding->private_state;
   const unsigned channel = state->channel[component], wanted = channel <= PIPE_SWIZZLE_W ? channel : 0;
   const texture_int constant = texture_splat_int(channel != PIPE_SWIZZLE_1 ? 0
                                                  : state->integer          ? 1
                                                                            : 0x3f800000);
   struct texture_geometry geometry;
   struct texture_square_lanes square;
   texture_look_up_first_level(state, &geometry);
   access->geometry = &geometry;
   texture_read_lanes(thread, binding, arguments, shape, true, site, access, 1u << wanted, &square);
   for (unsigned i = 0; i < 4; i++)
      texture_store_float(arguments->texel[i] + access->part, channel <= PIPE_SWIZZLE_W
                                                                 ? square.texels.channel[order[i]][wanted]
                                                                 : (texture_float)constant);
}

/** What the lanes compare with; NULL where they do not. */
TEXTURE_INLINE const texture_float *
texture_take_reference(const struct tbr_texture_binding *binding,
                       const struct tbr_sample_arguments *arguments, unsigned part, texture_float *reference)
{
   if (!arguments->shadow)
      return NULL;
   *reference = texture_load_operand(arguments->compare + part);
   if (binding->private_state.clamps_reference)
      *reference = texture_clamp_lambda(*reference, 0.0f, 1.0f);
   return reference;
}

TEXTURE_INLINE void
texture_sample_float(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
                     struct tbr_sample_arguments *arguments, enum texture_shape shape)
{
   const struct tbr_texture_private *state = &binding->private_state;
   const struct pipe_sampler_state *sampler = &binding->sampler;
   const unsigned operation = arguments->operation;
   const bool record = thread->events != NULL && (thread->live & arguments->active) != 0;
   const bool uniform = arguments->lod_control == TBR_LOD_IMPLICIT || arguments->lod_control == TBR_LOD_QUAD;
   const bool levels = operation == TBR_TEXTURE_LODQ || sampler->min_mip_filter != PIPE_TEX_MIPFILTER_NONE ||
                       sampler->min_img_filter != sampler->mag_img_filter;
   struct texture_reads reads;
   texture_float channels[TEXTURE_NUM_VALUES];
   texture_set_constants(state, channels);
   if (record)
      memset(&reads, 0, sizeof(reads)); /* what no lane reads is recorded as 0 */
   for (unsigned part = 0; part < TBR_LANES; part += TEXTURE_LANES) {
      struct texture_access access = {
         .lanes = texture_lanes_of(arguments->active >> part),
         .level = texture_splat_int(0),
         .part = part,
         .reads = record ? &reads : NULL,
      };
      struct texture_cube projection;
      struct texture_site site;
      texture_float lambda = {0}, unclamped = {0};
      if (shape == TEXTURE_FACES)
         texture_cube_project(arguments, part, &projection);
      texture_site_init(binding, arguments, part, shape, &projection, &site);
      texture_float reference;
      site.reference = texture_take_reference(binding, arguments, part, &reference);
      if (levels) {
         unclamped = texture_lambda(binding, arguments, part,
                                    shape == TEXTURE_VOLUME ? 3
                                    : shape == TEXTURE_LINE ? 1
                                                            : 2,
                                    shape == TEXTURE_FACES ? &projection : NULL);
         lambda = texture_clamp_lambda(unclamped, sampler->min_lod, sampler->max_lod);
      }
      if (operation == TBR_TEXTURE_GATHER) {
         texture_gather_lanes(thread, binding, arguments, shape, &site, &access);
      } else if (operation == TBR_TEXTURE_LODQ) {
         texture_store_float(arguments->texel[0] + part, texture_level_places(binding, lambda));
         texture_store_float(arguments->texel[1] + part, unclamped);
         texture_store_float(arguments->texel[2] + part, texture_splat_float(0.0f));
         texture_store_float(arguments->texel[3] + part, texture_splat_float(0.0f));
      } else {
         texture_sample_lanes(thread, binding, arguments, shape, &site, &access, uniform, lambda, channels);
         texture_store_channels(state, channels, part, arguments);
      }
   }
   if (record)
      texture_record(thread, binding, arguments, &reads, TEXTURE_MAX_READS, true);
}
