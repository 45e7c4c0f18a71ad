/* SPDX-License-Identifier: MIT */
/**
 * Configurations as files. One with the key `extends` holds only what it changes: its values come after those of the
 * file that it names, which may extend a third one. Each key remembers the file and line that it comes from.
 *
 *    extends: tcor-64k            # a preset's name, or a .yaml file relative to this one
 *    caches:
 *      l2: {size: 512KiB}         # other keys of caches.l2 stay as they are
 *      tile_cache: null           # removes what the base has
 */
#ifndef CM_CONFIG_FILE_H
#define CM_CONFIG_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct cm_config;

/** Where a key's value comes from. */
struct cm_config_origin {
   char *key; /**< its dotted path */
   const char *
      file; /**< that set it last, or has a mapping of this name; one of cm_config_source.files, or "--set" */
   unsigned line; /**< from 1; 0: it was set after loading (cm_config_set) */
};

/** Where a configuration comes from. */
struct cm_config_source {
   char **files; /**< the files read: the requested one, its base, the base's base … */
   unsigned num_files;
   struct cm_config_origin *origins; /**< of the keys, mappings too, that a file or cm_config_set has set */
   unsigned num_origins;
};

/** Fills a configuration, which is all zeros, with the YAML text `yaml` of the file `path` (for messages, and to find
 * files relative to it) and all that it extends. presets_dir: where presets are found by name; NULL: nowhere. False
 * and a message with file and line in error: text that is not YAML, keys that are unknown, repeated or missing, values of
 * another type, a base that cannot be read, files that extend each other in a circle, a value removed that is not
 * there. The configuration has to be destroyed in any case. */
bool cm_config_fill(struct cm_config *config, const char *yaml, const char *path, const char *presets_dir,
                    char *error, size_t error_size);
void cm_config_source_destroy(struct cm_config_source *source);

/** Remembers where a key (its dotted path) comes from. file remains the caller's. False when out of memory. */
bool cm_config_note_origin(struct cm_config_source *source, const char *key, const char *file, unsigned line);

/** The file and line of a key, or of the nearest mapping around it that has one; line 1 of the requested file where
 * none has. */
const char *cm_config_origin(const struct cm_config_source *source, const char *key, unsigned *line);

/** The content of a file, zero-terminated, to be freed; NULL with errno. */
char *cm_config_read_file(const char *path);

#endif
