/* SPDX-License-Identifier: MIT */
/**
 * Messages that no function can return: those of the library's threads, and of errors after which the simulation
 * continues. The library prints nothing itself; its caller sets a handler.
 */
#ifndef CM_MESSAGE_H
#define CM_MESSAGE_H

enum cm_message_kind {
   CM_MESSAGE_ERROR, /**< something is lost: a file, accesses, cycles */
   CM_MESSAGE_INFO,
};

/** text: a line without its end, valid until the handler returns. Called on any thread, on several at once. */
typedef void cm_message_handler(enum cm_message_kind kind, const char *text);

/** Before anything else of the library is called. NULL, the default: messages are dropped. */
void cm_set_message_handler(cm_message_handler *handler);

void cm_message(enum cm_message_kind kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
