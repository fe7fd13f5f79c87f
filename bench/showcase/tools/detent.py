"""detent.py JOB.json: Detent for one engine, with the job's words."""

import json
import os
import pathlib
import re
import subprocess
import sys

job = json.loads(pathlib.Path(sys.argv[1]).read_text())
words = [os.environ["DETENT"], "quantize", job["model"], f"--data={job['calib']}", "-o", job["out"],
         f"--threads={job['threads']}", "--accept-broken", "--overwrite", *job["words"]]
if re.search(r"vnni|amx_int8", pathlib.Path("/proc/cpuinfo").read_text()):
    words.append("--cpu=vnni")
# The ready latency commands run in the python3 of the PATH, which is to have the engine.
paths = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
done = subprocess.run([*words, "--json", f"{job['out']}.json"], capture_output=True, text=True, env={**os.environ, "PATH": paths})
if done.returncode not in (0, 1):
    sys.exit(done.stderr.strip() or done.stdout.strip())
report = json.loads(pathlib.Path(f"{job['out']}.json").read_text())
pathlib.Path(f"{job['out']}.json").unlink()
coverage = report["coverage"]
print(json.dumps({"settings": " ".join([*words[8:]]), "verdict": report["verdict"],
                  "int8_layers": f"{coverage['int8_layers']} of {coverage['layers']}"}))
