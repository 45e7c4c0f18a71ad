#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) readonly buffer Colors { vec4 color; } buffers[2];
void main()
{
   result = buffers[int(gl_FragCoord.x) / 16 % 2].color * shown;
}
