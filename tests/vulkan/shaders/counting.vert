#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Counters { uint values[]; };
layout(push_constant) uniform Push { Counters counters; };
layout(location = 0) in vec4 position;
void main()
{
   atomicAdd(counters.values[32], 1);
   atomicMax(counters.values[33], uint(gl_VertexIndex) * 3);
   counters.values[40 + gl_VertexIndex] = uint(gl_VertexIndex) + 100;
   gl_Position = position;
}
