#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_nonuniform_qualifier : require
layout(location = 0) in vec2 at;
layout(location = 1) flat in uint number;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform sampler2D textures[];
layout(push_constant) uniform Push { uvec4 grid; }; // columns, rows, textures, columns of pixels that have another one
void main()
{
   const uint own = number + uint(gl_FragCoord.x) / grid.w;
   result = texture(textures[nonuniformEXT(own % grid.z)], at);
}
