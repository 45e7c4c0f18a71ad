#version 450
// SPDX-License-Identifier: MIT
// Each point is one of the 8×8 pixels.
layout(location = 0) in VECTOR value;
layout(location = 0) flat out VECTOR shown;
void main()
{
   gl_Position = vec4((vec2(gl_VertexIndex % 8, gl_VertexIndex / 8) + 0.5) / 4.0 - 1.0, 0, 1);
   gl_PointSize = 1.0;
   shown = value;
}
