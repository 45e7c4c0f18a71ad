/* SPDX-License-Identifier: MIT */
/** Descriptions: YAML with one value a key, which may be replaced (--set). */
#include <cyaml/cyaml.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

#define MAX_PRIMITIVES 1000000

#define WORDS(name, ...) static const cyaml_strval_t name##_words[] = {__VA_ARGS__}
WORDS(look, {"board", BOARD}, {"map", MAP}, {"runner", RUNNER}, {"racing", RACING}, {"shooter", SHOOTER},
      {"maze", MAZE}, {"arena", ARENA}, {"slingshot", SLINGSHOT}, {"valley", VALLEY}, {"city", CITY});
WORDS(order, {"strips", STRIPS}, {"scattered", SCATTERED});
WORDS(reuse_counts, {"tiles", TILES}, {"further-tiles", FURTHER_TILES});
WORDS(parameter_buffer_counts, {"blocks", BLOCKS}, {"attributes", ATTRIBUTES});
WORDS(texture_format, {"rgba8", RGBA8}, {"rgb565", RGB565}, {"etc1", ETC1}, {"etc2", ETC2}, {"astc", ASTC});
WORDS(texture_filter, {"bilinear", NEAREST_LEVEL}, {"trilinear", TRILINEAR}, {"one-level", ONE_LEVEL});
WORDS(target, {"window", WINDOW}, {"rgba8", TARGET_RGBA8}, {"rgb10_a2", TARGET_RGB10_A2},
      {"rgba16f", TARGET_RGBA16F});
WORDS(shadow_kind, {"depth", SHADOW_DEPTH}, {"color", SHADOW_COLOR});

static const cyaml_schema_value_t text = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)};

static const cyaml_schema_field_t free_fields[] = {
   CYAML_FIELD_STRING_PTR("key", CYAML_FLAG_POINTER, struct free_parameter, key, 1, CYAML_UNLIMITED),
   CYAML_FIELD_SEQUENCE("range", CYAML_FLAG_POINTER, struct free_parameter, range, &text, 2, CYAML_UNLIMITED),
   CYAML_FIELD_END,
};
static const cyaml_schema_value_t free_entry = {
   CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct free_parameter, free_fields)};

static const cyaml_schema_field_t difference_fields[] = {
   CYAML_FIELD_STRING_PTR("of", CYAML_FLAG_POINTER, struct difference, of, 1, CYAML_UNLIMITED),
   CYAML_FIELD_STRING_PTR("why", CYAML_FLAG_POINTER, struct difference, why, 1, CYAML_UNLIMITED),
   CYAML_FIELD_END,
};
static const cyaml_schema_value_t difference_entry = {
   CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct difference, difference_fields)};

#define TEXT(key) \
   CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER, struct description, key, 1, CYAML_UNLIMITED)
