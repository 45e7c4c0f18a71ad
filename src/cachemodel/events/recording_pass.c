/* SPDX-License-Identifier: MIT */
/* Resources and passes as bytes. Structures are written field by field, each as the
 * difference from the same field of the structure before; only the tables below name
 * the fields. */
#include <stdlib.h>

#include "events/recording_check.h"
#include "events/recording_format.h"

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
};

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

static const struct field draw_fields[] = {
   FIELD(struct cm_draw, vertex_program.id),
   FIELD(struct cm_draw, vertex_program.instructions),
   FIELD(struct cm_draw, vertex_program.constant_bytes),
   FIELD(struct cm_draw, geometry_program.id),
   FIELD(struct cm_draw, geometry_program.instructions),
   FIELD(struct cm_draw, geometry_program.constant_bytes),
   FIELD(struct cm_draw, fragment_program.id),
   FIELD(struct cm_draw, fragment_program.instructions),
   FIELD(struct cm_draw, fragment_program.constant_bytes),
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

static const struct field feedback_fields[] = {
   FIELD(struct cm_feedback, buffer), FIELD(struct cm_feedback, offset),  FIELD(struct cm_feedback, stride),
   FIELD(struct cm_feedback, bytes),  FIELD(struct cm_feedback, records),
};

/* Without first_tile: the primitives' tiles follow one another. */
static const struct field primitive_fields[] = {
   FIELD(struct cm_primitive, draw),
   FIELD(struct cm_primitive, num_attributes),
   FIELD(struct cm_primitive, num_tiles),
};

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

static void
put_fields(struct cm_byte_writer *writer, const struct field *fields, size_t count, const void *structure,
           const void *before)
{
   for (size_t i = 0; i < count; i++)
      cm_put_signed(writer, (int64_t)(load_field(structure, &fields[i]) - load_field(before, &fields[i])));
}

/* structure and before may be one. */
static void
get_fields(struct cm_byte_reader *reader, const struct field *fields, size_t count, void *structure,
           const void *before)
{
   for (size_t i = 0; i < count; i++) {
      const uint64_t value = load_field(before, &fields[i]) + (uint64_t)cm_get_signed(reader);
      if (!store_field(structure, &fields[i], value))
         reader->bad = true;
   }
}

#define PUT(writer, fields, structure, before) put_fields(writer, fields, COUNT(fields), structure, before)
#define GET(reader, fields, structure, before) get_fields(reader, fields, COUNT(fields), structure, before)

/* ---- resources ----------------------------------------------------------- */

static const struct cm_resource_description no_resource;

void
cm_encode_resource(struct cm_byte_writer *writer, const struct cm_resource_description *resource)
{
   PUT(writer, resource_fields, resource, &no_resource);
}

const char *
cm_decode_resource(struct cm_byte_reader *reader, struct cm_resource_description *resource)
{
   memset(resource, 0, sizeof *resource);
   GET(reader, resource_fields, resource, &no_resource);
   return reader->bad ? "a resource is cut short or has a value out of range" : cm_check_resource(resource);
}

/* ---- draws --------------------------------------------------------------- */

/* A draw without what stands in its arrays beyond the numbers used. */
static void
copy_used(struct cm_draw *copy, const struct cm_draw *draw)
{
   *copy = *draw;
   const uint32_t elements = draw->num_elements, textures = draw->num_textures;
   memset(copy->elements + elements, 0, (CM_MAX_VERTEX_ELEMENTS - elements) * sizeof *copy->elements);
   memset(copy->textures + textures, 0, (CM_MAX_TEXTURE_UNITS - textures) * sizeof *copy->textures);
}

static void
put_draws(struct cm_byte_writer *writer, const struct cm_pass *pass)
{
   struct cm_draw before = {0};
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      const struct cm_draw *draw = &pass->draws[d];
      PUT(writer, draw_fields, draw, &before);
      for (uint32_t e = 0; e < draw->num_elements; e++)
         PUT(writer, element_fields, &draw->elements[e], &before.elements[e]);
      for (uint32_t t = 0; t < draw->num_textures; t++)
         PUT(writer, binding_fields, &draw->textures[t], &before.textures[t]);
      copy_used(&before, draw);
   }
}

