/* SPDX-License-Identifier: MIT */
/* Resources and passes as bytes. Structures are written field by field, each as the
 * difference from the same field of the structure before; only the tables below name
 * the fields. One description serves both directions: what a coder's functions are given
 * is read where it has a writer, and filled where it has a reader. */
#include <assert.h>
#include <stdlib.h>

#include "events/recording_check.h"
#include "events/recording_format.h"
#include "events/tile_content.h"

struct field {
   uint16_t offset;
   uint8_t bytes; /* 1, 2, 4 or 8; 0: a bool */
};

#define FIELD(type, member) {offsetof(type, member), sizeof(((type *)NULL)->member)}
#define FLAG(type, member) {offsetof(type, member), 0}
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct field resource_fields[] = {
   FIELD(struct cm_resource_description, id),          FLAG(struct cm_resource_description, is_buffer),
   FIELD(struct cm_resource_description, levels),      FIELD(struct cm_resource_description, samples),
   FIELD(struct cm_resource_description, block_width), FIELD(struct cm_resource_description, block_height),
   FIELD(struct cm_resource_description, block_bytes), FIELD(struct cm_resource_description, width),
   FIELD(struct cm_resource_description, height),      FIELD(struct cm_resource_description, depth),
   FIELD(struct cm_resource_description, layers),      FLAG(struct cm_resource_description, is_displayable),
   FIELD(struct cm_resource_description, format),      FIELD(struct cm_resource_description, uses),
};

static const struct field pass_fields[] = {
   FIELD(struct cm_pass, frame),
   FIELD(struct cm_pass, kind),
   FIELD(struct cm_pass, width),
   FIELD(struct cm_pass, height),
   FIELD(struct cm_pass, tile_size),
   FIELD(struct cm_pass, tiles_x),
   FIELD(struct cm_pass, tiles_y),
   FIELD(struct cm_pass, layer_tiles_y),
   FIELD(struct cm_pass, attribute_blocks),
   FIELD(struct cm_pass, num_color),
   FIELD(struct cm_pass, end),
   FIELD(struct cm_pass, end_call),
};
/* The last ones, which older files do not have. */
#define PASS_ENDS 2

static const struct field attachment_fields[] = {
   FIELD(struct cm_attachment, resource),    FIELD(struct cm_attachment, level),
   FIELD(struct cm_attachment, layer),       FIELD(struct cm_attachment, more_layers),
   FIELD(struct cm_attachment, pixel_bytes), FLAG(struct cm_attachment, load),
   FLAG(struct cm_attachment, store),        FLAG(struct cm_attachment, clear),
};

static const struct field resolve_fields[] = {
   FIELD(struct cm_resolve, resource), FIELD(struct cm_resolve, level),    FIELD(struct cm_resolve, layer),
   FIELD(struct cm_resolve, x0),       FIELD(struct cm_resolve, y0),       FIELD(struct cm_resolve, x1),
   FIELD(struct cm_resolve, y1),       FIELD(struct cm_resolve, target_x), FIELD(struct cm_resolve, target_y),
   FLAG(struct cm_resolve, flip_y),
};

#define SHADER(member)                                                           \
   FIELD(struct cm_draw, member.id), FIELD(struct cm_draw, member.instructions), \
      FIELD(struct cm_draw, member.constant_bytes)
