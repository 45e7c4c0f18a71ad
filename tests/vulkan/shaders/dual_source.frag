#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 0, index = 0) out vec4 first;
layout(location = 0, index = 1) out vec4 second;
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput before;
void main()
{
   first = shown;
   second = subpassLoad(before);
}
