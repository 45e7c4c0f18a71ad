/* SPDX-License-Identifier: MIT */
/** A texture unit written straight from the OpenGL specification (4.6, 8.13 to
 * 8.23), in double, a fragment at a time; slow and plain. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "texture_test.h"

/** Nearer than this to a decision counts as ambiguous (texels, levels). */
#define MARGIN 2e-3

struct color {
   double v[4];
};

static double
srgb_to_linear(double c)
{
   return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/** Decodes a texel of the formats under test. */
static struct color
decode(const struct tbr_texture_binding *binding, const uint8_t *p, int x, int y)
{
   struct color c = {{0, 0, 0, 1}};
   uint16_t word16;
   uint32_t word32;
   float f[4];
   switch (binding->format) {
   case PIPE_FORMAT_R8G8B8A8_UNORM:
      for (int i = 0; i < 4; i++)
         c.v[i] = p[i] / 255.0;
      return c;
   case PIPE_FORMAT_R8G8B8A8_SRGB:
      for (int i = 0; i < 4; i++)
         c.v[i] = i < 3 ? srgb_to_linear(p[i] / 255.0) : p[i] / 255.0;
      return c;
   case PIPE_FORMAT_B8G8R8A8_UNORM:
      return (struct color){{p[2] / 255.0, p[1] / 255.0, p[0] / 255.0, p[3] / 255.0}};
   case PIPE_FORMAT_R8G8B8X8_UNORM: return (struct color){{p[0] / 255.0, p[1] / 255.0, p[2] / 255.0, 1}};
   case PIPE_FORMAT_B8G8R8X8_UNORM: return (struct color){{p[2] / 255.0, p[1] / 255.0, p[0] / 255.0, 1}};
   case PIPE_FORMAT_R8G8B8_UNORM: return (struct color){{p[0] / 255.0, p[1] / 255.0, p[2] / 255.0, 1}};
   case PIPE_FORMAT_R8_UNORM: return (struct color){{p[0] / 255.0, 0, 0, 1}};
   case PIPE_FORMAT_L8_UNORM: return (struct color){{p[0] / 255.0, p[0] / 255.0, p[0] / 255.0, 1}};
   case PIPE_FORMAT_A8_UNORM: return (struct color){{0, 0, 0, p[0] / 255.0}};
   case PIPE_FORMAT_R8G8_UNORM: return (struct color){{p[0] / 255.0, p[1] / 255.0, 0, 1}};
   case PIPE_FORMAT_L8A8_UNORM:
      return (struct color){{p[0] / 255.0, p[0] / 255.0, p[0] / 255.0, p[1] / 255.0}};
   case PIPE_FORMAT_B5G6R5_UNORM:
      memcpy(&word16, p, 2);
      return (struct color){{(word16 >> 11) / 31.0, (word16 >> 5 & 63) / 63.0, (word16 & 31) / 31.0, 1}};
   case PIPE_FORMAT_B5G5R5A1_UNORM:
      memcpy(&word16, p, 2);
      return (struct color){
         {(word16 >> 10 & 31) / 31.0, (word16 >> 5 & 31) / 31.0, (word16 & 31) / 31.0, word16 >> 15}};
   case PIPE_FORMAT_B4G4R4A4_UNORM:
      memcpy(&word16, p, 2);
      return (struct color){
         {(word16 >> 8 & 15) / 15.0, (word16 >> 4 & 15) / 15.0, (word16 & 15) / 15.0, (word16 >> 12) / 15.0}};
   case PIPE_FORMAT_R32G32B32A32_FLOAT: memcpy(f, p, 16); return (struct color){{f[0], f[1], f[2], f[3]}};
   case PIPE_FORMAT_R32_FLOAT: memcpy(f, p, 4); return (struct color){{f[0], 0, 0, 1}};
   case PIPE_FORMAT_R16G16B16A16_UNORM:
      for (int i = 0; i < 4; i++) {
         memcpy(&word16, p + 2 * i, 2);
         c.v[i] = word16 / 65535.0;
      }
      return c;
   case PIPE_FORMAT_R8G8B8A8_SNORM:
      for (int i = 0; i < 4; i++)
         c.v[i] = fmax((int8_t)p[i] / 127.0, -1.0);
      return c;
   case PIPE_FORMAT_R32_UINT: memcpy(&word32, p, 4); return (struct color){{word32, 0, 0, 1}};
   case PIPE_FORMAT_R8G8B8A8_UINT: return (struct color){{p[0], p[1], p[2], p[3]}};
   case PIPE_FORMAT_Z16_UNORM:
      memcpy(&word16, p, 2);
      return (struct color){{word16 / 65535.0, word16 / 65535.0, word16 / 65535.0, 1}};
   case PIPE_FORMAT_Z24X8_UNORM:
   case PIPE_FORMAT_Z24_UNORM_S8_UINT:
      memcpy(&word32, p, 4);
      word32 &= 0xffffff;
      return (struct color){{word32 / 16777215.0, word32 / 16777215.0, word32 / 16777215.0, 1}};
   case PIPE_FORMAT_Z32_FLOAT: memcpy(f, p, 4); return (struct color){{f[0], f[0], f[0], 1}};
   case PIPE_FORMAT_DXT1_RGB: {
      /* Block compression: the palette of two 5:6:5 colours. */
      uint16_t a, b;
      memcpy(&a, p, 2);
      memcpy(&b, p + 2, 2);
      unsigned index = p[4 + (y & 3)] >> (2 * (x & 3)) & 3;
      double ca[3] = {(a >> 11) / 31.0, (a >> 5 & 63) / 63.0, (a & 31) / 31.0};
      double cb[3] = {(b >> 11) / 31.0, (b >> 5 & 63) / 63.0, (b & 31) / 31.0};
      for (int i = 0; i < 3; i++)
         c.v[i] = index == 0   ? ca[i]
                  : index == 1 ? cb[i]
                  : a > b      ? (index == 2 ? (2 * ca[i] + cb[i]) / 3 : (ca[i] + 2 * cb[i]) / 3)
                               : (index == 2 ? (ca[i] + cb[i]) / 2 : 0.0);
      return c;
   }
   default: abort();
   }
}

static unsigned
block_bytes(enum pipe_format format)
{
   switch (format) {
   case PIPE_FORMAT_R8_UNORM:
   case PIPE_FORMAT_L8_UNORM:
   case PIPE_FORMAT_A8_UNORM: return 1;
   case PIPE_FORMAT_R8G8_UNORM:
   case PIPE_FORMAT_L8A8_UNORM:
   case PIPE_FORMAT_B5G6R5_UNORM:
   case PIPE_FORMAT_B5G5R5A1_UNORM:
   case PIPE_FORMAT_B4G4R4A4_UNORM:
   case PIPE_FORMAT_Z16_UNORM: return 2;
   case PIPE_FORMAT_R8G8B8_UNORM: return 3;
   case PIPE_FORMAT_R16G16B16A16_UNORM:
   case PIPE_FORMAT_DXT1_RGB: return 8;
   case PIPE_FORMAT_R32G32B32A32_FLOAT: return 16;
   default: return 4;
   }
}

static bool
is_depth(enum pipe_format format)
{
   return format == PIPE_FORMAT_Z16_UNORM || format == PIPE_FORMAT_Z24X8_UNORM ||
          format == PIPE_FORMAT_Z24_UNORM_S8_UINT || format == PIPE_FORMAT_Z32_FLOAT;
}

static struct color
border_color(const struct tbr_texture_binding *binding)
{
   struct color c;
   const float *f = binding->sampler.border_color.f;
   const bool is_float = binding->format == PIPE_FORMAT_R32G32B32A32_FLOAT ||
                         binding->format == PIPE_FORMAT_R32_FLOAT || binding->format == PIPE_FORMAT_Z32_FLOAT;
   const double low = binding->format == PIPE_FORMAT_R8G8B8A8_SNORM ? -1.0 : 0.0;
   for (int i = 0; i < 4; i++)
      c.v[i] = is_float ? f[i] : fmin(fmax(f[i], low), 1.0);
   switch (binding->format) {
   case PIPE_FORMAT_R8G8B8X8_UNORM:
   case PIPE_FORMAT_B8G8R8X8_UNORM:
   case PIPE_FORMAT_R8G8B8_UNORM:
   case PIPE_FORMAT_B5G6R5_UNORM:
   case PIPE_FORMAT_DXT1_RGB:
   case PIPE_FORMAT_L8_UNORM: c.v[3] = 1; break;
   case PIPE_FORMAT_R8_UNORM:
   case PIPE_FORMAT_R32_FLOAT:
      c.v[1] = c.v[2] = 0;
      c.v[3] = 1;
      break;
   case PIPE_FORMAT_R8G8_UNORM:
      c.v[2] = 0;
      c.v[3] = 1;
      break;
   case PIPE_FORMAT_A8_UNORM: c.v[0] = c.v[1] = c.v[2] = 0; break;
   default: break;
   }
   if (is_depth(binding->format)) {
      c.v[1] = c.v[2] = c.v[0];
      c.v[3] = 1;
   }
   return c;
}

/** The integer and depth comparisons' state of one fragment. */
struct context {
   const struct tbr_texture_binding *binding;
   const struct tbr_sample_arguments *arguments;
   unsigned lane;
   struct texture_reference *result;
};

static struct color
compare(struct context *context, struct color texel)
{
   if (!context->arguments->shadow)
      return texel;
   double reference = context->arguments->compare[context->lane], depth = texel.v[0], r;
   if (context->binding->format != PIPE_FORMAT_Z32_FLOAT)
      reference = fmin(fmax(reference, 0), 1);
   if (fabs(reference - depth) < 1e-6)
      context->result->ambiguous = true;
   switch (context->binding->sampler.compare_func) {
   case PIPE_FUNC_NEVER: r = 0; break;
   case PIPE_FUNC_LESS: r = reference < depth; break;
   case PIPE_FUNC_EQUAL: r = reference == depth; break;
   case PIPE_FUNC_LEQUAL: r = reference <= depth; break;
   case PIPE_FUNC_GREATER: r = reference > depth; break;
   case PIPE_FUNC_NOTEQUAL: r = reference != depth; break;
   case PIPE_FUNC_GEQUAL: r = reference >= depth; break;
   default: r = 1; break;
   }
   return (struct color){{r, r, r, 1}};
}

static struct color
read_texel(struct context *context, unsigned level, unsigned layer, int x, int y)
{
   const struct tbr_texture_binding *binding = context->binding;
   const struct tbr_texture_level *image = &binding->levels[level];
   const int block = binding->format == PIPE_FORMAT_DXT1_RGB ? 4 : 1;
   assert(x >= 0 && y >= 0 && x < (int)image->width && y < (int)image->height);

   struct texture_reference *result = context->result;
   const struct texture_reference_read read = {level, layer, x, y};
   unsigned i = 0;
   while (i < result->num_reads && memcmp(&result->reads[i], &read, sizeof(read)))
      i++;
   if (i == result->num_reads) {
      assert(result->num_reads < TEXTURE_REFERENCE_MAX_READS);
      result->reads[result->num_reads++] = read;
   }
   const uint8_t *p = image->texels + (size_t)layer * image->layer_stride +
                      (size_t)(y / block) * image->row_stride +
                      (size_t)(x / block) * block_bytes(binding->format);
   return compare(context, decode(binding, p, x, y));
}

static int
modulo(int a, int b)
{
   return ((a % b) + b) % b;
}

static int
mirror(int a)
{
   return a >= 0 ? a : -(1 + a);
}

static int
clamp(int a, int low, int high)
{
   return a < low ? low : a > high ? high : a;
}

/** Table 8.20; negative: the border. */
static int
wrap(unsigned mode, int coordinate, int size)
{
   int c;
   switch (mode) {
   case PIPE_TEX_WRAP_REPEAT: return modulo(coordinate, size);
   case PIPE_TEX_WRAP_MIRROR_REPEAT: return (size - 1) - mirror(modulo(coordinate, 2 * size) - size);
   case PIPE_TEX_WRAP_CLAMP_TO_EDGE: return clamp(coordinate, 0, size - 1);
   case PIPE_TEX_WRAP_MIRROR_CLAMP_TO_EDGE: return clamp(mirror(coordinate), 0, size - 1);
   case PIPE_TEX_WRAP_MIRROR_CLAMP:
   case PIPE_TEX_WRAP_MIRROR_CLAMP_TO_BORDER: c = mirror(coordinate); return c >= size ? -1 : c;
   default: return coordinate < 0 || coordinate >= size ? -1 : coordinate;
   }
}

/** The texel coordinate of a texture coordinate; the clamping modes of old clamp
 * it first (OpenGL 2.1, 3.8.7; EXT_texture_mirror_clamp). */
static double
to_texels(const struct tbr_texture_binding *binding, unsigned mode, double c, int size)
{
   const bool unnormalized = binding->sampler.unnormalized_coords || binding->target == PIPE_TEXTURE_RECT;
   double u = unnormalized ? c : c * size;
   if (mode == PIPE_TEX_WRAP_CLAMP)
      u = fmin(fmax(u, 0), size);
   if (mode == PIPE_TEX_WRAP_MIRROR_CLAMP)
      u = fmin(fabs(u), size);
   return u;
}

static bool
near_integer(double u)
{
   return fabs(u - floor(u + 0.5)) < MARGIN;
}

struct taps {
   int index[2];
   unsigned count;
   double weight;
};

static struct taps
axis_taps(struct context *context, unsigned mode, double c, int size, bool linear, int offset)
{
   /* Nearest: half of the border is never reached. */
   if (!linear && mode == PIPE_TEX_WRAP_CLAMP)
      mode = PIPE_TEX_WRAP_CLAMP_TO_EDGE;
   if (!linear && mode == PIPE_TEX_WRAP_MIRROR_CLAMP)
      mode = PIPE_TEX_WRAP_MIRROR_CLAMP_TO_EDGE;
   double u = to_texels(context->binding, mode, c, size);
   struct taps taps = {.count = linear ? 2 : 1};
   if (linear)
      u -= 0.5;
   /* At a texel's edge (nearest) or centre (linear) rounding decides what is read. */
   if (near_integer(u))
      context->result->ambiguous = true;
   taps.index[0] = wrap(mode, (int)floor(u) + offset, size);
   taps.index[1] = wrap(mode, (int)floor(u) + 1 + offset, size);
   taps.weight = linear ? u - floor(u) : 0;
   return taps;
}

/** The direction of the point (s, t), in -1 … 1 inside the face (table 8.19). */
static void
cube_direction(unsigned face, double s, double t, double d[3])
{
   const double directions[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t},
                                    {s, -1, -t}, {s, -t, 1},  {-s, -t, -1}};
   memcpy(d, directions[face], sizeof(directions[face]));
}

