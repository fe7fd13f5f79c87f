"""The run of the showcase (bench/showcase) with tools of a few lines: what is kept, what is done again, what ends a tool
that takes too long, and what the page says."""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/showcase"))
import networks  # noqa: E402
import page  # noqa: E402
import showcase  # noqa: E402
import texts  # noqa: E402

# Each program logs its call beside itself. A job's "out" is where a tool writes its file.
PROGRAMS = {
    "samples.py": """
        out = pathlib.Path(job["out"])
        for part, count in (("calib", job["calibration"]), ("test", job["test"])):
            (out / part).mkdir(parents=True)
            for i in range(count):
                (out / part / f"{i}.npz").write_text("")
        (out / "truths.json").write_text("[]")""",
    "judge.py": """
        name = pathlib.Path(job["model"]).stem
        decibels, score = {"good": (30, 90), "close": (30.3, 89.5), "worse": (20, 80)}.get(name, (None, 91))
        print(json.dumps({"sqnr_db": decibels, "score": score, "size": 1e6, "engine": "none"}))""",
    "timing.py": """
        print(json.dumps({name: {"ms": 4.0 if name == "float" else 1.0} for name in job["files"]}))""",
    "tools/good.py": """
        pathlib.Path("weights.data").write_text("left in the current folder")
        pathlib.Path(job["out"]).with_name("good.onnx").write_text("")
        pathlib.Path(job["out"]).write_text("")
        print(json.dumps({"settings": "defaults"}))""",
    "tools/bad.py": """
        sys.exit("first line\\nthis operator <Foo> is not taken")""",
    "tools/slow.py": """
        import subprocess, time
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        pathlib.Path(job["out"]).with_suffix(".child").write_text(str(child.pid))
        time.sleep(60)""",
}
HEAD = """
import json, pathlib, sys
job = json.loads(pathlib.Path(sys.argv[1]).read_text())
with open(pathlib.Path(__file__).with_suffix(".log"), "a") as log:
    log.write("call\\n")
"""
TOOLS = {"good": ("good.py", None, []), "bad": ("bad.py", None, [])}


def options(folder, **changed):
    values = {"folder": folder, "network": [], "tool": None, "calibration": 2, "samples": 3, "threads": 1, "minutes": 1,
              "seconds": 1, "clock": "wall", "again": [], "retry": False, "page": False, **changed}
    return argparse.Namespace(**values)


