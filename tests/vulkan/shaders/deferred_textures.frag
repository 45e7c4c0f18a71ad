#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform sampler2D albedo;
layout(set = 0, binding = 1) uniform sampler2D normal;
layout(set = 0, binding = 2) uniform sampler2D depth;
layout(push_constant) uniform constants
{
   ivec2 offset;
};
void main()
{
   ivec2 place = clamp(ivec2(gl_FragCoord.xy) + offset, ivec2(0), textureSize(albedo, 0) - 1);
   result = vec4(texelFetch(albedo, place, 0).rgb * texelFetch(normal, place, 0).xyz *
                 (1.5 - texelFetch(depth, place, 0).x), 1.0);
}
