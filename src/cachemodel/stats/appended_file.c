/* SPDX-License-Identifier: MIT */
#include "stats/appended_file.h"

#include <errno.h>
#include <stdlib.h>

struct cm_appended_file *
cm_appended_file_create(const char *name, const char *fresh)
{
   struct cm_appended_file *file = calloc(1, sizeof *file);
   if (!file)
      return NULL;
   file->format = (struct cm_row_format){.name = name, .fresh = fresh};
   file->file.file = file->file.copy = file->file.fresh = -1;
   return file;
}

void
cm_appended_file_destroy(struct cm_appended_file *file)
{
   cm_row_file_finish(&file->file);
   free(file->head.data);
   free(file->frame.data);
   free(file);
}

int
cm_appended_file_close(struct cm_appended_file *file)
{
   const int code = cm_row_file_finish(&file->file);
   file->file = (struct cm_row_file){.file = -1, .copy = -1, .fresh = -1};
   return code;
}

bool
cm_appended_file_open(struct cm_appended_file *file, const char *path, int directory)
{
   return cm_row_file_init(&file->file, &file->format, path, directory);
}

static int
begin(struct cm_appended_file *file)
{
   const struct cm_byte_writer no_tail = {0};
   const struct cm_row_file_content content = {.head = &file->head, .row = &file->frame, .tail = &no_tail};
   int code = cm_row_file_rewrite(&file->file, &content);
   if (!code)
      code = cm_row_file_commit(&file->file, &content);
   cm_row_file_discard(&file->file);
   return code;
}

int
cm_appended_file_write(struct cm_appended_file *file)
{
   const struct cm_byte_writer no_tail = {0};
   int code = file->head.out_of_memory || file->frame.out_of_memory ? ENOMEM : 0;
   if (!code && !file->is_begun)
      code = begin(file);
   else if (!code && file->frame.size)
      code = cm_row_file_append(&file->file,
                                &(struct cm_row_file_content){.row = &file->frame, .tail = &no_tail});
   file->is_begun |= !code;
   file->frame.size = 0;
   return code;
}
