#version 450
// SPDX-License-Identifier: MIT
// A mesh where the object's matrix has it: of a uniform buffer with a dynamic offset.
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 normal;
layout(set = 0, binding = 0) uniform Scene { mat4 camera; mat4 light; vec4 eye; float time; } scene;
layout(set = 0, binding = 1) uniform Object { mat4 place; vec4 color; } object;
layout(location = 0) out vec4 shown;
layout(location = 1) out vec3 direction;
layout(location = 2) out vec3 world;
void main()
{
   direction = mat3(object.place) * normal.xyz;
   world = (object.place * vec4(position.xyz, 1.0)).xyz;
   gl_Position = scene.camera * vec4(world, 1.0);
   shown = vec4(object.color.rgb, 1.0) * 6.0;
}