class Run(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="detent-showcase-test-")
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        (self.folder / "programs/tools").mkdir(parents=True)
        for name, body in PROGRAMS.items():
            (self.folder / "programs" / name).write_text(HEAD + textwrap.dedent(body))
        (self.folder / "shared").mkdir()
        (self.folder / "shared/net.onnx").write_text("")
        showcase.sources.SHARED = self.folder / "shared"
        self.network = networks.Network("net", "Net <one>", "classifier", ("shared", "net.onnx"), "MIT", ("none", {}),
                                        ("top1", {}))

    def run_all(self, tools=None, table=None, **changed):
        made = showcase.Showcase(options(self.folder / "out", **changed), tools or TOOLS, self.folder / "programs",
                                 lambda _: sys.executable)
        with open(os.devnull, "w") as nothing:
            kept, sys.stderr = sys.stderr, nothing
            try:
                return made.all(table or [self.network])
            finally:
                sys.stderr = kept

    def calls(self):
        return {path.stem: len(path.read_text().splitlines()) for path in (self.folder / "programs").rglob("*.log")}

    def result(self, name):
        return json.loads((self.folder / "out/results" / f"{name}.json").read_text())

    def test_a_rerun_does_nothing_again_not_even_what_failed(self):
        self.run_all()
        before = self.calls()
        self.assertEqual(before, {"samples": 1, "judge": 2, "good": 1, "bad": 1, "timing": 2})
        self.run_all()
        self.assertEqual(self.calls(), before)

    def test_what_a_tool_leaves_in_its_current_folder_is_gone(self):
        before = sorted(os.listdir("."))
        self.run_all()
        self.assertEqual(sorted(os.listdir(".")), before)
        self.assertEqual(list(self.folder.rglob("weights.data")), [])

    def test_other_sample_counts_are_done_anew(self):
        self.run_all()
        self.run_all(samples=4)
        self.assertEqual(self.calls()["good"], 2)
        self.assertEqual(self.result("net.samples")["counts"], {"calib": 2, "test": 4})

    def test_a_tool_that_is_forgotten_is_done_again_with_the_times(self):
        self.run_all()
        self.run_all(again=["good"])
        self.assertEqual(self.calls(), {"samples": 1, "judge": 3, "good": 2, "bad": 1, "timing": 4})

    def test_a_failure_is_kept_with_its_last_line(self):
        self.run_all()
        self.assertEqual(self.result("net.bad")["error"], "this operator <Foo> is not taken")
        self.assertIn("this operator &lt;Foo&gt; is not taken", (self.folder / "out/index.html").read_text())

    def test_a_retry_does_only_what_failed(self):
        self.run_all()
        self.run_all(retry=True)
        self.assertEqual(self.calls(), {"samples": 1, "judge": 2, "good": 1, "bad": 2, "timing": 2})

    def test_the_search_makes_a_file_only_where_ours_is_slower_than_float(self):
        tools = {"good": TOOLS["good"], "good_search": ("good.py", None, ["--threads {threads}"])}
        kept = dict(showcase.OURS)
        self.addCleanup(showcase.OURS.update, kept)
        showcase.OURS.update(onnxruntime="good", openvino="none")
        self.run_all(tools)
        self.assertEqual(self.calls()["good"], 1)
        timing = self.folder / "programs/timing.py"
        timing.write_text(timing.read_text().replace("4.0", ".5"))
        self.run_all(tools, again=["good"])
        self.assertEqual(self.calls()["good"], 3)
        self.assertIn("good_search", self.result("net.time_onnxruntime")["times"])
        self.run_all(tools, again=["good"])
        self.assertEqual(self.calls()["good"], 5, "a tool that is forgotten takes its search along")

    def test_a_tool_that_takes_too_long_ends_with_what_it_started(self):
        self.run_all({"slow": ("slow.py", None, [])}, minutes=.1)
        self.assertRegex(self.result("net.slow")["error"], "stopped after")
        child = int((self.folder / "out/files/net/slow.child").read_text())
        for _ in range(50):
            status = pathlib.Path(f"/proc/{child}/stat")
            if not status.exists() or status.read_text().split(")")[-1].split()[0] == "Z":
                return
            time.sleep(.1)
        self.fail(f"process {child} still runs")

    def test_a_network_that_cannot_be_had_is_skipped_by_name(self):
        lost = self.network._replace(name="lost", title="Lost", where=("shared", "lost.onnx"))
        self.run_all(table=[lost, self.network])
        self.assertIn("lost.onnx is not there", self.result("lost.samples")["error"])
        self.assertIn("settings", self.result("net.good"))

    def test_ctrl_c_loses_nothing(self):
        """A separate process is interrupted while the second tool runs."""
        script = textwrap.dedent(f"""
            import sys, pathlib, argparse
            sys.argv[1:] = [{str(ROOT)!r}]
            sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
            import showcase_test as t
            test = t.Run()
            test.folder = pathlib.Path({str(self.folder)!r})
            t.showcase.sources.SHARED = test.folder / "shared"
            test.network = t.networks.Network("net", "Net", "classifier", ("shared", "net.onnx"), "MIT", ("none", {{}}), None)
            sys.exit(test.run_all({{"good": ("good.py", None, []), "slow": ("slow.py", None, [])}}))
        """)
        process = subprocess.Popen([sys.executable, "-c", script], start_new_session=True)
        started = self.folder / "out/files/net/slow.child"
        for _ in range(300):
            if started.exists() and started.read_text():
                break
            time.sleep(.1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), 130)
        self.assertEqual(self.result("net.good")["settings"], "defaults")
        self.assertFalse((self.folder / "out/results/net.slow.json").exists())
        self.assertTrue((self.folder / "out/index.html").exists())
        before = self.calls()["good"]
        self.run_all()
        self.assertEqual(self.calls()["good"], before)


