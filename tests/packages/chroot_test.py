#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""make test-deb: the Debian packages, built, installed, used and removed in clean chroots of Debian 12 and 13, each with
the packages of its own build. Every command is printed with what it prints. It needs root and a Debian mirror."""
import argparse
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

import triangle

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SUITES = {"12": "bookworm", "13": "trixie"}
PACKAGES = ("tbrsim", "python3-tbrsim", "tbrsim-doc")
# What they recommend; not what that recommends in its turn (of pandas, some 400 packages).
RECOMMENDED = ("apitrace", "libegl-dev", "libgl-dev", "libgles-dev", "xvfb", "python3-pandas")
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "tbrsim"

# Mounts are those of a namespace, which ends with the command whatever happens to it.
ENTER = """set -e
mount -t proc proc "$1/proc"
mount -t tmpfs tmpfs "$1/dev/shm"
if [ -n "$2" ]; then mkdir -p "$1/ccache"; mount --bind "$2" "$1/ccache"; fi
root=$1
shift 2
exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
   DEBIAN_FRONTEND=noninteractive CCACHE_DIR=/ccache "$@"
"""

# What apt, dpkg and the packages that ours depend on keep for themselves, and what is not of a file system on disk.
NOT_COMPARED = ("proc", "sys", "dev", "run", "tmp", "var/lib/dpkg", "var/lib/apt", "var/cache", "var/log",
                "var/lib/systemd", "debs", "study", "etc/ld.so.cache")


class Failed(Exception):
    """A check that did not hold."""


def check(condition, message):
    if not condition:
        raise Failed(message)


class Chroot:
    """A root directory; commands run in it with no more of the machine than the compiler cache."""

    def __init__(self, root, ccache=None):
        self.root = root
        self.ccache = ccache

    def run(self, command, status=0, lines=12):
        """Runs a shell's command; prints it with the last lines of what it prints, all of which is returned."""
        print(f"{self.root.name}# {command}", flush=True)
        words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "sh", self.root,
                 self.ccache or "", "sh", "-c", command]
        result = subprocess.run(words, check=False, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)
        bad = result.returncode != status
        shown = result.stdout.splitlines()
        shown = shown[-40:] if bad else shown[-lines:] if lines else []
        print("".join(f"    {line}\n" for line in shown), end="", flush=True)
        check(not bad, f"{command}: status {result.returncode}, not {status}")
        return result.stdout

    def apt(self, words):
        self.run(f"apt-get -qq {words} </dev/null", lines=0)


def unpack(tar, root, ccache=None):
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    subprocess.run(["tar", "-x", "-f", tar, "-C", root], check=True)
    # Nothing in the chroot has to outlive a power failure.
    (root / "etc/dpkg/dpkg.cfg.d/unsafe-io").write_text("force-unsafe-io\n")
    # A container's base system starts no daemons.
    (root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
    (root / "usr/sbin/policy-rc.d").chmod(0o755)
    return Chroot(root, ccache)


def base(out, release):
    """The base system of a release as a tar file, made by debootstrap if it is not there yet."""
    tar = out / f"base-{release}.tar"
    if not tar.exists():
        mirror = subprocess.run(
            ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian", "Label: Debian"],
            check=True, capture_output=True, text=True).stdout.split()
        root = out / "debootstrap"
        shutil.rmtree(root, ignore_errors=True)
        command = ["debootstrap", "--variant=minbase", SUITES[release], root, *mirror[:1]]
        print("#", *command, flush=True)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["tar", "-c", "-f", f"{tar}.part", "-C", root, "."], check=True)
        os.rename(f"{tar}.part", tar)
        shutil.rmtree(root)
    return tar


def copy_sources(work):
    """The checkout with what `make deps` has fetched; objects are of the compiler cache. The build directory stays."""
    tracked = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=SOURCE,
                             check=True, capture_output=True).stdout
    fetched = "\0".join(str(path.relative_to(SOURCE)) for path in (SOURCE / "subprojects/packagecache").iterdir())
    work.mkdir(parents=True, exist_ok=True)
    names = [name for name in (tracked.decode() + fetched).split("\0") if name and (SOURCE / name).exists()]
    copy = subprocess.run(["tar", "-c", "--null", "-T", "-"], cwd=SOURCE, check=True, capture_output=True,
                          input="\0".join(names).encode())
    subprocess.run(["tar", "-x", "-C", work, "--no-same-owner"], input=copy.stdout, check=True)


