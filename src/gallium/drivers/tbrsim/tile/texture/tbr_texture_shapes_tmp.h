/* SPDX-License-Identifier: MIT */
/**
 * The functions of the path in floats, by shape, and which serves a binding. Included by
 * tbr_texture_sample_tmp.h.
 */

/** As texture_sample_float, of one level and one filter, which is what most bindings have. */
TEXTURE_INLINE void
texture_sample_single(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
                      struct tbr_sample_arguments *arguments, enum texture_shape shape, bool linear)
{
   const bool record = thread->events != NULL && (thread->live & arguments->active) != 0;
   const struct tbr_texture_private *state = &binding->private_state;
   struct texture_reads reads;
   struct texture_geometry geometry;
   struct texture_square_lanes square;
   texture_float channels[TEXTURE_NUM_VALUES];
   texture_look_up_first_level(state, &geometry);
   texture_set_constants(state, linear ? channels : square.texels.channel[0]);
   if (record)
      memset(&reads, 0, sizeof(reads));
   for (unsigned part = 0; part < TBR_LANES; part += TEXTURE_LANES) {
      const struct texture_access access = {
         .lanes = texture_lanes_of(arguments->active >> part),
         .geometry = &geometry,
         .part = part,
         .reads = record ? &reads : NULL,
      };
      struct texture_cube projection;
      struct texture_site site;
      texture_float reference;
      if (shape == TEXTURE_FACES)
         texture_cube_project(arguments, part, &projection);
      texture_site_init(binding, arguments, part, shape, &projection, &site);
      site.reference = texture_take_reference(binding, arguments, part, &reference);
      if (linear) {
         texture_filter_lanes(thread, binding, arguments, shape, true, &site, &access, channels);
         texture_store_channels(state, channels, part, arguments);
      } else {
         texture_read_lanes(thread, binding, arguments, shape, false, &site, &access, state->used_channels,
                            &square);
         texture_store_channels(state, square.texels.channel[0], part, arguments);
      }
   }
   if (record)
      texture_record(thread, binding, arguments, &reads, TEXTURE_MAX_READS, true);
}

#define TEXTURE_DEFINE_SHAPE(name, shape)                                                                 \
   static __attribute__((noinline)) void texture_sample_##name(struct tbr_texture_thread *thread,         \
                                                               const struct tbr_texture_binding *binding, \
                                                               struct tbr_sample_arguments *arguments)    \
   {                                                                                                      \
      texture_sample_float(thread, binding, arguments, shape);                                            \
   }
#define TEXTURE_DEFINE_SINGLE(name, any, shape, linear)                         \
   static void texture_sample_##name(struct tbr_texture_thread *thread,         \
                                     const struct tbr_texture_binding *binding, \
                                     struct tbr_sample_arguments *arguments)    \
   {                                                                            \
      if (arguments->operation == TBR_TEXTURE_SAMPLE)                           \
         texture_sample_single(thread, binding, arguments, shape, linear);      \
      else                                                                      \
         texture_sample_##any(thread, binding, arguments);                      \
   }
TEXTURE_DEFINE_SHAPE(line, TEXTURE_LINE)
TEXTURE_DEFINE_SHAPE(flat, TEXTURE_FLAT)
TEXTURE_DEFINE_SHAPE(volume, TEXTURE_VOLUME)
TEXTURE_DEFINE_SHAPE(faces, TEXTURE_FACES)
TEXTURE_DEFINE_SINGLE(line_nearest, line, TEXTURE_LINE, false)
TEXTURE_DEFINE_SINGLE(line_linear, line, TEXTURE_LINE, true)
TEXTURE_DEFINE_SINGLE(flat_nearest, flat, TEXTURE_FLAT, false)
TEXTURE_DEFINE_SINGLE(flat_linear, flat, TEXTURE_FLAT, true)
TEXTURE_DEFINE_SINGLE(volume_nearest, volume, TEXTURE_VOLUME, false)
TEXTURE_DEFINE_SINGLE(volume_linear, volume, TEXTURE_VOLUME, true)
TEXTURE_DEFINE_SINGLE(faces_nearest, faces, TEXTURE_FACES, false)
TEXTURE_DEFINE_SINGLE(faces_linear, faces, TEXTURE_FACES, true)

/** The function that serves a binding where no specialised one does. */
static tbr_sample_function
texture_choose_vectors(const struct tbr_texture_binding *binding)
{
   const struct tbr_texture_private *state = &binding->private_state;
   const struct pipe_sampler_state *sampler = &binding->sampler;
   static const tbr_sample_function functions[4][3] = {
      [TEXTURE_LINE] = {texture_sample_line_nearest, texture_sample_line_linear, texture_sample_line},
      [TEXTURE_FLAT] = {texture_sample_flat_nearest, texture_sample_flat_linear, texture_sample_flat},
      [TEXTURE_VOLUME] = {texture_sample_volume_nearest, texture_sample_volume_linear, texture_sample_volume},
      [TEXTURE_FACES] = {texture_sample_faces_nearest, texture_sample_faces_linear, texture_sample_faces},
   };
   const enum texture_shape shape = texture_is_cube(binding) ? TEXTURE_FACES
                                    : state->dimensions == 3 ? TEXTURE_VOLUME
                                    : state->dimensions == 2 ? TEXTURE_FLAT
                                                             : TEXTURE_LINE;
   const bool single = sampler->min_mip_filter == PIPE_TEX_MIPFILTER_NONE &&
                       sampler->min_img_filter == sampler->mag_img_filter;
   const bool linear = sampler->min_img_filter == PIPE_TEX_FILTER_LINEAR && !state->integer;
   return functions[shape][!single ? 2 : linear];
}

/** Serves what the specialised functions do not. */
static void
texture_sample_other(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
                     struct tbr_sample_arguments *arguments)
{
   const struct tbr_texture_private *state = &binding->private_state;
   if (!state->vectors || (arguments->shadow && !state->unpack_depth))
      texture_sample_general(thread, binding, arguments);
   else if (arguments->operation == TBR_TEXTURE_FETCH)
      texture_fetch_fast(thread, binding, arguments);
   else
      state->sample_vectors(thread, binding, arguments);
}
