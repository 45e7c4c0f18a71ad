/* SPDX-License-Identifier: MIT */
/**
 * The program's own names on their way to the event stream: debug groups, markers, labels; formats of textures, hashes
 * of shaders. A name is defined when it first occurs, before what names it: strings and groups have numbers, the same
 * for all contexts of a screen. Without a model nothing is kept.
 *
 * TBRSIM_CALL_MARKERS=1 in the environment: markers that begin with a number and the name of an OpenGL function, as
 * glretrace --markers inserts one before each call ("1234 glDrawArrays(…"), are that call's number and not strings.
 */
#ifndef TBR_NAMES_H
#define TBR_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "events/names.h"

struct nir_shader;
struct pipe_context;
struct tbr_context;
struct tbr_names;
struct tbr_resource;
struct tbr_screen;

/** What a context's draws are called at the moment. */
struct tbr_draw_names {
   uint32_t groups[CM_MAX_GROUP_DEPTH]; /**< those that are open, the outermost first */
   uint32_t num_groups;
   uint32_t too_deep; /**< groups open within the last of them that are not kept */
   uint32_t marker;   /**< string; 0: none yet */
   uint32_t call;     /**< number of the call; 0: not known */
};

/** A shader's hash and label. */
struct tbr_shader_name {
   uint64_t hash;
   uint32_t label; /**< string; 0: none */
   bool announced;
};

/** False when out of memory. */
bool tbr_names_init_screen(struct tbr_screen *screen);
void tbr_names_destroy_screen(struct tbr_screen *screen);
/** The context's functions for groups, markers and labels. */
void tbr_names_init_context(struct pipe_context *context);

/** A string's number; 0 for "", without a model and when out of memory. */
uint32_t tbr_names_string(struct tbr_screen *screen, const char *text);
/** Announces the label of a resource, which has been announced. With the screen's announce_mutex held. */
void tbr_names_announce_label(struct tbr_screen *screen, const struct tbr_resource *resource);

/** A shader as the driver gets it. */
struct tbr_shader_name tbr_names_of_shader(struct tbr_screen *screen, const struct nir_shader *nir);
/** Announces it before its first draw. */
void tbr_names_announce_shader(struct tbr_context *context, enum cm_shader_stage stage, uint32_t id,
                               struct tbr_shader_name *name);

/** The innermost group that is open; 0: none. */
static inline uint32_t
tbr_names_group(const struct tbr_draw_names *names)
{
   return names->num_groups ? names->groups[names->num_groups - 1] : 0;
}

#endif
