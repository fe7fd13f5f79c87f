"""The networks and engines of bench/latency_regret.py and bench/latency_table.py, and what both do: quantize, measure,
keep one JSON file for each network and engine."""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/engines"))
import models  # noqa: E402

DETENT = os.environ.get("DETENT") or str(ROOT / "build/release/detent")
IMAGES = models.SHARED / "images"
ENGINES = ["onnxruntime", "openvino"]
# The latency commands run in the environment of this Python, at whose side the engines are.
os.environ["PATH"] = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def classes(folder, limit):
    return [f"--eval={IMAGES / folder}/eval", f"--labels={IMAGES / folder}/eval.csv", f"--eval-limit={limit}"]


def beside(folder, *words):
    return [word.format(folder=models.SHARED / "models" / folder) for word in words]


# Name: (model in the shared folder, options of a score, options of the latency command). The search was developed on
# the first group only.
DEVELOPED_ON = {
    "bert_mini": ("exports/bert_mini/legacy_opset14", [], ""),
    "convnext_mini": ("exports/convnext_mini/legacy_opset17", [], ""),
    "mobilenetv3_small": ("exports/mobilenetv3_small/legacy_opset13", [], ""),
    "yolo_mini": ("exports/yolo_mini/legacy_opset12", [], ""),
    "unet": ("models/shapes_unet/model_opset13", beside("shapes_unet", "--eval={folder}/eval/images",
                                                        "--masks={folder}/eval/masks", "--eval-limit=48"), ""),
    "squeezenet": ("models/imagenet_squeezenet1.1/model_opset12", classes("imagenet", 200), ""),
    "vit_mini": ("exports/vit_mini/legacy_opset14", [], ""),
    "mobilenetv2": ("models/imagenet_mobilenetv2/model_opset12", classes("imagenet", 200), ""),
}
KEPT_ASIDE = {
    "resnet18": ("models/cifar10_resnet18/model_opset17", classes("cifar10", 500), ""),
    "efficientnet_b0": ("models/cifar10_efficientnet_b0/model_opset17", classes("cifar10", 500), ""),
    "chars_gpt": ("models/chars_gpt/model_opset17", beside("chars_gpt", "--eval={folder}/eval_ids.npy", "--next-token",
                                                           "--eval-limit=16"), ""),
    "bccd_dfl": ("models/bccd_dfl/model_opset17",
                 [f"--eval={IMAGES}/bccd/eval", f"--labels={IMAGES}/bccd/eval_coco.json"], ""),
    "yolox_nano": ("models/coco_yolox_nano/model_opset11", [], ""),
    "rfb320": ("models/face_rfb320/model_opset9", [], ""),
    "ppocrv3_det": ("models/text_ppocrv3_det/model_opset14", [], "--shape x=1,3,320,320"),
    "shufflenetv2": ("exports/shufflenetv2/legacy_opset12", [], ""),
    "fpn_mini": ("exports/fpn_mini/legacy_opset13", [], ""),
    "style_mini": ("exports/style_mini/legacy_opset11", [], ""),
    "occupancy3d": ("models/occupancy3d/model_opset13", [], ""),
    "pfld": ("zoo/pfld/model", [], ""),
    "jax_vit": ("zoo/jax_vit_fn/model", [], ""),
    "latentradio": ("zoo/latentradio_enc/model", [], ""),
}
NETWORKS = DEVELOPED_ON | KEPT_ASIDE


class Network:
    def __init__(self, name):
        place, self.score_words, self.command_words = NETWORKS[name]
        self.name, self.model = name, models.SHARED / f"{place}.onnx"
        stacks = {path.stem.removeprefix("calib__"): 0 for path in self.model.parent.glob("calib__*.npy")}
        self.words = [str(self.model), *models.Model(place, self.model).data(stacks)[0], "--limit=32"]

    def command(self, engine, options):
        """Returns what --latency-command takes."""
        return f"{engine} {options} {self.command_words}".strip()


def quantize(out, words):
    """Returns (report, seconds) of `detent quantize`; the report is None and the reason is printed if there is none."""
    report, begun = out.with_suffix(".json"), time.monotonic()
    report.unlink(missing_ok=True)
    done = subprocess.run([DETENT, "quantize", *words, "--quiet", "--overwrite", "--accept-broken", "-o", out, "--json",
                           report], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not report.exists():
        print(f"  detent exits {done.returncode}: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return None, time.monotonic() - begun
    return json.loads(report.read_text()), time.monotonic() - begun


def measure(command, file):
    """Returns the milliseconds of one call of a ready command, None if the engine does not take the file."""
    engine, *options = shlex.split(command)
    done = subprocess.run([ROOT / "scripts/latency" / engine, *options, file], capture_output=True, text=True,
                          check=False)
    if done.returncode > 1:
        sys.exit(f"{command} {file}: {done.stderr.strip()[-300:]}")
    return float(done.stdout.split()[-1]) if done.returncode == 0 else None


def decibels(report):
    """Returns dB at the worst output; infinite if it is exact, None if nothing was compared."""
    error = report.get("error")
    if not error:
        return None
    return float("inf") if error["sqnr_db"] is None else error["sqnr_db"]


def parser_of(text):
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("folder", type=pathlib.Path, help="holds the results, one file for each network and engine, which are kept")
    add("network", nargs="*", choices=[[], *NETWORKS], metavar="NETWORK", help=f"default: all of {', '.join(NETWORKS)}")
    add("--engine", choices=ENGINES, action="append", help="default: both")
    add("--options", default="", metavar="WORDS", help='of the latency command, such as "--clock cpu --threads 1"')
    add("--table", action="store_true", help="keep a table of latencies in the folder, and learn from it")
    return parser


def results(options, work):
    """Yields the result of each network and engine that was asked for: kept, or of work(network, engine, command)."""
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.network or NETWORKS:
        for engine in options.engine or ENGINES:
            file, network = options.folder / f"{name}.{engine}.json", Network(name)
            if not file.exists():
                if not network.model.exists():
                    print(f"  {name}: {network.model} is not there", file=sys.stderr)
                    continue
                print(f"  {name}, {engine} ...", file=sys.stderr, flush=True)
                found = work(network, engine, network.command(engine, options.options))
                if found is None:
                    continue
                part = file.with_suffix(".part")
                part.write_text(json.dumps({"network": name, "engine": engine, **found}, indent=1))
                part.rename(file)
            yield json.loads(file.read_text())


def search_words(network, engine, command, options):
    """Returns the words of `detent quantize` without and with the search."""
    plain = [*network.words, f"--target={engine}"]
    table = [f"--latency-table={options.folder / engine}.table.json"] if options.table else []
    return plain, [*plain, f"--latency-command={command}", *table]


def shown(ms):
    return "not taken" if ms is None else f"{ms:.3f}"
