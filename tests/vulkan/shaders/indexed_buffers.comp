#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; } buffers[5];
layout(set = 0, binding = 1) uniform Block { uvec4 values[4]; } blocks[3];
layout(set = 0, binding = 2) buffer Counters { uint counters[8]; } counted[2];
void main()
{
   const uint own = gl_GlobalInvocationID.x, from = own % 4u, to = (own / 3u) % 5u;
   uint value = buffers[nonuniformEXT(from)].words[own % 64u];
   value += blocks[nonuniformEXT(own % 3u)].values[own / 7u % 4u].y;
   value += blocks[nonuniformEXT(own / 2u % 3u)].values[1].x;
   value += atomicAdd(counted[nonuniformEXT(own & 1u)].counters[own / 64u % 8u], 1u) * 0u;
   value += buffers[nonuniformEXT(to)].words.length();
   if ((own & 7u) != 5u)
      buffers[nonuniformEXT(to)].words[64u + own] = value;
}