def build(out, release):
    """Builds the packages with the release's own compiler and libraries; their directory."""
    ccache = subprocess.run(["ccache", "-k", "cache_dir"], check=True, capture_output=True, text=True).stdout.strip()
    root = out / f"build-{release}"
    if (root / "study").exists():
        chroot = Chroot(root, ccache)
    else:
        chroot = unpack(base(out, release), root, ccache)
    chroot.apt("update")
    copy_sources(root / "study")
    if (CACHE / "meson").exists():  # where the release's own is too old
        shutil.copytree(CACHE / "meson", root / "root/.cache/tbrsim/meson", dirs_exist_ok=True)
    chroot.apt("install -y --no-install-recommends ccache lintian make")
    chroot.apt("build-dep -y --no-install-recommends /study")
    chroot.run("cd /study && scripts/deb.sh", lines=40)
    return root / "study/build/packages"


def snapshot(root):
    """What is on disk: {path: kind, mode and content}."""
    found = {}
    for folder, folders, names in os.walk(root):
        relative = pathlib.Path(folder).relative_to(root)
        folders[:] = [name for name in folders if str(relative / name) not in NOT_COMPARED and name != "__pycache__"]
        for name in folders + names:
            path = pathlib.Path(folder, name)
            mode = path.lstat().st_mode
            if path.is_symlink():
                content = os.readlink(path)
            elif path.is_file():
                content = hashlib.sha256(path.read_bytes()).hexdigest()
            else:
                content = ""
            if str(relative / name) not in NOT_COMPARED:
                found[str(relative / name)] = (mode, content)
    return found


def mesa(files):
    """Of a snapshot, the system's Mesa and what finds it."""
    words = ("libEGL", "libGL", "libgallium", "swrast", "/dri/", "egl_vendor", "drirc", "libgbm", "libOpenGL", "glvnd")
    return {name: value for name, value in files.items() if any(word in name for word in words)}


def draw(chroot, prefix=""):
    """The renderer's name, of the small program, whose picture has to be right to the bit."""
    name = chroot.run(f"cd /study && {prefix}python3 -B triangle.py picture.ppm").split("\n")[0]
    check((chroot.root / "study/picture.ppm").read_bytes() == triangle.expected(), f"{prefix}triangle.py: a wrong picture")
    return name


def use(chroot):
    """What a user does with what is installed."""
    counted = triangle.covered_pixels()
    name = draw(chroot, "tbrsim run --out out --record triangle.tbr -- ")
    check("tbrsim" in name, f"rendered by {name}")
    total = "python3 -c 'import json; print(json.load(open(\"{}/stats.json\"))[\"total\"][\"fragment_stage.fragments\"])'"
    check(chroot.run("cd /study && " + total.format("out")).strip() == str(counted), f"not the {counted} fragments of the triangle")
    chroot.run("cd /study && tbrsim sim --out again triangle.tbr && cmp out/frames.csv again/frames.csv && "
               "tbrsim sim --csv --vary l2.size=256K,1M triangle.tbr | cut -c1-78")
    chroot.run("cd /study && tbrsim replay --out replay --frames 0-1 --check glmark2_function.trace")
    chroot.run("cd /study && tbrsim parquet out && tbrsim report --out report.html triangle.tbr && ls -s out/frames.parquet report.html")
    printed = chroot.run(
        "cd / && python3 -c 'import tbrsim; run = tbrsim.sim(\"/study/triangle.tbr\", out=\"/study/python\").wait(); "
        "print(tbrsim.__file__, run.frames[\"fragment_stage.fragments\"].sum())'")
    check(printed.split() == ["/usr/lib/python3/dist-packages/tbrsim/__init__.py", str(counted)], "the Python package")
    chroot.run("man -w tbrsim tbrsim-run tbrsim-explore && man tbrsim | head -n 5")
    chroot.run("bash -c '. /usr/share/bash-completion/completions/tbrsim && complete -p tbrsim'")
    chroot.run("tbrsim configs | head -n 3")
    chroot.run("tbrsim doctor", lines=30)
    chroot.run("ls /usr/share/doc/tbrsim-doc/docs/architecture.md && tbrsim --version")


