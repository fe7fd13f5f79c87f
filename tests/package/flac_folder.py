"""Quantizes a model on a folder of FLAC files as on one of WAV files with the same samples. usage: flac_folder.py"""

import hashlib
import pathlib
import struct
import tempfile
import wave

import detent
import numpy

RATE, SAMPLES, BLOCK = 16000, 16000, 4096


def check_sum(data, polynomial, bits):
    value = 0
    for byte in data:
        value ^= byte << (bits - 8)
        for _ in range(8):
            value = (value << 1 ^ (polynomial if value >> (bits - 1) else 0)) & ((1 << bits) - 1)
    return value.to_bytes(bits // 8, "big")


def flac_of(samples):
    """A FLAC of one channel of 16 bits whose frames hold the samples as they are (RFC 9639)."""
    numbers = RATE << 44 | (16 - 1) << 36 | len(samples)
    digest = hashlib.md5(samples.astype("<i2").tobytes()).digest()
    stream = b"fLaC" + bytes([0x80, 0, 0, 34]) + struct.pack(">HH", BLOCK, BLOCK) + bytes(6) + struct.pack(">Q", numbers) + digest
    for number, first in enumerate(range(0, len(samples), BLOCK)):
        block = samples[first : first + BLOCK]
        header = bytes([0xFF, 0xF8, 0x70, 0x00, number]) + struct.pack(">H", len(block) - 1)
        frame = header + check_sum(header, 0x07, 8) + b"\x02" + block.astype(">i2").tobytes()
        stream += frame + check_sum(frame, 0x8005, 16)
    return stream


def field(number, value):
    """A field of a protobuf message: a number below 128, text, or bytes of any length."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    data = value.encode() if isinstance(value, str) else value
    length, rest = b"", len(data)
    while rest > 127:
        length, rest = length + bytes([rest & 127 | 128]), rest >> 7
    return bytes([number << 3 | 2]) + length + bytes([rest]) + data


def model_of(weights):
    """y = MatMul(x, weights) over whole clips, whose length is the model's."""

    def shaped(name, width):
        size = lambda text: field(1, field(2, text))  # noqa: E731 - a dimension by name
        return field(1, name) + field(2, field(1, field(1, 1) + field(2, size("n") + size(width))))

    dims = b"".join(b"\x08" + (bytes([size & 127 | 128, size >> 7]) if size > 127 else bytes([size])) for size in weights.shape)
    node = field(1, "x") + field(1, "w") + field(2, "y") + field(4, "MatMul")
    tensor = dims + field(2, 1) + field(8, "w") + field(9, weights.astype("<f4").tobytes())
    graph = field(1, node) + field(2, "clips") + field(5, tensor) + field(11, shaped("x", "t")) + field(12, shaped("y", "c"))
    return field(1, 8) + field(8, field(2, 13)) + field(7, graph)


random = numpy.random.default_rng(1)
options = {"preprocess": "raw-audio,seconds=1", "small_layers": "quantize", "calibrator": "max"}
with tempfile.TemporaryDirectory() as held:
    folder = pathlib.Path(held)
    (folder / "flac").mkdir()
    (folder / "wav").mkdir()
    (folder / "model.onnx").write_bytes(model_of(random.normal(size=(SAMPLES, 64))))
    for index in range(8):
        clip = (8000 * numpy.sin(numpy.arange(SAMPLES) * (0.05 + 0.1 * index)) + random.normal(size=SAMPLES) * 500).astype(numpy.int16)
        (folder / f"flac/{index}.flac").write_bytes(flac_of(clip))
        with wave.open(str(folder / f"wav/{index}.wav"), "wb") as file:
            file.setparams((1, 2, RATE, 0, "NONE", ""))
            file.writeframes(clip.astype("<i2").tobytes())
    flac, wav = (detent.quantize(folder / "model.onnx", folder / f"{kind}.onnx", folder / kind, **options) for kind in ("flac", "wav"))
    assert 20 < flac.error.sqnr_db == wav.error.sqnr_db, f"{flac.error.sqnr_db} dB of FLAC, {wav.error.sqnr_db} dB of WAV"
    broken = bytearray((folder / "flac/0.flac").read_bytes())
    broken[20000] ^= 1
    (folder / "flac/0.flac").write_bytes(broken)
    try:
        detent.quantize(folder / "model.onnx", folder / "broken.onnx", folder / "flac", **options)
    except detent.Error as error:
        assert "damaged" in str(error), error
    else:
        raise AssertionError("a damaged FLAC is accepted")
