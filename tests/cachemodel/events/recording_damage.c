/* SPDX-License-Identifier: MIT */
/* What a damaged, truncated or unfinished recording gives: all that comes before the
 * damage, a line with file and offset, and never anything that was not recorded. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "events/recording_format.h"
#include "support/random_pass.h"
#include "support/random_recording.h"
#include "support/test.h"

#define FRAMES 4
#define SEED 9

struct file {
   uint8_t *bytes;
   size_t size;
};

static struct file
read_file(const char *path)
{
   FILE *stream = fopen(path, "rb");
   assert_non_null(stream);
   struct file file = {.bytes = malloc(1 << 24)};
   file.size = fread(file.bytes, 1, 1 << 24, stream);
   fclose(stream);
   return file;
}

static void
write_file(const uint8_t *bytes, size_t size)
{
   FILE *stream = fopen(recording_path(), "wb");
   assert_non_null(stream);
   assert_int_equal(fwrite(bytes, 1, size, stream), size);
   fclose(stream);
}

static struct file
whole_recording(void)
{
   write_random_recording(recording_path(), SEED, FRAMES);
   return read_file(recording_path());
}

/* Reads what is there: the frames that were read, all of them as they were recorded. */
static uint32_t
read_frames(bool *damaged)
{
   char error[512] = "";
   struct cm_recording *recording = cm_recording_open(recording_path(), error, sizeof error);
   *damaged = true;
   if (!recording) {
      assert_non_null(strstr(error, recording_path()));
      return 0;
   }
   size_t count;
   const struct cm_indexed_frame *frames = cm_recording_frames(recording, &count);
   const uint32_t read = count ? compare_random_recording(recording, SEED, 0) : 0;
   const char *line = cm_recording_damage(recording);
   *damaged = line != NULL;
   if (line) {
      assert_non_null(strstr(line, recording_path()));
      assert_non_null(strstr(line, ": offset "));
      assert_null(strchr(line, '\n'));
   }
   assert_true(read <= count && (read == count || line) && (!count || frames));
   cm_recording_close(recording);
   return read;
}

/* Frames whose end lies before an offset. */
static uint32_t
frames_before(const struct file *file, size_t end)
{
   uint32_t frames = 0;
   struct cm_chunk_header header;
   for (size_t at = CM_RECORDING_HEADER_BYTES; at + CM_CHUNK_HEADER_BYTES <= end;
        at += CM_CHUNK_HEADER_BYTES + header.stored_bytes) {
      if (!cm_chunk_header_load(file->bytes + at, &header))
         break;
      if (at + CM_CHUNK_HEADER_BYTES + header.stored_bytes <= end)
         frames += header.type == CM_CHUNK_FRAME_END;
   }
   return frames;
}

TEST(truncation)
{
   const struct file file = whole_recording();
   uint64_t state = 3;
   bool damaged;
   assert_int_equal(read_frames(&damaged), FRAMES);
   assert_false(damaged);
   /* At each boundary of chunks and around it, and anywhere. */
   struct cm_chunk_header header;
   size_t at = CM_RECORDING_HEADER_BYTES;
   for (unsigned n = 0; n < 120; n++) {
      size_t end = random_below(&state, (uint32_t)file.size);
      if (at < file.size && cm_chunk_header_load(file.bytes + at, &header)) {
         end = at + (n % 3) - 1;
         if (n % 3 == 2)
            at += CM_CHUNK_HEADER_BYTES + header.stored_bytes;
      }
      write_file(file.bytes, end);
      assert_int_equal(read_frames(&damaged), frames_before(&file, end));
      assert_true(damaged);
   }
   free(file.bytes);
}

TEST(bit_flips)
{
   const struct file file = whole_recording();
   uint64_t state = 11;
   unsigned missed = 0;
   const int descriptor = open(recording_path(), O_RDWR | O_CLOEXEC);
   assert_true(descriptor >= 0);
   for (unsigned n = 0; n < test_rounds(1500); n++) {
      const size_t at = n < 300 ? n : random_below(&state, (uint32_t)file.size);
      const uint8_t flipped = file.bytes[at] ^ (uint8_t)(1 << random_below(&state, 8));
      bool damaged;
      assert_int_equal(pwrite(descriptor, &flipped, 1, (off_t)at), 1);
      /* Where a bit means nothing, all is as it was. */
      const uint32_t frames = read_frames(&damaged);
      assert_true(damaged || frames == FRAMES);
      missed += !damaged;
      assert_int_equal(pwrite(descriptor, &file.bytes[at], 1, (off_t)at), 1);
   }
   close(descriptor);
   assert_true(missed < 60);
   free(file.bytes);
}

static void
refused(const uint8_t *bytes, size_t size, const char *expected)
{
   char error[512] = "";
   write_file(bytes, size);
   assert_null(cm_recording_open(recording_path(), error, sizeof error));
   assert_non_null(strstr(error, recording_path()));
   if (!strstr(error, expected))
      fail_msg("%s: expected %s", error, expected);
}

