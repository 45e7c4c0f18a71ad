#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A program of OpenGL ES 2.0 that needs no window and no library but EGL and GLES: it draws a triangle into a pbuffer, prints
the renderer's name and leaves the picture as a PPM file, top row first."""
import ctypes
import struct
import sys

SIZE = 64
CORNERS = ((3, 5), (61, 12), (21, 58))  # in pixels from the lower left
COLOUR, BACKGROUND = (255, 128, 0), (0, 0, 51)


def covered(x, y):
    """Whether a pixel's centre is in the triangle, whose corners are anticlockwise. No centre is on an edge."""
    inside = True
    for (ax, ay), (bx, by) in zip(CORNERS, CORNERS[1:] + CORNERS[:1]):
        edge = (bx - ax) * (2 * y + 1 - 2 * ay) - (by - ay) * (2 * x + 1 - 2 * ax)
        if edge == 0:
            raise ValueError(f"the centre of ({x}, {y}) is on an edge")
        inside = inside and edge > 0
    return inside


def expected():
    """The picture that has to come out, as the PPM's bytes."""
    pixels = bytearray()
    for y in reversed(range(SIZE)):
        for x in range(SIZE):
            pixels += bytes(COLOUR if covered(x, y) else BACKGROUND)
    return header() + bytes(pixels)


def header():
    return f"P6 {SIZE} {SIZE} 255\n".encode()


def covered_pixels():
    return sum(covered(x, y) for y in range(SIZE) for x in range(SIZE))


def context(egl):
    """An EGL context with a pbuffer, current."""
    pointer = ctypes.c_void_p
    for name, arguments in (("eglGetPlatformDisplay", (ctypes.c_uint, pointer, pointer)),
                            ("eglCreatePbufferSurface", (pointer, pointer, pointer)),
                            ("eglCreateContext", (pointer, pointer, pointer, pointer))):
        function = getattr(egl, name)
        function.restype, function.argtypes = pointer, arguments
    for name, arguments in (("eglInitialize", (pointer, pointer, pointer)),
                            ("eglChooseConfig", (pointer, pointer, pointer, ctypes.c_int, pointer)),
                            ("eglMakeCurrent", (pointer,) * 4)):
        getattr(egl, name).argtypes = arguments

    def attributes(*values):
        return (ctypes.c_int * (len(values) + 1))(*values, 0x3038)  # EGL_NONE
    display = egl.eglGetPlatformDisplay(0x31DD, None, None)  # EGL_PLATFORM_SURFACELESS_MESA
    config, count = pointer(), ctypes.c_int()
    # EGL_SURFACE_TYPE: pbuffer; EGL_RENDERABLE_TYPE: GLES 2; 8 bits of each colour
    wanted = attributes(0x3033, 1, 0x3040, 4, 0x3024, 8, 0x3023, 8, 0x3022, 8)
    if not display or not egl.eglInitialize(display, None, None) or \
            not egl.eglChooseConfig(display, wanted, ctypes.byref(config), 1, ctypes.byref(count)) or count.value < 1:
        sys.exit("EGL: no display without a window system")
    surface = egl.eglCreatePbufferSurface(display, config, attributes(0x3057, SIZE, 0x3056, SIZE))
    created = egl.eglCreateContext(display, config, None, attributes(0x3098, 2))
    if not surface or not created or not egl.eglMakeCurrent(display, surface, surface, created):
        sys.exit("EGL: no context")


def program(gl):
    """The shaders, in use."""
    linked = gl.glCreateProgram()
    colour = ", ".join(f"{value}.0 / 255.0" for value in COLOUR)
    for kind, source in ((0x8B31, "attribute vec2 at; void main() { gl_Position = vec4(at, 0.0, 1.0); }"),
                         (0x8B30, f"precision highp float; void main() {{ gl_FragColor = vec4({colour}, 1.0); }}")):
        shader = gl.glCreateShader(kind)
        text = ctypes.c_char_p(source.encode())
        gl.glShaderSource(shader, 1, ctypes.byref(text), None)
        gl.glCompileShader(shader)
        gl.glAttachShader(linked, shader)
    gl.glBindAttribLocation(linked, 0, b"at")
    gl.glLinkProgram(linked)
    status = ctypes.c_int()
    gl.glGetProgramiv(linked, 0x8B82, ctypes.byref(status))  # GL_LINK_STATUS
    if not status.value:
        sys.exit("GLES: the program does not link")
    gl.glUseProgram(linked)


def main():
    context(ctypes.CDLL("libEGL.so.1"))
    gl = ctypes.CDLL("libGLESv2.so.2")
    gl.glGetString.restype = ctypes.c_char_p
    gl.glClearColor.argtypes = (ctypes.c_float,) * 4
    print(gl.glGetString(0x1F01).decode())
    program(gl)
    gl.glViewport(0, 0, SIZE, SIZE)
    gl.glClearColor(*(value / 255 for value in BACKGROUND), 1.0)
    gl.glClear(0x4000)  # GL_COLOR_BUFFER_BIT
    corners = struct.pack("6f", *(value * 2 / SIZE - 1 for corner in CORNERS for value in corner))
    gl.glVertexAttribPointer(0, 2, 0x1406, 0, 0, corners)  # GL_FLOAT
    gl.glEnableVertexAttribArray(0)
    gl.glDrawArrays(4, 0, 3)  # GL_TRIANGLES
    pixels = ctypes.create_string_buffer(SIZE * SIZE * 4)
    gl.glReadPixels(0, 0, SIZE, SIZE, 0x1908, 0x1401, pixels)  # GL_RGBA, GL_UNSIGNED_BYTE
    if gl.glGetError():
        sys.exit("GLES: an error")
    with open(sys.argv[1], "wb") as file:
        file.write(header())
        for y in reversed(range(SIZE)):
            row = pixels.raw[y * SIZE * 4:(y + 1) * SIZE * 4]
            file.write(b"".join(row[4 * x:4 * x + 3] for x in range(SIZE)))


if __name__ == "__main__":
    main()
