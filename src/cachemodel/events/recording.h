/* SPDX-License-Identifier: MIT */
/**
 * Reads a recording (events/recorder.h, docs/recording-format.md).
 *
 * Reading can start at any frame. All data is validated: the consumer (gpu/gpu.h) can
 * take it as if it came from the renderer. A file that is damaged or truncated is read up to
 * the damage, which is then reported.
 *
 * The functions of one recording are called from one thread at a time.
 */
#ifndef CM_RECORDING_H
#define CM_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/event_stream.h"
#include "events/recorder.h"
#include "events/recording_index.h"
#include "events/shader_code.h"
#include "results/writer.h"

struct cm_recording;

/** A pass; with its tiles' events as soon as `bytes` is not 0. */
struct cm_recorded_pass {
   struct cm_pass pass;
   size_t bytes;   /**< of its memory; 0: its tiles are not read yet */
   uint64_t parts; /**< offset of its tiles in the file */
};

struct cm_deferred;
/** Derives what deferred GPUs shade of a full pass (cm_deferred_build_pass), once for all of them; for others does nothing.
 * False, with nothing done, when out of memory. */
bool cm_recorded_pass_defer(struct cm_recorded_pass *pass, struct cm_deferred *deferred);

/** Frees the pass. Nothing for NULL. */
void cm_recorded_pass_release(struct cm_recorded_pass *pass);

/** Opens a file. NULL with a line in error if it is not a recording, or of a version that cannot be read. */
struct cm_recording *cm_recording_open(const char *path, char *error, size_t error_size);
void cm_recording_close(struct cm_recording *recording);

enum cm_recording_kind cm_recording_kind(const struct cm_recording *recording);
/** Whether it says which primitives are parts of one triangle (cm_primitive.reach_pixels): versions before 12 do not. */
bool cm_recording_has_parts(const struct cm_recording *recording);
/** Provenance: the values of "run" in stats.json, the configuration (as JSON) included. */
const struct cm_run_value *cm_recording_values(const struct cm_recording *recording, size_t *count);
/** Whether it says how often shaders ran their regions: files before version 12 do not. */
bool cm_recording_has_regions(const struct cm_recording *recording);
/** Whether it says what is known of tiles' contents (cm_pass.contents): files before version 13 do not. */
bool cm_recording_has_contents(const struct cm_recording *recording);
/** One of them; NULL if there is none of that name. */
const char *cm_recording_value(const struct cm_recording *recording, const char *key);

/** The whole frames, in order. */
const struct cm_indexed_frame *cm_recording_frames(const struct cm_recording *recording, size_t *count);
/** The number of GPUs of the frames first … last, one after another; see CM_ITEM_GPU. */
size_t cm_recording_count_gpus(const struct cm_recording *recording, size_t first, size_t last);

/** A 64-bit hash of the file's content, independent of its name: of its chunks' headers and checksums. It reads only these. */
uint64_t cm_recording_fingerprint(struct cm_recording *recording);

/** How the file ends. */
enum cm_recording_end {
   CM_RECORDING_WHOLE,
   CM_RECORDING_STOPPED,   /**< writing failed; the application went on */
   CM_RECORDING_UNFINISHED /**< without an index: the file was scanned instead */
};
enum cm_recording_end cm_recording_end(const struct cm_recording *recording);
/** What is wrong with the part of the file that has been read: a line with file and offset; NULL: nothing. */
const char *cm_recording_damage(const struct cm_recording *recording);
/** Whether the reason is too little memory, and nothing is wrong with the file. */
bool cm_recording_is_out_of_memory(const struct cm_recording *recording);

enum cm_item_type {
   CM_ITEM_GPU,       /**< a GPU begins: no resources, cold caches, no frame open */
   CM_ITEM_RESOURCES, /**< definitions, of names, too */
   CM_ITEM_PASS,
   CM_ITEM_FRAME_END,
   CM_ITEM_END,     /**< of the requested frames */
   CM_ITEM_DAMAGED, /**< nothing more can be read: cm_recording_damage */
};

struct cm_item {
   enum cm_item_type type;
   size_t frame;                              /**< index into cm_recording_frames */
   struct cm_resource_description *resources; /**< the caller's, to free */
   size_t num_resources;
   struct cm_name
      *names; /**< to be taken before the resources; the caller's, to free: their texts are in it */
   size_t num_names;
   struct cm_shader_code *codes; /**< the caller's, to free: their regions are in it */
   size_t num_codes;
   struct cm_recorded_pass *pass; /**< the caller's, to release */
};

/** Continues at frame `first` of cm_recording_frames; CM_ITEM_END follows frame `last`. */
void cm_recording_seek(struct cm_recording *recording, size_t first, size_t last);
/** The same without restarting: frames in between are left out, except for their definitions. A GPU follows
 * only if the frame is of another one. first: not before the end of what has been read; directly after
 * CM_ITEM_FRAME_END or CM_ITEM_END. */
void cm_recording_skip(struct cm_recording *recording, size_t first, size_t last);
/** The next part of the stream. After cm_recording_seek that is a GPU, and all its resources. */
struct cm_item cm_recording_next(struct cm_recording *recording);

/** The same, but the tiles of a pass, most of the work, are left to a cm_tile_reader. */
struct cm_item cm_recording_next_without_tiles(struct cm_recording *recording);

/** Reads tiles of passes: one pass after another, of several readers at the same time, also beside the recording's functions. */
struct cm_tile_reader;
/** NULL when out of memory. The recording must outlive it. */
struct cm_tile_reader *cm_tile_reader_create(const struct cm_recording *recording);
void cm_tile_reader_destroy(struct cm_tile_reader *reader);
/** Reads the tiles of a pass that has none yet. False if that fails: then the stream ends before this pass, even if the recording
 * has returned later items. The reader of the first pass that fails is for cm_recording_take_damage. */
bool cm_tile_reader_read(struct cm_tile_reader *reader, struct cm_recorded_pass *pass);
/** What a reader failed for becomes the recording's damage. */
void cm_recording_take_damage(struct cm_recording *recording, const struct cm_tile_reader *reader);

/** Calls found for all definitions in the file, whatever the frame: with an item CM_ITEM_GPU before those of a GPU,
 * and for each payload of definitions with CM_ITEM_RESOURCES, which is valid during the call. False where
 * not all can be read (cm_recording_damage). Afterwards cm_recording_seek is needed. */
bool cm_recording_list_definitions(struct cm_recording *recording,
                                   void (*found)(const struct cm_item *item, void *context), void *context);

/** Uncompressed and stored bytes of a kind of chunk (headers included), and how many there are. */
struct cm_recording_section {
   const char *name;
   uint64_t chunks, bytes, stored_bytes;
};
#define CM_RECORDING_MAX_SECTIONS 9
/** Scans the file's chunks; returns how many kinds there are. */
size_t cm_recording_sections(struct cm_recording *recording,
                             struct cm_recording_section sections[CM_RECORDING_MAX_SECTIONS]);

#endif
