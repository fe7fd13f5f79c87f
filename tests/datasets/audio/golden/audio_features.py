"""Features of 20 clips by openai-whisper and kaldi-native-fbank, for tests/datasets/audio/audio_features_test.cpp.

    python3 audio_features.py           writes audio_features.txt beside this file
    python3 audio_features.py --check   compares it with what the packages compute now; exit 1 where a number is off by 1e-4, 77 without the packages

Needs the packages numpy, kaldi-native-fbank and openai-whisper. The clips are made by integer arithmetic, which
audio_files.h repeats: triangles and noise of 20 bits.
"""
import math
import pathlib
import sys

try:
    import kaldi_native_fbank as knf
    import numpy as np
    import torch
    import whisper.audio
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(77)

# rate, channels, bits (f: floats of 32), milliseconds
CLIPS = [
    (8000, 1, "16", 700), (8000, 2, "24", 1300), (8000, 1, "f", 260), (11025, 1, "16", 950), (11025, 2, "32", 1700),
    (16000, 1, "16", 31500), (16000, 1, "16", 400), (16000, 2, "16", 2600), (16000, 1, "24", 1500), (16000, 2, "24", 90),
    (16000, 1, "32", 3300), (16000, 1, "f", 1100), (16000, 2, "f", 30700), (22050, 1, "16", 1250), (22050, 2, "f", 610),
    (32000, 1, "24", 800), (44100, 1, "16", 2100), (44100, 2, "24", 1050), (48000, 1, "f", 1900), (48000, 2, "32", 330),
]
PROBES = 40


def clip(number):
    """Returns the samples [channels, frames] as floats of 32 bits, and the rate."""
    rate, channels, bits, milliseconds = CLIPS[number]
    frames = rate * milliseconds // 1000
    result = np.zeros((channels, frames), np.float32)
    for channel in range(channels):
        state = 1000 * number + channel + 1
        step = ((300 + 70 * number + 40 * channel) << 20) // rate
        for i in range(frames):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            noise = (state >> 44) - (1 << 19)
            triangle = 2 * abs((i * step) % (1 << 20) - (1 << 19)) - (1 << 19)
            value = (triangle * (1 + i * 10 // rate % 4) + 2 * noise) >> 3
            result[channel, i] = (value >> 4) / 32768 if bits == "16" else value / (1 << 19)
    return result, rate


def resampled(samples, rate, to=16000):
    """The formula of datasets/audio/resample.h, in double."""
    if rate == to:
        return samples
    divisor = math.gcd(rate, to)
    old, new = rate // divisor, to // divisor
    base = min(old, new) * 0.99
    count = -(-len(samples) * new // old)
    result = np.zeros(count)
    reach = math.ceil(6 * old / base)
    offsets = np.arange(-reach - 1, reach + 2)
    for n in range(count):
        k = n * old // new + offsets
        k = k[(k >= 0) & (k < len(samples))]
        t = np.clip(base * (k / old - n / new), -6, 6)
        result[n] = np.sum(samples[k] * np.sinc(t) * np.cos(t * np.pi / 12) ** 2) * base / old
    return result.astype(np.float32)


def whisper_features(samples, rate, bins, padding):
    samples = torch.from_numpy(resampled(samples, rate))
    if padding:
        samples = whisper.audio.pad_or_trim(samples)
    return whisper.audio.log_mel_spectrogram(samples, n_mels=bins).numpy().T


def kaldi_features(samples, rate, bins, snip_edges):
    options = knf.FbankOptions()
    options.frame_opts.dither = 0
    options.frame_opts.samp_freq = rate
    options.frame_opts.snip_edges = snip_edges
    options.mel_opts.num_bins = bins
    fbank = knf.OnlineFbank(options)
    fbank.accept_waveform(rate, (samples * 32768).tolist())
    fbank.input_finished()
    return np.array([fbank.get_frame(i) for i in range(fbank.num_frames_ready)])


def rows():
    """Yields clip, preset, frames and the probes, value j at place j * 2654435761 modulo the size, time first."""
    for number in range(len(CLIPS)):
        samples, rate = clip(number)
        mono = samples.astype(np.float64).mean(0).astype(np.float32)
        tables = {
            "log-mel,seconds=clip": whisper_features(mono, rate, 80, False),
            f"fbank,rate={rate}": kaldi_features(mono, rate, 80, True),
        }
        if number % 5 == 0:
            tables["log-mel"] = whisper_features(mono, rate, 80, True)
        if number % 5 == 1:
            tables["log-mel,bins=128"] = whisper_features(mono, rate, 128, True)
            tables[f"fbank,rate={rate},bins=40,snip-edges=no"] = kaldi_features(mono, rate, 40, False)
        for preset, table in tables.items():
            flat = table.ravel()
            yield number, preset, len(table), [float(flat[j * 2654435761 % flat.size]) for j in range(PROBES)]


def main():
    path = pathlib.Path(__file__).with_suffix(".txt")
    lines = [f"{number} {preset} {frames} " + " ".join(f"{x:.6f}" for x in probes) for number, preset, frames, probes in rows()]
    if sys.argv[1:] != ["--check"]:
        path.write_text("\n".join(lines) + "\n")
        return 0
    stored = path.read_text().splitlines()
    worst = 0.0 if len(stored) == len(lines) else math.inf
    for new, old in zip(lines, stored):
        new, old = new.split(), old.split()
        same = new[:3] == old[:3]
        worst = max([worst] + [abs(float(a) - float(b)) for a, b in zip(new[3:], old[3:])]) if same else math.inf
    print(f"largest difference {worst:.2g}")
    return 0 if worst <= 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
