/* SPDX-License-Identifier: MIT */
/** Keys of the Tiling Engine: in which order tiles are visited, and how PB-Lists lie in memory. */
#ifndef CM_TILING_CONFIG_H
#define CM_TILING_CONFIG_H

/** Key tile.order. */
enum cm_tile_order {
   CM_TILE_ORDER_SCANLINE, /**< row by row, each from its first column on */
   CM_TILE_ORDER_Z,        /**< "z-order", bit-interleaved, x in the lowest bit (TCOR Table I;
                           * boustrophedonic frames II-C) */
   CM_TILE_ORDER_HILBERT,  /**< Hilbert curve from the first tile to the end of the first row */
};

/** Key frame.traversal. */
enum cm_frame_traversal {
   CM_TRAVERSAL_FORWARD,
   CM_TRAVERSAL_BOUSTROPHEDONIC, /**< every second frame reversed (boustrophedonic frames III-F) */
};

/** Key parameter_buffer.layout; docs/parameter-buffer.md. */
enum cm_pb_layout {
   CM_PB_LAYOUT_BASELINE,    /**< 64 consecutive blocks per tile (TCOR II-B, Figure 3) */
   CM_PB_LAYOUT_INTERLEAVED, /**< one block per tile in each section (TCOR III-B, Figure 6) */
};

/** Key parameter_buffer.overlap: the tiles that a primitive is binned into. */
enum cm_pb_overlap {
   CM_PB_OVERLAP_EXACT, /**< "exact": those that it overlaps, found with its edge functions */
   /** "bounding-box": all of the smallest rectangle of tiles that has these. If part of a primitive is outside of the
    * attachments, its own bounding box may have more tiles. */
   CM_PB_OVERLAP_BOUNDING_BOX,
};

/** Key parameter_buffer.attributes: what tiles read of a primitive, and so what is written before. */
enum cm_pb_attributes {
   CM_PB_ATTRIBUTES_PRIMITIVES, /**< "primitives": attributes of each that is binned, a block each (TCOR II-B) */
   CM_PB_ATTRIBUTES_VERTICES, /**< "vertices": what each shaded vertex returns, 16 bytes for its position and each varying */
   /** "visible-vertices": positions of all vertices, and varyings of those of primitives that are binned (shaders in two parts) */
   CM_PB_ATTRIBUTES_VISIBLE_VERTICES,
};

/** Key parameter_buffer.written: when a pass' geometry runs, and with it the Polygon List Builder. */
enum cm_pb_written {
   /** "before-tiles": after all tiles of the pass before. There is one Parameter Buffer (TCOR II-A), unless
    * parameter_buffer.buffers says two */
   CM_PB_BEFORE_TILES,
   /** "among-tiles": among the tiles of the pass before, be it of the frame before, in proportion of tiles and primitives. There are
    * two Parameter Buffers, in turn. */
   CM_PB_AMONG_TILES,
};

/** Key parameter_buffer.pass_end: what the Tile Cache, the Primitive List Cache and the Attribute Cache do when a pass ends,
 * whose Parameter Buffer is not read again. */
enum cm_pass_end {
   /** "keep": they keep their blocks, and write them back on eviction. A Primitive Buffer, whose IDs the next pass
    * reuses for other primitives, cannot: it discards. */
   CM_PASS_END_KEEP,
   CM_PASS_END_DISCARD,    /**< "discard": all are emptied, without write-backs */
   CM_PASS_END_WRITE_BACK, /**< "write-back": all are emptied, and dirty blocks written back */
};

#endif
