# SPDX-License-Identifier: MIT
"""What all experiments begin with: each workload is recorded once, and everything is simulated from the recordings.

Configuration: traces, a directory of captures (*.trace), or scenes, one of descriptions of scenes (docs/workloads.md), of
which the experiment takes those of its paper, with the settings for them in scenes.yml (settings, one of its keys, or scenes);
variants, how many variants of each scene are drawn (workloads/variants.py) and taken in its place; assumed, a set of the
paper's in assumption_sets.yml, whose scenes and configurations are taken in the place of the usual ones; recordings, where the
recordings go; record_frames, A-B where not all frames of a capture are to be recorded; scene_frames, how many frames a
scene has, and scene_size, its pixels, WIDTHxHEIGHT, if not its own; tbrsim and scene, the commands.
"""
import pathlib
import re
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
SETTINGS = config.get("settings", "scenes")
DRAWS = 0  # variants of each scene
ASSUMED = {}
SCENE = config.get("scene", "build/workloads/scene/scene")
if "traces" in config:
    NAMES = sorted(path.stem for path in WORKLOADS.glob("*.trace"))
else:
    with open(source("../scenes.yml"), encoding="utf-8") as file:
        papers = yaml.safe_load(file)[pathlib.Path(workflow.basedir).name]
    if "assumed" in config:
        with open(source("../assumption_sets.yml"), encoding="utf-8") as file:
            ASSUMED = yaml.safe_load(file)[pathlib.Path(workflow.basedir).name]["sets"][config["assumed"]]
    if SETTINGS not in papers:
        sys.exit(f"experiments/scenes.yml: no settings {SETTINGS} of {pathlib.Path(workflow.basedir).name}")
    for key, value in (papers["scenes"] | papers[SETTINGS]).items():
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
    if "scenes" in ASSUMED:
        RECORDINGS /= config["assumed"]
if not NAMES:
    sys.exit(f"{WORKLOADS}: no *.trace there")

# The papers' GPU tests depth early and removes no other hidden surfaces (boustrophedonic frames II-A, TCOR II-A).
COMMON = "--set mode=tbr"


def assume(options):
    """Configurations of tbrsim sim as the set has them: in the place of some presets others, and of all some settings."""
    changes = "".join(f",{its}" for its in ASSUMED.get("settings", []))
    presets = ASSUMED.get("presets", {})
    return re.sub(r"(--config )([\w-]+)", lambda its: its[1] + presets.get(its[2], its[2]) + changes, options)


def altered(*names):
    """Of these scenes with other values (SCENE,KEY=VALUE,…; the rule alter), those whose scene the experiment takes as it is."""
    return [name for name in names if name.split(",")[0] in NAMES and "scenes" in config]


wildcard_constraints:
    name="[^/]+",
    scene="[^/~,]+",


def screen(description):
    with open(description, encoding="utf-8") as file:
        return config.get("scene_size", yaml.safe_load(file)["resolution"])


# Recordings are shared by experiments: what is there is whole.
RECORD_SCENE = ("env -u DISPLAY {TBRSIM} run --no-model --record {output}.part --out {output}.out --screen {params.screen}"
                f" -- {SCENE} --window --size {{params.screen}} --frames {config.get('scene_frames')} {{params.changes}} {{input}}"
                " >{log} 2>&1 && mv {output}.part {output}")


if "traces" in config:

    rule record:
        input:
            WORKLOADS / "{name}.trace",
        output:
            RECORDINGS / "{name}.tbr",
        log:
            RECORDINGS / "{name}.log",
        shell:
            "{TBRSIM} replay --no-model {RECORD} --record {output}.part --out {output}.out {input} >{log} 2>&1"
            " && mv {output}.part {output}"

else:

    rule record:
        input:
            DESCRIPTIONS / "{name}.yaml",
        output:
            RECORDINGS / "{name}.tbr",
        log:
            RECORDINGS / "{name}.log",
        params:
            screen=lambda wildcards, input: screen(input[0]),
            changes=" ".join(f"--set {its}" for its in ASSUMED.get("scenes", [])),
        shell:
            RECORD_SCENE


    # SCENE,KEY=VALUE: a scene of which one or more values are others.
    ruleorder: alter > record


    rule alter:
        input:
            WORKLOADS / "{scene}.yaml",
        output:
            RECORDINGS / "{scene},{changes}.tbr",
        log:
            RECORDINGS / "{scene},{changes}.log",
        params:
            screen=lambda wildcards, input: screen(input[0]),
            changes=lambda wildcards: " ".join(f"--set {its}" for its in wildcards.changes.split(",")),
        shell:
            RECORD_SCENE


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
