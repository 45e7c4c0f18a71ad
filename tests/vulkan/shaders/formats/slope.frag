#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) out VECTOR result;
layout(push_constant) uniform Constants {
   vec2 scale, offset;
};
void main()
{
   vec2 place = gl_FragCoord.xy;
   result = VECTOR(vec4(place.x * scale.x + offset.x, place.y * scale.y + offset.y,
                        (8.0 - place.x) * scale.x + offset.y, (place.x + place.y) * scale.y * 0.5));
}
