#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 1) in vec3 direction;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 1) uniform sampler2D image;
void main()
{
   const float light = 0.3 + 0.7 * max(dot(normalize(direction), vec3(0.48, 0.6, 0.64)), 0.0);
   result = vec4(texture(image, shown.xy).rgb * light, 1.0);
}
