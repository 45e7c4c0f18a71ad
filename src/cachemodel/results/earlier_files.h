/* SPDX-License-Identifier: MIT */
/** Files that an earlier run has left in a directory of results, and the next one does not replace. */
#ifndef CM_EARLIER_FILES_H
#define CM_EARLIER_FILES_H

/** Removes a file if it is a table, a timeline or Parquet by its content; others of the name, and links, are not ours. */
void cm_remove_earlier_file(int directory, const char *name);

#endif
