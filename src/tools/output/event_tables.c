/* SPDX-License-Identifier: MIT */
#include "output/event_tables.h"

#include <inttypes.h>
#include <stdlib.h>

#include "events/recording.h"
#include "events/tile_content.h"
#include "tools.h"

const char *const event_table_names[EVENT_TABLES] = {"passes",         "draws",    "primitives",
                                                     "tiles",          "quads",    "footprints",
                                                     "buffers",        "images",   "vertex_reads",
                                                     "vertex_storage", "contents", "descriptors"};

#define FOOTPRINT_COLUMNS "resource,level,layer,linear,live,x0,y0,x1,y1,x2,y2,x3,y3"
#define COUNT_COLUMNS \
   "quads,fragments,unshaded_quads,texture_events,footprints,buffer_accesses,image_accesses"

static const char *const columns[EVENT_TABLES] = {
   [EVENT_TABLE_PASSES] =
      "frame,pass,kind,width,height,tile_size,tiles_x,tiles_y,draws,vertices,primitives,attributes,"
      "pmds,tiles," COUNT_COLUMNS,
   [EVENT_TABLE_DRAWS] = "frame,pass,draw,call,instance,vertices,primitives,attributes,pmds," COUNT_COLUMNS,
   [EVENT_TABLE_PRIMITIVES] = "frame,pass,primitive,draw,attributes,pmds",
   [EVENT_TABLE_TILES] = "frame,pass,tile,x,y,pmds," COUNT_COLUMNS,
   [EVENT_TABLE_QUADS] =
      "frame,pass,quad,tile,draw,primitive,x,y,shaded,deferred,hidden,sample,live,covered,visible,"
      "written",
   [EVENT_TABLE_FOOTPRINTS] = "frame,pass,quad,tile,draw,unit," FOOTPRINT_COLUMNS,
   [EVENT_TABLE_BUFFERS] =
      "frame,pass,quad,tile,draw,unit,operation,resource,bytes,live,offset0,offset1,offset2,offset3",
   [EVENT_TABLE_IMAGES] = "frame,pass,quad,tile,draw,unit,operation," FOOTPRINT_COLUMNS,
   [EVENT_TABLE_VERTEX_READS] = "frame,pass,draw,vertex,resource,level,layer,linear,x,y,stage",
   [EVENT_TABLE_VERTEX_STORAGE] =
      "frame,pass,draw,stage,invocation,operation,resource,bytes,offset,sample,layer,x,y",
   [EVENT_TABLE_CONTENTS] = "frame,pass,tile,inputs_as_1,inputs_as_2,inputs_as_3,surface,groups,as_memory,"
                            "as_frame_1,as_frame_2,as_frame_3,flat_blocks,raw_blocks,size",
   [EVENT_TABLE_DESCRIPTORS] = "frame,pass,draw,stage,set,set_size,descriptor,described,sampler",
};

static const char *const operation_names[CM_STORAGE_OPERATIONS] = {
   [CM_STORAGE_LOAD] = "load",
   [CM_STORAGE_STORE] = "store",
   [CM_STORAGE_ATOMIC] = "atomic",
};

static const char *const kind_names[] = {
   [CM_PASS_TBR] = "tbr",
   [CM_PASS_TBDR] = "tbdr",
   [CM_PASS_FULL] = "full",
   [CM_PASS_COMPUTE] = "compute",
};

/* What the events of a tile, a draw or a pass hold, with the names and meanings of struct cm_recording_counts. */
struct event_counts {
   uint64_t primitives, attributes, pmds;
   uint64_t quads, fragments, unshaded_quads, texture_events, footprints;
   uint64_t buffer_accesses, image_accesses; /* of quads, or of four invocations */
};

/* A pass on its way out. */
struct pass_rows {
   FILE *file;
   enum event_table table;
   const struct cm_pass *pass;
   unsigned frame, number;
   int64_t quads;              /* that have been read */
   struct event_counts *tiles; /* by tile, where the table has counts */
   struct event_counts *draws;
};

