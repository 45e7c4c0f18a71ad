#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform sampler2D images[8];
void main()
{
   result = texture(images[0], shown.xy) + texture(images[1], shown.xy) + texture(images[2], shown.xy) +
            texture(images[3], shown.xy) + texture(images[4], shown.xy) + texture(images[5], shown.xy) +
            texture(images[6], shown.xy) + texture(images[7], shown.xy);
   result *= 0.125;
}
