"""pictures.py > pictures.txt: small files whose headers say how their pixels are to be read, and what Pillow makes of
them, upright and as RGB. A line: name, bytes of the file, "WIDTHxHEIGHT" and CRC-32 of the RGB bytes, or "refused".
Made with Pillow 13.0.0."""

import io
import struct
import zlib

import numpy
from PIL import Image, ImageOps

numbers = numpy.random.default_rng(0)


def line(name, file, pixels=None):
    """Prints a case. pixels: what the file holds, where Pillow keeps more bits than 8, or reads it wrongly."""
    if pixels is None:
        image = ImageOps.exif_transpose(Image.open(io.BytesIO(file)))
        pixels = numpy.asarray(image.convert("RGB"))
    print(name, file.hex(), f"{pixels.shape[1]}x{pixels.shape[0]}", zlib.crc32(pixels.astype(numpy.uint8).tobytes()))


def refused(name, file):
    print(name, file.hex(), "refused", 0)


# --- Orientations ---

def number(value, size, little):
    return value.to_bytes(size, "little" if little else "big")


def exif(orientation, little=True, kind="short", before=0):
    """Returns a directory with an orientation behind `before` other entries. kind: its type, or several numbers."""
    kinds = {"short": (3, 2, 1), "long": (4, 4, 1), "byte": (1, 1, 1), "three": (3, 2, 3)}
    code, size, count = kinds[kind]
    entries = [number(0x0100 + i, 2, little) + number(4, 2, little) + number(1, 4, little) + number(7, 4, little)
               for i in range(before)]
    behind = 8 + 2 + 12 * (before + 1) + 4
    value = number(orientation, size, little) * count
    place = value.ljust(4, b"\0") if len(value) <= 4 else number(behind, 4, little)
    entries.append(number(0x0112, 2, little) + number(code, 2, little) + number(count, 4, little) + place)
    return (b"II" if little else b"MM") + number(42, 2, little) + number(8, 4, little) + number(len(entries), 2, little) + \
        b"".join(entries) + bytes(4) + (value if len(value) > 4 else b"")


def app1(content):
    return b"\xff\xe1" + struct.pack(">H", len(content) + 2) + content


def xmp(orientation, element=False):
    said = f"<tiff:Orientation>{orientation}</tiff:Orientation>" if element else f"tiff:Orientation=\"{orientation}\""
    return f"<x:xmpmeta>{said}</x:xmpmeta>".encode()


blocks = numpy.kron(numpy.array([[20, 60, 100], [140, 180, 220]]), numpy.ones((8, 8))).astype(numpy.uint8)
stream = io.BytesIO()
Image.fromarray(blocks).save(stream, "JPEG", quality=100)  # flat blocks: every decoder gives the same
jpeg = stream.getvalue()
HEAD, XAP = b"Exif\0\0", b"http://ns.adobe.com/xap/1.0/\0"
for name, segments in {
        "jpeg_exif": [HEAD + exif(6)], "jpeg_big_endian": [HEAD + exif(8, False)],
        "jpeg_long": [HEAD + exif(6, True, "long")], "jpeg_big_endian_long": [HEAD + exif(6, False, "long", 3)],
        "jpeg_three_values": [HEAD + exif(5, False, "three", 1)], "jpeg_byte": [HEAD + exif(6, False, "byte")],
        "jpeg_invalid": [HEAD + exif(9)], "jpeg_xmp_first": [XAP + xmp(3), HEAD + exif(6)],
        "jpeg_other_first": [b"http:/", HEAD + exif(7)], "jpeg_exif_in_parts": [HEAD + exif(2, True, "short", 4)[:30], HEAD + exif(2, True, "short", 4)[30:]],
        "jpeg_second_exif": [HEAD + exif(3), HEAD + exif(6)], "jpeg_marker_twice": [HEAD + HEAD + exif(4)],
        "jpeg_xmp_alone": [XAP + xmp(8)], "jpeg_xmp_element": [XAP + xmp(5, True)], "jpeg_xmp_invalid": [XAP + xmp(0)],
        "jpeg_exif_says_upright": [XAP + xmp(6), HEAD + exif(1)]}.items():
    line(name, jpeg[:2] + b"".join(map(app1, segments)) + jpeg[2:])

colours = numbers.integers(0, 256, (3, 5, 3), numpy.uint8)


def saved(kind, **how):
    stream = io.BytesIO()
    Image.fromarray(colours).save(stream, kind, **how)
    return stream.getvalue()


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