static void
begin_row(const struct pass_rows *rows)
{
   fprintf(rows->file, "%u,%u,", rows->frame, rows->number);
}

static void
write_counts(FILE *file, const struct event_counts *counts)
{
   fprintf(file, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
           counts->quads, counts->fragments, counts->unshaded_quads, counts->texture_events,
           counts->footprints, counts->buffer_accesses, counts->image_accesses);
}

static void
add_counts(struct event_counts *to, const struct event_counts *counts)
{
   for (unsigned c = 0; c < sizeof(*to) / sizeof(uint64_t); c++)
      ((uint64_t *)to)[c] += ((const uint64_t *)counts)[c];
}

/* ---- events of tiles ------------------------------------------------------------- */

/* A tile's events up to one of them. */
struct tile_state {
   uint32_t tile;
   uint32_t draw;      /* of the last quads */
   int64_t first_quad; /* number of the first of these; -1: invocations of a compute shader */
};

static void
write_quads(const struct pass_rows *rows, const struct tile_state *state, const uint32_t *event)
{
   const struct cm_pass *pass = rows->pass;
   const bool shaded = cm_event_type(*event) == CM_EVENT_SHADE;
   const struct cm_quad *quads = (const struct cm_quad *)(event + 2);
   const uint32_t left = state->tile % pass->tiles_x * pass->tile_size,
                  top = state->tile / pass->tiles_x * pass->tile_size;
   for (uint32_t q = 0; q < cm_event_count(*event); q++) {
      begin_row(rows);
      fprintf(rows->file, "%" PRId64 ",%u,%u,%u,%u,%u,%d,%d,%d,%d,%u,%u,%u,%u\n", state->first_quad + q,
              state->tile, state->draw, quads[q].primitive, left + 2u * quads[q].x, top + 2u * quads[q].y,
              shaded, shaded && *event & CM_SHADE_DEFERRED, !shaded && *event & CM_UNSHADED_HIDDEN,
              shaded ? (int)cm_event_sample(*event) - 1 : -1, quads[q].live, quads[q].covered,
              quads[q].visible, quads[q].written);
   }
}

/* The columns of a row up to the unit, of what the quad with that number in the event before it accesses. */
static void
begin_access(const struct pass_rows *rows, const struct tile_state *state, uint32_t quad, uint32_t unit)
{
   begin_row(rows);
   fprintf(rows->file, "%" PRId64 ",%u,%u,%u", state->first_quad < 0 ? -1 : state->first_quad + quad,
           state->tile, state->draw, unit);
}

static void
write_footprint(FILE *file, const struct cm_footprint *footprint, uint32_t resource)
{
   fprintf(file, ",%u,%u,%u,%u,%u", resource, footprint->level, footprint->layer, footprint->linear,
           footprint->live);
   for (unsigned i = 0; i < 4; i++) {
      if (footprint->live >> i & 1)
         fprintf(file, ",%d,%d", footprint->texel[i].x, footprint->texel[i].y);
      else
         fputs(",,", file);
   }
   putc('\n', file);
}

static void
write_footprints(const struct pass_rows *rows, const struct tile_state *state, const uint32_t *event)
{
   const uint32_t unit = cm_event_unit(*event);
   const uint32_t resource = rows->pass->draws[state->draw].textures[unit].resource;
   const struct cm_footprint *footprints = (const struct cm_footprint *)(event + 1);
   for (uint32_t f = 0; f < cm_event_count(*event); f++) {
      begin_access(rows, state, footprints[f].quad, unit);
      write_footprint(rows->file, &footprints[f], resource);
   }
}

/* What the draw's shader can load from and store to. */
static const struct cm_storage *
storage_of(const struct pass_rows *rows, const struct tile_state *state)
{
   return &rows->pass->storages[rows->pass->draws[state->draw].storage - 1];
}

