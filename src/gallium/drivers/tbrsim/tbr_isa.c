/* SPDX-License-Identifier: MIT */
extern int tbr_isa_dummy;
