/* SPDX-License-Identifier: MIT */
#include "input/trace_file.h"

#include <assert.h>
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
#include "process/process.h"
#include "process/temporary.h"
#include "tools.h"
#include "input/gfxr_file.h"
#include "input/trace_drawables.h"

/* The newest format version that apitrace 11 writes is 6. */
#define MAX_VERSION 15

static _Noreturn void
not_a_trace(const char *path)
{
   char start[sizeof CM_RECORDING_MAGIC - 1];
   FILE *file = fopen(path, "rbe");
   const bool recording =
      file && fread(start, sizeof start, 1, file) == 1 && !memcmp(start, CM_RECORDING_MAGIC, sizeof start);
   fail(STATUS_FAILED, "%s: not a capture of apitrace or gfxreconstruct%s", path,
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
      fail(process_explain(argv[0], "", error), "replaying needs the Debian package apitrace");
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

/* The number after "KEY, " in a call's attributes; 0: there is none. */
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

/* ---- the program ------------------------------------------------------------ */

/* The text after the last separator of a path, which may be one of Windows. */
static const char *
last_name(const char *path)
{
   const char *name = path;
   for (const char *c = path; *c; c++) {
      if ((*c == '/' || *c == '\\') && c[1])
         name = c + 1;
   }
   return name;
}

/* Takes the program's name from a property of the trace. */
static void
take_program(struct trace *trace, const char *line)
{
   static const char label[] = "// process.name = \"";
   if (strncmp(line, label, sizeof(label) - 1))
      return;
   const char *path = line + sizeof(label) - 1;
   char *whole = text("%.*s", (int)strcspn(path, "\""), path);
   if (*whole)
      trace->program = text("%s", last_name(whole));
   free(whole);
}

/* "game" of /captures/game.trace. */
static const char *
name_of_file(const char *path)
{
   const char *name = last_name(path), *dot = strrchr(name, '.');
   return text("%.*s", dot && dot != name ? (int)(dot - name) : (int)strlen(name), name);
}

/* The properties are printed before the calls, where these are not chosen by name. */
static void
look_at_properties(struct trace *trace)
{
   char *argv[] = {"apitrace",       "dump",      "--verbose",         "--color=never",
                   "--multiline=no", "--calls=0", (char *)trace->path, NULL};
   struct process process;
   FILE *lines = start_apitrace(&process, argv);
   char *line = NULL;
   size_t size = 0;
   trace->program = name_of_file(trace->path);
   while (getline(&line, &size, lines) > 0)
      take_program(trace, line);
   free(line);
   finish_apitrace(&process, argv, lines, trace->path);
}

/* Looks at the calls that make contexts, drawables and frames. */
static void
look_at_calls(struct trace *trace)
{
   char *argv[] = {"apitrace",          "dump",
                   "--color=never",     "--multiline=no",
                   "--thread-ids=yes",  "--grep=^(eglBindAPI|" TRACE_DRAWABLES_CALLS ")$",
                   (char *)trace->path, NULL};
   struct process process;
   FILE *calls = start_apitrace(&process, argv);
   bool is_es = true; /* EGL's default */
   char *call = NULL;
   size_t size = 0;
   trace->calls = trace_drawables_create();
   while (getline(&call, &size, calls) > 0) {
      if (strstr(call, " eglBindAPI("))
         is_es = strstr(call, "EGL_OPENGL_ES_API") != NULL;
      else if (strstr(call, " eglCreateContext(") || strstr(call, " glXCreateContextAttribsARB("))
         take_context(&trace->versions, call, is_es);
      trace_drawables_take(trace->calls, call);
   }
   free(call);
   trace_drawables_end(trace->calls);
   finish_apitrace(&process, argv, calls, trace->path);
}

/* ---- swaps with damage ----------------------------------------------------- */

#define DAMAGE \
   "\x1b"      \
   "eglSwapBuffersWithDamage"
#define DAMAGE_LENGTH (sizeof DAMAGE - 1)
#define FULL_LENGTH (DAMAGE_LENGTH + 3) /* KHR or EXT */
#define PLAIN \
   "\x0e"     \
   "eglSwapBuffers"

static void
rename_in(gzFile from, gzFile to)
{
   static char bytes[1 << 18];
   size_t count = 0;
   int more;
   do {
      more = gzread(from, bytes + count, sizeof bytes - count);
      const char *rest = bytes, *end = bytes + count + (more > 0 ? more : 0), *found;
      while ((found = memmem(rest, end - rest, DAMAGE, DAMAGE_LENGTH)) && found + FULL_LENGTH <= end) {
         gzwrite(to, rest, found - rest);
         gzwrite(to, PLAIN, sizeof PLAIN - 1);
         rest = found + FULL_LENGTH;
      }
      /* What may be the beginning of another one stays. */
      count = end - rest;
      if (more > 0 && count >= FULL_LENGTH)
         count = FULL_LENGTH - 1;
      else if (more <= 0)
         count = 0;
      gzwrite(to, rest, end - rest - count);
      memmove(bytes, end - count, count);
   } while (more > 0);
}

/* apitrace's replayers leave eglSwapBuffersWithDamage out. eglSwapBuffers has its first arguments, the others are ignored:
 * a copy calls it. A function's name is where it is called first, with the length before it. */
static const char *
rename_swaps(const char *path)
{
   const char *repacked = temporary_path(".trace"), *renamed = temporary_path(".trace");
   char *argv[] = {"apitrace", "repack", "--zlib", (char *)path, (char *)repacked, NULL};
   json_decref(apitrace(argv, path));
   gzFile from = gzopen(repacked, "re"), to = gzopen(renamed, "we1");
   if (!from || !to)
      fail(STATUS_FAILED, "%s: %s", from ? renamed : repacked, strerror(errno));
   rename_in(from, to);
   if (gzclose(from) != Z_OK || gzclose(to) != Z_OK)
      fail(STATUS_FAILED, "%s: cannot be written", renamed);
   return renamed;
}

bool
trace_is_newer(const struct trace *trace)
{
   return trace->versions.es > TRACE_ES_LIMIT || trace->versions.gl > TRACE_GL_LIMIT;
}

static struct trace
open_vulkan(const char *path)
{
   struct trace trace = {.path = path, .vulkan = gfxr_file_open(path)};
   trace.program = trace.vulkan->program ? last_name(trace.vulkan->program) : name_of_file(path);
   trace.swaps = trace.vulkan->frames;
   trace.frames = trace.swaps ? trace.swaps : 1;
   return trace;
}

struct trace
trace_file_open(const char *path)
{
   if (gfxr_file_is(path))
      return open_vulkan(path);
   check_container(path);

   char *argv[] = {"apitrace", "info", (char *)path, NULL};
   json_t *information = apitrace(argv, path);
   const char *api = json_string_value(json_object_get(information, "API"));
   if (!api || !strcmp(api, "Unknown API"))
      not_a_trace(path);
   if (!strstr(api, "GL"))
      fail(STATUS_FAILED, "%s: a trace of %s, not of OpenGL or OpenGL ES", path, api);
   struct trace trace = {
      .path = path,
      .egl = strstr(api, "EGL") != NULL,
   };
   json_decref(information);
   look_at_properties(&trace);
   look_at_calls(&trace);
   trace.swaps = trace_drawables_count_frames(trace.calls);
   if (trace_drawables_have_damage(trace.calls))
      trace.path = rename_swaps(path);
   trace.frames = trace.swaps ? trace.swaps : 1;
   return trace;
}

const char *
trace_write_sizes(const struct trace *trace)
{
   const char *path;
   FILE *file = temporary_create(".sizes", &path);
   trace_drawables_write(trace->calls, file);
   temporary_close(file, path);
   return path;
}

void
trace_file_close(const struct trace *trace)
{
   gfxr_file_close(trace->vulkan);
   if (trace->calls)
      trace_drawables_destroy(trace->calls);
}

bool
trace_is_truncated(const struct trace *trace)
{
   return trace->vulkan && trace->vulkan->truncated;
}

bool
trace_is_of_other_gpus(const struct trace *trace)
{
   assert(trace->vulkan);
   return trace->vulkan->made_on_other_gpus;
}

bool
trace_has_images(const struct trace *trace)
{
   return trace->vulkan ? trace->swaps > 0 : trace_frame_end(trace, 0) > 0;
}

unsigned
trace_frame_end(const struct trace *trace, unsigned frame)
{
   assert(!trace->vulkan);
   return trace_drawables_frame_end(trace->calls, frame);
}

struct trace
trace_file_trim(const struct trace *trace, unsigned last)
{
   struct trace trimmed = *trace;
   trimmed.frames = trimmed.swaps = last + 1;
   if (trace->vulkan) {
      trimmed.path = gfxr_file_trim(trace->vulkan, trace->path, last);
      return trimmed;
   }
   trimmed.path = temporary_path(".trace");
   char *calls = text("--calls=0-%u", trace_frame_end(trace, last));
   char *argv[] = {"apitrace", "trim", calls, "-o", (char *)trimmed.path, (char *)trace->path, NULL};
   json_decref(apitrace(argv, trace->path));
   free(calls);
   return trimmed;
}
