#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform sampler2D sharp;
layout(set = 0, binding = 1) uniform sampler2D blurred;
void main()
{
   result = vec4(0.7 * texture(sharp, shown.xy).rgb + 0.7 * texture(blurred, shown.xy).rgb, 1.0);
}