/** The texel of another face that is nearest to a texel place past an edge. */
static void
cube_neighbour(unsigned face, int size, int x, int y, unsigned *out_face, int *out_x, int *out_y)
{
   double p[3], best = 1e9;
   cube_direction(face, (2.0 * x + 1) / size - 1, (2.0 * y + 1) / size - 1, p);
   for (unsigned f = 0; f < 6; f++) {
      for (int j = 0; f != face && j < size; j++) {
         for (int i = 0; i < size; i++) {
            double q[3];
            cube_direction(f, (2.0 * i + 1) / size - 1, (2.0 * j + 1) / size - 1, q);
            double distance = hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
            if (distance < best - 1e-9) {
               best = distance;
               *out_face = f;
               *out_x = i;
               *out_y = j;
            }
         }
      }
   }
}

/** The 1 or 4 texels of one layer: (0, 0), (1, 0), (0, 1), (1, 1). */
static void
read_square(struct context *context, unsigned level, int layer, const double *coordinates, bool linear,
            struct color texel[4], double weight[2])
{
   const struct tbr_texture_binding *binding = context->binding;
   const struct tbr_texture_level *image = &binding->levels[level];
   const bool cube = binding->target == PIPE_TEXTURE_CUBE || binding->target == PIPE_TEXTURE_CUBE_ARRAY;
   const bool one = binding->target == PIPE_TEXTURE_1D || binding->target == PIPE_TEXTURE_1D_ARRAY;
   int offset[2] = {0, 0};
   if (context->arguments->has_offset) {
      offset[0] = context->arguments->offset[0][context->lane];
      offset[1] = context->arguments->offset[1][context->lane];
   }

