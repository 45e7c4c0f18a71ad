#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform textureBuffer texels[4];
layout(set = 0, binding = 1, r32ui) uniform uimageBuffer counted[3];
void main()
{
   const uvec2 pixel = uvec2(gl_FragCoord.xy);
   const uint own = (pixel.x / 2u + pixel.y) % 4u;
   result = texelFetch(texels[nonuniformEXT(own)], int((pixel.x + pixel.y) % 16u));
   result.g += float(textureSize(texels[nonuniformEXT(own)])) / 64.0;
   result.b = float(imageLoad(counted[nonuniformEXT(pixel.y % 3u)], int(pixel.x % 16u)).x) / 255.0;
}
