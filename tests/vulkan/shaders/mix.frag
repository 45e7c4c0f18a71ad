#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput a;
layout(input_attachment_index = 1, set = 0, binding = 1) uniform subpassInput b;
void main()
{
   first = vec4(subpassLoad(a).gbr * 0.5 + shown.rgb * 0.5, 0.5);
   second = vec4(subpassLoad(b).brg * 0.5 + fract(gl_FragCoord.xyx / vec3(32.0, 16.0, 8.0)) * 0.5, 0.5);
}
