"""The random graphs have the form of what the tools of quantization-aware training really export: forms.json has it from
export_networks.py. usage: form_test.py"""

import functools
import json
import pathlib
import unittest

import form
import graphs

REAL = json.loads(pathlib.Path(__file__).with_name("forms.json").read_text(encoding="utf-8"))
SEEDS = range(150)  # until every form of the real networks has come up, with room


@functools.cache
def drawn(style):
    """Returns the forms of all pairs and places in random graphs of a style."""
    forms = [form.describe(graphs.drawn(style, seed)) for seed in SEEDS]
    return {key: set().union(*(one[key] for one in forms)) for key in ("pairs", "places")}, forms[0]


class Forms(unittest.TestCase):
    def test_every_style_except_one_has_a_real_export(self):
        # tf2onnx writes weights with their pairs where it folds no constants, which its command line always does.
        self.assertEqual(set(graphs.STYLES) - set(REAL), {"tf2onnx_unfolded"})
        self.assertEqual(set(REAL) - set(graphs.STYLES), set())

    def test_pairs_have_the_forms_of_the_real_export_and_no_others(self):
        for style, real in REAL.items():
            with self.subTest(style):
                found, first = drawn(style)
                self.assertEqual(sorted(found["pairs"]), real["pairs"])
                self.assertEqual((first["opset"], first["ir"]), (real["opset"], real["ir"]))

    def test_operators_stand_where_the_real_export_has_them(self):
        for style, real in REAL.items():
            with self.subTest(style):
                self.assertEqual(sorted(set(real["places"]) - drawn(style)[0]["places"]), [])

    def test_a_form_tells_what_a_pair_consists_of(self):
        tools = {one: REAL[one]["pairs"] for one in ("torch_fx", "brevitas_4_bits", "torch_fx_converted")}
        for style, step in (("torch_fx", "> Clip(Constant uint8) >"), ("brevitas_4_bits", "> Clip(initializer int8, initializer int8) >"),
                            ("torch_fx_converted", "> Cast >")):
            others = [one for one in tools if one != style]
            self.assertTrue(any(step in pair for pair in tools[style]), style)
            self.assertFalse(any(step in pair for one in others for pair in tools[one]), style)


if __name__ == "__main__":
    unittest.main()
