/* SPDX-License-Identifier: MIT */
/* Fences, which flush nothing: in the context that made them, and waited for in threads by contexts that share its objects.
 * Of a context that shares none, glFenceSync waits for the pass to end; Mesa flushes in others (syncobj.c). */
#include <EGL/egl.h>
#include <GLES3/gl31.h>
#include <pthread.h>
#include <time.h>

#include "support/check.h"
#include "support/egl.h"
#include "support/program.h"

#define SIZE 256
#define MILLISECOND 1000000ull
#define ROUNDS 200

static struct egl egl;

/* ---- contexts ------------------------------------------------------------- */

/* A context, current, with a framebuffer of its own. */
static EGLContext
begin(EGLContext shared)
{
   const EGLContext context = egl_create_context(&egl, false, 3, 1, shared);
   egl_make_current(&egl, context);
   bind_new_framebuffer(bind_new_image(GL_RGBA8, SIZE, SIZE));
   return context;
}

static void
end(EGLContext context)
{
   egl_make_current(&egl, EGL_NO_CONTEXT);
   eglDestroyContext(egl.display, context);
}

static void
draw(float red)
{
   glClearColor(red, 0, 0, 1);
   glClear(GL_COLOR_BUFFER_BIT);
}

static GLsync
fence(void)
{
   const GLsync sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
   require(sync != NULL, "glFenceSync");
   return sync;
}

static bool
is_signaled(GLenum result)
{
   return result == GL_ALREADY_SIGNALED || result == GL_CONDITION_SATISFIED;
}

static void
pause_for(unsigned milliseconds)
{
   nanosleep(&(struct timespec){.tv_nsec = milliseconds * MILLISECOND}, NULL);
}

/* ---- in one context ------------------------------------------------------- */

static void
one_context(void)
{
   const EGLContext context = begin(EGL_NO_CONTEXT);
   GLubyte pixel[4];
   GLsync sync = fence();
   holds(glClientWaitSync(sync, 0, 0) == GL_ALREADY_SIGNALED, "nothing has been drawn");
   glDeleteSync(sync);

   /* Without GL_SYNC_FLUSH_COMMANDS_BIT it might wait for ever; Mesa flushes all the same. */
   for (unsigned flags = 0; flags <= GL_SYNC_FLUSH_COMMANDS_BIT; flags++) {
      draw(1);
      sync = fence();
      draw(0.2f);
      holds(is_signaled(glClientWaitSync(sync, flags, GL_TIMEOUT_IGNORED)),
            "a wait without a limit, flags %u", flags);
      holds(glClientWaitSync(sync, flags, 0) == GL_ALREADY_SIGNALED, "it was signaled, flags %u", flags);
      glDeleteSync(sync);
   }

   draw(1);
   sync = fence();
   GLint status = GL_UNSIGNALED;
   while (status != GL_SIGNALED)
      glGetSynciv(sync, GL_SYNC_STATUS, 1, NULL, &status);
   glDeleteSync(sync);

   draw(1);
   sync = fence();
   glDeleteSync(fence());
   glWaitSync(sync, 0, GL_TIMEOUT_IGNORED);
   glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel); /* ends the pass and waits */
   holds(glClientWaitSync(sync, 0, 0) == GL_ALREADY_SIGNALED, "what it waits for was read");
   holds(pixel[0] == 255, "red is %u", pixel[0]);
   glDeleteSync(sync);

   draw(1);
   sync = fence();
   glFinish();
   holds(glClientWaitSync(sync, 0, 0) == GL_ALREADY_SIGNALED, "all is finished");
   glDeleteSync(sync);
   end(context);
}

/* ---- in another context's thread ------------------------------------------ */

struct waiter {
   EGLContext shared;
   GLsync sync;
   GLuint64 timeout;
   GLenum result;
};

static void *
wait_in_thread(void *data)
{
   struct waiter *waiter = data;
   const EGLContext context = begin(waiter->shared);
   waiter->result = glClientWaitSync(waiter->sync, GL_SYNC_FLUSH_COMMANDS_BIT, waiter->timeout);
   end(context);
   return NULL;
}

static pthread_t
start(struct waiter *waiter)
{
   pthread_t thread;
   require(!pthread_create(&thread, NULL, wait_in_thread, waiter), "pthread_create");
   return thread;
}

/* One that is not flushed, made when no other context shared its objects: it becomes signaled when its context flushes,
 * or ends. */
