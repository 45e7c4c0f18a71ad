#!/bin/sh
# SPDX-License-Identifier: MIT
# status.sh JOB: "running", "success" or "failed", as Snakemake asks. Why Slurm has ended a job, which the job itself
# cannot say, goes to failed/KEY-JOB, as tbrsim.explore.cluster does it. A controller that does not answer is asked again.
said=$(scontrol show job -o "$1" 2>&1) || {
   case $said in
   *"Invalid job id"*) said="JobName= JobState=FORGOTTEN" ;;
   *) echo running && exit ;;
   esac
}
value()
{
   echo "$said" | sed -n "s/.*\<$1=\([^ ]*\).*/\1/p"
}
state=$(value JobState)
case $state in
COMPLETED) echo success ;;
BOOT_FAIL | CANCELLED | DEADLINE | FAILED | FORGOTTEN | NODE_FAIL | OUT_OF_MEMORY | PREEMPTED | TIMEOUT)
   name=$(value JobName)
   note=failed/${name##*=}-$1
   # Of others than tbrsim explore there is no such directory.
   [ -z "$name" ] || [ ! -d failed ] || [ -e "$note" ] ||
      echo "Slurm's job $1: $state (exit status and signal $(value ExitCode); node $(value NodeList))" >"$note"
   echo failed
   ;;
*) echo running ;;
esac