   if (cube && linear && binding->sampler.seamless_cube_map) {
      const int size = (int)image->width;
      double u = coordinates[0] * size - 0.5, v = coordinates[1] * size - 0.5;
      if (near_integer(u) || near_integer(v))
         context->result->ambiguous = true;
      int corner = -1;
      for (int i = 0; i < 4; i++) {
         int x = (int)floor(u) + (i & 1), y = (int)floor(v) + (i >> 1);
         unsigned face = layer % 6;
         bool out_x = x < 0 || x >= size, out_y = y < 0 || y >= size;
         if (out_x && out_y) {
            corner = i;
            continue;
         }
         if (out_x || out_y)
            cube_neighbour(layer % 6, size, x, y, &face, &x, &y);
         texel[i] = read_texel(context, level, layer / 6 * 6 + face, x, y);
      }
      if (corner >= 0) {
         texel[corner] = (struct color){{0}};
         for (int i = 0; i < 4; i++)
            for (int c = 0; c < 4 && i != corner; c++)
               texel[corner].v[c] += texel[i].v[c] / 3;
      }
      weight[0] = u - floor(u);
      weight[1] = v - floor(v);
      return;
   }

   struct taps x =
      axis_taps(context, binding->sampler.wrap_s, coordinates[0], (int)image->width, linear, offset[0]);
   struct taps y = {.index = {0, 0}, .count = 1};
   if (!one)
      y = axis_taps(context, binding->sampler.wrap_t, coordinates[1], (int)image->height, linear, offset[1]);
   for (int i = 0; i < (linear ? 4 : 1); i++) {
      int column = x.index[i & 1], row = y.index[i >> 1];
      texel[i] = layer < 0 || column < 0 || row < 0
                    ? compare(context, border_color(binding))
                    : read_texel(context, level, (unsigned)layer, column, row);
   }
   weight[0] = x.weight;
   weight[1] = y.weight;
}

