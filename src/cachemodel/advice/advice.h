/* SPDX-License-Identifier: MIT */
/**
 * Advice on a program, from its event stream: what it could do differently, with evidence. What a finding saves
 * is for the caller to simulate: a finding has the changes of the stream that it suggests (advice/change.h).
 *
 * A finding has one cause in all frames: a target, textures, a shader, each with its passes or draws.
 * Evidence comes only from counted frames, which the caller chooses; changes are made in all frames, so that a counted one begins as it
 * would after frames of the changed program.
 *
 * The stream has no reads by the CPU, and only the number of texture reads of tessellation and geometry shaders: where CM_NAME_READ
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
     "clear or invalidate it before drawing to it (glClear, glInvalidateFramebuffer; in Vulkan a load "     \
     "operation that clears or does not care)")                                                             \
   X(UNNEEDED_STORE, "unneeded-store",                                                                      \
     "tiles are stored, but cleared or invalidated before anything reads them",                             \
     "glInvalidateFramebuffer after the last draw to it; in Vulkan a store operation that does not care")   \
   X(BROKEN_PASS, "broken-pass", "the pass ends and continues later, and nothing has read it in between",   \
     "draw all of it at once: look at what comes between the two")                                          \
   X(MERGEABLE_PASS, "mergeable-pass",                                                                      \
     "each fragment reads of what the pass before has drawn its own pixel only, from memory",               \
     "one pass, which has it in the tiles: in Vulkan subpasses, or VK_KHR_dynamic_rendering_local_read; "   \
     "in OpenGL ES one framebuffer, and EXT_shader_framebuffer_fetch or EXT_shader_pixel_local_storage; "   \
     "where it is only copied, draw to the copy")                                                           \
   X(TARGET_NEVER_READ, "target-never-read", "what the pass draws is overwritten before anything reads it", \
     "leave the pass out")                                                                                  \
   X(WIDE_TARGET, "wide-target", "the GPU compresses framebuffers, but none with pixels of so many bytes",  \
     "a format with pixels that it compresses, such as R11F_G11F_B10F or RGB10_A2")                         \
   X(OVERDRAW, "overdraw", "opaque fragments are shaded that later ones hide",                              \
     "draw opaque objects front to back")                                                                   \
   X(LATE_TESTS, "late-tests", "fragments are shaded that are then discarded or fail the depth test",       \
     "cut the geometry to what is kept, without discard or a depth that the shader writes")                 \
   X(NO_MIPMAPS, "no-mipmaps",                                                                              \
     "neighbouring fragments read texels that are far apart, of a texture without mipmaps",                 \
     "mipmaps (glGenerateMipmap; in Vulkan blits), and a filter that uses them")                            \
   X(LARGE_DEPTH, "large-depth",                                                                            \
     "neighbouring fragments read texels that are far apart, of a depth texture",                           \
     "a smaller depth texture: OpenGL ES makes no mipmaps of one")                                          \
   X(OVERSAMPLED, "oversampled",                                                                            \
     "neighbouring fragments read texels that are far apart, though there are mipmaps",                     \
     "a filter with mipmaps: only the first level is read")                                                 \
   X(UNCOMPRESSED, "uncompressed", "the texture is not compressed", "ETC2, with 4 bits per texel")          \
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

/** A number that a finding rests on. */
struct cm_evidence {
   const char *name; /**< "fragments shaded per frame" */
   double value;     /**< an average over the counted frames, where the name says "per frame" */
};
#define CM_MAX_EVIDENCE 4

/** Where a pass ends that continues later. Calls are those of a replayed trace; 0: not known. */
struct cm_pass_break {
   enum cm_end_reason reason;
   uint32_t
      other_target; /**< of the pass that comes next, if that is another one: what is drawn to meanwhile; 0: none */
   uint32_t next_pass; /**< that continues it: its number in the frame */
   uint32_t last_call; /**< that drew to it before */
   uint32_t end_call;  /**< that ended it */
   uint32_t next_call; /**< that draws to it again */
};

