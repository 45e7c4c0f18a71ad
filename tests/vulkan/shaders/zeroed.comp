#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_null_initializer : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Results { uint sum[]; };
shared uint values[256] = {};
/* The sum of what shared memory begins as; then it is filled for the next work-group to find. */
void main()
{
   const uint i = gl_LocalInvocationIndex;
   atomicAdd(sum[gl_WorkGroupID.x], values[i] + values[i + 64] + values[i + 128] + values[i + 192]);
   barrier();
   for (uint n = 0; n < 4; n++)
      values[i + 64 * n] = i + 1;
}
