/* SPDX-License-Identifier: MIT */
/**
 * A frame as a vector: how much work of each kind it has. The vector does not depend on the simulated GPU,
 * only on the event stream. Frames with similar vectors cost a similar number of cycles and accesses on any
 * configuration. After MEGsim (Ortiz, Corbalán-Navarro, Aragón and González, ISPASS 2022), whose vectors have the
 * invocations of each shader and the primitives; ours have the memory that is accessed, too.
 */
#ifndef CM_FRAME_VECTOR_H
#define CM_FRAME_VECTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "util/id_table.h"
#include "events/event_stream.h"
#include "selection/frame_reuse.h"

/** Shaders of a stage that are distinguished; more of them share these, in turn. */
#define CM_VECTOR_SHADERS 32

/** Elements of a vector. */
enum cm_frame_feature {
   CM_FEATURE_PASSES,
   CM_FEATURE_TILES, /**< touched */
   CM_FEATURE_PRIMITIVES,
   CM_FEATURE_ATTRIBUTES, /**< of all primitives */
   CM_FEATURE_PMDS,       /**< tiles of all primitives */
   CM_FEATURE_VISIBLE,    /**< instructions of fragments that hidden surface removal leaves */
   CM_FEATURE_FOOTPRINTS, /**< texture reads, per quad */
   CM_FEATURE_STORAGE,    /**< accesses of four invocations to storage */
   CM_FEATURE_LOADED,     /**< bytes of attachments that tiles begin with */
   CM_FEATURE_STORED,     /**< bytes of attachments that tiles end with */
   CM_FEATURE_BYTES,      /**< of different blocks of memory (frame_reuse.h) */
   CM_FEATURE_OLD_BYTES,  /**< of these, that are read and were last accessed before the frame before */
   CM_FEATURE_NEW_BYTES,  /**< that are read and were not accessed in the last CM_REUSE_AGES frames */
   CM_FEATURE_VERTICES,   /**< instructions of shaders before the fragment shader, by shader */
   CM_FEATURE_FRAGMENTS =
      CM_FEATURE_VERTICES + CM_VECTOR_SHADERS, /**< of fragment and compute shaders, by shader */
   CM_FRAME_FEATURES = CM_FEATURE_FRAGMENTS + CM_VECTOR_SHADERS
};

struct cm_vector_resource;

/** Collects the vectors of frames. Begins as zeros. */
struct cm_frame_vectors {
   double *vectors;            /**< CM_FRAME_FEATURES per frame, as counted */
   struct cm_frame_ages *ages; /**< of each frame */
   size_t count;
   /* Private. */
   double current[CM_FRAME_FEATURES];
   struct cm_frame_reuse reuse;
   struct cm_id_table resources, shaders[CM_SHADER_STAGES];
   struct cm_vector_resource *descriptions; /* by index of resources */
   size_t descriptions_capacity;
   bool out_of_memory;
};

/** A GPU begins: nothing that was defined before is valid. */
void cm_frame_vectors_gpu(struct cm_frame_vectors *vectors);
void
cm_frame_vectors_resource(struct cm_frame_vectors *vectors, const struct cm_resource_description *resource);
void cm_frame_vectors_pass(struct cm_frame_vectors *vectors, const struct cm_pass *pass);
void cm_frame_vectors_end_frame(struct cm_frame_vectors *vectors);

/** Brings all vectors to one scale. Kinds of work (passes, primitives, vertices, fragments, texture reads, storage,
 * attachments, memory) weigh the same; two frames have a distance of 1 if they differ in each kind by as much as an
 * average frame has of it. */
void cm_frame_vectors_scale(struct cm_frame_vectors *vectors);

void cm_frame_vectors_finish(struct cm_frame_vectors *vectors);

#endif
