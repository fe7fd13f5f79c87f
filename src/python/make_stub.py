"""Writes the types of the package's functions. usage: make_stub.py FOLDER_OF_THE_PACKAGE OUTPUT"""

import sys

sys.path.insert(0, sys.argv[1])
import detent  # noqa: E402

HEAD = """from os import PathLike
from typing import Any, Callable, Iterable, Literal, Mapping, Optional, Protocol, Sequence, Union, overload

from numpy.typing import NDArray

from . import _reports
from ._reports import Report as Report

_Path = Union[str, PathLike[str]]
_Data = Union[_Path, Sequence[_Path], NDArray[Any], Mapping[str, NDArray[Any]], Iterable[Any]]
_Progress = Union[bool, Callable[[str, int, int], None]]
_Evaluate = Callable[[dict[str, Any], int], float]
_Calibrator = Union[str, Callable[[NDArray[Any], NDArray[Any]], Union[float, tuple[float, float]]]]

class _ModelProto(Protocol):
    def SerializeToString(self) -> bytes: ...

_Model = Union[_Path, bytes, _ModelProto]

__version__: str

def version() -> str: ...

class Error(Exception):
    code: int
    hint: str

"""

# Reports of commands that are named differently, or that have several.
REPORTS = {
    "calibrate": "_reports.TableReport",
    "inspect": "Union[_reports.ModelReport, _reports.TableReport, _reports.DistributionReport]",
    "merge": "_reports.TableReport",
}


# Options by which a command has another report: the option's type for each report.
BY_OPTION = {
    "compare": ("targets", {"_reports.CompareReport": "None = ...", "_reports.CompareTargetsReport": "Sequence[str]"}),
    "quantize": (
        "target",
        {
            "_reports.QuantizeReport": "Optional[str] = ...",
            "Union[_reports.QuantizeReport, _reports.QuantizeTargetsReport]": "Sequence[str]",
        },
    ),
}


# Arguments that take more in Python than on the command line.
TYPES = {"model": "_Model", "file": "_Model", "calibrator": "_Calibrator", "calibrators": "Sequence[_Calibrator]"}


def report_of(name):
    """Returns the type of a command's report: _reports.QuantizeWeightsReport of quantize_weights."""
    return REPORTS.get(name, "_reports." + name.title().replace("_", "") + "Report")


def definition(name, report, types):
    """Returns the stub of a command; `types` replaces those of its options by name."""
    text = f"def {name}(\n"
    star = False
    for parameter in detent._signature(detent._detent.commands[name][1]).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            star = True
            text += "    *,\n"
        optional = parameter.default is not parameter.empty
        parameter = parameter.replace(annotation=TYPES.get(parameter.name, parameter.annotation))
        annotation = f"Optional[{parameter.annotation}] = ..." if optional else parameter.annotation
        text += f"    {parameter.name}: {types.get(parameter.name, annotation)},\n"
    return text + f") -> {report}: ...\n"


with open(sys.argv[2], "w", encoding="utf-8") as stub:
    stub.write(HEAD)
    for name in detent._detent.commands:
        option, reports = BY_OPTION.get(name, ("", {}))
        for report, annotation in reports.items():
            stub.write("@overload\n" + definition(name, report, {option: annotation}))
        if not reports:
            stub.write(definition(name, report_of(name), {}))
