/* SPDX-License-Identifier: MIT */
/**
 * texelFetch from every target, a vector of lanes at a time. Values and footprints are
 * those of the general function, bit for bit. Included by tbr_texture_sample_tmp.h.
 */

/** All bits of the lanes that a mask names. */
TEXTURE_INLINE texture_int
texture_lanes_of(uint32_t mask)
{
   texture_int bits;
   for (unsigned i = 0; i < TEXTURE_LANES; i++)
      bits[i] = 1 << i;
   return (texture_splat_int((int32_t)mask) & bits) != 0;
}

/** What the lanes fetch: 0 where they do not. */
struct texture_fetched {
   texture_int x, y, layer;    /**< layer: or slice */
   texture_int plane;          /**< level, or sample of a multisampled texture */
   texture_int active, inside; /**< masks: lanes that fetch, those within the texture */
};

TEXTURE_INLINE texture_int
texture_fetch_coordinate(const struct tbr_sample_arguments *arguments, unsigned axis, unsigned part)
{
   texture_uint value = (texture_uint)texture_load_operand(arguments->coords[axis] + part);
   if (arguments->has_offset)
      value += (texture_uint)texture_load_int(arguments->offset[axis] + part);
   return (texture_int)value;
}

/** Where the lanes' texels are; sets the tap. */
TEXTURE_INLINE struct texture_fetched
texture_locate_texels(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
                      unsigned part, struct texture_taps *taps)
{
   const struct tbr_texture_private *state = &binding->private_state;
   const texture_int zero = texture_splat_int(0);
   struct texture_fetched fetched = {
      .x = texture_fetch_coordinate(arguments, 0, part),
      .active = texture_lanes_of(arguments->active >> part),
   };
   struct texture_geometry geometry;

   fetched.inside = fetched.active;
   fetched.y = fetched.layer = fetched.plane = zero;
   if (arguments->lod_control == TBR_LOD_EXPLICIT && binding->target != PIPE_BUFFER) {
      fetched.plane = (texture_int)texture_load_operand(arguments->lod + part);
      fetched.inside &= (texture_uint)fetched.plane < binding->num_levels;
      fetched.plane &= fetched.inside;
   }
   if (binding->num_levels > 1)
      texture_look_up_level(state, fetched.plane, false, &geometry);
   else
      texture_look_up_first_level(state, &geometry);

   texture_int image = geometry.field[TEXTURE_OFFSET];
   fetched.inside &= (texture_uint)fetched.x <= (texture_uint)geometry.field[TEXTURE_LAST_X];
   if (state->dimensions > 1) {
      fetched.y = texture_fetch_coordinate(arguments, 1, part);
      fetched.inside &= (texture_uint)fetched.y <= (texture_uint)geometry.field[TEXTURE_LAST_Y];
   }
   if (state->dimensions > 2) {
      fetched.layer = texture_fetch_coordinate(arguments, 2, part);
      fetched.inside &= (texture_uint)fetched.layer <= (texture_uint)geometry.field[TEXTURE_LAST_Z];
   } else if (state->layered) {
      fetched.layer = (texture_int)texture_load_operand(arguments->coords[2] + part);
      fetched.inside &= (texture_uint)fetched.layer < binding->num_layers;
   }
   if (arguments->has_sample) {
      const texture_int sample = texture_load_int(arguments->sample + part);
      fetched.inside &= (texture_uint)sample < MAX2(binding->num_samples, 1u);
      image += (sample & fetched.inside) * (int32_t)binding->sample_stride;
      if (binding->num_samples > 1)
         fetched.plane = sample & fetched.inside;
   }
   fetched.x &= fetched.inside;
   fetched.y &= fetched.inside;
   fetched.layer &= fetched.inside;
   if (state->dimensions > 2 || state->layered)
      image += fetched.layer * geometry.field[TEXTURE_LAYER_STRIDE];
   texture_place_tap(state, taps, 0, image, geometry.field[TEXTURE_ROW_STRIDE], fetched.x, fetched.y);
   return fetched;
}

/** Stores the texels of one vector; zeros outside the texture, before the view's swizzle. */
TEXTURE_INLINE void
texture_store_fetched(const struct tbr_texture_binding *binding, const texture_float *values,
                      const struct texture_fetched *fetched, unsigned part,
                      struct tbr_sample_arguments *arguments)
{
   if (binding->private_state.identity) {
      for (unsigned i = 0; i < 4; i++)
         texture_store_int(arguments->texel[i] + part, (texture_int)values[i] & fetched->inside);
      return;
   }
   for (unsigned i = 0; i < 4; i++) {
      const texture_int kept = binding->swizzle[i] == PIPE_SWIZZLE_1 ? fetched->active : fetched->inside;
      const texture_float value = values[binding->private_state.channel[i]];
      texture_store_int(arguments->texel[i] + part, (texture_int)value & kept);
   }
}

static __attribute__((noinline)) void
texture_fetch_fast(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
                   struct tbr_sample_arguments *arguments)
{
   struct texture_reads reads;
   struct texture_texels texels;
   texture_set_constants(&binding->private_state, texels.channel[0]);
   memset(reads.lanes, 0, sizeof(reads.lanes));
   for (unsigned part = 0; part < TBR_LANES; part += TEXTURE_LANES) {
      struct texture_taps taps;
      const struct texture_fetched fetched = texture_locate_texels(binding, arguments, part, &taps);
      taps.channels = binding->private_state.used_channels;
      taps.pairs = false;
      texture_load_texels(thread, &binding->private_state, &taps, 1, &texels);
      texture_store_fetched(binding, texels.channel[0], &fetched, part, arguments);
      reads.lanes[0] |= texture_bits(fetched.inside) << part;
      texture_int y = fetched.y;
      if (binding->target == PIPE_BUFFER) {
         y = (texture_int)((texture_uint)fetched.x >> 15);
         texture_store_int(reads.texel[0] + part, (fetched.x & 0x7fff) | y << 16);
      } else {
         texture_store_int(reads.texel[0] + part, fetched.x | y << 16);
      }
      texture_store_int(reads.key[0] + part, fetched.plane | fetched.layer << 9);
   }
   if (thread->events)
      texture_record(thread, binding, arguments, &reads, 1, true);
}