static void
unflushed(bool destroyed)
{
   const EGLContext context = begin(EGL_NO_CONTEXT);
   draw(1);
   const GLsync sync = fence();
   struct waiter asks = {context, sync, 0, 0}, gives_up = {context, sync, 5 * MILLISECOND, 0},
                 waits = {context, sync, GL_TIMEOUT_IGNORED, 0};
   pthread_join(start(&asks), NULL);
   holds(asks.result == GL_TIMEOUT_EXPIRED, "asked before the flush: %x", asks.result);
   pthread_join(start(&gives_up), NULL);
   holds(gives_up.result == GL_TIMEOUT_EXPIRED, "waited 5 ms, before the flush: %x", gives_up.result);
   const pthread_t thread = start(&waits);
   pause_for(20); /* it should be waiting by now; nothing is wrong if it isn't */
   if (destroyed)
      end(context);
   else
      glFlush();
   pthread_join(thread, NULL);
   holds(is_signaled(waits.result), "waited without a limit: %x", waits.result);
   if (!destroyed)
      end(context);
}

/* With contexts that share, no flush is needed. */
static void
shared(void)
{
   const EGLContext other = egl_create_context(&egl, false, 3, 1, EGL_NO_CONTEXT), context = begin(other);
   draw(1);
   struct waiter waits = {context, fence(), GL_TIMEOUT_IGNORED, 0};
   pthread_join(start(&waits), NULL);
   holds(is_signaled(waits.result), "a fence of contexts that share: %x", waits.result);
   glDeleteSync(waits.sync);
   end(context);
   eglDestroyContext(egl.display, other);
}

static void *
wait_for_egl_fence(void *sync)
{
   const EGLint result = eglClientWaitSync(egl.display, sync, 0, EGL_FOREVER);
   holds(result == EGL_CONDITION_SATISFIED, "eglClientWaitSync without a context: %x", result);
   return NULL;
}

static void
egl_fence(void)
{
   const EGLContext context = begin(EGL_NO_CONTEXT);
   draw(1);
   const EGLSync sync = eglCreateSync(egl.display, EGL_SYNC_FENCE, NULL);
   require(sync != EGL_NO_SYNC, "eglCreateSync");
   pthread_t thread;
   require(!pthread_create(&thread, NULL, wait_for_egl_fence, sync), "pthread_create");
   pthread_join(thread, NULL);
   draw(0);
   eglWaitSync(egl.display, sync, 0);
   eglDestroySync(egl.display, sync);
   end(context);
}

/* ---- what is drawn in one context and read in another --------------------- */

static struct {
   EGLContext context;
   GLuint texture;
   pthread_mutex_t mutex;
   pthread_cond_t turned;
   GLsync sync; /* NULL: the drawing thread's turn */
} relay = {.mutex = PTHREAD_MUTEX_INITIALIZER, .turned = PTHREAD_COND_INITIALIZER};

/* Waits until the fence is there, or is gone. */
static GLsync
await_turn(bool there)
{
   pthread_mutex_lock(&relay.mutex);
   while (!relay.sync == there)
      pthread_cond_wait(&relay.turned, &relay.mutex);
   const GLsync sync = relay.sync;
   pthread_mutex_unlock(&relay.mutex);
   return sync;
}

static void
turn(GLsync sync)
{
   pthread_mutex_lock(&relay.mutex);
   relay.sync = sync;
   pthread_cond_broadcast(&relay.turned);
   pthread_mutex_unlock(&relay.mutex);
}

static void *
read_in_thread(void *unused)
{
   const EGLContext context = begin(relay.context);
   GLuint framebuffer;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, relay.texture, 0);
   for (unsigned round = 0; round < ROUNDS; round++) {
      const GLsync sync = await_turn(true);
      GLubyte pixel[4] = {0};
      if (round & 1)
         glWaitSync(sync, 0, GL_TIMEOUT_IGNORED);
      else
         holds(is_signaled(glClientWaitSync(sync, 0, GL_TIMEOUT_IGNORED)), "round %u: not signaled", round);
      glReadPixels(SIZE - 1, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
      holds(pixel[0] == round % 256, "round %u: red is %u", round, pixel[0]);
      glDeleteSync(sync);
      draw(0);
      turn(NULL);
   }
   end(context);
   return NULL;
}

static void
two_threads(void)
{
   pthread_t thread;
   GLint name;
   relay.context = begin(EGL_NO_CONTEXT);
   glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                         GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, &name);
   relay.texture = name;
   require(!pthread_create(&thread, NULL, read_in_thread, NULL), "pthread_create");
   for (unsigned round = 0; round < ROUNDS; round++) {
      await_turn(false);
      draw(round % 256 / 255.0f);
      const GLsync sync = fence();
      glFlush();
      turn(sync);
   }
   pthread_join(thread, NULL);
   end(relay.context);
}

int
main(void)
{
   egl = egl_open((struct surface_request){.kind = SURFACELESS});
   one_context();
   unflushed(false);
   unflushed(true);
   shared();
   egl_fence();
   two_threads();
   return check_status();
}
