/* SPDX-License-Identifier: MIT */
/**
 * Cube map faces and the level of detail (OpenGL ES 3.2, 8.13 and 8.14).
 * Included by tbr_texture_sample_tmp.h.
 */

/** Directions projected onto the faces of a cube. */
struct texture_cube {
   texture_int x_major, y_major, negative; /**< which face, as lane masks */
   texture_int face;
   texture_float s, t; /**< 0 … 1 on the face */
};

/** A face's s, t and major axis of the vectors (x, y, z): linear in them. */
TEXTURE_INLINE void
texture_cube_axes(texture_int x_major, texture_int y_major, texture_int negative, texture_float x,
                  texture_float y, texture_float z, texture_float *s, texture_float *t, texture_float *major)
{
   const texture_int sign = texture_splat_int(INT32_MIN);
   texture_int flip = negative & sign;
   /* s: -z, z, x, x, x, -x and t: -y, -y, z, -z, -y, -y on the faces +x, -x, +y … */
   texture_int along = (texture_int)texture_select_float(x_major, z, x);
   along ^= texture_select_int(x_major, flip ^ sign, texture_select_int(y_major, texture_splat_int(0), flip));
   *s = (texture_float)along;
   *t = (texture_float)texture_select_int(y_major, (texture_int)z ^ flip, (texture_int)y ^ sign);
   texture_float axis = texture_select_float(x_major, x, texture_select_float(y_major, y, z));
   *major = (texture_float)((texture_int)axis ^ flip);
}

TEXTURE_INLINE void
texture_cube_project(const struct tbr_sample_arguments *arguments, unsigned part, struct texture_cube *cube)
{
   texture_float x = texture_load_operand(arguments->coords[0] + part);
   texture_float y = texture_load_operand(arguments->coords[1] + part);
   texture_float z = texture_load_operand(arguments->coords[2] + part);
   texture_float x_size = (texture_float)((texture_int)x & 0x7fffffff);
   texture_float y_size = (texture_float)((texture_int)y & 0x7fffffff);
   texture_float z_size = (texture_float)((texture_int)z & 0x7fffffff);

   cube->x_major = (x_size >= y_size) & (x_size >= z_size);
   cube->y_major = ~cube->x_major & (y_size >= z_size);
   texture_float axis = texture_select_float(cube->x_major, x, texture_select_float(cube->y_major, y, z));
   cube->negative = (texture_int)axis >> 31;
   texture_int first =
      texture_select_int(cube->x_major, texture_splat_int(0),
                         texture_select_int(cube->y_major, texture_splat_int(2), texture_splat_int(4)));
   cube->face = first - cube->negative;

   texture_float s, t, major;
   texture_cube_axes(cube->x_major, cube->y_major, cube->negative, x, y, z, &s, &t, &major);
   texture_float inverse = 0.5f / major;
   cube->s = s * inverse + 0.5f;
   cube->t = t * inverse + 0.5f;
}

/** Derivatives of s and t, from -1 to 1 on the face that the lane's direction picked, where those of the
 * direction are slope. */
TEXTURE_INLINE void
texture_cube_slopes(const struct tbr_sample_arguments *arguments, unsigned part,
                    const struct texture_cube *cube, const texture_float slope[3], texture_float *ds,
                    texture_float *dt)
{
   texture_float s, t, major, d_major;
   texture_cube_axes(cube->x_major, cube->y_major, cube->negative,
                     texture_load_operand(arguments->coords[0] + part),
                     texture_load_operand(arguments->coords[1] + part),
                     texture_load_operand(arguments->coords[2] + part), &s, &t, &major);
   texture_cube_axes(cube->x_major, cube->y_major, cube->negative, slope[0], slope[1], slope[2], ds, dt,
                     &d_major);
   const texture_float inverse = 1.0f / major;
   *ds = (*ds - s * inverse * d_major) * inverse;
   *dt = (*dt - t * inverse * d_major) * inverse;
}

/** Stands in for squared lengths of 0 and what is not a number. */
#define TEXTURE_SHORTEST 1e-30f

/** The larger of a quad's two squared lengths, in lanes 0 and 2, and 1 and 3; the
 * same in all lanes even where one is not a number. */
TEXTURE_INLINE texture_float
texture_quad_longest(texture_float d)
{
   d = texture_max(d, texture_splat_float(TEXTURE_SHORTEST));
   return texture_max(d, texture_quad_shuffle(d, 1, 0, 3, 2));
}

/* A pixel's extent along x or y is its largest component for textures with one and two
 * dimensions: the lower of the bounds that the specification gives for its length, as in
 * softpipe (llvmpipe takes the length). Of three components that may be too short by most
 * of a level: for 3D textures it is the length. */

/** The larger of the squares of a pixel's extents along x and y in texels, from
 * differences within each quad: {ds/dx, ds/dy, dt/dx, dt/dy} in its lanes. */
TEXTURE_INLINE texture_float
texture_quad_rho(const struct tbr_texture_private *state, texture_float differences)
{
   texture_float d = differences * texture_load_quads(state->quad_scale);
   d = texture_max(d * d, texture_splat_float(TEXTURE_SHORTEST));
   return texture_quad_longest(texture_max(d, texture_quad_shuffle(d, 2, 3, 0, 1)));
}

/** Squared scale factor of a cube map, derived on the face of each quad's first
 * pixel, so that a quad across an edge sees one plane. */