static const struct field draw_fields[] = {
   SHADER(vertex_shader),
   SHADER(geometry_shader),
   SHADER(fragment_shader),
   FIELD(struct cm_draw, index_buffer),
   FIELD(struct cm_draw, index_offset),
   FIELD(struct cm_draw, index_bytes),
   FIELD(struct cm_draw, instance),
   FIELD(struct cm_draw, first_instance),
   FIELD(struct cm_draw, num_elements),
   FIELD(struct cm_draw, num_vertices),
   FIELD(struct cm_draw, first_vertex),
   FIELD(struct cm_draw, first_vertex_number),
   FIELD(struct cm_draw, num_feedback),
   FIELD(struct cm_draw, first_feedback),
   FIELD(struct cm_draw, texture_reads),
   FIELD(struct cm_draw, num_textures),
   FLAG(struct cm_draw, tests.depth_test),
   FLAG(struct cm_draw, tests.depth_write),
   FLAG(struct cm_draw, tests.stencil_test),
   FLAG(struct cm_draw, tests.stencil_write),
   FLAG(struct cm_draw, tests.late),
   FLAG(struct cm_draw, tests.hierarchical),
   FIELD(struct cm_draw, tests.color_write),
   FIELD(struct cm_draw, tests.color_read),
   FIELD(struct cm_draw, tests.color_fetch),
   FLAG(struct cm_draw, tests.depth_fetch),
   FLAG(struct cm_draw, tests.stencil_fetch),
   FIELD(struct cm_draw, group),
   FIELD(struct cm_draw, marker),
   FIELD(struct cm_draw, call),
   FIELD(struct cm_draw, storage),
   FIELD(struct cm_draw, indirect.buffer),
   FIELD(struct cm_draw, indirect.offset),
   FIELD(struct cm_draw, indirect.bytes),
   SHADER(control_shader),
   SHADER(evaluation_shader),
   FIELD(struct cm_draw, patches),
   FIELD(struct cm_draw, control_invocations),
   FIELD(struct cm_draw, evaluation_invocations),
   FIELD(struct cm_draw, geometry_invocations),
   FIELD(struct cm_draw, num_accesses[CM_PRERASTER_VERTEX]),
   FIELD(struct cm_draw, first_vertex_access),
   FIELD(struct cm_draw, num_accesses[CM_PRERASTER_CONTROL]),
   FIELD(struct cm_draw, num_accesses[CM_PRERASTER_EVALUATION]),
   FIELD(struct cm_draw, num_accesses[CM_PRERASTER_GEOMETRY]),
   FIELD(struct cm_draw, num_regions[CM_PRERASTER_VERTEX]),
   FIELD(struct cm_draw, num_regions[CM_PRERASTER_CONTROL]),
   FIELD(struct cm_draw, num_regions[CM_PRERASTER_EVALUATION]),
   FIELD(struct cm_draw, num_regions[CM_PRERASTER_GEOMETRY]),
   FIELD(struct cm_draw, first_region_run),
};
/* The last of both, which files without names do not have; those of a draw before DRAW_STORAGE, DRAW_STAGES,
 * DRAW_VERTEX_READS, DRAW_ACCESSES and DRAW_REGIONS, the last ones, which older files do not have either. */
#define RESOURCE_NAMES 2
#define DRAW_NAMES 3
#define DRAW_STORAGE 4
#define DRAW_STAGES 10
#define DRAW_VERTEX_READS 2
#define DRAW_ACCESSES 3
#define DRAW_REGIONS 5

#define DISPATCH_FIELD(member) FIELD(struct cm_pass, dispatch.member)
static const struct field dispatch_fields[] = {
   DISPATCH_FIELD(shader.id),     DISPATCH_FIELD(shader.instructions), DISPATCH_FIELD(shader.constant_bytes),
   DISPATCH_FIELD(groups[0]),     DISPATCH_FIELD(groups[1]),           DISPATCH_FIELD(groups[2]),
   DISPATCH_FIELD(group_size[0]), DISPATCH_FIELD(group_size[1]),       DISPATCH_FIELD(group_size[2]),
   DISPATCH_FIELD(shared_bytes),  DISPATCH_FIELD(groups_per_tile),
};

static const struct field storage_fields[] = {
   FIELD(struct cm_storage, num_buffers),
   FIELD(struct cm_storage, num_images),
};

static const struct field storage_buffer_fields[] = {
   FIELD(struct cm_storage_buffer, resource),
   FIELD(struct cm_storage_buffer, offset),
   FIELD(struct cm_storage_buffer, bytes),
};

static const struct field element_fields[] = {
   FIELD(struct cm_vertex_element, buffer),           FIELD(struct cm_vertex_element, offset),
   FIELD(struct cm_vertex_element, stride),           FIELD(struct cm_vertex_element, bytes),
   FIELD(struct cm_vertex_element, instance_divisor),
};

