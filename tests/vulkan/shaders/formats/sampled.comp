#version 450
// SPDX-License-Identifier: MIT
// SAMPLER and VECTOR are of floats, integers or unsigned integers, as the format is.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform SAMPLER2D image;
layout(set = 0, binding = 1) writeonly buffer Results {
   VECTOR results[];
};
layout(push_constant) uniform Constants {
   vec2 scale, offset;
};
void main()
{
   results[gl_LocalInvocationIndex] = textureLod(image, vec2(gl_LocalInvocationID.xy) * scale + offset, 0.0);
}