TEXTURE_INLINE texture_float
texture_cube_quad_rho(const struct tbr_texture_private *state, const struct tbr_sample_arguments *arguments,
                      unsigned part, const struct texture_cube *cube)
{
   texture_float s, t, major;
   texture_cube_axes(texture_quad_shuffle(cube->x_major, 0, 0, 0, 0),
                     texture_quad_shuffle(cube->y_major, 0, 0, 0, 0),
                     texture_quad_shuffle(cube->negative, 0, 0, 0, 0),
                     texture_load_operand(arguments->coords[0] + part),
                     texture_load_operand(arguments->coords[1] + part),
                     texture_load_operand(arguments->coords[2] + part), &s, &t, &major);
   texture_float first = texture_quad_pick(s, t, 0, 0, 0, 0);
   texture_float first_major = texture_quad_shuffle(major, 0, 0, 0, 0);
   texture_float inverse = 1.0f / first_major;
   texture_float d = texture_quad_pick(s, t, 1, 2, 1, 2) - first;
   texture_float d_major = texture_quad_shuffle(major, 1, 2, 1, 2) - first_major;
   d = (d - first * inverse * d_major) * inverse * 0.5f;
   return texture_quad_rho(state, d);
}

/** Squared extent of the derivative in texels of the filtered coordinates. */
static texture_float
texture_derivative_length(const struct tbr_texture_binding *binding, const float (*derivative)[TBR_LANES],
                          unsigned part)
{
   const unsigned dimensions = binding->private_state.dimensions;
   texture_float longest = {0}, sum = {0};
   for (unsigned axis = 0; axis < dimensions; axis++) {
      texture_float d = texture_load_operand(derivative[axis] + part) * binding->private_state.scale[axis];
      longest = texture_max(longest, d * d);
      sum += d * d;
   }
   return dimensions == 3 ? sum : longest;
}

/** The same on the face that the fragment's own direction picked. */
static texture_float
texture_cube_derivative_length(const struct tbr_texture_binding *binding,
                               const struct tbr_sample_arguments *arguments,
                               const float (*derivative)[TBR_LANES], unsigned part,
                               const struct texture_cube *cube)
{
   const texture_float slope[3] = {texture_load_operand(derivative[0] + part),
                                   texture_load_operand(derivative[1] + part),
                                   texture_load_operand(derivative[2] + part)};
   texture_float ds, dt;
   texture_cube_slopes(arguments, part, cube, slope, &ds, &dt);
   const float half = binding->private_state.scale[0] * 0.5f;
   ds *= half;
   dt *= half;
   return texture_max(ds * ds, dt * dt);
}

/** Squared scale factor from the shader's derivatives, for each fragment. */
static __attribute__((noinline)) texture_float
texture_derivatives_rho(const struct tbr_texture_binding *binding,
                        const struct tbr_sample_arguments *arguments, unsigned part,
                        const struct texture_cube *cube)
{
   texture_float x, y;
   if (cube) {
      x = texture_cube_derivative_length(binding, arguments, arguments->ddx, part, cube);
      y = texture_cube_derivative_length(binding, arguments, arguments->ddy, part, cube);
   } else {
      x = texture_derivative_length(binding, arguments->ddx, part);
      y = texture_derivative_length(binding, arguments->ddy, part);
   }
   return texture_max(texture_max(x, texture_splat_float(TEXTURE_SHORTEST)),
                      texture_max(y, texture_splat_float(TEXTURE_SHORTEST)));
}

/** Squared scale factor between pixels and texels of level 0; cube: NULL but for
 * cube maps. */
TEXTURE_INLINE texture_float
texture_rho(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
            unsigned part, unsigned dimensions, const struct texture_cube *cube)
{
   const struct tbr_texture_private *state = &binding->private_state;

   if (unlikely(arguments->lod_control == TBR_LOD_DERIVATIVES))
      return texture_derivatives_rho(binding, arguments, part, cube);
   if (cube)
      return texture_cube_quad_rho(state, arguments, part, cube);

   texture_float s = texture_load_operand(arguments->coords[0] + part);
   texture_float t = dimensions > 1 ? texture_load_operand(arguments->coords[1] + part) : s - s;
   texture_float d = texture_quad_pick(s, t, 1, 2, 1, 2) - texture_quad_pick(s, t, 0, 0, 0, 0);
   if (dimensions < 3)
      return texture_quad_rho(state, d);

   texture_float r = texture_load_operand(arguments->coords[2] + part);
   texture_float depth = texture_quad_shuffle(r, 1, 2, 1, 2) - texture_quad_shuffle(r, 0, 0, 0, 0);
   depth *= state->scale[2];
   d *= texture_load_quads(state->quad_scale);
   d *= d;
   return texture_quad_longest(d + texture_quad_shuffle(d, 2, 3, 0, 1) + depth * depth);
}

/** The level of detail before its clamping to the sampler's range. */
TEXTURE_INLINE texture_float
texture_lambda(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
               unsigned part, unsigned dimensions, const struct texture_cube *cube)
{
   if (arguments->lod_control == TBR_LOD_LANE || arguments->lod_control == TBR_LOD_QUAD)
      return texture_load_operand(arguments->lod + part);
   texture_float bias = texture_splat_float(binding->sampler.lod_bias);
   if (arguments->lod_control == TBR_LOD_EXPLICIT)
      return texture_load_operand(arguments->lod + part) + bias;
   if (arguments->lod_control == TBR_LOD_BIAS)
      bias += texture_load_operand(arguments->lod + part);
   return texture_half_log2(texture_rho(binding, arguments, part, dimensions, cube), bias);
}

/** lambda within low … high; low where it is not a number. */
TEXTURE_INLINE texture_float
texture_clamp_lambda(texture_float lambda, float low, float high)
{
   return texture_min(texture_max(lambda, texture_splat_float(low)), texture_splat_float(high));
}
