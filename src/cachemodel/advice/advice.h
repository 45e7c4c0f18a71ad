/* SPDX-License-Identifier: MIT */
/**
 * Advice on a program, from its event stream: what it could do differently, with evidence. What following a finding saves
 * is for the caller to simulate: a finding has the change of the stream that it stands for (advice/change.h).
 *
 * Findings are of a thing over all frames: a target, a texture, a shader, each with the passes or draws that are concerned.
 * The stream has no reads by the CPU and, but for their number, no texture reads of tessellation and geometry shaders: where CM_NAME_READ
 * names a resource, something outside of the stream has read it.
 */
#ifndef CM_ADVICE_H
#define CM_ADVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "advice/change.h"
#include "events/event_stream.h"

struct cm_config;

/** X(identifier, name, what is wrong, what to do) */
#define CM_ADVICE_RULES(X)                                                                                  \
   X(UNNEEDED_LOAD, "unneeded-load",                                                                        \
     "tiles are loaded, but all of their pixels are drawn over before they are read",                       \
     "glClear or glInvalidateFramebuffer before drawing to it")                                             \
   X(UNNEEDED_STORE, "unneeded-store",                                                                      \
     "tiles are stored, but cleared or invalidated before anything reads them",                             \
     "glInvalidateFramebuffer after the last draw to it")                                                   \
   X(BROKEN_PASS, "broken-pass",                                                                            \
     "the framebuffer is left and drawn to again, and nothing has read it in between",                      \
     "draw to the other framebuffers before or after it")                                                   \
   X(TARGET_NEVER_READ, "target-never-read", "what the pass draws is overwritten before anything reads it", \
     "leave the pass out")                                                                                  \
   X(OVERDRAW, "overdraw", "opaque fragments are shaded that later ones hide",                              \
     "draw opaque objects front to back")                                                                   \
   X(LATE_TESTS, "late-tests", "fragments are shaded that are then discarded or fail the depth test",       \
     "cut the geometry to what is kept, without discard or a depth that the shader writes")                 \
   X(NO_MIPMAPS, "no-mipmaps",                                                                              \
     "neighbouring fragments read texels that are far apart, of a texture without mipmaps",                 \
     "glGenerateMipmap, and a filter with mipmaps")                                                         \
   X(LARGE_DEPTH, "large-depth",                                                                            \
     "neighbouring fragments read texels that are far apart, of a depth texture",                           \
     "a smaller depth texture: glGenerateMipmap takes none in OpenGL ES")                                   \
   X(OVERSAMPLED, "oversampled",                                                                            \
     "neighbouring fragments read texels that are far apart, though there are mipmaps",                     \
     "a filter with mipmaps, or less level-of-detail bias")                                                 \
   X(UNCOMPRESSED, "uncompressed", "the texture is not compressed", "ETC2, with 4 or 8 bits a texel")       \
   X(VERTICES_FETCHED_AGAIN, "vertices-fetched-again",                                                      \
     "vertices of indexed meshes are fetched and shaded repeatedly",                                        \
     "order the triangles so that neighbours follow each other")                                            \
   X(TINY_PRIMITIVES, "tiny-primitives", "primitives cover a few pixels each",                              \
     "a coarser mesh where it is small")                                                                    \
   X(PARAMETER_BUFFER, "parameter-buffer", "a pass' Parameter Buffer is larger than the L2",                \
     "fewer or narrower outputs of vertex shaders, fewer primitives, or another pass")                      \
   X(TILE_ORDER, "tile-order", "another order of tiles and frames finds more textures in the caches",       \
     "of the GPU: tile.order and frame.traversal")

enum cm_advice_rule {
#define CM_ADVICE_RULE(id, name, problem, remedy) CM_ADVICE_##id,
   CM_ADVICE_RULES(CM_ADVICE_RULE)
#undef CM_ADVICE_RULE
      CM_ADVICE_RULE_COUNT
};

struct cm_advice_rule_text {
   const char *name, *problem, *remedy;
};
/** By enum cm_advice_rule. */
extern const struct cm_advice_rule_text cm_advice_rule_texts[CM_ADVICE_RULE_COUNT];

/** A number that a finding stands on. */
struct cm_evidence {
   const char *name; /**< "fragments shaded" */
   uint64_t value;   /**< summed up over all frames, unless the name says otherwise */
};
#define CM_MAX_EVIDENCE 4

struct cm_finding {
   enum cm_advice_rule rule;
   struct cm_change change; /**< of the stream, where the program follows the advice */
   /* What it is about; 0: nothing of that kind. */
   uint32_t resource;      /**< target, texture */
   uint32_t vertex_shader; /**< identifiers of shaders */
   uint32_t fragment_shader;
   /* Where it was found first, counted from 0. */
   uint32_t frame;       /**< of those that were looked at */
   uint32_t pass;        /**< in the frame */
   uint32_t draw;        /**< in the pass; CM_NO_DRAW: the finding is of no draw */
   uint32_t group, call; /**< of that draw (struct cm_draw) */
   uint32_t passes;      /**< how many there are of it */
   uint32_t slots;       /**< of attachments: bit s, attachment s (change.h) */
   struct cm_evidence evidence[CM_MAX_EVIDENCE];
   uint32_t num_evidence;
   uint64_t weight; /**< a guess at the accesses saved, in bytes: which findings are worth simulating first */
};
#define CM_NO_DRAW UINT32_MAX

struct cm_advice;
struct cm_names;

/** Looks at a stream, from its first frame on; of one GPU. config: what the rules depend on: mode, l2.size. NULL when out of
 * memory. */
struct cm_advice *cm_advice_create(const struct cm_config *config);
void cm_advice_destroy(struct cm_advice *advice);

/* The stream, in its order. False when out of memory. */
bool cm_advice_define_resource(struct cm_advice *advice, const struct cm_resource_description *resource);
bool cm_advice_define_name(struct cm_advice *advice, const struct cm_name *name);
bool cm_advice_pass(struct cm_advice *advice, const struct cm_pass *pass);
bool cm_advice_frame_end(struct cm_advice *advice);

/** What was found so far, the largest weight first; valid until the next call. NULL when out of memory. */
const struct cm_finding *cm_advice_findings(struct cm_advice *advice, uint32_t *count);
/** Whether a pass had the events that CM_ADVICE_OVERDRAW needs (CM_PASS_FULL). */
bool cm_advice_knows_overdraw(const struct cm_advice *advice);
/** The program's names so far, the resources' formats among them. */
const struct cm_names *cm_advice_names(const struct cm_advice *advice);
/** The description of a resource that was defined; NULL: none. */
const struct cm_resource_description *cm_advice_resource(const struct cm_advice *advice, uint32_t id);

#endif