class Page(unittest.TestCase):
    """The page of results that are written by hand."""

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="detent-showcase-test-")
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        (self.folder / "results").mkdir()

    def text(self, **tools):
        network = networks.Network("net", "Net <one>", "classifier", ("pypi", "net==1", "net.onnx"), "MIT", ("none", {}),
                                   ("top1", {}))
        for name, document in tools.items():
            (self.folder / "results" / f"net.{name}.json").write_text(json.dumps({"key": {}, **document}))
        page.write(self.folder, [network], options(self.folder))
        self.document = json.loads((self.folder / "results.json").read_text())
        return (self.folder / "index.html").read_text()

    def quality(self, decibels, score, size=1e6):
        return {"sqnr_db": decibels, "score": score, "size": size, "settings": "x"}

    def test_the_better_file_is_marked(self):
        text = self.text(float=self.quality(None, 91, 4e6), detent=self.quality(30, 90), nncf=self.quality(25, 80))
        self.assertIn('<td data-order="90" class="best">90.0</td>', text)
        self.assertNotIn('data-order="80" class="best"', text)
        self.assertIn("Net &lt;one&gt;", text)

    def test_what_lies_within_the_noise_of_the_best_is_marked_too(self):
        text = self.text(float=self.quality(None, 91, 4e6), detent=self.quality(30, 90), nncf=self.quality(30.4, 80))
        self.assertIn('<td data-order="30" class="best">30.0</td>', text)
        self.assertIn('<td data-order="30.4" class="best">30.4</td>', text)

    def test_source_and_licence_stand_in_the_row(self):
        text = self.text(float=self.quality(None, 91, 4e6), detent=self.quality(30, 90))
        self.assertIn('<td class="">PyPI net==1</td><td class="">MIT</td></tr>', text)

    def test_a_loss_is_said_plainly(self):
        text = self.text(float=self.quality(None, 91, 4e6), detent=self.quality(30, 80), nncf=self.quality(25, 90))
        self.assertIn("top-1 %: NNCF 90.0, Detent 80.0", text)
        self.assertEqual([loss[1] for loss in self.document["losses"]], ["score"])

    def test_a_difference_within_the_noise_is_no_loss(self):
        self.text(float=self.quality(None, 91, 4e6), detent=self.quality(30, 90), nncf=self.quality(30.4, 90.9, .96e6))
        self.assertEqual(self.document["losses"], [])

    def test_a_float_model_that_is_faster_is_a_loss(self):
        text = self.text(float=self.quality(None, 91, 4e6), detent=self.quality(30, 90),
                         time_onnxruntime={"times": {"float": {"ms": 1}, "detent": {"ms": 2}}})
        self.assertIn("the float model 1.000, Detent 2.000", text)

    def test_a_tool_of_ours_that_failed_where_a_peer_did_not_is_a_loss(self):
        self.text(float=self.quality(None, 91, 4e6), detent={"error": "no"}, nncf=self.quality(25, 80))
        self.assertEqual({loss[1] for loss in self.document["losses"]}, {"score", "sqnr_db", "size"})

    def test_a_file_that_is_not_quantized_beats_none(self):
        text = self.text(float=self.quality(None, 91, 4e6), detent=self.quality(30, 89), nncf=self.quality(200.0, 91, 4e6))
        self.assertIn('<td data-order="200.0" class="">exact</td>', text)
        self.assertEqual(self.document["losses"], [])

    def test_a_broken_file_wins_neither_time_nor_size(self):
        self.text(float=self.quality(None, 91, 4e6), detent=self.quality(30, 90), nncf=self.quality(9.9, 10, .5e6))
        self.assertEqual(self.document["losses"], [])
        self.text(nncf=self.quality(10.1, 10, .5e6))
        self.assertEqual([loss[1] for loss in self.document["losses"]], ["size"])

    def times(self, ours, theirs, decibels=None):
        row = {"ms": theirs} | ({"sqnr_db": decibels} if decibels else {})
        return {"times": {"float": {"ms": 2}, "detent_openvino": {"ms": ours, "sqnr_db": 20}, "nncf": row}}

    def test_a_peer_that_is_better_in_one_and_worse_in_nothing_dominates(self):
        text = self.text(float=self.quality(None, 91, 4e6), detent_openvino=self.quality(30, 90), nncf=self.quality(25, 90),
                         time_openvino=self.times(1, .9, 20))
        self.assertEqual([row[:2] for row in self.document["dominated"]], [["Net <one>", "openvino"]])
        self.assertIn("NNCF: Score 90.0, Detent 90.0", text)

    def test_a_peer_that_is_worse_in_the_engines_own_db_does_not_dominate(self):
        self.text(float=self.quality(None, 91, 4e6), detent_openvino=self.quality(30, 90), nncf=self.quality(35, 90),
                  time_openvino=self.times(1, .9, 15))
        self.assertEqual(self.document["dominated"], [])

    def test_slower_than_float_counts_for_the_file_of_the_search(self):
        results = {"float": self.quality(None, 91, 4e6), "detent": self.quality(30, 90)}
        times = {"float": {"ms": 1}, "detent": {"ms": 2}}
        self.text(**results, time_onnxruntime={"times": times})
        self.assertEqual([row[1] for row in self.document["dominated"]], ["ort"])
        self.text(**results, detent_search=self.quality(30, 90), time_onnxruntime={"times": {**times, "detent_search": {"ms": 1}}})
        self.assertEqual(self.document["dominated"], [])

    def test_duels_count_networks_better_equal_and_worse(self):
        text = self.text(float=self.quality(None, 91, 4e6), detent=self.quality(30, 90), nncf=self.quality(25, 90, .5e6))
        self.assertIn('<td class="">NNCF</td><td data-order="0" class="">0 / 1 / 0</td>'
                      '<td data-order="1" class="best">1 / 0 / 0</td>', text)

    def test_cells_sort_by_number(self):
        text = self.text(float=self.quality(None, 91, 4e6), detent=self.quality(30, 90))
        self.assertIn('<td data-order="30" class="best">30.0</td>', text)
        self.assertTrue(re.search(r"onclick", text))


