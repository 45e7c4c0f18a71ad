#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform texture2D images[2];
layout(set = 0, binding = 1) uniform sampler near;
layout(set = 0, binding = 2) uniform sampler linear;
void main()
{
   result = shown.x < 0.5 ? texture(sampler2D(images[0], near), shown.xy)
                          : 0.5 * texture(sampler2D(images[1], linear), shown.xy) +
                               0.5 * texelFetch(sampler2D(images[0], near), ivec2(3, 5), 0);
}
