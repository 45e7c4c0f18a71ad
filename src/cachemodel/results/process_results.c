/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* CLOCK_REALTIME_COARSE, asprintf */
#include "results/process_results.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "results/earlier_files.h"
#include "results/process_index.h"
#include "stats/text.h"
#include "results/thumbnails.h"
#include "util/json.h"
#include "util/message.h"

#define MAX_PROCESSES 100000
#define LINK_NAME ".tbrsim-link"
#define MAX_COMMAND_BYTES 65536

static const char *const statistics_files[] = {CM_STATISTICS_FILES};
#define NUM_STATISTICS_FILES (sizeof statistics_files / sizeof *statistics_files)
static const char *const tables[] = {CM_STATISTICS_TABLES, CM_STATISTICS_TIMELINE, CM_STATISTICS_PARQUET};
/** The first of them have links in the directory: two, and the tables and a timeline if there are any. */
#define NUM_ALWAYS_LINKED 2
#define NUM_LINKS (NUM_ALWAYS_LINKED + sizeof tables / sizeof *tables)

struct cm_process_results {
   char *directory; /* NULL: no statistics */
   char *run, *program;
   char *name; /* of the program, as part of a file's */
   struct timespec run_began;
   pid_t process;

   int opened; /* the directory, locked; -1: not between begin and end */
   struct cm_process_index index;
   bool made;     /* the folder, by this process */
   char *path;    /* of the folder */
   int in_folder; /* locked as long as the process writes there; -1: there is none */

   pthread_mutex_t lock;
   char *folder;    /* once it is listed */
   char *recording; /* once it has a name */
};

/* ---- texts ------------------------------------------------------------- */

void
cm_run_time(char *text, size_t size)
{
   struct timespec now;
   clock_gettime(CLOCK_REALTIME_COARSE, &now);
   snprintf(text, size, "%lld.%09ld", (long long)now.tv_sec, now.tv_nsec);
}

static bool
parse_run_time(const char *run, struct timespec *began)
{
   long long seconds;
   const bool ok = run && sscanf(run, "%lld.%9ld", &seconds, &began->tv_nsec) == 2;
   began->tv_sec = ok ? (time_t)seconds : 0;
   return ok;
}

/* Whether a file was written to after a run began. */
static bool
is_of_run(const struct timespec *began, const struct stat *status)
{
   const struct timespec *written = &status->st_mtim;
   return written->tv_sec > began->tv_sec ||
          (written->tv_sec == began->tv_sec && written->tv_nsec > began->tv_nsec);
}

bool
cm_run_has_written(const char *run, const char *path)
{
   struct timespec began;
   struct stat status;
   return parse_run_time(run, &began) && stat(path, &status) == 0 && is_of_run(&began, &status);
}

/* A program's name as the beginning of a file's. */
static char *
name_of(const char *program)
{
   char *name = strdup(*program ? program : "program");
   for (size_t i = 0; name && name[i]; i++) {
      const bool plain = isalnum((unsigned char)name[i]) || strchr("_+-.", name[i]);
      if (!plain || (i == 0 && strchr("-.", name[i])))
         name[i] = '_';
      if (i == 63)
         name[i + 1] = '\0';
   }
   return name;
}

static void
add_argument(struct cm_byte_writer *text, const char *argument)
{
   static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
   const bool quoted = !*argument || argument[strspn(argument, plain)];
   cm_text_add(text, text->size ? " " : "");
   cm_text_add(text, quoted ? "'" : "");
   for (; *argument; argument++) {
      if (*argument == '\'')
         cm_text_add(text, "'\\'");
      /* One line, and text whatever the bytes are. */
      cm_text_add_character(text, (unsigned char)*argument < ' ' ? ' ' : *argument);
   }
   cm_text_add(text, quoted ? "'" : "");
}

