/* SPDX-License-Identifier: MIT */
/**
 * The event stream of a program that does something differently: what `tbrsim advise` simulates to say what that saves.
 *
 * Changes are applied to each pass and resource before the consumer (gpu/gpu.h) takes them. Nothing else in the stream
 * changes, so two simulations differ only by the changes. Several changes are applied one after another, each to the result
 * of the ones before it, in the order of enum cm_change_type.
 */
#ifndef CM_CHANGE_H
#define CM_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "events/event_stream.h"
#include "util/array.h"

enum cm_change_type {
   CM_CHANGE_NONE,
   /** Attachments of passes are not loaded or not stored. If passes are joined, too, and the last one does not store something,
    * none of them does: earlier ones store only for the later ones to load. */
   CM_CHANGE_ATTACHMENTS,
   /** Passes are not rendered. */
   CM_CHANGE_SKIP_PASSES,
   /** Pairs of passes with the same attachments are one, at the time of the second. */
   CM_CHANGE_JOIN_PASSES,
   /** Pairs of passes that follow each other are one: the second reads attachments of the first in the tiles (advice/merge.h). */
   CM_CHANGE_MERGE_PASSES,
   /** Fragments of opaque draws into a target (in passes of the kind CM_PASS_FULL) run only where nothing opaque is
    * drawn over them afterwards: as if the nearest were drawn first. */
   CM_CHANGE_FRONT_TO_BACK,
   /** Fragments of a fragment shader's draws whose tests are late run only where they are written: as if its geometry
    * were cut to what it keeps, and tested before shading. */
   CM_CHANGE_EARLY_TESTS,
   /** A texture is read at the first level where neighbouring fragments are at most two texels apart. */
   CM_CHANGE_MIPMAPS,
   /** A texture is compressed: blocks of 4 × 4 texels with cm_change.block_bytes. */
   CM_CHANGE_COMPRESS,
   /** In a vertex shader's draws, every CM_CHANGE_COARSER_BY primitives are one, with all of their tiles and fragments;
    * vertices are as many fewer. */
   CM_CHANGE_COARSER_MESH,
   /** In indexed draws of a vertex shader, the repetitions of a vertex follow it: in a FIFO of transformed vertices
    * they are all found. */
   CM_CHANGE_FETCH_ONCE,
   /** The pixels of an image have cm_change.block_bytes, and its blocks as many parts of these when compressed. */
   CM_CHANGE_NARROW,
   /** Primitives drawn to a target have half as many attributes, except the position: two values in the space of one. */
   CM_CHANGE_HALF_ATTRIBUTES,
};

#define CM_CHANGE_COARSER_BY 4

/** A pass that a change concerns. */
struct cm_changed_pass {
   uint64_t pass;     /**< its number in the stream as it was recorded, from 0 */
   uint16_t no_load;  /**< of CM_CHANGE_ATTACHMENTS: bit s, attachment s is not loaded */
   uint16_t no_store; /**< of CM_CHANGE_MERGE_PASSES, too: of those of `read` */
   uint16_t read;     /**< of CM_CHANGE_MERGE_PASSES: bit s, the next pass of the list reads attachment s */
   bool
      joins; /**< of CM_CHANGE_JOIN_PASSES and CM_CHANGE_MERGE_PASSES: it is one with the next pass of the list */
};

struct cm_change {
   enum cm_change_type type;
   /** The texture (CM_CHANGE_MIPMAPS, _COMPRESS, _NARROW), the shader (CM_CHANGE_EARLY_TESTS, _FETCH_ONCE, _COARSER_MESH), or the
    * target (CM_CHANGE_FRONT_TO_BACK, _HALF_ATTRIBUTES; cm_pass_target). */
   uint32_t number;
   uint32_t block_bytes; /**< of CM_CHANGE_COMPRESS, _NARROW */
   /** For CM_CHANGE_ATTACHMENTS, _SKIP_PASSES, _JOIN_PASSES and _MERGE_PASSES: the passes, ascending. */
   struct cm_changed_pass *passes;
   uint32_t num_passes;
};

/** What a pass draws to: its first attachment's resource; 0: it has none. */
uint32_t cm_pass_target(const struct cm_pass *pass);

/** Numbers the different ones of a draw's vertices from 0 on, by size: numbers[i] is that of vertices[i]. sorted: memory that
 * is reused. Their count; UINT32_MAX when out of memory. */
uint32_t
cm_number_vertices(struct cm_array *sorted, const uint32_t *vertices, uint32_t count, uint32_t *numbers);

/** How far two texels are apart, along an axis with so many texels: the shorter way if the texture repeats. */
uint32_t cm_texel_distance(int32_t a, int32_t b, uint32_t size, bool repeats);
/** How many texels neighbouring fragments of a footprint are apart, in texels of its level: along the axis of the picture
 * where they are farther apart; of a texture with mipmaps, where they are closer, for an anisotropic filter reads a
 * level that suits that axis. 0 where fragments are missing, or pairs differ by more than a quarter, like random reads. texture: of the
 * binding; its level must have the footprint's. */
uint32_t cm_footprint_step(const struct cm_footprint *footprint, const struct cm_texture_binding *binding,
                           const struct cm_resource_description *texture);
/** Levels that a footprint with a step could be coarser, with steps of at most two texels. */
uint32_t cm_levels_coarser(uint32_t step);

/** Whether changes can be applied together: not where one leaves out, joins or merges a pass that the other joins or merges with
 * another one. */
bool cm_changes_combine(const struct cm_change *one, const struct cm_change *other);
/** The number of passes whose loads both a change of attachments and one that joins passes leave out: those that continue
 * an earlier pass. */
uint32_t cm_changes_shared_loads(const struct cm_change *attachments, const struct cm_change *join);

struct cm_changer;

/** Applies changes, which must outlive it and be of different things, to a stream from its first pass on. NULL when out of
 * memory. */
struct cm_changer *cm_changer_create(const struct cm_change *changes, uint32_t count);
void cm_changer_destroy(struct cm_changer *changer);

/** A definition with the changes applied. */
struct cm_resource_description
cm_changer_resource(struct cm_changer *changer, const struct cm_resource_description *resource);

/** CM_CHANGER_SKIPPED: there is no such pass, or it comes later, as part of another one. */
enum cm_changer_result { CM_CHANGER_PASS, CM_CHANGER_SKIPPED, CM_CHANGER_OUT_OF_MEMORY };

/** The next pass of the stream. With CM_CHANGER_PASS, *pass becomes the changed pass: the same one, or one that
 * is the changer's and valid until the next call, or cm_changer_pass_end. */
enum cm_changer_result cm_changer_pass(struct cm_changer *changer, const struct cm_pass **pass);
/** The pass is not needed any more: frees what it is made of, so that of many changers only those that are at work have one in
 * memory. */
void cm_changer_pass_end(struct cm_changer *changer);

#endif
