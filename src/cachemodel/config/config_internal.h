/* SPDX-License-Identifier: MIT */
/** What the parts of config/ share. */
#ifndef CM_CONFIG_INTERNAL_H
#define CM_CONFIG_INTERNAL_H

#include <cyaml/cyaml.h>

#include "config/config.h"
#include "config/quantity.h"

/** The one table of keys: their names, types and places in struct cm_config. */
extern const cyaml_schema_value_t cm_config_schema;

/** The field `key` (of the given length) of a mapping, or NULL. */
const cyaml_schema_field_t *
cm_schema_field(const cyaml_schema_value_t *mapping, const char *key, size_t length);

/** Writes what a value must be: "a whole number", "one of: a, b" … */
void cm_schema_describe(const cyaml_schema_value_t *value, char *text, size_t size);

/** In what the number of a key is: bytes, MHz … */
enum cm_quantity cm_schema_quantity(const cyaml_schema_value_t *value);

/** Replaces numbers with units in a YAML text, such as "256K" of a key in bytes, by plain ones. Lines remain where
 * they are. The text is freed. NULL when out of memory, and line is 0; or where a value is no number that its key
 * takes (libcyaml takes what a text begins with): its line (from 1), and in problem what is wrong. */
char *cm_config_resolve_units(char *yaml, unsigned *line, char *problem, size_t problem_size);

/** Whether what `--config` or `extends` says is a file rather than a preset's name: it has a '/', or ends in
 * ".yaml". */
bool cm_config_is_file_name(const char *name);

/** Line (from 1) of a dotted path in YAML text, or of its nearest enclosing key
 * that stands on a line of its own; 1 if there is none. last: where a mapping has
 * the key more than once, the last one. libcyaml knows the lines of values only,
 * and only while it loads. */
unsigned cm_config_line(const char *text, const char *path, bool last);

#endif