static struct color
mix(struct color a, struct color b, double weight)
{
   for (int i = 0; i < 4; i++)
      a.v[i] = (1 - weight) * a.v[i] + weight * b.v[i];
   return a;
}

static struct color
filter_layer(struct context *context, unsigned level, int layer, const double *coordinates, bool linear)
{
   struct color texel[4];
   double weight[2];
   read_square(context, level, layer, coordinates, linear, texel, weight);
   if (!linear)
      return texel[0];
   return mix(mix(texel[0], texel[1], weight[0]), mix(texel[2], texel[3], weight[0]), weight[1]);
}

static struct color
filter_level(struct context *context, unsigned level, int layer, const double *coordinates, bool linear)
{
   const struct tbr_texture_binding *binding = context->binding;
   if (binding->target != PIPE_TEXTURE_3D)
      return filter_layer(context, level, layer, coordinates, linear);
   int offset = context->arguments->has_offset ? context->arguments->offset[2][context->lane] : 0;
   struct taps z = axis_taps(context, binding->sampler.wrap_r, coordinates[2],
                             (int)binding->levels[level].depth, linear, offset);
   struct color color = filter_layer(context, level, z.index[0], coordinates, linear);
   if (linear)
      color = mix(color, filter_layer(context, level, z.index[1], coordinates, true), z.weight);
   return color;
}

