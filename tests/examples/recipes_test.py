#!/usr/bin/env python3
"""recipes_test.py ROOT PROGRAM: runs the blocks of RECIPES.md, a folder a section, and the commands of AGENTS.md.

A line "Needs `NAME`; without it the test ..." above a block says what the block needs: a program, a module of Python or
of Node.js. Where that is missing, the block's form is checked, and the code in backquotes at the line's end runs
instead. DETENT_SHARED is a folder of models and images, NODE_PATH that of Node.js's modules. Each row of AGENTS.md that begins
with a command ends with its exit code. Exits 1 if a block or a code is wrong.
"""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

RUN = {"sh": ["sh", "-eu"], "python": [sys.executable], "js": ["node"]}
CHECK = {"sh": ["sh", "-n"], "python": [sys.executable, "-m", "py_compile"], "js": ["node", "--check"]}
NEEDS = re.compile(r"Needs `([^`]+)`; without it the test (.*)")


def installed(name):
    here = [Path(folder) / name for folder in os.environ.get("NODE_PATH", "").split(":") if folder]
    is_module = name.isidentifier() and importlib.util.find_spec(name) is not None
    return bool(shutil.which(name)) or is_module or any(path.is_dir() for path in here)


def execute(command, folder, what, code=0):
    """Whether the command exits with the code; prints its output where not."""
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)
    if done.returncode == code:
        return True
    print(f"FAILED {what}: exit {done.returncode}, not {code}\n{done.stdout[-2000:]}")
    return False


def blocks(section):
    """The blocks of a section: language, code, what it needs or None, and what runs instead: code, None or "end"."""
    needs, instead = None, None
    for line, language, code in re.findall(r"^(Needs `.*)$|^```(\w+)\n((?:.*\n)*?)```$", section, re.M):
        if line:
            needs, what = NEEDS.match(line).groups()
            said = re.search(r"^runs `([^`]+)`$", what)
            if not said and what not in ("only checks the form.", "ends the recipe here."):
                raise SystemExit(f"not understood: {line}")
            instead = said.group(1) if said else "end" if what.startswith("ends") else None
            continue
        yield language, code, needs, instead
        needs, instead = None, None


def run_section(title, section, folder):
    """Runs a section; returns the numbers of blocks that ran, were checked only, and failed."""
    ran, checked = 0, 0
    for number, (language, code, needs, instead) in enumerate(blocks(section), 1):
        what = f"{title}, block {number}"
        script = folder / f"block{number}.{language}"
        script.write_text(code)
        if needs is None or installed(needs):
            if not execute(RUN[language] + [str(script)], folder, what):
                return ran, checked, 1
            ran += 1
            continue
        if not execute(CHECK[language] + [str(script)], folder, f"form of {what}"):
            return ran, checked, 1
        checked += 1
        print(f"not run: {what} (needs {needs})")
        if instead == "end":
            break
        if instead and "$SHARED" in instead and not os.environ.get("SHARED"):
            print(f"not run: the rest of {title} (needs DETENT_SHARED)")
            break
        if instead and not execute(["sh", "-euc", instead], folder, f"what stands for {what}"):
            return ran, checked, 1
    return ran, checked, 0


def main():
    root, program = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    os.environ["PATH"] = f"{program.parent}:{os.environ['PATH']}"
    sample = root / "datasets/samples/shapes_unet"
    os.environ["DETENT_SAMPLE"] = str(sample)
    shared = os.environ.get("DETENT_SHARED", "")
    if shared and Path(shared, "models").is_dir():
        os.environ["SHARED"] = str(Path(shared).resolve())
    ran, checked, failed = 0, 0, 0
    sections = re.split(r"^## (.*)\n", (root / "tests/examples/RECIPES.md").read_text(), flags=re.M)[1:]
    with tempfile.TemporaryDirectory() as work:
        for title, section in zip(sections[::2], sections[1::2]):
            folder = Path(work, title.replace(" ", "_"))
            folder.mkdir()
            counts = run_section(title, section, folder)
            ran, checked, failed = ran + counts[0], checked + counts[1], failed + counts[2]
        folder = Path(work, "agents")
        folder.mkdir()
        shutil.copy(sample / "model_opset13.onnx", folder / "model.onnx")
        shutil.copytree(sample / "calib", folder / "calib")
        shutil.copytree(sample / "eval/images", folder / "eval")
        commands = re.findall(r"^\| `(detent [^`]+)` \|.*\| (\d+) \|$", (root / "AGENTS.md").read_text(), re.M)
        for command, code in commands:
            failed += not execute(["sh", "-uc", command], folder, command, int(code))
    print(f"{ran} blocks ran, {checked} were checked only, {len(commands)} commands of AGENTS.md, {failed} failed")
    return 1 if failed or not ran or not commands else 0


sys.exit(main())
