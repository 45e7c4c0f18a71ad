#version 460
// SPDX-License-Identifier: MIT
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) workgroupcoherent buffer Results { uint results[64], data[64], flags[64]; };
/* What another invocation has released is there when it is acquired. */
void main()
{
   const uint i = gl_LocalInvocationIndex, other = (i + 17) % 64;
   data[i] = 3 * i + 1;
   atomicStore(flags[i], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
   controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer,
                  gl_SemanticsAcquireRelease);
   if (atomicLoad(flags[other], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire) == 1)
      results[i] = data[other];
}
