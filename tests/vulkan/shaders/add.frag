#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 0) out vec4 result;
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput before;
void main()
{
   result = vec4(subpassLoad(before).gbr * 0.75 + shown.rgb * 0.25, 1.0);
}
