/* SPDX-License-Identifier: MIT */
#include "input/trace_drawables.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools.h"
#include "util/array.h"
#include "util/id_table.h"

struct size {
   int width, height; /* 0: not known */
};

/* A size that a drawable has from so many swaps on. */
struct change {
   unsigned swaps;
   struct size size;
};

/* What a frame tells of the size of the window that it is drawn on. */
struct evidence {
   struct size exact; /* it was asked for, or a new context's viewport */
   struct size drawn; /* the extent of the viewports that were drawn with */
   bool at_origin;    /* of which one begins at 0, 0 */
   struct size cleared;
   bool cleared_at_origin;
};

struct drawable {
   unsigned number;   /* in the order in which they become current, from 1; 0: not yet */
   bool is_fixed;     /* a pbuffer */
   bool is_swapped;   /* its swaps end frames: those of EGL's pbuffers do nothing */
   struct size next;  /* is known since the frame was drawn on */
   struct size asked; /* of which one is still to be asked for */
   struct evidence frame;
   unsigned swaps;
   struct change *changes;
   size_t num_changes;
   struct drawable *before; /* that was made before it */
};

struct viewport {
   int x, y, width, height;
};

struct context {
   struct viewport viewport;
   bool has_viewport;
   bool is_of_window;        /* the viewport was set while a window was drawn on */
   uint64_t framebuffer;     /* that is drawn to; 0: the drawable */
   struct drawable *current; /* when it was last made current */
   struct context *before;   /* that was made before it */
};

/* The calls' values that name something: pointers, or XIDs. A name may be given again. */
struct objects {
   struct cm_id_table names;
   void **list;
   size_t count;
};

struct trace_drawables {
   struct objects drawables, contexts, threads; /* a thread's object is its context */
   struct drawable surfaceless;                 /* what the replayers use for all contexts without one */
   struct drawable *last;
   struct context *last_context;
   unsigned bound; /* drawables that have been current */
   bool have_damage;
   unsigned last_draw; /* number of the last call that draws; 0: none */
   unsigned *frame_ends;
   size_t num_frames;
};

/* ---- what a call says ----------------------------------------------------- */

/* A call as it is printed: "12 @0 glClear(mask = GL_COLOR_BUFFER_BIT)", with " = RESULT" where there is one. */
struct call {
   unsigned number;
   uint64_t thread;
   const char *name; /* up to '(' */
   const char *arguments;
};

static bool
read_call(struct call *call, const char *line)
{
   char *rest;
   call->number = strtoul(line, &rest, 10);
   if (strncmp(rest, " @", 2))
      return false;
   call->thread = strtoull(rest + 2, &rest, 10);
   call->name = rest + (*rest == ' ');
   call->arguments = strchr(call->name, '(');
   return call->arguments != NULL;
}

static bool
is_called(const struct call *call, const char *name)
{
   const size_t length = strlen(name);
   return !strncmp(call->name, name, length) && call->name[length] == '(';
}

static bool
begins_with(const struct call *call, const char *start)
{
   return !strncmp(call->name, start, strlen(start));
}

/* The text after "NAME = "; NULL: there is no such argument. */
static const char *
argument(const struct call *call, const char *name)
{
   const size_t length = strlen(name);
   for (const char *at = call->arguments; (at = strstr(at, name)); at++) {
      if ((at[-1] == '(' || at[-1] == ' ') && !strncmp(at + length, " = ", 3))
         return at + length + 3;
   }
   return NULL;
}

/* A number, a pointer, or one after "&"; 0 for NULL and where there is no such argument. */
static int64_t
number(const struct call *call, const char *name)
{
   const char *value = argument(call, name);
   return value ? strtoll(value + (*value == '&'), NULL, 0) : 0;
}

/* The number after "KEY, " in a list. */
static int
attribute(const struct call *call, const char *key)
{
   const char *value = strstr(call->arguments, key);
   return value && value[strlen(key)] == ',' ? atoi(value + strlen(key) + 1) : 0;
}

static bool
is_argument(const struct call *call, const char *name, const char *value)
{
   const char *found = argument(call, name);
   return found && !strncmp(found, value, strlen(value)) && strchr(",)", found[strlen(value)]);
}

/* The last " = " is before the result, which calls without one do not have. */
static const char *
result(const struct call *call)
{
   const char *end = strrchr(call->arguments, ')');
   return end && !strncmp(end, ") = ", 4) ? end + 4 : "";
}