static const struct field binding_fields[] = {
   FIELD(struct cm_texture_binding, resource),      FLAG(struct cm_texture_binding, repeat_s),
   FLAG(struct cm_texture_binding, repeat_t),       FIELD(struct cm_texture_binding, first_level),
   FIELD(struct cm_texture_binding, first_layer),   FIELD(struct cm_texture_binding, texel_bytes),
   FIELD(struct cm_texture_binding, buffer_offset),
};

/* Of vertex bindings; the last one files with nothing but texture reads do not have. */
static const struct field vertex_binding_fields[] = {
   FIELD(struct cm_texture_binding, resource),      FLAG(struct cm_texture_binding, repeat_s),
   FLAG(struct cm_texture_binding, repeat_t),       FIELD(struct cm_texture_binding, first_level),
   FIELD(struct cm_texture_binding, first_layer),   FIELD(struct cm_texture_binding, texel_bytes),
   FIELD(struct cm_texture_binding, buffer_offset), FLAG(struct cm_texture_binding, is_storage),
};
#define BINDING_STORAGE 1

static const struct field feedback_fields[] = {
   FIELD(struct cm_feedback, buffer), FIELD(struct cm_feedback, offset),  FIELD(struct cm_feedback, stride),
   FIELD(struct cm_feedback, bytes),  FIELD(struct cm_feedback, records),
};

static const struct field vertex_access_fields[] = {
   FIELD(struct cm_vertex_access, invocation), FIELD(struct cm_vertex_access, binding),
   FIELD(struct cm_vertex_access, layer),      FIELD(struct cm_vertex_access, level),
   FIELD(struct cm_vertex_access, linear),     FIELD(struct cm_vertex_access, x),
   FIELD(struct cm_vertex_access, y),          FIELD(struct cm_vertex_access, type),
   FIELD(struct cm_vertex_access, operation),  FIELD(struct cm_vertex_access, bytes),
};
/* The last ones, which files with nothing but texture reads do not have. */
#define ACCESS_STORAGE 3

/* Without first_tile: the primitives' tiles follow one another. */
static const struct field primitive_fields[] = {
   FIELD(struct cm_primitive, draw),          FIELD(struct cm_primitive, num_attributes),
   FIELD(struct cm_primitive, num_tiles),     FIELD(struct cm_primitive, reach_pixels),
   FIELD(struct cm_primitive, reach_percent),
};
/* The last ones, which older files do not have. */
#define PRIMITIVE_PARTS 2

static const struct field number_fields[] = {{0, sizeof(uint32_t)}};
static const struct field long_number_fields[] = {{0, sizeof(uint64_t)}};

static uint64_t
load_field(const void *structure, const struct field *field)
{
   const char *at = (const char *)structure + field->offset;
   switch (field->bytes) {
   case 0: return *(const bool *)at;
   case 1: return *(const uint8_t *)at;
   case 2: return *(const uint16_t *)at;
   case 4: return *(const uint32_t *)at;
   default: return *(const uint64_t *)at;
   }
}

/* False where the field does not hold the value. */
static bool
store_field(void *structure, const struct field *field, uint64_t value)
{
   char *at = (char *)structure + field->offset;
   switch (field->bytes) {
   case 0: *(bool *)at = value & 1; return value <= 1;
   case 1: *(uint8_t *)at = (uint8_t)value; return value <= UINT8_MAX;
   case 2: *(uint16_t *)at = (uint16_t)value; return value <= UINT16_MAX;
   case 4: *(uint32_t *)at = (uint32_t)value; return value <= UINT32_MAX;
   default: *(uint64_t *)at = value; return true;
   }
}

/* One of both is NULL. */
struct coder {
   struct cm_byte_writer *writer;
   struct cm_byte_reader *reader;
   bool without_names;   /* the file is of a version that has none */
   bool without_storage; /* likewise */
   bool without_stages;  /* likewise */
   bool without_vertex_reads;
   bool without_accesses; /* but for texture reads of vertex shaders */
   bool without_ends;     /* likewise */
   bool without_regions;  /* likewise */
   bool without_parts;
   bool without_addresses;
};

