# SPDX-License-Identifier: MIT
"""How large a page of tbrsim report is, and how long Chromium takes until all of it is there: elapsed, and of processor
time in the process that draws it.

    bench/report_page.py report.html
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

PROBE = """<script>
(async () => {
  while (!("ready" in document.documentElement.dataset)) await new Promise((done) => setTimeout(done, 1));
  console.log(`READY after ${performance.now().toFixed(0)} ms`);
})();
</script></body>"""


def processor_seconds(profile):
    """Of the renderers of the browser with that profile."""
    ticks = 0
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            if b"--type=renderer" in command and os.fsencode(profile) in command:
                fields = (process / "stat").read_text().rsplit(")", 1)[1].split()
                ticks += int(fields[11]) + int(fields[12])
        except OSError:
            pass
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(page):
    with tempfile.TemporaryDirectory(prefix="tbrsim-", ignore_cleanup_errors=True) as profile:
        shown = pathlib.Path(profile) / "page.html"
        shown.write_text(page.read_text(encoding="utf-8").replace("</body>", PROBE), encoding="utf-8")
        browser = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
             "--remote-debugging-port=0", f"--user-data-dir={profile}/profile", f"file://{shown}"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        timer = threading.Timer(120, browser.kill)
        timer.start()
        found = next((match for line in browser.stderr if (match := re.search(r"READY after (\d+) ms", line))), None)
        seconds = processor_seconds(profile)
        timer.cancel()
        browser.terminate()
        browser.wait()
    if not found:
        sys.exit(f"{page}: it was not ready within 120 s")
    print(f"{page}: {page.stat().st_size / 1024:.0f} KB, ready after {int(found[1])} ms, {seconds:.2f} s of processor time")


for name in sys.argv[1:]:
    measure(pathlib.Path(name))
