# SPDX-License-Identifier: MIT
"""Which texels the vertex programs of vertex_lookups.c read, by the OpenGL specification (4.6, 8.13 to 8.23), with exact
numbers, and by the recording's events; and that a simulation of the recording counts what the live run did."""

import csv
import io
import math
import pathlib
import sys
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

VERTICES = 48
SIZE_2D, SIZE_1D, SIZE_3D, SIZE_CUBE = (16, 8), (16,), (8, 8, 8), (8, 8)
LAYERS = 5
HALF = Fraction(1, 2)


class Vertex:
    """What the shader computes from a vertex' number."""

    def __init__(self, i):
        self.i = i
        self.p = [Fraction(2 * (i * factor % modulus) + 1, 64) - shift
                  for factor, modulus, shift in ((7, 64, HALF), (5, 64, HALF), (11, 32, 0))]
        self.lod = Fraction(i % 11, 2) - Fraction(3, 4)
        self.layer = i % 7 - Fraction(3, 4)
        minor = [Fraction(2 * (i * factor % 16) - 15, 16) for factor in (7, 11)]
        minor.insert(i % 6 // 2, Fraction(-1 if i % 2 else 1))
        self.direction = minor


# ---- the specification

REPEAT, CLAMP, MIRROR, BORDER = "repeat", "clamp", "mirror", "border"


def wrapped(texel, size, wrap):
    """8.14.2: the texel of a coordinate; None: of the border."""
    if wrap == REPEAT:
        return texel % size
    if wrap == CLAMP:
        return min(max(texel, 0), size - 1)
    if wrap == MIRROR:
        a = texel % (2 * size) - size
        return size - 1 - (a if a >= 0 else -(1 + a))
    return texel if 0 <= texel < size else None


def along(u, size, wrap, linear, offset=0):
    """The texels along an axis, of a coordinate in texels."""
    first = math.floor(u - HALF if linear else u) + offset
    return {wrapped(texel, size, wrap) for texel in ((first, first + 1) if linear else (first,))}


def size_of(size, level):
    return [max(extent >> level, 1) for extent in size]


def levels_of(lod, last, between):
    """8.14.3: the levels that a minification of this level of detail reads."""
    if between:
        first = min(math.floor(lod), last)
        return [first] if first == last else [first, first + 1]
    return [min(max(math.ceil(lod + HALF) - 1, 0), last)]


def chosen(lod, minification, magnification, last):
    """[(level, linear)]: of a filter the first word is that in a level, the second, if any, that between levels."""
    if lod <= 0:
        return [(0, magnification == "linear")]
    inside, *levels = minification.split()
    return [(level, inside == "linear")
            for level in (levels_of(lod, last, levels[0] == "linear") if levels else [0])]


def plane(point, size, level, linear, wrap, layer=0, offset=(0, 0)):
    """{(level, layer, x, y)} of a level; the third coordinate of a volume is a slice."""
    extents = size_of(size, level)
    axes = [along(c * extent, extent, wrap, linear, offset[n] if n < 2 else 0)
            for n, (c, extent) in enumerate(zip(point, extents))]
    xs, ys, slices = axes[0], axes[1] if len(axes) > 1 else {0}, axes[2] if len(axes) > 2 else {layer}
    return {(level, z, x, y) for x in xs for y in ys for z in slices if None not in (x, y, z)}


def filtered(point, size, lod, filters, wrap, last, **others):
    return set().union(*(plane(point, size, level, linear, wrap, **others)
                         for level, linear in chosen(lod, *filters, last)))


def layer_of(coordinate, layers):
    return min(max(math.floor(coordinate + HALF), 0), layers - 1)


# Table 8.19: of each face the axis of its number, and the axes and signs of s and t.
FACES = {(0, 1): (0, (2, -1), (1, -1)), (0, -1): (1, (2, 1), (1, -1)), (1, 1): (2, (0, 1), (2, 1)),
         (1, -1): (3, (0, 1), (2, -1)), (2, 1): (4, (0, 1), (1, -1)), (2, -1): (5, (0, -1), (1, -1))}


def face_of(direction):
    """(axis, sign) of the face that a direction points to, and s and t there, from -1 to 1."""
    axis = max(range(3), key=lambda a: abs(direction[a]))
    sign = 1 if direction[axis] > 0 else -1
    _, *axes = FACES[axis, sign]
    return (axis, sign), [Fraction(direction[a]) * s / abs(direction[axis]) for a, s in axes]


def cube_texel(face, x, y, size):
    """(face's number, x, y) of a texel of a face or one next to it, which is folded over the edge; None: past a corner."""
    number, *axes = FACES[face]
    centre = [Fraction(2 * c + 1, size) - 1 for c in (x, y)]
    outside = [n for n in (0, 1) if abs(centre[n]) > 1]
    if len(outside) == 2:
        return None
    if not outside:
        return number, x, y
    point = [Fraction(0)] * 3
    over = abs(centre[outside[0]]) - 1
    point[face[0]] = face[1] * (1 - over)
    for n, (axis, sign) in enumerate(axes):
        point[axis] = sign * max(min(centre[n], Fraction(1)), Fraction(-1))
    beside, at = face_of(point)
    return FACES[beside][0], *(math.floor((c + 1) / 2 * size) for c in at)


def cube(direction, lod, filters, cube_number=0):
    texels = set()
    face, at = face_of(direction)
    for level, linear in chosen(lod, *filters, 3):
        size = size_of(SIZE_CUBE, level)[0]
        first = [math.floor((c + 1) / 2 * size - (HALF if linear else 0)) for c in at]
        for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)) if linear else ((0, 0),):
            texel = cube_texel(face, first[0] + dx, first[1] + dy, size)
            if texel:
                texels.add((level, 6 * cube_number + texel[0], *texel[1:]))
    return texels