static bool
get_draws(struct cm_byte_reader *reader, struct cm_pass *pass)
{
   const struct cm_draw none = {0};
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      const struct cm_draw *before = d ? &pass->draws[d - 1] : &none;
      struct cm_draw *draw = &pass->draws[d];
      GET(reader, draw_fields, draw, before);
      if (reader->bad || draw->num_elements > CM_MAX_VERTEX_ELEMENTS ||
          draw->num_textures > CM_MAX_TEXTURE_UNITS)
         return false;
      for (uint32_t e = 0; e < draw->num_elements; e++)
         GET(reader, element_fields, &draw->elements[e], &before->elements[e]);
      for (uint32_t t = 0; t < draw->num_textures; t++)
         GET(reader, binding_fields, &draw->textures[t], &before->textures[t]);
   }
   return !reader->bad;
}

/* ---- arrays -------------------------------------------------------------- */

static void
put_numbers(struct cm_byte_writer *writer, const uint32_t *numbers, uint64_t count)
{
   uint32_t before = 0;
   for (uint64_t i = 0; i < count; i++) {
      cm_put_signed(writer, (int64_t)numbers[i] - before);
      before = numbers[i];
   }
}

static bool
get_numbers(struct cm_byte_reader *reader, uint32_t *numbers, uint64_t count)
{
   uint64_t number = 0;
   for (uint64_t i = 0; i < count; i++) {
      number += (uint64_t)cm_get_signed(reader);
      if (number > UINT32_MAX)
         return false;
      numbers[i] = (uint32_t)number;
   }
   return !reader->bad;
}

static void
put_feedback(struct cm_byte_writer *writer, const struct cm_pass *pass)
{
   const struct cm_feedback none = {0};
   for (uint64_t i = 0; i < pass->num_feedback; i++)
      PUT(writer, feedback_fields, &pass->feedback[i], i ? &pass->feedback[i - 1] : &none);
}

static bool
get_feedback(struct cm_byte_reader *reader, struct cm_pass *pass)
{
   const struct cm_feedback none = {0};
   for (uint64_t i = 0; i < pass->num_feedback; i++)
      GET(reader, feedback_fields, &pass->feedback[i], i ? &pass->feedback[i - 1] : &none);
   return !reader->bad;
}

static void
put_primitives(struct cm_byte_writer *writer, const struct cm_pass *pass)
{
   const struct cm_primitive none = {0};
   for (uint32_t p = 0; p < pass->num_primitives; p++)
      PUT(writer, primitive_fields, &pass->primitives[p], p ? &pass->primitives[p - 1] : &none);
}

static bool
get_primitives(struct cm_byte_reader *reader, struct cm_pass *pass)
{
   const struct cm_primitive none = {0};
   uint64_t first_tile = 0;
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      struct cm_primitive *primitive = &pass->primitives[p];
      GET(reader, primitive_fields, primitive, p ? primitive - 1 : &none);
      primitive->first_tile = first_tile;
      first_tile += primitive->num_tiles;
   }
   return !reader->bad && first_tile == pass->num_primitive_tiles;
}

/* One bit a tile. */
static void
put_touched(struct cm_byte_writer *writer, const struct cm_pass *pass)
{
   const uint32_t num_tiles = pass->tiles_x * pass->tiles_y;
   for (uint32_t t = 0; t < num_tiles; t += 8) {
      uint8_t bits = 0;
      for (uint32_t i = 0; i < 8 && t + i < num_tiles; i++)
         bits |= (uint8_t)(pass->touched[t + i] << i);
      cm_put_bytes(writer, &bits, 1);
   }
}

static void
get_touched(struct cm_byte_reader *reader, struct cm_pass *pass)
{
   const uint32_t num_tiles = pass->tiles_x * pass->tiles_y;
   uint8_t bits = 0;
   for (uint32_t t = 0; t < num_tiles; t++) {
      if (t % 8 == 0)
         bits = cm_get_byte(reader);
      pass->touched[t] = bits >> t % 8 & 1;
   }
}

/* ---- passes -------------------------------------------------------------- */

static const struct cm_attachment no_attachment;
static const struct cm_resolve no_resolve;

void
cm_encode_pass(struct cm_byte_writer *writer, const struct cm_pass *pass)
{
   const struct cm_pass none = {0};
   PUT(writer, pass_fields, pass, &none);
   for (uint32_t c = 0; c < pass->num_color; c++) {
      PUT(writer, attachment_fields, &pass->color[c], &no_attachment);
      PUT(writer, resolve_fields, &pass->resolve[c], &no_resolve);
   }
   PUT(writer, attachment_fields, &pass->depth, &no_attachment);
   PUT(writer, attachment_fields, &pass->stencil, &no_attachment);
   cm_put_varint(writer, pass->num_draws);
   cm_put_varint(writer, pass->num_vertices);
   cm_put_varint(writer, pass->num_feedback);
   cm_put_varint(writer, pass->num_primitives);
   cm_put_varint(writer, pass->num_primitive_tiles);
   put_touched(writer, pass);
   put_draws(writer, pass);
   put_numbers(writer, pass->vertices, pass->num_vertices);
   put_feedback(writer, pass);
   put_primitives(writer, pass);
   put_numbers(writer, pass->primitive_tiles, pass->num_primitive_tiles);
}

