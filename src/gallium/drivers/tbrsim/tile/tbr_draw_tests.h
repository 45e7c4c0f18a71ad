/* SPDX-License-Identifier: MIT */
/** Which depth and stencil tests the fragments of a draw take, and when. */
#ifndef TBR_DRAW_TESTS_H
#define TBR_DRAW_TESTS_H

#include <stdbool.h>

struct tbr_draw_state;

struct tbr_draw_tests {
   bool depth_test;   /**< a test that could fail, or whose depth is written */
   bool depth_write;  /**< only with depth_test */
   bool stencil_test; /**< a test that could fail, or that changes the stencil */
   bool early;        /**< before the shader; else after it */
   bool reject_early; /**< late tests, but a fragment that must fail is dropped before */
   bool hierarchical; /**< cm_fragment_tests.hierarchical */
};

/** What of a draw's state comes into effect with such attachments. */
struct tbr_draw_tests tbr_draw_tests(const struct tbr_draw_state *state, bool has_depth, bool has_stencil);

#endif
