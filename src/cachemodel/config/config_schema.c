/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "config/config_internal.h"
#include "dram_devices.h"

#define MEMBER_TYPE(member) __typeof__(((struct cm_config *)NULL)->member)
typedef MEMBER_TYPE(tile) tile_config;
typedef MEMBER_TYPE(frame) frame_config;
typedef MEMBER_TYPE(parameter_buffer) parameter_buffer_config;
typedef MEMBER_TYPE(vertex_stage) vertex_stage_config;
typedef MEMBER_TYPE(fragment_stage) fragment_stage_config;
typedef MEMBER_TYPE(shader) shader_config;
typedef MEMBER_TYPE(texture) texture_config;
typedef MEMBER_TYPE(texture_access) texture_access_config;
typedef MEMBER_TYPE(dram) dram_config;
typedef struct cm_primitive_buffer_config primitive_buffer_config;

static const cyaml_strval_t timing_mode_names[] = {{"off", CM_TIMING_OFF}, {"on", CM_TIMING_ON}};
static const cyaml_strval_t mode_names[] = {
   {"tbdr", CM_MODE_TBDR},
   {"tbr", CM_MODE_TBR},
   {"imr", CM_MODE_IMR},
};
const char *const cm_mode_names[CM_MODE_COUNT] = {"tbdr", "tbr", "imr"};
static const cyaml_strval_t order_names[] = {
   {"scanline", CM_TILE_ORDER_SCANLINE},
   {"z-order", CM_TILE_ORDER_Z},
   {"hilbert", CM_TILE_ORDER_HILBERT},
};
static const cyaml_strval_t traversal_names[] = {
   {"forward", CM_TRAVERSAL_FORWARD},
   {"boustrophedonic", CM_TRAVERSAL_BOUSTROPHEDONIC},
};
static const cyaml_strval_t layout_names[] = {
   {"baseline", CM_PB_LAYOUT_BASELINE},
   {"interleaved", CM_PB_LAYOUT_INTERLEAVED},
};
static const cyaml_strval_t scheduler_names[] = {
   {"round-robin", CM_SCHEDULER_ROUND_ROBIN},
   {"quad-block", CM_SCHEDULER_QUAD_BLOCK},
   {"least-work", CM_SCHEDULER_LEAST_WORK},
};
static const cyaml_strval_t placement_names[] = {
   {"linear", CM_PLACEMENT_LINEAR},
   {"4d", CM_PLACEMENT_4D},
   {"6d", CM_PLACEMENT_6D},
   {"rz", CM_PLACEMENT_RZ},
   {"morton-4k", CM_PLACEMENT_MORTON_4K},
};
#define POLICY_NAME(id, name, definition, description) {name, CM_POLICY_##id},
static const cyaml_strval_t policy_names[] = {CM_POLICIES(POLICY_NAME)};
#define POLICY_STRING(id, name, definition, description) name,
#define POLICY_DESCRIPTION(id, name, definition, description) description,
const char *const cm_policy_names[CM_POLICY_COUNT] = {CM_POLICIES(POLICY_STRING)};
const char *const cm_policy_descriptions[CM_POLICY_COUNT] = {CM_POLICIES(POLICY_DESCRIPTION)};
static const cyaml_strval_t index_names[] = {{"modulo", CM_INDEX_MODULO}, {"xor", CM_INDEX_XOR}};
static const cyaml_strval_t write_miss_names[] = {
   {"allocate", CM_WRITE_MISS_ALLOCATE},
   {"fetch", CM_WRITE_MISS_FETCH},
};
static const cyaml_strval_t further_victims_names[] = {
   {"all-sets", CM_FURTHER_VICTIMS_ALL_SETS},
   {"next-sets", CM_FURTHER_VICTIMS_NEXT_SETS},
};
#define UNIT_NAME(id, name, description) {#name, CM_UNIT_##id},
static const cyaml_strval_t unit_names[] = {CM_CACHES(UNIT_NAME){"dram", CM_UNIT_DRAM}};