static bool
is_bad(const struct coder *coder)
{
   return coder->reader && coder->reader->bad;
}

/* structure and before may be one. */
static void
code_fields(const struct coder *coder, const struct field *fields, size_t count, void *structure,
            const void *before)
{
   assert(!coder->writer != !coder->reader);
   for (size_t i = 0; i < count; i++) {
      const uint64_t expected = load_field(before, &fields[i]);
      if (coder->writer)
         cm_put_signed(coder->writer, (int64_t)(load_field(structure, &fields[i]) - expected));
      else if (!store_field(structure, &fields[i], expected + (uint64_t)cm_get_signed(coder->reader)))
         coder->reader->bad = true;
   }
}

/* Each element as the difference from the one before. False where they are cut short or have values out of
 * range. */
static bool
code_array(const struct coder *coder, const struct field *fields, size_t num_fields, void *array,
           uint64_t count, size_t element_bytes)
{
   static const uint64_t none[8];
   assert(element_bytes <= sizeof none);
   const void *before = none;
   char *element = array;
   for (uint64_t i = 0; i < count && !is_bad(coder); i++, element += element_bytes) {
      code_fields(coder, fields, num_fields, element, before);
      before = element;
   }
   return !is_bad(coder);
}

#define CODE(coder, fields, structure, before) code_fields(coder, fields, COUNT(fields), structure, before)
#define CODE_ARRAY(coder, fields, array, count) \
   code_array(coder, fields, COUNT(fields), array, count, sizeof *(array))

/* ---- resources ----------------------------------------------------------- */

static const struct cm_resource_description no_resource;

static void
code_resource(const struct coder *coder, struct cm_resource_description *resource)
{
   code_fields(coder, resource_fields, COUNT(resource_fields) - (coder->without_names ? RESOURCE_NAMES : 0),
               resource, &no_resource);
}

void
cm_encode_resource(struct cm_byte_writer *writer, const struct cm_resource_description *resource)
{
   struct cm_resource_description copy;
   memcpy(&copy, resource, sizeof copy);
   code_resource(&(struct coder){.writer = writer}, &copy);
}

const char *
cm_decode_resource(struct cm_byte_reader *reader, uint32_t version, struct cm_resource_description *resource)
{
   const struct coder coder = {.reader = reader, .without_names = version < CM_RECORDING_NAMES_VERSION};
   memset(resource, 0, sizeof *resource);
   code_resource(&coder, resource);
   return reader->bad ? "a resource is cut short or has a value out of range" : cm_check_resource(resource);
}

/* ---- arrays -------------------------------------------------------------- */

/* Elements and textures are differences from those that the draw before uses. */
static bool
code_draws(const struct coder *coder, struct cm_pass *pass)
{
   const size_t fields =
      COUNT(draw_fields) - (coder->without_regions ? DRAW_REGIONS : 0) -
      (coder->without_accesses ? DRAW_ACCESSES : 0) - (coder->without_vertex_reads ? DRAW_VERTEX_READS : 0) -
      (coder->without_stages ? DRAW_STAGES : 0) - (coder->without_storage ? DRAW_STORAGE : 0) -
      (coder->without_names ? DRAW_NAMES : 0);
   struct cm_draw before = {0};
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      struct cm_draw *draw = &pass->draws[d];
      code_fields(coder, draw_fields, fields, draw, &before);
      const uint32_t elements = draw->num_elements, textures = draw->num_textures;
      if (is_bad(coder) || elements > CM_MAX_VERTEX_ELEMENTS || textures > CM_MAX_TEXTURE_UNITS)
         return false;
      for (uint32_t e = 0; e < elements; e++)
         CODE(coder, element_fields, &draw->elements[e], &before.elements[e]);
      for (uint32_t t = 0; t < textures; t++)
         CODE(coder, binding_fields, &draw->textures[t], &before.textures[t]);
      before = *draw;
      memset(before.elements + elements, 0, (CM_MAX_VERTEX_ELEMENTS - elements) * sizeof *before.elements);
      memset(before.textures + textures, 0, (CM_MAX_TEXTURE_UNITS - textures) * sizeof *before.textures);
   }
   return !is_bad(coder);
}

