#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 1) in vec3 direction;
layout(location = 2) in vec3 world;
layout(location = 0) out vec4 albedo;
layout(location = 1) out vec4 normal;
layout(location = 2) out vec4 place;
layout(set = 0, binding = 1) uniform sampler2D image;
void main()
{
   albedo = texture(image, shown.xy);
   normal = vec4(normalize(direction), 0.0);
   place = vec4(world, 1.0);
}
