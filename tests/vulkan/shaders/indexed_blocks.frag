#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_nonuniform_qualifier : require
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform Block { vec4 colors[4]; } blocks[6];
layout(push_constant) uniform Push { uvec4 grid; };
void main()
{
   const uvec2 pixel = uvec2(gl_FragCoord.xy);
   if (pixel.x % 7u == 3u)
      discard;
   const uint own = (pixel.x / 3u + pixel.y / 5u) % 6u;
   result = 0.5 * blocks[nonuniformEXT(own)].colors[pixel.y % 4u];
   result += 0.25 * blocks[nonuniformEXT((own + pixel.x) % 6u)].colors[1];
   result += 0.25 * blocks[grid.z].colors[pixel.x % 4u];
}
