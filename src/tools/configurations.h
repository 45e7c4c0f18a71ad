/* SPDX-License-Identifier: MIT */
/** The configurations on a command line: each --config begins one, each --set after it changes
 * it; a --set before the first --config changes all. */
#ifndef CONFIGURATIONS_H
#define CONFIGURATIONS_H

#include "config/config.h"
#include "events/recording.h"

struct configuration {
   /** The preset's name and the settings, as in "boustro-fo,caches.l2.ways=4"; no two alike. */
   char *name;
   struct cm_config *config;
   const char *preset; /**< as given; NULL: the recording's own configuration */
   char **settings;
   unsigned num_settings;
};

struct configurations {
   struct configuration *list;
   unsigned count;
   char **settings; /**< for all */
   unsigned num_settings;
};

/** --config and --set, as the command line has them. */
void configurations_add(struct configurations *configurations, const char *preset);
void configurations_set(struct configurations *configurations, const char *assignment);

/** Loads them; without a --config there is one, that of the recording. Ends the command with a
 * line where one is wrong, where two are the same, or where the recording cannot answer for it. */
void configurations_finish(struct configurations *configurations, const struct cm_recording *recording);

#endif