static void
write_images(const struct pass_rows *rows, const struct tile_state *state, const uint32_t *event)
{
   const uint32_t unit = cm_storage_unit(*event);
   const uint32_t resource = storage_of(rows, state)->images[unit].resource;
   const struct cm_footprint *footprints = (const struct cm_footprint *)(event + 1);
   for (uint32_t f = 0; f < cm_event_count(*event); f++) {
      begin_access(rows, state, footprints[f].quad, unit);
      fprintf(rows->file, ",%s", operation_names[cm_storage_operation(*event)]);
      write_footprint(rows->file, &footprints[f], resource);
   }
}

static struct cm_storage_buffer
buffer_of(const struct pass_rows *rows, const struct tile_state *state, uint32_t unit,
          const struct cm_buffer_access *access)
{
   if (unit == CM_BY_ADDRESS)
      return (struct cm_storage_buffer){.resource = rows->pass->addressed[access->buffer]};
   return storage_of(rows, state)->buffers[unit];
}

static void
write_buffers(const struct pass_rows *rows, const struct tile_state *state, const uint32_t *event)
{
   const uint32_t unit = cm_storage_unit(*event);
   const struct cm_buffer_access *accesses = (const struct cm_buffer_access *)(event + 1);
   for (uint32_t a = 0; a < cm_event_count(*event); a++) {
      const struct cm_storage_buffer buffer = buffer_of(rows, state, unit, &accesses[a]);
      begin_access(rows, state, accesses[a].quad, unit);
      fprintf(rows->file, ",%s,%u,%u,%u", operation_names[cm_storage_operation(*event)], buffer.resource,
              cm_storage_bytes(*event), accesses[a].live);
      for (unsigned i = 0; i < 4; i++) {
         if (accesses[a].live >> i & 1)
            fprintf(rows->file, ",%" PRIu64, (uint64_t)buffer.offset + accesses[a].offset[i]);
         else
            putc(',', rows->file);
      }
      putc('\n', rows->file);
   }
}

static void
count_quads(struct event_counts *counts, const uint32_t *event)
{
   const uint32_t count = cm_event_count(*event);
   if (cm_event_type(*event) != CM_EVENT_SHADE) {
      counts->unshaded_quads += count;
      return;
   }
   const struct cm_quad *quads = (const struct cm_quad *)(event + 2);
   counts->quads += count;
   for (uint32_t q = 0; q < count; q++)
      counts->fragments += (unsigned)__builtin_popcount(quads[q].live);
}

static void
take_quads(struct pass_rows *rows, struct tile_state *state, const uint32_t *event)
{
   state->draw = event[1];
   state->first_quad = rows->quads;
   rows->quads += cm_event_count(*event);
   if (rows->table == EVENT_TABLE_QUADS)
      write_quads(rows, state, event);
   count_quads(&rows->tiles[state->tile], event);
   count_quads(&rows->draws[state->draw], event);
}

/* An event of what the quads before it access. */
static void
take_accesses(struct pass_rows *rows, const struct tile_state *state, const uint32_t *event)
{
   const uint32_t count = cm_event_count(*event);
   struct event_counts counts = {0};
   if (cm_event_type(*event) == CM_EVENT_FOOTPRINTS) {
      counts = (struct event_counts){.texture_events = 1, .footprints = count};
      if (rows->table == EVENT_TABLE_FOOTPRINTS)
         write_footprints(rows, state, event);
   } else if (cm_event_type(*event) == CM_EVENT_IMAGE) {
      counts.image_accesses = count;
      if (rows->table == EVENT_TABLE_IMAGES)
         write_images(rows, state, event);
   } else {
      counts.buffer_accesses = count;
      if (rows->table == EVENT_TABLE_BUFFERS)
         write_buffers(rows, state, event);
   }
   add_counts(&rows->tiles[state->tile], &counts);
   add_counts(&rows->draws[state->draw], &counts);
}

