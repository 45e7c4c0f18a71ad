#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_nonuniform_qualifier : require
layout(set = 0, binding = 0) uniform sampler2D textures[6];
layout(set = 0, binding = 1) uniform Block { vec4 colors[4]; } blocks[4];
layout(set = 0, binding = 2) buffer Words { uint words[]; } buffers[5];
layout(set = 0, binding = 3, rgba8) uniform image2D images[3];
// What a stage finds with an index of its own.
vec4 look(uint own)
{
   const vec2 place = vec2(own % 5u, own % 3u) / 5.0;
   vec4 found = 0.15 * textureLod(textures[nonuniformEXT(own % 6u)], place, 0.0);
   found += 0.15 * textureGrad(textures[nonuniformEXT((own + 1u) % 6u)], place, vec2(0.05, 0.0), vec2(0.0, 0.05));
   found += 0.15 * textureLodOffset(textures[nonuniformEXT((own + 2u) % 6u)], place, 1.0, ivec2(1, 0));
   found += 0.1 * texelFetch(textures[nonuniformEXT((own + 3u) % 6u)], ivec2(own % 16u, 3), 0);
   found.r += float(textureSize(textures[nonuniformEXT((own + 4u) % 6u)], 0).x) / 500.0;
   found += 0.2 * blocks[nonuniformEXT(own % 4u)].colors[own % 3u];
   found += 0.1 * blocks[nonuniformEXT((own + 1u) % 4u)].colors[2];
   found.g += float(buffers[nonuniformEXT(own % 4u)].words[own % 8u]) / 2048.0;
   found.b += float(buffers[nonuniformEXT(own % 5u)].words.length()) / 4096.0;
   atomicAdd(buffers[nonuniformEXT(4u)].words[own % 64u], 1u);
   found += 0.1 * imageLoad(images[nonuniformEXT(own % 3u)], ivec2(own % 16u, own % 7u));
   found.g += float(imageSize(images[nonuniformEXT(own % 3u)]).y) / 1000.0;
   return vec4(found.rgb, 1.0);
}
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec4 color[];
layout(location = 0) out vec4 shown;
void main()
{
   const vec4 own = 0.25 * look(gl_PrimitiveIDIn);
   for (int i = 0; i < 3; i++) {
      gl_Position = gl_in[i].gl_Position;
      shown = color[i] + own;
      EmitVertex();
   }
}
