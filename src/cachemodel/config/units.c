/* SPDX-License-Identifier: MIT */
#include "config/units.h"

#define NAME_OF(id, name, description) name,
#define STRING_OF(id, name, description) #name,
#define DESCRIPTION_OF(id, name, description) description,

const char *const cm_stream_names[CM_STREAM_COUNT] = {CM_STREAMS(NAME_OF)};
const char *const cm_stream_descriptions[CM_STREAM_COUNT] = {CM_STREAMS(DESCRIPTION_OF)};
const char *const cm_unit_names[CM_UNIT_COUNT] = {CM_CACHES(STRING_OF) "dram"};
const char *const cm_unit_descriptions[CM_UNIT_COUNT] = {CM_CACHES(DESCRIPTION_OF) "main memory"};
