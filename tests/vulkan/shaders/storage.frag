#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) buffer Counts { uint count; uint pad[3]; vec4 colors[]; };
void main()
{
   atomicAdd(count, 1u);
   result = shown * colors[int(gl_FragCoord.x) / 16 % colors.length()];
}
