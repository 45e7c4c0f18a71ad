#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_nonuniform_qualifier : require
// More pairs of a texture and a sampler than there are slots.
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform texture2D textures[8];
layout(set = 0, binding = 1) uniform sampler samplers[5];
void main()
{
   const uvec2 pixel = uvec2(gl_FragCoord.xy);
   result = texture(sampler2D(textures[nonuniformEXT(pixel.x % 8u)], samplers[nonuniformEXT(pixel.y % 5u)]), at);
}
