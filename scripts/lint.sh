#!/bin/sh
# SPDX-License-Identifier: MIT
# lint.sh check|format: our C files against .clang-format. LINT=changed looks only
# at those that differ from HEAD.
. "$(dirname "$0")/common.sh"

if [ "${LINT:-all}" = changed ]; then
   list="git diff --name-only --diff-filter=d HEAD; git ls-files --others --exclude-standard"
else
   list="git ls-files --cached --others --exclude-standard"
fi
files=$(eval "$list" | grep -E '\.[ch]$' || :)
[ -n "$files" ] || exit 0
# Another version formats differently.
formatter=clang-format-19
command -v $formatter >/dev/null || fail "make lint: $formatter is missing; run 'make deps' first"
case ${1:-check} in
check) echo "$files" | xargs $formatter --dry-run --Werror ;;
format) echo "$files" | xargs $formatter -i ;;
*) fail "usage: lint.sh check|format" ;;
esac
