# SPDX-License-Identifier: MIT
"""Runs of the command in the background of the script, one or many at a time."""
import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

from . import notebook
from .command import configuration_words, executable, option_words
from .errors import CommandFailed, Error
from .recording import Recording
from .results import Results, Simulations

INTERVAL = 0.1  # seconds between looks at what runs
STOP = 10  # seconds that a run has to end after SIGTERM


class Progress(collections.namedtuple("Progress", "work done total")):
    """What a run does, and how many frames are done (a part of one counts) of how many; a total of
    0 is not known."""

    @property
    def share(self):
        """0 to 1; None where the total is not known."""
        return self.done / self.total if self.total else None

    def __str__(self):
        of = f" of {self.total:.0f}, {100 * self.share:.0f} %" if self.total else ""
        return f"{self.work}: {self.done:.0f}{of}" if self.done or self.total else self.work


class _Line:
    """A line on stderr that is rewritten."""

    def __init__(self):
        self._shown = ""

    def show(self, text):
        print(f"\r{text:{len(self._shown)}}", end="", file=sys.stderr, flush=True)
        self._shown = text

    def erase(self):
        if self._shown:
            print(f"\r{'':{len(self._shown)}}\r", end="", file=sys.stderr, flush=True)


_lock = threading.Lock()
_directories = {}  # of runs that have not ended: {path: Run}


