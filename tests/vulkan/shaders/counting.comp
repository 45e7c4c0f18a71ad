#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Counters { uint values[]; };
layout(push_constant) uniform Push { Counters counters; };
void main()
{
   const uint i = gl_GlobalInvocationID.x;
   atomicAdd(counters.values[48], i);
   atomicAnd(counters.values[49], ~(1u << i % 16));
   atomicOr(counters.values[50], 1u << i % 16);
   atomicXor(counters.values[51], 1u << i % 16 | 0x10000u);
   atomicMin(counters.values[52], 1000 - i);
   atomicMax(counters.values[53], i * 7);
   atomicCompSwap(counters.values[54], 7, 9);
   if (i == 5)
      counters.values[55] = atomicExchange(counters.values[56], 77);
}
