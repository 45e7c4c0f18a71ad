#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x_id = 3) in;
layout(set = 0, binding = 0) writeonly buffer Results { uint sizes[]; };
void main()
{
   sizes[gl_LocalInvocationIndex] = gl_WorkGroupSize.x;
}