static void
take_tile(struct pass_rows *rows, uint32_t tile)
{
   const struct cm_tile_events *events = &rows->pass->tiles[tile];
   struct tile_state state = {.tile = tile, .first_quad = -1};
   const uint32_t *end = events->words + events->num_words;
   for (const uint32_t *event = events->words; event < end; event = cm_event_next(event)) {
      const enum cm_event_type type = cm_event_type(*event);
      if (type == CM_EVENT_SHADE || type == CM_EVENT_UNSHADED)
         take_quads(rows, &state, event);
      else if (type == CM_EVENT_FOOTPRINTS || type == CM_EVENT_BUFFER || type == CM_EVENT_IMAGE)
         take_accesses(rows, &state, event);
   }
}

/* ---- tables of a pass ------------------------------------------------------------ */

static void
take_primitives(struct pass_rows *rows)
{
   const struct cm_pass *pass = rows->pass;
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      const struct cm_primitive *primitive = &pass->primitives[p];
      const struct event_counts counts = {.primitives = 1,
                                          .attributes = primitive->num_attributes,
                                          .pmds = primitive->num_tiles};
      add_counts(&rows->draws[primitive->draw], &counts);
      for (uint32_t t = 0; t < primitive->num_tiles; t++)
         rows->tiles[pass->primitive_tiles[primitive->first_tile + t]].pmds++;
      if (rows->table == EVENT_TABLE_PRIMITIVES) {
         begin_row(rows);
         fprintf(rows->file, "%u,%u,%u,%u\n", p, primitive->draw, primitive->num_attributes,
                 primitive->num_tiles);
      }
   }
}

static void
write_tiles(const struct pass_rows *rows)
{
   const struct cm_pass *pass = rows->pass;
   for (uint32_t t = 0; t < pass->tiles_x * pass->tiles_y; t++) {
      if (!pass->touched[t])
         continue;
      begin_row(rows);
      fprintf(rows->file, "%u,%u,%u,%" PRIu64 ",", t, t % pass->tiles_x * pass->tile_size,
              t / pass->tiles_x * pass->tile_size, rows->tiles[t].pmds);
      write_counts(rows->file, &rows->tiles[t]);
   }
}

/* A row begins with whether the tile's inputs were those of the frames before. */
static void
write_surface(const struct pass_rows *rows, uint32_t tile, unsigned inputs,
              const struct cm_stored_surface *surface)
{
   const unsigned groups = (unsigned)surface->columns * surface->rows;
   unsigned same[1 + CM_EARLIER_FRAMES] = {0}, flat = 0, raw = 0, size = 0;
   for (unsigned g = 0; g < groups; g++) {
      for (unsigned bit = 0; bit <= CM_EARLIER_FRAMES; bit++)
         same[bit] += surface->same[g] >> bit & 1;
   }
   for (unsigned b = 0; b < groups * CM_GROUP_BLOCKS; b++) {
      flat += !surface->sizes[b];
      raw += surface->sizes[b] == CM_RAW_SIZE;
      size += surface->sizes[b];
   }
   begin_row(rows);
   fprintf(rows->file, "%u,%u,%u,%u,", tile, inputs >> 1 & 1, inputs >> 2 & 1, inputs >> 3 & 1);
   if (surface->slot == CM_SLOT_DEPTH || surface->slot == CM_SLOT_STENCIL)
      fputs(surface->slot == CM_SLOT_DEPTH ? "depth" : "stencil", rows->file);
   else
      fprintf(rows->file, "%s%u", surface->slot < CM_CONTENT_RESOLVE ? "color" : "resolve",
              surface->slot % CM_CONTENT_RESOLVE);
   fprintf(rows->file, ",%u,%u,%u,%u,%u,%u,%u,%.4f\n", groups, same[0], same[1], same[2], same[3], flat, raw,
           size / (double)(groups * CM_GROUP_BLOCKS * CM_RAW_SIZE));
}

