#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_nonuniform_qualifier : require
// Each pixel loads its own word of one of four buffers, as its column says.
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) readonly buffer Words { uint words[]; } buffers[4];
layout(push_constant) uniform Push { uvec4 grid; }; // z: columns of pixels with the same buffer; w: of all of the picture
void main()
{
   const uvec2 pixel = uvec2(gl_FragCoord.xy);
   result = unpackUnorm4x8(buffers[nonuniformEXT((pixel.x + 1u) / grid.z % 4u)].words[pixel.y * grid.w + pixel.x]);
}
