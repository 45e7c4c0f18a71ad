#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) out vec4 shown;
void main()
{
   const vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0;
   gl_Position = vec4(at * 2.0 - 1.0, 0, 1);
   shown = vec4(at, at.x * 0.7 - at.y * 0.4, 0.3 * at.x + 0.6 * at.y);
}
