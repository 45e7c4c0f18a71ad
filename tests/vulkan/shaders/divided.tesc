#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
layout(vertices = 3) out;
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Levels { float values[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Counters { uint patches, vertices; };
layout(push_constant) uniform Push { Levels levels; Counters counters; };
layout(location = 0) in vec4 shown[];
layout(location = 0) out vec4 passed[];
void main()
{
   gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
   passed[gl_InvocationID] = shown[gl_InvocationID];
   if (gl_InvocationID == 0) {
      const float level = levels.values[gl_PrimitiveID];
      gl_TessLevelInner[0] = level;
      gl_TessLevelOuter[0] = level;
      gl_TessLevelOuter[1] = level;
      gl_TessLevelOuter[2] = level;
      atomicAdd(counters.patches, 1);
   }
}
