/* SPDX-License-Identifier: MIT */
#include "trace_file.h"

#include <brotli/decode.h>
#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "events/recording_format.h"
#include "process.h"
#include "tools.h"

/* The newest format version that apitrace 11 writes is 6. */
#define MAX_VERSION 15

static _Noreturn void
not_a_trace(const char *path)
{
   char start[sizeof CM_RECORDING_MAGIC - 1];
   FILE *file = fopen(path, "rbe");
   const bool recording =
      file && fread(start, sizeof start, 1, file) == 1 && !memcmp(start, CM_RECORDING_MAGIC, sizeof start);
   fail(STATUS_FAILED, "%s: not an apitrace file%s", path,
        recording ? " but a recording, expected tbrsim sim" : "");
}

static _Noreturn void
truncated(const char *path, uint64_t bytes)
{
   fail(STATUS_FAILED, "%s: truncated: it ends after %llu bytes, in the middle of the compressed calls", path,
        (unsigned long long)bytes);
}

static _Noreturn void
damaged(const char *path, uint64_t offset)
{
   fail(STATUS_FAILED, "%s: damaged near byte %llu", path, (unsigned long long)offset);
}

/* A trace's content begins with the version of its format. */
static void
check_version(const char *path, const uint8_t *content)
{
   if (!content[0] || content[0] > MAX_VERSION)
      not_a_trace(path);
}

/* Brotli has neither a magic number nor a checksum: the file is decoded to check it. */
static void
check_brotli(const char *path, FILE *file)
{
   static uint8_t input[1 << 16], output[1 << 18];
   BrotliDecoderState *decoder = BrotliDecoderCreateInstance(NULL, NULL, NULL);
   BrotliDecoderResult result = BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT;
   const uint8_t *next_input = input;
   size_t available = 0;
   uint64_t consumed = 0;
   bool checked = false;

   if (!decoder)
      fail(STATUS_FAILED, "out of memory");
   while (result != BROTLI_DECODER_RESULT_SUCCESS) {
      if (result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT) {
         next_input = input;
         available = fread(input, 1, sizeof(input), file);
         if (!available && !checked)
            not_a_trace(path);
         if (!available)
            truncated(path, consumed);
         consumed += available;
      }
      size_t room = sizeof(output);
      uint8_t *next_output = output;
      result = BrotliDecoderDecompressStream(decoder, &available, &next_input, &room, &next_output, NULL);
      if (!checked && room < sizeof(output)) {
         check_version(path, output);
         checked = true;
      }
      if (result == BROTLI_DECODER_RESULT_ERROR && !checked)
         not_a_trace(path);
      if (result == BROTLI_DECODER_RESULT_ERROR)
         damaged(path, consumed - available);
   }
   if (!checked)
      not_a_trace(path);
   BrotliDecoderDestroyInstance(decoder);
}

static void
check_gzip(const char *path)
{
   static uint8_t output[1 << 18];
   gzFile file = gzopen(path, "re");
   if (!file)
      fail(STATUS_FAILED, "%s: %s", path, strerror(errno));
   bool checked = false;
   for (int count; (count = gzread(file, output, sizeof(output))) > 0; checked = true) {
      if (!checked)
         check_version(path, output);
   }
   int error;
   gzerror(file, &error);
   if (error == Z_BUF_ERROR)
      truncated(path, (uint64_t)gzoffset(file));
   if (error != Z_OK)
      damaged(path, (uint64_t)gzoffset(file));
   gzclose(file);
}

/* Snappy's chunks carry their lengths. */
static void
check_snappy(const char *path, FILE *file)
{
   uint64_t offset = 2;
   uint8_t length[4];

   if (fseeko(file, 0, SEEK_END))
      fail(STATUS_FAILED, "%s: %s", path, strerror(errno));
   uint64_t size = ftello(file);
   while (offset < size) {
      if (fseeko(file, offset, SEEK_SET) || fread(length, 1, 4, file) != 4)
         truncated(path, size);
      offset += 4 + ((uint64_t)length[3] << 24 | length[2] << 16 | length[1] << 8 | length[0]);
   }
   if (offset > size)
      truncated(path, size);
}