static void
get_attachments(struct cm_byte_reader *reader, struct cm_pass *pass)
{
   for (uint32_t c = 0; c < pass->num_color; c++) {
      GET(reader, attachment_fields, &pass->color[c], &no_attachment);
      GET(reader, resolve_fields, &pass->resolve[c], &no_resolve);
   }
   GET(reader, attachment_fields, &pass->depth, &no_attachment);
   GET(reader, attachment_fields, &pass->stencil, &no_attachment);
}

/* The number of things that take at least so many bytes each; they must be there. */
static uint64_t
get_count(struct cm_byte_reader *reader, size_t least_bytes, uint64_t limit)
{
   const uint64_t count = cm_get_varint(reader);
   if (count > limit || count > cm_bytes_left(reader) / least_bytes) {
      reader->bad = true;
      return 0;
   }
   return count;
}

static bool
allocate_arrays(struct cm_pass *pass)
{
   const size_t num_tiles = (size_t)pass->tiles_x * pass->tiles_y;
   pass->tiles = calloc(num_tiles, sizeof *pass->tiles);
   pass->touched = calloc(num_tiles, sizeof *pass->touched);
   pass->draws = calloc((size_t)pass->num_draws + 1, sizeof *pass->draws);
   pass->vertices = malloc((pass->num_vertices + 1) * sizeof *pass->vertices);
   pass->feedback = calloc(pass->num_feedback + 1, sizeof *pass->feedback);
   pass->primitives = calloc((size_t)pass->num_primitives + 1, sizeof *pass->primitives);
   pass->primitive_tiles = malloc((pass->num_primitive_tiles + 1) * sizeof *pass->primitive_tiles);
   return pass->tiles && pass->touched && pass->draws && pass->vertices && pass->feedback &&
          pass->primitives && pass->primitive_tiles;
}

const char *
cm_decode_pass(struct cm_byte_reader *reader, struct cm_pass *pass)
{
   const struct cm_pass none = {0};
   GET(reader, pass_fields, pass, &none);
   const char *wrong = reader->bad ? "a pass is cut short" : cm_check_pass_size(pass);
   if (wrong)
      return wrong;
   get_attachments(reader, pass);
   pass->num_draws = (uint32_t)get_count(reader, COUNT(draw_fields), UINT32_MAX);
   pass->num_vertices = get_count(reader, 1, UINT64_MAX);
   pass->num_feedback = get_count(reader, COUNT(feedback_fields), UINT64_MAX);
   pass->num_primitives = (uint32_t)get_count(reader, COUNT(primitive_fields), UINT32_MAX);
   pass->num_primitive_tiles = get_count(reader, 1, UINT64_MAX);
   if (reader->bad || cm_bytes_left(reader) < (size_t)pass->tiles_x * pass->tiles_y / 8)
      return "a pass is cut short";
   if (!allocate_arrays(pass))
      return "out of memory for a pass";
   get_touched(reader, pass);
   if (!get_draws(reader, pass))
      return "a draw is cut short or has a value out of range";
   if (!get_numbers(reader, pass->vertices, pass->num_vertices))
      return "vertex numbers are cut short or out of range";
   if (!get_feedback(reader, pass))
      return "transform feedback is cut short or out of range";
   if (!get_primitives(reader, pass))
      return "primitives are cut short or have values out of range";
   if (!get_numbers(reader, pass->primitive_tiles, pass->num_primitive_tiles))
      return "primitives' tiles are cut short or out of range";
   return reader->at == reader->end ? cm_check_pass(pass) : "a pass has bytes left over";
}

void
cm_pass_finish(struct cm_pass *pass)
{
   for (size_t t = 0; pass->tiles && t < (size_t)pass->tiles_x * pass->tiles_y; t++)
      free(pass->tiles[t].words);
   free(pass->tiles);
   free(pass->touched);
   free(pass->draws);
   free(pass->vertices);
   free(pass->feedback);
   free(pass->primitives);
   free(pass->primitive_tiles);
   memset(pass, 0, sizeof *pass);
}
