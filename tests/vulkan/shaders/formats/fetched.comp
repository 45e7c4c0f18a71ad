#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform TEXTUREBUFFER texels;
layout(set = 0, binding = 1) writeonly buffer Results {
   VECTOR results[];
};
void main()
{
   results[gl_LocalInvocationIndex] = texelFetch(texels, int(gl_LocalInvocationIndex));
}
