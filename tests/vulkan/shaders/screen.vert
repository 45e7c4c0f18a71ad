#version 450
// SPDX-License-Identifier: MIT
// A triangle over all of the target, of three vertices without attributes.
layout(location = 0) out vec4 shown; // texture coordinates
void main()
{
   const vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
   gl_Position = vec4(4.0 * corner - 1.0, 0.0, 1.0);
   shown = vec4(2.0 * corner, 0.0, 1.0);
}
