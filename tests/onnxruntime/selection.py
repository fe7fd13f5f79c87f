"""Chooses the models of a test: those of the environment DETENT_MODELS (comma separated), else all that exist."""

import dataclasses
import functools
import os
import typing

import graph_parts
import numpy
import onnx
from branching_models import branching_models
from models import CHARS_GPT, FLOAT_MODELS, MODELS, Model, StackedModel, exported_models, zoo_models
from program import arrays, calibration_of, detent, fresh_folder, saved

CHOSEN = os.environ.get("DETENT_MODELS")
FEW = ["--limit", "4"]


def _select(groups, models):
    """Returns the models that are chosen: a group's, or one by its name."""
    named = {model.name: [model] for model in models}
    if not CHOSEN:
        return [model for group in groups.values() for model in group()] + models
    found = []
    for name in CHOSEN.split(","):
        if name not in groups and name not in named:
            raise SystemExit(f"DETENT_MODELS names '{name}', known are {', '.join([*groups, *named])}")
        found += groups[name]() if name in groups else named[name]
    return found


def selected():
    """Returns the models with a score."""
    return _select({}, list(MODELS.values()))


def selected_of_all():
    """Returns every model and export; `exports` names all of that folder."""
    return _select({"exports": exported_models}, [MODELS["sample"], *FLOAT_MODELS])


@dataclasses.dataclass(frozen=True, eq=False)
class Written:
    """A model with a few calibration samples. data: options of detent. feeds(): its first sample as {input: array}."""
    model: Model
    data: list
    feeds: typing.Callable

    def __str__(self):
        return self.model.name

    @property
    def file(self):
        return self.model.file

    @property
    def missing(self):
        return self.model.missing


def _first_of(file, stacks):
    """Returns the first sample of {input: stack}; an input without a batch axis has one axis less than its stack."""
    return {one.name: numpy.asarray(stacks[one.name][0]) if graph_parts.rank_of(one) < stacks[one.name].ndim
            else stacks[one.name][:1] for one in graph_parts.inputs_of(graph_parts.read(file))}


def _on_stacks(model):
    return Written(model, [*model.data, *FEW], functools.cache(lambda: _first_of(model.file, arrays(model.stacks))))


def _on_samples(model):
    """Writes the samples as the model receives them by `detent run` of an Identity."""
    @functools.cache
    def feeds():
        inputs, folder = graph_parts.inputs_of(graph_parts.read(model.file)), fresh_folder()
        onnx.save(graph_parts.identity_of(inputs), folder / "identity.onnx")
        detent("run", folder / "identity.onnx", "-o", folder / "out", "--quiet", *calibration_of(model), "--limit", "1")
        stacks = {one.name: folder / f"out/samples_{index}.npy" for index, one in enumerate(inputs)}
        return _first_of(model.file, arrays(stacks))
    return Written(model, [] if model.missing else [*calibration_of(model), *FEW], feeds)


def _branching():
    """Models of this folder: rate 1 and 0 alternate, so that both branches are calibrated."""
    stacks = {"x": saved(graph_parts.random([4, 16, 12])), "rate": saved(numpy.array([1, 0, 1, 0]))}
    return [_on_stacks(StackedModel(f"branching/{name}", file, stacks=stacks)) for name, file in branching_models()]


def selected_to_write():
    """Returns the models that are chosen, also by the names of groups, with a few calibration samples each."""
    gpt = StackedModel(CHARS_GPT.name, CHARS_GPT.file, stacks={"ids": CHARS_GPT.calibration})
    groups = {"branching": _branching, "chars_gpt": lambda: [_on_stacks(gpt)],
              "zoo": lambda: [_on_stacks(model) for model in zoo_models()],
              "exports": lambda: [_on_samples(model) for model in exported_models()]}
    found = _select({name: lambda name=name: [name] for name in groups}, [MODELS["sample"], *FLOAT_MODELS])
    return [one for model in found for one in (groups[model]() if isinstance(model, str) else [_on_samples(model)])]