static bool
code_storages(const struct coder *coder, struct cm_pass *pass)
{
   static const struct cm_storage none;
   for (uint32_t s = 0; s < pass->num_storages; s++) {
      struct cm_storage *storage = &pass->storages[s];
      CODE(coder, storage_fields, storage, &none);
      if (is_bad(coder) || storage->num_buffers > CM_MAX_STORAGE_BUFFERS ||
          storage->num_images > CM_MAX_IMAGES)
         return false;
      for (uint32_t b = 0; b < storage->num_buffers; b++)
         CODE(coder, storage_buffer_fields, &storage->buffers[b], &none.buffers[0]);
      for (uint32_t i = 0; i < storage->num_images; i++)
         CODE(coder, binding_fields, &storage->images[i], &none.images[0]);
   }
   return !is_bad(coder);
}

/* One bit per tile. */
static void
code_touched(const struct coder *coder, struct cm_pass *pass)
{
   const uint32_t num_tiles = pass->tiles_x * pass->tiles_y;
   for (uint32_t t = 0; t < num_tiles; t += 8) {
      uint8_t bits = coder->reader ? cm_get_byte(coder->reader) : 0;
      for (uint32_t i = 0; i < 8 && t + i < num_tiles; i++) {
         if (coder->reader)
            pass->touched[t + i] = bits >> i & 1;
         else
            bits |= (uint8_t)(pass->touched[t + i] << i);
      }
      if (coder->writer)
         cm_put_bytes(coder->writer, &bits, 1);
   }
}

static size_t
num_vertex_binding_fields(const struct coder *coder)
{
   return COUNT(vertex_binding_fields) - (coder->without_accesses ? BINDING_STORAGE : 0);
}

static size_t
num_access_fields(const struct coder *coder)
{
   return COUNT(vertex_access_fields) - (coder->without_accesses ? ACCESS_STORAGE : 0);
}

static size_t
num_primitive_fields(const struct coder *coder)
{
   return COUNT(primitive_fields) - (coder->without_parts ? PRIMITIVE_PARTS : 0);
}

/* What is wrong, or NULL. */
static const char *
code_arrays(const struct coder *coder, struct cm_pass *pass)
{
   code_touched(coder, pass);
   if (!code_draws(coder, pass))
      return "a draw is cut short or has a value out of range";
   if (!coder->without_storage && !code_storages(coder, pass))
      return "storage is cut short or has a value out of range";
   if (!CODE_ARRAY(coder, number_fields, pass->addressed, pass->num_addressed))
      return "buffers with addresses are cut short or out of range";
   if (!CODE_ARRAY(coder, number_fields, pass->vertices, pass->num_vertices))
      return "vertex numbers are cut short or out of range";
   if (!CODE_ARRAY(coder, feedback_fields, pass->feedback, pass->num_feedback))
      return "transform feedback is cut short or out of range";
   if (!code_array(coder, vertex_binding_fields, num_vertex_binding_fields(coder), pass->vertex_bindings,
                   pass->num_vertex_bindings, sizeof *pass->vertex_bindings) ||
       !code_array(coder, vertex_access_fields, num_access_fields(coder), pass->vertex_accesses,
                   pass->num_vertex_accesses, sizeof *pass->vertex_accesses))
      return "accesses of vertices are cut short or out of range";
   if (!CODE_ARRAY(coder, long_number_fields, pass->region_runs, pass->num_region_runs))
      return "runs of regions are cut short";
   if (!code_array(coder, primitive_fields, num_primitive_fields(coder), pass->primitives,
                   pass->num_primitives, sizeof *pass->primitives))
      return "primitives are cut short or have values out of range";
   if (!CODE_ARRAY(coder, number_fields, pass->primitive_tiles, pass->num_primitive_tiles))
      return "primitives' tiles are cut short or out of range";
   return NULL;
}

