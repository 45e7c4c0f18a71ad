#version 450
// SPDX-License-Identifier: MIT
// SAMPLER, and how many coordinates it has, with the layer and without: COORDINATES, DERIVATIVES; of texels TEXELS, OFFSET.
layout(location = 0) in vec4 shown;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform SAMPLER image;
layout(constant_id = 0) const int operation = 0;
layout(constant_id = 1) const float lod = 0;
layout(constant_id = 2) const int level = 0;
layout(push_constant) uniform constants { vec4 scale, move; } push;
void main()
{
   const vec4 place = shown * push.scale + push.move;
   const vec4 right = dFdx(place), down = dFdy(place);
   const COORDINATES at = COORDINATES(place);
   switch (operation) {
   case 0: result = textureLod(image, at, lod); break;
   case 1: result = textureGrad(image, at, DERIVATIVES(right), DERIVATIVES(down)); break;
   case 2: result = texture(image, at, lod - 1.0); break;
   case 3: result = vec4(textureSize(image, level)SIZE, textureQueryLevels(image)); break;
#ifdef TEXELS
   case 4: result = texelFetch(image, TEXELS(abs(place) * 9.0) % textureSize(image, level), level); break;
   case 5: result = textureLodOffset(image, at, lod, OFFSET); break;
#endif
#ifdef GATHERS
   case 6: result = textureGather(image, at, 2); break;
#endif
   default: result = texture(image, at);
   }
}
