/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "config/config_internal.h"
#include "config/names.h"
#include "dram_devices.h"

#define MEMBER_TYPE(member) __typeof__(((struct cm_config *)NULL)->member)
typedef MEMBER_TYPE(tile) tile_config;
typedef MEMBER_TYPE(frame) frame_config;
typedef MEMBER_TYPE(parameter_buffer) parameter_buffer_config;
typedef MEMBER_TYPE(vertex_stage) vertex_stage_config;
typedef MEMBER_TYPE(primitive_assembly) primitive_assembly_config;
typedef MEMBER_TYPE(fragment_stage) fragment_stage_config;
typedef MEMBER_TYPE(shader) shader_config;
typedef MEMBER_TYPE(load_store) load_store_config;
typedef MEMBER_TYPE(descriptors) descriptors_config;
typedef MEMBER_TYPE(compute_stage) compute_stage_config;
typedef MEMBER_TYPE(texture) texture_config;
typedef MEMBER_TYPE(texture_access) texture_access_config;
typedef MEMBER_TYPE(attribution) attribution_config;
typedef MEMBER_TYPE(dram) dram_config;
typedef struct cm_primitive_buffer_config primitive_buffer_config;

const char *const cm_mode_names[CM_MODE_COUNT] = {"tbdr", "tbr", "imr"};
const char *const cm_index_names[CM_INDEX_COUNT] = {"modulo", "xor", "xor-fold", "ipoly"};
const char *const cm_leaders_names[CM_LEADERS_COUNT] = {"groups", "complement", "hash", "bank"};
#define NAME_OF(id, name, definition, description) name,
#define DESCRIPTION_OF(id, name, definition, description) description,
const char *const cm_policy_names[CM_POLICY_COUNT] = {CM_POLICIES(NAME_OF)};
const char *const cm_policy_descriptions[CM_POLICY_COUNT] = {CM_POLICIES(DESCRIPTION_OF)};

/* Names whose values differ from those of the enumeration: "none" is 0. */
#define UNIT_NAME(id, name, description) #name,
static const char *const optional_unit_names[] = {"none", CM_CACHES(UNIT_NAME) "dram"};
static const char *const descriptor_unit_names[] = {"constant", CM_CACHES(UNIT_NAME) "dram"};
#define STREAM_NAME(id, name, description) name,
static const char *const optional_stream_names[] = {"none", CM_STREAMS(STREAM_NAME)};
static const char *const all_or_stream_names[] = {"all", CM_STREAMS(STREAM_NAME)};
#define DEVICE_NAME(number, name, ...) [number] = #name,
static const char *const device_names[] = {[0] = "none", CM_DRAM_DEVICES(DEVICE_NAME)};

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define NAMES(list) .names = (list), .count = LENGTH(list)
#define KEYS(list) .keys = (list), .count = LENGTH(list)
#define KEY_AT(key, is_optional, is_type, at, bytes) \
   .name = (key), .type = (is_type), .optional = (is_optional), .offset = (at), .size = (bytes)
