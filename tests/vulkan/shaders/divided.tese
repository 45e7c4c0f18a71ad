#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
layout(triangles, equal_spacing, ccw) in;
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Shades { vec4 values[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Counters { uint patches, vertices; };
layout(push_constant) uniform Push { layout(offset = 8) Counters counters; Shades shades; };
layout(location = 0) in vec4 passed[];
layout(location = 0) out vec4 shown;
void main()
{
   gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position +
                 gl_TessCoord.z * gl_in[2].gl_Position;
   shown = (gl_TessCoord.x * passed[0] + gl_TessCoord.y * passed[1] + gl_TessCoord.z * passed[2]) *
           shades.values[gl_PrimitiveID];
   atomicAdd(counters.vertices, 1);
}
