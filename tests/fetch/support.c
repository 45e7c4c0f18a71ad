/* SPDX-License-Identifier: MIT */
#include "fetch/support.h"

#include "support/egl.h"

void
open_context(bool desktop)
{
   egl_open_context((struct surface_request){SURFACELESS}, desktop, 3, desktop ? 3 : 0);
   bind_new_vertex_array();
   glEnableVertexAttribArray(0);
}

unsigned
random_below(unsigned end)
{
   static uint32_t state = 1;
   state = state * 1664525 + 1013904223;
   return (state >> 16) % end;
}

void
draw_triangles(const float (*vertices)[3], unsigned count)
{
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, count * sizeof vertices[0], vertices, GL_STATIC_DRAW);
   glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
   glDrawArrays(GL_TRIANGLES, 0, count);
   glDeleteBuffers(1, &buffer);
}
