#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform texture2D textures[5];
layout(set = 0, binding = 1) uniform sampler samplers[4];
layout(set = 0, binding = 2) uniform sampler2D one;
void main()
{
   const uvec2 pixel = uvec2(gl_FragCoord.xy);
   const uint t = (pixel.x / 3u + pixel.y) % 5u, s = (pixel.x + pixel.y / 5u) % 4u;
   const vec2 place = at * 3.0 - 1.0;
   result = 0.5 * textureLod(sampler2D(textures[nonuniformEXT(t)], samplers[nonuniformEXT(s)]), place, 0.0);
   result += 0.25 * textureLod(sampler2D(textures[2], samplers[nonuniformEXT(s)]), place, 0.0);
   result += 0.25 * textureLod(sampler2D(textures[nonuniformEXT(t)], samplers[1]), place, 0.0);
   result.b += 0.1 * textureLod(one, at, 0.0).r + 0.01 * float(textureSize(textures[nonuniformEXT(t)], 0).x);
}
