#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) out vec4 result;
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput albedo;
layout(input_attachment_index = 1, set = 0, binding = 1) uniform subpassInput normal;
layout(input_attachment_index = 2, set = 0, binding = 2) uniform subpassInput depth;
void main()
{
   result = vec4(subpassLoad(albedo).rgb * subpassLoad(normal).xyz * (1.5 - subpassLoad(depth).x), 1.0);
}