def install(out, release, packages):
    """Installs the packages on a clean system that has a Mesa and a manual reader, uses and removes them."""
    chroot = unpack(base(out, release), out / f"install-{release}")
    (chroot.root / "study").mkdir()
    for path in (SOURCE / "tests/packages/triangle.py", SOURCE / "apitrace-replays/glmark2_function.trace"):
        shutil.copy(path, chroot.root / "study")
    shutil.copytree(packages, chroot.root / "debs")
    chroot.apt("update")
    chroot.apt("install -y --no-install-recommends python3 libegl1 libgles2 libgl1 libegl-mesa0 libgl1-mesa-dri "
               "libglx-mesa0 man-db bash-completion")
    system = draw(chroot)
    check("llvmpipe" in system or "softpipe" in system, f"the system's Mesa: {system}")
    before = snapshot(chroot.root)
    packages_before = chroot.run("dpkg-query -W -f '${db:Status-Abbrev} ${Package}\\n' | grep ^ii", lines=0)

    chroot.run("apt-get -y install --no-install-recommends /debs/*.deb " + " ".join(RECOMMENDED), lines=6)
    installed = snapshot(chroot.root)
    came = set(chroot.run("dpkg-query -W -f '${Package}\\n'", lines=0).split()) - {
        line.split()[1] for line in packages_before.splitlines()}
    changed = [name for name, value in mesa(before).items() if installed.get(name) != value]
    check(not changed, f"of the system's Mesa, these have changed: {changed}")
    check(draw(chroot) == system, "other programs no longer get the system's Mesa")
    use(chroot)
    check(draw(chroot) == system, "other programs no longer get the system's Mesa")

    chroot.run("apt-get -y purge " + " ".join(PACKAGES + RECOMMENDED), lines=6)
    chroot.run("tbrsim --version", status=127)
    left = [name for name in snapshot(chroot.root) if "tbrsim" in name and not name.startswith("root/")]
    check(not left, f"left behind: {left}")
    # autoremove keeps what is another way to meet a dependency of something that was there before.
    chroot.apt("-y purge " + " ".join(sorted(came - set(PACKAGES + RECOMMENDED))))
    packages_after = chroot.run("dpkg-query -W -f '${db:Status-Abbrev} ${Package}\\n' | grep ^ii", lines=0)
    differs = sorted(set(packages_after.splitlines()) ^ set(packages_before.splitlines()))
    check(not differs, f"other packages than before: {differs}")
    after = snapshot(chroot.root)
    differs = sorted(name for name in before.keys() | after.keys()
                     if before.get(name) != after.get(name) and not name.startswith("root/.cache"))
    check(not differs, f"not as before: {differs}")
    print(f"Debian {release}: {len(installed) - len(before)} files and folders came with the packages and what they "
          f"depend on, and went; {len(mesa(before))} of the system's Mesa are untouched", flush=True)
    shutil.rmtree(chroot.root)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="directory of the chroots, some 5 GB")
    parser.add_argument("releases", nargs="*", help=f"of {', '.join(SUITES)} (default: all)")
    arguments = parser.parse_args()
    wrong = [release for release in arguments.releases if release not in SUITES]
    if wrong:
        parser.error(f"{wrong[0]}: not one of {', '.join(SUITES)}")
    if os.geteuid():
        parser.error("it makes chroots, which takes root")
    out = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    for release in arguments.releases or SUITES:
        try:
            install(out, release, build(out, release))
        except Failed as failed:
            sys.exit(f"Debian {release}: {failed}")
        print(f"Debian {release}: passed", flush=True)


if __name__ == "__main__":
    main()
