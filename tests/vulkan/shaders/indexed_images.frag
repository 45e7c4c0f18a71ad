#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_nonuniform_qualifier : require
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0, rgba8) uniform image2D stored[3];
layout(set = 0, binding = 1, r32ui) uniform uimage2D counted[2];
void main()
{
   const uvec2 pixel = uvec2(gl_FragCoord.xy);
   const ivec2 place = ivec2(pixel % 32u);
   result = imageLoad(stored[nonuniformEXT((pixel.x + pixel.y / 2u) % 3u)], place);
   result.b = float(imageLoad(counted[nonuniformEXT(pixel.x & 1u)], ivec2(pixel % 8u)).x) / 512.0;
}
