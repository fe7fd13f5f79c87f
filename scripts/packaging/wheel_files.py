"""What wheels of Detent have in common: their name, metadata, the script that starts the program, and the archive."""

import base64
import hashlib
import pathlib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAME = "detent_ptq"
SCRIPT = """#!python
import importlib.util
import os
import sys

package = os.path.dirname(importlib.util.find_spec("detent").origin)
os.execv(os.path.join(package, "detent"), sys.argv)
"""


def metadata(version):
    return (
        f"Metadata-Version: 2.1\nName: detent-ptq\nVersion: {version}\n"
        "Summary: Post-training quantization of ONNX models\nRequires-Python: >=3.10\nRequires-Dist: numpy\n"
        "Provides-Extra: progress\nRequires-Dist: tqdm; extra == 'progress'\n"
        "Description-Content-Type: text/markdown\n\n" + (ROOT / "README.md").read_text(encoding="utf-8")
    )


def write_info(folder, version, tag):
    """Writes METADATA and WHEEL into a .dist-info folder."""
    folder.joinpath("METADATA").write_text(metadata(version), encoding="utf-8")
    folder.joinpath("WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: detent\nRoot-Is-Purelib: false\nTag: {tag}\n")


def write_script(folder):
    script = folder / "detent"
    script.write_text(SCRIPT)
    script.chmod(0o755)


def pack(tree, wheel):
    """Packs a folder as a wheel, with RECORD in its .dist-info, which has a line for each file."""
    (info,) = tree.glob("*.dist-info")
    record = info / "RECORD"
    lines = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path for path in tree.rglob("*") if path.is_file() and path != record):
            name = file.relative_to(tree).as_posix()
            archive.write(file, name)
            digest = base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{file.stat().st_size}")
        lines.append(f"{record.relative_to(tree).as_posix()},,")
        archive.writestr(record.relative_to(tree).as_posix(), "\n".join(lines) + "\n")
