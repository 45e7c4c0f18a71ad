/* SPDX-License-Identifier: MIT */
/** The events of a recording (events/event_stream.h) as tables of comma-separated values: docs/python.md has their columns. */
#ifndef EVENT_TABLES_H
#define EVENT_TABLES_H

#include <stdio.h>

#include "input/session.h"

/** What a row is of. */
enum event_table {
   EVENT_TABLE_PASSES,
   EVENT_TABLE_DRAWS,
   EVENT_TABLE_PRIMITIVES,
   EVENT_TABLE_TILES, /**< that are touched */
   EVENT_TABLE_QUADS, /**< that are shaded, once per sample where the shader is; then those that are not, if known */
   EVENT_TABLE_FOOTPRINTS, /**< what a texture instruction reads of a level and slice for a quad */
   EVENT_TABLE_BUFFERS, /**< what an instruction accesses of a storage buffer for a quad or four invocations */
   EVENT_TABLE_IMAGES,  /**< what an instruction accesses of an image for a quad or four invocations */
   EVENT_TABLE_VERTEX_READS, /**< what a texture instruction of a shader before the rasterizer reads of a level and slice */
   EVENT_TABLE_VERTEX_STORAGE, /**< what an instruction of such a shader does to storage */
   EVENT_TABLE_CONTENTS,       /**< what is known of a surface that a tile stores, and of the tile's inputs */
   EVENT_TABLE_DESCRIPTORS,    /**< a descriptor that a shader of a draw names */
   EVENT_TABLES,
};
/** Their names, as --table has them. */
extern const char *const event_table_names[EVENT_TABLES];

/** Writes a line with the columns' names, then the rows of the session's frames in the order of the stream, tiles by
 * number. Exits with a message when out of memory; damage is left to session_check, errors of the file to its closing. */
void event_table_write(struct session *session, enum event_table table, FILE *file);

#endif
