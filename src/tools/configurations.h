/* SPDX-License-Identifier: MIT */
/** The configurations on a command line: each --config begins one, each --set after it changes
 * it; a --set before the first --config, or after the file, changes all. */
#ifndef CONFIGURATIONS_H
#define CONFIGURATIONS_H

#include <jansson.h>
#include <stdbool.h>

#include "events/recording.h"

struct cm_config;

struct configuration {
   /** The preset's name and the settings, as in "boustro-fo,caches.l2.ways=4", which --config takes; no two
    * alike. */
   char *name;
   /** The same as the name of a directory: "boustro-fo-l2.ways-4"; no two alike. */
   char *directory;
   struct cm_config *config;
   const char *preset; /**< as given; NULL: the recording's own configuration */
   char **settings;    /**< once finished: all of them, those for all first */
   unsigned num_settings;
   bool joined; /**< it was given with settings: "boustro-fo,caches.l2.ways=4" */
};

/** A key and the values that it takes, one after the other. */
struct variation {
   char *key, **values;
   unsigned num_values;
};

struct configurations {
   bool single;        /**< of a command that takes one: settings are for it wherever they stand */
   const char *preset; /**< taken where no --config is given; NULL: the recording's, or the default preset */
   struct configuration *list;
   unsigned count;
   char **settings; /**< for all */
   unsigned num_settings;
   bool for_all;          /**< settings from now on are for all */
   bool attributes_draws; /**< --attribute names draws */
   const char
      *counts; /**< --timing on or --attribute: what asks for more statistics; NULL: neither is given */
   struct variation *variations;
   unsigned num_variations;
};

/** --config (a preset, and settings after commas) and --set, as the command line has them. Exit with a message
 * if a single one is given twice. */
void configurations_add(struct configurations *configurations, const char *preset);
void configurations_set(struct configurations *configurations, const char *assignment);

/** The command line has a file: what is set after it is for all. */
void configurations_all(struct configurations *configurations);

/** --vary KEY=VALUE,…: each configuration with each of the values, for all keys that are varied. */
void configurations_vary(struct configurations *configurations, const char *variation);

/** Loads them; without a --config there is one. Exits with a message if one is wrong, if two are the
 * same, if the recording cannot be simulated with one, or if it is not clear whether settings are for all of them.
 * recording: NULL for a command that simulates live. */
void configurations_finish(struct configurations *configurations, const struct cm_recording *recording);

/** The configuration that a recording was made with. Exits with a message if there is none that is valid. */
struct cm_config *configurations_recorded(const struct cm_recording *recording);

/** A configuration's values, as objects of objects. */
json_t *config_json(const struct cm_config *config);

/** A single one as given, not loaded: its preset (NULL: none) and all settings. */
struct configuration configurations_given(const struct configurations *configurations);

#endif
