/* SPDX-License-Identifier: MIT */
/**
 * Configurations that extend others. A file with the key `extends` holds only what it changes: its values are
 * merged into those of the file that it names, which may extend a third one. The result is a YAML text without
 * `extends` that libcyaml loads like any other; each of its lines knows the file and line that it comes from.
 *
 *    extends: tcor-64k            # a preset's name, or a .yaml file relative to this one
 *    caches:
 *      l2: {size: 512KiB}         # other keys of caches.l2 stay as they are
 *      tile_cache: null           # removes what the base has
 */
#ifndef CM_CONFIG_EXTENDS_H
#define CM_CONFIG_EXTENDS_H

#include <stdbool.h>
#include <stddef.h>

/** A configuration as text, and where its lines come from. */
struct cm_config_text {
   char *yaml;
   char **files; /**< the files read: the requested one, its base, the base's base … */
   unsigned num_files;
   /** Of each line of yaml (from 0) the file and its line there. NULL: line n is line n of files[0]. */
   struct cm_config_origin *lines;
   unsigned num_lines;
   char **settings; /**< paths of the keys that were set after loading (cm_config_set) */
   unsigned num_settings;
};

struct cm_config_origin {
   unsigned file; /**< index into files */
   unsigned line; /**< from 1 */
};

/** Reads the YAML text `yaml` of the file `path` (for messages, and to find files relative to it) with all that it
 * extends. presets_dir: where presets are found by name; NULL: nowhere. NULL and a message with file and line in
 * error: a base that cannot be read, files that extend each other in a circle, unknown or repeated keys, a value
 * removed that is not there. */
struct cm_config_text *cm_config_text_create(const char *yaml, const char *path, const char *presets_dir,
                                             char *error, size_t error_size);
void cm_config_text_destroy(struct cm_config_text *text);

/** The file and line behind line `line` (from 1) of the text. */
const char *cm_config_text_origin(const struct cm_config_text *text, unsigned line, unsigned *origin_line);

/** Remembers that a key (its dotted path, of the given length) was set after loading. False when out of memory. */
bool cm_config_text_note_setting(struct cm_config_text *text, const char *path, size_t length);

/** The file and line that a key's value comes from; "--set" and line 0 where it was set after loading. */
const char *cm_config_text_value_origin(const struct cm_config_text *text, const char *path, unsigned *line);

/** The content of a file, zero-terminated, to be freed; NULL with errno. */
char *cm_config_read_file(const char *path);

#endif
