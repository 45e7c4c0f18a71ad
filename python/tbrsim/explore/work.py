# SPDX-License-Identifier: MIT
"""Does the jobs of a plan on this machine: all cores, failures retried and named, how long it still takes."""
import collections
import concurrent.futures
import os
import sys
import threading
import time

from ..errors import Error

SHOW = 0.5  # seconds between lines on a terminal
SAY = 30  # seconds between lines elsewhere


def duration(seconds):
    """As people say it."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


class Progress:
    """What is done, and when the rest will be; a job's share of the work is its weight."""

    def __init__(self, jobs, there, file=None):
        self._weights = {job["key"]: job["weight"] for job in jobs}
        self._left = sum(self._weights[job["key"]] for job in jobs)
        self._all, self._there, self._done, self._failed, self._running = len(jobs) + there, there, 0, 0, 0
        self._begin, self._made = time.monotonic(), 0
        self._file = file or sys.stderr
        self._said, self._width = self._begin, 0
        self._lock = threading.Lock()

    def begin(self):
        """A job begins."""
        with self._lock:
            self._running += 1

    def end(self, job, failed):
        """A job has ended, for good."""
        with self._lock:
            self._running -= 1
            self._done += not failed
            self._failed += failed
            self._made += self._weights[job["key"]]
            self._left -= self._weights[job["key"]]

    def again(self):
        """A job is put back."""
        with self._lock:
            self._running -= 1

    def line(self, now=None):
        """What is shown."""
        with self._lock:
            parts = [f"{self._there + self._done} of {self._all} simulated"]
            if self._there:
                parts.append(f"{self._there} of them earlier")
            parts.append(f"{self._running} running")
            if self._failed:
                parts.append(f"{self._failed} failed")
            if self._made:
                spent = (now or time.monotonic()) - self._begin
                parts.append(f"{duration(spent * self._left / self._made)} left")
            return ", ".join(parts)

    def show(self):
        """Shows it: a terminal's line is rewritten, elsewhere a line comes now and then."""
        line, now = self.line(), time.monotonic()
        if self._file.isatty():
            print(f"\rexplore: {line:{self._width}}", end="", file=self._file, flush=True)
            self._width = len(line)
        elif now - self._said >= SAY:
            self._said = now
            print(f"explore: {line}", file=self._file, flush=True)

    def erase(self):
        """Takes the terminal's line away."""
        if self._file.isatty() and self._width:
            print(f"\r{'':{self._width + 9}}\r", end="", file=self._file, flush=True)


class Workers:
    """Jobs at a time, so many as processes are given."""

    def __init__(self, store, processes=None, retries=2):
        self._store, self._retries = store, retries
        self._executor = concurrent.futures.ThreadPoolExecutor(processes or len(os.sched_getaffinity(0)))
        self._lock, self._processes, self._stopped = threading.Lock(), set(), False
        self._recordings = collections.defaultdict(threading.Lock)

    def _started(self, process):
        with self._lock:
            self._processes = {other for other in self._processes if other.poll() is None} | {process}
            if self._stopped:
                process.terminate()

    def _attempt(self, job):
        if job["recording_key"]:
            with self._lock:
                lock = self._recordings[job["recording_key"]]
            with lock:
                self._store.record(job, self._started)
        self._store.simulate(job, self._started)

    def _do(self, job, progress):
        """Why it has failed, of each attempt; empty: it has not."""
        reasons = []
        while True:
            progress.begin()
            try:
                self._attempt(job)
                progress.end(job, False)
                return []
            except (Error, OSError) as error:
                reasons.append(str(error))
            with self._lock:
                stopped = self._stopped
            if stopped or len(reasons) > self._retries:
                progress.end(job, True)
                return reasons
            progress.again()

    def run(self, jobs, progress):
        """Does the jobs; those that have failed with the reasons, [(job, [reason, …])]."""
        futures = {self._executor.submit(self._do, job, progress): job for job in jobs}
        left = set(futures)
        try:
            while left:
                left = concurrent.futures.wait(left, SHOW).not_done
                progress.show()
        except BaseException:
            self.stop()
            raise
        finally:
            progress.erase()
            self._executor.shutdown()
        return [(job, future.result()) for future, job in futures.items() if future.result()]

    def stop(self):
        """Ends what runs; what has not begun does not begin."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._stopped, processes = True, list(self._processes)
        for process in processes:
            if process.poll() is None:
                process.terminate()
