#version 450
// SPDX-License-Identifier: MIT
// Nine comparisons with the depth that the light sees.
layout(location = 0) in vec4 shown;
layout(location = 1) in vec3 direction;
layout(location = 2) in vec3 world;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform Scene { mat4 camera; mat4 light; vec4 eye; float time; } scene;
layout(set = 0, binding = 1) uniform sampler2DShadow depth;
void main()
{
   const vec4 seen = scene.light * vec4(world, 1.0);
   const vec3 place = vec3(seen.xy / seen.w * 0.5 + 0.5, seen.z / seen.w - 0.005);
   float lit = 0.0;
   for (int y = -1; y <= 1; y++) {
      for (int x = -1; x <= 1; x++)
         lit += texture(depth, place + vec3(x, y, 0) / 1024.0) / 9.0;
   }
   const vec3 color = 0.55 + 0.45 * cos(shown.z + vec3(0.0, 2.1, 4.2));
   result = vec4(color * (0.2 + 0.8 * lit * max(dot(normalize(direction), vec3(0.48, 0.6, 0.64)), 0.0)), 1.0);
}