TEST(refused)
{
   struct file file = whole_recording();
   char error[512];
   refused(file.bytes, 0, "offset 0: the file is empty");
   refused(file.bytes, 5, "truncated");
   refused(file.bytes, 20, "offset 20: the file is truncated");
   refused((const uint8_t *)"apitrace or whatever it may be", 30, "not a recording");
   refused(file.bytes, CM_RECORDING_HEADER_BYTES, "offset 32: the file is truncated");

   uint8_t *header = file.bytes;
   header[8] = CM_RECORDING_VERSION + 1;
   refused(header, file.size, "a recording of version 15, expected versions 4 to 14");
   header[8] = CM_RECORDING_VERSION;
   header[12] = 77;
   refused(header, file.size, "the header is corrupt");
   cm_store_uint32(header + 28, cm_crc32(header, 28));
   refused(header, file.size, "unknown kind (77)");
   header[12] = 0;
   cm_store_uint32(header + 28, cm_crc32(header, 28));

   /* A chunk that says it is larger than any may be, and one larger than the file. */
   uint8_t *chunk = file.bytes + CM_RECORDING_HEADER_BYTES;
   cm_store_uint32(chunk + 12, UINT32_MAX);
   cm_store_uint32(chunk + 24, cm_crc32(chunk, 24));
   refused(file.bytes, file.size, "offset 32: the header of a chunk is corrupt");
   cm_store_uint32(chunk + 12, 1000);
   cm_store_uint32(chunk + 16, UINT32_MAX);
   cm_store_uint32(chunk + 24, cm_crc32(chunk, 24));
   refused(file.bytes, file.size, "offset 32: the file is truncated");

   assert_null(cm_recording_open("/nonexistent/file.tbr", error, sizeof error));
   assert_string_equal(error, "/nonexistent/file.tbr: No such file or directory");
   assert_null(cm_recording_open("/dev/null", error, sizeof error));
   assert_string_equal(error, "/dev/null: not a regular file");
   free(file.bytes);
}

/* Quads that no renderer makes, alone or as the last of a group next to their neighbours, are
 * not handed to the consumer. */
TEST(impossible_quads)
{
   static const struct {
      uint32_t num_primitives, primitive;
      uint8_t x, y;
      bool possible;
   } cases[] = {
      {1, 0, 15, 15, true},  {1, 0, 16, 3, false}, {1, 0, 3, 16, false},         {1, 0, 255, 3, false},
      {1, 0, 3, 255, false}, {1, 1, 3, 3, false},  {1, UINT32_MAX, 3, 3, false}, {0, 0, 3, 3, false},
   };
   for (unsigned i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
      const uint32_t tile = 0, primitive = cases[i / 2].primitive;
      const uint8_t x = cases[i / 2].x, y = cases[i / 2].y;
      const struct cm_quad neighbour = {0, x > 15 ? 15 : x, y > 15 ? 15 : y, 1, 1, 1, 1};
      const struct cm_quad group[4] = {neighbour, neighbour, neighbour, {primitive, x, y, 15, 15, 15, 15}};
      struct pass_builder *builder = pass_new(0, 64, 64, 32);
      pass_draw(builder);
      if (cases[i / 2].num_primitives)
         pass_primitive(builder, 1, &tile, 1);
      if (i % 2)
         pass_quads(builder, 0, 0, 0, group, 3);
      pass_quads(builder, 0, 0, 0, i % 2 ? group : group + 3, i % 2 ? 4 : 1);
      struct cm_recorder *recorder = new_recorder(recording_path());
      cm_recorder_gpu_begin(recorder);
      record_pass(recorder, builder);
      cm_recorder_frame_end(recorder, 0);
      assert_true(cm_recorder_destroy(recorder));
      pass_free(builder);

      char error[512];
      struct cm_recording *recording = cm_recording_open(recording_path(), error, sizeof error);
      assert_non_null(recording);
      assert_int_equal(cm_recording_next(recording).type, CM_ITEM_GPU);
      struct cm_item item = cm_recording_next(recording);
      assert_int_equal(item.type, cases[i / 2].possible ? CM_ITEM_PASS : CM_ITEM_DAMAGED);
      if (!cases[i / 2].possible)
         assert_non_null(strstr(cm_recording_damage(recording), "pixels outside of the tile"));
      cm_recorded_pass_release(item.pass);
      cm_recording_close(recording);
   }
}

/* ---- writing that fails --------------------------------------------------------- */

/* In a child with a limit to the size of files: records, continues after the failure, and ends
 * with status 3 where the recorder said that it failed. */
