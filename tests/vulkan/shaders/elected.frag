#version 460
// SPDX-License-Identifier: MIT
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
layout(set = 0, binding = 0) buffer Counts { uint size, wrong, elected[2], others[2]; };
layout(location = 0) out vec4 result;
void main()
{
   const bool first = subgroupElect();
   if (first)
      atomicAdd(elected[0], 1);
   else
      atomicAdd(others[0], 1);
   if (!subgroupAny(first))
      atomicAdd(wrong, 1);
   /* Of those in odd columns another one is. */
   if (uint(gl_FragCoord.x) % 2 == 1) {
      const bool odd = subgroupElect();
      if (odd)
         atomicAdd(elected[1], 1);
      else
         atomicAdd(others[1], 1);
      if (!subgroupAny(odd) || (odd && first))
         atomicAdd(wrong, 1);
   }
   size = gl_SubgroupSize;
   result = vec4(1.0);
}