NEAREST, LINEAR = ("nearest nearest", "nearest"), ("linear nearest", "linear")
TRILINEAR = ("linear linear", "linear")


def of_levels(v):
    """Levels 1 to 3 are the view's 0 to 2."""
    lod = min(max(v.lod, HALF), Fraction(5, 4))
    return filtered(v.p[:2], (8, 4), lod, TRILINEAR, MIRROR, 2)


def of_gradient(v):
    # The longer of the pixel's extents: 1.25 * 2 ** k texels.
    return filtered(v.p[:2], SIZE_2D, v.i % 6 - 1 + math.log2(1.25), TRILINEAR, REPEAT, 4)


# name: (size, wrap, the texels of a vertex)
EXPECTED = {
    "nearest": (SIZE_2D, REPEAT, lambda v: filtered(v.p[:2], SIZE_2D, v.lod, NEAREST, REPEAT, 4)),
    "linear": (SIZE_2D, CLAMP, lambda v: filtered(v.p[:2], SIZE_2D, v.lod, LINEAR, CLAMP, 4)),
    "between": (SIZE_2D, MIRROR,
                lambda v: filtered(v.p[:2], SIZE_2D, v.lod, ("nearest linear", "nearest"), MIRROR, 4)),
    "trilinear": (SIZE_2D, REPEAT, lambda v: filtered(v.p[:2], SIZE_2D, v.lod, TRILINEAR, REPEAT, 4)),
    "border": (SIZE_2D, BORDER, lambda v: filtered(v.p[:2], SIZE_2D, v.lod, LINEAR, BORDER, 4)),
    "levels": ((8, 4), MIRROR, of_levels),
    "implicit": (SIZE_2D, REPEAT, lambda v: plane(v.p[:2], SIZE_2D, 0, False, REPEAT)),
    "gradient": (SIZE_2D, REPEAT, of_gradient),
    "offset": (SIZE_2D, REPEAT, lambda v: filtered(v.p[:2], SIZE_2D, v.lod, LINEAR, REPEAT, 4, offset=(3, -2))),
    "projected": (SIZE_2D, REPEAT, lambda v: filtered(v.p[:2], SIZE_2D, v.lod, TRILINEAR, REPEAT, 4)),
    "fetch": (SIZE_2D, REPEAT, lambda v: {(1, 0, v.i % 6, v.i % 3 + 1)}),
    "gather": (SIZE_2D, REPEAT, lambda v: plane(v.p[:2], SIZE_2D, 0, True, REPEAT)),
    "gather-offset": (SIZE_2D, CLAMP, lambda v: plane(v.p[:2], SIZE_2D, 0, True, CLAMP, offset=(v.i % 8 - 4, 3))),
    "shadow": (SIZE_2D, REPEAT, lambda v: filtered(v.p[:2], SIZE_2D, v.lod, LINEAR, REPEAT, 4)),
    "second": (SIZE_2D, REPEAT, lambda v: plane(v.p[:2], SIZE_2D, 0, False, REPEAT)),
    "array": (SIZE_2D, REPEAT, lambda v: filtered(v.p[:2], SIZE_2D, v.lod, LINEAR, REPEAT, 4,
                                                  layer=layer_of(v.layer, LAYERS))),
    "volume": (SIZE_3D[:2], REPEAT, lambda v: filtered(v.p, SIZE_3D, v.lod, LINEAR, REPEAT, 3)),
    "cube": (SIZE_CUBE, CLAMP, lambda v: cube(v.direction, v.lod, NEAREST)),
    "seamless": (SIZE_CUBE, CLAMP, lambda v: cube(v.direction, v.lod, TRILINEAR)),
    "cubes": (SIZE_CUBE, CLAMP, lambda v: cube(v.direction, v.lod, LINEAR, layer_of(v.layer, 2))),
    "line": ((16, 1), REPEAT, lambda v: filtered(v.p[:1], SIZE_1D, v.lod, TRILINEAR, REPEAT, 4)),
    "lines": ((16, 1), REPEAT, lambda v: filtered(v.p[:1], SIZE_1D, v.lod, LINEAR, REPEAT, 4,
                                                  layer=layer_of(v.layer, LAYERS))),
    "rectangle": (SIZE_2D, CLAMP, lambda v: plane(v.p[:2], SIZE_2D, 0, True, CLAMP)),
    "buffer": ((1 << 15, 2), CLAMP, lambda v: {(0, 0, v.i * 833 % 32768, v.i * 833 // 32768)}),
    "samples": (SIZE_2D, CLAMP, lambda v: {(v.i % 4, 0, v.i % 16, v.i % 8)}),
}


# ---- the events

def texels_of(row, size, wrap, has_levels):
    """The texels of a row of vertex_reads: 2 x 2 past an edge are the edge's own, or the other edge's."""
    level, layer, linear, x, y = (int(row[name]) for name in ("level", "layer", "linear", "x", "y"))
    width, height = size_of(size, level if has_levels else 0)
    edge = REPEAT if wrap == REPEAT else CLAMP
    return {(level, layer, wrapped(x + dx, width, edge), wrapped(y + dy, height, edge))
            for dx in range(linear + 1) for dy in range(linear + 1)}


class VertexLookups(tbrsim.TestCase):
    def check(self, name):
        size, wrap, expected = EXPECTED[name]
        live, recording = self.path(name), self.path(f"{name}.tbr")
        tbrsim.run("run", "--out", live, "--record", recording, "--", tbrsim.arguments.vertex_lookups, name, check=True)
        printed = tbrsim.run("export", "--format", "events", "--table", "vertex_reads", recording, check=True).stdout
        rows = list(csv.DictReader(io.StringIO(printed)))
        read = {i: set() for i in range(VERTICES)}
        for row in rows:
            read[int(row["vertex"])] |= texels_of(row, size, wrap, name != "samples")
        for i in range(VERTICES):
            self.assertEqual(read[i], expected(Vertex(i)), f"{name}: vertex {i}")
        total = tbrsim.total(live)
        self.assertEqual(total["vertex_stage.footprints"], len(rows))
        self.assertEqual(total["vertex_stage.texture_reads"], VERTICES)
        self.assertEqual(tbrsim.simulate(recording)["total"], total)


for case in EXPECTED:
    setattr(VertexLookups, f"test_{case.replace('-', '_')}", lambda self, name=case: self.check(name))


if __name__ == "__main__":
    tbrsim.main("vertex-lookups")
