# SPDX-License-Identifier: MIT
"""Debian's piglit on the drivers of one Mesa build: which tests there are, which of them
are about what a driver exposes, and their results. Nothing here judges a result."""

import dataclasses
import gzip
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

LIBRARY = pathlib.Path("/usr/lib", os.uname().machine + "-linux-gnu", "piglit")
# Groups of tests that are named after an EGL extension as others are after a GL extension.
EGL_GROUPS = ("ext_image_dma_buf_import",)
# What piglit's statuses are in the lists; all that is not here is no result of a driver.
STATUSES = {"pass": "Pass", "warn": "Pass", "fail": "Fail", "crash": "Crash", "timeout": "Timeout", "skip": "Skip"}
# Piglit's own process is restarted after as many tests, and the results so far are kept.
CHUNK = 250


class Failure(Exception):
    """What keeps a run from giving results, as one line."""


def installed():
    """The version of piglit's package, or None."""
    if not (LIBRARY / "tests").is_dir() or not shutil.which("piglit"):
        return None
    answer = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "piglit"], capture_output=True, text=True)
    return answer.stdout.strip() or None


def profile_tests(profile):
    """Names of a profile's tests, in its order."""
    path = LIBRARY / "tests" / f"{profile}.xml.gz"
    if not path.exists():
        raise Failure(f"piglit has no profile {profile}")
    with gzip.open(path) as file:
        return [test.attrib["name"] for test in xml.etree.ElementTree.parse(file).iter("Test")]


def driver_environment(driver, display_name, scratch):
    """The environment in which any program uses a driver of the build."""
    environment = {name: value for name, value in tbrsim.environment().items() if not name.startswith("PIGLIT_")}
    lines = tbrsim.run("env", check=True).stdout
    for line in lines.splitlines():
        action, argument = shlex.split(line)
        if action == "export":
            name, value = argument.split("=", 1)
            environment[name] = value
        else:
            environment.pop(argument, None)
    environment.update(GALLIUM_DRIVER=driver, DISPLAY=display_name, MESA_SHADER_CACHE_DIR=scratch,
                       PIGLIT_COMPRESSION="none")
    return environment


@dataclasses.dataclass
class Exposed:
    """Versions and extensions of the contexts a driver makes, all interfaces taken together."""
    desktop: float = 0
    embedded: float = 0
    extensions: set = dataclasses.field(default_factory=set)

    def has(self, test):
        """Whether a test's group is of an exposed version or extension."""
        group = test.split("@")[1] if test.startswith("spec@") else ""
        versioned = re.fullmatch(r"(!opengl|glsl)[ -](es)?[ -]?(\d\.\d+)", group)
        if versioned:
            version = float(versioned[3])
            if versioned[2]:
                return version <= max(self.embedded, 1)
            # The shading language's numbers and the interface's are the same from 3.3 on.
            languages = {1.1: 2.0, 1.2: 2.1, 1.3: 3.0, 1.4: 3.1, 1.5: 3.2}
            return (languages.get(version, version) if versioned[1] == "glsl" else version) <= self.desktop
        if not group or group.startswith(("egl", "glx")) or group in EGL_GROUPS:
            return True
        # Some groups are named after several extensions: khr_texture_compression_astc after …_ldr and …_sliced_3d.
        return any(name == f"gl_{group}" or name.startswith(f"gl_{group}_") for name in self.extensions)


def exposed(environment):
    """What the contexts of an environment's driver expose."""
    result = Exposed()
    for platform, interface in (("glx", "gl --profile compat"), ("glx", "gl --profile core"),
                                ("x11_egl", "gles2"), ("x11_egl", "gles3")):
        answer = subprocess.run(["wflinfo", "-p", platform, "-v", "-a", *interface.split()], env=environment,
                                capture_output=True, text=True)
        version = re.search(r"^OpenGL version string: (OpenGL ES )?(\d\.\d)", answer.stdout, re.M)
        extensions = re.search(r"^OpenGL extensions: (.*)", answer.stdout, re.M)
        if answer.returncode or not version or not extensions:
            raise Failure(f"{environment['GALLIUM_DRIVER']} makes no context: wflinfo -p {platform} -a {interface}")
        if version[1]:
            result.embedded = max(result.embedded, float(version[2]))
        else:
            result.desktop = max(result.desktop, float(version[2]))
        result.extensions |= {name.lower() for name in extensions[1].split()}
    return result


@dataclasses.dataclass
class Result:
    """One test's result; a test with subtests has the worst of theirs."""
    status: str
    subtests: dict
    details: str = ""  # command, exit status and output of a test that did not pass
    seconds: float = 0

    def flat(self, test):
        """(name, status) of the test and its subtests, named as Mesa's lists name them."""
        yield test, self.status
        for name, status in self.subtests.items():
            yield f"{test}@{name}", status


def parse(entry):
    """A Result from piglit's own record, or None if the record has none."""
    subtests = {name: STATUSES.get(status) for name, status in entry.get("subtests", {}).items()}
    status = STATUSES.get(entry["result"])
    if status is None:
        return None
    details = ""
    if status not in ("Pass", "Skip"):
        details = f"{entry.get('command')}\nexit status {entry.get('returncode')}\n" \
                  f"{entry.get('out', '')[-4000:]}\n{entry.get('err', '')[-4000:]}"
    seconds = entry["time"]["end"] - entry["time"]["start"]
    return Result(status, {name: value for name, value in subtests.items() if value}, details, seconds)


def run_chunk(profile, tests, environment, jobs, timeout):
    """{test: Result} of one process of piglit."""
    with tempfile.TemporaryDirectory() as directory:
        tests_file = pathlib.Path(directory, "tests")
        tests_file.write_text("".join(f"{test}\n" for test in tests), encoding="utf-8")
        results = pathlib.Path(directory, "results")
        command = ["piglit", "run", profile, "--test-list", tests_file, "--jobs", str(jobs),
                   "--timeout", str(timeout), "--log-level", "dummy", results]
        process = subprocess.Popen(command, env=environment, start_new_session=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            output = process.communicate()[0]
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait()
        file = results / "results.json"
        if process.returncode or not file.exists():
            raise Failure(f"piglit run {profile}: exit status {process.returncode}: {output.strip()[-500:]}")
        records = json.loads(file.read_text(encoding="utf-8"))["tests"]
    parsed = {test: parse(record) for test, record in records.items()}
    return {test: result for test, result in parsed.items() if result}


def run(profile, tests, environment, jobs, timeout, keep):
    """Runs tests; keep({test: Result}) takes the results as they come."""
    for start in range(0, len(tests), CHUNK):
        keep(run_chunk(profile, tests[start:start + CHUNK], environment, jobs, timeout))