png = saved("PNG")
for orientation in range(1, 9):
    line(f"png_{orientation}", png[:33] + chunk(b"eXIf", exif(orientation, orientation % 2 == 0)) + png[33:])
line("png_long_behind_pixels", png[:-12] + chunk(b"eXIf", exif(6, False, "long")) + png[-12:])
line("png_marker", png[:33] + chunk(b"eXIf", HEAD + exif(6)) + png[33:])
line("png_xmp", png[:33] + chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + xmp(6)) + png[33:])
webp = saved("WEBP", lossless=True)
for name, more in {"exif": {"exif": HEAD + exif(6, False, "long")}, "xmp": {"xmp": xmp(7)},
                   "both": {"exif": exif(2), "xmp": xmp(7)}}.items():
    line(f"webp_{name}", saved("WEBP", lossless=True, **more))


# --- BMP ---

def bmp(bits, masks, header=108, top_first=False, size=(3, 5), packing=3, values=None):
    height, width = size
    if values is None:
        values = numbers.integers(0, 1 << bits, size, numpy.uint64)
    rows = values.astype(f"<u{bits // 8}")
    data = b"".join(row.tobytes().ljust((width * bits + 31) // 32 * 4, b"\0") for row in (rows if top_first else rows[::-1]))
    fields = struct.pack("<IiiHHIIiiII", header, width, -height if top_first else height, 1, bits, packing, len(data), 2835, 2835, 0, 0)
    told = struct.pack(f"<{len(masks)}I", *masks)
    fields = (fields + told).ljust(header, b"\0") if header > 40 else fields + told
    return b"BM" + struct.pack("<IHHI", 14 + len(fields) + len(data), 0, 0, 14 + len(fields)) + fields + data


BGRX, RGBX, XBGR, RGBA = (0xff0000, 0xff00, 0xff, 0), (0xff000000, 0xff0000, 0xff00, 0), (0xff000000, 0xff00, 0xff, 0), (0xff, 0xff00, 0xff0000, 0xff000000)
for header in (56, 108, 124):
    for top_first in (False, True):
        for name, masks in {"bgrx": BGRX, "xbgr": RGBX, "bgxr": XBGR, "rgba": RGBA, "bgra": (*BGRX[:3], 0xff000000),
                            "abgr": (*RGBX[:3], 0xff), "none": (0, 0, 0, 0)}.items():
            if header == 108 or (top_first and name in ("rgba", "abgr")):
                line(f"bmp_{name}_{header}_{top_first}", bmp(32, masks, header, top_first))
for header in (40, 52, 108):
    for name, masks in {"565": (0xf800, 0x7e0, 0x1f), "555": (0x7c00, 0x3e0, 0x1f)}.items():
        line(f"bmp_{name}_{header}", bmp(16, masks if header < 56 else (*masks, 0), header, header == 52))
line("bmp_32_behind_header", bmp(32, XBGR[:3], 40))
line("bmp_16_plain", bmp(16, (), 40, packing=0))
line("bmp_32_plain", bmp(32, RGBA, 124, packing=0))  # masks that the packing does not use

# Pillow does not read these.
pixels = numbers.integers(0, 1 << 32, (3, 5), numpy.uint64)
xrgb = numpy.stack([pixels & 0xff, pixels >> 8 & 0xff, pixels >> 16 & 0xff], 2)
line("bmp_swapped_without_alpha", bmp(32, (0xff, 0xff00, 0xff0000, 0), values=pixels), xrgb)
line("bmp_ten_bits", bmp(32, (0x3ff00000, 0xffc00, 0x3ff, 0xc0000000), values=pixels),
     numpy.stack([(pixels >> shift & 1023) * 255 // 1023 for shift in (20, 10, 0)], 2))
pixels = numbers.integers(0, 1 << 16, (3, 5), numpy.uint64)
line("bmp_4444", bmp(16, (0xf00, 0xf0, 0xf, 0xf000), values=pixels),
     numpy.stack([(pixels >> shift & 15) * 17 for shift in (8, 4, 0)], 2))
refused("bmp_gap", bmp(32, (0xff0000, 0xf0f0, 0xf, 0)))
refused("bmp_overlap", bmp(32, (0xff0000, 0xff00, 0x1ff, 0)))
refused("bmp_no_blue", bmp(32, (0xff0000, 0xff00, 0, 0)))
refused("bmp_beyond_16_bits", bmp(16, (0xff0000, 0xff00, 0xff, 0)))


# --- PNM ---

def pnm(kind, highest, levels):
    text = f"P{kind}\n# of the test\n{levels.shape[1]} {levels.shape[0]}\n{highest}\n".encode()
    if kind < 4:
        return text + " ".join(str(level) for level in levels.ravel()).encode() + b"\n"
    return text + levels.astype(numpy.uint8 if highest < 256 else ">u2").tobytes()


for highest in (1, 2, 3, 34, 100, 200, 254, 255, 256, 1000, 4095, 65535):
    for kind in (2, 3, 5, 6):
        size = (4, 9, 3) if kind in (3, 6) else (4, 9)
        levels = numpy.minimum(numpy.arange(numpy.prod(size)) * max(1, highest // 34), highest).reshape(size)
        # Pillow cuts gray of 16 bits at 255 when it becomes RGB: the arithmetic that it has for 8 bits and for colours.
        scaled = numpy.array([round(value / highest * 255) for value in levels.ravel()]).reshape(size)
        scaled = scaled if len(size) == 3 else numpy.repeat(scaled[..., None], 3, 2)
        line(f"pnm_{kind}_{highest}", pnm(kind, highest, levels), scaled if highest > 255 and len(size) == 2 else None)
for kind in (2, 3, 5, 6):
    size = (1, 2, 3) if kind in (3, 6) else (1, 2)
    refused(f"pnm_{kind}_above", pnm(kind, 100, numpy.full(size, 101)))
    refused(f"pnm_{kind}_far_above", pnm(kind, 1000, numpy.full(size, 1001)))


# --- TIFF ---

def tiff(samples, bits=8, extra=None, planes=1, orientation=1, photometric=2, little=True, values=None):
    height, width = 3, 5
    if values is None:
        values = numbers.integers(0, 1 << bits, (height, width, samples), numpy.uint32)
    order = "<" if little else ">"
    values = values.astype(f"{order}u{bits // 8}")
    strips = [values.tobytes()] if planes == 1 else [values[..., c].tobytes() for c in range(samples)]
    tags = [(256, 4, [width]), (257, 4, [height]), (258, 3, [bits] * samples), (259, 3, [1]), (262, 3, [photometric]),
            (273, 4, [0] * len(strips)), (274, 3, [orientation]), (277, 3, [samples]), (278, 4, [height]),
            (279, 4, [len(strip) for strip in strips]), (284, 3, [planes])]
    if extra is not None:
        tags.append((338, 3, [extra]))
    at, behind, directory = 8 + 2 + 12 * len(tags) + 4, b"", b""
    places, place = [], 8 + 2 + 12 * len(tags) + 4 + sum(
        size for size in (len(v) * (2 if t == 3 else 4) for _, t, v in tags) if size > 4)
    for strip in strips:
        places.append(place)
        place += len(strip)
    for tag, kind, content in tags:
        content = places if tag == 273 else content
        packed = struct.pack(f"{order}{len(content)}{'H' if kind == 3 else 'I'}", *content)
        if len(packed) > 4:
            behind, packed = behind + packed, struct.pack(f"{order}I", at + len(behind))
        directory += struct.pack(f"{order}HHI", tag, kind, len(content)) + packed.ljust(4, b"\0")
    return (b"II*\0" if little else b"MM\0*") + struct.pack(f"{order}IH", 8, len(tags)) + directory + bytes(4) + behind + b"".join(strips)


for extra in (None, 0, 1, 2):
    for planes in (1, 2):
        values = numbers.integers(0, 256, (3, 5, 4), numpy.uint32)
        values[0, :, 3] = (0, 1, 128, 254, 255)
        line(f"tiff_rgba_{extra}_{planes}", tiff(4, extra=extra, planes=planes, little=planes == 1, values=values),
             values[..., :3] if (extra, planes) == (0, 2) else None)  # which Pillow does not read
for extra in (0, 2):
    line(f"tiff_gray_alpha_{extra}", tiff(2, extra=extra, photometric=1))
for orientation in range(1, 9):
    line(f"tiff_{orientation}", tiff(3, orientation=orientation, little=orientation % 2 == 0))
    line(f"tiff_alpha_{orientation}", tiff(4, extra=2, orientation=orientation))
deep = numbers.integers(0, 65536, (3, 5, 4), numpy.uint64)
deep[..., 3] = numpy.maximum(deep[..., 3], 1)
for extra in (1, 2):
    shown = deep[..., :3] if extra == 2 else numpy.minimum(65535, deep[..., :3] * 65535 // deep[..., 3:])
    line(f"tiff_deep_{extra}", tiff(4, 16, extra, values=deep), (shown + 128) // 257)  # Pillow cuts to the high byte
