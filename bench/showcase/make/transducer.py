"""transducer.py FOLDER CTC.onnx [tdt]: trains a transducer on the clips of ctc.py, beside CTC.onnx, and writes FOLDER/encoder.onnx,
predictor.onnx, joiner.onnx and tokens.txt; with tdt one that also says how many frames to go on.

The encoder is that of ctc.py without its last layer, and begins with its weights. The predictor is an LSTM over the letters
so far, the joiner adds both and has one more layer. Needs the environment of ctc.py. An epoch takes a minute of a core that
multiplies bfloat16, and is the same in each run."""

import pathlib
import random
import shutil
import sys
import time

import ctc
import torch
from torch.nn import functional

DURATIONS = [0, 1, 2, 3, 4]
EPOCHS, JOINED, STATE, BATCH, RATE = 3, 128, 128, 16, 1e-3
BLANK = ctc.TOKENS.index("<pad>")
NEVER = -1e9  # the logarithm of no chance, without NaN in differences


class Encoder(torch.nn.Module):
    """[n, time, 80] -> [n, time / 4, JOINED]."""

    def __init__(self, mean, deviation):
        super().__init__()
        self.recognizer = ctc.Recognizer(mean, deviation)
        self.recognizer.blocks[-1] = torch.nn.Linear(ctc.WIDTH, JOINED)

    def forward(self, x):
        return self.recognizer(x)


class Predictor(torch.nn.Module):
    """Letters [n, u] and its state -> [n, u, JOINED] and the state behind them. The first letter is the blank."""

    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(len(ctc.TOKENS), STATE)
        self.cells = torch.nn.LSTM(STATE, STATE, batch_first=True)
        self.joined = torch.nn.Linear(STATE, JOINED)

    def forward(self, ids, h, c):
        x, (h, c) = self.cells(self.table(ids), (h, c))
        return self.joined(x), h, c


class Joiner(torch.nn.Module):
    """A frame and what the predictor says -> scores of letters, and of durations behind them."""

    def __init__(self, durations):
        super().__init__()
        self.scores = torch.nn.Linear(JOINED, len(ctc.TOKENS) + durations)

    def forward(self, frame, told):
        return self.scores(torch.relu(frame + told))


def skewed(x):
    """Returns y[b, n, u] = x[b, n - u, u], NEVER outside: what happens side by side in the lattice lies in one row."""
    batch, time_, letters = x.shape
    rows = torch.arange(time_ + letters)[:, None] - torch.arange(letters)[None, :]
    inside = (rows >= 0) & (rows < time_)
    picked = x.gather(1, rows.clamp(0, time_ - 1)[None].expand(batch, -1, -1))
    return torch.where(inside[None], picked, torch.full_like(picked, NEVER))


def loss_of(scores, targets, frames, letters, durations):
    """The negative logarithm of the chance of the texts, all ways through the lattice together; the mean over letters.
    scores [b, t, u + 1, classes]. Without durations a blank takes one frame, and a letter none."""
    classes = len(ctc.TOKENS)
    told = scores[..., :classes].log_softmax(-1)
    blank = told[..., BLANK]
    padded = functional.pad(targets, (0, 1))[:, None, :, None].expand(-1, told.shape[1], -1, 1)
    letter = told.gather(3, padded)[..., 0]
    if durations:
        lasting = scores[..., classes:].log_softmax(-1)
        blanks = [(frames_, blank + lasting[..., i]) for i, frames_ in enumerate(durations) if frames_ > 0]
        told_letters = [(frames_, letter + lasting[..., i]) for i, frames_ in enumerate(durations)]
    else:
        blanks, told_letters = [(1, blank)], [(0, letter)]
    moment = torch.arange(told.shape[1])[None, :, None]
    place = torch.arange(told.shape[2])[None, None, :]
    last_frame, last_letter = frames[:, None, None], letters[:, None, None]

    def allowed(x, ends, only_letters):
        inside = (moment < last_frame) & (place <= last_letter) & ends
        if only_letters:
            inside = inside & (place < last_letter)
        return skewed(torch.where(inside, x, torch.full_like(x, NEVER)))

    # A blank may lead behind the last frame, a letter not.
    blanks = [(d, allowed(x, moment + d <= last_frame, False)) for d, x in blanks]
    told_letters = [(d, allowed(x, moment + d < last_frame, True)) for d, x in told_letters]
    width = told.shape[2]
    start = torch.full((len(scores), width), NEVER)
    start[:, 0] = 0
    never = torch.full((len(scores), width), NEVER)
    alphas = [start]
    for n in range(1, told.shape[1] + width + 1):
        ways = [alphas[n - d] + x[:, n - d] for d, x in blanks if 0 <= n - d < x.shape[1]]
        for d, x in told_letters:
            if 0 <= n - 1 - d < x.shape[1]:
                moved = alphas[n - 1 - d] + x[:, n - 1 - d]
                ways.append(functional.pad(moved, (1, 0), value=NEVER)[:, :-1])
        alphas.append(torch.stack(ways).logsumexp(0).clamp_min(NEVER) if ways else never)
    ends = torch.stack(alphas, 1)[torch.arange(len(scores)), frames + letters, letters]
    return -(ends / letters.clamp_min(1)).mean()