static void
write_contents(const struct pass_rows *rows)
{
   const struct cm_pass *pass = rows->pass;
   for (uint32_t t = 0; pass->contents && t < pass->tiles_x * pass->tiles_y; t++) {
      struct cm_stored_surface surface;
      for (size_t at = 0; cm_tile_content_next(&pass->contents[t], &at, &surface);)
         write_surface(rows, t, pass->contents[t].same_inputs, &surface);
   }
}

static void
write_draws(const struct pass_rows *rows)
{
   const struct cm_pass *pass = rows->pass;
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      const struct event_counts *counts = &rows->draws[d];
      begin_row(rows);
      fprintf(rows->file, "%u,", d);
      if (pass->draws[d].call)
         fprintf(rows->file, "%u", pass->draws[d].call);
      fprintf(rows->file, ",%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", pass->draws[d].instance,
              (uint64_t)pass->draws[d].num_vertices, counts->primitives, counts->attributes, counts->pmds);
      write_counts(rows->file, counts);
   }
}

static const char *const stage_names[CM_PRERASTER_STAGES] = {
   [CM_PRERASTER_VERTEX] = "vertex",
   [CM_PRERASTER_CONTROL] = "tess_control",
   [CM_PRERASTER_EVALUATION] = "tess_evaluation",
   [CM_PRERASTER_GEOMETRY] = "geometry",
};

static void
write_vertex_read(const struct pass_rows *rows, uint32_t draw, enum cm_preraster_stage stage,
                  const struct cm_vertex_access *read)
{
   begin_row(rows);
   fprintf(rows->file, "%u,%u,%u,%u,%u,%u,%d,%d,%s\n", draw, read->invocation,
           rows->pass->vertex_bindings[read->binding].resource, read->level, read->layer, read->linear,
           (int16_t)read->x, (int16_t)read->y, stage_names[stage]);
}

static void
write_vertex_storage(const struct pass_rows *rows, uint32_t draw, enum cm_preraster_stage stage,
                     const struct cm_vertex_access *access)
{
   const struct cm_texture_binding *binding = &rows->pass->vertex_bindings[access->binding];
   begin_row(rows);
   fprintf(rows->file, "%u,%s,%u,%s,%u,", draw, stage_names[stage], access->invocation,
           operation_names[access->operation], binding->resource);
   if (access->type == CM_VERTEX_BUFFER)
      fprintf(rows->file, "%u,%" PRIu64 ",,,,\n", access->bytes,
              (uint64_t)binding->buffer_offset + access->layer);
   else
      fprintf(rows->file, ",,%u,%u,%d,%d\n", access->level, access->layer, (int16_t)access->x,
              (int16_t)access->y);
}

/* What the draws' shaders before the rasterizer access: textures or storage. */
static void
write_vertex_accesses(const struct pass_rows *rows)
{
   const struct cm_pass *pass = rows->pass;
   const bool of_textures = rows->table == EVENT_TABLE_VERTEX_READS;
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      const struct cm_vertex_access *access = pass->vertex_accesses + pass->draws[d].first_vertex_access;
      for (enum cm_preraster_stage stage = 0; stage < CM_PRERASTER_STAGES; stage++) {
         for (uint32_t i = 0; i < pass->draws[d].num_accesses[stage]; i++, access++) {
            if (of_textures && access->type == CM_VERTEX_TEXTURE)
               write_vertex_read(rows, d, stage, access);
            else if (!of_textures && access->type != CM_VERTEX_TEXTURE)
               write_vertex_storage(rows, d, stage, access);
         }
      }
   }
}

