/* SPDX-License-Identifier: MIT */
#include "config/config_problem.h"

#include <stdarg.h>
#include <stdio.h>

bool
cm_config_wrong(struct cm_config_problem *problem, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(problem->message, sizeof problem->message, format, arguments);
   va_end(arguments);
   return false;
}

struct cm_config_problem *
cm_config_about(struct cm_config_problem *problem, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(problem->key, sizeof problem->key, format, arguments);
   va_end(arguments);
   return problem;
}

bool
cm_config_in_range(struct cm_config_problem *problem, uint32_t value, uint32_t low, uint32_t high)
{
   if (value >= low && value <= high)
      return true;
   return cm_config_wrong(problem, "%u is out of range, expected %u to %u", value, low, high);
}

bool
cm_config_power_of_two(struct cm_config_problem *problem, uint32_t value, uint32_t low, uint32_t high)
{
   if (cm_is_power_of_two(value) && value >= low && value <= high)
      return true;
   return cm_config_wrong(problem, "%u is invalid, expected a power of two from %u to %u", value, low, high);
}