static int
record_with_limit(rlim_t limit)
{
   fflush(NULL);
   const pid_t child = fork();
   assert_true(child >= 0);
   if (child == 0) {
      const struct rlimit size = {limit, limit};
      uint64_t state;
      struct cm_recorder *recorder = new_recorder(recording_path());
      setrlimit(RLIMIT_FSIZE, &size);
      cm_recorder_gpu_begin(recorder);
      for (uint32_t id = 1; id <= 6; id++) {
         const struct cm_resource_description resource = random_resource(id);
         cm_recorder_define_resource(recorder, &resource);
      }
      for (uint32_t frame = 0; frame < 40; frame++) {
         state = SEED;
         struct pass_builder *builder = random_pass(&state, 0);
         record_pass(recorder, builder);
         pass_free(builder);
         cm_recorder_frame_end(recorder, frame);
      }
      /* The index is written by the thread that destroys. */
      signal(SIGXFSZ, SIG_IGN);
      _exit(cm_recorder_destroy(recorder) ? 0 : 3);
   }
   int status;
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_true(WIFEXITED(status));
   return WEXITSTATUS(status);
}

TEST(full_disk)
{
   assert_int_equal(record_with_limit(RLIM_INFINITY), 0);
   const struct file file = read_file(recording_path());
   size_t before = 0;
   for (rlim_t limit = 2000; limit < file.size; limit += file.size / 23 + 1) {
      char error[512];
      size_t count;
      unlink(recording_path());
      assert_int_equal(record_with_limit(limit), 3);
      if (access(recording_path(), F_OK) != 0) {
         assert_int_equal(before, 0); /* it has no whole frame */
         continue;
      }
      struct cm_recording *recording = cm_recording_open(recording_path(), error, sizeof error);
      assert_non_null(recording);
      cm_recording_frames(recording, &count);
      assert_true(count >= before && count < 40);
      assert_int_not_equal(cm_recording_end(recording), CM_RECORDING_WHOLE);
      assert_non_null(cm_recording_damage(recording));
      for (struct cm_item item = cm_recording_next(recording); item.type != CM_ITEM_END;
           item = cm_recording_next(recording)) {
         assert_int_not_equal(item.type, CM_ITEM_DAMAGED);
         cm_recorded_pass_release(item.pass);
         free(item.resources);
         free(item.names);
         free(item.codes);
      }
      before = count;
      cm_recording_close(recording);
   }
   assert_true(before > 20);
   free(file.bytes);
}

/* Frames that the child below records at most: it may be killed much later than it should be. */
#define MAX_FRAMES 500

/* A process that is killed leaves the frames that were finished and written. */
TEST(killed)
{
   unlink(recording_path());
   fflush(NULL);
   const pid_t child = fork();
   assert_true(child >= 0);
   if (child == 0) {
      struct cm_recorder *recorder = new_recorder(recording_path());
      cm_recorder_gpu_begin(recorder);
      for (uint32_t frame = 0; frame < MAX_FRAMES; frame++) {
         uint64_t state = frame;
         struct pass_builder *builder = random_pass(&state, frame);
         record_pass(recorder, builder);
         pass_free(builder);
         cm_recorder_frame_end(recorder, frame);
      }
      for (;;)
         pause();
   }
   /* The file gets its name with its first frame. */
   while (access(recording_path(), F_OK) != 0) {
      assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
      usleep(1000);
   }
   kill(child, SIGKILL);
   assert_int_equal(waitpid(child, NULL, 0), child);
   char error[512];
   size_t count;
   struct cm_recording *recording = cm_recording_open(recording_path(), error, sizeof error);
   assert_non_null(recording);
   assert_int_equal(cm_recording_end(recording), CM_RECORDING_UNFINISHED);
   assert_non_null(strstr(cm_recording_damage(recording), "complete frames precede it"));
   cm_recording_frames(recording, &count);
   assert_in_range(count, 1, MAX_FRAMES);
   size_t ends = 0;
   for (;;) {
      struct cm_item item = cm_recording_next(recording);
      assert_int_not_equal(item.type, CM_ITEM_DAMAGED);
      if (item.type == CM_ITEM_END)
         break;
      ends += item.type == CM_ITEM_FRAME_END;
      cm_recorded_pass_release(item.pass);
      free(item.resources);
      free(item.names);
      free(item.codes);
   }
   assert_int_equal(ends, count);
   cm_recording_close(recording);
}

TEST(cannot_create)
{
   char error[512] = "";
   struct cm_config *config = test_config(NULL);
   assert_null(cm_recorder_create("/nonexistent/file.tbr", NULL, CM_RECORDING_PLAIN, config, NULL, 0, error,
                                  sizeof error));
   assert_string_equal(error, "/nonexistent/file.tbr: No such file or directory");
   assert_null(
      cm_recorder_create("/dev/full", NULL, CM_RECORDING_PLAIN, config, NULL, 0, error, sizeof error));
   assert_string_equal(error, "/dev/full: Invalid argument");
   cm_config_destroy(config);
}
