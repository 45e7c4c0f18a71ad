/* SPDX-License-Identifier: MIT */
/** Cube maps across the edges of their faces. Included by tbr_texture_sample_tmp.h. */

/** Follows (x, y) past one edge of a face, size texels wide, onto the neighbour. */
static unsigned
texture_cube_neighbour(unsigned face, int size, int *x, int *y)
{
   /* The directions of s and t, and the normal, of each face: axis * 2 + sign. */
   static const uint8_t s_axis[6] = {5, 4, 0, 0, 0, 1}, t_axis[6] = {3, 3, 4, 5, 3, 3};
   /* In half texels from the middle of the cube. */
   int position[3];
   const int along_s = 2 * *x + 1 - size, along_t = 2 * *y + 1 - size;
   position[face >> 1] = face & 1 ? -size : size;
   position[s_axis[face] >> 1] = s_axis[face] & 1 ? -along_s : along_s;
   position[t_axis[face] >> 1] = t_axis[face] & 1 ? -along_t : along_t;

   /* One texel past an edge is size + 1 along the neighbour's normal; folded
    * around the edge, it is the neighbour's outermost row. */
   unsigned axis = s_axis[face] >> 1;
   if (position[axis] >= -size && position[axis] <= size)
      axis = t_axis[face] >> 1;
   const unsigned neighbour = axis * 2 + (position[axis] < 0);
   position[face >> 1] += position[face >> 1] > 0 ? -1 : 1;

   const int s = position[s_axis[neighbour] >> 1], t = position[t_axis[neighbour] >> 1];
   *x = ((s_axis[neighbour] & 1 ? -s : s) + size - 1) / 2;
   *y = ((t_axis[neighbour] & 1 ? -t : t) + size - 1) / 2;
   return neighbour;
}

/** The 2 × 2 texels from (x, y) of a face on, in the order (0, 0), (1, 0), (0, 1),
 * (1, 1). */
struct texture_cube_taps {
   uint8_t face[4];
   int x[4], y[4];
   int missing; /**< the one past a corner, where only three faces meet; -1: none */
};

static void
texture_cube_taps_init(struct texture_cube_taps *taps, unsigned face, int size, int x, int y)
{
   taps->missing = -1;
   for (int i = 0; i < 4; i++) {
      taps->x[i] = x + (i & 1);
      taps->y[i] = y + (i >> 1);
      taps->face[i] = (uint8_t)face;
      bool x_inside = texture_inside(taps->x[i], size), y_inside = texture_inside(taps->y[i], size);
      if (!x_inside && !y_inside)
         taps->missing = i;
      else if (!x_inside || !y_inside)
         taps->face[i] = (uint8_t)texture_cube_neighbour(face, size, &taps->x[i], &taps->y[i]);
   }
}
