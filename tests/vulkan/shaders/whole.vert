#version 460
// SPDX-License-Identifier: MIT
/* Half of the viewport, which is twice as large as the picture: nothing is clipped, and no edge goes through the picture. */
void main()
{
   gl_Position = vec4(gl_VertexIndex == 1 ? 1.0 : -1.0, gl_VertexIndex == 2 ? 1.0 : -1.0, 0.0, 1.0);
}