static const cyaml_strval_t organisation_names[] = {
   {"none", CM_NUCA_NONE},     {"private", CM_NUCA_PRIVATE},
   {"s-nuca", CM_NUCA_STATIC}, {"d-nuca", CM_NUCA_DYNAMIC},
   {"dtm-nuca", CM_NUCA_DTM},  {"dtm-nuca-distributed", CM_NUCA_DTM_DISTRIBUTED},
};
static const cyaml_strval_t requests_names[] = {
   {"footprint", CM_NUCA_REQUESTS_FOOTPRINT},
   {"fragment", CM_NUCA_REQUESTS_FRAGMENT},
};
static const cyaml_strval_t migration_names[] = {
   {"next-requester", CM_NUCA_MIGRATION_NEXT_REQUESTER},
   {"last-requester", CM_NUCA_MIGRATION_LAST_REQUESTER},
};
static const cyaml_strval_t remote_hits_names[] = {
   {"update", CM_NUCA_REMOTE_HITS_UPDATE},
   {"keep", CM_NUCA_REMOTE_HITS_KEEP},
};
static const cyaml_strval_t counted_names[] = {
   {"all", CM_AFFINITY_COUNTED_ALL},
   {"local-misses", CM_AFFINITY_COUNTED_LOCAL_MISSES},
};
static const cyaml_strval_t epoch_owner_names[] = {
   {"recompute", CM_EPOCH_OWNER_RECOMPUTE},
   {"keep", CM_EPOCH_OWNER_KEEP},
   {"release", CM_EPOCH_OWNER_RELEASE},
};
static const cyaml_strval_t table_place_names[] = {
   {"center", CM_MESH_PLACE_CENTER},
   {"corner", CM_MESH_PLACE_CORNER},
};
static const cyaml_strval_t l2_place_names[] = {
   {"bus", CM_MESH_PLACE_BUS},
   {"center", CM_MESH_PLACE_CENTER},
   {"corner", CM_MESH_PLACE_CORNER},
};

