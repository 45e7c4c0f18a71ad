/* SPDX-License-Identifier: MIT */
/**
 * Primitive assembly's end: takes draw's vertices and makes triangles and parallelograms
 * in window coordinates of them, which tbr_pb_encode.h bins.
 */
#ifndef TBR_BINNING_H
#define TBR_BINNING_H

#include <stdbool.h>
#include <stdint.h>

#include "draw/draw_vbuf.h"
#include "draw/draw_vertex.h"
#include "state/tbr_query.h"
#include "geometry/tbr_pb_encode.h"
#include "tbr_limits.h"

struct tbr_context;
struct tbr_batch;

#define TBR_NO_STATE UINT32_MAX

/** Indices of a list of draw's that is binned at once. */
#define TBR_MAX_INDICES (16 * 1024)

struct tbr_binning {
   struct vbuf_render base;
   struct draw_stage *stage; /**< draw's last one: collects vertices for `base` */
   struct tbr_context *context;

   struct vertex_info vertex_info;
   bool vertex_info_valid;
   int point_size_slot; /**< index in a vertex, or -1 */
   int back_color_slot[2];
   int face_slot;
   int viewport_slot, layer_slot;

   uint8_t *vertices;
   size_t vertices_bytes;
   unsigned stride; /**< bytes */
   enum mesa_prim primitive;
   /** By triangle of the next list; pixels is 0 where the triangle continues none. */
   struct tbr_reach reach[TBR_MAX_INDICES / 3];
   bool has_parts; /**< not all of them are 0 */

   /* Of the draw in progress, set by tbr_draw.c. */
   struct tbr_batch *batch;                      /**< NULL: nothing is drawn */
   uint32_t state;                               /**< index of the draw state in the batch */
   unsigned viewport;                            /**< that the state is for */
   uint32_t viewport_states[PIPE_MAX_VIEWPORTS]; /**< states by viewport; TBR_NO_STATE: not made yet */
   uint32_t event_draw;
   struct tbr_batch *event_batch; /**< that records the draw; NULL: it is not simulated */
   uint32_t first_event_draw;     /**< of num_event_draws, one an instance */
   uint32_t view;                 /**< the multiview framebuffer's that is drawn: the layer */
   uint32_t num_event_draws;
   enum mesa_prim input_primitive; /**< of the draw call */
   /** draw's figures so far, of the draw call; what has been added to the event stream. */
   struct pipe_query_data_pipeline_statistics stages_run;
   bool counts_primitives, counts_statistics; /**< queries need draw's figures, or transform feedback */
   int32_t x0, y0, x1, y1;                    /**< pixels that can be covered; x1, y1 exclusive */
   bool out_of_memory;

   struct tbr_stream_counts streams[PIPE_MAX_VERTEX_STREAMS];
   uint64_t clipped_primitives; /**< of the draw in progress, that left the clipper */
   uint64_t polygon;            /**< counts primitives, but parts of a triangle as one */
};

/** draw_vbo. False when out of memory. */
bool tbr_draw_init_context(struct tbr_context *context);
void tbr_draw_destroy_context(struct tbr_context *context);

/** Of what the last stage before the rasterizer makes: points 1, lines 2, triangles 3. */
uint32_t tbr_binning_vertices_per_primitive(const struct tbr_binning *binning);

/** Makes the context's vbuf_render and hooks it into draw. */
bool tbr_binning_init(struct tbr_context *context);

/** Bound shaders or rasterizer state changed: lays out vertices for them. Before draw runs: the attributes that it adds
 * (gl_PrimitiveID, the face of unfilled polygons) are part of what its shaders are compiled for. */
void tbr_binning_lay_out(struct tbr_context *context);

/** Bins the primitives that draw has collected, before a fragment shader or a rasterizer state is bound: draw's own stages
 * (smooth lines and points, stipple) bind theirs in the middle of a draw, and primitives before that, as filled polygons,
 * are of the state before. */
void tbr_binning_flush(struct tbr_context *context);

/** Called by a primitive that finds the batch full: submits it and continues
 * in a new one (tbr_draw.c). False when that fails. */
bool tbr_draw_continue(struct tbr_context *context);

/** Switches to the draw's state for another viewport: its scissor, its depth range.
 * False when out of memory. */
bool tbr_draw_select_viewport(struct tbr_context *context, unsigned viewport);

/** The layer that following draws are into, if their shaders choose none; mask: of the view, if it is one. */
void tbr_draw_select_view(struct tbr_context *context, unsigned view, unsigned mask);

/** draw's own stages (stipple, smooth lines and points) bind shaders of their own in
 * the middle of a draw: uses them for the following primitives. */
bool tbr_draw_refresh_state(struct tbr_context *context);

/* tbr_line_clipper.c */

/** Lines are clipped to these coordinates: TBR_MAX_COORDINATE, less the width of a line. */
#define TBR_LINE_BAND 32000.0f

/** Ends of a line that are not its vertices: as draw lays these out. */
struct tbr_clipped_line {
   float vertex[2][TBR_MAX_INPUTS + 8][4];
};

/** Clips a line to coordinates that the rasteriser supports; an end that is cut off is
 * replaced by one in `clipped`. False if nothing is left of it, or it is not finite. */
bool
tbr_clip_line(const struct tbr_binning *binning, const float (*v[2])[4], struct tbr_clipped_line *clipped);

/** Makes the vertex that is at a place of the line in the window, 0 at its first end and 1 at the other, maybe somewhat
 * outside: to replace `end`. False if the line does not get there in front of the eye. */
bool tbr_move_line_end(const struct tbr_binning *binning, const float (*const v[2])[4], double place,
                       unsigned end, float (*vertex)[4]);

#endif
