/* SPDX-License-Identifier: MIT */
/**
 * The log that the timings read: the accesses of the access stream (access/access_stream.h), in order, and the items of
 * the pipeline that caused them, each with the position in it where its entries end.
 *
 * Positions are numbers of entries, of a pass that is logged in parts from its first one on: who needs one first reads what the
 * stream has not delivered yet.
 */
#ifndef CM_TIMING_LOG_H
#define CM_TIMING_LOG_H

#include "access/request_log.h"
#include "timing/timing.h"

/* ---- items --------------------------------------------------------------- */

/** A draw: its shaders' tokens, its vertices, what its other stages access, transform feedback. */
struct cm_logged_draw {
   uint32_t instructions; /**< of the vertex shader */
   struct {
      uint64_t invocations;
      uint32_t instructions;
      uint32_t first_accessing, num_accessing; /**< its invocations of the log's accessing[] */
   } stages[CM_PRERASTER_STAGES];              /**< those after the vertices */
   bool has_stages;                            /**< any of them runs */
   /** Of shader cores: the numbers of what an invocation costs, by stage, and of the part with a vertex' varyings. */
   uint32_t costs[CM_PRERASTER_STAGES], varyings_cost;
   uint32_t begin;
   uint32_t program_end;
   uint32_t num_vertices, num_primitives;
   uint32_t stages_end; /**< end of their accesses */
   uint32_t tokens_end;
};

/** An invocation of a stage after the vertices that accesses textures or storage. */
struct cm_logged_invocation {
   uint32_t number; /**< among those of its draw and stage */
   uint32_t begin, end;
};

/** Stages go through a log's vertices with a cursor. */
struct cm_vertex_cursor {
   uint32_t draw, vertex; /**< the next one's number in the log */
   uint32_t draw_vertex;  /**< and in its draw */
};

struct cm_logged_vertex {
   uint32_t accesses_begin; /**< the tokens of what its shader accesses */
   uint32_t tokens_end;
   uint32_t accesses : 31; /**< of the first cache of vertices and indices */
   uint32_t reused : 1;
};

/** Of the tile-based pipeline, tokens of an item begin where those of the item before it end; quads are struct
 * cm_logged_quad, which refers to a struct cm_logged_kind. */
struct cm_logged_binned {
   /** That the Signature Unit takes, and updates; 0: it is not signed. */
   uint32_t signed_blocks, signed_tiles;
   uint32_t tokens_end;
   uint32_t draw; /**< number in the pass, as in all items */
   uint32_t num_tiles;
   uint32_t num_attributes;
};

/** A primitive of a tile. */
struct cm_logged_fetched {
   uint32_t tokens_end;
   uint32_t index; /**< in the pass */
   uint32_t draw;
   uint32_t attributes;
   uint32_t quads; /**< that it covers in the tile, as far as is known */
   /** When it entered the output queue, which the Tile Fetcher's timing writes; of shader cores when its vertices are shaded,
    * where tiles shade them; or CM_UNKNOWN. */
   uint64_t ready;
   /* Where tiles shade vertices. */
   uint32_t vertices_end; /**< the log's vertices before this one are its own, or of primitives before it */
   uint32_t vertex_cost;  /**< the number of what one of its own costs */
};

/** A quad of a tile: what it does not share with others of its kind. */
struct cm_logged_quad {
   uint32_t tokens_end;
   uint32_t kind : 24; /**< number in the log's kinds */
   uint32_t processor : 8;
};
#define CM_MAX_LOGGED_KINDS (1u << 24)

/** Entries of a hierarchical list that the Tile Fetcher drops. */
struct cm_logged_dropped {
   uint32_t tokens_end; /**< a group of accesses to blocks; it ends before the primitive's tokens */
   uint32_t before;     /**< the primitive that it fetches next: number in the log */
   uint32_t cycles;     /**< to drop them */
};

/** A part of a tile's load or flush: up to the next one. */
struct cm_logged_surface {
   uint32_t begin;
   uint32_t resource;
};

/** In mode imr; blocks are struct cm_logged_block. */
struct cm_logged_primitive {
   uint32_t num_regions;
   uint32_t draw;
};

struct cm_logged_region {
   uint32_t begin, hiz_end;
   uint32_t update_begin, end; /**< HiZ is written */
   uint32_t num_blocks;
   uint32_t draw;
   uint32_t tile; /**< row-major number in the pass */
};

/** A work-group; invocations of it that run together, up to a barrier: a run. */
struct cm_logged_group {
   uint32_t begin, program_end; /**< the fetch of its shader */
   uint32_t instructions;       /**< of each quad, in all its runs */
   uint32_t invocations;
   uint32_t num_runs, phases; /**< phases: barriers + 1 */
   uint32_t processor;
};

