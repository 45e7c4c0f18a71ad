#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform sampler2DArray images;
void main()
{
   result = texture(images, vec3(fract(shown.x * 3.0), shown.y, floor(shown.x * 3.0)));
}
