/* SPDX-License-Identifier: MIT */
/* Passes and tiles on their way to the recorder's thread and back: what is given back, in which
 * order, how much may wait, and what becomes of it when the file cannot be written. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/random_pass.h"
#include "support/random_recording.h"
#include "support/test.h"

/* Where the recorder's thread is held up. */
struct gate {
   sem_t reached, open;
};

static void
wait_for(sem_t *semaphore)
{
   while (sem_wait(semaphore) != 0)
      continue;
}

static void
gate_init(struct gate *gate)
{
   sem_init(&gate->reached, 0, 0);
   sem_init(&gate->open, 0, 0);
}

static void
gate_finish(struct gate *gate)
{
   sem_destroy(&gate->reached);
   sem_destroy(&gate->open);
}

/* The owner of one pass, whose tiles' words it frees as soon as they are given back. */
struct owner {
   struct cm_pass_owner base;
   struct pass_builder *builder;
   uint32_t released[1024]; /* tiles, in the order of their release */
   atomic_uint num_released;
   atomic_bool pass_released;
   struct gate *gate; /* the first release waits there; NULL: it does not */
};

static void
release_tile(struct cm_pass_owner *base, uint32_t tile)
{
   struct owner *owner = (struct owner *)base;
   struct cm_tile_events *events = &owner->builder->tiles[tile];
   const unsigned count = atomic_load(&owner->num_released);
   if (owner->gate && count == 0) {
      sem_post(&owner->gate->reached);
      wait_for(&owner->gate->open);
   }
   /* What is read afterwards is not what was there. */
   if (events->words)
      memset(events->words, 0xff, events->num_words * sizeof *events->words);
   free(events->words);
   *events = (struct cm_tile_events){0};
   owner->released[count] = tile;
   atomic_store(&owner->num_released, count + 1);
}

static void
release_pass(struct cm_pass_owner *base)
{
   struct owner *owner = (struct owner *)base;
   atomic_store(&owner->pass_released, true);
}

static struct cm_pass_owner *
owner_of(struct owner *owner)
{
   owner->base = (struct cm_pass_owner){release_tile, release_pass};
   return &owner->base;
}

/* A pass of 32 × 32 tiles, of which the first num_tiles have so many words of events. */
static struct pass_builder *
large_pass(uint32_t num_tiles, size_t words)
{
   struct pass_builder *builder = pass_new(0, 1024, 1024, 32);
   const uint32_t all_tiles[] = {0};
   pass_draw(builder);
   pass_primitive(builder, 1, all_tiles, 1);
   const size_t quads = (words / 10) * 4;
   for (uint32_t tile = 0; tile < num_tiles; tile++) {
      for (size_t q = 0; q < quads; q += 4)
         pass_shade(builder, tile, 0, 4, 15);
      assert_true(builder->tiles[tile].num_words * 4 > words * 3);
   }
   return builder;
}

/* All tiles come back in the order in which they were handed over, then the pass, although the
 * next passes are handed over meanwhile; and the recording has what they held. */
TEST(order)
{
   enum { PASSES = 12 };
   static struct owner owners[PASSES];
   struct pass_builder *expected[PASSES];
   uint64_t state = 3, same = 3;
   struct cm_recorder *recorder = new_recorder(recording_path());
   cm_recorder_gpu_begin(recorder);
   for (uint32_t i = 0; i < PASSES; i++) {
      owners[i] = (struct owner){.builder = random_pass(&state, i)};
      expected[i] = random_pass(&same, i);
      struct cm_pass_owner *owner = owner_of(&owners[i]);
      const struct cm_pass *pass = &owners[i].builder->pass;
      cm_recorder_pass_begin(recorder, pass, owner);
      for (uint32_t t = pass->tiles_x * pass->tiles_y; t-- > 0;) {
         if (pass->tiles[t].num_words)
            cm_recorder_pass_tile(recorder, t);
      }
      cm_recorder_pass_end(recorder);
   }
   cm_recorder_frame_end(recorder, 0);
   assert_true(cm_recorder_destroy(recorder));

   char error[512];
   struct cm_recording *recording = cm_recording_open(recording_path(), error, sizeof error);
   assert_non_null(recording);
   assert_int_equal(cm_recording_next(recording).type, CM_ITEM_GPU);
   for (uint32_t i = 0; i < PASSES; i++) {
      const struct cm_pass *pass = &expected[i]->pass;
      uint32_t released = 0;
      for (uint32_t t = pass->tiles_x * pass->tiles_y; t-- > 0;) {
         if (pass->tiles[t].num_words)
            assert_int_equal(owners[i].released[released++], t);
      }
      assert_int_equal(atomic_load(&owners[i].num_released), released);
      assert_true(atomic_load(&owners[i].pass_released));
      struct cm_item item = cm_recording_next(recording);
      assert_int_equal(item.type, CM_ITEM_PASS);
      assert_passes_equal(&item.pass->pass, pass);
      cm_recorded_pass_release(item.pass);
      pass_free(expected[i]);
      pass_free(owners[i].builder);
   }
   assert_int_equal(cm_recording_next(recording).type, CM_ITEM_FRAME_END);
   cm_recording_close(recording);
}

