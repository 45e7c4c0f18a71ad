#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) out vec4 result;
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInputMS albedo;
layout(input_attachment_index = 1, set = 0, binding = 1) uniform subpassInputMS normal;
void main()
{
   result = vec4(subpassLoad(albedo, gl_SampleID).rgb * subpassLoad(normal, gl_SampleID).xyz, 1.0);
}
