# SPDX-License-Identifier: MIT
"""What all experiments begin with: each workload is recorded once, and everything is simulated from the recordings.

Configuration: traces, a directory of captures (*.trace), or scenes, one of descriptions of scenes (docs/workloads.md), of
which the experiment takes those of its paper, with the settings for them in scenes.yml (effort, one of its keys, or scenes);
variants, how many variants of each scene are drawn (workloads/variants.py) and taken in its place; recordings, where the
recordings go; record_frames, A-B where not all frames of a capture are to be recorded; scene_frames, how many frames a
scene has, and scene_size, its pixels, WIDTHxHEIGHT, if not its own; tbrsim and scene, the commands.
"""
import pathlib
import sys

import yaml


def source(name):
    """A file beside the Snakefile, where it is: Snakemake's copies (workflow.source_path) find no other files."""
    return str(pathlib.Path(workflow.basedir) / name)


if ("traces" in config) == ("scenes" in config):
    sys.exit("workloads: --config traces=DIR, a directory of *.trace, or scenes=DIR, of descriptions of scenes")
WORKLOADS = pathlib.Path(config.get("traces", config.get("scenes")))
RECORD = ""
RECORDINGS = pathlib.Path(config.get("recordings", "build/experiments/recordings"))
if "record_frames" in config:
    RECORD = f"--frames {config['record_frames']}"
    RECORDINGS /= config["record_frames"]
TBRSIM = config.get("tbrsim", "build/bin/tbrsim")
DRAWS = 0  # variants of each scene
SCENE = config.get("scene", "build/workloads/scene/scene")
if "traces" in config:
    NAMES = sorted(path.stem for path in WORKLOADS.glob("*.trace"))
else:
    with open(source("../scenes.yml"), encoding="utf-8") as file:
        papers = yaml.safe_load(file)[pathlib.Path(workflow.basedir).name]
    for key, value in (papers["scenes"] | papers.get(config.get("effort", "scenes"), {})).items():
        config.setdefault(key, value)
    DRAWS = config.get("variants", 0)
    NAMES = sorted(config["names"])
    RECORDINGS /= "-".join(map(str, [*([config["scene_size"]] if "scene_size" in config else []), config["scene_frames"]]))
    if DRAWS:
        NAMES = [f"{name}~{number}" for name in NAMES for number in range(1, DRAWS + 1)]
        DESCRIPTIONS = RECORDINGS.parent / f"{DRAWS}-variants"
        RECORDINGS /= f"{DRAWS}-variants"
    else:
        DESCRIPTIONS = WORKLOADS
if not NAMES:
    sys.exit(f"{WORKLOADS}: no *.trace there")

# The papers' GPU tests depth early and removes no other hidden surfaces (boustrophedonic frames II-A, TCOR II-A).
COMMON = "--set mode=tbr"


wildcard_constraints:
    name="[^/]+",
    scene="[^/~,]+",


def screen(description):
    with open(description, encoding="utf-8") as file:
        return config.get("scene_size", yaml.safe_load(file)["resolution"])


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
            DESCRIPTIONS / "{name}.yaml",
        output:
            RECORDINGS / "{name}.tbr",
        log:
            RECORDINGS / "{name}.log",
        params:
            out=without_ending,
            screen=lambda wildcards, input: screen(input[0]),
            frames=config["scene_frames"],
        shell:
            "env -u DISPLAY {TBRSIM} run --no-model {RECORD} --record {output} --out {params.out} --screen {params.screen}"
            " -- {SCENE} --window --size {params.screen} --frames {params.frames} {input} >{log} 2>&1"


    # SCENE,KEY=VALUE: a scene of which one or more values are others.
    ruleorder: alter > record


    rule alter:
        input:
            WORKLOADS / "{scene}.yaml",
        output:
            RECORDINGS / "{scene},{settings}.tbr",
        log:
            RECORDINGS / "{scene},{settings}.log",
        params:
            settings=lambda wildcards: " ".join(f"--set {its}" for its in wildcards.settings.split(",")),
            out=lambda wildcards: RECORDINGS / f"{wildcards.scene},{wildcards.settings}",
            screen=lambda wildcards, input: screen(input[0]),
            frames=config["scene_frames"],
        shell:
            "env -u DISPLAY {TBRSIM} run --no-model {RECORD} --record {output} --out {params.out} --screen {params.screen}"
            " -- {SCENE} --window --size {params.screen} --frames {params.frames} {params.settings} {input} >{log} 2>&1"


if DRAWS:

    rule draw:
        input:
            script=source("../../workloads/variants.py"),
            description=WORKLOADS / "{scene}.yaml",
        output:
            [DESCRIPTIONS / f"{{scene}}~{number}.yaml" for number in range(1, DRAWS + 1)],
        params:
            draws=DRAWS,
            directory=DESCRIPTIONS,
        shell:
            "/usr/bin/python3 {input.script} {SCENE} {input.description} {params.draws} {params.directory}"
