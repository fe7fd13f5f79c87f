"""Operators of ONNX Runtime's own in `detent run`, which expands them, against the engine's kernels: random inputs, one
node a model. Forms without an expansion end with exit code 11 and the reason."""

import string

import numpy
import onnx
from engine import run_once, session_of
from expansion_cases import CASES, REFUSED, Constant
from graph_parts import graph_of, like, model_of, node, value
from onnx import numpy_helper
from program import Failed, answer, detent, fresh_file, fresh_folder, outputs_in
from specification import Specification, each, main

# Sums of at most 200 rounded products and exponentials: 64 units in the last place of the largest element.
FLOAT_BOUND = 64 * 2 ** -24
# Each operator of an expansion rounds to 11 bits; few of the roundings reach the largest elements.
HALF_BOUND = 4 * 2 ** -11
# A code on the edge between two steps falls to either side; a wrong scale or zero point moves most codes.
CODE_BOUND, CODES_APART = 1, 0.05


def write(case):
    """Writes the model of a case, with its inputs beside it as ONNX's backend tests have them. Returns (file, folder of
    the inputs, {input: array}, names of the outputs)."""
    slots = dict(zip(string.ascii_lowercase, case.inputs))
    constants = {name: one.array for name, one in slots.items() if isinstance(one, Constant)}
    fed = {name: one for name, one in slots.items() if one is not None and name not in constants}
    wanted = case.outputs if isinstance(case.outputs, list) else [True] * case.outputs
    results = [f"out_{slot}" if is_wanted else "" for slot, is_wanted in enumerate(wanted)]
    names = [name if one is not None else "" for name, one in slots.items()]
    while not names[-1]:
        names.pop()
    hidden = [] if case.declare == "shapes" else [node("Identity", [f"given_{name}"], [name]) for name in fed]
    feeds = {f"given_{name}" if hidden else name: array for name, array in fed.items()}
    outputs = [name for name in results if name]
    graph = graph_of([*hidden, node(case.op, names, results, case.attributes, case.domain)],
                     [like(*one) for one in feeds.items()], [value(name) for name in outputs], constants)
    folder = fresh_folder()
    data = folder / "test_data_set_0"
    data.mkdir()
    onnx.save(model_of(graph, case.opset, [case.domain] if case.domain else []), folder / "model.onnx")
    for index, (name, array) in enumerate(feeds.items()):
        onnx.save_tensor(numpy_helper.from_array(array, name), data / f"input_{index}.pb")
    return folder / "model.onnx", data, feeds, outputs


class Expansion(Specification):
    def compare(self, name, theirs, ours):
        self.assertEqual((ours.dtype, ours.size), (theirs.dtype, theirs.size), name)
        a, b = (array.astype(float).ravel() for array in (theirs, ours))
        apart = numpy.abs(a - b)
        if theirs.dtype.kind == "f":
            worst = apart.max() / (numpy.abs(a).max() or 1)
            self.tell(f"{name}: {worst:.1e} of the largest value")
            self.assertLessEqual(worst, HALF_BOUND if theirs.dtype == numpy.float16 else FLOAT_BOUND, name)
        else:
            self.assertLessEqual(apart.max(), 0 if theirs.dtype == numpy.int32 else CODE_BOUND, f"{name}: steps")
            self.assertLessEqual((apart > 0).sum(), CODES_APART * apart.size + 1, f"{name}: codes that differ")

    @each(CASES)
    def test_the_expansion_computes_what_the_kernel_does(self, case):
        file, data, feeds, outputs = write(case)
        theirs, out = run_once(session_of(file, "disabled"), feeds), fresh_file("out")
        report = answer("run", file, "-o", out, "--data", data)
        ours = outputs_in(out, file)
        self.assertEqual(report["expanded"], {f"{case.domain}.{case.op}" if case.domain else case.op: 1})
        for name in case.compared or outputs:
            self.compare(name, theirs[name], ours[name])

    @each(REFUSED)
    def test_a_form_without_an_expansion_is_refused(self, case):
        file, data, *_ = write(case)
        with self.assertRaises(Failed) as failed:
            detent("run", file, "-o", fresh_file("out"), "--data", data)
        self.assertRegex(str(failed.exception), "exit 11")
        self.assertRegex(str(failed.exception), case.reason)
        self.assertRegex(answer("inspect", file)["unsupported"][0]["reason"], case.reason)


if __name__ == "__main__":
    main()
