#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 1) uniform sampler2D images[4];
layout(push_constant) uniform Push { vec4 offset; uint first; uint number; };
void main()
{
   result = texture(images[first + number], shown.xy);
}
