/* SPDX-License-Identifier: MIT */
/**
 * Texels of any format, one at a time, and what a fragment read of them.
 * Included by tbr_texture_sample_tmp.h.
 */

/** A texel before the view's swizzle: floats, or integers' bits. */
union texture_texel {
   float f[4];
   uint32_t bits[4];
};

/** Decodes the texel (x, y) of a block. */
static union texture_texel
texture_decode(const struct tbr_texture_private *state, const uint8_t *block, unsigned x, unsigned y)
{
   union texture_texel texel;

   if (state->fetch) {
      state->fetch(&texel, block, x, y);
   } else if (state->unpack_depth) {
      state->unpack_depth(&texel.f[0], 0, block, 0, 1, 1);
      texel.f[1] = texel.f[2] = texel.f[0];
      texel.f[3] = 1.0f;
   } else {
      uint8_t stencil;
      state->unpack_stencil(&stencil, 0, block, 0, 1, 1);
      texel.bits[0] = texel.bits[1] = texel.bits[2] = stencil;
      texel.bits[3] = 1;
   }
   return texel;
}

/** Decodes the texel (x, y) of a layer, face or slice. */
static union texture_texel
texture_fetch(const struct tbr_texture_binding *binding, unsigned level, unsigned layer, unsigned x,
              unsigned y)
{
   const struct tbr_texture_private *state = &binding->private_state;
   const struct tbr_texture_level *source = &binding->levels[level];
   const uint8_t *block = source->texels + (size_t)layer * source->layer_stride +
                          (size_t)(y / state->block_height) * source->row_stride +
                          (size_t)(x / state->block_width) * state->block_bytes;
   return texture_decode(state, block, x % state->block_width, y % state->block_height);
}

static union texture_texel
texture_border(const struct tbr_texture_binding *binding)
{
   union texture_texel texel;
   memcpy(&texel, binding->private_state.border, sizeof(texel));
   return texel;
}

/** Notes that lane reads a footprint in a slot. */
static inline void
texture_note(struct texture_reads *reads, unsigned slot, unsigned lane, unsigned level, bool linear,
             unsigned layer, int x, int y)
{
   /* A footprint has the texels of the quad's other lanes, too: what nobody reads is recorded as 0. */
   const unsigned quad = lane & ~3u;
   if (!(reads->lanes[slot] >> quad & 15))
      memset(&reads->texel[slot][quad], 0, 4 * sizeof(reads->texel[slot][quad]));
   reads->texel[slot][lane] = (uint32_t)(x & 0xffff) | (uint32_t)y << 16;
   reads->key[slot][lane] = TEXTURE_KEY(level, linear, layer);
   reads->lanes[slot] |= 1u << lane;
}

/** A texel index after the wrap mode; outside 0 … size - 1: the border. */
static int
texture_wrap_index(unsigned wrap, int index, int size)
{
   int period = 2 * size;
   switch (wrap) {
   case PIPE_TEX_WRAP_REPEAT: index %= size; return index < 0 ? index + size : index;
   case PIPE_TEX_WRAP_MIRROR_REPEAT:
      index %= period;
      if (index < 0)
         index += period;
      return index < size ? index : period - 1 - index;
   case PIPE_TEX_WRAP_CLAMP_TO_EDGE: return CLAMP(index, 0, size - 1);
   case PIPE_TEX_WRAP_MIRROR_CLAMP_TO_EDGE: return MIN2(index < 0 ? -1 - index : index, size - 1);
   case PIPE_TEX_WRAP_MIRROR_CLAMP:
   case PIPE_TEX_WRAP_MIRROR_CLAMP_TO_BORDER: return MIN2(index < 0 ? -1 - index : index, size);
   default: return CLAMP(index, -1, size);
   }
}

/** The texels along one axis: indices after wrapping, and the second's weight. */
struct texture_axis {
   int first, second;
   float weight;
};

/** A coordinate in texels, reduced so that it fits an int with offsets added. */
static float
texture_to_texels(unsigned wrap, float coordinate, int size, bool normalized)
{
   if (!(coordinate - coordinate == 0.0f))
      coordinate = 0.0f;
   float scale = normalized ? (float)size : 1.0f;
   switch (wrap) {
   case PIPE_TEX_WRAP_REPEAT:
      coordinate -= normalized ? floorf(coordinate) : size * floorf(coordinate / size);
      break;
   case PIPE_TEX_WRAP_MIRROR_REPEAT:
      coordinate -= normalized ? 2.0f * floorf(coordinate * 0.5f + 0.5f)
                               : 2.0f * size * floorf(coordinate / (2.0f * size) + 0.5f);
      break;
   case PIPE_TEX_WRAP_CLAMP: coordinate = CLAMP(coordinate, 0.0f, normalized ? 1.0f : (float)size); break;
   case PIPE_TEX_WRAP_MIRROR_CLAMP:
      coordinate = MIN2(fabsf(coordinate), normalized ? 1.0f : (float)size);
      break;
   }
   coordinate *= scale;
   return CLAMP(coordinate, -1048576.0f, 1048576.0f);
}

static struct texture_axis
texture_wrap_axis(unsigned wrap, float coordinate, int size, bool normalized, bool linear, int offset)
{
   struct texture_axis axis;
   /* Without filtering the clamps to the middle of edge and border never reach the border. */
   if (!linear && wrap == PIPE_TEX_WRAP_CLAMP)
      wrap = PIPE_TEX_WRAP_CLAMP_TO_EDGE;
   if (!linear && wrap == PIPE_TEX_WRAP_MIRROR_CLAMP)
      wrap = PIPE_TEX_WRAP_MIRROR_CLAMP_TO_EDGE;
   float u = texture_to_texels(wrap, coordinate, size, normalized);
   /* 1 - tiny rounds up to 1 where coordinates repeat. */
   if (wrap == PIPE_TEX_WRAP_REPEAT && !linear)
      u = MIN2(u, (float)size - 0.5f);
   if (linear)
      u -= 0.5f;
   float whole = floorf(u);
   int index = (int)whole + offset;
   axis.weight = linear ? u - whole : 0.0f;
   axis.first = texture_wrap_index(wrap, index, size);
   axis.second = linear ? texture_wrap_index(wrap, index + 1, size) : axis.first;
   return axis;
}

/** The lower corner to record for two neighbours along an axis: the consumer
 * resolves a column past an edge to the edge's own, or the other's (repeat). */
static int
texture_lower_corner(struct texture_axis axis, unsigned wrap, int size)
{
   if (axis.first == axis.second)
      return axis.first == 0 ? -1 : axis.first;
   if (wrap == PIPE_TEX_WRAP_REPEAT && (axis.first == size - 1 && axis.second == 0))
      return axis.first;
   return MIN2(axis.first, axis.second);
}

static inline bool
texture_inside(int index, int size)
{
   return (unsigned)index < (unsigned)size;
}

static float
texture_compare(unsigned function, float reference, float depth)
{
   switch (function) {
   case PIPE_FUNC_LESS: return reference < depth;
   case PIPE_FUNC_EQUAL: return reference == depth;
   case PIPE_FUNC_LEQUAL: return reference <= depth;
   case PIPE_FUNC_GREATER: return reference > depth;
   case PIPE_FUNC_NOTEQUAL: return reference != depth;
   case PIPE_FUNC_GEQUAL: return reference >= depth;
   case PIPE_FUNC_ALWAYS: return 1.0f;
   default: return 0.0f;
   }
}
