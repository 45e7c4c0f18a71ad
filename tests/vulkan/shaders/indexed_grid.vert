#version 460
// SPDX-License-Identifier: MIT
// Instances of a rectangle, in a grid that fills the picture.
layout(location = 0) out vec2 at;
layout(location = 1) flat out uint number;
layout(push_constant) uniform Push { uvec4 grid; }; // columns, rows
void main()
{
   const vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
   const vec2 cell = vec2(gl_InstanceIndex % grid.x, gl_InstanceIndex / grid.x);
   gl_Position = vec4((cell + corner) / vec2(grid.xy) * 2.0 - 1.0, 0.0, 1.0);
   at = corner;
   number = gl_InstanceIndex;
}