#define UINT(key) CYAML_FIELD_UINT(#key, CYAML_FLAG_OPTIONAL, struct description, key)
#define NUMBER(key) CYAML_FIELD_FLOAT(#key, CYAML_FLAG_OPTIONAL, struct description, key)
#define WORD(key)                                                                                        \
   CYAML_FIELD_ENUM(#key, CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT, struct description, key, key##_words, \
                    CYAML_ARRAY_LEN(key##_words))
#define LIST(key, entry)                                                                                   \
   CYAML_FIELD_SEQUENCE(#key, CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER, struct description, key, entry, 0, \
                        CYAML_UNLIMITED)

static const cyaml_schema_field_t fields[] = {
   TEXT(name),
   TEXT(title),
   CYAML_FIELD_ENUM("look", CYAML_FLAG_STRICT, struct description, look, look_words,
                    CYAML_ARRAY_LEN(look_words)),
   TEXT(resolution),
   UINT(seed),
   UINT(frames),
   NUMBER(parameter_buffer),
   WORD(parameter_buffer_counts),
   NUMBER(reuse),
   WORD(reuse_counts),
   NUMBER(primitives_per_tile),
   UINT(primitives),
   NUMBER(tiles_per_primitive),
   NUMBER(attributes),
   UINT(mesh),
   UINT(objects_per_mesh),
   WORD(order),
   NUMBER(overdraw),
   NUMBER(blended),
   NUMBER(culled),
   UINT(textures),
   WORD(texture_format),
   WORD(texture_filter),
   UINT(texture_size),
   NUMBER(texture_footprint),
   NUMBER(texture_share),
   NUMBER(texels_per_pixel),
   UINT(texture_reads),
   UINT(instructions),
   NUMBER(average_instructions),
   UINT(vertex_instructions),
   NUMBER(vertex_share),
   NUMBER(camera),
   NUMBER(moving),
   WORD(target),
   NUMBER(scale),
   UINT(gbuffer),
   UINT(samples),
   UINT(shadow_maps),
   UINT(shadow_size),
   WORD(shadow_kind),
   NUMBER(reflection),
   UINT(post),
   UINT(bloom),
   NUMBER(consumed),
   LIST(free, &free_entry),
   LIST(differs, &difference_entry),
   CYAML_FIELD_END,
};
static const cyaml_schema_value_t schema = {
   CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct description, fields)};

/* What libcyaml says of a file, in one line. */
static void
collect(cyaml_log_t level, void *context, const char *format, va_list arguments)
{
   char *message = context;
   const size_t length = strlen(message), room = 600 - length;
   if (level < CYAML_LOG_ERROR || room < 2)
      return;
   const int written = vsnprintf(message + length, room, format, arguments);
   for (char *c = message + length; *c; c++) {
      if (*c == '\n')
         *c = ' ';
   }
   (void)written;
}

static const cyaml_config_t *
configuration(char *message)
{
   static cyaml_config_t config = {.log_fn = collect, .mem_fn = cyaml_mem, .log_level = CYAML_LOG_ERROR};
   config.log_ctx = message;
   return &config;
}

static char *
read_file(const char *path)
{
   FILE *file = fopen(path, "rb");
   if (!file)
      fail("%s: cannot be opened", path);
   char *content = allocate(65536, 1);
   const size_t bytes = fread(content, 1, 65535, file);
   if (bytes == 65535)
      fail("%s: too long", path);
   fclose(file);
   content[bytes] = '\0';
   return content;
}

static bool
is_key(const char *setting, size_t length)
{
   for (const cyaml_schema_field_t *field = fields; field->key; field++) {
      if (strlen(field->key) == length && !strncmp(field->key, setting, length))
         return field->value.type != CYAML_SEQUENCE;
   }
   return false;
}

static bool
begins_with_key(const char *line, const char *key, size_t length)
{
   return !strncmp(line, key, length) && line[length] == ':';
}

/* A second line of a key would be ignored, or be replaced as the first one is. */
static void
check_keys(const char *content, const char *path)
{
   for (const cyaml_schema_field_t *field = fields; field->key; field++) {
      unsigned found = 0;
      for (const char *line = content; line; line = strchr(line, '\n')) {
         line += *line == '\n';
         found += begins_with_key(line, field->key, strlen(field->key));
      }
      if (found > 1)
         fail("%s: %s: more than once", path, field->key);
   }
}

/* Replaces the line of a key, which occurs once at most, or appends one. */
static char *
replace(char *content, const char *setting)
{
   const char *equals = strchr(setting, '=');
   if (!equals || !is_key(setting, equals - setting))
      fail("--set %s: not KEY=VALUE of a key that descriptions have", setting);
   const size_t length = equals - setting;
   char *result = allocate(strlen(content) + strlen(setting) + 4, 1), *out = result;
   bool found = false;
   for (const char *line = content; *line;) {
      const char *end = strchr(line, '\n');
      end = end ? end + 1 : line + strlen(line);
      if (begins_with_key(line, setting, length)) {
         out += sprintf(out, "%.*s: %s\n", (int)length, setting, equals + 1);
         found = true;
      } else {
         memcpy(out, line, end - line);
         out += end - line;
      }
      line = end;
   }
   if (!found)
      sprintf(out, "%s%.*s: %s\n", out > result && out[-1] != '\n' ? "\n" : "", (int)length, setting,
              equals + 1);
   free(content);
   return result;
}

#define DEFAULT(key, value) \
   if (!description->key)   \
   description->key = value

/* Of an attribute, as parameter_buffer counts it: the block that it begins, or what it has of it. */
unsigned
attribute_bytes(const struct description *description)
{
   return description->parameter_buffer_counts == ATTRIBUTES ? 48 : 64;
}

/* How many primitives there are, on how many tiles each: from the Parameter Buffer where that is published. */
static void
derive(struct description *description, const char *path)
{
   const double further = description->reuse_counts == FURTHER_TILES;
   description->tiles =
      description->reuse > 0 ? description->reuse + further : description->tiles_per_primitive;
   if (!(description->tiles >= 1))
      fail("%s: needs reuse or tiles_per_primitive, of 1 tile at least", path);
   const double bytes = attribute_bytes(description);
   double primitives = description->primitives;
   if (description->primitives_per_tile > 0 && description->parameter_buffer > 0) {
      const double tiles =
         (double)((description->width + TILE - 1) / TILE) * ((description->height + TILE - 1) / TILE);
      primitives = description->primitives_per_tile * tiles / description->tiles;
      description->attributes =
         (description->parameter_buffer * MEBIBYTE / primitives - 4 * description->tiles) / bytes;
   } else if (description->parameter_buffer > 0) {
      const double of_each = bytes * description->attributes + 4 * description->tiles;
      primitives = description->parameter_buffer * MEBIBYTE / of_each;
   }
   if (!(primitives >= 16 && primitives <= MAX_PRIMITIVES))
      fail("%s: needs parameter_buffer or primitives, of 16 to %d primitives", path, MAX_PRIMITIVES);
   description->num_primitives = primitives + 0.5;
   if (!(description->attributes >= 2 - 0.2 && description->attributes <= MAX_ATTRIBUTES))
      fail(
         "%s: parameter_buffer, reuse and primitives_per_tile leave %.2f attributes per primitive; it can be "
         "2 to %d",
         path, description->attributes, MAX_ATTRIBUTES);
}

/* Numbers that are not integers: 0, which stands for one that is not given, up to a limit; no NaN. */
static void
check_numbers(const struct description *description, const char *path)
{
#define LIMIT(key, most) {#key, offsetof(struct description, key), most}
   static const struct {
      const char *key;
      size_t offset;
      double most;
   } limits[] = {
      LIMIT(parameter_buffer, 1024),
      LIMIT(reuse, 65536),
      LIMIT(primitives_per_tile, 1e6),
      LIMIT(tiles_per_primitive, 65536),
      LIMIT(attributes, MAX_ATTRIBUTES),
      LIMIT(overdraw, 16),
      LIMIT(blended, 1),
      LIMIT(culled, 8),
      LIMIT(texture_footprint, 4096),
      LIMIT(texture_share, 100),
      LIMIT(texels_per_pixel, 64),
      LIMIT(average_instructions, 10000),
      LIMIT(vertex_share, 10),
      LIMIT(camera, 1024),
      LIMIT(moving, 1),
      LIMIT(scale, 1),
      LIMIT(reflection, 1),
      LIMIT(consumed, 1),
   };
#undef LIMIT
   for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
      const double value = *(const double *)((const char *)description + limits[i].offset);
      if (!(value >= 0 && value <= limits[i].most))
         fail("%s: %s: 0 to %g", path, limits[i].key, limits[i].most);
   }
}

