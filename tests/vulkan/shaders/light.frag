#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 0) out vec4 result;
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput albedo;
layout(input_attachment_index = 1, set = 0, binding = 1) uniform subpassInput normal;
void main()
{
   result = vec4(subpassLoad(albedo).rgb * subpassLoad(normal).x, 1.0);
}
