#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color;
layout(location = 2) in vec4 place;
layout(location = 0) out vec4 shown;
void main()
{
   gl_Position = vec4(position.xy * place.z + place.xy, 0.0, 1.0);
   shown = color * (gl_InstanceIndex % 2 == 0 ? 1.0 : 0.5);
}
