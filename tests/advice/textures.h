/* SPDX-License-Identifier: MIT */
/** Textures that look the same whether they are compressed or not, and at every level down to TEXTURE_CELLS texels. */
#ifndef ADVICE_TEXTURES_H
#define ADVICE_TEXTURES_H

#include <stdbool.h>

/** Cells of one color a side, where a level has as many texels. */
#define TEXTURE_CELLS 128

/** A square texture of noise, bound to GL_TEXTURE_2D, of which the nearest texel is read. size: texels per side, a power of
 * two of at least 4. compressed: ETC1, which Mesa keeps as it is (ETC2 it unpacks), else RGB8. mipmapped: all levels,
 * else one. */
unsigned make_texture(int size, bool compressed, bool mipmapped, unsigned seed);

#endif
