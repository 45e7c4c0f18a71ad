/* SPDX-License-Identifier: MIT */
/**
 * What is wrong with a configuration's values, for the checks that each folder has of its own keys. They end in
 *    return value fits || cm_config_wrong(cm_config_about(problem, "key"), "%u is …, expected …", value);
 */
#ifndef CM_CONFIG_PROBLEM_H
#define CM_CONFIG_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

struct cm_config_problem {
   char key[96]; /**< dotted path */
   char message[400];
};

/** Names the key that the next check is about. Returns the problem. */
struct cm_config_problem *cm_config_about(struct cm_config_problem *problem, const char *format, ...)
   __attribute__((format(printf, 2, 3)));

/** Sets the message and returns false. The key has been set. */
bool cm_config_wrong(struct cm_config_problem *problem, const char *format, ...)
   __attribute__((format(printf, 2, 3)));

static inline bool
cm_is_power_of_two(uint32_t n)
{
   return n && (n & (n - 1)) == 0;
}

/** Whether a value is at least low and at most high, and whether it is a power of two that is; if not, the message says
 * so. The key has been set. */
bool cm_config_in_range(struct cm_config_problem *problem, uint32_t value, uint32_t low, uint32_t high);
bool cm_config_power_of_two(struct cm_config_problem *problem, uint32_t value, uint32_t low, uint32_t high);

/** The same for a key of config: CM_KEY_IN_RANGE(problem, config, nuca.mesh.hop_cycles, 0, 1000). */
#define CM_KEY_IN_RANGE(problem, config, key, low, high) \
   cm_config_in_range(cm_config_about(problem, #key), (config)->key, low, high)
#define CM_KEY_POWER_OF_TWO(problem, config, key, low, high) \
   cm_config_power_of_two(cm_config_about(problem, #key), (config)->key, low, high)

#endif
