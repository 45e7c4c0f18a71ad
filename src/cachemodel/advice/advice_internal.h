/* SPDX-License-Identifier: MIT */
/** What the parts of the advisor share. */
#ifndef CM_ADVICE_INTERNAL_H
#define CM_ADVICE_INTERNAL_H

#include "advice/advice.h"
#include "events/contents.h"
#include "util/id_table.h"
#include "util/array.h"

/** From this many per frame on there is a finding. */
#define CM_ADVICE_LEAST_FRAGMENTS 1000
#define CM_ADVICE_LEAST_FOOTPRINTS 1000

/** Where something was seen first. */
struct cm_place {
   bool known;
   uint32_t frame, pass, draw;
   uint32_t group, call; /**< of the draw */
};

/** What was seen of a texture, over all counted frames; likewise for the structures below. */
struct cm_texture_seen {
   struct cm_place place;
   uint64_t footprints; /**< read */
   uint64_t texels;     /**< of live fragments, those of linear filters counted as 4 */
   uint64_t far;        /**< footprints of more than two texels per fragment (cm_footprint_step) */
   uint64_t levels;     /**< that these could be coarser */
   uint64_t coarse;     /**< footprints of another level than the first one */
};

/** Of a vertex shader. */
struct cm_vertex_shader_seen {
   struct cm_place place;
   uint64_t fetched, distinct; /**< vertices of indexed draws; each counted once per draw */
   uint64_t bytes;             /**< of these fetches */
   uint64_t primitives,
      pixels;       /**< in passes whose hidden fragments are known; pixels that primitives cover */
   uint64_t blocks; /**< of PB-Attributes */
};

/** Of a fragment shader whose tests are late. */
struct cm_fragment_shader_seen {
   struct cm_place place;
   uint64_t fragments, written;
};

/** Of what passes draw to. */
struct cm_target_seen {
   struct cm_place place;
   uint32_t passes;
   uint64_t opaque, hidden; /**< fragments of opaque draws; of these, those that are hidden in the end */
   uint64_t blocks, pmds;   /**< of Parameter Buffers that are larger than the L2 */
   uint64_t largest;        /**< Parameter Buffer, in bytes */
   uint32_t large;          /**< passes with such Parameter Buffers */
   struct cm_pass *last;    /**< the head of the last pass (cm_advice_head); NULL: none */
   uint64_t last_number;    /**< of that pass */
};

/** A pass that was looked at. */
struct cm_pass_seen {
   uint32_t frame, pass;
   bool is_counted;
   enum cm_end_reason end;
   uint32_t end_call, first_call, last_call; /**< that ended it, and drew first and last; 0: not known */
   uint32_t target;
   uint32_t resources[CM_SLOTS];
   uint16_t unneeded_loads; /**< bit s: of attachment s */
   uint16_t stored;
   uint16_t needed_stores, unneeded_stores; /**< of these; the fate of the others is not known */
   /** Those that the next pass reads in the fragments' own pixels only, and could read in the tiles: what becomes of
    * these stores is then said without these reads. */
   uint16_t read_by_next;
   uint64_t own_reads;          /**< texels that it reads of them */
   uint32_t merged_pixel_bytes; /**< of all attachments of both */
   bool other_outputs;          /**< resolves, transform feedback */
   bool drawn;
   uint64_t first_part; /**< 1 + the pass that it continues; 0: none */
};

struct cm_resource_seen {
   struct cm_resource_description description; /**< id 0: not defined */
   bool is_drawn_to;      /**< its first level, by a counted pass; others are where mipmaps are drawn */
   struct cm_place moved; /**< where a pass loads or stores it */
   uint32_t moved_by;     /**< passes */
   uint32_t moved_slots;  /**< bit s: as attachment s */
   bool is_storage;       /**< shaders access it as an image, in any pass */
   struct cm_texture_seen texture;
   struct cm_target_seen target;
};

struct cm_names;

struct cm_advice {
   const struct cm_config *config;
   struct cm_names *names;
   struct cm_contents *contents;
   uint32_t frame, pass_of_frame;
   bool is_counted; /**< the frame is */
   uint32_t counted_frames;
   bool knows_overdraw;
   struct cm_id_table resource_ids, vertex_ids, fragment_ids; /* of resources and shaders */
   struct cm_resource_seen *resources;                        /* by their index there, as are the shaders */
   size_t resources_capacity;
   struct cm_vertex_shader_seen *vertex_shaders;
   size_t vertex_shaders_capacity;
   struct cm_fragment_shader_seen *fragment_shaders;
   size_t fragment_shaders_capacity;
   struct cm_pass_seen *passes; /* of the stream */
   size_t num_passes, passes_capacity;
   struct cm_pass previous; /* the head of the last one */
   struct cm_finding *findings;
   size_t num_findings, findings_capacity;
   /* Memory that is reused from pass to pass. */
   struct cm_array seen_vertices, numbers, sorted, covered, draws, reading_draws;
};

