#version 460
// SPDX-License-Identifier: MIT
// As many uniform blocks as a stage may have, four of them in sets, and push constants.
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform Block { vec4 color; } blocks[14];
layout(set = 0, binding = 1) uniform First { vec4 colors[4]; } first;
layout(set = 1, binding = 0) uniform Second { vec4 colors[4]; } second;
layout(set = 2, binding = 0) uniform Third { vec4 colors[4]; } third;
layout(set = 3, binding = 0) uniform Fourth { vec4 colors[4]; } fourth;
layout(push_constant) uniform Push { uvec4 grid; };
void main()
{
   const uint column = uint(gl_FragCoord.x) % 4u;
   result = first.colors[column] + second.colors[column] + third.colors[1] + fourth.colors[column];
   result += blocks[0].color + blocks[1].color + blocks[2].color + blocks[3].color + blocks[4].color + blocks[5].color;
   result += blocks[6].color + blocks[7].color + blocks[8].color + blocks[9].color + blocks[10].color + blocks[11].color;
   result += blocks[12].color + blocks[13].color + vec4(grid.x) / 1000.0;
}
