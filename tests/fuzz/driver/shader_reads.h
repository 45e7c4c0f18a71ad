/* SPDX-License-Identifier: MIT */
/** Texture reads of random shaders (shaders.h). */
#ifndef FUZZ_SHADER_READS_H
#define FUZZ_SHADER_READS_H

#include "shader_body.h"

/** A read that gives a vec4; false if no unit can be read here: then nothing is put. */
bool put_read(struct writer *writer);

/** The same of integers: one of them. */
bool put_integer_read(struct writer *writer, enum sort sort);

#endif
