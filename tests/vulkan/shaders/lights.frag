#version 450
// SPDX-License-Identifier: MIT
// Sixteen lights, which move, on what the first subpass has drawn.
layout(location = 0) out vec4 result;
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput albedo;
layout(input_attachment_index = 1, set = 0, binding = 1) uniform subpassInput normal;
layout(input_attachment_index = 2, set = 0, binding = 2) uniform subpassInput place;
layout(set = 0, binding = 3) uniform Lights { vec4 places[16]; vec4 colors[16]; } lights;
void main()
{
   const vec3 color = subpassLoad(albedo).rgb, n = subpassLoad(normal).xyz;
   const vec4 at = subpassLoad(place);
   vec3 sum = 0.1 * color;
   if (at.w != 0.0) {
      for (int i = 0; i < 16; i++) {
         const vec3 way = lights.places[i].xyz - at.xyz;
         const float square = dot(way, way);
         sum += color * lights.colors[i].rgb * max(dot(n, way) * inversesqrt(square), 0.0) / (0.5 + square);
      }
   }
   result = vec4(sum, 1.0);
}
