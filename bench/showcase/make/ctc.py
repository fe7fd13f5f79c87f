"""ctc.py FOLDER: trains a small speech recognizer on speech of espeak-ng, and writes FOLDER/ctc.onnx, FOLDER/tokens.txt, and
the clips FOLDER/calib and FOLDER/test with their texts. Strided convolutions over 80 filter banks, blocks of convolution,
attention and MLP, CTC over letters. Texts are orders of a small grammar (texts.py). None that is tested was trained or
calibrated with, and a third of the tested voices is spoken in the test only.

Needs torch, onnx, espeak-ng and DETENT, whose `fbank` makes the features. Training takes 3 minutes of a core
that multiplies bfloat16. It begins with seed 0 and draws by the number of the epoch alone, so FOLDER/checkpoint.pt resumes
it with the same result."""

import os
import pathlib
import random
import subprocess
import sys
import time

import numpy
import onnx
import torch
from torch.nn import functional

HERE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE))
import speech  # noqa: E402
import texts  # noqa: E402

DETENT = os.environ.get("DETENT") or str(HERE.parents[1] / "build/release/detent")
TOKENS = ["<pad>", "|", *"abcdefghijklmnopqrstuvwxyz"]
PARTS = {"calib": 260, "train": 3600, "test": 800}  # orders, in this sequence
FIRST_SEED = 199740  # of the first clip
EPOCHS, BLOCKS, WIDTH, HEADS, BATCH, RATE = 6, 3, 160, 4, 16, 1.5e-3
VOICES = [*speech.VOICES, "en-us+f1", "en-gb+m1", "en-us+m5", "en-gb-x-rp"]
NEW_VOICES = ["en-us+f3", "en-gb+m4", "en-gb-x-gbclan", "en-gb-scotland+m2", "en-us+m6", "en-gb+f4"]


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
    """Convolution over time, attention and MLP, each with its norm in front and added to its input. [n, time, WIDTH]."""

    def __init__(self, kernel=15, dropout=.05):
        super().__init__()
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(WIDTH) for _ in range(3))
        self.inner = torch.nn.Sequential(
            torch.nn.Conv1d(WIDTH, WIDTH, kernel, padding=kernel // 2, groups=WIDTH), torch.nn.BatchNorm1d(WIDTH),
            torch.nn.ReLU(), torch.nn.Conv1d(WIDTH, WIDTH, 1))
        self.query, self.key, self.value, self.joined = (torch.nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.mlp = torch.nn.Sequential(torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.ReLU(),
                                       torch.nn.Linear(4 * WIDTH, WIDTH))
        self.dropout = torch.nn.Dropout(dropout)

    def attention(self, x):
        query, key, value = (part(x).reshape(x.shape[0], -1, HEADS, WIDTH // HEADS).transpose(1, 2)
                             for part in (self.query, self.key, self.value))
        shares = (query @ key.transpose(2, 3) * (WIDTH // HEADS) ** -.5).softmax(-1)
        return self.joined((shares @ value).transpose(1, 2).reshape(x.shape[0], -1, WIDTH))

    def forward(self, x):
        x = x + self.dropout(self.inner(self.norms[0](x).transpose(1, 2)).transpose(1, 2))
        x = x + self.dropout(self.attention(self.norms[1](x)))
        return x + self.dropout(self.mlp(self.norms[2](x)))


class Recognizer(torch.nn.Module):
    """[batch, time, 80] -> logits [batch, time / 4, 28]."""

    def __init__(self, mean, deviation):
        super().__init__()
        self.register_buffer("mean", mean.reshape(1, -1, 1))
        self.register_buffer("inverse", 1 / deviation.reshape(1, -1, 1))
        self.strided = torch.nn.Sequential(
            torch.nn.Conv1d(80, WIDTH, 5, 2, 2), torch.nn.BatchNorm1d(WIDTH), torch.nn.ReLU(),
            torch.nn.Conv1d(WIDTH, WIDTH, 5, 2, 2), torch.nn.BatchNorm1d(WIDTH), torch.nn.ReLU())
        self.blocks = torch.nn.Sequential(*[Block() for _ in range(BLOCKS)], torch.nn.LayerNorm(WIDTH),
                                          torch.nn.Linear(WIDTH, len(TOKENS)))

    def forward(self, x):
        return self.blocks(self.strided((x.transpose(1, 2) - self.mean) * self.inverse).transpose(1, 2))


def batch_of(clips, mean):
    length = max(len(clip) for clip in clips)
    return torch.stack([torch.cat([clip, mean.expand(length - len(clip), 80)]) for clip in clips])


def hidden(x, mean, draw):
    """Bands and frames are hidden, so that no single one decides."""
    for _ in range(2):
        band, frame = draw.randrange(70), draw.randrange(max(1, x.shape[1] - 20))
        x[:, :, band:band + draw.randint(0, 10)] = mean[band:band + 1]
        x[:, frame:frame + draw.randint(0, 20)] = mean
    return x


def train(clips, spoken, checkpoint):
    targets = [torch.tensor([TOKENS.index("|" if letter == " " else letter) for letter in text]) for text in spoken]
    everything = torch.cat(clips[::8])
    mean, deviation = everything.mean(0), everything.std(0)
    model, loss_of = Recognizer(mean, deviation), torch.nn.CTCLoss(zero_infinity=True)
    optimizer = torch.optim.AdamW(model.parameters(), RATE, weight_decay=1e-2)
    first = 0
    if checkpoint.exists():
        kept = torch.load(checkpoint)
        first = kept["epoch"]
        model.load_state_dict(kept["model"])
        optimizer.load_state_dict(kept["optimizer"])
    for epoch in range(first, EPOCHS):
        begun, total, draw = time.process_time(), 0.0, random.Random(epoch)
        torch.manual_seed(epoch)
        order = sorted(range(len(clips)), key=lambda i: len(clips[i]) + 40 * draw.random())
        batches = [order[i:i + BATCH] for i in range(0, len(order), BATCH)]
        draw.shuffle(batches)
        for number, chosen in enumerate(batches):
            passed = epoch + number / len(batches)  # the rate falls to 0.6 of it, and in the last two epochs to nothing
            for group in optimizer.param_groups:
                group["lr"] = RATE * min(1, 2 * passed + .02) * max(.01, min(1 - passed / 10, .3 * (EPOCHS - passed)))
            x = hidden(batch_of([clips[i] for i in chosen], mean), mean, draw)
            with torch.autocast("cpu", torch.bfloat16):
                scores = model(x)
            scores = scores.float().log_softmax(-1).transpose(0, 1)
            loss = loss_of(scores, torch.cat([targets[i] for i in chosen]),
                           torch.tensor([(len(clips[i]) + 3) // 4 for i in chosen]),
                           torch.tensor([len(targets[i]) for i in chosen]))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.item()
        part = checkpoint.with_suffix(".part")
        torch.save({"epoch": epoch + 1, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, part)
        part.rename(checkpoint)
        print(f"epoch {epoch + 1} of {EPOCHS}: loss {total / len(batches):.3f}, {time.process_time() - begun:.0f} s of CPU",
              flush=True)
    return model.eval()


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.manual_seed(0)
    torch.set_num_threads(1)
    spoken, orders, start = {}, texts.orders(sum(PARTS.values()), 1), 0
    for name, count in PARTS.items():
        spoken[name] = orders[start:start + count]
        speech.write_clips(folder / name, spoken[name], FIRST_SEED + start, VOICES + (NEW_VOICES if name == "test" else []))
        start += count
    clips = features(folder / "train", folder / "features")
    model = train(clips, spoken["train"], folder / "checkpoint.pt")
    torch.onnx.export(model, (clips[0][None],), folder / "part.onnx", input_names=["x"], output_names=["logits"],
                      dynamic_axes={"x": {0: "n", 1: "t"}, "logits": {0: "n", 1: "s"}}, opset_version=17, dynamo=False)
    (folder / "tokens.txt").write_text("\n".join(TOKENS) + "\n")
    (folder / "part.onnx").rename(folder / "ctc.onnx")


if __name__ == "__main__":
    main()