struct cm_logged_run {
   uint32_t tokens_end;
   uint32_t phase;
   uint32_t accesses; /**< footprints, and instructions of sub-groups that access storage */
   uint32_t quads;    /**< of four invocations */
   uint32_t more;     /**< instructions of all of them besides the work-group's */
};

/* ---- quads that a shading worker runs -------------------------------------- */

/** Quads of a tile and their kinds, with their groups and lookups (requests), from which the ends of quads count. */
struct cm_quad_log {
   struct cm_quad_log *next;
   cm_entry *requests;
   struct cm_logged_quad *quads;
   struct cm_logged_kind *kinds; /**< their costs are of this log */
   struct cm_shader_cost *costs;
   uint32_t num_requests, num_quads, num_kinds, num_costs;
   size_t request_capacity, quad_capacity, kind_capacity, cost_capacity;
   bool out_of_memory; /**< something is missing: it cannot be merged */
};

void cm_quad_log_destroy(struct cm_quad_log *log);
/** That its lists have allocated, and itself. */
size_t cm_quad_log_bytes(const struct cm_quad_log *log);

/** Makes room for another item of a list of it. */
static inline bool
cm_quad_log_make_room(struct cm_quad_log *log, void *items, size_t *capacity, uint32_t count, size_t bytes)
{
   log->out_of_memory |= !cm_array_make_room(items, capacity, count, 1, bytes);
   return !log->out_of_memory;
}

/** A cost for kinds. Returns its number. */
static inline uint32_t
cm_quad_log_add_cost(struct cm_quad_log *log, const struct cm_shader_cost *cost)
{
   if (!cm_quad_log_make_room(log, &log->costs, &log->cost_capacity, log->num_costs, sizeof *cost))
      return 0;
   log->costs[log->num_costs] = *cost;
   return log->num_costs++;
}

/** The next quads are of a kind. */
static inline void
cm_quad_log_add_kind(struct cm_quad_log *log, const struct cm_logged_kind *kind)
{
   if (!cm_quad_log_make_room(log, &log->kinds, &log->kind_capacity, log->num_kinds, sizeof *kind))
      return;
   log->kinds[log->num_kinds++] = *kind;
   log->out_of_memory = log->num_kinds > CM_MAX_LOGGED_KINDS;
}

/** A quad of that kind has run, or failed, on a processor, and so many requests have been made. */
static inline void
cm_quad_log_add(struct cm_quad_log *log, uint32_t requests, uint32_t processor)
{
   if (!cm_quad_log_make_room(log, &log->quads, &log->quad_capacity, log->num_quads, sizeof *log->quads))
      return;
   assert(log->num_kinds);
   log->quads[log->num_quads++] = (struct cm_logged_quad){.tokens_end = requests,
                                                          .kind = log->num_kinds - 1,
                                                          .processor = (uint8_t)processor};
}

/* ---- the log ------------------------------------------------------------- */

/** Lists of a log: X(type, name). Entries: accesses (CM_ENTRY_WRITE_BLOCK as CM_ENTRY_WRITE), groups, lookups,
 * requests. */
#define CM_LOG_LISTS(X)                      \
   X(cm_entry, entries)                      \
   X(struct cm_shader_cost, costs)           \
   X(struct cm_logged_draw, draws)           \
   X(struct cm_logged_vertex, vertices)      \
   X(struct cm_logged_invocation, accessing) \
   X(struct cm_logged_binned, binned)        \
   X(struct cm_logged_fetched, fetched)      \
   X(struct cm_logged_dropped, dropped)      \
   X(struct cm_logged_quad, quads)           \
   X(struct cm_logged_kind, kinds)           \
   X(struct cm_access_run, caused)           \
   X(struct cm_logged_surface, surfaces)     \
   X(struct cm_logged_primitive, primitives) \
   X(struct cm_logged_region, regions)       \
   X(struct cm_logged_block, blocks)         \
   X(struct cm_logged_group, groups)         \
   X(struct cm_logged_run, runs)

struct cm_log {
#define CM_LOG_LIST(type, name) \
   struct {                     \
      type *items;              \
      uint32_t count;           \
      size_t capacity;          \
   } name;
   CM_LOG_LISTS(CM_LOG_LIST)
#undef CM_LOG_LIST
   uint32_t marks[CM_LOG_MARK_COUNT]; /**< entries before */
   /** A tile's quads, until cm_log_merge; NULL: they are in the lists. Their requests are missing after the first quads_begin entries;
    * caused says which of the entries that follow them belong where among the requests. */
   struct cm_quad_log *quad_log;
   uint32_t quads_begin;
   /* After it: where all entries are, and what the lists had before. */
   struct cm_entry_buffer *merged;
   cm_entry *unmerged;
   struct cm_logged_quad *own_quads;
   struct cm_logged_kind *own_kinds;
};

/** How many entries it has, with its quads' requests. */
static inline uint32_t
cm_log_num_entries(const struct cm_log *log)
{
   return log->entries.count + (log->quad_log ? log->quad_log->num_requests : 0);
}

