/* SPDX-License-Identifier: MIT */
#include "input/gfxr_file.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "process/process.h"
#include "process/temporary.h"
#include "tools.h"
#include "util/array.h"

/* A file is a header, options (a key and a value each) and blocks; all numbers are little-endian. A block is the size
 * of its content, its kind, and the content. */
#define MAGIC "GFXR"
#define MAX_OPTIONS 64
#define OPTION_BYTES 8

struct header {
   char magic[4];
   uint32_t major, minor, options;
};

struct block {
   uint64_t size;
   uint32_t kind;
} __attribute__((packed));

#define COMPRESSED 0x80000000u
enum { KIND_CALL = 4, KIND_METHOD_CALL = 6 };

/* A call's content begins with its number: the API, and the function. */
#define CALL_PRESENT 0x000110aeu /* vkQueuePresentKHR */

bool
gfxr_file_is(const char *path)
{
   char start[sizeof MAGIC - 1];
   FILE *file = fopen(path, "rbe");
   const bool is = file && fread(start, sizeof start, 1, file) == 1 && !memcmp(start, MAGIC, sizeof start);
   if (file)
      fclose(file);
   return is;
}

/* ---- blocks --------------------------------------------------------------------- */

static _Noreturn void
fail_to_read(FILE *file, const char *path)
{
   if (ferror(file))
      fail(STATUS_FAILED, "%s: %s", path, strerror(errno));
   fail(STATUS_FAILED, "%s: truncated: it ends in its header", path);
}

/* Where the blocks begin. */
static uint64_t
read_header(FILE *file, const char *path)
{
   struct header header;
   if (fread(&header, sizeof header, 1, file) != 1)
      fail_to_read(file, path);
   if (header.options > MAX_OPTIONS)
      fail(STATUS_FAILED, "%s: damaged: its header has %u options", path, header.options);
   return sizeof header + (uint64_t)header.options * OPTION_BYTES;
}

static void
add_frame(struct gfxr_file *capture, uint64_t end)
{
   if (!cm_array_grow(&capture->ends, capture->frames, sizeof(*capture->ends)))
      fail(STATUS_FAILED, "out of memory");
   capture->ends[capture->frames++] = end;
}

/* Takes the block at an offset, whose head has been read; false where it reaches past the end. */
static bool
take_block(struct gfxr_file *capture, FILE *file, const char *path, const struct block *block,
           uint64_t content)
{
   const uint32_t kind = block->kind & ~COMPRESSED;
   uint32_t call;
   if (block->size > capture->size - content)
      return false;
   if (kind == KIND_METHOD_CALL)
      fail(STATUS_FAILED, "%s: a capture of Direct3D 12, not of Vulkan", path);
   if (kind == KIND_CALL) {
      if (block->size < sizeof call)
         fail(STATUS_FAILED, "%s: damaged near byte %llu", path, (unsigned long long)content);
      if (fread(&call, sizeof call, 1, file) != 1)
         fail_to_read(file, path);
      if (call == CALL_PRESENT)
         add_frame(capture, content + block->size);
   }
   return true;
}

static void
read_blocks(struct gfxr_file *capture, FILE *file, const char *path)
{
   uint64_t offset = read_header(file, path);
   while (offset < capture->size) {
      struct block block;
      if (capture->size - offset < sizeof block) {
         capture->truncated = true;
         return;
      }
      if (fseeko(file, (off_t)offset, SEEK_SET) || fread(&block, sizeof block, 1, file) != 1)
         fail_to_read(file, path);
      offset += sizeof block;
      if (!take_block(capture, file, path, &block, offset)) {
         capture->truncated = true;
         return;
      }
      offset += block.size;
   }
   if (offset > capture->size)
      fail_to_read(file, path);
}

/* ---- what gfxrecon-info says ------------------------------------------------------ */

/* The value of a line "\tKEY: VALUE"; NULL: it is another line, or the value is empty. */
static char *
value_of(const char *line, const char *key)
{
   const size_t length = strlen(key);
   if (*line != '\t' || strncmp(line + 1, key, length) || strncmp(line + 1 + length, ": ", 2))
      return NULL;
   const char *value = line + length + 3;
   const size_t end = strcspn(value, "\n");
   return end ? text("%.*s", (int)end, value) : NULL;
}

static void
replace(char **target, char *value)
{
   if (!value)
      return;
   free(*target);
   *target = value;
}

/* Whether the memory of a GPU of this name is that of lavapipe, which ours has. */
static bool
is_alike(const char *device)
{
   return !strncmp(device, "tbrsim", 6) || !strncmp(device, "llvmpipe", 8);
}

static void
ask(struct gfxr_file *capture, const char *path)
{
   char *argv[] = {"gfxrecon-info", (char *)path, NULL};
   const struct process_setup setup = {.system_environment = true,
                                       .output = OUTPUT_PIPE,
                                       .errors = "/dev/null"};
   struct process process;
   const int error = process_start(&process, argv, &setup);
   if (error)
      fail(process_explain(argv[0], "", error),
           "replaying captures of Vulkan needs gfxreconstruct (Debian package gfxreconstruct)");
   FILE *output = fdopen(process.output, "r");
   if (!output)
      fail(STATUS_FAILED, "out of memory");
   process.output = -1;
   char *line = NULL, *executable = NULL, *device = NULL;
   size_t size = 0;
   while (getline(&line, &size, output) > 0) {
      replace(&executable, value_of(line, "Application exe name"));
      replace(&capture->program, value_of(line, "Application name"));
      replace(&device, value_of(line, "Device name"));
   }
   free(line);
   const int status = process_wait(&process);
   fclose(output);
   if (process_interrupted())
      exit(STATUS_SIGNAL + process_interrupted());
   if (status)
      fail(STATUS_FAILED, "%s: gfxrecon-info failed with status %d", path, status);
   replace(&capture->program, executable);
   capture->made_on_other_gpus = device && !is_alike(device);
   free(device);
}

/* ---- opening and trimming ----------------------------------------------------------- */

struct gfxr_file *
gfxr_file_open(const char *path)
{
   struct gfxr_file *capture = allocate(sizeof(*capture));
   struct stat status;
   FILE *file = fopen(path, "rbe");
   if (!file || fstat(fileno(file), &status))
      fail(STATUS_FAILED, "%s: %s", path, strerror(errno));
   capture->size = (uint64_t)status.st_size;
   read_blocks(capture, file, path);
   fclose(file);
   ask(capture, path);
   return capture;
}

void
gfxr_file_close(struct gfxr_file *file)
{
   if (!file)
      return;
   free(file->program);
   free(file->ends);
   free(file);
}

const char *
gfxr_file_trim(const struct gfxr_file *file, const char *path, unsigned last)
{
   static char bytes[1 << 18];
   assert(last < file->frames);
   const char *trimmed;
   FILE *from = fopen(path, "rbe"), *to = temporary_create(".gfxr", &trimmed);
   if (!from)
      fail(STATUS_FAILED, "%s: %s", path, strerror(errno));
   for (uint64_t left = file->ends[last]; left;) {
      const size_t wanted = left < sizeof bytes ? left : sizeof bytes;
      if (fread(bytes, 1, wanted, from) != wanted)
         fail(STATUS_FAILED, "%s: %s", path, ferror(from) ? strerror(errno) : "became shorter");
      fwrite(bytes, 1, wanted, to);
      left -= wanted;
   }
   fclose(from);
   temporary_close(to, trimmed);
   return trimmed;
}