#define KEY(is_optional, is_type, container, member) \
   KEY_AT(#member, is_optional, is_type, offsetof(container, member), sizeof((container *)NULL)->member)

#define NUMBER(type, member) {KEY(false, CM_KEY_NUMBER, type, member)}
#define DESCRIBED(is_optional, type, member, text) \
   {KEY(is_optional, CM_KEY_NUMBER, type, member), .description = (text)},
#define OPTIONAL_NUMBER(type, member) {KEY(true, CM_KEY_NUMBER, type, member)}
#define BYTES(type, member) {KEY(false, CM_KEY_NUMBER, type, member), .bytes = true}
/* Of a cache: what the key says is two members. */
#define WAYS \
   {KEY_AT("ways", false, CM_KEY_WAYS, offsetof(struct cm_cache_config, ways), 2 * sizeof(uint32_t))}
static_assert(offsetof(struct cm_cache_config, full_ways) ==
                 offsetof(struct cm_cache_config, ways) + sizeof(uint32_t),
              "parsed and cleared together");
#define TEXT(type, member, most) {KEY(false, CM_KEY_TEXT, type, member), .count = (most)}
#define NAMED(type, member, list) {KEY(false, CM_KEY_NAME, type, member), NAMES(list)}
#define OPTIONAL_NAMED(type, member, list) {KEY(true, CM_KEY_NAME, type, member), NAMES(list)}
/* The names in the order of the enumeration. */
#define ENUM(type, member, ...) NAMED(type, member, ((const char *const[]){__VA_ARGS__}))
#define OPTIONAL_ENUM(type, member, ...) OPTIONAL_NAMED(type, member, ((const char *const[]){__VA_ARGS__}))
#define MAPPING(type, member, list) {KEY(false, CM_KEY_MAPPING, type, member), KEYS(list)}
#define OPTIONAL_MAPPING(type, member, list) {KEY(true, CM_KEY_MAPPING, type, member), KEYS(list)}

static const struct cm_key tile_keys[] = {
   NUMBER(tile_config, size),
   ENUM(tile_config, order, "scanline", "z-order", "hilbert"),
};
static const struct cm_key frame_keys[] = {
   ENUM(frame_config, traversal, "forward", "boustrophedonic"),
   OPTIONAL_NUMBER(frame_config, buffers),
};
#define TRANSACTION_KEY(member, least, most, description) \
   DESCRIBED(false, struct cm_transaction_elimination_config, member, description)
static const struct cm_key transaction_elimination_keys[] = {
   CM_TRANSACTION_ELIMINATION_KEYS(TRANSACTION_KEY)};
#define RENDERING_KEY(member, least, most, description) \
   DESCRIBED(false, struct cm_rendering_elimination_config, member, description)
static const struct cm_key rendering_elimination_keys[] = {CM_RENDERING_ELIMINATION_KEYS(RENDERING_KEY)};
static const struct cm_key parameter_buffer_keys[] = {
   ENUM(parameter_buffer_config, layout, "baseline", "interleaved"),
   NUMBER(parameter_buffer_config, attribute_blocks),
   OPTIONAL_ENUM(parameter_buffer_config, overlap, "exact", "bounding-box"),
   OPTIONAL_ENUM(parameter_buffer_config, attributes, "primitives", "vertices", "visible-vertices"),
   OPTIONAL_ENUM(parameter_buffer_config, pass_end, "keep", "discard", "write-back"),
   OPTIONAL_ENUM(parameter_buffer_config, written, "before-tiles", "among-tiles"),
   DESCRIBED(true, parameter_buffer_config, buffers,
             "Parameter Buffers that passes have in turn, 1 or 2; 0: 1, or 2 where they overlap")
      DESCRIBED(true, parameter_buffer_config, attribute_bytes,
                "bytes of its block that an attribute has, for an ordinary cache; 0: all 64")
         DESCRIBED(true, parameter_buffer_config, levels,
                   "levels of hierarchical lists, as Mali's; 0: one list for each tile")
            DESCRIBED(
               true, parameter_buffer_config, level_lists,
               "the most lists of a level that a primitive is in; a larger one is of a coarser level; 0: 4")};
static const struct cm_key vertex_stage_keys[] = {NUMBER(vertex_stage_config, reuse_entries)};
static const struct cm_key primitive_assembly_keys[] = {
   OPTIONAL_NUMBER(primitive_assembly_config, guard_band),
   OPTIONAL_NUMBER(primitive_assembly_config, guard_band_percent),
};
static const struct cm_key fragment_stage_keys[] = {
   NUMBER(fragment_stage_config, processors),
   ENUM(fragment_stage_config, scheduler, "round-robin", "quad-block", "least-work", "sub-tile", "tile",
        "interleaved", "rows", "columns"),
   OPTIONAL_ENUM(fragment_stage_config, assignment, "constant", "mirrored"),
   OPTIONAL_NUMBER(fragment_stage_config, pixel_kill),
   OPTIONAL_ENUM(fragment_stage_config, quad_order, "blocks", "draws"),
};
static const struct cm_key load_store_keys[] = {
   OPTIONAL_NUMBER(load_store_config, lanes),
   OPTIONAL_NUMBER(load_store_config, block_cycles),
   OPTIONAL_NUMBER(load_store_config, mshrs),
};
static const struct cm_key descriptors_keys[] = {
   DESCRIBED(true, descriptors_config, resource_bytes,
             "bytes that describe an image or a buffer (Vulkan); a descriptor has room for these and a "
             "sampler's; 0: 32")
      DESCRIBED(true, descriptors_config, sampler_bytes, "bytes that describe a sampler; 0: 32")};
static const struct cm_key compute_stage_keys[] = {OPTIONAL_NUMBER(compute_stage_config, invocations)};
static const struct cm_key shader_keys[] = {
   NUMBER(shader_config, loop_limit),
   OPTIONAL_ENUM(shader_config, isa, "nir", "midgard", "bifrost", "valhall", "v3d"),
};
static const struct cm_key texture_keys[] = {
   ENUM(texture_config, placement, "linear", "4d", "6d", "rz", "morton-4k"),
   BYTES(texture_config, row_alignment),
   OPTIONAL_NUMBER(texture_config, first_level_tile),
   OPTIONAL_NUMBER(texture_config, second_level_tile),
   OPTIONAL_ENUM(texture_config, offset, "none", "hashed"),
};
static const struct cm_key texture_access_keys[] = {
   ENUM(texture_access_config, design, "none", "traditional", "wide-bus", "multi-port", "banked-continuous",
        "banked-interleaved"),
   ENUM(texture_access_config, tags, "shared", "four-arrays", "banked"),
   NUMBER(texture_access_config, access_energy),
   OPTIONAL_NUMBER(texture_access_config, tag_energy),
   OPTIONAL_ENUM(texture_access_config, miss, "line", "access"),
};
#define COMPRESSION_KEY(member, least, most, description) \
   DESCRIBED(false, struct cm_compression_config, member, description)
static const struct cm_key framebuffer_compression_keys[] = {
   ENUM(struct cm_compression_config, mode, "none", "blocks"),
   CM_COMPRESSION_KEYS(COMPRESSION_KEY)
      ENUM(struct cm_compression_config, solid_colors, "in-header", "in-body"),
   ENUM(struct cm_compression_config, reads, "blocks", "superblocks"),
   ENUM(struct cm_compression_config, color, "off", "on"),
   ENUM(struct cm_compression_config, depth, "off", "on"),
   ENUM(struct cm_compression_config, display, "off", "on"),
};
static const struct cm_key texture_bus_keys[] = {
   OPTIONAL_NUMBER(struct cm_texture_bus_config, bytes_per_cycle),
   OPTIONAL_NUMBER(struct cm_texture_bus_config, latency),
};
static const struct cm_key affinity_table_keys[] = {
   NUMBER(struct cm_affinity_config, page_blocks),
   NUMBER(struct cm_affinity_config, buckets),
   NUMBER(struct cm_affinity_config, counter_bits),
   NUMBER(struct cm_affinity_config, threshold_percent),
   ENUM(struct cm_affinity_config, counted, "all", "local-misses"),
   NUMBER(struct cm_affinity_config, epoch_accesses),
   ENUM(struct cm_affinity_config, epoch_owner, "recompute", "keep", "release"),
   OPTIONAL_NAMED(struct cm_affinity_config, epoch_reset, ((const char *const[]){"zero", "halve"})),
};
static const struct cm_key mesh_keys[] = {
   NUMBER(struct cm_mesh_config, columns),
   NUMBER(struct cm_mesh_config, hop_cycles),
   NUMBER(struct cm_mesh_config, accesses_per_cycle),
   ENUM(struct cm_mesh_config, table, "center", "corner"),
   ENUM(struct cm_mesh_config, l2, "center", "corner", "bus"),
   OPTIONAL_NAMED(struct cm_mesh_config, table_node, ((const char *const[]){"shared", "own"})),
   OPTIONAL_NUMBER(struct cm_mesh_config, table_ports),
};
static const struct cm_key nuca_keys[] = {
   ENUM(struct cm_nuca_config, organisation, "none", "private", "s-nuca", "d-nuca", "dtm-nuca",
        "dtm-nuca-distributed"),
   ENUM(struct cm_nuca_config, requests, "footprint", "fragment", "texel"),
   NUMBER(struct cm_nuca_config, interleave_blocks),
   ENUM(struct cm_nuca_config, migration, "next-requester", "last-requester"),
   ENUM(struct cm_nuca_config, remote_hits, "update", "keep"),
   OPTIONAL_NAMED(struct cm_nuca_config, remote_copies,
                  ((const char *const[]){"none", "hits", "misses", "all"})),
   MAPPING(struct cm_nuca_config, affinity_table, affinity_table_keys),
   MAPPING(struct cm_nuca_config, mesh, mesh_keys),
};
#define ENERGY_KEY(member, description) DESCRIBED(false, struct cm_energy_config, member, description)
static const struct cm_key energy_keys[] = {NUMBER(struct cm_energy_config, technology),
                                            ENUM(struct cm_energy_config, cell, "none", "itrs-lstp",
                                                 "itrs-hp"),
                                            CM_ENERGY_KEYS(ENERGY_KEY)
                                               OPTIONAL_NUMBER(struct cm_energy_config, texture_bus_byte)};
#define PIPELINE_KEY(member, least, most, description) \
   DESCRIBED(false, struct cm_pipeline_config, member, description)
static const struct cm_key pipeline_keys[] = {
   CM_PIPELINE_KEYS(PIPELINE_KEY)
      DESCRIBED(true, struct cm_pipeline_config, load_requests, "blocks of tiles' loads outstanding")
         OPTIONAL_ENUM(struct cm_pipeline_config, lanes, "shared", "coupled", "decoupled"),
   DESCRIBED(true, struct cm_pipeline_config, list_entries,
             "entries of hierarchical lists, of one block, that are dropped per cycle; 0: 1")};
#define SHADER_CORE_KEY(member, least, most, description) \
   DESCRIBED(false, struct cm_shader_core_config, member, description)
static const struct cm_key shader_core_keys[] = {
   CM_SHADER_CORE_KEYS(SHADER_CORE_KEY)
      OPTIONAL_ENUM(struct cm_shader_core_config, overlap, "none", "frames"),
   OPTIONAL_ENUM(struct cm_shader_core_config, vertices, "whole", "positions-first", "per-tile"),
};
#define IMMEDIATE_KEY(member, least, most, description) \
   DESCRIBED(false, struct cm_immediate_pipeline_config, member, description)
static const struct cm_key immediate_pipeline_keys[] = {CM_IMMEDIATE_PIPELINE_KEYS(IMMEDIATE_KEY)};
static const struct cm_key immediate_keys[] = {
   OPTIONAL_ENUM(struct cm_immediate_config, clears, "memory", "fast"),
   OPTIONAL_ENUM(struct cm_immediate_config, hiz_region, "8x8", "8x4", "4x4"),
   OPTIONAL_NUMBER(struct cm_immediate_config, hiz_bytes),
   OPTIONAL_ENUM(struct cm_immediate_config, hiz_samples, "together", "each"),
   OPTIONAL_ENUM(struct cm_immediate_config, depth_reads, "not-hidden", "undecided"),
   OPTIONAL_ENUM(struct cm_immediate_config, render_caches, "emptied", "kept"),
   OPTIONAL_ENUM(struct cm_immediate_config, pixel_writes, "whole", "partial"),
};
static const struct cm_key dram_keys[] = {
   NUMBER(dram_config, latency_min),
   NUMBER(dram_config, latency_max),
   NUMBER(dram_config, size_mib),
};
#define TIMING_KEY(name, description) DESCRIBED(true, struct cm_dram_timing, name, description)
static const struct cm_key timing_keys[] = {CM_DRAM_TIMINGS(TIMING_KEY)};
static const struct cm_key dram_system_keys[] = {
   NAMED(struct cm_dram_system_config, device, device_names),
   NUMBER(struct cm_dram_system_config, channels),
   NUMBER(struct cm_dram_system_config, channel_width),
   NUMBER(struct cm_dram_system_config, ranks),
   TEXT(struct cm_dram_system_config, mapping, 60),
   BYTES(struct cm_dram_system_config, interleave),
   ENUM(struct cm_dram_system_config, page_policy, "open", "closed"),
   NUMBER(struct cm_dram_system_config, read_queue),
   NUMBER(struct cm_dram_system_config, write_queue),
   NUMBER(struct cm_dram_system_config, write_high),
   NUMBER(struct cm_dram_system_config, write_low),
   OPTIONAL_NUMBER(struct cm_dram_system_config, turn_requests),
   NUMBER(struct cm_dram_system_config, row_hit_limit),
   NUMBER(struct cm_dram_system_config, power_down_after),
   NUMBER(struct cm_dram_system_config, controller_latency),
   OPTIONAL_ENUM(struct cm_dram_system_config, refresh, "all-bank", "per-bank"),
   OPTIONAL_MAPPING(struct cm_dram_system_config, timing, timing_keys),
};
static const struct cm_key gspc_keys[] = {
   NUMBER(struct cm_gspc_config, threshold),
   NUMBER(struct cm_gspc_config, render_target_distant),
   NUMBER(struct cm_gspc_config, render_target_long),
   OPTIONAL_ENUM(struct cm_gspc_config, samples, "quarter", "spread"),
};
static const struct cm_key rrip_keys[] = {
   OPTIONAL_NAMED(struct cm_rrip_config, leaders, cm_leaders_names),
};
static const struct cm_key primitive_buffer_keys[] = {
   NUMBER(primitive_buffer_config, lines),
   ENUM(primitive_buffer_config, further_victims, "all-sets", "next-sets"),
   NUMBER(primitive_buffer_config, output_queue),
   NUMBER(primitive_buffer_config, mshrs),
   OPTIONAL_ENUM(primitive_buffer_config, ids, "blocks", "primitives"),
   OPTIONAL_NUMBER(primitive_buffer_config, entry_bytes),
   OPTIONAL_ENUM(primitive_buffer_config, ties, "greatest-id", "least-id", "lru", "mru"),
};
static const struct cm_key cache_keys[] = {
   BYTES(struct cm_cache_config, size),
   WAYS,
   BYTES(struct cm_cache_config, block),
   NUMBER(struct cm_cache_config, instances),
   {KEY(false, CM_KEY_LATENCY, struct cm_cache_config, latency)},
   NAMED(struct cm_cache_config, policy, cm_policy_names),
   NAMED(struct cm_cache_config, index, cm_index_names),
   ENUM(struct cm_cache_config, write_miss, "allocate", "fetch", "validate"),
   NAMED(struct cm_cache_config, next, cm_unit_names),
   OPTIONAL_NUMBER(struct cm_cache_config, banks),
   OPTIONAL_NAMED(struct cm_cache_config, uncached, optional_stream_names),
   OPTIONAL_NAMED(struct cm_cache_config, fetched, all_or_stream_names),
   OPTIONAL_MAPPING(struct cm_cache_config, gspc, gspc_keys),
   OPTIONAL_MAPPING(struct cm_cache_config, rrip, rrip_keys),
};

#define CACHE_KEY(id, cache, text)                                                      \
   {KEY_AT(#cache, true, CM_KEY_MAPPING, CM_UNIT_##id * sizeof(struct cm_cache_config), \
           sizeof(struct cm_cache_config)),                                             \
    KEYS(cache_keys), .description = (text)},
static const struct cm_key caches_keys[] = {CM_CACHES(CACHE_KEY)};

static const struct cm_key access_unit_keys[] = {
   NAMED(struct cm_access_unit_config, before, cm_unit_names),
   NUMBER(struct cm_access_unit_config, entries),
   NUMBER(struct cm_access_unit_config, latency),
};
#define ACCESS_UNIT_KEY(id, unit)                                                                   \
   {KEY_AT(#unit, true, CM_KEY_MAPPING, CM_ACCESS_UNIT_##id * sizeof(struct cm_access_unit_config), \
           sizeof(struct cm_access_unit_config)),                                                   \
    KEYS(access_unit_keys)},
static const struct cm_key access_units_keys[] = {CM_ACCESS_UNITS(ACCESS_UNIT_KEY)};

#define STREAM_KEY(id, stream, text)                                                                 \
   {KEY_AT(stream, false, CM_KEY_NAME, CM_STREAM_##id * sizeof(enum cm_unit), sizeof(enum cm_unit)), \
    NAMES(cm_unit_names), .description = (text)},
/* Optional streams are stored after streams[] (follow_keys). */
#define OPTIONAL_STREAM_KEY(stream, names)                                                            \
   {KEY_AT(#stream, true, CM_KEY_NAME,                                                                \
           offsetof(struct cm_config, optional_streams.stream) - offsetof(struct cm_config, streams), \
           sizeof(uint32_t)),                                                                         \
    NAMES(names)}
static const struct cm_key streams_keys[] = {CM_MANDATORY_STREAMS(STREAM_KEY)
                                                OPTIONAL_STREAM_KEY(hiz, optional_unit_names),
                                             OPTIONAL_STREAM_KEY(display, optional_unit_names),
                                             OPTIONAL_STREAM_KEY(storage, optional_unit_names),
                                             OPTIONAL_STREAM_KEY(descriptor, descriptor_unit_names)};

static const struct cm_key attribution_keys[] = {
   OPTIONAL_ENUM(attribution_config, pass, "off", "on"),
   OPTIONAL_ENUM(attribution_config, draw, "off", "on"),
   OPTIONAL_ENUM(attribution_config, texture, "off", "on"),
   OPTIONAL_ENUM(attribution_config, tile, "off", "on"),
};

static const struct cm_key config_keys[] = {
   TEXT(struct cm_config, description, 200),
   NUMBER(struct cm_config, clock_mhz),
   NAMED(struct cm_config, mode, cm_mode_names),
   NUMBER(struct cm_config, threads),
   MAPPING(struct cm_config, tile, tile_keys),
   MAPPING(struct cm_config, frame, frame_keys),
   OPTIONAL_MAPPING(struct cm_config, transaction_elimination, transaction_elimination_keys),
   OPTIONAL_MAPPING(struct cm_config, rendering_elimination, rendering_elimination_keys),
   MAPPING(struct cm_config, parameter_buffer, parameter_buffer_keys),
   MAPPING(struct cm_config, vertex_stage, vertex_stage_keys),
   OPTIONAL_MAPPING(struct cm_config, primitive_assembly, primitive_assembly_keys),
   MAPPING(struct cm_config, fragment_stage, fragment_stage_keys),
   MAPPING(struct cm_config, shader, shader_keys),
   OPTIONAL_MAPPING(struct cm_config, load_store, load_store_keys),
   OPTIONAL_MAPPING(struct cm_config, descriptors, descriptors_keys),
   OPTIONAL_MAPPING(struct cm_config, compute_stage, compute_stage_keys),
   MAPPING(struct cm_config, texture, texture_keys),
   OPTIONAL_MAPPING(struct cm_config, texture_access, texture_access_keys),
   OPTIONAL_MAPPING(struct cm_config, texture_bus, texture_bus_keys),
   OPTIONAL_MAPPING(struct cm_config, nuca, nuca_keys),
   OPTIONAL_MAPPING(struct cm_config, energy, energy_keys),
   MAPPING(struct cm_config, streams, streams_keys),
   MAPPING(struct cm_config, caches, caches_keys),
   OPTIONAL_MAPPING(struct cm_config, access_units, access_units_keys),
   OPTIONAL_MAPPING(struct cm_config, primitive_buffer, primitive_buffer_keys),
   MAPPING(struct cm_config, dram, dram_keys),
   OPTIONAL_MAPPING(struct cm_config, dram_system, dram_system_keys),
   OPTIONAL_MAPPING(struct cm_config, pipeline, pipeline_keys),
   OPTIONAL_ENUM(struct cm_config, core, "simple", "pipes"),
   OPTIONAL_MAPPING(struct cm_config, shader_core, shader_core_keys),
   OPTIONAL_MAPPING(struct cm_config, immediate_pipeline, immediate_pipeline_keys),
   OPTIONAL_MAPPING(struct cm_config, immediate, immediate_keys),
   OPTIONAL_MAPPING(struct cm_config, framebuffer_compression, framebuffer_compression_keys),
   OPTIONAL_ENUM(struct cm_config, timing, "off", "on"),
   OPTIONAL_MAPPING(struct cm_config, attribution, attribution_keys),
};

const struct cm_key cm_config_keys = {KEY_AT("", false, CM_KEY_MAPPING, 0, sizeof(struct cm_config)),
                                      KEYS(config_keys)};

const struct cm_key *
cm_key_find(const struct cm_key *mapping, const char *name, size_t length)
{
   for (uint32_t k = 0; mapping->keys && k < mapping->count; k++) {
      const struct cm_key *key = &mapping->keys[k];
      if (strlen(key->name) == length && memcmp(key->name, name, length) == 0)
         return key;
   }
   return NULL;
}

static enum cm_quantity
quantity_of(const struct cm_key *key)
{
   const size_t length = strlen(key->name);
   if (length > 4 && strcmp(key->name + length - 4, "_mhz") == 0)
      return CM_QUANTITY_MHZ;
   if (length > 4 && strcmp(key->name + length - 4, "_mib") == 0)
      return CM_QUANTITY_MIB;
   return key->bytes ? CM_QUANTITY_BYTES : CM_QUANTITY_COUNT;
}

void
cm_key_describe(const struct cm_key *key, char *text, size_t size)
{
   if (key->type == CM_KEY_NUMBER || key->type == CM_KEY_WAYS || key->type == CM_KEY_LATENCY) {
      snprintf(text, size, "%s%s", cm_quantity_descriptions[quantity_of(key)],
               key->type == CM_KEY_WAYS      ? ", or full"
               : key->type == CM_KEY_LATENCY ? ", or auto"
                                             : "");
      return;
   }
   if (key->type == CM_KEY_TEXT) {
      snprintf(text, size, "a text of 1 to %u characters", key->count);
      return;
   }
   size_t length = (size_t)snprintf(text, size, "%s", key->type == CM_KEY_NAME ? "one of:" : "keys of:");
   const char *separator = " ";
   for (uint32_t i = 0; i < key->count && length < size; i++) {
      const char *name = key->names ? key->names[i] : key->keys[i].name;
      length += name ? (size_t)snprintf(text + length, size - length, "%s%s", separator, name) : 0;
      separator = ", ";
   }
}

#define CACHES "caches." /* of a setting, which may be without it */

/* Offers the keys in a mapping, which is at this path: "", or one that ends in a dot. */
static void
offer_keys(struct cm_near *near, const struct cm_key *mapping, const char *mapping_path, bool as_setting)
{
   for (uint32_t k = 0; k < mapping->count; k++) {
      const struct cm_key *key = &mapping->keys[k];
      char path[256];
      const int length = snprintf(path, sizeof path - 1, "%s%s", mapping_path, key->name);
      if (!as_setting || key->type != CM_KEY_MAPPING)
         cm_near_offer(near, path);
      if (key->type != CM_KEY_MAPPING)
         continue;
      strcpy(path + length, ".");
      offer_keys(near, key, as_setting && strcmp(path, CACHES) == 0 ? "" : path, as_setting);
   }
}

const char *
cm_key_near(const struct cm_key *key, const char *word, size_t length, bool as_setting,
            char text[CM_NEAR_TEXT])
{
   struct cm_near near;
   const size_t prefix = as_setting && strncmp(word, CACHES, strlen(CACHES)) == 0 ? strlen(CACHES) : 0;
   cm_near_start(&near, word + prefix, length - prefix);
   for (uint32_t i = 0; key->names && i < key->count; i++) {
      if (key->names[i])
         cm_near_offer(&near, key->names[i]);
   }
   if (key->type == CM_KEY_MAPPING)
      offer_keys(&near, key, "", as_setting);
   return cm_near_text(&near, text, CM_NEAR_TEXT);
}

bool
cm_key_parse(const struct cm_key *key, const char *text, void *value)
{
   uint32_t number;
   switch (key->type) {
   case CM_KEY_NUMBER:
      if (!cm_quantity_parse(quantity_of(key), text, &number))
         return false;
      memcpy(value, &number, sizeof number);
      return true;
   case CM_KEY_LATENCY:
      number = CM_LATENCY_AUTO;
      if (!cm_name_is(text, "auto") && !cm_quantity_parse(CM_QUANTITY_COUNT, text, &number))
         return false;
      memcpy(value, &number, sizeof number);
      return true;
   case CM_KEY_NAME:
      number = cm_name_find(text, key->names, key->count);
      if (number == key->count)
         return false;
      memcpy(value, &number, sizeof number);
      return true;
   case CM_KEY_WAYS: {
      uint32_t ways[2] = {0, cm_name_is(text, "full")};
      if (!ways[1] && !cm_quantity_parse(CM_QUANTITY_COUNT, text, ways))
         return false;
      memcpy(value, ways, sizeof ways);
      return true;
   }
   case CM_KEY_TEXT: {
      char *copy = *text && strlen(text) <= key->count ? strdup(text) : NULL;
      if (copy) {
         free(*(char **)value);
         *(char **)value = copy;
      }
      return copy != NULL;
   }
   default: return false;
   }
}

void
cm_key_clear(const struct cm_key *key, void *value)
{
   for (uint32_t k = 0; key->keys && k < key->count; k++)
      cm_key_clear(&key->keys[k], (char *)value + key->keys[k].offset);
   if (key->type == CM_KEY_TEXT)
      free(*(char **)value);
   if (!key->keys)
      memset(value, 0, key->size);
}
