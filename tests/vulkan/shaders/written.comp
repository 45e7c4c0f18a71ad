#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Vertices { vec4 words[]; };
layout(push_constant) uniform Push { Vertices vertices; uint count; };
/* A triangle for each invocation, in rows of eight. */
void main()
{
   const uint i = gl_GlobalInvocationID.x;
   if (i >= count)
      return;
   const vec2 corner = vec2(i % 8, i / 8) / 4.0 - 1.0;
   for (uint v = 0; v < 3; v++) {
      vertices.words[6 * i + 2 * v] = vec4(corner + 0.25 * vec2(v == 1, v == 2), 0.0, 1.0);
      vertices.words[6 * i + 2 * v + 1] = vec4(float(i % 8) / 7.0, float(i / 8) / 7.0, float(v) / 2.0, 1.0);
   }
}