def train(clips, spoken, kept, durations):
    targets = [torch.tensor([ctc.TOKENS.index("|" if letter == " " else letter) for letter in text]) for text in spoken]
    everything = torch.cat(clips[::8])
    mean, deviation = everything.mean(0), everything.std(0)
    encoder, predictor, joiner = Encoder(mean, deviation), Predictor(), Joiner(len(durations))
    known = {name: value for name, value in kept.items() if encoder.recognizer.state_dict()[name].shape == value.shape}
    encoder.recognizer.load_state_dict(known, strict=False)
    parts = torch.nn.ModuleList([encoder, predictor, joiner])
    optimizer = torch.optim.AdamW(parts.parameters(), RATE, weight_decay=1e-2)
    for epoch in range(EPOCHS):
        begun, total, draw = time.process_time(), 0.0, random.Random(epoch)
        torch.manual_seed(epoch)
        order = sorted(range(len(clips)), key=lambda i: len(clips[i]) + 40 * draw.random())
        batches = [order[i:i + BATCH] for i in range(0, len(order), BATCH)]
        draw.shuffle(batches)
        for number, chosen in enumerate(batches):
            passed = epoch + number / len(batches)
            for group in optimizer.param_groups:
                group["lr"] = RATE * min(1, 4 * passed + .02) * max(.01, 1 - passed / EPOCHS)
            texts = [targets[i] for i in chosen]
            letters = torch.tensor([len(text) for text in texts])
            frames = torch.tensor([(len(clips[i]) + 3) // 4 for i in chosen])
            ids = torch.nn.utils.rnn.pad_sequence(texts, batch_first=True)
            x = ctc.hidden(ctc.batch_of([clips[i] for i in chosen], mean), mean, draw)
            with torch.autocast("cpu", torch.bfloat16):
                frame = encoder(x)
                state = torch.zeros(1, len(chosen), STATE)
                told, _, _ = predictor(functional.pad(ids, (1, 0), value=BLANK), state, state)
                scores = joiner(frame[:, :, None], told[:, None])
            loss = loss_of(scores.float(), ids, frames.clamp_max(scores.shape[1]), letters, durations)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parts.parameters(), 1.0)
            optimizer.step()
            total += loss.item()
            if number % 50 == 0:
                print(f"epoch {epoch + 1}, batch {number} of {len(batches)}: loss {total / (number + 1):.3f}, "
                      f"{time.process_time() - begun:.0f} s of CPU", flush=True)
        print(f"epoch {epoch + 1} of {EPOCHS}: loss {total / len(batches):.3f}", flush=True)
    return [part.eval() for part in (encoder, predictor, joiner)]


def main():
    folder, beside = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).parent
    durations = DURATIONS if "tdt" in sys.argv[3:] else []
    torch.manual_seed(0)
    torch.set_num_threads(1)
    spoken = [line.split(",", 1)[1] for line in (beside / "train.csv").read_text().splitlines()[1:]]
    clips = ctc.features(beside / "train", beside / "features")
    kept = torch.load(beside / "checkpoint.pt")["model"]
    encoder, predictor, joiner = train(clips, spoken, kept, durations)
    state = torch.zeros(1, 1, STATE)
    frame = torch.zeros(1, 1, JOINED)
    folder.mkdir(parents=True, exist_ok=True)

    def export(part, inputs, file, names, outputs, axes):
        torch.onnx.export(part, inputs, folder / file, input_names=names, output_names=outputs, dynamic_axes=axes,
                          opset_version=17, dynamo=False)

    export(encoder, (clips[0][None],), "encoder.onnx", ["x"], ["memory"], {"x": {0: "n", 1: "t"}, "memory": {0: "n", 1: "s"}})
    one = {0: "n"}
    export(predictor, (torch.zeros(1, 1, dtype=torch.int64), state, state), "predictor.onnx", ["ids", "h", "c"],
           ["told", "h_next", "c_next"], {"ids": one, "told": one, **{name: {1: "n"} for name in ("h", "c", "h_next", "c_next")}})
    export(joiner, (frame, frame), "joiner.onnx", ["frame", "told"], ["scores"], {"frame": one, "told": one, "scores": one})
    shutil.copy(beside / "tokens.txt", folder / "tokens.txt")


if __name__ == "__main__":
    main()
