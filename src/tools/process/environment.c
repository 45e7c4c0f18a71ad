/* SPDX-License-Identifier: MIT */
#include "process/environment.h"
#include "config/config.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools.h"

/* Directory above the command's own: <prefix>/bin/tbrsim. */
static const char *
prefix(void)
{
   static char *directory;
   if (!directory) {
      char *self = realpath("/proc/self/exe", NULL);
      if (!self)
         fail(STATUS_FAILED, "/proc/self/exe: %s", strerror(errno));
      directory = text("%s", dirname(dirname(self)));
      free(self);
   }
   return directory;
}

const char *
presets_directory(void)
{
   static char *directory;
   const char *named = getenv("TBRSIM_CONFIG_DIR");
   if (named && *named)
      return named;
   if (!directory)
      directory = text("%s/" TBRSIM_DATA_DIRECTORY "/tbrsim/configs", prefix());
   return directory;
}

const char *
python_directory(void)
{
   static char *directory;
   if (!directory)
      directory = text("%s/" TBRSIM_DATA_DIRECTORY "/tbrsim/python", prefix());
   return directory;
}

const char *
command_path(void)
{
   static char *path;
   if (!path && !(path = realpath("/proc/self/exe", NULL)))
      fail(STATUS_FAILED, "/proc/self/exe: %s", strerror(errno));
   return path;
}

char *
data_path(const char *name)
{
   return text("%s/" TBRSIM_DATA_DIRECTORY "/tbrsim/%s", prefix(), name);
}

char *
program_path(const char *name)
{
   return text("%s/" TBRSIM_PROGRAM_DIRECTORY "/tbrsim/%s", prefix(), name);
}

/* ours, then what the variable has already. */
static char *
prepended(const char *variable, const char *ours)
{
   const char *value = getenv(variable);
   if (!value || !*value)
      return text("%s", ours);
   size_t length = strlen(ours);
   if (!strncmp(value, ours, length) && (value[length] == ':' || !value[length]))
      return text("%s", value);
   return text("%s:%s", ours, value);
}

/* What tells Vulkan's loader of the driver's library. With softpipe, which has none, there is no device. */
static char *
vulkan_manifest(const char *driver)
{
   const char *name = strcmp(driver, "llvmpipe") ? driver : "lvp";
   return text("%s/" TBRSIM_DATA_DIRECTORY "/vulkan/icd.d/%s_icd.json", prefix(), name);
}

unsigned
environment_variables(struct variable variables[MAX_VARIABLES], const char *driver,
                      const struct options *options, const char *frames)
{
   char *libraries = text("%s/" TBRSIM_LIBRARY_DIRECTORY, prefix());
   char *vendor = text("%s/" TBRSIM_DATA_DIRECTORY "/glvnd/egl_vendor.d/50_mesa.json", prefix());
   char *library = text("%s/libEGL_mesa.so.0", libraries);
   if (access(library, R_OK) || access(vendor, R_OK))
      fail(STATUS_FAILED, "%s: %s; Mesa is not installed with this command (run 'make')",
           access(vendor, R_OK) ? vendor : library, strerror(errno));
   free(library);

   unsigned count = 0;
#define SET(key, ...)                     \
   variables[count++] = (struct variable) \
   {                                      \
      key, __VA_ARGS__                    \
   }
   SET("GALLIUM_DRIVER", text("%s", driver));
   SET("LIBGL_ALWAYS_SOFTWARE", text("1"));
   SET("LD_LIBRARY_PATH", prepended("LD_LIBRARY_PATH", libraries));
   SET("LIBGL_DRIVERS_PATH", text("%s/dri", libraries));
   SET("GBM_BACKENDS_PATH", text("%s/gbm", libraries));
   SET("DRIRC_CONFIGDIR", text("%s/" TBRSIM_DATA_DIRECTORY "/drirc.d", prefix()));
   SET("__EGL_VENDOR_LIBRARY_FILENAMES", vendor);
   SET("__GLX_VENDOR_LIBRARY_NAME", text("mesa"));
   SET("VK_DRIVER_FILES", vulkan_manifest(driver));
   SET("MESA_LOADER_DRIVER_OVERRIDE", NULL);
   SET("TBRSIM_CONFIG", text("%s", options->config ? options->config : CM_CONFIG_DEFAULT));
   SET("TBRSIM_CONFIG_DIR", text("%s", presets_directory()));
   SET("TBRSIM_SET", options->settings ? text("%s", options->settings) : NULL);
   SET("TBRSIM_MODEL", text("%d", options->model));
   SET("TBRSIM_OUT", options->out && options->model ? text("%s", options->out) : NULL);
   SET("TBRSIM_RUN", options->run ? text("%s", options->run) : NULL);
   SET("TBRSIM_RECORD", options->record ? text("%s", options->record) : NULL);
   SET("TBRSIM_RECORD_HIDDEN", options->record_hidden ? text("%s", options->record_hidden) : NULL);
   SET("TBRSIM_RECORD_ISA", options->record_isa ? text("%s", options->record_isa) : NULL);
   SET("TBRSIM_CALL_MARKERS", options->call_numbers ? text("1") : NULL);
   SET("TBRSIM_THUMBNAILS", options->thumbnails ? text("1") : NULL);
   SET("TBRSIM_MODEL_THREADS", options->model_threads ? text("%u", options->model_threads) : NULL);
   SET("TBRSIM_TIMELINE", options->timeline ? text("%s", options->timeline) : NULL);
   SET("TBRSIM_FRAMES", frames ? text("%s", frames) : NULL);
#undef SET
   free(libraries);
   return count;
}

void
environment_apply(const struct variable *variables, unsigned count)
{
   for (unsigned v = 0; v < count; v++) {
      if (variables[v].value ? setenv(variables[v].name, variables[v].value, 1) : unsetenv(variables[v].name))
         fail(STATUS_FAILED, "environment: %s", strerror(errno));
   }
}

void
environment_remove(void)
{
   static const char *const names[] = {"GALLIUM_DRIVER",
                                       "LIBGL_DRIVERS_PATH",
                                       "DRIRC_CONFIGDIR",
                                       "GBM_BACKENDS_PATH",
                                       "__EGL_VENDOR_LIBRARY_FILENAMES",
                                       "__GLX_VENDOR_LIBRARY_NAME",
                                       "VK_DRIVER_FILES",
                                       "LD_PRELOAD"};
   for (unsigned n = 0; n < sizeof(names) / sizeof(names[0]); n++)
      unsetenv(names[n]);

   char *libraries = text("%s/" TBRSIM_LIBRARY_DIRECTORY, prefix());
   const char *value = getenv("LD_LIBRARY_PATH");
   size_t length = strlen(libraries);
   if (value && !strncmp(value, libraries, length) && (value[length] == ':' || !value[length])) {
      if (value[length])
         setenv("LD_LIBRARY_PATH", value + length + 1, 1);
      else
         unsetenv("LD_LIBRARY_PATH");
   }
   free(libraries);
}
