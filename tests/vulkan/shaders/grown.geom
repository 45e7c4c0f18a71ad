#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
layout(points) in;
layout(triangle_strip, max_vertices = 3) out;
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Vertices { vec4 words[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Counters { uint invocations; };
layout(push_constant) uniform Push { Vertices vertices; Counters counters; };
layout(location = 0) in uint number[];
layout(location = 0) out vec4 shown;
void main()
{
   atomicAdd(counters.invocations, 1);
   for (uint i = 0; i < 3; i++) {
      const uint vertex = 3 * number[0] + i;
      gl_Position = vertices.words[2 * vertex];
      shown = vertices.words[2 * vertex + 1];
      EmitVertex();
   }
   EndPrimitive();
}