#define UINT(type, member) CYAML_FIELD_UINT(#member, CYAML_FLAG_DEFAULT, type, member)
#define OPTIONAL_UINT(type, member) CYAML_FIELD_UINT(#member, CYAML_FLAG_OPTIONAL, type, member)
#define ENUM(type, member, names) \
   CYAML_FIELD_ENUM(#member, CYAML_FLAG_STRICT, type, member, names, CYAML_ARRAY_LEN(names))

static const cyaml_schema_field_t tile_fields[] = {
   UINT(tile_config, size),
   ENUM(tile_config, order, order_names),
   CYAML_FIELD_END,
};
static const cyaml_schema_field_t frame_fields[] = {
   ENUM(frame_config, traversal, traversal_names),
   CYAML_FIELD_END,
};
static const cyaml_schema_field_t parameter_buffer_fields[] = {
   ENUM(parameter_buffer_config, layout, layout_names),
   UINT(parameter_buffer_config, attribute_blocks),
   CYAML_FIELD_END,
};
static const cyaml_schema_field_t vertex_stage_fields[] = {
   UINT(vertex_stage_config, reuse_entries),
   CYAML_FIELD_END,
};
static const cyaml_schema_field_t fragment_stage_fields[] = {
   UINT(fragment_stage_config, processors),
   ENUM(fragment_stage_config, scheduler, scheduler_names),
   CYAML_FIELD_END,
};
static const cyaml_schema_field_t shader_fields[] = {
   UINT(shader_config, loop_limit),
   CYAML_FIELD_END,
};
static const cyaml_schema_field_t texture_fields[] = {
   ENUM(texture_config, placement, placement_names),
   UINT(texture_config, row_alignment),
   OPTIONAL_UINT(texture_config, first_level_tile),
   OPTIONAL_UINT(texture_config, second_level_tile),
   CYAML_FIELD_END,
};
static const cyaml_strval_t design_names[] = {
   {"none", CM_TEXTURE_DESIGN_NONE},
   {"traditional", CM_TEXTURE_DESIGN_TRADITIONAL},
   {"wide-bus", CM_TEXTURE_DESIGN_WIDE_BUS},
   {"multi-port", CM_TEXTURE_DESIGN_MULTI_PORT},
   {"banked-continuous", CM_TEXTURE_DESIGN_BANKED_CONTINUOUS},
   {"banked-interleaved", CM_TEXTURE_DESIGN_BANKED_INTERLEAVED},
};
static const cyaml_strval_t tags_names[] = {
   {"shared", CM_TEXTURE_TAGS_SHARED},
   {"four-arrays", CM_TEXTURE_TAGS_FOUR_ARRAYS},
   {"banked", CM_TEXTURE_TAGS_BANKED},
};
static const cyaml_schema_field_t texture_access_fields[] = {
   ENUM(texture_access_config, design, design_names),
   ENUM(texture_access_config, tags, tags_names),
   UINT(texture_access_config, access_energy),
   CYAML_FIELD_END,
};
static const cyaml_schema_field_t affinity_table_fields[] = {
   UINT(struct cm_affinity_config, page_blocks),
   UINT(struct cm_affinity_config, buckets),
   UINT(struct cm_affinity_config, counter_bits),
   UINT(struct cm_affinity_config, threshold_percent),
   ENUM(struct cm_affinity_config, counted, counted_names),
   UINT(struct cm_affinity_config, epoch_accesses),
   ENUM(struct cm_affinity_config, epoch_owner, epoch_owner_names),
   CYAML_FIELD_END,
};
static const cyaml_schema_field_t mesh_fields[] = {
   UINT(struct cm_mesh_config, columns),
   UINT(struct cm_mesh_config, hop_cycles),
   UINT(struct cm_mesh_config, accesses_per_cycle),
   ENUM(struct cm_mesh_config, table, table_place_names),
   ENUM(struct cm_mesh_config, l2, l2_place_names),
   CYAML_FIELD_END,
};
static const cyaml_schema_field_t nuca_fields[] = {
   ENUM(struct cm_nuca_config, organisation, organisation_names),
   ENUM(struct cm_nuca_config, requests, requests_names),
   UINT(struct cm_nuca_config, interleave_blocks),
   ENUM(struct cm_nuca_config, migration, migration_names),
   ENUM(struct cm_nuca_config, remote_hits, remote_hits_names),
   CYAML_FIELD_MAPPING("affinity_table", CYAML_FLAG_DEFAULT, struct cm_nuca_config, affinity_table,
                       affinity_table_fields),
   CYAML_FIELD_MAPPING("mesh", CYAML_FLAG_DEFAULT, struct cm_nuca_config, mesh, mesh_fields),
   CYAML_FIELD_END,
};
static const cyaml_strval_t cell_names[] = {
   {"none", CM_CELL_NONE},
   {"itrs-lstp", CM_CELL_ITRS_LSTP},
   {"itrs-hp", CM_CELL_ITRS_HP},
};
#define ENERGY_FIELD(member, description) UINT(struct cm_energy_config, member),
static const cyaml_schema_field_t energy_fields[] = {
   UINT(struct cm_energy_config, technology),
   ENUM(struct cm_energy_config, cell, cell_names),
   CM_ENERGY_KEYS(ENERGY_FIELD) CYAML_FIELD_END,
};
static const cyaml_schema_field_t pipeline_fields[] = {
   UINT(struct cm_pipeline_config, vertex_processors), UINT(struct cm_pipeline_config, vertex_queue),
   UINT(struct cm_pipeline_config, assembly_cycles),   UINT(struct cm_pipeline_config, triangle_queue),
   UINT(struct cm_pipeline_config, fetch_queue),       UINT(struct cm_pipeline_config, tile_queue),
   UINT(struct cm_pipeline_config, rasterizer_cycles), UINT(struct cm_pipeline_config, early_z_quads),
   UINT(struct cm_pipeline_config, early_z_latency),   UINT(struct cm_pipeline_config, fragment_queue),
   UINT(struct cm_pipeline_config, fragment_contexts), UINT(struct cm_pipeline_config, color_queue),
   UINT(struct cm_pipeline_config, blend_cycles),      UINT(struct cm_pipeline_config, tile_buffers),
   UINT(struct cm_pipeline_config, flush_cycles),      UINT(struct cm_pipeline_config, flush_requests),
   UINT(struct cm_pipeline_config, vertex_mshrs),      UINT(struct cm_pipeline_config, tile_mshrs),
   UINT(struct cm_pipeline_config, texture_mshrs),     UINT(struct cm_pipeline_config, instruction_mshrs),
   UINT(struct cm_pipeline_config, l2_mshrs),          UINT(struct cm_pipeline_config, l2_banks),
   UINT(struct cm_pipeline_config, l2_bank_cycles),    CYAML_FIELD_END,
};
#define IMMEDIATE_FIELD(member, least, most, description) UINT(struct cm_immediate_pipeline_config, member),
static const cyaml_schema_field_t immediate_pipeline_fields[] = {
   CM_IMMEDIATE_PIPELINE_KEYS(IMMEDIATE_FIELD) CYAML_FIELD_END,
};
static const cyaml_schema_field_t dram_fields[] = {
   UINT(dram_config, latency_min),
   UINT(dram_config, latency_max),
   UINT(dram_config, size_mib),
   CYAML_FIELD_END,
};
#define DEVICE_NAME(number, name, ...) {#name, number},
static const cyaml_strval_t device_names[] = {{"none", 0}, CM_DRAM_DEVICES(DEVICE_NAME)};
static const cyaml_strval_t page_policy_names[] = {
   {"open", CM_DRAM_PAGE_OPEN},
   {"closed", CM_DRAM_PAGE_CLOSED},
};
#define TIMING_FIELD(name, description) OPTIONAL_UINT(struct cm_dram_timing, name),
static const cyaml_schema_field_t timing_fields[] = {CM_DRAM_TIMINGS(TIMING_FIELD) CYAML_FIELD_END};
static const cyaml_schema_field_t dram_system_fields[] = {
   ENUM(struct cm_dram_system_config, device, device_names),
   UINT(struct cm_dram_system_config, channels),
   UINT(struct cm_dram_system_config, channel_width),
   UINT(struct cm_dram_system_config, ranks),
   CYAML_FIELD_STRING_PTR("mapping", CYAML_FLAG_POINTER, struct cm_dram_system_config, mapping, 1, 60),
   UINT(struct cm_dram_system_config, interleave),
   ENUM(struct cm_dram_system_config, page_policy, page_policy_names),
   UINT(struct cm_dram_system_config, read_queue),
   UINT(struct cm_dram_system_config, write_queue),
   UINT(struct cm_dram_system_config, write_high),
   UINT(struct cm_dram_system_config, write_low),
   UINT(struct cm_dram_system_config, row_hit_limit),
   UINT(struct cm_dram_system_config, power_down_after),
   UINT(struct cm_dram_system_config, controller_latency),
   CYAML_FIELD_MAPPING("timing", CYAML_FLAG_OPTIONAL, struct cm_dram_system_config, timing, timing_fields),
   CYAML_FIELD_END,
};
#define STREAM_NAME(id, name, description) {name, 1 + CM_STREAM_##id},
static const cyaml_strval_t uncached_names[] = {{"none", 0}, CM_STREAMS(STREAM_NAME)};

static const cyaml_schema_field_t gspc_fields[] = {
   UINT(struct cm_gspc_config, threshold),
   UINT(struct cm_gspc_config, render_target_distant),
   UINT(struct cm_gspc_config, render_target_long),
   CYAML_FIELD_END,
};
static const cyaml_schema_field_t primitive_buffer_fields[] = {
   UINT(primitive_buffer_config, lines),
   ENUM(primitive_buffer_config, further_victims, further_victims_names),
   UINT(primitive_buffer_config, output_queue),
   UINT(primitive_buffer_config, mshrs),
   CYAML_FIELD_END,
};
static const cyaml_schema_field_t cache_fields[] = {
   UINT(struct cm_cache_config, size),
   UINT(struct cm_cache_config, ways),
   UINT(struct cm_cache_config, block),
   UINT(struct cm_cache_config, instances),
   UINT(struct cm_cache_config, latency),
   ENUM(struct cm_cache_config, policy, policy_names),
   ENUM(struct cm_cache_config, index, index_names),
   ENUM(struct cm_cache_config, write_miss, write_miss_names),
   ENUM(struct cm_cache_config, next, unit_names),
   CYAML_FIELD_UINT("banks", CYAML_FLAG_OPTIONAL, struct cm_cache_config, banks),
   CYAML_FIELD_ENUM("uncached", CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT, struct cm_cache_config, uncached,
                    uncached_names, CYAML_ARRAY_LEN(uncached_names)),
   CYAML_FIELD_MAPPING("gspc", CYAML_FLAG_OPTIONAL, struct cm_cache_config, gspc, gspc_fields),
   CYAML_FIELD_END,
};

#define CACHE_FIELD(id, name, description)                                                       \
   {                                                                                             \
      .key = #name,                                                                              \
      .data_offset = CM_UNIT_##id * sizeof(struct cm_cache_config),                              \
      .value = {CYAML_VALUE_MAPPING(CYAML_FLAG_OPTIONAL, struct cm_cache_config, cache_fields)}, \
   },
static const cyaml_schema_field_t caches_fields[] = {CM_CACHES(CACHE_FIELD) CYAML_FIELD_END};

static const cyaml_schema_field_t access_unit_fields[] = {
   ENUM(struct cm_access_unit_config, before, unit_names),
   UINT(struct cm_access_unit_config, entries),
   UINT(struct cm_access_unit_config, latency),
   CYAML_FIELD_END,
};
#define ACCESS_UNIT_FIELD(id, name)                                                                          \
   {                                                                                                         \
      .key = #name,                                                                                          \
      .data_offset = CM_ACCESS_UNIT_##id * sizeof(struct cm_access_unit_config),                             \
      .value = {CYAML_VALUE_MAPPING(CYAML_FLAG_OPTIONAL, struct cm_access_unit_config, access_unit_fields)}, \
   },
static const cyaml_schema_field_t access_units_fields[] = {CM_ACCESS_UNITS(ACCESS_UNIT_FIELD)
                                                              CYAML_FIELD_END};

#define STREAM_FIELD(id, name, description)                                                                  \
   {                                                                                                         \
      .key = name,                                                                                           \
      .data_offset = CM_STREAM_##id * sizeof(enum cm_unit),                                                  \
      .value = {CYAML_VALUE_ENUM(CYAML_FLAG_STRICT, enum cm_unit, unit_names, CYAML_ARRAY_LEN(unit_names))}, \
   },
#define OPTIONAL_UNIT_NAME(id, name, description) {#name, 1 + CM_UNIT_##id},
static const cyaml_strval_t optional_unit_names[] = {{"none", 0},
                                                     CM_CACHES(OPTIONAL_UNIT_NAME){"dram", 1 + CM_UNIT_DRAM}};

/* Optional streams have a place of their own behind streams[] (follow_optional_streams). */
#define OPTIONAL_STREAM_FIELD(member)                                                                    \
   {                                                                                                     \
      .key = #member,                                                                                    \
      .data_offset =                                                                                     \
         offsetof(struct cm_config, optional_streams.member) - offsetof(struct cm_config, streams),      \
      .value = {CYAML_VALUE_ENUM(CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT, uint32_t, optional_unit_names, \
                                 CYAML_ARRAY_LEN(optional_unit_names))},                                 \
   },
static const cyaml_schema_field_t streams_fields[] = {CM_MANDATORY_STREAMS(
   STREAM_FIELD) OPTIONAL_STREAM_FIELD(hiz) OPTIONAL_STREAM_FIELD(display) CYAML_FIELD_END};

#define MAPPING(member, fields) \
   CYAML_FIELD_MAPPING(#member, CYAML_FLAG_DEFAULT, struct cm_config, member, fields)

static const cyaml_schema_field_t config_fields[] = {
   CYAML_FIELD_STRING_PTR("description", CYAML_FLAG_POINTER, struct cm_config, description, 1, 200),
   UINT(struct cm_config, clock_mhz),
   ENUM(struct cm_config, mode, mode_names),
   UINT(struct cm_config, threads),
   MAPPING(tile, tile_fields),
   MAPPING(frame, frame_fields),
   MAPPING(parameter_buffer, parameter_buffer_fields),
   MAPPING(vertex_stage, vertex_stage_fields),
   MAPPING(fragment_stage, fragment_stage_fields),
   MAPPING(shader, shader_fields),
   MAPPING(texture, texture_fields),
   CYAML_FIELD_MAPPING("texture_access", CYAML_FLAG_OPTIONAL, struct cm_config, texture_access,
                       texture_access_fields),
   CYAML_FIELD_MAPPING("nuca", CYAML_FLAG_OPTIONAL, struct cm_config, nuca, nuca_fields),
   CYAML_FIELD_MAPPING("energy", CYAML_FLAG_OPTIONAL, struct cm_config, energy, energy_fields),
   MAPPING(streams, streams_fields),
   MAPPING(caches, caches_fields),
   CYAML_FIELD_MAPPING("access_units", CYAML_FLAG_OPTIONAL, struct cm_config, access_units,
                       access_units_fields),
   CYAML_FIELD_MAPPING("primitive_buffer", CYAML_FLAG_OPTIONAL, struct cm_config, primitive_buffer,
                       primitive_buffer_fields),
   MAPPING(dram, dram_fields),
   CYAML_FIELD_MAPPING("dram_system", CYAML_FLAG_OPTIONAL, struct cm_config, dram_system, dram_system_fields),
   CYAML_FIELD_MAPPING("pipeline", CYAML_FLAG_OPTIONAL, struct cm_config, pipeline, pipeline_fields),
   CYAML_FIELD_MAPPING("immediate_pipeline", CYAML_FLAG_OPTIONAL, struct cm_config, immediate_pipeline,
                       immediate_pipeline_fields),
   CYAML_FIELD_ENUM("timing", CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT, struct cm_config, timing,
                    timing_mode_names, CYAML_ARRAY_LEN(timing_mode_names)),
   CYAML_FIELD_END,
};

const cyaml_schema_value_t cm_config_schema = {
   CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct cm_config, config_fields),
};

const cyaml_schema_field_t *
cm_schema_field(const cyaml_schema_value_t *mapping, const char *key, size_t length)
{
   if (mapping->type != CYAML_MAPPING)
      return NULL;
   for (const cyaml_schema_field_t *field = mapping->mapping.fields; field->key; field++) {
      if (strlen(field->key) == length && memcmp(field->key, key, length) == 0)
         return field;
   }
   return NULL;
}

static bool
is_field_of(const cyaml_schema_field_t *field, const cyaml_schema_field_t *fields, size_t count)
{
   return field >= fields && field < fields + count;
}

enum cm_quantity
cm_schema_quantity(const cyaml_schema_value_t *value)
{
   /* Whole numbers are members of mappings. */
   const cyaml_schema_field_t *field =
      (const cyaml_schema_field_t *)((const char *)value - offsetof(cyaml_schema_field_t, value));
   static const char *const bytes[] = {"size", "block", "row_alignment", "interleave"};
   if (value->type != CYAML_UINT)
      return CM_QUANTITY_COUNT;
   const size_t length = strlen(field->key);
   if (length > 4 && strcmp(field->key + length - 4, "_mhz") == 0)
      return CM_QUANTITY_MHZ;
   if (length > 4 && strcmp(field->key + length - 4, "_mib") == 0)
      return CM_QUANTITY_MIB;
   const bool has_bytes = is_field_of(field, cache_fields, CYAML_ARRAY_LEN(cache_fields)) ||
                          is_field_of(field, texture_fields, CYAML_ARRAY_LEN(texture_fields)) ||
                          is_field_of(field, dram_system_fields, CYAML_ARRAY_LEN(dram_system_fields));
   for (unsigned b = 0; has_bytes && b < sizeof bytes / sizeof bytes[0]; b++) {
      if (strcmp(field->key, bytes[b]) == 0)
         return CM_QUANTITY_BYTES;
   }
   return CM_QUANTITY_COUNT;
}

void
cm_schema_describe(const cyaml_schema_value_t *value, char *text, size_t size)
{
   FILE *out = fmemopen(text, size, "w");
   if (!out) {
      text[0] = '\0';
      return;
   }
   setvbuf(out, NULL, _IONBF, 0);
   switch (value->type) {
   case CYAML_UINT: fputs(cm_quantity_descriptions[cm_schema_quantity(value)], out); break;
   case CYAML_ENUM:
      fputs("one of:", out);
      for (uint32_t i = 0; i < value->enumeration.count; i++)
         fprintf(out, "%s %s", i ? "," : "", value->enumeration.strings[i].str);
      break;
   case CYAML_MAPPING:
      fputs("keys of:", out);
      for (const cyaml_schema_field_t *field = value->mapping.fields; field->key; field++)
         fprintf(out, "%s %s", field == value->mapping.fields ? "" : ",", field->key);
      break;
   default:
      fprintf(out, "a text of %llu to %llu characters", (unsigned long long)value->string.min,
              (unsigned long long)value->string.max);
      break;
   }
   fclose(out);
}
