# SPDX-License-Identifier: MIT
"""For Blender's Python: renders a head above a plane with $ENGINE to $SCREENSHOT, from a window, and ends."""

import os

import bpy

scene = bpy.context.scene
scene.render.engine = os.environ["ENGINE"]
scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 320, 240, 100
scene.render.filepath = os.environ["SCREENSHOT"]
scene.display.shading.light = "STUDIO"
scene.display.shading.show_shadows = True  # Workbench: a geometry shader makes shadow volumes
bpy.ops.mesh.primitive_monkey_add(location=(0, 0, 2))
bpy.ops.mesh.primitive_plane_add(size=12, location=(0, 0, -1))


def render():
    bpy.ops.render.render(write_still=True)
    os._exit(0)


bpy.app.timers.register(render, first_interval=2.0)