/* A tile without events is given back at once. */
TEST(empty_tile)
{
   struct owner owner = {.builder = large_pass(1, 100)};
   struct cm_pass_owner *pass_owner = owner_of(&owner);
   struct cm_recorder *recorder = new_recorder(recording_path());
   cm_recorder_gpu_begin(recorder);
   cm_recorder_pass_begin(recorder, &owner.builder->pass, pass_owner);
   cm_recorder_pass_tile(recorder, 5);
   assert_int_equal(atomic_load(&owner.num_released), 1);
   assert_int_equal(owner.released[0], 5);
   cm_recorder_pass_end(recorder);
   assert_true(cm_recorder_destroy(recorder));
   assert_true(atomic_load(&owner.pass_released));
   pass_free(owner.builder);
}

/* ---- how much may wait -------------------------------------------------- */

struct caller {
   struct cm_recorder *recorder;
   uint32_t first, end; /* tiles to hand over */
   atomic_uint handed_over;
};

static void *
hand_over_tiles(void *data)
{
   struct caller *caller = data;
   for (uint32_t t = caller->first; t < caller->end; t++) {
      cm_recorder_pass_tile(caller->recorder, t);
      atomic_store(&caller->handed_over, t + 1);
   }
   return NULL;
}

/* With a thread that is held up, tiles are taken up to the limit and one more; the next one's
 * caller waits until there is room again. */
TEST(limit)
{
   const size_t tile_words = CM_RECORDER_WAITING_BYTES / 4 / 16;
   struct gate gate;
   gate_init(&gate);
   struct owner owner = {.builder = large_pass(40, tile_words), .gate = &gate};
   struct cm_pass_owner *pass_owner = owner_of(&owner);
   const size_t tile_bytes = owner.builder->tiles[0].num_words * 4;
   const uint32_t limit = (uint32_t)(CM_RECORDER_WAITING_BYTES / tile_bytes) + 1;
   assert_true(limit < 30);

   struct caller caller = {.recorder = new_recorder(recording_path()), .end = limit};
   cm_recorder_gpu_begin(caller.recorder);
   cm_recorder_pass_begin(caller.recorder, &owner.builder->pass, pass_owner);
   hand_over_tiles(&caller); /* does not wait, or the test would not end */
   assert_int_equal(atomic_load(&owner.num_released), 0);

   pthread_t thread;
   caller.first = limit;
   caller.end = 40;
   assert_int_equal(pthread_create(&thread, NULL, hand_over_tiles, &caller), 0);
   usleep(50000);
   assert_int_equal(atomic_load(&caller.handed_over), limit);
   assert_int_equal(atomic_load(&owner.num_released), 0);

   sem_post(&gate.open);
   pthread_join(thread, NULL);
   cm_recorder_pass_end(caller.recorder);
   cm_recorder_frame_end(caller.recorder, 0);
   assert_true(cm_recorder_destroy(caller.recorder));
   assert_int_equal(atomic_load(&owner.num_released), 40);
   for (uint32_t t = 0; t < 40; t++)
      assert_int_equal(owner.released[t], t);
   gate_finish(&gate);
   pass_free(owner.builder);
}

#define MANY_PASSES 12
#define MANY_TILES 1024

struct passes_caller {
   struct cm_recorder *recorder;
   struct owner owners[MANY_PASSES];
   atomic_uint handed_over;
};

