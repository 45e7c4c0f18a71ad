/* SPDX-License-Identifier: MIT */
/**
 * Anisotropic filtering as EXT_texture_filter_anisotropic describes it: of the
 * pixel's extents Px and Py in texels, probes along the longer, as many as the
 * shorter fits into it; each is a sample of the level that a probe's share of the
 * longer one asks for. Included by tbr_texture_sample_tmp.h.
 */

/** The probes that the lanes take. */
struct texture_probes {
   float axis[3][TBR_LANES]; /**< across the pixel, along its longer extent, in coordinates */
   float count[TBR_LANES];   /**< 1 … max_anisotropy */
   float lambda[TBR_LANES];  /**< level of detail of each, the bias in it */
   uint32_t more[TBR_LANES]; /**< lanes that take more probes than the index */
};

/** Derivatives of the coordinates: the shader's, or each quad's differences. */
struct texture_slopes {
   texture_float x[3], y[3];
};

TEXTURE_INLINE struct texture_slopes
texture_find_slopes(const struct tbr_sample_arguments *arguments, unsigned part, unsigned dimensions)
{
   struct texture_slopes slopes = {0};
   for (unsigned i = 0; i < dimensions; i++) {
      if (arguments->lod_control == TBR_LOD_DERIVATIVES) {
         slopes.x[i] = texture_load_operand(arguments->ddx[i] + part);
         slopes.y[i] = texture_load_operand(arguments->ddy[i] + part);
      } else {
         texture_float c = texture_load_operand(arguments->coords[i] + part);
         texture_float first = texture_quad_shuffle(c, 0, 0, 0, 0);
         slopes.x[i] = texture_quad_shuffle(c, 1, 1, 1, 1) - first;
         slopes.y[i] = texture_quad_shuffle(c, 2, 2, 2, 2) - first;
      }
   }
   return slopes;
}

/** Squared length in texels of a derivative. */
TEXTURE_INLINE texture_float
texture_squared_extent(const struct tbr_texture_private *state, const texture_float *slope)
{
   texture_float s = slope[0] * state->scale[0], t = slope[1] * state->scale[1];
   return texture_max(s * s + t * t, texture_splat_float(TEXTURE_SHORTEST));
}

/** The same on the face of a cube map that the lane's direction picked. */
static texture_float
texture_squared_cube_extent(const struct tbr_texture_private *state,
                            const struct tbr_sample_arguments *arguments, const texture_float *slope,
                            unsigned part, const struct texture_cube *cube)
{
   texture_float ds, dt;
   texture_cube_slopes(arguments, part, cube, slope, &ds, &dt);
   const texture_float on_face[2] = {ds * 0.5f, dt * 0.5f};
   return texture_squared_extent(state, on_face);
}

/** Decides the probes of the lanes from part on. */
static void
texture_plan_probes(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
                    unsigned part, struct texture_probes *probes)
{
   const struct tbr_texture_private *state = &binding->private_state;
   const bool cube = texture_is_cube(binding);
   const unsigned dimensions = cube ? 3 : 2;
   const struct texture_slopes slopes = texture_find_slopes(arguments, part, dimensions);
   texture_float x, y;
   if (cube) {
      struct texture_cube projection;
      texture_cube_project(arguments, part, &projection);
      x = texture_squared_cube_extent(state, arguments, slopes.x, part, &projection);
      y = texture_squared_cube_extent(state, arguments, slopes.y, part, &projection);
      if (arguments->lod_control != TBR_LOD_DERIVATIVES) {
         /* A quad across an edge sees the first pixel's face. */
         x = texture_quad_shuffle(x, 0, 0, 0, 0);
         y = texture_quad_shuffle(y, 0, 0, 0, 0);
      }
   } else {
      x = texture_squared_extent(state, slopes.x);
      y = texture_squared_extent(state, slopes.y);
   }

   const texture_int along_x = x > y;
   const texture_float longer = texture_max(x, y), shorter = texture_min(x, y);
   texture_float count = texture_splat_float(1.0f);
   for (unsigned i = 1; i < state->max_anisotropy; i++) {
      const texture_int another = longer > shorter * (float)(i * i);
      count += (texture_float)(another & (texture_int)texture_splat_float(1.0f));
      probes->more[i] |= (texture_bits(another) & arguments->active >> part) << part;
   }
   texture_float bias = texture_splat_float(binding->sampler.lod_bias);
   if (arguments->lod_control == TBR_LOD_BIAS)
      bias += texture_load_operand(arguments->lod + part);
   texture_store_float(probes->lambda + part, texture_half_log2(longer / (count * count), bias));
   texture_store_float(probes->count + part, count);
   for (unsigned i = 0; i < dimensions; i++)
      texture_store_float(probes->axis[i] + part, texture_select_float(along_x, slopes.x[i], slopes.y[i]));
}