/* ---- passes -------------------------------------------------------------- */

static const struct cm_pass no_pass;

static void
code_attachments(const struct coder *coder, struct cm_pass *pass)
{
   for (uint32_t c = 0; c < pass->num_color; c++) {
      CODE(coder, attachment_fields, &pass->color[c], &no_pass.color[0]);
      CODE(coder, resolve_fields, &pass->resolve[c], &no_pass.resolve[0]);
   }
   CODE(coder, attachment_fields, &pass->depth, &no_pass.depth);
   CODE(coder, attachment_fields, &pass->stencil, &no_pass.stencil);
}

/* The number of things that take at least so many bytes each, which must be there. */
static uint64_t
code_count(const struct coder *coder, uint64_t count, size_t least_bytes, uint64_t limit)
{
   if (coder->writer) {
      cm_put_varint(coder->writer, count);
      return count;
   }
   count = cm_get_varint(coder->reader);
   if (count <= limit && count <= cm_bytes_left(coder->reader) / least_bytes)
      return count;
   coder->reader->bad = true;
   return 0;
}

static void
code_counts(const struct coder *coder, struct cm_pass *pass)
{
   pass->num_draws = (uint32_t)code_count(coder, pass->num_draws,
                                          COUNT(draw_fields) - DRAW_NAMES - DRAW_STORAGE - DRAW_STAGES -
                                             DRAW_VERTEX_READS - DRAW_ACCESSES - DRAW_REGIONS,
                                          UINT32_MAX);
   if (!coder->without_storage)
      pass->num_storages = (uint32_t)code_count(coder, pass->num_storages, COUNT(storage_fields), UINT32_MAX);
   if (!coder->without_addresses)
      pass->num_addressed = (uint32_t)code_count(coder, pass->num_addressed, 1, CM_MAX_ADDRESSED);
   pass->num_vertices = code_count(coder, pass->num_vertices, 1, UINT64_MAX);
   pass->num_feedback = code_count(coder, pass->num_feedback, COUNT(feedback_fields), UINT64_MAX);
   if (!coder->without_vertex_reads) {
      pass->num_vertex_bindings =
         (uint32_t)code_count(coder, pass->num_vertex_bindings, num_vertex_binding_fields(coder), UINT32_MAX);
      pass->num_vertex_accesses =
         code_count(coder, pass->num_vertex_accesses, num_access_fields(coder), UINT64_MAX);
   }
   if (!coder->without_regions)
      pass->num_region_runs = code_count(coder, pass->num_region_runs, 1, UINT64_MAX);
   pass->num_primitives =
      (uint32_t)code_count(coder, pass->num_primitives, num_primitive_fields(coder), UINT32_MAX);
   pass->num_primitive_tiles = code_count(coder, pass->num_primitive_tiles, 1, UINT64_MAX);
}

static void
code_size(const struct coder *coder, struct cm_pass *pass)
{
   code_fields(coder, pass_fields, COUNT(pass_fields) - (coder->without_ends ? PASS_ENDS : 0), pass,
               &no_pass);
}

void
cm_encode_pass(struct cm_byte_writer *writer, const struct cm_pass *pass)
{
   const struct coder coder = {.writer = writer};
   struct cm_pass copy = *pass;
   code_size(&coder, &copy);
   if (pass->kind == CM_PASS_COMPUTE)
      CODE(&coder, dispatch_fields, &copy, &no_pass);
   code_attachments(&coder, &copy);
   code_counts(&coder, &copy);
   code_arrays(&coder, &copy);
}