/** Stores a place, unless there is one. draw: of the pass; CM_NO_DRAW: none. */
void cm_advice_remember(const struct cm_advice *advice, struct cm_place *place, const struct cm_pass *pass,
                        uint32_t draw);
/** The element of an identifier in an array; new ones are zeros. NULL when out of memory. */
void *
cm_advice_element(struct cm_id_table *ids, void *array, size_t *capacity, uint32_t id, size_t element_bytes);
/** What is known of a resource; NULL: it is not defined. */
struct cm_resource_seen *cm_advice_seen(const struct cm_advice *advice, uint32_t id);
/** A new finding, at a place; NULL when out of memory. */
struct cm_finding *
cm_advice_add_finding(struct cm_advice *advice, enum cm_advice_rule rule, const struct cm_place *place);
/** Its only change, or another one; false when out of memory. */
bool cm_finding_add_change(struct cm_finding *finding, struct cm_change change);
/** Another resource that it is about; false when out of memory. */
bool cm_finding_add_resource(struct cm_finding *finding, uint32_t resource);
void cm_finding_add_evidence(struct cm_finding *finding, const char *name, double value);
/** The same of a sum over the counted frames, whose average it becomes. */
void cm_finding_add_average(const struct cm_advice *advice, struct cm_finding *finding, const char *name,
                            uint64_t sum);
/* Findings about what passes draw to. */
/** Bytes of an attachment. */
uint64_t cm_advice_image_bytes(const struct cm_advice *advice, uint32_t resource);
/** The finding of a rule about a resource, with a change that has passes, which is added where there is none yet; NULL when
 * out of memory. */
struct cm_finding *cm_advice_finding_of(struct cm_advice *advice, enum cm_advice_rule rule,
                                        enum cm_change_type change, uint32_t resource);
/** Adds a pass to the finding's change, or finds it there: the last one. NULL when out of memory, or where there is no finding. */
struct cm_changed_pass *cm_finding_add_pass(struct cm_finding *finding, uint64_t pass);
/** A pass of which the finding is, with that many bytes to save. Only counted ones are evidence. */
void cm_finding_count_pass(struct cm_finding *finding, const struct cm_pass_seen *seen, uint64_t bytes);
/** Removes the findings that no counted frame has. */
void cm_advice_drop_uncounted(struct cm_advice *advice);

/** Whether a part is large enough for a finding: a tenth of the whole, and so many per frame. */
static inline bool
cm_advice_is_large(const struct cm_advice *advice, uint64_t part, uint64_t whole, uint64_t least)
{
   return part >= least * advice->counted_frames && part && part * 10 >= whole;
}

/** advice_targets.c: loads, stores, passes. */
bool cm_advice_look_at_targets(struct cm_advice *advice, const struct cm_pass *pass);
/** Takes the stores that have ended (events/contents.h). */
void cm_advice_take_ends(struct cm_advice *advice);
bool cm_advice_find_targets(struct cm_advice *advice);

/** What of a pass can be kept: without its arrays, which go. If shaders before the rasterizer store, num_storages is not 0. */
struct cm_pass cm_advice_head(const struct cm_pass *pass);

/** advice_subpasses.c: what the pass that was added last reads (cm_contents_pass_reads), and whether it could be one with the pass
 * before it. False when out of memory. */
bool cm_advice_pass_reads(struct cm_advice *advice, const struct cm_pass *pass);
bool cm_advice_find_subpasses(struct cm_advice *advice);
void cm_advice_add_subpass_evidence(const struct cm_advice *advice, struct cm_finding *finding);

/** advice_coverage.c: bits of the attachments that the pass loads, and of which it draws over all pixels before it
 * reads or stores them. False when out of memory. */
bool cm_advice_unneeded_loads(struct cm_advice *advice, const struct cm_pass *pass, uint16_t *unneeded);

/** advice_textures.c: what is read of textures. */
void cm_advice_look_at_footprints(struct cm_advice *advice, const struct cm_pass *pass, uint32_t draw,
                                  const uint32_t *event);
bool cm_advice_find_textures(struct cm_advice *advice);

/** advice_draws.c: draws, the Parameter Buffer. */
bool cm_advice_look_at_draws(struct cm_advice *advice, const struct cm_pass *pass);
bool cm_advice_find_draws(struct cm_advice *advice);

#endif
