# SPDX-License-Identifier: MIT
"""glmark2's scenes: which frames are drawn, how they are recorded, which are not compared with a GPU."""
import re
import subprocess

# Seconds of a scene's 10 that are drawn. The cost of most scenes is the same within a few per cent all the time.
TIMES = [1, 3, 5, 7, 9]
# What these draw grows and shrinks by a factor of ten and more.
CHANGING = {"ideas", "pulsar"}
CHANGING_TIMES = [0.25 + 0.5 * number for number in range(20)]
WARM_UP = 2  # frames that come before: the first one, and that of time 0

NOT_COMPARED = {
    "buffer": "uploads vertices in each frame",
    "ideas": "353 draws a frame: the CPU's time",
}


def name_of(scene):
    """What is drawn, without options."""
    return scene.split(":")[0]


def times_of(scene):
    return CHANGING_TIMES if name_of(scene) in CHANGING else TIMES


def file_name(scene):
    return re.sub(r"[^a-z0-9.=-]+", "_", scene).strip("_")


def record(tbrsim, clock, scene, run, path, options):
    """Draws a scene's frames at the size of a run, into a recording; options: of tbrsim run."""
    times = times_of(scene)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    program = ["env", f"LD_PRELOAD={clock}", "FRAME_CLOCK=0," + ",".join(str(round(1e6 * time)) for time in times),
               "glmark2-es2", "-b", f"{scene}:nframes={len(times) + WARM_UP}", "--size", f"{run['width']}x{run['height']}"]
    if run["options"]:
        program += [*run["options"].split(), "--frame-end", "swap"]
    subprocess.run([tbrsim, "run", "--no-model", "--screen", f"{run['width']}x{run['height']}", *options,
                    "--frames", f"{WARM_UP}-{WARM_UP + len(times) - 1}", "--record", unfinished,
                    "--", *program], check=True, stdout=subprocess.DEVNULL)
    unfinished.rename(path)
