"""vocoder.py FOLDER CTC.onnx: trains a small vocoder on the clips of ctc.py, beside CTC.onnx, and writes FOLDER/vocoder.onnx.
It hears 80 filter banks of a frame, the ones of the recognizer, and writes the 160 samples in the middle of that frame.

The generator is that of HiFi-GAN (Kong et al. 2020, arXiv:2010.05646) in small: deconvolutions of stride 4, each
followed by dilated residual convolutions, and one of stride 10 that writes samples. There is no discriminator: the loss is the multi-resolution STFT loss of Parallel
WaveGAN (Yamamoto et al. 2020, arXiv:1910.11480), spectral convergence and the distance of the logarithms. Voices buzz, but
words are heard. Needs the environment of ctc.py; takes a CUDA device if there is one. FOLDER/checkpoint.pt resumes it."""

import pathlib
import random
import sys
import time
import wave

import ctc
import numpy
import torch
from torch.nn import functional

HOP, WINDOW = 160, 400
STRIDES, WIDTHS, DILATIONS = [4, 4], [160, 128, 64], [1, 3, 9]
LAST = 10  # stride of the last deconvolution, which writes samples
STEPS, BATCH, FRAMES, RATE = 700, 8, 48, 2e-3
# FFT, hop and window of the loss, as the paper has them.
RESOLUTIONS = [(1024, 120, 600), (2048, 240, 1200), (512, 50, 240)]
QUIETEST = 1e-3  # magnitudes below it are silence


class Residual(torch.nn.Module):
    """A dilated convolution and one of kernel 1, added to the input."""

    def __init__(self, width, dilation):
        super().__init__()
        self.inner = torch.nn.Sequential(
            torch.nn.LeakyReLU(.1), torch.nn.Conv1d(width, width, 3, padding=dilation, dilation=dilation),
            torch.nn.LeakyReLU(.1), torch.nn.Conv1d(width, width, 1))

    def forward(self, x):
        return x + self.inner(x)


class Deconvolution(torch.nn.ConvTranspose1d):
    """In training a product and a sum of shifted parts, which is ten times as fast on a CPU. Kernels are whole strides."""

    def forward(self, x):
        if not self.training:
            return super().forward(x)
        stride, parts = self.stride[0], self.kernel_size[0] // self.stride[0]
        products = self.weight.flatten(1).t() @ x  # [n, channels * kernel, time]
        shifted = products.unflatten(1, (self.out_channels, parts, stride)).unbind(2)
        whole = sum(functional.pad(one, (i, parts - 1 - i)) for i, one in enumerate(shifted)).transpose(2, 3).flatten(2)
        cut = self.padding[0]
        return whole[..., cut:whole.shape[2] - cut] + self.bias[:, None]


class Vocoder(torch.nn.Module):
    """[n, time, 80] -> samples [n, 160 time]."""

    def __init__(self, mean, deviation):
        super().__init__()
        self.register_buffer("mean", mean.reshape(1, -1, 1))
        self.register_buffer("inverse", 1 / deviation.reshape(1, -1, 1))
        layers = [torch.nn.Conv1d(80, WIDTHS[0], 7, padding=3), *[Residual(WIDTHS[0], dilation) for dilation in DILATIONS]]
        for stride, wide, narrow in zip(STRIDES, WIDTHS, WIDTHS[1:]):
            layers += [torch.nn.LeakyReLU(.1), Deconvolution(wide, narrow, 2 * stride, stride, stride // 2),
                       *[Residual(narrow, dilation) for dilation in DILATIONS]]
        self.layers = torch.nn.Sequential(*layers, torch.nn.LeakyReLU(.1),
                                          Deconvolution(WIDTHS[-1], 1, 4 * LAST, LAST, 3 * LAST // 2))

    def forward(self, x):
        return self.layers((x.transpose(1, 2) - self.mean) * self.inverse).squeeze(1).tanh()


def magnitude(samples, size, hop, window):
    shape = torch.hann_window(window, device=samples.device)
    return torch.stft(samples, size, hop, window, shape, return_complex=True).abs().clamp_min(QUIETEST)


def loss_of(told, spoken):
    total = 0
    for resolution in RESOLUTIONS:
        ours, truth = magnitude(told, *resolution), magnitude(spoken, *resolution)
        total = total + (truth - ours).norm() / truth.norm() + functional.l1_loss(ours.log(), truth.log())
    return total / len(RESOLUTIONS)


def samples_of(path, frames):
    """Returns the samples in the middle of the frames. Frames begin every HOP samples, and none is beyond the end."""
    with wave.open(str(path)) as file:
        samples = numpy.frombuffer(file.readframes(file.getnframes()), "<i2")
    start = (WINDOW - HOP) // 2
    return torch.from_numpy(samples[start:start + HOP * frames].copy())


def train(clips, waves, checkpoint):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    everything = torch.cat(clips[::8])
    model = Vocoder(everything.mean(0), everything.std(0)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), RATE, betas=(.8, .99), weight_decay=1e-2)
    first, begun, total = 0, time.time(), []
    if checkpoint.exists():
        kept = torch.load(checkpoint)
        first = kept["step"]
        model.load_state_dict(kept["model"])
        optimizer.load_state_dict(kept["optimizer"])
    for step in range(first, STEPS):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, step / 50 + .02) * max(.01, 1 - (step / STEPS) ** 2)
        draw, bands, spoken = random.Random(step), [], []
        for i in draw.sample(range(len(clips)), BATCH):
            at = draw.randrange(len(clips[i]) - FRAMES)
            bands.append(clips[i][at:at + FRAMES])
            spoken.append(waves[i][HOP * at:HOP * (at + FRAMES)])
        with torch.autocast(device, torch.bfloat16):
            told = model(torch.stack(bands).to(device))
        loss = loss_of(told.float(), torch.stack(spoken).to(device) / 32768)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total.append(loss.item())
        if (step + 1) % 100 == 0 or step + 1 == STEPS:
            torch.save({"step": step + 1, "model": model.state_dict(), "optimizer": optimizer.state_dict()},
                       checkpoint.with_suffix(".part"))
            checkpoint.with_suffix(".part").rename(checkpoint)
            print(f"step {step + 1} of {STEPS}: loss {sum(total[-100:]) / len(total[-100:]):.3f}, {time.time() - begun:.0f} s",
                  flush=True)
    return model.cpu().eval()


def main():
    folder, beside = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).parent
    torch.manual_seed(0)
    torch.set_num_threads(1)
    folder.mkdir(parents=True, exist_ok=True)
    clips = ctc.features(beside / "train", beside / "features")
    waves = [samples_of(path, len(clip)) for path, clip in zip(sorted((beside / "train").glob("*.wav")), clips)]
    long = [i for i, clip in enumerate(clips) if len(clip) > FRAMES]
    model = train([clips[i] for i in long], [waves[i] for i in long], folder / "checkpoint.pt")
    torch.onnx.export(model, (clips[0][None],), folder / "part.onnx", input_names=["x"], output_names=["wave"],
                      dynamic_axes={"x": {0: "n", 1: "t"}, "wave": {0: "n", 1: "s"}}, opset_version=17, dynamo=False)
    (folder / "part.onnx").rename(folder / "vocoder.onnx")


if __name__ == "__main__":
    main()
