#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) out vec4 result;
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput depth;
layout(input_attachment_index = 1, set = 0, binding = 1) uniform usubpassInput stencil;
void main()
{
   result = vec4(subpassLoad(depth).x, float(subpassLoad(stencil).x) / 8.0, 0.25, 1.0);
}
