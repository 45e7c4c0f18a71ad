/* SPDX-License-Identifier: MIT */
/** What the command and the driver were built from. */
#ifndef TBRSIM_VERSION_H
#define TBRSIM_VERSION_H

/** The release: "0.1.0". A patched build has the same. */
extern const char tbrsim_release[];

/** The commit, in 12 hexadecimal digits, with "-dirty" behind where files that it has were changed: "8a6188b01234-dirty".
 * Built from no git checkout (a tarball, Debian's package): the release. */
extern const char tbrsim_commit[];

/** Mesa's release that the driver is a part of: "25.0.7". */
extern const char tbrsim_mesa[];

#endif
