#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Counters { uint values[]; };
layout(push_constant) uniform Push { Counters counters; };
layout(location = 0) out vec4 result;
void main()
{
   const uvec2 pixel = uvec2(gl_FragCoord.xy);
   const uint value = counters.values[pixel.x / 8 % 32];
   result = vec4(pixel.y * 20 < value ? 1.0 : 0.2, float(value % 64) / 63.0, float(pixel.x / 8 % 4) / 3.0, 1.0);
}
