/* SPDX-License-Identifier: MIT */
/**
 * Clipping of lines to the rasteriser's coordinates. Of an OpenGL ES context draw clips
 * lines at the near and far planes only, because a wide line that runs beside the
 * viewport reaches into it (OpenGL ES 2.0.25, 2.13): their ends may be anywhere.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "util/macros.h"
#include "geometry/tbr_binning.h"
#include "state/tbr_context.h"
#include "shader/tbr_shader.h"

/** An end before the division by w: window coordinates times w, depth times w, w. */
struct line_end {
   double position[4];
};

static struct line_end
unproject(const float position[4])
{
   const double w = 1.0 / position[3];
   return (struct line_end){{position[0] * w, position[1] * w, position[2] * w, w}};
}

static double
mix(double a, double b, double t)
{
   return a + (b - a) * t;
}

/** Distance to one of four planes, times w: x and y at both ends of the band. */
static double
plane_distance(const struct line_end *end, unsigned plane)
{
   const double coordinate = end->position[plane / 2];
   return TBR_LINE_BAND * end->position[3] + (plane & 1 ? coordinate : -coordinate);
}

/** Cuts first … last of the line to the half-space of a plane; false if nothing is left. */
static bool
cut(const struct line_end ends[2], unsigned plane, double *first, double *last)
{
   const double d0 = plane_distance(&ends[0], plane), d1 = plane_distance(&ends[1], plane);
   if (!isfinite(d0) || !isfinite(d1) || (d0 < 0 && d1 < 0))
      return false;
   if (d0 < 0)
      *first = MAX2(*first, d0 / (d0 - d1));
   else if (d1 < 0)
      *last = MIN2(*last, d0 / (d0 - d1));
   return *first < *last;
}

/** The vertex at t of the line, which may be a little outside of it. What is constant, or not the fragment shader's, it
 * has from `end`. */
static void
interpolate(const struct tbr_binning *binning, const float (*const v[2])[4], const struct line_end ends[2],
            double t, unsigned end, float (*vertex)[4])
{
   const struct tbr_fragment_shader *shader = binning->context->fragment_shader;
   const bool flat_colors = binning->context->rasterizer->flatshade;
   const double w = mix(ends[0].position[3], ends[1].position[3], t);
   const double t_window = t * ends[1].position[3] / w;
   memcpy(vertex, v[end], binning->stride);
   for (unsigned c = 0; c < 3; c++)
      vertex[0][c] = (float)(mix(ends[0].position[c], ends[1].position[c], t) / w);
   vertex[0][3] = (float)(1.0 / w);
   for (unsigned i = 0; i < shader->num_inputs; i++) {
      const struct tbr_shader_input *input = &shader->inputs[i];
      if (input->source != TBR_INPUT_ATTRIBUTE || input->interpolation == TBR_INTERPOLATE_CONSTANT ||
          (input->color && flat_colors))
         continue;
      const unsigned slot = input->attribute + 1;
      const double weight = input->interpolation == TBR_INTERPOLATE_PERSPECTIVE ? t : t_window;
      for (unsigned c = 0; c < 4; c++)
         vertex[slot][c] = (float)mix(v[0][slot][c], v[1][slot][c], weight);
   }
}

bool
tbr_clip_line(const struct tbr_binning *binning, const float (*v[2])[4], struct tbr_clipped_line *clipped)
{
   const struct line_end ends[2] = {unproject(v[0][0]), unproject(v[1][0])};
   double first = 0, last = 1;
   for (unsigned plane = 0; plane < 4; plane++) {
      if (!cut(ends, plane, &first, &last))
         return false;
   }
   assert(binning->stride <= sizeof clipped->vertex[0]);
   const float(*const whole[2])[4] = {v[0], v[1]};
   if (first > 0) {
      interpolate(binning, whole, ends, first, 0, clipped->vertex[0]);
      v[0] = (const float(*)[4])clipped->vertex[0];
   }
   if (last < 1) {
      interpolate(binning, whole, ends, last, 1, clipped->vertex[1]);
      v[1] = (const float(*)[4])clipped->vertex[1];
   }
   return true;
}

bool
tbr_move_line_end(const struct tbr_binning *binning, const float (*const v[2])[4], double place, unsigned end,
                  float (*vertex)[4])
{
   const struct line_end ends[2] = {unproject(v[0][0]), unproject(v[1][0])};
   const double w0 = ends[0].position[3], w1 = ends[1].position[3], divisor = w1 - place * (w1 - w0);
   assert(binning->stride <= sizeof(float[TBR_MAX_INPUTS + 8][4]));
   if (!(divisor > 0))
      return false;
   interpolate(binning, v, ends, place * w0 / divisor, end, vertex);
   return true;
}
