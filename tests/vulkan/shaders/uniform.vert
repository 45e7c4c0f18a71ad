#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 shown;
layout(set = 0, binding = 0) uniform Object { vec4 scale; vec4 tint; } object;
layout(push_constant) uniform Push { vec4 offset; };
void main()
{
   gl_Position = position * object.scale + offset;
   shown = color * object.tint;
}