static void
check_container(const char *path)
{
   uint8_t start[2];
   FILE *file = fopen(path, "rbe");
   if (!file)
      fail(STATUS_FAILED, "%s: %s", path, strerror(errno));
   if (fread(start, 1, 2, file) != 2) {
      if (ferror(file))
         fail(STATUS_FAILED, "%s: %s", path, strerror(errno));
      not_a_trace(path);
   }
   rewind(file);
   if (start[0] == 'a' && start[1] == 't')
      check_snappy(path, file);
   else if (start[0] == 0x1f && start[1] == 0x8b)
      check_gzip(path);
   else
      check_brotli(path, file);
   fclose(file);
}

/* Starts an apitrace command; what it prints. */
static FILE *
start_apitrace(struct process *process, char *const argv[])
{
   struct process_setup setup = {.system_environment = true, .output = OUTPUT_PIPE, .errors = "/dev/null"};
   int error = process_start(process, argv, &setup);
   if (error)
      fail(process_explain(argv[0], error), "replaying needs the Debian package apitrace");
   FILE *output = fdopen(process->output, "r");
   if (!output)
      fail(STATUS_FAILED, "out of memory");
   process->output = -1;
   return output;
}

static void
finish_apitrace(struct process *process, char *const argv[], FILE *output, const char *path)
{
   const int status = process_wait(process);
   fclose(output); /* after what it may still print */
   if (process_interrupted())
      exit(STATUS_SIGNAL + process_interrupted());
   if (status)
      fail(STATUS_FAILED, "%s: apitrace %s failed with status %d", path, argv[1], status);
}

/* Runs an apitrace command; what it prints, as JSON where there is any. */
static json_t *
apitrace(char *const argv[], const char *path)
{
   struct process process;
   FILE *output = start_apitrace(&process, argv);
   json_t *result = json_loadf(output, 0, NULL);
   finish_apitrace(&process, argv, output, path);
   return result;
}

/* ---- the contexts ---------------------------------------------------------- */

/* The number behind "KEY, " in a call's attributes; 0: there is none. */
static unsigned
attribute(const char *call, const char *key)
{
   const char *found = strstr(call, key);
   unsigned value = 0;
   return found && sscanf(found + strlen(key), ", %u", &value) == 1 ? value : 0;
}

/* A call that makes a context, as apitrace prints it. One that failed made none. */
static void
take_context(struct trace_versions *versions, const char *call, bool is_es)
{
   const size_t length = strlen(call);
   if (length > 7 && !strcmp(call + length - 7, "= NULL\n"))
      return;
   const bool is_egl = strstr(call, "eglCreateContext(") != NULL;
   const unsigned major =
      attribute(call, is_egl ? "EGL_CONTEXT_MAJOR_VERSION" : "_CONTEXT_MAJOR_VERSION_ARB");
   const unsigned minor =
      attribute(call, is_egl ? "EGL_CONTEXT_MINOR_VERSION" : "_CONTEXT_MINOR_VERSION_ARB");
   const unsigned version = major * 10 + minor;
   if (is_egl ? is_es : strstr(call, "_CONTEXT_ES") != NULL) {
      versions->es = version > versions->es ? version : versions->es;
   } else if (version > versions->gl) {
      versions->gl = version;
      versions->gl_compatibility = strstr(call, "COMPATIBILITY_PROFILE_BIT") != NULL;
   }
}

