#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 1) in vec3 direction;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 1) uniform sampler2D image;
void main()
{
   const vec3 color = 0.55 + 0.45 * cos(shown.z + vec3(0.0, 2.1, 4.2));
   result = vec4(color * (0.5 + 0.5 * texture(image, shown.xy).r), 0.35 + 0.3 * abs(normalize(direction).z));
}
