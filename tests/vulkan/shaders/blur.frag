#version 450
// SPDX-License-Identifier: MIT
// Nine texels along one direction.
layout(location = 0) in vec4 shown;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform sampler2D image;
layout(push_constant) uniform Push { vec2 step; };
void main()
{
   const float weights[5] = float[](0.227, 0.1946, 0.1216, 0.0541, 0.0162);
   vec3 sum = texture(image, shown.xy).rgb * weights[0];
   for (int i = 1; i < 5; i++)
      sum += (texture(image, shown.xy + float(i) * step).rgb + texture(image, shown.xy - float(i) * step).rgb) * weights[i];
   result = vec4(sum, 1.0);
}
