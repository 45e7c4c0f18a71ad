#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform Block { uvec4 words[16]; };
layout(set = 0, binding = 1) writeonly buffer Results { uvec4 results[16]; };
void main()
{
   for (uint i = 0; i < 16; i++)
      results[i] = words[15 - i];
}
