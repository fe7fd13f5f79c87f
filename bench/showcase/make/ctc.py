"""ctc.py FOLDER [TRAINING_CLIPS]: trains a small speech recognizer on speech of espeak-ng, and writes FOLDER/ctc.onnx,
FOLDER/tokens.txt, and the clips FOLDER/calib and FOLDER/test with their texts. Convolutions over 80 filter banks, CTC over
letters. Needs torch, onnx, espeak-ng and DETENT, whose `fbank` makes the features. Training takes 4 minutes of CPU time."""

import os
import pathlib
import subprocess
import sys
import time

import numpy
import onnx
import torch

HERE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE))
import speech  # noqa: E402
import texts  # noqa: E402

DETENT = os.environ.get("DETENT") or str(HERE.parents[1] / "build/release/detent")
TOKENS = ["<pad>", "|", *"abcdefghijklmnopqrstuvwxyz"]
CALIBRATION, TEST, MINUTES, WIDTH = 100, 200, 4, 160


def features(clips, folder):
    """Returns [clips] of [time, 80], as Detent makes them."""
    if not folder.exists():
        value = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n", "t", 80]) for name in "xy"]
        graph = onnx.helper.make_graph([onnx.helper.make_node("Identity", ["x"], ["y"])], "copy", value[:1], value[1:])
        copy = folder.with_suffix(".onnx")
        onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8), copy)
        subprocess.run([DETENT, "run", copy, "-o", folder, f"--data={clips}", "--preprocess=fbank", "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
    return [torch.from_numpy(numpy.load(path))[0] for path in sorted(folder.glob("y/*.npy"))]


class Block(torch.nn.Module):
    def __init__(self, kernel):
        super().__init__()
        self.inner = torch.nn.Sequential(
            torch.nn.Conv1d(WIDTH, WIDTH, kernel, padding=kernel // 2, groups=WIDTH), torch.nn.Conv1d(WIDTH, WIDTH, 1),
            torch.nn.BatchNorm1d(WIDTH), torch.nn.ReLU())

    def forward(self, x):
        return x + self.inner(x)


class Recognizer(torch.nn.Module):
    """[batch, time, 80] -> logits [batch, time / 4, 28]."""

    def __init__(self, mean, deviation):
        super().__init__()
        self.register_buffer("mean", mean.reshape(1, -1, 1))
        self.register_buffer("inverse", 1 / deviation.reshape(1, -1, 1))
        norm, relu = lambda: torch.nn.BatchNorm1d(WIDTH), torch.nn.ReLU
        self.layers = torch.nn.Sequential(
            torch.nn.Conv1d(80, WIDTH, 5, 2, 2), norm(), relu(), torch.nn.Conv1d(WIDTH, WIDTH, 5, 2, 2), norm(), relu(),
            *[Block(kernel) for kernel in (11, 13, 15, 17, 19)],
            torch.nn.Conv1d(WIDTH, WIDTH, 1), norm(), relu(), torch.nn.Conv1d(WIDTH, len(TOKENS), 1))

    def forward(self, x):
        return self.layers((x.transpose(1, 2) - self.mean) * self.inverse).transpose(1, 2)


def batch_of(clips, mean):
    length = max(len(clip) for clip in clips)
    return torch.stack([torch.cat([clip, mean.expand(length - len(clip), 80)]) for clip in clips])


def train(clips, spoken):
    targets = [torch.tensor([TOKENS.index("|" if letter == " " else letter) for letter in text]) for text in spoken]
    everything = torch.cat(clips)
    mean, deviation = everything.mean(0), everything.std(0)
    model, loss_of = Recognizer(mean, deviation), torch.nn.CTCLoss(zero_infinity=True)
    optimizer = torch.optim.Adam(model.parameters(), 2e-3)
    begun, epoch = time.process_time(), 0
    share = 0.0
    while share < 1:
        total, order = 0.0, sorted(range(len(clips)), key=lambda i: len(clips[i]) + 40 * torch.rand(()).item())
        batches = [order[i:i + 16] for i in range(0, len(order), 16)]
        for number in torch.randperm(len(batches)).tolist():
            chosen = batches[number]
            share = (time.process_time() - begun) / (60 * MINUTES)
            for group in optimizer.param_groups:
                group["lr"] = 2e-3 * min(1, 50 * share + .05) * max(.01, 1 - share)
            x = batch_of([clips[i] for i in chosen], mean)
            band = int(torch.randint(0, 70, ()))  # bands and frames are hidden, so that no single one decides
            frame = int(torch.randint(0, max(1, x.shape[1] - 20), ()))
            x[:, :, band:band + 8] = mean[band:band + 8]
            x[:, frame:frame + 15] = mean
            scores = model(x).log_softmax(-1).transpose(0, 1)
            loss = loss_of(scores, torch.cat([targets[i] for i in chosen]),
                           torch.tensor([(len(clips[i]) + 3) // 4 for i in chosen]),
                           torch.tensor([len(targets[i]) for i in chosen]))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.item()
        epoch += 1
        print(f"epoch {epoch}: loss {total / len(batches):.3f}, {time.process_time() - begun:.0f} s", flush=True)
    return model.eval()


def main():
    folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    torch.manual_seed(0)
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    phrases = texts.phrases()
    parts = {"test": phrases[:TEST], "calib": phrases[TEST:TEST + CALIBRATION],
             "train": phrases[TEST + CALIBRATION:TEST + CALIBRATION + count]}
    for seed, (name, spoken) in enumerate(parts.items()):
        speech.write_clips(folder / name, spoken, 100000 * seed)
    clips = features(folder / "train", folder / "features")
    model = train(clips, parts["train"])
    torch.onnx.export(model, (clips[0][None],), folder / "part.onnx", input_names=["x"], output_names=["logits"],
                      dynamic_axes={"x": {0: "n", 1: "t"}, "logits": {0: "n", 1: "s"}}, opset_version=17, dynamo=False)
    (folder / "tokens.txt").write_text("\n".join(TOKENS) + "\n")
    (folder / "part.onnx").rename(folder / "ctc.onnx")


main()
