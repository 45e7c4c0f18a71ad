# SPDX-License-Identifier: MIT
"""How `pip install` builds the package (PEP 517): by the setuptools that is installed, so that it needs no network. pip hides
installed packages from a build and fetches those that the build asks for: this asks for none that is there."""
import contextlib
import importlib.util
import pathlib
import shutil
import site
import sys

# Packages of the environment, after those that pip has fetched.
sys.path += [path for path in [*site.getsitepackages(), site.getusersitepackages()] if path not in sys.path]


def _missing():
    if not importlib.util.find_spec("setuptools"):
        return ["setuptools>=61", "wheel"]
    # From 70.1 on setuptools has it.
    own = importlib.util.find_spec("setuptools.command.bdist_wheel")
    return [] if own or importlib.util.find_spec("wheel") else ["wheel"]


@contextlib.contextmanager
def _setuptools():
    """setuptools' hooks; what it leaves in the sources goes, for the next build would take files that are no more."""
    from setuptools import build_meta  # it may come only after the first question below
    try:
        yield build_meta
    finally:
        shutil.rmtree("build", ignore_errors=True)
        for path in pathlib.Path().glob("*.egg-info"):
            shutil.rmtree(path)


def get_requires_for_build_wheel(config_settings=None):
    """What pip has to fetch."""
    return _missing()


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel; its name."""
    with _setuptools() as hooks:
        return hooks.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The same for `pip install --editable`."""
    with _setuptools() as hooks:
        return hooks.build_editable(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    """Writes the source distribution; its name."""
    with _setuptools() as hooks:
        return hooks.build_sdist(sdist_directory, config_settings)
