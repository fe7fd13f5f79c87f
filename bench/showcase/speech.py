"""Speech that espeak-ng speaks, with several voices, speeds and pitches, and with noise; and recorded speech."""

import csv
import gzip
import pathlib
import random
import re
import shutil
import struct
import subprocess
import wave

import numpy

import sources

RATE = 16000
VOICES = ["en-us", "en-gb", "en-gb-scotland", "en-us+f2", "en-us+f4", "en-gb+m3", "en-gb+f5", "en-us+m7"]


def speak(text, seed, voices=VOICES):
    """Returns 16 kHz samples from -1 to 1. The seed decides the voice and how loud the noise is (10 to 40 dB below)."""
    draw = random.Random(seed)
    words = ["-v", draw.choice(voices), "-s", str(draw.randint(130, 190)), "-p", str(draw.randint(30, 70)), "--stdout"]
    spoken = subprocess.run(["espeak-ng", *words, text], capture_output=True, check=True).stdout
    start = spoken.index(b"data") + 8  # the length in the header of a stream is wrong
    rate = struct.unpack("<I", spoken[24:28])[0]
    samples = numpy.frombuffer(spoken[start:start + (len(spoken) - start) // 2 * 2], "<i2") / 32768
    count = round(len(samples) * RATE / rate)
    samples = numpy.fft.irfft(numpy.fft.rfft(samples)[:count // 2 + 1], count) * count / len(samples)
    noise = numpy.random.default_rng(seed).standard_normal(count) * samples.std()
    return (samples + noise * 10 ** (-draw.uniform(10, 40) / 20)).clip(-1, 1).astype(numpy.float32)


def write(path, samples):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((samples * 32767).astype("<i2").tobytes())


def write_clips(folder, texts, first_seed, voices=VOICES):
    """Writes 0000.wav ... and FOLDER.csv (file,text), which --transcripts reads. The folder appears when it is whole."""
    folder = pathlib.Path(folder)
    if folder.exists():
        return folder
    if not shutil.which("espeak-ng"):
        raise FileNotFoundError("espeak-ng is not installed (Debian: espeak-ng)")
    part = folder.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    rows = []
    for number, text in enumerate(texts):
        write(part / f"{number:04}.wav", speak(text, first_seed + number, voices))
        rows.append({"file": f"{number:04}.wav", "text": text})
    with open(folder.with_suffix(".csv"), "w", newline="") as file:
        table = csv.DictWriter(file, ["file", "text"], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    part.rename(folder)
    return folder


def prompts(cache, words=2, seconds=9.5):
    """Returns [(clip, text, seconds)] of a woman's prompts for telephone exchanges, recorded at 8 kHz: Debian's sounds of
    Asterisk (CC-BY-SA-3.0). Silence, texts with remarks in brackets or of fewer words, and longer clips are left out."""
    clips, texts = (sources.fetch(("debian", *where), cache, None) for where in (
        ("asterisk-core-sounds-en-wav", "usr/share/asterisk/sounds/en_US_f_Allison"),
        ("asterisk-core-sounds-en", "usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz")))
    found = []
    for name, text in re.findall(r"^([\w/-]+):\s+([^\[\n]+)$", gzip.open(texts, "rt").read(), re.M):
        clip = clips / f"{name}.wav"
        if clip.exists() and len(text.split()) >= words and "silence" not in text:
            with wave.open(str(clip)) as file:
                length = file.getnframes() / file.getframerate()
            if length <= seconds:
                found.append((clip, text, length))
    return found