static unsigned
cube_face(const double d[3])
{
   double size[3] = {fabs(d[0]), fabs(d[1]), fabs(d[2])};
   unsigned axis = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
   return axis * 2 + (d[axis] < 0);
}

/** Table 8.19: sc, tc and the magnitude of the major axis. */
static void
cube_components(unsigned face, const double d[3], double *sc, double *tc, double *ma)
{
   static const int s_source[6] = {-3, 3, 1, 1, 1, -1}, t_source[6] = {-2, -2, 3, -3, -2, -2};
   *sc = s_source[face] < 0 ? -d[-s_source[face] - 1] : d[s_source[face] - 1];
   *tc = t_source[face] < 0 ? -d[-t_source[face] - 1] : d[t_source[face] - 1];
   *ma = face & 1 ? -d[face / 2] : d[face / 2];
}

static void
load(double d[3], const float (*source)[TBR_LANES], unsigned lane)
{
   for (int i = 0; i < 3; i++)
      d[i] = source[i][lane];
}

/** The step in texels along each axis (8.14.1), of a derivative of the coordinates. */
static void
texel_steps(const struct tbr_texture_binding *binding, const double at[3], const double d[3], double steps[3])
{
   const bool unnormalized = binding->sampler.unnormalized_coords || binding->target == PIPE_TEXTURE_RECT;
   const struct tbr_texture_level *base = &binding->levels[0];
   steps[0] = fabs(d[0] * (unnormalized ? 1 : base->width));
   steps[1] = fabs(d[1] * (unnormalized ? 1 : base->height));
   steps[2] = 0;
   switch (binding->target) {
   case PIPE_TEXTURE_CUBE:
   case PIPE_TEXTURE_CUBE_ARRAY: {
      double sc, tc, ma, dsc, dtc, dma;
      unsigned face = cube_face(at);
      cube_components(face, at, &sc, &tc, &ma);
      cube_components(face, d, &dsc, &dtc, &dma);
      steps[0] = fabs(dsc * ma - sc * dma) / (2 * ma * ma) * base->width;
      steps[1] = fabs(dtc * ma - tc * dma) / (2 * ma * ma) * base->width;
      break;
   }
   case PIPE_TEXTURE_1D:
   case PIPE_TEXTURE_1D_ARRAY: steps[1] = 0; break;
   case PIPE_TEXTURE_3D: steps[2] = fabs(d[2] * base->depth); break;
   default: break;
   }
}