static void *
hand_over_passes(void *data)
{
   struct passes_caller *caller = data;
   for (uint32_t i = 0; i < MANY_PASSES; i++) {
      struct cm_pass_owner *pass_owner = owner_of(&caller->owners[i]);
      cm_recorder_pass_begin(caller->recorder, &caller->owners[i].builder->pass, pass_owner);
      for (uint32_t t = 0; t < MANY_TILES; t++)
         cm_recorder_pass_tile(caller->recorder, t);
      cm_recorder_pass_end(caller->recorder);
      atomic_fetch_add(&caller->handed_over, 1);
   }
   return NULL;
}

/* So many small tiles that the queue has no room for more, though their memory is little. */
TEST(many_tiles)
{
   struct gate gate;
   gate_init(&gate);
   static struct passes_caller caller;
   for (uint32_t i = 0; i < MANY_PASSES; i++)
      caller.owners[i] = (struct owner){.builder = large_pass(MANY_TILES, 10), .gate = i ? NULL : &gate};
   caller.recorder = new_recorder(recording_path());
   cm_recorder_gpu_begin(caller.recorder);
   pthread_t thread;
   assert_int_equal(pthread_create(&thread, NULL, hand_over_passes, &caller), 0);
   wait_for(&gate.reached);
   usleep(50000);
   assert_true(atomic_load(&caller.handed_over) < MANY_PASSES);
   sem_post(&gate.open);
   pthread_join(thread, NULL);
   cm_recorder_frame_end(caller.recorder, 0);
   assert_true(cm_recorder_destroy(caller.recorder));
   for (uint32_t i = 0; i < MANY_PASSES; i++) {
      assert_int_equal(atomic_load(&caller.owners[i].num_released), MANY_TILES);
      assert_true(atomic_load(&caller.owners[i].pass_released));
      pass_free(caller.owners[i].builder);
   }
   gate_finish(&gate);
}

/* ---- a file that cannot be written -------------------------------------- */

/* In a child, whose files may not grow any more while tiles wait: ends with status 3 where the
 * recorder said that it failed, and everything was given back, in order. */
static void
fail_while_tiles_wait(void)
{
   struct gate gate;
   gate_init(&gate);
   static struct owner owners[3];
   struct cm_recorder *recorder = new_recorder(recording_path());
   cm_recorder_gpu_begin(recorder);
   for (uint32_t frame = 0; frame < 3; frame++) {
      owners[frame] = (struct owner){.builder = large_pass(10, 20000), .gate = frame == 1 ? &gate : NULL};
      struct cm_pass_owner *pass_owner = owner_of(&owners[frame]);
      struct caller caller = {.recorder = recorder, .end = 10};
      cm_recorder_pass_begin(recorder, &owners[frame].builder->pass, pass_owner);
      hand_over_tiles(&caller);
      cm_recorder_pass_end(recorder);
      cm_recorder_frame_end(recorder, frame);
   }
   /* The second pass' first tile holds the thread up: the first frame is written. */
   wait_for(&gate.reached);
   const struct rlimit size = {1, 1};
   setrlimit(RLIMIT_FSIZE, &size);
   sem_post(&gate.open);
   signal(SIGXFSZ, SIG_IGN);
   if (cm_recorder_destroy(recorder))
      _exit(0);
   for (uint32_t frame = 0; frame < 3; frame++) {
      if (atomic_load(&owners[frame].num_released) != 10 || !atomic_load(&owners[frame].pass_released))
         _exit(1);
      for (uint32_t t = 0; t < 10; t++) {
         if (owners[frame].released[t] != t)
            _exit(2);
      }
   }
   _exit(3);
}

TEST(failure)
{
   fflush(NULL);
   const pid_t child = fork();
   assert_true(child >= 0);
   if (child == 0)
      fail_while_tiles_wait();
   int status;
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_true(WIFEXITED(status));
   assert_int_equal(WEXITSTATUS(status), 3);

   char error[512];
   size_t count;
   struct cm_recording *recording = cm_recording_open(recording_path(), error, sizeof error);
   assert_non_null(recording);
   assert_non_null(cm_recording_damage(recording));
   cm_recording_frames(recording, &count);
   assert_int_equal(count, 1);
   cm_recording_close(recording);
}