static bool
has_failed(const struct call *call)
{
   const char *value = result(call);
   static const char *const failures[] = {"EGL_FALSE", "False", "FALSE", "NULL"};
   for (unsigned f = 0; f < sizeof(failures) / sizeof(failures[0]); f++) {
      if (!strncmp(value, failures[f], strlen(failures[f])))
         return true;
   }
   return false;
}

/* ---- objects ---------------------------------------------------------------- */

static void **
find(struct objects *objects, uint64_t name)
{
   const uint32_t index = cm_id_table_add(&objects->names, name);
   if (index == CM_NO_INDEX)
      fail(STATUS_FAILED, "out of memory");
   if (index == objects->count) {
      if (!cm_array_grow(&objects->list, objects->count, sizeof(*objects->list)))
         fail(STATUS_FAILED, "out of memory");
      objects->list[objects->count++] = NULL;
   }
   return &objects->list[index];
}

static void
destroy_objects(struct objects *objects)
{
   cm_id_table_finish(&objects->names);
   free(objects->list);
}

static void *
zeros(size_t size)
{
   return memset(allocate(size), 0, size);
}

static struct drawable *
add_drawable(struct trace_drawables *all, uint64_t name)
{
   struct drawable *drawable = *find(&all->drawables, name) = zeros(sizeof(*drawable));
   drawable->is_swapped = true;
   drawable->before = all->last;
   return all->last = drawable;
}

/* The surfaces of EGL are made by calls; windows, and what other libraries than GLX make, are not. */
static struct drawable *
find_drawable(struct trace_drawables *all, uint64_t name)
{
   struct drawable *drawable = *find(&all->drawables, name);
   return drawable ? drawable : add_drawable(all, name);
}

static struct context *
find_context(struct trace_drawables *all, uint64_t name)
{
   void **context = find(&all->contexts, name);
   if (!*context) {
      struct context *new = *context = zeros(sizeof(*new));
      new->before = all->last_context;
      all->last_context = new;
   }
   return *context;
}

/* ---- sizes --------------------------------------------------------------- */

static bool
is_known(struct size size)
{
   return size.width > 0 && size.height > 0;
}

static struct size
larger(struct size a, struct size b)
{
   return (struct size){a.width > b.width ? a.width : b.width, a.height > b.height ? a.height : b.height};
}

static void
set_size(struct drawable *drawable, struct size size)
{
   const struct change *last = drawable->num_changes ? &drawable->changes[drawable->num_changes - 1] : NULL;
   if (!is_known(size) || (last && last->size.width == size.width && last->size.height == size.height))
      return;
   if (!cm_array_grow(&drawable->changes, drawable->num_changes, sizeof(*drawable->changes)))
      fail(STATUS_FAILED, "out of memory");
   /* The first that is known holds from the beginning. */
   drawable->changes[drawable->num_changes++] = (struct change){last ? drawable->swaps : 0, size};
}

/* What is covered; or, where no viewport began in the corner, what there is at least. */
static struct size
covered(const struct drawable *drawable, struct size extent, bool at_origin)
{
   return at_origin || !drawable->num_changes
             ? extent
             : larger(extent, drawable->changes[drawable->num_changes - 1].size);
}

static void
end_frame(struct drawable *drawable)
{
   const struct evidence *frame = &drawable->frame;
   if (!drawable->is_fixed) {
      if (is_known(frame->exact))
         set_size(drawable, frame->exact);
      else if (is_known(frame->drawn))
         set_size(drawable, covered(drawable, frame->drawn, frame->at_origin));
      else if (is_known(frame->cleared))
         set_size(drawable, covered(drawable, frame->cleared, frame->cleared_at_origin));
   }
   drawable->frame = (struct evidence){.exact = drawable->next};
   drawable->next = (struct size){0};
}

/* Buffers get their size when a frame is begun. */
static void
take_exact(struct drawable *drawable, struct size size)
{
   struct evidence *frame = &drawable->frame;
   const bool is_begun = is_known(frame->exact) || is_known(frame->drawn) || is_known(frame->cleared);
   if (is_known(size))
      *(is_begun ? &drawable->next : &frame->exact) = size;
}

/* A viewport that reaches beyond the lower left corner tells nothing. */
static void
take_viewport(struct size *extent, bool *at_origin, const struct viewport *viewport)
{
   if (viewport->x < 0 || viewport->y < 0 || viewport->width <= 0 || viewport->height <= 0)
      return;
   *extent = larger(*extent, (struct size){viewport->x + viewport->width, viewport->y + viewport->height});
   *at_origin |= !viewport->x && !viewport->y;
}

