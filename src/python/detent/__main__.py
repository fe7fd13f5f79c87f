"""Runs the command: python -m detent quantize model.onnx ..."""

import os
import shutil
import sys

# A wheel holds the program beside the module; a Debian package installs it for the system.
_beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "detent")
_program = _beside if os.path.isfile(_beside) else shutil.which("detent")
if not _program:
    sys.exit("detent: the command is not installed; the functions of the module are: help(detent)")
os.execv(_program, ["detent", *sys.argv[1:]])