static bool
allocate_arrays(struct cm_pass *pass)
{
   const size_t num_tiles = (size_t)pass->tiles_x * pass->tiles_y;
   pass->tiles = calloc(num_tiles, sizeof *pass->tiles);
   pass->touched = calloc(num_tiles, sizeof *pass->touched);
   pass->draws = calloc((size_t)pass->num_draws + 1, sizeof *pass->draws);
   pass->storages = calloc((size_t)pass->num_storages + 1, sizeof *pass->storages);
   pass->addressed = malloc(((size_t)pass->num_addressed + 1) * sizeof *pass->addressed);
   pass->vertices = malloc((pass->num_vertices + 1) * sizeof *pass->vertices);
   pass->feedback = calloc(pass->num_feedback + 1, sizeof *pass->feedback);
   pass->vertex_bindings = calloc((size_t)pass->num_vertex_bindings + 1, sizeof *pass->vertex_bindings);
   pass->vertex_accesses = calloc(pass->num_vertex_accesses + 1, sizeof *pass->vertex_accesses);
   pass->region_runs = malloc((pass->num_region_runs + 1) * sizeof *pass->region_runs);
   pass->primitives = calloc((size_t)pass->num_primitives + 1, sizeof *pass->primitives);
   pass->primitive_tiles = malloc((pass->num_primitive_tiles + 1) * sizeof *pass->primitive_tiles);
   return pass->tiles && pass->touched && pass->draws && pass->storages && pass->addressed &&
          pass->vertices && pass->feedback && pass->vertex_bindings && pass->vertex_accesses &&
          pass->region_runs && pass->primitives && pass->primitive_tiles;
}

const char *
cm_decode_pass(struct cm_byte_reader *reader, uint32_t version, struct cm_pass *pass)
{
   const struct coder coder = {.reader = reader,
                               .without_names = version < CM_RECORDING_NAMES_VERSION,
                               .without_storage = version < CM_RECORDING_STORAGE_VERSION,
                               .without_stages = version < CM_RECORDING_STAGES_VERSION,
                               .without_vertex_reads = version < CM_RECORDING_VERTEX_READS_VERSION,
                               .without_accesses = version < CM_RECORDING_ACCESSES_VERSION,
                               .without_ends = version < CM_RECORDING_ENDS_VERSION,
                               .without_regions = version < CM_RECORDING_REGIONS_VERSION,
                               .without_parts = version < CM_RECORDING_PARTS_VERSION,
                               .without_addresses = version < CM_RECORDING_ADDRESS_VERSION};
   code_size(&coder, pass);
   reader->bad |= pass->kind == CM_PASS_COMPUTE && coder.without_storage;
   if (pass->kind == CM_PASS_COMPUTE)
      CODE(&coder, dispatch_fields, pass, &no_pass);
   const char *wrong = reader->bad ? "a pass is cut short" : cm_check_pass_size(pass);
   if (wrong)
      return wrong;
   code_attachments(&coder, pass);
   code_counts(&coder, pass);
   if (reader->bad || cm_bytes_left(reader) < (size_t)pass->tiles_x * pass->tiles_y / 8)
      return "a pass is cut short";
   if (!allocate_arrays(pass))
      return CM_OUT_OF_MEMORY_FOR "a pass";
   wrong = code_arrays(&coder, pass);
   if (wrong)
      return wrong;
   uint64_t first_tile = 0;
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      pass->primitives[p].first_tile = first_tile;
      first_tile += pass->primitives[p].num_tiles;
   }
   return reader->at == reader->end ? cm_check_pass(pass) : "a pass has bytes left over";
}

void
cm_pass_finish(struct cm_pass *pass)
{
   for (size_t t = 0; pass->tiles && t < (size_t)pass->tiles_x * pass->tiles_y; t++)
      free(pass->tiles[t].words);
   for (size_t t = 0; pass->contents && t < (size_t)pass->tiles_x * pass->tiles_y; t++)
      cm_tile_content_finish(&pass->contents[t]);
   free(pass->contents);
   free(pass->tiles);
   free(pass->touched);
   free(pass->deferred_words);
   free(pass->deferred);
   free(pass->draws);
   free(pass->storages);
   free(pass->addressed);
   free(pass->descriptors);
   free(pass->vertices);
   free(pass->feedback);
   free(pass->vertex_bindings);
   free(pass->vertex_accesses);
   free(pass->region_runs);
   free(pass->primitives);
   free(pass->primitive_tiles);
   memset(pass, 0, sizeof *pass);
}
