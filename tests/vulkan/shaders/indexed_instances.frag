#version 460
// SPDX-License-Identifier: MIT
// Each instance has numbers of its own: what instances are not told apart by reads another's.
layout(location = 0) in vec2 at;
layout(location = 1) flat in uint number;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform sampler2D textures[8];
layout(set = 0, binding = 1) uniform Block { vec4 colors[4]; } blocks[6];
layout(set = 0, binding = 2) buffer Words { uint words[]; } buffers[5];
layout(set = 0, binding = 3, rgba8) uniform image2D images[3];
void main()
{
   result = 0.5 * texture(textures[number % 8u], at) + 0.4 * blocks[number % 6u].colors[uint(at.x * 4.0) % 4u];
   result.r += float(textureSize(textures[(number + 1u) % 8u], 0).x + int(buffers[number % 5u].words.length())) / 1024.0;
   result.g += float(buffers[number % 5u].words[number] & 255u) / 1024.0;
   imageStore(images[number % 3u], ivec2(gl_FragCoord.xy) % 16, result);
}