class Run:
    """The command as a process: what run(), replay() and sim() return. `words` are its words.

        run = tbrsim.replay("game.trace", out="results")
        while run.poll() is None: print(run.progress()); …
        results = run.wait()
    """

    def __init__(self, words, out, load, record=None, env=None):
        """Starts it. load(run): what results are; record: the recording that it makes, if any."""
        self.words = [str(word) for word in words]
        self.out = pathlib.Path(out).absolute()
        self._load, self._record, self._results = load, record, None
        self._files = contextlib.ExitStack()
        self._ended = threading.RLock()  # one thread reads what it printed, the others wait for it
        self._started = time.time()
        self._claim()
        try:
            self._start(os.environ if env is None else env)
        except BaseException:
            self._release()
            raise

    def _claim(self):
        with _lock:
            other = _directories.setdefault(self.out, self)
        if other is not self:
            raise Error(f"{self.out}: another run writes its results there: name another with out=")

    def _release(self):
        with _lock:
            if _directories.get(self.out) is self:
                del _directories[self.out]
        self._files.close()

    def _start(self, env):
        folder = self._files.enter_context(tempfile.TemporaryDirectory(prefix="tbrsim-run-"))
        self._progress_file = pathlib.Path(folder, "progress")
        self._output, self._errors = pathlib.Path(folder, "stdout"), pathlib.Path(folder, "stderr")
        self._texts = None
        self.command = [executable(), *self.words]
        with open(self._output, "wb") as output, open(self._errors, "wb") as errors:
            self._process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
                env=dict(env) | {"TBRSIM_PROGRESS": str(self._progress_file)})

    # ---- while it runs

    def poll(self):
        """Its exit status; None while it runs; negative: the signal that killed it."""
        with self._ended:
            status = self._process.poll()
            if status is not None and self._texts is None:
                self._texts = [self._printed(path) for path in (self._output, self._errors)]
                self._last = self._logged()
                self._release()
        return status

    @staticmethod
    def _printed(path):
        return path.read_text(encoding="utf-8", errors="replace")

    def _logged(self):
        try:
            with open(self._progress_file, "rb") as file:
                file.seek(-min(1024, os.fstat(file.fileno()).st_size), os.SEEK_END)
                lines = file.read().splitlines(keepends=True)
        except FileNotFoundError:
            return None
        whole = [line for line in lines if line.endswith(b"\n")]
        if not whole:
            return None
        entry = json.loads(whole[-1])
        return Progress(entry["work"], entry["done"], int(entry["total"]))

    def _counted(self):
        """Of `tbrsim run`, which does not know how many frames there will be: those in frames.csv,
        if it is of this run."""
        path = self.out / "frames.csv"
        try:
            if path.stat().st_mtime < self._started:
                return None
            with open(path, "rb") as file:
                return Progress("running", max(sum(1 for _ in file) - 1, 0), 0)
        except OSError:
            return None

    def progress(self):
        """What it does now, a Progress, or did last; None before it has begun to."""
        if self.poll() is not None:
            return self._last
        return self._logged() or (self._counted() if self.words[0] == "run" else None)

    def wait(self, timeout=None, show=False):
        """Waits for its end; the results. CommandFailed where it failed, TimeoutError where it
        still runs after `timeout` seconds. show: its progress as a line on stderr. An interrupt
        (Ctrl-C) stops it."""
        end = None if timeout is None else time.monotonic() + timeout
        line = _Line()
        try:
            while self.poll() is None:
                if end is not None and time.monotonic() >= end:
                    raise TimeoutError(f"{' '.join(self.command)}: still runs after {timeout} s")
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(INTERVAL)
                if show:
                    line.show(str(self.progress() or ""))
        except KeyboardInterrupt:
            self.stop()
            raise
        finally:
            line.erase()
        return self.results

    def stop(self):
        """Ends it, if it still runs."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self.poll()

    # ---- after its end

    @property
    def output(self):
        """What it printed."""
        with self._ended:
            return self._texts[0] if self.poll() is not None else self._printed(self._output)

    @property
    def messages(self):
        """What it said on standard error."""
        with self._ended:
            return self._texts[1] if self.poll() is not None else self._printed(self._errors)

    @property
    def results(self):
        """Results; of sim() with several configurations Simulations; None of a run without a model.
        CommandFailed where the command failed, an Error while it runs. What a program wrote
        before it failed is in Results(run.out) all the same."""
        status = self.poll()
        if status is None:
            raise Error(f"{' '.join(self.command)}: still runs; wait() waits for its end")
        if status:
            raise CommandFailed(self.command, status, self.messages)
        if self._results is None:
            self._results = self._load(self)
        return self._results

    @property
    def recording(self):
        """The recording that it made (record=), a Recording."""
        if not self._record:
            raise Error(f"{' '.join(self.command)}: records nothing; record=FILE.tbr does")
        return Recording(self._record)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.stop()

    def __repr__(self):
        status = self.poll()
        state = self.progress() or "begins" if status is None else f"ended with status {status}"
        return f"<tbrsim.Run {' '.join(self.words)}: {state}>"

    def _repr_html_(self):
        status = self.poll()
        if status == 0 and self.results is not None:
            return self.results._repr_html_()
        state = str(self.progress() or "begins") if status is None else f"ended with status {status}"
        lines = self.messages.splitlines()[-notebook.MOST_ROWS:] if status else []
        return notebook.page(f"tbrsim {' '.join(self.words)}", [state], [{"messages": line} for line in lines])


# ---- what is started

def _live(command, operands, out, record, configuration, options, env):
    no_model = options.get("no_model")
    words = [command, *option_words(out=None if no_model and command == "run" else out,
                                    record=record, **options),
             *configuration_words(*configuration), "--", *operands]
    return Run(words, out, lambda run: None if no_model else Results(run.out), record, env)


def run(program, out="tbrsim-out", record=None, config=None, settings=None, timing=None, env=None,
        **options):
    """Starts `tbrsim run`: a GL or GLES program, a list of its words, on the simulated GPU.

    out: the directory of the statistics. record: a recording to make. config: a name, a file or a
    Configuration; settings: {key: value}; timing: True or False. env: the environment (default:
    this process's). Other options as `tbrsim run --help` has them: frames=(0, 9), no_model=True,
    screen="960x540"."""
    words = [program] if isinstance(program, (str, os.PathLike)) else list(program)
    return _live("run", words, out, record, (config, settings, timing), options, env)


def replay(trace, out="tbrsim-out", record=None, config=None, settings=None, timing=None, env=None,
           **options):
    """Starts `tbrsim replay`: a file of apitrace or gfxreconstruct; as run(), with the options of `tbrsim replay
    --help`: snapshots="DIR", check=True."""
    return _live("replay", [trace], out, record, (config, settings, timing), options, env)


def _simulated(run):
    entries = json.loads(run.output)["simulations"]
    several = [entry | {"directory": entry["statistics"]} for entry in entries]
    return Simulations(several) if len(several) > 1 else Results(run.out)


def sim(recording, out="tbrsim-out", config=None, settings=None, timing=None, vary=None, env=None,
        **options):
    """Starts `tbrsim sim`: other GPUs on a recording. config may be a list; vary: {key: list of
    values} simulates all combinations. With several, the results are Simulations, else Results.
    Other options as `tbrsim sim --help` has them: frames=(0, 9), warm_up=1, jobs=2."""
    for name in ("csv", "json", "format"):
        if name in options:
            raise TypeError(f"{name}: results are objects; Simulations.table() is the table")
    path = recording.path if isinstance(recording, Recording) else recording
    out = os.path.abspath(out)
    # What comes before the first --config is of all.
    words = ["sim", "--json", *option_words(out=out, **options),
             *configuration_words(config, settings, timing, vary), "--", path]
    return Run(words, out, _simulated, env=env)


class Pool:
    """Several Runs at a time, at most `processes` (default: one per core; the simulations of each have
    as many threads as there are cores unless jobs=1):

        with tbrsim.Pool(4) as pool:
            runs = {name: pool.submit(tbrsim.replay, path, out=f"results/{name}")
                    for name, path in traces.items()}
            pool.wait(show=True)
        results = {name: run.result() for name, run in runs.items()}

    Where the block fails, what has not begun does not begin, and Runs are stopped."""

    def __init__(self, processes=None):
        self._executor = concurrent.futures.ThreadPoolExecutor(processes or os.cpu_count())
        self._lock = threading.Lock()
        self._runs, self._futures, self._stopped = [], [], False

    def _do(self, function, *arguments, **options):
        answer = function(*arguments, **options)
        if not isinstance(answer, Run):
            return answer
        with self._lock:
            self._runs.append(answer)
            stopped = self._stopped
        if stopped:
            answer.stop()
        try:
            return answer.wait()
        finally:
            with self._lock:
                self._runs.remove(answer)

    def submit(self, function, *arguments, **options):
        """Calls one of run, replay, sim, or of sweep, llc, table, … when its turn comes; a future
        (concurrent.futures), whose result() is that of wait()."""
        future = self._executor.submit(self._do, function, *arguments, **options)
        self._futures.append(future)
        return future

    def progress(self):
        """How many have ended, how many there are, and the Runs that have not."""
        with self._lock:
            return (sum(future.done() for future in self._futures), len(self._futures),
                    list(self._runs))

    def wait(self, show=False):
        """Waits for all, failed or not. show: a line on stderr with what is done."""
        line, left = _Line(), set(self._futures)
        while left:
            left = concurrent.futures.wait(left, INTERVAL if show else None).not_done
            if show:
                done, count, runs = self.progress()
                states = "; ".join(str(run.progress() or "begins") for run in runs)
                line.show(f"{done} of {count} done{'; ' if states else ''}{states}")
        line.erase()

    def stop(self):
        """Ends the Runs that still run; what has not begun does not begin."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._stopped, runs = True, list(self._runs)
        for one in runs:
            one.stop()

    def __enter__(self):
        return self

    def __exit__(self, kind, *exception):
        if kind:
            self.stop()
        self._executor.shutdown()
