#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 position; // and how warm it is
layout(location = 1) in vec4 speed;
layout(location = 0) out vec4 shown;
void main()
{
   gl_Position = vec4(position.xyz, 1.0);
   gl_PointSize = 3.0;
   shown = vec4(mix(vec3(0.1, 0.3, 1.0), vec3(1.0, 0.6, 0.1), position.w), 0.5);
}