static void
write_descriptors(const struct pass_rows *rows)
{
   static const char *const names[CM_SHADER_STAGES] = {
      [CM_SHADER_VERTEX] = "vertex",
      [CM_SHADER_FRAGMENT] = "fragment",
      [CM_SHADER_GEOMETRY] = "geometry",
      [CM_SHADER_COMPUTE] = "compute",
      [CM_SHADER_TESS_CONTROL] = "tess_control",
      [CM_SHADER_TESS_EVALUATION] = "tess_evaluation",
   };
   const struct cm_pass *pass = rows->pass;
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      const struct cm_descriptors *descriptors = pass->descriptors + pass->draws[d].first_descriptor;
      for (uint32_t i = 0; i < pass->draws[d].num_descriptors; i++, descriptors++) {
         for (uint32_t n = 0; n < descriptors->count; n++) {
            begin_row(rows);
            fprintf(rows->file, "%u,%s,%u,%u,%u,%d,%d\n", d, names[descriptors->stage], descriptors->set,
                    descriptors->set_size, descriptors->first + n,
                    descriptors->parts & CM_DESCRIPTOR_RESOURCE ? 1 : 0,
                    descriptors->parts & CM_DESCRIPTOR_SAMPLER ? 1 : 0);
         }
      }
   }
}

static void
write_pass(const struct pass_rows *rows)
{
   const struct cm_pass *pass = rows->pass;
   struct event_counts counts = {0};
   uint64_t vertices = 0;
   uint32_t touched = 0;
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      add_counts(&counts, &rows->draws[d]);
      vertices += pass->draws[d].num_vertices;
   }
   for (uint32_t t = 0; t < pass->tiles_x * pass->tiles_y; t++)
      touched += pass->touched[t];
   begin_row(rows);
   fprintf(rows->file, "%s,%u,%u,%u,%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u,",
           kind_names[pass->kind], pass->width, pass->height, pass->tile_size, pass->tiles_x, pass->tiles_y,
           pass->num_draws, vertices, counts.primitives, counts.attributes, counts.pmds, touched);
   write_counts(rows->file, &counts);
}

static struct event_counts *
allocate_counts(size_t count)
{
   struct event_counts *counts = calloc(count ? count : 1, sizeof(*counts));
   if (!counts)
      fail(STATUS_FAILED, "out of memory");
   return counts;
}

static void
take_pass(struct pass_rows *rows)
{
   const uint32_t num_tiles = rows->pass->tiles_x * rows->pass->tiles_y;
   rows->tiles = allocate_counts(num_tiles);
   rows->draws = allocate_counts(rows->pass->num_draws);
   rows->quads = 0;
   take_primitives(rows);
   for (uint32_t t = 0; t < num_tiles; t++)
      take_tile(rows, t);
   if (rows->table == EVENT_TABLE_PASSES)
      write_pass(rows);
   else if (rows->table == EVENT_TABLE_DRAWS)
      write_draws(rows);
   else if (rows->table == EVENT_TABLE_TILES)
      write_tiles(rows);
   else if (rows->table == EVENT_TABLE_CONTENTS)
      write_contents(rows);
   else if (rows->table == EVENT_TABLE_VERTEX_READS || rows->table == EVENT_TABLE_VERTEX_STORAGE)
      write_vertex_accesses(rows);
   else if (rows->table == EVENT_TABLE_DESCRIPTORS)
      write_descriptors(rows);
   free(rows->tiles);
   free(rows->draws);
}

void
event_table_write(struct session *session, enum event_table table, FILE *file)
{
   struct simulations *simulations = &session->simulations;
   struct pass_rows rows = {.file = file, .table = table};
   fprintf(file, "%s\n", columns[table]);
   cm_recording_seek(simulations->recording, simulations->first_frame, simulations->last_frame);
   for (;;) {
      struct cm_item item = cm_recording_next(simulations->recording);
      if (item.type == CM_ITEM_END || item.type == CM_ITEM_DAMAGED)
         break;
      if (item.type == CM_ITEM_PASS) {
         rows.pass = &item.pass->pass;
         rows.frame = session_frame_number(session, (unsigned)item.frame);
         take_pass(&rows);
         rows.number++;
      } else if (item.type == CM_ITEM_FRAME_END || item.type == CM_ITEM_GPU) {
         rows.number = 0;
      }
      free(item.resources);
      free(item.names);
      free(item.codes);
      cm_recorded_pass_release(item.pass);
   }
}
