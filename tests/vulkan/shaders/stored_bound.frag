#version 450
// SPDX-License-Identifier: MIT
layout(set = 0, binding = 0) writeonly buffer Values { uint values[]; };
layout(push_constant) uniform Push { uvec2 unused; uint width; };
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;
void main()
{
   const uvec2 pixel = uvec2(gl_FragCoord.xy);
   values[pixel.y * width + pixel.x] = packUnorm4x8(color);
   result = color;
}
