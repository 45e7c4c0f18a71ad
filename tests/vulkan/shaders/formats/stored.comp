#version 450
// SPDX-License-Identifier: MIT
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform writeonly IMAGE2D image;
layout(set = 0, binding = 1) readonly buffer Values {
   VECTOR values[];
};
void main()
{
   imageStore(image, ivec2(gl_LocalInvocationID.xy), values[gl_LocalInvocationIndex]);
}