/* The process' command line as a shell takes it. */
static char *
command_line(void)
{
   struct cm_byte_writer text = {0};
   static char arguments[MAX_COMMAND_BYTES + 1];
   const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
   const ssize_t length = file < 0 ? 0 : read(file, arguments, MAX_COMMAND_BYTES);
   if (file >= 0)
      close(file);
   for (ssize_t at = 0; at < length; at += (ssize_t)strlen(arguments + at) + 1) {
      arguments[length] = '\0';
      add_argument(&text, arguments + at);
   }
   cm_text_add_character(&text, '\0');
   if (text.out_of_memory) {
      free(text.data);
      return NULL;
   }
   /* Bytes that are no text would make a table that readers refuse. */
   char *line = (char *)text.data;
   const bool utf8 = cm_is_utf8(line);
   for (char *c = line; *c; c++) {
      if (!utf8 && (unsigned char)*c >= 0x80)
         *c = '?';
   }
   return line;
}

static void
say(const char *directory, const char *name, int code)
{
   if (code == EBADMSG)
      cm_message(CM_MESSAGE_ERROR, "%s/%s: not written by tbrsim; the results cannot be written", directory,
                 name);
   else
      cm_message(CM_MESSAGE_ERROR, "%s%s%s: %s", directory, *name ? "/" : "", name, strerror(code));
}

/* ---- the directory ----------------------------------------------------- */

static int
make_directories(const char *directory)
{
   char *path = strdup(directory);
   int code = path ? 0 : ENOMEM;
   for (char *end = path ? path + 1 : NULL; !code && end; end = end ? end + 1 : NULL) {
      end = strchr(end, '/');
      if (end)
         *end = '\0';
      if (mkdir(path, 0777) != 0 && errno != EEXIST)
         code = errno;
      if (!end)
         break;
      *end = '/';
   }
   free(path);
   return code;
}

/* Takes the lock, which another process may hold while it does the same. */
static int
open_locked(const char *directory, int *opened)
{
   *opened = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
   if (*opened < 0)
      return errno;
   while (flock(*opened, LOCK_EX) != 0) {
      if (errno != EINTR) {
         const int code = errno;
         close(*opened);
         *opened = -1;
         return code;
      }
   }
   return 0;
}

/* A child that was forked meanwhile may have it open, too. */
static void
close_locked(int opened)
{
   flock(opened, LOCK_UN);
   close(opened);
}

/* ---- folders ----------------------------------------------------------- */

/* Opens a folder that is not a link and locks it; negative: the error number, EWOULDBLOCK where a process
 * still writes there. */