/** A fragment's derivatives, and the place where a quad's are taken. */
struct slopes {
   double at[3], dx[3], dy[3];
};

static struct slopes
find_slopes(const struct tbr_sample_arguments *arguments, unsigned lane)
{
   struct slopes slopes;
   if (arguments->lod_control == TBR_LOD_DERIVATIVES) {
      load(slopes.at, arguments->coords, lane);
      load(slopes.dx, arguments->ddx, lane);
      load(slopes.dy, arguments->ddy, lane);
      return slopes;
   }
   double right[3], above[3];
   load(slopes.at, arguments->coords, lane & ~3u);
   load(right, arguments->coords, (lane & ~3u) + 1);
   load(above, arguments->coords, (lane & ~3u) + 2);
   for (int i = 0; i < 3; i++) {
      slopes.dx[i] = right[i] - slopes.at[i];
      slopes.dy[i] = above[i] - slopes.at[i];
   }
   return slopes;
}

/** How many texels a step covers: its length, or the lower of the bounds that are
 * allowed for it, its largest component, where there are not more than two. */
static double
extent(const struct tbr_texture_binding *binding, const double step[3])
{
   if (binding->target == PIPE_TEXTURE_3D)
      return hypot(hypot(step[0], step[1]), step[2]);
   return fmax(step[0], step[1]);
}

/** The probes of EXT_texture_filter_anisotropic; one, without an extent, where
 * filtering is isotropic. */
struct probes {
   int count;
   double axis[3];
   double rho; /**< texels that each covers */
};

static struct probes
find_probes(struct context *context)
{
   const struct tbr_texture_binding *binding = context->binding;
   const struct slopes slopes = find_slopes(context->arguments, context->lane);
   const bool flat = binding->target != PIPE_TEXTURE_1D && binding->target != PIPE_TEXTURE_1D_ARRAY &&
                     binding->target != PIPE_TEXTURE_3D;
   const bool filtered = binding->sampler.min_img_filter == PIPE_TEX_FILTER_LINEAR ||
                         binding->sampler.mag_img_filter == PIPE_TEX_FILTER_LINEAR;
   double x[3], y[3];
   texel_steps(binding, slopes.at, slopes.dx, x);
   texel_steps(binding, slopes.at, slopes.dy, y);
   if (binding->sampler.max_anisotropy < 2 || !flat || !filtered || context->result->integer)
      return (struct probes){.count = 1, .rho = fmax(extent(binding, x), extent(binding, y))};

   const double px = hypot(x[0], x[1]), py = hypot(y[0], y[1]);
   const double longer = fmax(px, py), shorter = fmin(px, py);
   const double ratio = shorter > 0 ? longer / shorter : 1e9;
   struct probes probes = {.count = (int)fmin(ceil(ratio), binding->sampler.max_anisotropy)};
   if (ratio < binding->sampler.max_anisotropy + 1 && fabs(ratio - floor(ratio + 0.5)) < 1e-3)
      context->result->ambiguous = true;
   memcpy(probes.axis, px > py ? slopes.dx : slopes.dy, sizeof(probes.axis));
   probes.rho = longer / probes.count;
   return probes;
}

