#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color;
layout(location = 2) in vec4 other;
layout(location = 3) in vec4 of_instance;
layout(location = 0) out vec4 shown;
layout(location = 1) flat out vec4 of_primitive;
layout(location = 2) noperspective out vec4 on_screen;
layout(location = 3) centroid out vec4 covered;
layout(push_constant) uniform constants { float point_size; } push;
void main()
{
   gl_Position = position + vec4(of_instance.xy * 0.5 - 0.25, 0, 0);
   gl_PointSize = push.point_size;
   shown = color;
   of_primitive = other;
   on_screen = vec4(position.xy, color.zw);
   covered = other * 0.5 + color * 0.5;
}
