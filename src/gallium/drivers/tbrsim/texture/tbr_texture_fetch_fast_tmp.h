/* SPDX-License-Identifier: MIT */
/**
 * texelFetch from 2D textures, a vector of lanes at a time. Values and footprints are
 * those of the general function, bit for bit. Included by tbr_texture_fast_tmp.h.
 */

/** Whether texels of a kind come out of the fast functions as the format has them: those
 * filtered as 16-bit channels of fewer than 8 bits, or in sRGB, are rounded. */
TEXTURE_INLINE bool
texture_is_exact(enum texture_kind kind)
{
   switch (kind) {
   case TEXTURE_KIND_BYTES_4:
   case TEXTURE_KIND_BYTES_2:
   case TEXTURE_KIND_BYTES_1:
   case TEXTURE_KIND_16:
   case TEXTURE_KIND_24_LOW:
   case TEXTURE_KIND_24_HIGH:
   case TEXTURE_KIND_FLOAT:
   case TEXTURE_KIND_WIDE: return true;
   default: return false;
   }
}

/** All bits of the lanes that a mask names. */
TEXTURE_INLINE texture_int
texture_lanes_of(uint32_t mask)
{
   texture_int bits;
   for (unsigned i = 0; i < TEXTURE_LANES; i++)
      bits[i] = 1 << i;
   return (texture_splat_int((int32_t)mask) & bits) != 0;
}

/** What the lanes fetch. */
struct texture_fetched {
   texture_int x, y, layer, level;
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

/** Where the lanes' texels are: column, row and layer are 0 of lanes without one. */
TEXTURE_INLINE struct texture_fetched
texture_locate_texels(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
                      unsigned part, struct texel_positions *places)
{
   const struct tbr_texture_private *state = &binding->private_state;
   struct texture_fetched fetched = {
      .x = texture_fetch_coordinate(arguments, 0, part),
      .y = texture_fetch_coordinate(arguments, 1, part),
      .active = texture_lanes_of(arguments->active >> part),
   };
   struct texture_geometry geometry;

   fetched.inside = fetched.active;
   if (arguments->lod_control == TBR_LOD_EXPLICIT) {
      fetched.level = (texture_int)texture_load_operand(arguments->lod + part);
      fetched.inside &= (texture_uint)fetched.level < binding->num_levels;
      fetched.level &= fetched.inside;
   }
   if (binding->num_levels > 1)
      texture_look_up_level(state, fetched.level, false, &geometry);
   else
      texture_look_up_first_level(state, &geometry);
   fetched.inside &= (texture_uint)fetched.x <= (texture_uint)geometry.field[TEXTURE_LAST_X];
   fetched.inside &= (texture_uint)fetched.y <= (texture_uint)geometry.field[TEXTURE_LAST_Y];
   if (state->layered) {
      fetched.layer = (texture_int)texture_load_operand(arguments->coords[2] + part);
      fetched.inside &= (texture_uint)fetched.layer < binding->num_layers;
      fetched.layer &= fetched.inside;
   }
   fetched.x &= fetched.inside;
   fetched.y &= fetched.inside;
   *places = (struct texel_positions){
      .offset = geometry.field[TEXTURE_OFFSET] + fetched.layer * geometry.field[TEXTURE_LAYER_STRIDE],
      .row_stride = geometry.field[TEXTURE_ROW_STRIDE],
      .x = {fetched.x, fetched.x},
      .y = {fetched.y, fetched.y},
   };
   return fetched;
}

TEXTURE_INLINE void
texture_fetch_as(struct tbr_texture_thread *thread, const struct tbr_texture_private *state,
                 enum texture_kind kind, const struct texel_positions *places, unsigned part,
                 struct tbr_sample_arguments *arguments)
{
   struct texture_color color;
   texture_load_exactly(thread, state, kind, places, &color);
   texture_store_color(state, kind, color, part, arguments);
}

/** Fetches the texels of one vector; zeros outside the texture, before the view's swizzle. */
TEXTURE_INLINE void
texture_fetch_part(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
                   const struct texel_positions *places, const struct texture_fetched *fetched, unsigned part,
                   struct tbr_sample_arguments *arguments)
{
   const struct tbr_texture_private *state = &binding->private_state;
#define FETCH(kind) \
   case kind: texture_fetch_as(thread, state, kind, places, part, arguments); break;
   switch (state->kind) {
      FETCH(TEXTURE_KIND_BYTES_4)
      FETCH(TEXTURE_KIND_BYTES_2)
      FETCH(TEXTURE_KIND_BYTES_1)
      FETCH(TEXTURE_KIND_16)
      FETCH(TEXTURE_KIND_24_LOW)
      FETCH(TEXTURE_KIND_24_HIGH)
      FETCH(TEXTURE_KIND_FLOAT)
   default: texture_fetch_as(thread, state, TEXTURE_KIND_WIDE, places, part, arguments);
   }
#undef FETCH
   for (unsigned i = 0; i < 4; i++) {
      const texture_int kept = binding->swizzle[i] == PIPE_SWIZZLE_1 ? fetched->active : fetched->inside;
      texture_store_int(arguments->texel[i] + part, texture_load_int(arguments->texel[i] + part) & kept);
   }
}

static __attribute__((noinline)) void
texture_fetch_fast(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
                   struct tbr_sample_arguments *arguments)
{
   struct texture_reads reads;
   memset(reads.lanes, 0, sizeof(reads.lanes));
   for (unsigned part = 0; part < TBR_LANES; part += TEXTURE_LANES) {
      struct texel_positions places;
      const struct texture_fetched fetched = texture_locate_texels(binding, arguments, part, &places);
      texture_fetch_part(thread, binding, &places, &fetched, part, arguments);
      reads.lanes[0] |= texture_bits(fetched.inside) << part;
      texture_store_int(reads.texel[0] + part, fetched.x | fetched.y << 16);
      texture_store_int(reads.key[0] + part, fetched.level | fetched.layer << 9);
   }
   if (thread->events)
      texture_record(thread, binding, arguments, &reads, 1,
                     binding->num_levels > 1 || binding->num_layers > 1);
}
