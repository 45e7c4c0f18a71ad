/* SPDX-License-Identifier: MIT */
/** An X server of the command's own (Xvfb), for where there is no display. */
#ifndef DISPLAY_H
#define DISPLAY_H

/** Ensures that DISPLAY names a display: starts Xvfb where it is not set; that
 * ends with the command. size is "WIDTHxHEIGHT", NULL for the default. Exits
 * with a message if Xvfb cannot be started. */
void display_require(const char *size);

#endif
