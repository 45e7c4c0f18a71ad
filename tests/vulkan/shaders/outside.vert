#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Values { uint values[]; };
layout(push_constant) uniform Push { Values some; uint count; };
layout(location = 0) in vec4 position;
/* A null pointer, and what is behind the buffer. */
void main()
{
   Values none = Values(uvec2(0));
   const uint nothing = none.values[gl_VertexIndex] + atomicAdd(some.values[count + gl_VertexIndex], 3);
   some.values[count + 7] = 1;
   gl_Position = position + float(nothing + some.values[count + 100 + gl_VertexIndex]);
}
