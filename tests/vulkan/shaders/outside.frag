#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Values { uint values[]; };
layout(push_constant) uniform Push { Values some; uint count; };
layout(location = 0) out vec4 result;
/* What is behind the buffer is in none. */
void main()
{
   const uvec2 pixel = uvec2(gl_FragCoord.xy);
   some.values[count + pixel.x] = 1;
   atomicAdd(some.values[count + 100000], 1);
   result = vec4(float(some.values[pixel.x % count]) / 255.0, float(some.values[count + pixel.x]), 1.0, 1.0);
}
