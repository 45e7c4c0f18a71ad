#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform sampler2DShadow depth;
void main()
{
   result = vec4(texture(depth, vec3(shown.xy, 0.5)), shown.xy, 1.0);
}
