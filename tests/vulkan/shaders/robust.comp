#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform sampler2D sampled;
layout(set = 0, binding = 1, rgba8) uniform image2D image;
layout(set = 0, binding = 2) writeonly buffer Results { vec4 results[8]; };
/* Both have 4x4 texels. The last result is within them. */
void main()
{
   imageStore(image, ivec2(4, 0), vec4(0.5));
   imageStore(image, ivec2(-1, 1), vec4(0.5));
   results[0] = texelFetch(sampled, ivec2(4, 0), 0);
   results[1] = texelFetch(sampled, ivec2(-1, 2), 0);
   results[2] = texelFetch(sampled, ivec2(0, 1 << 20), 0);
   results[3] = texelFetch(sampled, ivec2(0, 0), 7);
   results[4] = imageLoad(image, ivec2(4, 0));
   results[5] = imageLoad(image, ivec2(0, -1));
   results[6] = imageLoad(image, ivec2(1 << 30, 1 << 30));
   results[7] = texelFetch(sampled, ivec2(3, 3), 0) * imageLoad(image, ivec2(0, 1));
}
