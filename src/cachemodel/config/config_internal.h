/* SPDX-License-Identifier: MIT */
/** What the parts of config/ share. */
#ifndef CM_CONFIG_INTERNAL_H
#define CM_CONFIG_INTERNAL_H

#include "config/config.h"
#include "config/quantity.h"
#include "util/near.h"

/** What a key's value is. */
enum cm_key_type {
   CM_KEY_NUMBER,
   CM_KEY_NAME,    /**< of an enumeration */
   CM_KEY_WAYS,    /**< a number or "full": of a cache, ways and full_ways */
   CM_KEY_LATENCY, /**< a number or "auto": CM_LATENCY_AUTO */
   CM_KEY_TEXT,
   CM_KEY_MAPPING, /**< keys of its own */
};

/** A key: its name, type and place in struct cm_config. */
struct cm_key {
   const char *name;
   enum cm_key_type type;
   bool optional;
   size_t offset; /**< in the struct of the mapping that it is in */
   size_t size;
   bool bytes;                /**< of a number: it takes the units of bytes */
   const char *const *names;  /**< of an enumeration, by their values; NULL: the key has no such value */
   const struct cm_key *keys; /**< of a mapping */
   uint32_t count;            /**< of names or keys; of a text's characters, at most */
   const char *description;   /**< what it is; NULL where only the member of struct cm_config says that */
};

/** The one table of keys: the mapping that a file is. */
extern const struct cm_key cm_config_keys;

/** The key `name` (of the given length) of a mapping, or NULL. */
const struct cm_key *cm_key_find(const struct cm_key *mapping, const char *name, size_t length);

/** Writes what a key's value must be: "a whole number", "one of: a, b" … */
void cm_key_describe(const struct cm_key *key, char *text, size_t size);

/** " (did you mean …?)" for a word, of so many characters, that is not a value of a key (util/near.h): for an
 * enumeration its values; for a mapping its keys and those in them, as dotted paths. as_setting: the paths that --set takes,
 * without "caches.". Returns text. */
const char *cm_key_near(const struct cm_key *key, const char *word, size_t length, bool as_setting,
                        char text[CM_NEAR_TEXT]);

/** Sets a value to what a text says. False where it says no such value, or out of memory; then nothing changes. */
bool cm_key_parse(const struct cm_key *key, const char *text, void *value);

/** Sets a value, all that a mapping has, to zeros: as if a file did not have the key. */
void cm_key_clear(const struct cm_key *key, void *value);

/** Whether what `--config` or `extends` says is a file rather than a preset's name: it has a '/', or ends in
 * ".yaml". */
bool cm_config_is_file_name(const char *name);

/** Writes to text why no configuration of this name could be read; errno is the reason for its file, at path:
 * "no preset 'mali' (did you mean mali-like?), …". directory: the one of presets. */
void
cm_config_explain_missing(const char *name, const char *path, const char *directory, char *text, size_t size);

#endif
