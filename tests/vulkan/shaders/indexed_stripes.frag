#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_nonuniform_qualifier : require
// Each pixel fetches its own texel of one of four textures, as its column says.
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform sampler2D textures[4];
layout(push_constant) uniform Push { uvec4 grid; }; // z: columns of pixels with the same texture
void main()
{
   const uint own = (uint(gl_FragCoord.x) + 1u) / grid.z % 4u;
   result = texelFetch(textures[nonuniformEXT(own)], ivec2(gl_FragCoord.xy), 0);
}
