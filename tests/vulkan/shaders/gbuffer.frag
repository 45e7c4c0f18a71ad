#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 0) out vec4 albedo;
layout(location = 1) out vec4 normal;
void main()
{
   albedo = shown;
   normal = vec4(fract(gl_FragCoord.xy / 32.0), 0.5, 1.0);
}
