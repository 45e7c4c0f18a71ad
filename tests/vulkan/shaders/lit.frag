#version 450
// SPDX-License-Identifier: MIT
// Blinn and Phong's light, of a colour that follows the instance's number.
layout(location = 0) in vec4 shown;
layout(location = 1) in vec3 direction;
layout(location = 2) in vec3 world;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform Scene { mat4 camera; mat4 light; vec4 eye; float time; } scene;
void main()
{
   const vec3 n = normalize(direction), to_light = vec3(0.48, 0.6, 0.64);
   const vec3 half_way = normalize(to_light + normalize(scene.eye.xyz - world));
   const vec3 color = 0.55 + 0.45 * cos(shown.z + vec3(0.0, 2.1, 4.2));
   result = vec4(color * (0.2 + 0.8 * max(dot(n, to_light), 0.0)) + 0.4 * pow(max(dot(n, half_way), 0.0), 16.0), 1.0);
}
