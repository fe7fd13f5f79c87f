"""Does `detent inspect --data` tell right preprocessing from wrong?

    bench/input_check.py [NETWORK...]

Every network of the shared folder that takes pictures is looked at with its own preprocessing and with three wrong ones:
colours exchanged, pixels on another scale, and both. Prints a row each and the sums. DETENT and DETENT_SHARED as in the
tests."""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
DETENT = os.environ.get("DETENT", str(ROOT / "build/release/detent"))
SHARED = pathlib.Path(os.environ.get("DETENT_SHARED", ROOT.parent / "shared"))
CIFAR = "mean=.4914/.4822/.4465,std=.2470/.2435/.2616"
IMAGENET = "mean=.485/.456/.406,std=.229/.224/.225"
RAW, UNIT = "div=1,mean=0,std=1", "div=255,mean=0,std=1"

# Network: model, data, what stays, colour, numbers, another scale.
NETWORKS = {
    "mobilenetv2": ("models/imagenet_mobilenetv2/model_opset12.onnx", "images/imagenet/calib", "resize=256,crop=224", "rgb",
                    f"div=255,{IMAGENET}", UNIT),
    "squeezenet": ("models/imagenet_squeezenet1.1/model_opset12.onnx", "images/imagenet/calib", "resize=256,crop=224", "rgb",
                   f"div=255,{IMAGENET}", RAW),
    "resnet18": ("models/cifar10_resnet18/model_opset17.onnx", "images/cifar10/calib", "", "rgb", f"div=255,{CIFAR}", UNIT),
    "efficientnet_b0": ("models/cifar10_efficientnet_b0/model_opset17.onnx", "images/cifar10/calib", "resize=64x64", "rgb",
                        f"div=255,{CIFAR}", UNIT),
    "unet": ("models/shapes_unet/model_opset13.onnx", "models/shapes_unet/calib", "", "rgb", f"div=255,{IMAGENET}", RAW),
    "yolox_nano": ("models/coco_yolox_nano/model_opset11.onnx", "images/coco", "letterbox=model:114:topleft", "bgr", RAW, UNIT),
    "bccd_dfl": ("models/bccd_dfl/model_opset17.onnx", "images/bccd/calib", "", "rgb", UNIT, RAW),
    "bccd_nmsfree": ("models/bccd_nmsfree/model_opset17.onnx", "images/bccd/calib", "", "rgb", UNIT, RAW),
    "rfb320": ("models/face_rfb320/model_opset9.onnx", "images/faces", "", "rgb", "div=1,mean=127,std=128", RAW),
}


def look(model, data, *pairs):
    """Returns the input_check of a preprocessing."""
    spec = ",".join(pair for pair in pairs if pair)
    command = [DETENT, "inspect", str(SHARED / model), "--data", str(SHARED / data), "--preprocess", spec, "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {"verdict": "refused", "reasons": [done.stderr.strip()]}
    return json.loads(done.stdout)["input_check"]


def main():
    right = wrong = found = alarms = 0
    for name, (model, data, kept, colour, numbers, scale) in NETWORKS.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        other = "bgr" if colour == "rgb" else "rgb"
        cases = {"right": (kept, f"color={colour}", numbers), "colours": (kept, f"color={other}", numbers),
                 "scale": (kept, f"color={colour}", scale), "both": (kept, f"color={other}", scale)}
        for case, pairs in cases.items():
            check = look(model, data, *pairs)
            print(f"| {name} | {case} | {check['verdict']} | {check['reasons'][0]} |", flush=True)
            flagged = check["verdict"] != "good"
            if case == "right":
                right, alarms = right + 1, alarms + flagged
            else:
                wrong, found = wrong + 1, found + flagged
    print(f"found {found} of {wrong} wrong ones; {alarms} false alarms on {right} right ones")


if __name__ == "__main__":
    main()
