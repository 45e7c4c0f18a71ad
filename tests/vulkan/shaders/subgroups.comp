#version 460
// SPDX-License-Identifier: MIT
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 6, local_size_y = 3, local_size_z = 2) in;
struct Found { uint size, id, number, count, elected, later, all, any; };
layout(set = 0, binding = 0) writeonly buffer Results { Found found[]; };
void main()
{
   const uint number = gl_SubgroupInvocationID;
   uint later = 0;
   if (number >= 1)
      later = uint(subgroupElect());
   subgroupBarrier();
   found[gl_LocalInvocationIndex] =
      Found(gl_SubgroupSize, gl_SubgroupID, number, gl_NumSubgroups, uint(subgroupElect()), later,
            uint(subgroupAll(number < 3)), uint(subgroupAny(number == 2)));
}
