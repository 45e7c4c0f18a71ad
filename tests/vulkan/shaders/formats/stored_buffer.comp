#version 450
// SPDX-License-Identifier: MIT
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform writeonly IMAGEBUFFER texels;
layout(set = 0, binding = 1) readonly buffer Values {
   VECTOR values[];
};
void main()
{
   imageStore(texels, int(gl_LocalInvocationIndex), values[gl_LocalInvocationIndex]);
}