/** Memory for the entries of a log. */
struct cm_entry_buffer {
   struct cm_entry_buffer *next;
   size_t capacity;
   cm_entry entries[];
};

/** Puts the requests of its quad_log between its entries, all in a buffer that has room for them (cm_log_num_entries): then the log
 * is as if no shading worker had run the quads. False when out of memory; the log is as before then. */
bool cm_log_merge(struct cm_log *log, struct cm_entry_buffer *buffer);
/** The log is read: its lists have their own memory again. Returns the buffer, and leaves quad_log; NULL: it was not merged. */
struct cm_entry_buffer *cm_log_separate(struct cm_log *log);

/** Empties it, and keeps its memory. */
void cm_log_clear(struct cm_log *log);
void cm_log_finish(struct cm_log *log);
/** Its lists give back memory that they do not need. */
void cm_log_fit(struct cm_log *log);
/** That its lists have allocated. */
size_t cm_log_bytes(const struct cm_log *log);
/** Appends the next part of a pass, whose positions count from the pass' first items. False when out of memory; the log is as
 * before then. */
bool cm_log_append(struct cm_log *log, const struct cm_log *next);

/** The draw of a cursor's vertex, which exists: draws without vertices are passed over. */
static inline const struct cm_logged_draw *
cm_log_draw(const struct cm_log *log, struct cm_vertex_cursor *cursor)
{
   while (cursor->draw_vertex == log->draws.items[cursor->draw].num_vertices) {
      cursor->draw++;
      cursor->draw_vertex = 0;
   }
   return &log->draws.items[cursor->draw];
}

/** Whether a primitive of a draw (its number there) is complete with so many vertices. The event stream does not say
 * which vertices make which primitive: of n vertices and k primitives, the i-th primitive is complete with vertex
 * ⌈i * n / k⌉. */
static inline bool
cm_draw_completes(const struct cm_logged_draw *draw, uint32_t primitive, uint64_t vertices)
{
   return (uint64_t)(primitive + 1) * draw->num_vertices <= vertices * draw->num_primitives;
}

/** How many invocations of a stage there are for so many of the draw's vertices. The event stream does not say which
 * vertices cause which invocations: all cause the same share. */
static inline uint64_t
cm_draw_invocations(const struct cm_logged_draw *draw, enum cm_preraster_stage stage, uint64_t vertices)
{
   const uint64_t all = draw->stages[stage].invocations, n = draw->num_vertices;
   return all / n * vertices + all % n * vertices / n;
}

/** The tokens of an invocation of a stage. *next: how many of the stage's invocations that access something have been
 * found, which it advances; the first call with 0, and invocations ascend. NULL: it accesses nothing. */
static inline const struct cm_logged_invocation *
cm_draw_accesses(const struct cm_log *log, const struct cm_logged_draw *draw, enum cm_preraster_stage stage,
                 uint64_t invocation, uint32_t *next)
{
   const struct cm_logged_invocation *item =
      &log->accessing.items[draw->stages[stage].first_accessing + *next];
   if (*next == draw->stages[stage].num_accessing || item->number != invocation)
      return NULL;
   (*next)++;
   return item;
}

/** The last of the stages that output vertices, and do so in this draw; CM_PRERASTER_CONTROL: none does. */
static inline enum cm_preraster_stage
cm_draw_last_stage(const struct cm_logged_draw *draw)
{
   if (draw->stages[CM_PRERASTER_GEOMETRY].invocations)
      return CM_PRERASTER_GEOMETRY;
   return draw->stages[CM_PRERASTER_EVALUATION].invocations ? CM_PRERASTER_EVALUATION : CM_PRERASTER_CONTROL;
}

/** For a CM_ENTRY_GROUP of the stream storage. */
static inline enum cm_storage_operation
cm_group_operation(cm_entry group)
{
   return (enum cm_storage_operation)cm_entry_unit(group);
}

/** Whether a group is a store's: nothing waits for what it reads, the rest of a block. */
static inline bool
cm_is_store_group(cm_entry group)
{
   return cm_entry_stream(group) == CM_STREAM_STORAGE && cm_group_operation(group) == CM_STORAGE_STORE;
}

/** The end of a group of tokens that begins at token. */
static inline const cm_entry *
cm_group_end(const cm_entry *token, const cm_entry *end)
{
   token++;
   while (token < end && cm_entry_kind(*token) != CM_ENTRY_GROUP)
      token++;
   return token;
}

/** What a quad of the log is like. */
static inline const struct cm_logged_kind *
cm_log_kind(const struct cm_log *log, const struct cm_logged_quad *quad)
{
   assert(quad->kind < log->kinds.count);
   return &log->kinds.items[quad->kind];
}

static inline const cm_entry *
cm_log_token(const struct cm_log *log, uint32_t number)
{
   return log->entries.items + number;
}

#endif
