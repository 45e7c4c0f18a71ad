#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Counters { uint values[]; };
layout(push_constant) uniform Push { Counters counters; };
layout(location = 0) out vec4 result;
void main()
{
   const uvec2 pixel = uvec2(gl_FragCoord.xy);
   atomicAdd(counters.values[pixel.x / 8 % 32], 1 + pixel.y % 3);
   atomicMax(counters.values[34], pixel.x * pixel.y);
   atomicMin(counters.values[35], pixel.x + pixel.y);
   result = vec4(vec2(pixel % 16) / 15.0, 0.0, 1.0);
}
