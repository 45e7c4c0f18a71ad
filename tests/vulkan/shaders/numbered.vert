#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) out uint number;
void main()
{
   gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
   gl_PointSize = 1.0;
   number = gl_VertexIndex;
}