/** Moves the coordinates to the probe of a number, of those lanes that have several. */
static void
texture_place_probe(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
                    const struct texture_probes *probes, unsigned number, struct tbr_sample_arguments *probe)
{
   const unsigned dimensions = texture_is_cube(binding) ? 3 : 2;
   const texture_float one = texture_splat_float(1.0f);
   for (unsigned part = 0; part < TBR_LANES; part += TEXTURE_LANES) {
      const texture_float count = texture_load_float(probes->count + part);
      const texture_float place = (float)(number + 1) / (count + one) - 0.5f;
      for (unsigned i = 0; i < dimensions; i++) {
         const texture_float middle = texture_load_float(arguments->coords[i] + part);
         const texture_float moved = middle + place * texture_load_float(probes->axis[i] + part);
         texture_store_float(probe->coords[i] + part, texture_select_float(count > one, moved, middle));
      }
   }
}

/** Mixes a probe's texels into the mean of those before it. */
static void
texture_add_probe(const struct texture_probes *probes, unsigned number,
                  const struct tbr_sample_arguments *probe, struct tbr_sample_arguments *arguments)
{
   const float share = 1.0f / (float)(number + 1);
   for (unsigned part = 0; part < TBR_LANES; part += TEXTURE_LANES) {
      const texture_int taken = texture_load_float(probes->count + part) > texture_splat_float((float)number);
      for (unsigned i = 0; i < 4; i++) {
         const texture_float mean = texture_load_float(arguments->texel[i] + part);
         const texture_float texel = texture_load_float(probe->texel[i] + part);
         texture_store_float(arguments->texel[i] + part,
                             texture_select_float(taken, mean + (texel - mean) * share, mean));
      }
   }
}

static void
texture_sample_anisotropic(struct tbr_texture_thread *thread, const struct tbr_texture_binding *binding,
                           struct tbr_sample_arguments *arguments)
{
   const struct tbr_texture_private *state = &binding->private_state;
   const bool implicit = arguments->lod_control != TBR_LOD_EXPLICIT;
   if (!implicit || arguments->operation == TBR_TEXTURE_FETCH || arguments->operation == TBR_TEXTURE_GATHER) {
      state->isotropic(thread, binding, arguments);
      return;
   }
   struct texture_probes probes;
   memset(probes.more, 0, sizeof(probes.more));
   for (unsigned part = 0; part < TBR_LANES; part += TEXTURE_LANES)
      texture_plan_probes(binding, arguments, part, &probes);
   const bool together = arguments->lod_control == TBR_LOD_IMPLICIT;

   struct tbr_sample_arguments probe = *arguments;
   probe.lod_control = together ? TBR_LOD_QUAD : TBR_LOD_LANE;
   memcpy(probe.lod, probes.lambda, sizeof(probe.lod));
   probes.more[0] = arguments->active;
   for (unsigned i = 0; i < state->max_anisotropy && (i == 0 || probes.more[i]); i++) {
      probe.active = probes.more[i];
      if (arguments->operation != TBR_TEXTURE_LODQ)
         texture_place_probe(binding, arguments, &probes, i, &probe);
      state->isotropic(thread, binding, &probe);
      if (i == 0)
         memcpy(arguments->texel, probe.texel, sizeof(arguments->texel));
      else
         texture_add_probe(&probes, i, &probe, arguments);
      if (arguments->operation == TBR_TEXTURE_LODQ)
         break;
   }
}
