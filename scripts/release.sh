#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds all files of a release of what is checked out, into $BUILD/release/tbrsim-VERSION, with their checksums and a page of
# what they are and what has changed. Nothing is built before all that can be refused has been looked at.
. "$(dirname "$0")/common.sh"

version=$(cat python/tbrsim/VERSION)
name=tbrsim-$version
out=$BUILD/release/$name

refuse()
{
   fail "make release: $*"
}

# A release is what a commit has, and what CHANGELOG.md says of it.
check()
{
   for target in deb wheel docs; do
      grep -q "^$target:" Makefile || refuse "the Makefile has no target $target"
   done
   commit=$(git rev-parse --verify HEAD 2>/dev/null) || refuse "this is no checkout of a commit"
   changed=$(git status --porcelain)
   [ -z "$changed" ] || refuse "these files are not as in the commit:
$changed"
   changes=$(awk -v version="$version," '/^## / { found = $2 == version; next } found' CHANGELOG.md)
   [ -n "$changes" ] || refuse "CHANGELOG.md has no section '## $version, DATE'"
   python3 tests/packages/control_test.py Control.test_version >/dev/null 2>&1 ||
      refuse "the files that have the version differ: python3 tests/packages/control_test.py Control.test_version"
   tagged=$(git rev-parse --verify --quiet "refs/tags/v$version^{commit}" || :)
   [ -z "$tagged" ] || [ "$tagged" = "$commit" ] || refuse "v$version is the tag of another commit: make a new version (CONTRIBUTING.md)"
}

# The same content makes the same archive: names sorted, with the time of the commit, of nobody.
pack_site()
{
   [ -e "$BUILD/docs/html/index.html" ] || refuse "$BUILD/docs/html/index.html was not built"
   tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" --transform "s,^\.,$name-site," \
      -C "$BUILD/docs/html" -cf "$out/$name-site.tar" .
   xz -9 "$out/$name-site.tar"
}

# Copies what a target has built, all of it new: at least one file.
take()
{
   for file in "$@"; do
      [ -e "$file" ] || refuse "$file was not built"
      cp "$file" "$out/"
   done
}

# What is there, and what has changed. Documents are named, not linked: they are in the site.
page()
{
   echo "# tbrsim $version"
   echo
   sed -n "s/^## $version, /Of /p" CHANGELOG.md | sed "s/\$/, commit $commit./"
   echo
   echo "| file | |"
   echo "| --- | --- |"
   echo "| \`$name-source.tar.xz\` | the sources: \`make demo\` builds and shows them, \`make\` builds all |"
   for file in "$out"/*.deb; do
      package=$(basename "$file")
      echo "| \`$package\` | $(sed -n "/^Package: ${package%%_*}\$/,/^\$/s/^Description: //p" debian/control) |"
   done
   echo "| \`$name-py3-none-any.whl\` | the Python package, for pip; the command is not in it |"
   echo "| \`$name.tar.gz\` | its source distribution |"
   echo "| \`$name-site.tar.xz\` | all documents as pages: \`index.html\` |"
   echo "| \`SHA256SUMS\` | \`sha256sum --check SHA256SUMS\` compares the files with it |"
   echo
   echo "On Debian: \`apt install ./*.deb\`. The packages are of $(. /etc/os-release && echo "$PRETTY_NAME")."
   echo
   echo "## What has changed"
   echo "$changes" | sed 's/\[\([^]]*\)\]([^)]*)/\1/g'
}

check
make deb wheel docs
rm -rf "$BUILD/release"
mkdir -p "$out"
git archive --prefix="$name/" --output "$out/$name-source.tar" HEAD
xz -9 "$out/$name-source.tar"
take "$BUILD"/packages/*.deb "$BUILD/wheel/$name-py3-none-any.whl" "$BUILD/wheel/$name.tar.gz"
pack_site
page >"$out/CHANGES.md"
(cd "$out" && sums=$(sha256sum -- *) && echo "$sums" >SHA256SUMS)
ls -l "$out"