static void
fetch_integer_coordinates(struct context *context, struct color *color)
{
   const struct tbr_texture_binding *binding = context->binding;
   const struct tbr_sample_arguments *arguments = context->arguments;
   int32_t c[3], level, layer = 0;
   for (int i = 0; i < 3; i++) {
      memcpy(&c[i], &arguments->coords[i][context->lane], 4);
      if (arguments->has_offset)
         c[i] += arguments->offset[i][context->lane];
   }
   memcpy(&level, &arguments->lod[context->lane], 4);
   *color = (struct color){{0, 0, 0, 0}};
   if (binding->target == PIPE_BUFFER) {
      if (c[0] >= 0 && c[0] < (int)binding->buffer_elements) {
         *color =
            decode(binding, binding->levels[0].texels + (size_t)c[0] * block_bytes(binding->format), 0, 0);
         context->result->reads[context->result->num_reads++] =
            (struct texture_reference_read){0, 0, c[0] % 32768, c[0] / 32768};
      }
      return;
   }
   if (level < 0 || level >= (int)binding->num_levels)
      return;
   const struct tbr_texture_level *image = &binding->levels[level];
   int layers = (int)binding->num_layers;
   switch (binding->target) {
   case PIPE_TEXTURE_1D: c[1] = 0; break;
   case PIPE_TEXTURE_1D_ARRAY:
      c[1] = 0;
      memcpy(&layer, &arguments->coords[2][context->lane], 4);
      break;
   case PIPE_TEXTURE_2D_ARRAY: memcpy(&layer, &arguments->coords[2][context->lane], 4); break;
   case PIPE_TEXTURE_3D:
      layer = c[2];
      layers = (int)image->depth;
      break;
   default: break;
   }
   if (c[0] >= 0 && c[0] < (int)image->width && c[1] >= 0 && c[1] < (int)image->height && layer >= 0 &&
       layer < layers)
      *color = read_texel(context, (unsigned)level, (unsigned)layer, c[0], c[1]);
}

/** A fragment's place on a layer, or on a cube's face. */
struct place {
   double coordinates[3];
   int layer;
};

static struct place
place_of(struct context *context, const double at[3])
{
   const struct tbr_texture_binding *binding = context->binding;
   struct texture_reference *result = context->result;
   struct place place = {.coordinates = {at[0], at[1], at[2]}};
   if (binding->target == PIPE_TEXTURE_1D_ARRAY || binding->target == PIPE_TEXTURE_2D_ARRAY) {
      /* Probes stay on the fragment's layer. */
      const double layer = context->arguments->coords[2][context->lane];
      place.layer = clamp((int)floor(layer + 0.5), 0, (int)binding->num_layers - 1);
      result->ambiguous |= near_integer(layer + 0.5);
   }
   if (binding->target == PIPE_TEXTURE_CUBE || binding->target == PIPE_TEXTURE_CUBE_ARRAY) {
      double sc, tc, ma;
      const unsigned face = cube_face(at);
      cube_components(face, at, &sc, &tc, &ma);
      result->ambiguous |= fmax(fabs(sc), fabs(tc)) > ma * (1 - 1e-5);
      place.coordinates[0] = 0.5 * (sc / ma + 1);
      place.coordinates[1] = 0.5 * (tc / ma + 1);
      place.layer = (int)face;
      if (binding->target == PIPE_TEXTURE_CUBE_ARRAY) {
         const double cube = context->arguments->cube_layer[context->lane];
         place.layer += 6 * clamp((int)floor(cube + 0.5), 0, (int)binding->num_layers / 6 - 1);
         result->ambiguous |= near_integer(cube + 0.5);
      }
   }
   return place;
}

/** Where among the levels a level of detail is, and how it is filtered. */
struct level {
   double place;
   bool linear;
};