struct cm_finding {
   enum cm_advice_rule rule;
   const char *problem, *remedy; /**< the rule's, or what fits better */
   const char *assumption;       /**< of what is simulated; NULL: only the remedy */
   struct cm_change *changes;    /**< of the stream, if the program follows the advice; at least one */
   uint32_t num_changes;
   /** The same number of changes that the program may be able to make instead; NULL: none. */
   struct cm_change *other_changes;
   const char *condition; /**< for these: when */
   /* Its subject; none, or 0: nothing of that kind. */
   uint32_t *resources; /**< a target, or textures, those first that seem to save most */
   uint32_t num_resources;
   uint32_t vertex_shader; /**< identifiers of shaders */
   uint32_t fragment_shader;
   /* Where it was found first, in a counted frame; of several textures the first one of the list. */
   uint32_t frame;                  /**< number (cm_advice_frame_begin) */
   uint32_t pass;                   /**< in the frame */
   uint32_t draw;                   /**< in the pass; CM_NO_DRAW: the finding has no draw */
   uint32_t group, call;            /**< of that draw (struct cm_draw) */
   uint32_t passes;                 /**< its passes in counted frames; 0: it is not about passes */
   uint32_t slots;                  /**< of attachments: bit s, attachment s (cm_pass_attachment) */
   struct cm_pass_break pass_break; /**< of CM_ADVICE_BROKEN_PASS: that of the place */
   struct cm_evidence evidence[CM_MAX_EVIDENCE];
   uint32_t num_evidence;
   /** Counted frames, ascending, for which the stream does not say whether the finding holds: the fate of their stores
    * is not known. They save nothing in a simulation. */
   uint32_t *unknown_frames;
   uint32_t num_unknown_frames;
   uint64_t weight; /**< an estimate of the accesses saved, in bytes: which findings to simulate first */
};
#define CM_NO_DRAW UINT32_MAX

struct cm_advice;
struct cm_names;

/** Looks at a stream, from its first frame on; of one GPU. config: the rules depend on mode, l2.size, framebuffer_compression and
 * more; it must outlive the advisor. NULL when out of memory. */
struct cm_advice *cm_advice_create(const struct cm_config *config);
void cm_advice_destroy(struct cm_advice *advice);

/* The stream, in its order. False when out of memory. */
bool cm_advice_define_resource(struct cm_advice *advice, const struct cm_resource_description *resource);
bool cm_advice_define_name(struct cm_advice *advice, const struct cm_name *name);
/** number: what findings call the frame; each one's is larger than that of the one before. is_counted: the frame is
 * evidence. */
void cm_advice_frame_begin(struct cm_advice *advice, uint32_t number, bool is_counted);
bool cm_advice_pass(struct cm_advice *advice, const struct cm_pass *pass);
bool cm_advice_frame_end(struct cm_advice *advice);

/** What was found so far, the largest weight first; valid until the next call. NULL when out of memory. */
const struct cm_finding *cm_advice_findings(struct cm_advice *advice, uint32_t *count);
/** Overdraw that a deferred GPU hides: opaque fragments per frame that later ones cover, and all opaque ones. Zeros if
 * the configuration shades them, which is then a finding, and if they are too few for one. */
struct cm_hidden_overdraw {
   double hidden, opaque;
};
struct cm_hidden_overdraw cm_advice_hidden_overdraw(const struct cm_advice *advice);
/** Whether a pass had the events that CM_ADVICE_OVERDRAW needs (CM_PASS_FULL). */
bool cm_advice_knows_overdraw(const struct cm_advice *advice);
/** The program's names so far, the resources' formats among them. */
const struct cm_names *cm_advice_names(const struct cm_advice *advice);
/** The description of a resource that was defined; NULL: none. */
const struct cm_resource_description *cm_advice_resource(const struct cm_advice *advice, uint32_t id);

#endif