static int
open_folder(int directory, const char *folder)
{
   const int opened = openat(directory, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
   if (opened < 0)
      return -errno;
   if (flock(opened, LOCK_EX | LOCK_NB) == 0)
      return opened;
   const int code = errno;
   close(opened);
   return -code;
}

/* Whether an index may name it: PROGRAM-N, no path. */
static bool
is_folder_name(const char *name)
{
   const size_t length = strlen(name);
   const char *dash = strrchr(name, '-');
   return *name != '.' && !strchr(name, '/') && dash && dash > name && dash[1] &&
          dash + 1 + strspn(dash + 1, "0123456789") == name + length;
}

static bool
is_in_use(int directory, const char *folder)
{
   const int opened = is_folder_name(folder) ? open_folder(directory, folder) : -ENOENT;
   if (opened >= 0)
      close_locked(opened);
   return opened == -EWOULDBLOCK;
}

/* Removes what tbrsim wrote, and the folder if nothing else is in it. */
static void
remove_folder(int directory, const char *folder)
{
   const int opened = is_folder_name(folder) ? open_folder(directory, folder) : -ENOENT;
   if (opened < 0)
      return;
   for (unsigned f = 0; f < NUM_STATISTICS_FILES; f++)
      unlinkat(opened, statistics_files[f], 0);
   cm_thumbnails_remove(opened);
   unlinkat(directory, folder, AT_REMOVEDIR);
   close_locked(opened);
}

/* A new folder, open and locked. Of one that a killed process has left before anything was in it: that one.
 * Negative: the error number. */
static int
make_folder(int directory, const char *folder)
{
   if (mkdirat(directory, folder, 0777) != 0) {
      if (errno != EEXIST)
         return -errno;
      const int left = open_folder(directory, folder);
      if (left >= 0) {
         for (unsigned f = NUM_LINKS; f < NUM_STATISTICS_FILES; f++)
            unlinkat(left, statistics_files[f], 0);
         close_locked(left);
      }
      if (unlinkat(directory, folder, AT_REMOVEDIR) != 0)
         return -EEXIST;
      if (mkdirat(directory, folder, 0777) != 0)
         return -errno;
   }
   return open_folder(directory, folder);
}

/* A run is not over while one of its processes writes: then nothing of it is replaced. */
static bool
is_over(int directory, const struct cm_process_index *index, const char *run)
{
   for (size_t r = 0; r < index->count; r++) {
      if (strcmp(index->rows[r].run, run) == 0 && is_in_use(directory, index->rows[r].folder))
         return false;
   }
   return true;
}

/* The first number whose folder is not there, or is of a run that has ended. 0, or the error number. */
static int
find_folder(struct cm_process_results *results)
{
   const size_t size = strlen(results->name) + 16;
   char *folder = malloc(size);
   int code = folder ? EEXIST : ENOMEM;
   for (unsigned n = 1; code == EEXIST && n < MAX_PROCESSES; n++) {
      snprintf(folder, size, "%s-%u", results->name, n);
      const struct cm_process_row *row = cm_process_index_find(&results->index, folder);
      if (row && strcmp(row->run, results->run) == 0)
         continue;
      if (row && !is_over(results->opened, &results->index, row->run))
         continue;
      int opened = row ? open_folder(results->opened, folder) : -ENOENT;
      results->made = opened == -ENOENT;
      if (results->made)
         opened = make_folder(results->opened, folder);
      /* Something else, or in use. */
      if (opened == -ELOOP || opened == -ENOTDIR || opened == -EWOULDBLOCK)
         opened = -EEXIST;
      code = opened < 0 ? -opened : 0;
      results->in_folder = opened < 0 ? -1 : opened;
   }
   if (!code && asprintf(&results->path, "%s/%s", results->directory, folder) < 0) {
      results->path = NULL;
      code = ENOMEM;
   }
   free(folder);
   return code;
}

/* ---- a process' folder --------------------------------------------------- */

struct cm_process_results *
cm_process_results_create(const char *directory, const char *run, const char *program)
{
   struct cm_process_results *results = calloc(1, sizeof *results);
   char own[64];
   if (!results)
      return NULL;
   results->opened = results->in_folder = -1;
   results->process = getpid();
   pthread_mutex_init(&results->lock, NULL);
   if (!parse_run_time(run, &results->run_began)) {
      char time[40];
      cm_run_time(time, sizeof time);
      snprintf(own, sizeof own, "%s-%ld", time, (long)getpid());
      run = own;
      parse_run_time(run, &results->run_began);
   }
   results->directory = directory ? strdup(directory) : NULL;
   results->run = strdup(run);
   results->program = strdup(program);
   results->name = name_of(program);
   if (results->run && results->program && results->name && (results->directory || !directory))
      return results;
   cm_process_results_destroy(results);
   return NULL;
}

void
cm_process_results_destroy(struct cm_process_results *results)
{
   if (results->opened >= 0)
      close_locked(results->opened);
   if (results->in_folder >= 0)
      close_locked(results->in_folder);
   cm_process_index_free(&results->index);
   pthread_mutex_destroy(&results->lock);
   free(results->directory);
   free(results->run);
   free(results->program);
   free(results->name);
   free(results->path);
   free(results->folder);
   free(results->recording);
   free(results);
}

void
cm_process_results_leave_to_parent(struct cm_process_results *results)
{
   /* Locks are held as long as anybody has these open. */
   if (results->opened >= 0)
      close(results->opened);
   if (results->in_folder >= 0)
      close(results->in_folder);
}

const char *
cm_process_results_path(const struct cm_process_results *results)
{
   return results->path;
}

bool
cm_process_results_begin(struct cm_process_results *results)
{
   const char *name = "";
   int code = make_directories(results->directory);
   if (!code)
      code = open_locked(results->directory, &results->opened);
   if (!code) {
      name = CM_PROCESS_INDEX_NAME;
      code = cm_process_index_read(results->opened, &results->index);
   }
   if (!code) {
      name = results->name;
      code = find_folder(results);
   }
   if (!code)
      return true;
   say(results->directory, name, code);
   cm_process_index_free(&results->index);
   if (results->opened >= 0)
      close_locked(results->opened);
   results->opened = -1;
   return false;
}

static bool
write_index(const struct cm_process_results *results)
{
   const int code = cm_process_index_write(results->opened, &results->index);
   if (code)
      say(results->directory, CM_PROCESS_INDEX_NAME, code);
   return !code;
}

/* Removes other runs that are over, all of those for NULL: from the index first, so that whatever it lists is
 * there, whenever the process is killed. 0, or the error number. */
static int
replace(int directory, struct cm_process_index *index, const char *run)
{
   struct cm_process_index removed = {0};
   int code = 0;
   for (size_t r = index->count; !code && r--;) {
      const struct cm_process_row *row = &index->rows[r];
      if ((run && strcmp(row->run, run) == 0) || !is_over(directory, index, row->run))
         continue;
      code = cm_process_index_add(&removed, row) ? 0 : ENOMEM;
      cm_process_index_remove(index, r);
   }
   if (!code && removed.count)
      code = cm_process_index_write(directory, index);
   for (size_t r = 0; !code && r < removed.count; r++)
      remove_folder(directory, removed.rows[r].folder);
   cm_process_index_free(&removed);
   return code;
}

static bool
list_folder(struct cm_process_results *results, const char *folder)
{
   char number[24];
   char *command = command_line();
   snprintf(number, sizeof number, "%ld", (long)results->process);
   const struct cm_process_row row = {
      .folder = (char *)folder,
      .program = results->program,
      .pid = number,
      .run = results->run,
      .recording = results->recording ? results->recording : (char *)"",
      .command = command,
   };
   struct cm_process_row *before = cm_process_index_find(&results->index, folder);
   if (before)
      cm_process_index_remove(&results->index, (size_t)(before - results->index.rows));
   bool ok = command && cm_process_index_add(&results->index, &row);
   free(command);
   if (!ok)
      say(results->directory, CM_PROCESS_INDEX_NAME, ENOMEM);
   ok = ok && write_index(results);
   return ok;
}

static bool
has_file(int directory, const char *folder, const char *name)
{
   const int opened = openat(directory, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
   const bool found = opened >= 0 && faccessat(opened, name, F_OK, 0) == 0;
   if (opened >= 0)
      close(opened);
   return found;
}

/* A file that is no link is not one of ours. */
static void
remove_link(int directory, const char *name)
{
   char target[8];
   if (readlinkat(directory, name, target, sizeof target) >= 0)
      unlinkat(directory, name, 0);
}

/* Each replaces the existing one atomically. */
static bool
make_links(const struct cm_process_results *results, const char *folder)
{
   for (unsigned l = 0; l < NUM_LINKS; l++) {
      char *target;
      if (l >= NUM_ALWAYS_LINKED && !has_file(results->opened, folder, statistics_files[l])) {
         remove_link(results->opened, statistics_files[l]);
         /* Of a simulation, which had no folder. */
         cm_remove_earlier_file(results->opened, statistics_files[l]);
         continue;
      }
      if (asprintf(&target, "%s/%s", folder, statistics_files[l]) < 0) {
         say(results->directory, statistics_files[l], ENOMEM);
         return false;
      }
      unlinkat(results->opened, LINK_NAME, 0);
      const bool ok = symlinkat(target, results->opened, LINK_NAME) == 0 &&
                      renameat(results->opened, LINK_NAME, results->opened, statistics_files[l]) == 0;
      const int code = errno;
      free(target);
      if (!ok) {
         unlinkat(results->opened, LINK_NAME, 0);
         say(results->directory, statistics_files[l], code);
         return false;
      }
   }
   return true;
}

bool
cm_process_results_end(struct cm_process_results *results, bool written)
{
   const char *folder = strrchr(results->path, '/') + 1;
   bool ok = true;
   if (written) {
      pthread_mutex_lock(&results->lock);
      results->folder = strdup(folder);
      ok = list_folder(results, folder);
      pthread_mutex_unlock(&results->lock);
      ok = make_links(results, folder) && ok;
      const int code = ok ? replace(results->opened, &results->index, results->run) : 0;
      if (code)
         say(results->directory, CM_PROCESS_INDEX_NAME, code);
      ok = ok && !code;
   } else if (results->made) {
      unlinkat(results->opened, folder, AT_REMOVEDIR);
   }
   cm_process_index_free(&results->index);
   close_locked(results->opened);
   results->opened = -1;
   return ok;
}

/* Links whose folders are gone. */
static void
remove_dangling_links(int directory)
{
   for (unsigned t = 0; t < sizeof tables / sizeof *tables; t++) {
      if (faccessat(directory, tables[t], F_OK, 0) != 0)
         remove_link(directory, tables[t]);
   }
}

bool
cm_process_results_replace(const char *directory)
{
   struct cm_process_index index;
   int opened;
   int code = open_locked(directory, &opened);
   if (!code) {
      code = cm_process_index_read(opened, &index);
      if (!code)
         code = replace(opened, &index, NULL);
      if (!code)
         remove_dangling_links(opened);
      cm_process_index_free(&index);
      close_locked(opened);
   }
   if (code)
      say(directory, CM_PROCESS_INDEX_NAME, code);
   return !code;
}

/* ---- recordings -------------------------------------------------------- */

bool
cm_path_is_below(const char *path, const char *directory)
{
   const size_t length = strlen(directory);
   return strncmp(path, directory, length) == 0 && (path[length] == '/' || directory[length - 1] == '/');
}

void
cm_process_results_prepare_recording(const struct cm_process_results *results, const char *path)
{
   if (!results->directory || !cm_path_is_below(path, results->directory))
      return;
   char *directory = strndup(path, (size_t)(strrchr(path, '/') - path));
   /* What goes wrong shows when the file is opened. */
   if (directory)
      make_directories(directory);
   free(directory);
}

/* Whether another process' recording of this run has the name, or one that is still written. */
static int
is_taken(const struct cm_process_results *results, int directory, const char *name, bool *taken)
{
   struct stat status;
   *taken = false;
   if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
      return errno == ENOENT ? 0 : errno;
   if (!S_ISREG(status.st_mode))
      return EEXIST;
   if (!results)
      return 0;
   *taken = is_of_run(&results->run_began, &status);
   const int file = *taken ? -1 : openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
   if (file >= 0) {
      *taken = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
      close_locked(file);
   }
   return 0;
}

/* The n-th name for it: NAME.tbr, NAME.FOLDER.tbr, NAME.PROGRAM-1.tbr … */
static char *
candidate(const struct cm_process_results *results, const char *name, unsigned n)
{
   const char *dot = strrchr(name, '.');
   const int stem = (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
   char *text;
   int length;
   if (n == 0)
      return strdup(name);
   if (n == 1 && results->folder)
      length = asprintf(&text, "%.*s.%s%s", stem, name, results->folder, name + stem);
   else
      length = asprintf(&text, "%.*s.%s-%u%s", stem, name, results->name, n - (results->folder != NULL),
                        name + stem);
   return length < 0 ? NULL : text;
}

/* Gives a file its name, replacing a file that has it. */
static int
name_file(int directory, int file, const char *temporary, const char *name)
{
   char own[64], link[96];
   if (!temporary) {
      snprintf(own, sizeof own, "/proc/self/fd/%d", file);
      if (linkat(AT_FDCWD, own, directory, name, AT_SYMLINK_FOLLOW) == 0)
         return 0;
      if (errno != EEXIST)
         return errno;
      snprintf(link, sizeof link, ".tbrsim-%ld.tbr", (long)getpid());
      unlinkat(directory, link, 0);
      if (linkat(AT_FDCWD, own, directory, link, AT_SYMLINK_FOLLOW) != 0)
         return errno;
      temporary = link;
   }
   if (renameat(directory, temporary, directory, name) == 0)
      return 0;
   const int code = errno;
   if (temporary == link)
      unlinkat(directory, link, 0);
   return code;
}

static int
choose_name(struct cm_process_results *results, int directory, int file, const char *temporary,
            const char *name, char **chosen)
{
   int code = 0;
   bool taken = true;
   *chosen = NULL;
   for (unsigned n = 0; !code && taken && n < MAX_PROCESSES; n++) {
      free(*chosen);
      *chosen = candidate(results, name, n);
      code = *chosen ? is_taken(results, directory, *chosen, &taken) : ENOMEM;
      if (n && code == EEXIST) {
         taken = true;
         code = 0;
      }
   }
   return code ? code : taken ? EEXIST : name_file(directory, file, temporary, *chosen);
}

/* In the row of the process, if it has one yet. */
static void
list_recording(struct cm_process_results *results)
{
   struct cm_process_index index;
   int opened;
   int code = open_locked(results->directory, &opened);
   if (!code) {
      code = cm_process_index_read(opened, &index);
      struct cm_process_row *row = code ? NULL : cm_process_index_find(&index, results->folder);
      if (row && strcmp(row->run, results->run) == 0) {
         free(row->recording);
         row->recording = strdup(results->recording);
         code = row->recording ? cm_process_index_write(opened, &index) : ENOMEM;
      }
      cm_process_index_free(&index);
      close_locked(opened);
   }
   if (code)
      say(results->directory, CM_PROCESS_INDEX_NAME, code);
}

char *
cm_process_results_name_recording(struct cm_process_results *results, const char *path, int file,
                                  const char *temporary)
{
   const char *slash = strrchr(path, '/');
   const char *name = slash ? slash + 1 : path;
   char *directory = slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup(".");
   char *chosen = NULL, *result = NULL;
   int opened = -1, code = directory ? open_locked(directory, &opened) : ENOMEM;
   if (results)
      pthread_mutex_lock(&results->lock);
   if (!code)
      code = choose_name(results, opened, file, temporary, name, &chosen);
   if (!code && asprintf(&result, "%s%s", slash ? directory : "", chosen) < 0)
      code = ENOMEM;
   if (!code && results && strcmp(chosen, name) != 0)
      cm_message(CM_MESSAGE_INFO, "%s is another process' recording; that of %s (%ld) is %s", path,
                 results->program, (long)results->process, result);
   bool listed = false;
   if (!code && results) {
      results->recording = strdup(result);
      listed = results->recording && results->folder;
   }
   if (results)
      pthread_mutex_unlock(&results->lock);
   if (opened >= 0)
      close_locked(opened);
   /* Without either lock: a process that lists the folder holds the directory's, and waits for the other. */
   if (listed)
      list_recording(results);
   free(chosen);
   free(directory);
   errno = code;
   return code ? NULL : result;
}
