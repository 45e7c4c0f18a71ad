# SPDX-License-Identifier: MIT
"""What all experiments begin with: each workload is recorded once, and everything is simulated from the recordings.

Configuration: traces, a directory of captures (*.trace), or scenes, one of descriptions of scenes (docs/workloads.md), of
which the experiment takes those of its paper (scenes.yml); recordings, where the recordings go; record_frames, A-B where
not all frames are to be recorded; scene_frames, how many frames a scene has; tbrsim and scene, the commands.
"""
import pathlib
import sys

import yaml

if ("traces" in config) == ("scenes" in config):
    sys.exit("workloads: --config traces=DIR, a directory of *.trace, or scenes=DIR, of descriptions of scenes")
WORKLOADS = pathlib.Path(config.get("traces", config.get("scenes")))
RECORD = ""
RECORDINGS = pathlib.Path(config.get("recordings", "build/experiments/recordings"))
if "record_frames" in config:
    RECORD = f"--frames {config['record_frames']}"
    RECORDINGS /= config["record_frames"]
TBRSIM = config.get("tbrsim", "build/bin/tbrsim")
SCENE = config.get("scene", "build/workloads/scene/scene")
SCENE_FRAMES = config.get("scene_frames", 16)
if "traces" in config:
    NAMES = sorted(path.stem for path in WORKLOADS.glob("*.trace"))
else:
    papers = yaml.safe_load((pathlib.Path(workflow.basedir).parent / "scenes.yml").read_text(encoding="utf-8"))
    NAMES = sorted(papers[pathlib.Path(workflow.basedir).name])
if not NAMES:
    sys.exit(f"{WORKLOADS}: no *.trace there")


def source(name):
    """A file beside the Snakefile, where it is: Snakemake's copies (workflow.source_path) find no other files."""
    return str(pathlib.Path(workflow.basedir) / name)


# The papers' GPU tests depth early and removes no other hidden surfaces (boustrophedonic frames II-A, TCOR II-A).
COMMON = "--set mode=tbr"


def resolution(description):
    with open(description, encoding="utf-8") as file:
        return yaml.safe_load(file)["resolution"]


def without_ending(wildcards):
    return RECORDINGS / wildcards.name


if "traces" in config:

    rule record:
        input:
            WORKLOADS / "{name}.trace",
        output:
            RECORDINGS / "{name}.tbr",
        log:
            RECORDINGS / "{name}.log",
        params:
            out=without_ending,
        shell:
            "{TBRSIM} replay --no-model {RECORD} --record {output} --out {params.out} {input} >{log} 2>&1"

else:

    rule record:
        input:
            WORKLOADS / "{name}.yaml",
        output:
            RECORDINGS / "{name}.tbr",
        log:
            RECORDINGS / "{name}.log",
        params:
            out=without_ending,
            screen=lambda wildcards, input: resolution(input[0]),
        shell:
            "env -u DISPLAY {TBRSIM} run --no-model {RECORD} --record {output} --out {params.out} --screen {params.screen}"
            " -- {SCENE} --window --frames {SCENE_FRAMES} {input} >{log} 2>&1"
