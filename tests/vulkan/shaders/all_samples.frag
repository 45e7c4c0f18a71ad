#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) out vec4 result;
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInputMS albedo;
layout(input_attachment_index = 1, set = 0, binding = 1) uniform subpassInputMS normal;
void main()
{
   vec3 sum = vec3(0.0);
   for (int i = 0; i < 4; i++)
      sum += subpassLoad(albedo, i).rgb * subpassLoad(normal, i).xyz;
   result = vec4(sum / 4.0, 1.0);
}