static void
check(struct description *description, const char *path)
{
   char rest;
   if (sscanf(description->resolution, "%ux%u%c", &description->width, &description->height, &rest) != 2 ||
       description->width < TILE || description->height < TILE || description->width > 8192 ||
       description->height > 8192)
      fail("%s: resolution: not WIDTHxHEIGHT of %d to 8192 pixels", path, TILE);
   check_numbers(description, path);
   DEFAULT(frames, 8);
   DEFAULT(attributes, 3);
   DEFAULT(mesh, 6);
   DEFAULT(objects_per_mesh, 1);
   DEFAULT(overdraw, 2);
   DEFAULT(textures, 16);
   DEFAULT(texture_reads, 1);
   DEFAULT(scale, 1);
   DEFAULT(samples, 1);
   DEFAULT(consumed, 1);
   DEFAULT(shadow_size, 1024);
   if (description->overdraw <= 1)
      fail("%s: overdraw: more than 1, 16 at most", path);
   if (description->mesh > 64 || description->textures > 1024 || description->texture_size > 2048)
      fail("%s: mesh: 64 at most; textures: 1024; texture_size: 2048", path);
   if (description->texture_reads > MAX_READS || description->gbuffer > 4)
      fail("%s: texture_reads: %d at most; gbuffer: 4", path, MAX_READS);
   if (description->samples != 1 && (description->samples != 4 || description->target == WINDOW))
      fail("%s: samples: 1, or 4 of another target than the window", path);
   if (description->shadow_maps > 4 || description->shadow_size > 4096 || description->bloom > 6)
      fail("%s: shadow_maps: 4 at most; shadow_size: 4096; bloom: 6", path);
   derive(description, path);
}

struct description *
read_description(const char *path, char *const *settings, unsigned num_settings)
{
   char message[600] = "";
   char *content = read_file(path);
   check_keys(content, path);
   for (unsigned i = 0; i < num_settings; i++) {
      content = replace(content, settings[i]);
      check_keys(content, path);
   }
   struct description *description = NULL;
   const cyaml_err_t error =
      cyaml_load_data((const uint8_t *)content, strlen(content), configuration(message), &schema,
                      (cyaml_data_t **)&description, NULL);
   free(content);
   if (error != CYAML_OK)
      fail("%s: %s: %s", path, cyaml_strerror(error), message);
   check(description, path);
   return description;
}

void
free_description(struct description *description)
{
   char message[600] = "";
   cyaml_free(configuration(message), &schema, description, 0);
}