/* Gives each call that apitrace prints for an option to a function, until that has enough. */
static void
look_at_calls(const char *path, const char *option, bool (*take)(void *context, const char *call),
              void *context)
{
   char *argv[] = {"apitrace",        "dump",         "--color=never", "--multiline=no",
                   "--thread-ids=no", (char *)option, (char *)path,    NULL};
   struct process process;
   FILE *calls = start_apitrace(&process, argv);
   char *call = NULL;
   size_t size = 0;
   bool more = true;
   while (more && getline(&call, &size, calls) > 0) {
      if (*call >= '0' && *call <= '9')
         more = take(context, call);
   }
   free(call);
   if (more) {
      finish_apitrace(&process, argv, calls, path);
   } else {
      fclose(calls);
      process_stop(&process);
   }
}

struct context_search {
   struct trace_versions versions;
   bool is_es;
};

static bool
look_at_context(void *data, const char *call)
{
   struct context_search *search = data;
   if (strstr(call, "eglBindAPI("))
      search->is_es = strstr(call, "EGL_OPENGL_ES_API") != NULL;
   else
      take_context(&search->versions, call, search->is_es);
   return true;
}

static struct trace_versions
find_versions(const char *path)
{
   struct context_search search = {.is_es = true}; /* EGL's default */
   look_at_calls(path, "--grep=^(eglBindAPI|eglCreateContext|glXCreateContextAttribsARB)$", look_at_context,
                 &search);
   return search.versions;
}

/* ---- frames ------------------------------------------------------------------ */

struct frame_search {
   unsigned frame; /* that is looked for, counted from the next one */
   unsigned call;
   bool found;
};

static bool
look_at_frame_end(void *data, const char *call)
{
   struct frame_search *search = data;
   search->call = (unsigned)strtoul(call, NULL, 10);
   search->found = !search->frame--;
   return !search->found;
}

unsigned
trace_frame_end(const struct trace *trace, unsigned frame)
{
   struct frame_search search = {.frame = frame};
   look_at_calls(trace->path, "--calls=*/frame", look_at_frame_end, &search);
   if (!search.found)
      fail(STATUS_FAILED, "%s: apitrace finds no frame %u", trace->path, frame);
   return search.call;
}

bool
trace_is_newer(const struct trace *trace)
{
   return trace->versions.es > TRACE_ES_LIMIT || trace->versions.gl > TRACE_GL_LIMIT;
}

struct trace
trace_file_open(const char *path)
{
   check_container(path);

   char *argv[] = {"apitrace", "info", (char *)path, NULL};
   json_t *information = apitrace(argv, path);
   const char *api = json_string_value(json_object_get(information, "API"));
   json_t *frames = json_object_get(information, "FramesCount");
   if (!api || !json_is_integer(frames) || !strcmp(api, "Unknown API"))
      not_a_trace(path);
   if (!strstr(api, "GL"))
      fail(STATUS_FAILED, "%s: a trace of %s, not of OpenGL or OpenGL ES", path, api);
   struct trace trace = {
      .path = path,
      .egl = strstr(api, "EGL") != NULL,
      .frames = json_integer_value(frames),
   };
   json_decref(information);
   if (!trace.frames)
      fail(STATUS_FAILED, "%s: holds no whole frame", path);
   trace.versions = find_versions(path);
   return trace;
}

static char *trimmed;

static void
remove_trimmed(void)
{
   unlink(trimmed);
}

struct trace
trace_file_trim(const struct trace *trace, unsigned last)
{
   const char *directory = getenv("TMPDIR");
   trimmed = text("%s/tbrsim-XXXXXX.trace", directory && *directory ? directory : "/tmp");
   int file = mkstemps(trimmed, 6);
   if (file < 0)
      fail(STATUS_FAILED, "%s: %s", trimmed, strerror(errno));
   close(file);
   atexit(remove_trimmed);

   char *frames = text("--frames=0-%u", last);
   char *argv[] = {"apitrace", "trim", frames, "-o", trimmed, (char *)trace->path, NULL};
   json_decref(apitrace(argv, trace->path));
   free(frames);
   return (struct trace){
      .path = trimmed,
      .egl = trace->egl,
      .frames = last + 1,
      .versions = trace->versions,
   };
}
