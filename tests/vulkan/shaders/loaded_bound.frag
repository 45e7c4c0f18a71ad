#version 450
// SPDX-License-Identifier: MIT
layout(set = 0, binding = 0) readonly buffer Values { uint values[]; };
layout(push_constant) uniform Push { uvec2 unused; uint width; };
layout(location = 0) out vec4 result;
void main()
{
   const uvec2 pixel = uvec2(gl_FragCoord.xy);
   result = unpackUnorm4x8(values[pixel.y * width + pixel.x]).yzxw;
}
