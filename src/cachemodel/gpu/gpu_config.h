/* SPDX-License-Identifier: MIT */
/** Configurations (config/config.h) whose values are consistent: each module checks its own keys. */
#ifndef CM_GPU_CONFIG_H
#define CM_GPU_CONFIG_H

#include "config/config.h"

/** Loads and validates a configuration: the file name_or_path if that has a '/'
 * or ends in ".yaml", else presets_dir/name_or_path.yaml. NULL is the preset
 * CM_CONFIG_DEFAULT. A presets_dir of NULL is the environment's TBRSIM_CONFIG_DIR.
 * A file may extend another one (config/config_file.h).
 * NULL and a message in error when there is no such file or it is invalid. */
struct cm_config *
cm_config_load(const char *name_or_path, const char *presets_dir, char *error, size_t error_size);
/** The same from a text (YAML, or what cm_config_write_json wrote). source stands for the file
 * in messages; name becomes the configuration's. */
struct cm_config *
cm_config_parse(const char *text, const char *source, const char *name, char *error, size_t error_size);

/** Whether the values are consistent. cm_config_load does this itself; call it
 * after the last cm_config_set. */
bool cm_config_validate(const struct cm_config *config, char *error, size_t error_size);

/** Whether a GPU of this configuration uses what is known of tiles' contents (cm_pass.contents). Renderers find that out for these
 * and for recordings. */
bool cm_config_wants_contents(const struct cm_config *config);

/** Calls found(name, description, context) for each preset in presets_dir (NULL:
 * as for cm_config_load), sorted by name. False and a message when the directory
 * cannot be read or one of them is wrong. */
bool cm_config_list_presets(const char *presets_dir,
                            void (*found)(const char *name, const char *description, void *context),
                            void *context, char *error, size_t error_size);

#endif