class Reasons(unittest.TestCase):
    def test_a_reason_names_networks_and_measures_that_exist(self):
        known = {network.name for network in networks.NETWORKS}
        for measures, names, why in page.reasons.REASONS:
            self.assertTrue(set(measures) <= set(page.MEASURES), why)
            self.assertTrue(set(names) <= known, why)

    def test_the_reason_of_a_network_comes_before_that_of_all(self):
        kept = page.reasons.REASONS[:]
        self.addCleanup(lambda: page.reasons.REASONS.__setitem__(slice(None), kept))
        page.reasons.REASONS[:] = [(["size"], [], "all"), (["size"], ["unet"], "one")]
        self.assertEqual([page.reasons.of(*pair) for pair in (("unet", "size"), ("style", "size"), ("unet", "ort"))],
                         ["one", "all", ""])


class Table(unittest.TestCase):
    def test_every_row_names_functions_and_scores_that_exist(self):
        written = {name: (ROOT / f"bench/showcase/{name}.py").read_text() for name in ("samples", "scores")}
        for network in networks.NETWORKS:
            self.assertIn(f"\ndef {network.samples[0]}(", written["samples"], network.name)
            if network.score:
                self.assertIn(f"\ndef {network.score[0]}(", written["scores"], network.name)
                self.assertIn(network.score[0], networks.SCORES)

    def test_names_are_unique_and_licences_are_said(self):
        names = [network.name for network in networks.NETWORKS]
        self.assertEqual(len(names), len(set(names)))
        self.assertTrue(all(network.licence for network in networks.NETWORKS))
        self.assertGreaterEqual(len(names), 20)


class Sources(unittest.TestCase):
    @unittest.skipUnless(shutil.which("dpkg-deb"), "dpkg-deb is not here")
    def test_a_package_of_debian_is_unpacked_and_its_member_found(self):
        with tempfile.TemporaryDirectory(prefix="detent-showcase-test-") as place:
            package, cache, call = pathlib.Path(place, "package"), pathlib.Path(place, "cache"), showcase.sources.call
            (package / "DEBIAN").mkdir(parents=True)
            (package / "DEBIAN/control").write_text("Package: clips\nVersion: 1\nArchitecture: all\nMaintainer: none\n"
                                                    "Description: clips\n")
            (package / "clip.wav").write_text("a clip")

            def downloaded(command, seconds, folder=None):
                packs = command[0] == "apt-get"
                return call(["dpkg-deb", "-b", str(package), "clips_1_all.deb"] if packs else command, seconds, folder)
            showcase.sources.call = downloaded
            self.addCleanup(setattr, showcase.sources, "call", call)
            found = showcase.sources.fetch(("debian", "clips", "clip.wav"), cache, None)
            self.assertEqual(found, cache / "clips/clip.wav")
            self.assertEqual(found.read_text(), "a clip")
            with self.assertRaises(showcase.sources.Missing):
                showcase.sources.fetch(("debian", "clips", "other.wav"), cache, None)


    def test_a_form_of_a_made_network_is_a_word_for_its_script_and_has_its_own_folder(self):
        with tempfile.TemporaryDirectory(prefix="detent-showcase-test-") as place:
            cache = pathlib.Path(place)
            for folder, file in (("ctc", "ctc.onnx"), ("transducer", "encoder.onnx")):
                (cache / folder).mkdir()
                (cache / folder / file).write_text("here already")
            calls = []

            def written(command, *_):
                calls.append(command[2:])
                (pathlib.Path(command[2]) / "encoder.onnx").write_text("made")
            self.addCleanup(setattr, showcase.sources, "call", showcase.sources.call)
            showcase.sources.call = written
            where = ("made", "transducer.py", "encoder.onnx")
            self.assertEqual(showcase.sources.fetch(where, cache, str), cache / "transducer/encoder.onnx")
            self.assertEqual(calls, [])
            self.assertEqual(showcase.sources.fetch((*where, "tdt"), cache, str), cache / "tdt/encoder.onnx")
            self.assertEqual(calls, [[str(cache / "tdt"), str(cache / "ctc/ctc.onnx"), "tdt"]])


class Texts(unittest.TestCase):
    def test_orders_differ_and_more_of_them_begin_with_the_fewer(self):
        orders = texts.orders(500, 1)
        self.assertEqual(len(set(orders)), 500)
        self.assertEqual(orders[:100], texts.orders(100, 1))
        self.assertNotEqual(orders[:100], texts.orders(100, 2))

    def test_an_order_is_words_of_letters(self):
        for order in texts.orders(500, 1):
            self.assertRegex(order, r"^[a-z]+( [a-z]+)+$")


if __name__ == "__main__":
    unittest.main()
