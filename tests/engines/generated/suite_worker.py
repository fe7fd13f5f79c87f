"""suite_worker.py ENGINE

Judges generated networks in one engine, in a process that may crash or hang: reads a job as a JSON line (float, path,
feeds, layers, claims), writes a line with what it found."""

import importlib
import json
import os
import pathlib
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent))

import measures
import numpy
import reference
from worker import message_of


class Float:
    """The float model in the engine, which is run only if something fails: the error may be the engine's."""

    def __init__(self, engine, job, feeds, truth):
        self.failed, self.noises = "", [0.0] * len(truth[0])
        try:
            outputs, _, left = engine.run(job["float"], feeds, [])
        except Exception as error:  # noqa: BLE001: any failure is the finding
            self.failed = message_of(error)
            return
        if any(part[i].shape != want[i].shape for part, want in zip(outputs, truth) for i in range(len(want))):
            self.failed = "has other shapes"
            return
        self.noises = [measures.noise_of([part[i] for part in truth], [part[i] for part in outputs])
                       for i in range(len(truth[0]))]
        bad = [measures.check_claim(None, [part[i] for part in truth], [part[i] for part in outputs])
               for i in range(len(truth[0]))]
        self.failed = "; ".join(f"{db:.1f} dB" for db, said in bad if said)
        self.left = left


def check_outputs(job, names, truth, outputs, noises):
    """Returns (dB of each output in the engine, {check: what fails})."""
    values, failed = {}, {}
    for index, name in enumerate(names):
        want, got = [part[index] for part in truth], [part[index] for part in outputs]
        if any(a.shape != b.shape or a.dtype != b.dtype for a, b in zip(want, got)):
            is_now, was = (f"{part[0].dtype}{list(part[0].shape)}" for part in (got, want))
            failed["shapes"] = f"{name}: {is_now} instead of {was}"
        elif name in job["claims"]:
            values[name], said = measures.check_claim(job["claims"][name], want, got, noises[index])
            if said:
                failed["claim"] = f"{name}: {said}"
    return values, failed


def judge(engine_name, job):
    """Returns {failed, values, share}."""
    engine = importlib.import_module(f"{engine_name}_engine")
    with numpy.load(job["feeds"]) as stacked:
        feeds = [{key: array[i:i + 1] for key, array in stacked.items()} for i in range(len(stacked[stacked.files[0]]))]
    names, truth = reference.run_all(job["float"], feeds)
    nothing = [0.0] * len(names)
    found = {"failed": {}, "values": {}, "share": None}
    try:
        outputs, ran, left = engine.run(job["path"], feeds, job["layers"])
    except Exception as error:  # noqa: BLE001
        said = Float(engine, job, feeds, truth).failed
        found["failed"] = {"float": said} if said else {"loads": message_of(error)}
        return found
    found["values"], found["failed"] = check_outputs(job, names, truth, outputs, nothing)
    if found["failed"]:
        as_float = Float(engine, job, feeds, truth)
        found["values"], found["failed"] = check_outputs(job, names, truth, outputs, as_float.noises)
        if as_float.failed:
            found["failed"]["float"] = as_float.failed
    if engine_name == "onnxruntime":
        _, simulated = reference.run_all(job["path"], feeds)
        _, more = check_outputs(job, names, truth, simulated, nothing)
        found["failed"] |= {f"{check} unoptimized": said for check, said in more.items()}
    found["share"], more = measures.check_layers(job["layers"], set(ran))
    found["failed"] |= more
    if left:
        found["failed"]["whole"] = "left to the CPU: " + ", ".join(left)
    return found


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # engines print
    for line in sys.stdin:
        try:
            found = judge(sys.argv[1], json.loads(line))
        except Exception as error:  # noqa: BLE001
            found = {"failed": {"reference": message_of(error)}, "values": {}, "share": None}
        answers.write(json.dumps(found) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
