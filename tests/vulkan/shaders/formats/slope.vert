#version 450
// SPDX-License-Identifier: MIT
// A triangle over all pixels below the diagonal, and some of those on it.
void main()
{
   gl_Position = vec4(gl_VertexIndex == 1 ? 1.2 : -1.0, gl_VertexIndex == 2 ? 1.2 : -1.0, 0, 1);
}
