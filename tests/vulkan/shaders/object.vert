#version 450
// SPDX-License-Identifier: MIT
// A mesh at each instance's place, turned by the time and its number.
layout(location = 0) in vec4 position; // and the first texture coordinate
layout(location = 1) in vec4 normal;   // and the second
layout(location = 2) in vec4 place;    // and the size
layout(set = 0, binding = 0) uniform Scene { mat4 camera; mat4 light; vec4 eye; float time; } scene;
layout(location = 0) out vec4 shown; // texture coordinates, the instance's number
layout(location = 1) out vec3 direction;
layout(location = 2) out vec3 world;
void main()
{
   const float a = scene.time + 0.7 * float(gl_InstanceIndex), b = 0.6 * a;
   const mat3 turn = mat3(cos(a), 0.0, -sin(a), 0.0, 1.0, 0.0, sin(a), 0.0, cos(a)) *
                     mat3(1.0, 0.0, 0.0, 0.0, cos(b), sin(b), 0.0, -sin(b), cos(b));
   direction = turn * normal.xyz;
   world = turn * position.xyz * place.w + place.xyz;
   gl_Position = scene.camera * vec4(world, 1.0);
   shown = vec4(position.w, normal.w, float(gl_InstanceIndex), 1.0);
}
