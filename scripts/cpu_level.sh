#!/bin/sh
# SPDX-License-Identifier: MIT
# The vector feature level of this CPU, by the flags that the driver looks at (tbr_isa_select.c); "all" where there are no levels.
[ "$(uname -m)" = x86_64 ] || {
   echo all
   exit
}
flags=" $(sed -n '/^flags/{s/^flags[^:]*://p;q}' /proc/cpuinfo) "
has()
{
   for flag in "$@"; do
      case $flags in
      *" $flag "*) ;;
      *) return 1 ;;
      esac
   done
}
if ! has avx2 fma f16c popcnt; then
   echo x86-64
elif ! has avx512f avx512bw avx512dq avx512vl avx512cd; then
   echo x86-64-v3
else
   echo x86-64-v4
fi