/* ---- calls ------------------------------------------------------------------ */

static void
make_current(struct trace_drawables *all, const struct call *call)
{
   const bool is_wgl = begins_with(call, "wgl");
   const uint64_t name = number(call, is_wgl                   ? "hdc"
                                      : argument(call, "draw") ? "draw"
                                                               : "drawable"),
                  context = number(call, is_wgl ? "hglrc" : "ctx");
   if (has_failed(call))
      return;
   if (!context) {
      *find(&all->threads, call->thread) = NULL;
      return;
   }
   struct drawable *drawable = name ? find_drawable(all, name) : &all->surfaceless;
   struct context *current = find_context(all, context);
   if (!drawable->number)
      drawable->number = ++all->bound;
   current->current = drawable;
   *find(&all->threads, call->thread) = current;
}

static void
create_drawable(struct trace_drawables *all, const struct call *call, bool is_egl)
{
   const uint64_t name = strtoull(result(call), NULL, 0);
   if (has_failed(call) || !name)
      return;
   struct drawable *drawable = add_drawable(all, name);
   drawable->is_swapped =
      !is_egl || begins_with(call, "eglCreateWindow") || begins_with(call, "eglCreatePlatformWindow");
   if (begins_with(call, "eglCreatePbufferSurface") || begins_with(call, "glXCreatePbuffer")) {
      set_size(drawable, (struct size){attribute(call, is_egl ? "EGL_WIDTH" : "GLX_PBUFFER_WIDTH"),
                                       attribute(call, is_egl ? "EGL_HEIGHT" : "GLX_PBUFFER_HEIGHT")});
      drawable->is_fixed = drawable->num_changes;
   }
}

static void
create(struct trace_drawables *all, const struct call *call)
{
   const char *name = call->name + 3;
   if (!strncmp(name, "CreateContext", 13) || !strncmp(name, "CreateNewContext", 16))
      *find(&all->contexts, strtoull(result(call), NULL, 0)) = NULL;
   else
      create_drawable(all, call, call->name[0] == 'e');
}

/* Width and height are asked for by a call each. */
static void
query(struct trace_drawables *all, const struct call *call)
{
   const bool is_egl = begins_with(call, "egl");
   const uint64_t name = number(call, is_egl ? "surface" : "draw");
   const int value = number(call, "value");
   struct drawable *drawable = find_drawable(all, name);
   if (has_failed(call))
      return;
   if (is_argument(call, "attribute", is_egl ? "EGL_WIDTH" : "GLX_WIDTH"))
      drawable->asked.width = value;
   else if (is_argument(call, "attribute", is_egl ? "EGL_HEIGHT" : "GLX_HEIGHT"))
      drawable->asked.height = value;
   if (is_known(drawable->asked)) {
      take_exact(drawable, drawable->asked);
      drawable->asked = (struct size){0};
   }
}

static void
swap(struct trace_drawables *all, const struct call *call)
{
   const char *name = begins_with(call, "egl") ? "surface" : begins_with(call, "wgl") ? "hdc" : "drawable";
   struct drawable *drawable = find_drawable(all, number(call, name));
   if (has_failed(call) || !drawable->is_swapped)
      return;
   all->have_damage |= begins_with(call, "eglSwapBuffersWith");
   end_frame(drawable);
   drawable->swaps++;
   if (!cm_array_grow(&all->frame_ends, all->num_frames, sizeof(*all->frame_ends)))
      fail(STATUS_FAILED, "out of memory");
   all->frame_ends[all->num_frames++] = call->number;
}

/* The first one of several. */
static bool
read_viewport(struct viewport *viewport, const struct call *call)
{
   const char *values = argument(call, "v");
   float v[4] = {number(call, "x"), number(call, "y")};
   if (number(call, "index") || number(call, "first"))
      return false;
   if (values && sscanf(values, "{%f, %f, %f, %f", &v[0], &v[1], &v[2], &v[3]) != 4)
      return false;
   if (!values) {
      v[2] = number(call, argument(call, "width") ? "width" : "w");
      v[3] = number(call, argument(call, "height") ? "height" : "h");
   }
   *viewport = (struct viewport){v[0], v[1], v[2], v[3]};
   return true;
}

static void
set_viewport(struct context *context, const struct call *call)
{
   if (!read_viewport(&context->viewport, call))
      return;
   context->is_of_window = !context->framebuffer;
   if (!context->has_viewport && strstr(call->arguments, ") // fake"))
      take_exact(context->current, (struct size){context->viewport.width, context->viewport.height});
   context->has_viewport = true;
}

