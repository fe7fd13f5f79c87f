"""`--emulate avx2` computes every integer layer as ONNX Runtime does on x86 CPUs without VNNI, code for code, from the
codes that the engine had there. A file of `--cpu any` computes the same on both kinds of CPU."""

import unittest

import numpy
import onnx
from coded_layers import coded_layers, layers_alone
from cpus import HAS_VNNI, WITHOUT_VNNI, run_on
from graph_parts import with_all_outputs
from program import arrays, fresh_file, quantized, run, saved, write_inputs
from selection import selected
from specification import Specification, each, main

no_cpu = unittest.skipIf(WITHOUT_VNNI is None,
                         "this CPU has VNNI, and there is no qemu-x86_64 (7.2 or newer) to run without it")
no_vnni = unittest.skipUnless(HAS_VNNI, "this CPU has no VNNI")


def codes_of(command, file, model):
    """Returns {name: codes} in front of and behind each layer, of one sample, on a kind of CPU."""
    read, traced = onnx.load(file), fresh_file("traced.onnx")
    wanted = {name for one in coded_layers(read) for name in (one.source, one.result)}
    onnx.save(with_all_outputs(read, lambda name: name in wanted), traced)
    stacks = arrays(write_inputs(model, model.evaluation(12 if model.name == "sample" else 1000)))
    return run_on(command, traced, {name: saved(stack[:1]) for name, stack in stacks.items()})


def distance(expected, found):
    return numpy.abs(expected.astype(int) - found.astype(int))


def agreement(command, file, model, products):
    """Returns (number of layers, distances between the engine's codes and those of `detent run`)."""
    read = onnx.load(file)
    found, codes = coded_layers(read), codes_of(command, file, model)
    alone = layers_alone(read, found, codes)
    ours = run(alone, {name: saved(codes[name]) for name in {one.source for one in found}}, "--emulate", products)
    return len(found), numpy.concatenate([distance(codes[one.result], ours[f"codes_{index}"]).ravel()
                                          for index, one in enumerate(found)])


class CpuProducts(Specification):
    @no_cpu
    @each(selected())
    def test_without_VNNI_every_code_of_every_integer_layer_is_that_of_ONNX_Runtime(self, model):
        layers, apart = agreement(WITHOUT_VNNI, quantized(model, "onnxruntime", "max", "--cpu", "vnni"), model, "avx2")
        self.tell(f"{layers} layers, {apart.size} codes, {(apart > 0).sum()} differ")
        self.assertGreater(layers, 0)
        self.assertEqual((apart > 0).sum(), 0)

    @no_vnni
    @each(selected())
    def test_with_VNNI_exact_products_give_the_codes_of_ONNX_Runtime(self, model):
        layers, apart = agreement([], quantized(model, "onnxruntime", "max", "--cpu", "vnni"), model, "exact")
        self.tell(f"{layers} layers, {apart.size} codes, {(apart > 0).sum()} differ, by {apart.max()}")
        # Sums are equal; two float factors for one round some ties to the other side.
        self.assertLessEqual(apart.max(), 1)
        self.assertLessEqual((apart > 0).mean(), 1e-3)

    @no_cpu
    @no_vnni
    @each(selected())
    def test_a_file_for_any_CPU_has_the_same_codes_with_VNNI_and_without(self, model):
        file = quantized(model, "onnxruntime", "max")
        without, native = codes_of(WITHOUT_VNNI, file, model), codes_of([], file, model)
        found = coded_layers(onnx.load(file))
        differ = [one.layer.name for one in found if distance(native[one.result], without[one.result]).any()]
        self.tell(f"{len(found)} layers, {len(differ)} differ")
        self.assertEqual(differ, [])


if __name__ == "__main__":
    main()
