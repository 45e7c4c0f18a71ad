/* SPDX-License-Identifier: MIT */
/** Texture caches as a NUCA by themselves, without the rest of a GPU. */
#ifndef NUCA_HARNESS_H
#define NUCA_HARNESS_H

#include "texture/nuca.h"

/** The settings that make a configuration without nuca one with it: Table I's numbers. Ended by NULL. */
extern const char *const test_nuca_settings[];

struct nuca_harness {
   struct cm_config *config;
   struct cm_hierarchy hierarchy;
   struct cm_nuca *nuca;
};

/** The preset nuca-dtm with key=value changes (ended by NULL), or the test fails. */
struct cm_config *nuca_config(const char *const *assignments);

/** The texture caches of a configuration, which the harness owns from now on. */
void nuca_harness_init(struct nuca_harness *harness, struct cm_config *config);
void nuca_harness_finish(struct nuca_harness *harness);

/** A processor reads a block. Which of the events became of it: 'l' a local hit, 'o' one in an old owner, 'r'
 * a remote hit, 'L' an L2 access into the own cache, 'R' one into another cache. */
char nuca_harness_read(struct nuca_harness *harness, uint32_t processor, uint64_t block);

/** A counter: nuca's events, the requests after which so many caches held the block, a link's load. */
uint64_t nuca_harness_count(struct nuca_harness *harness, const struct cm_counter_source *source, int event);

#endif