static void
bind_framebuffer(struct context *context, const struct call *call)
{
   if (!is_argument(call, "target", "GL_READ_FRAMEBUFFER"))
      context->framebuffer = number(call, "framebuffer");
}

static void
blit(const struct context *context, const struct call *call)
{
   const int x[] = {number(call, "dstX0"), number(call, "dstX1")},
             y[] = {number(call, "dstY0"), number(call, "dstY1")};
   const struct viewport viewport = {x[x[1] < x[0]], y[y[1] < y[0]], abs(x[1] - x[0]), abs(y[1] - y[0])};
   const bool is_named = argument(call, "drawFramebuffer") != NULL;
   if (!(is_named ? (uint64_t)number(call, "drawFramebuffer") : context->framebuffer))
      take_viewport(&context->current->frame.drawn, &context->current->frame.at_origin, &viewport);
}

static void
draw(struct trace_drawables *all, const struct context *context, const struct call *call)
{
   struct evidence *frame = &context->current->frame;
   all->last_draw = call->number;
   if (begins_with(call, "glBlit"))
      blit(context, call);
   else if (context->framebuffer || !context->has_viewport)
      return;
   else if (!begins_with(call, "glClear"))
      take_viewport(&frame->drawn, &frame->at_origin, &context->viewport);
   else if (context->is_of_window)
      take_viewport(&frame->cleared, &frame->cleared_at_origin, &context->viewport);
}

void
trace_drawables_take(struct trace_drawables *all, const char *line)
{
   struct call call;
   struct context *context;
   if (!read_call(&call, line))
      return;
   if (begins_with(&call, "eglSwap") || begins_with(&call, "glXSwap") || begins_with(&call, "wglSwap") ||
       begins_with(&call, "CGL")) {
      swap(all, &call);
   } else if (begins_with(&call, "egl") || begins_with(&call, "glX") || begins_with(&call, "wgl")) {
      if (begins_with(&call, "eglMake") || begins_with(&call, "glXMake") || begins_with(&call, "wglMake"))
         make_current(all, &call);
      else if (is_called(&call, "eglReleaseThread"))
         *find(&all->threads, call.thread) = NULL;
      else if (begins_with(&call, "eglCreate") || begins_with(&call, "glXCreate"))
         create(all, &call);
      else if (begins_with(&call, "eglQuerySurface") || begins_with(&call, "glXQueryDrawable"))
         query(all, &call);
   } else if ((context = *find(&all->threads, call.thread))) {
      if (begins_with(&call, "glViewport"))
         set_viewport(context, &call);
      else if (begins_with(&call, "glBindFramebuffer"))
         bind_framebuffer(context, &call);
      else
         draw(all, context, &call);
   }
}

/* ---- the result ------------------------------------------------------------ */

struct trace_drawables *
trace_drawables_create(void)
{
   struct trace_drawables *all = zeros(sizeof(*all));
   all->surfaceless.is_swapped = true;
   return all;
}

void
trace_drawables_destroy(struct trace_drawables *all)
{
   for (struct drawable *drawable = all->last; drawable;) {
      struct drawable *before = drawable->before;
      free(drawable->changes);
      free(drawable);
      drawable = before;
   }
   for (struct context *context = all->last_context; context;) {
      struct context *before = context->before;
      free(context);
      context = before;
   }
   destroy_objects(&all->drawables);
   destroy_objects(&all->contexts);
   destroy_objects(&all->threads);
   free(all->frame_ends);
   free(all);
}

void
trace_drawables_end(struct trace_drawables *all)
{
   for (struct drawable *drawable = all->last; drawable; drawable = drawable->before)
      end_frame(drawable);
}

unsigned
trace_drawables_count_frames(const struct trace_drawables *all)
{
   return all->num_frames;
}

unsigned
trace_drawables_frame_end(const struct trace_drawables *all, unsigned frame)
{
   return all->num_frames ? all->frame_ends[frame] : all->last_draw;
}

bool
trace_drawables_have_damage(const struct trace_drawables *all)
{
   return all->have_damage;
}

void
trace_drawables_write(const struct trace_drawables *all, FILE *file)
{
   for (const struct drawable *drawable = all->last; drawable; drawable = drawable->before) {
      for (size_t c = 0; drawable->number && c < drawable->num_changes; c++) {
         const struct change *change = &drawable->changes[c];
         fprintf(file, "%u %u %d %d %d\n", drawable->number, change->swaps, change->size.width,
                 change->size.height, drawable->is_swapped);
      }
   }
}
