from os import PathLike
from typing import Any, Callable, Literal, Mapping, Optional, Sequence, Union

from numpy.typing import NDArray

from ._reports import CompareReport, LintReport, ModelReport, QuantizeReport, TableReport

_Path = Union[str, PathLike[str]]
_Data = Union[_Path, Sequence[_Path], NDArray[Any], Mapping[str, NDArray[Any]]]
_Progress = Callable[[str, int, int], None]

__version__: str

def version() -> str: ...

class Error(Exception):
    code: int
    hint: str

def quantize(
    model: _Path,
    output: _Path,
    data: Optional[_Data] = ...,
    *,
    preprocess: Optional[str] = ...,
    limit: Optional[int] = ...,
    shuffle: Optional[int] = ...,
    batch_axis: Optional[Mapping[str, Optional[int]]] = ...,
    eval: Optional[_Data] = ...,
    eval_limit: Optional[int] = ...,
    table: Optional[_Path] = ...,
    calibrator: str = ...,
    override: Optional[_Path] = ...,
    target: str = ...,
    type: Literal["int8", "fp8"] = ...,
    accuracy: Literal["fast", "balanced", "best"] = ...,
    outliers: Literal["keep", "drop", "clip"] = ...,
    equalize: str = ...,
    bias_correction: Optional[bool] = ...,
    max_drop: Optional[float] = ...,
    min_sqnr: Optional[float] = ...,
    labels: Optional[_Path] = ...,
    masks: Optional[_Path] = ...,
    next_token: bool = ...,
    include: Sequence[str] = ...,
    exclude: Sequence[str] = ...,
    include_op: Sequence[str] = ...,
    exclude_op: Sequence[str] = ...,
    float_type: Literal["fp32", "fp16", "bf16"] = ...,
    cpu: Literal["any", "vnni"] = ...,
    overwrite: bool = ...,
    threads: int = ...,
    progress: Optional[_Progress] = ...,
) -> QuantizeReport: ...
def calibrate(
    model: _Path,
    output: _Path,
    data: _Data,
    *,
    preprocess: Optional[str] = ...,
    limit: Optional[int] = ...,
    shuffle: Optional[int] = ...,
    batch_axis: Optional[Mapping[str, Optional[int]]] = ...,
    targets: Sequence[str] = ...,
    type: Literal["int8", "fp8"] = ...,
    equalize: str = ...,
    include: Sequence[str] = ...,
    exclude: Sequence[str] = ...,
    include_op: Sequence[str] = ...,
    exclude_op: Sequence[str] = ...,
    resume: bool = ...,
    overwrite: bool = ...,
    threads: int = ...,
    progress: Optional[_Progress] = ...,
) -> TableReport: ...
def compare(
    model: _Path,
    data: _Data,
    *,
    preprocess: Optional[str] = ...,
    limit: Optional[int] = ...,
    shuffle: Optional[int] = ...,
    batch_axis: Optional[Mapping[str, Optional[int]]] = ...,
    eval: Optional[_Data] = ...,
    eval_limit: Optional[int] = ...,
    calibrators: Sequence[str] = ...,
    target: str = ...,
    type: Literal["int8", "fp8"] = ...,
    outliers: Literal["keep", "drop", "clip"] = ...,
    equalize: str = ...,
    labels: Optional[_Path] = ...,
    masks: Optional[_Path] = ...,
    next_token: bool = ...,
    include: Sequence[str] = ...,
    exclude: Sequence[str] = ...,
    include_op: Sequence[str] = ...,
    exclude_op: Sequence[str] = ...,
    cpu: Literal["exact", "avx2"] = ...,
    threads: int = ...,
    progress: Optional[_Progress] = ...,
) -> CompareReport: ...
def lint(
    model: _Path,
    *,
    target: str = ...,
    data: Optional[_Data] = ...,
    preprocess: Optional[str] = ...,
    batch_axis: Optional[Mapping[str, Optional[int]]] = ...,
    shapes: Mapping[str, Sequence[int]] = ...,
    threads: int = ...,
    progress: Optional[_Progress] = ...,
) -> LintReport: ...
def inspect(file: _Path) -> Union[ModelReport, TableReport]: ...
