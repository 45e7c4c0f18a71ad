#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 1) uniform Scene { vec4 light; vec4 shades[3]; } scene;
layout(push_constant) uniform Push { vec4 offset; uint number; };
void main()
{
   result = shown * scene.light + scene.shades[number];
}
