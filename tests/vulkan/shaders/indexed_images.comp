#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) writeonly uniform image2D stored[3];
layout(set = 0, binding = 1, r32ui) uniform uimage2D counted[2];
layout(set = 0, binding = 2) uniform sampler2D textures[4];
void main()
{
   const uvec2 own = gl_GlobalInvocationID.xy;
   const uint which = (own.x + own.y / 2u) % 3u;
   const ivec2 size = imageSize(stored[nonuniformEXT(which)]);
   const vec2 place = (vec2(own) + 0.5) / 32.0;
   const vec4 color = textureLod(textures[nonuniformEXT(own.x / 3u % 4u)], place, 0.0);
   const vec4 sloped = textureGrad(textures[nonuniformEXT((own.x + own.y) % 4u)], place, vec2(0.01, 0.0), vec2(0.0, 0.01));
   const vec4 next = texelFetchOffset(textures[nonuniformEXT(own.y % 4u)], ivec2(own) % 15, 0, ivec2(1, 1));
   if (all(lessThan(ivec2(own), size)) && own.x != 9u)
      imageStore(stored[nonuniformEXT(which)], ivec2(own), 0.5 * color + 0.25 * sloped + 0.25 * next);
   imageAtomicAdd(counted[nonuniformEXT(own.x & 1u)], ivec2(own / 4u), own.y);
}
