"""A command that runs in a process of its own, which may die or hang."""

import json
import resource
import signal
import subprocess
import tempfile


def last_line(text):
    """Returns the last line of what a program said, without hints, cut to 300 characters."""
    lines = [line for line in text.strip().splitlines() if not line.startswith("hint: ")]
    return " ".join((lines or ["no message"])[-1].split())[-300:]


def found_by(command, out, seconds, address_space=None):
    """Runs a command that writes JSON into the file `out`. Returns (what it wrote or None, why it wrote nothing)."""

    def limit():
        if address_space:
            resource.setrlimit(resource.RLIMIT_AS, (address_space,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        try:
            code = subprocess.run(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, check=False,
                                  timeout=seconds, preexec_fn=limit).returncode
        except subprocess.TimeoutExpired:
            return None, f"not done after {seconds} s"
        log.seek(0)
        said = last_line(log.read())
    if out.exists():
        return json.loads(out.read_text(encoding="utf-8")), ""
    died = f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit {code}"
    return None, f"{died}: {said}"
