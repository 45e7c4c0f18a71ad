#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Vertices { vec4 words[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Header { Vertices vertices; };
layout(push_constant) uniform Push { Header header; };
layout(location = 0) out vec4 color;
void main()
{
   gl_Position = header.vertices.words[2 * gl_VertexIndex];
   color = header.vertices.words[2 * gl_VertexIndex + 1];
}
