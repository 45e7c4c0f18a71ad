# SPDX-License-Identifier: MIT
"""timed.py COMMAND...: runs a test and says on stderr what processor time it and all that it waited for have taken, for
scripts/test.sh. Ends as the test does."""
import os
import resource
import signal
import sys

child = os.spawnvp(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"processor time: {used.ru_utime + used.ru_stime:.2f} s", file=sys.stderr)
if status < 0:
    if -status != signal.SIGKILL:
        signal.signal(-status, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.kill(os.getpid(), -status)
sys.exit(status)
