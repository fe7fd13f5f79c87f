"""Cases of other areas again, with all inputs except the first as constants of the model: kernels prepare those."""

import dataclasses
import importlib

from cases import Draw

AREAS = {"quantize": 4, "attention": 6, "norm": 2, "resize": 8, "sample": 2, "windows": 3, "movement": 1, "indexing": 2, "reduction": 4, "elementwise": 3, "signal": 2,
         "recurrent": 1, "old": 1, "fuzz": 2}


def with_constants(case, name, first):
    given = [i for i, value in enumerate(case.inputs) if i >= first and value is not None and not isinstance(value, list)]
    return dataclasses.replace(case, name=name, initializers=tuple(given))


def cases(draw):
    for area, every in AREAS.items():
        for i, case in enumerate(importlib.import_module("cases_" + area).cases(Draw(area))):
            if case.graph is None and i % every == 0 and len(case.inputs) > 1:
                yield with_constants(case, f"{area}_{case.name}", 1)