static struct level
choose_level(struct context *context, double unclamped)
{
   const struct tbr_texture_binding *binding = context->binding;
   const struct pipe_sampler_state *sampler = &binding->sampler;
   struct texture_reference *result = context->result;
   const double lambda = fmin(fmax(unclamped, sampler->min_lod), sampler->max_lod);
   const bool mipmapped = sampler->min_mip_filter != PIPE_TEX_MIPFILTER_NONE && binding->num_levels > 1;
   if (sampler->min_img_filter != sampler->mag_img_filter && fabs(lambda) < 1e-3)
      result->ambiguous = true;
   struct level level = {
      .linear = !result->integer &&
                (lambda > 0 ? sampler->min_img_filter : sampler->mag_img_filter) == PIPE_TEX_FILTER_LINEAR,
   };
   if (!mipmapped)
      return level;
   const double last = binding->num_levels - 1.0;
   const bool nearest = sampler->min_mip_filter == PIPE_TEX_MIPFILTER_NEAREST || result->integer;
   if (near_integer(nearest ? lambda + 0.5 : lambda) && lambda > -0.1 && lambda < last + 0.6)
      result->ambiguous = true;
   level.place = nearest ? (lambda <= 0.5 ? 0 : ceil(lambda + 0.5) - 1) : fmax(lambda, 0);
   level.place = fmin(fmax(level.place, 0), last);
   return level;
}

static struct color
sample_place(struct context *context, struct place place, struct level level)
{
   const unsigned lower = (unsigned)floor(level.place);
   struct color color = filter_level(context, lower, place.layer, place.coordinates, level.linear);
   if (level.place > lower)
      color = mix(color, filter_level(context, lower + 1, place.layer, place.coordinates, level.linear),
                  level.place - lower);
   return color;
}

static double
swizzled(const struct color *color, unsigned swizzle)
{
   return swizzle <= PIPE_SWIZZLE_W ? color->v[swizzle] : swizzle == PIPE_SWIZZLE_1 ? 1 : 0;
}

void
texture_reference_sample(const struct tbr_texture_binding *binding,
                         const struct tbr_sample_arguments *arguments, unsigned lane,
                         struct texture_reference *reference)
{
   memset(reference, 0, sizeof(*reference));
   struct context context = {binding, arguments, lane, reference};
   struct color color;
   reference->integer =
      binding->format == PIPE_FORMAT_R32_UINT || binding->format == PIPE_FORMAT_R8G8B8A8_UINT;

   if (arguments->operation == TBR_TEXTURE_FETCH) {
      fetch_integer_coordinates(&context, &color);
      for (int i = 0; i < 4; i++)
         reference->texel[i] = swizzled(&color, binding->swizzle[i]);
      return;
   }

   double at[3];
   load(at, arguments->coords, lane);
   if (arguments->operation == TBR_TEXTURE_GATHER) {
      struct color texel[4];
      double weight[2];
      static const int order[4] = {2, 3, 1, 0};
      const struct place place = place_of(&context, at);
      read_square(&context, 0, place.layer, place.coordinates, true, texel, weight);
      for (int i = 0; i < 4; i++)
         reference->texel[i] =
            swizzled(&texel[order[i]], binding->swizzle[arguments->shadow ? 0 : arguments->gather_component]);
      return;
   }

   struct probes probes = {.count = 1};
   double unclamped = arguments->lod[lane];
   if (arguments->lod_control != TBR_LOD_EXPLICIT) {
      probes = find_probes(&context);
      unclamped = log2(probes.rho) + (arguments->lod_control == TBR_LOD_BIAS ? arguments->lod[lane] : 0);
   }
   unclamped += binding->sampler.lod_bias;
   const struct level level = choose_level(&context, unclamped);
   if (arguments->operation == TBR_TEXTURE_LODQ) {
      reference->texel[0] = level.place;
      reference->texel[1] = unclamped;
      return;
   }
   color = (struct color){{0, 0, 0, 0}};
   for (int i = 1; i <= probes.count; i++) {
      double probe[3];
      for (int c = 0; c < 3; c++)
         probe[c] = at[c] + (probes.count > 1 ? probes.axis[c] * (i / (probes.count + 1.0) - 0.5) : 0);
      const struct color sample = sample_place(&context, place_of(&context, probe), level);
      for (int c = 0; c < 4; c++)
         color.v[c] += sample.v[c] / probes.count;
   }
   for (int i = 0; i < 4; i++)
      reference->texel[i] = swizzled(&color, binding->swizzle[i]);
}
