/* SPDX-License-Identifier: MIT */
/**
 * Random passes of the kind CM_PASS_FULL, as a renderer makes them: first what is drawn, primitive by primitive and
 * without tiles; then the same as the events of tiles of any size.
 */
#ifndef FULL_PASS_H
#define FULL_PASS_H

#include "pass_builder.h"

#define FULL_MAX_READS 3
#define FULL_MAX_RUNS 2

enum full_kind {
   FULL_HIDDEN, /* by its region's depth */
   FULL_FAILED, /* fails the early tests */
   FULL_BARE,   /* passes, or not, but its draw has no program */
   FULL_RUNS,   /* runs the program */
};

/* A quad of a primitive. */
struct full_quad {
   uint32_t primitive;
   uint32_t x, y; /* in the layer: pixels / 2 */
   enum full_kind kind;
   uint8_t covered;
   unsigned num_runs; /* FULL_RUNS: 1, or one per sample; FULL_BARE: 1, for its masks */
   struct {
      uint8_t live, written;
      unsigned num_reads;
      struct {
         uint32_t unit;
         struct cm_footprint footprint;
      } reads[FULL_MAX_READS];
   } runs[FULL_MAX_RUNS];
};

struct full_model {
   struct cm_pass pass; /* attachments and sizes; the rest is not set */
   uint32_t layers;
   uint32_t num_draws, num_primitives, num_quads;
   struct cm_draw draws[16];
   struct {
      uint32_t draw, layer;
   } primitives[128];
   struct full_quad *quads; /* in the order of primitives */
};

/* Resources of these models. */
enum full_resource {
   FULL_BUFFER = 1,
   FULL_TEXTURES, /* two */
   FULL_COLOR = FULL_TEXTURES + 2,
   FULL_WINDOW,      /* displayable */
   FULL_WIDE,        /* 8 bytes per pixel */
   FULL_SAMPLES,     /* 4 samples per pixel */
   FULL_ODD,         /* 6 bytes per pixel, which straddle blocks */
   FULL_DEPTH,       /* 4 bytes per pixel, shared with stencil or not */
   FULL_SMALL_DEPTH, /* 2 bytes per pixel */
   FULL_STENCIL,     /* 1 byte per pixel */
   FULL_NUM_RESOURCES,
};
#define FULL_LAYERS 2

struct cm_resource_description full_resource(uint32_t id);

/** Makes all of them known to a GPU. */
void define_full_resources(struct cm_gpu *gpu);

/** Something to draw; the same for the same seed. Free it with full_model_free. */
struct full_model *full_model(uint64_t seed);
void full_model_free(struct full_model *model);

/** The pass of a model. How quads are grouped, and where those without a program are, is up to the seed. */
struct pass_builder *full_pass(const struct full_model *model, uint32_t tile_size, uint64_t seed);

#endif
