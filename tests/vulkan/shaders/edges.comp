#version 450
// SPDX-License-Identifier: MIT
// Sobel's operator, on a picture that moves.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1, rgba8) uniform writeonly image2D edges;
layout(push_constant) uniform Push { ivec2 offset; };
float brightness(ivec2 place)
{
   const vec3 color = texelFetch(image, place & (textureSize(image, 0) - 1), 0).rgb;
   return dot(color, vec3(0.3, 0.6, 0.1));
}
void main()
{
   const ivec2 place = ivec2(gl_GlobalInvocationID.xy);
   if (any(greaterThanEqual(place, imageSize(edges))))
      return;
   const ivec2 at = place + offset;
   float b[9];
   for (int i = 0; i < 9; i++)
      b[i] = brightness(at + ivec2(i % 3 - 1, i / 3 - 1));
   const float x = b[2] + 2.0 * b[5] + b[8] - b[0] - 2.0 * b[3] - b[6];
   const float y = b[6] + 2.0 * b[7] + b[8] - b[0] - 2.0 * b[1] - b[2];
   imageStore(edges, place, vec4(0.25 * sqrt(x * x + y * y), abs(0.25 * x), b[4], 1.0));
}
