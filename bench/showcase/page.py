"""Writes results.json and index.html of the showcase from the results that are there."""

import datetime
import html
import json
import os
import pathlib
import platform
import re

import networks as table_of
import reasons

# Tool: name in tables. The first two are ours.
NAMES = {"detent": "Detent", "detent_openvino": "Detent for OpenVINO", "ort_static": "ORT static",
         "detent_search": "Detent, search", "detent_openvino_search": "Detent for OpenVINO, search",
         "ort_dynamic": "ORT dynamic", "nncf": "NNCF", "modelopt": "Model-Optimizer"}
OURS = ("detent", "detent_openvino", "detent_search", "detent_openvino_search")
NOISE_OF_TIME = .03
# Measure: title, digits, what lies within the noise of a row (a difference, or a share where negative).
MEASURES = {"score": ("Score", 1, 1.0), "sqnr_db": ("SQNR against float, dB", 1, .5),
            "openvino_db": ("SQNR in OpenVINO, dB", 1, .5), "ort": ("ms in ONNX Runtime", 3, -NOISE_OF_TIME),
            "openvino": ("ms in OpenVINO", 3, -NOISE_OF_TIME), "size": ("Size, MB", 2, -.05)}
# Seen by a user of an engine: a peer's file dominates ours if it is better in one and worse in none.
SEEN = {"ort": ("score", "sqnr_db", "ort", "size"), "openvino": ("score", "openvino_db", "openvino", "size")}
BROKEN = 10.0  # dB below which a file's time and size do not count
EXACT = 200.0  # dB of equal bits: nothing that runs was quantized
# What results.json keeps of a network and of each result: what the page shows.
KEPT = ("name", "title", "kind", "where", "licence", "score")
KEPT_OF_RESULT = ("settings", "version", "engine", "score", "sqnr_db", "size", "times", "counts", "error")


class Row:
    """A network with the values of each tool: value("sqnr_db", "nncf")."""

    def __init__(self, network, folder):
        self.network, self.results = network, {}
        for path in folder.glob(f"{network.name}.*.json"):
            self.results[path.name.split(".")[1]] = json.loads(path.read_text())
        self.unit, self.larger = table_of.SCORES[network.score[0]] if network.score else ("", True)

    def value(self, measure, tool):
        result = self.results.get(tool, {})
        if "error" in result:
            return None
        if measure in ("ort", "openvino", "openvino_db"):
            engine = "onnxruntime" if measure == "ort" else "openvino"
            times = self.results.get(f"time_{engine}", {}).get("times", {})
            return times.get(tool, {}).get("sqnr_db" if measure == "openvino_db" else "ms")
        value = result.get(measure)
        return value / 1e6 if measure == "size" and value is not None else value

    def is_exact(self, tool):
        """Whether a tool's file computes the same bits as the float model: nothing that runs was quantized."""
        return (self.results.get(tool, {}).get("sqnr_db") or 0) >= EXACT

    def takes_part(self, measure, tool):
        """Whether a tool has a value that counts beside others."""
        decibels = self.value("openvino_db" if measure == "openvino" else "sqnr_db", tool)
        broken = measure in ("ort", "openvino", "size") and decibels is not None and decibels < BROKEN
        return self.value(measure, tool) is not None and not broken and not self.is_exact(tool)

    def is_larger_better(self, measure):
        return self.larger if measure == "score" else measure in ("sqnr_db", "openvino_db")

    def ours(self, measure):
        """Returns our tool for a measure: the file for OpenVINO only where OpenVINO runs it."""
        return "detent_openvino" if measure in ("openvino", "openvino_db") else "detent"

    def best(self, measure, tools):
        """Returns the best of the tools that take part, None if there is none."""
        known = [tool for tool in tools if self.takes_part(measure, tool)]
        sign = 1 if self.is_larger_better(measure) else -1
        return max(known, key=lambda tool: sign * self.value(measure, tool), default=None)

    def beaten_by(self, measure, tool, other):
        """Whether the other tool's value is better by more than the noise."""
        ours, theirs, noise = self.value(measure, tool), self.value(measure, other), MEASURES[measure][2]
        if ours is None or theirs is None:
            return ours is None and theirs is not None
        gain = theirs - ours if self.is_larger_better(measure) else ours - theirs
        return gain > (noise if noise > 0 else -noise * ours)


    def dominates(self, engine, peer, ours):
        """Whether a peer's file is better than ours in something that a user of the engine sees, and worse in nothing,
        beyond the noise."""
        known = [measure for measure in SEEN[engine] if self.value(measure, ours) is not None and
                 self.value(measure, peer) is not None]
        return engine in known and any(self.beaten_by(measure, ours, peer) for measure in known) and \
            not any(self.beaten_by(measure, peer, ours) for measure in known)


def peers(row):
    return [tool for tool in NAMES if tool not in OURS and tool in row.results]


def shown(row, measure, tool):
    value = row.value(measure, tool)
    if value is None:
        return ""
    if measure == "sqnr_db" and value >= EXACT:
        return "exact"
    digits = MEASURES[measure][1]
    return f"{value:.{max(0, digits - 1) if measure in ('ort', 'openvino') and value >= 10 else digits}f}"


def losses(rows):
    """Returns [title, measure, sentence, reason] of where a peer is better than Detent by more than the noise."""
    said = []
    for row in rows:
        for measure, (title, _, _) in MEASURES.items():
            ours = row.ours(measure)
            if ours not in row.results or measure == "score" and not row.network.score:
                continue
            rivals = peers(row) + (["float"] if measure in ("ort", "openvino") else [])
            best = row.best(measure, rivals)
            if best is None or measure == "sqnr_db" and row.is_exact(ours) or not row.beaten_by(measure, ours, best):
                continue
            name, unit = NAMES.get(best, "the float model"), row.unit if measure == "score" else title
            sentence = f"{unit}: {name} {shown(row, measure, best)}, Detent {shown(row, measure, ours) or 'none'}"
            if measure in ("ort", "openvino", "size") and shown(row, "sqnr_db", best) and shown(row, "sqnr_db", ours):
                sentence += f" (at {shown(row, 'sqnr_db', best)} dB, Detent at {shown(row, 'sqnr_db', ours)} dB)"
            said.append((row.network.title, measure, sentence, reasons.of(row.network.name, measure)))
    return said


def dominated(rows):
    """Returns (network, engine, sentence) where a peer's file dominates ours, or our best file is slower than float."""
    said = []
    for row in rows:
        for engine, measures in SEEN.items():
            ours = row.ours(engine)
            files = [tool for tool in (ours, f"{ours}_search") if row.value(engine, tool) is not None]
            for peer in peers(row):
                if files and all(row.dominates(engine, peer, tool) for tool in files):
                    values = [f"{MEASURES[measure][0]} {shown(row, measure, peer)}, Detent {shown(row, measure, ours)}"
                              for measure in measures if shown(row, measure, peer)]
                    said.append((row.network.title, engine, f"{NAMES[peer]}: {'; '.join(values)}"))
            if files and all(row.beaten_by(engine, tool, "float") and not row.is_exact(tool) for tool in files):
                said.append((row.network.title, engine, f"slower than float: {MEASURES[engine][0]} "
                             f"{shown(row, engine, 'float')}, Detent {shown(row, engine, files[-1])}"))
    return said


def cell(text, order=None, classes=""):
    attribute = f' data-order="{order}"' if order is not None else ""
    return f'<td{attribute} class="{classes}">{text}</td>'


def mark(row, measure, tool, rivals):
    """Returns the class of a cell: "best" unless a rival is better by more than the noise."""
    known = [rival for rival in rivals if rival is not None and row.takes_part(measure, rival)]
    return "best" if tool in known and not any(row.beaten_by(measure, tool, rival) for rival in known) else ""


def source(where):
    return {"shared": f"shared folder, {where[1]}", "pypi": f"PyPI {where[1]}", "maven": f"Maven {where[1]}",
            "made": f"bench/showcase/make/{where[1]}"}[where[0]]


def pair(row, measure):
    """Returns two cells: ours and the best peer's. Marked is the better one, or both within the noise."""
    ours, best = row.ours(measure), row.best(measure, peers(row))
    cells = []
    for tool in (ours, best):
        text = shown(row, measure, tool) if tool else ""
        if tool == best and tool and text:
            text += f' <small>{html.escape(NAMES[tool])}</small>'
        cells.append(cell(text, row.value(measure, tool) if tool else None, mark(row, measure, tool, [ours, best])))
    return cells


GROUPS = [("", 2), ("Score", 4), ("SQNR, dB", 2), ("dB in OpenVINO", 2), ("ms in ONNX Runtime", 3), ("ms in OpenVINO", 3), ("Size, MB", 3), ("", 2)]


def overview(rows):
    """The table of all networks: Detent and the best peer of each measure."""
    head = ["Network", "Kind", "unit", "float", *["Detent", "best peer"] * 3,
            *["float", "Detent", "best peer"] * 3, "Source", "Licence"]
    lines = []
    for row in rows:
        cells = [cell(html.escape(row.network.title)), cell(row.network.kind), cell(row.unit),
                 cell(shown(row, "score", "float"), row.value("score", "float")), *pair(row, "score"), *pair(row, "sqnr_db"),
                 *pair(row, "openvino_db")]
        for measure in ("ort", "openvino", "size"):
            cells += [cell(shown(row, measure, "float"), row.value(measure, "float")), *pair(row, measure)]
        cells += [cell(html.escape(text)) for text in (source(row.network.where), row.network.licence)]
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return table(head, lines, GROUPS)


def full(rows, measure):
    tools = [tool for tool in NAMES if any(tool in row.results for row in rows)]
    with_float = measure not in ("sqnr_db", "openvino_db")
    head = ["Network", *(["Unit"] if measure == "score" else []), *(["float"] if with_float else []),
            *[NAMES[tool] for tool in tools]]
    lines = []
    for row in rows:
        if measure == "score" and not row.network.score:
            continue
        cells = [cell(html.escape(row.network.title))]
        cells += [cell(row.unit)] if measure == "score" else []
        cells += [cell(shown(row, measure, "float"), row.value(measure, "float"))] if with_float else []
        for tool in tools:
            cells.append(cell(shown(row, measure, tool), row.value(measure, tool), mark(row, measure, tool, tools)))
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return table(head, lines)


def failures(rows):
    lines = []
    for row in rows:
        for tool, result in sorted(row.results.items()):
            if "error" in result:
                lines.append((row, NAMES.get(tool, tool), result["error"]))
            for file, time in result.get("times", {}).items():
                if "error" in time:
                    lines.append((row, f"{NAMES.get(file, file)} in {tool.removeprefix('time_')}", time["error"]))
    return table(["Network", "Tool", "Reason"], ["<tr>" + "".join(cell(html.escape(text)) for text in (
        row.network.title, tool, reason)) + "</tr>" for row, tool, reason in lines])


def origins(rows):
    lines = []
    for row in rows:
        counts = row.results.get("samples", {}).get("counts", {})
        lines.append("<tr>" + "".join(cell(html.escape(str(text))) for text in (
            row.network.title, source(row.network.where), row.network.licence, row.network.samples[0].replace("_", " "),
            counts.get("calib", ""), counts.get("test", ""))) + "</tr>")
    return table(["Network", "Source", "Licence", "Samples", "to calibrate", "to judge"], lines)


def tools_table(rows):
    found = {}
    for row in rows:
        for tool in NAMES:
            result = row.results.get(tool, {})
            if "settings" in result:
                found.setdefault((NAMES[tool], result.get("version", ""), result["settings"]), []).append(row.network.name)
    return table(["Tool", "Version", "Settings", "Networks"], ["<tr>" + "".join(cell(html.escape(str(text))) for text in (
        *key, len(names))) + "</tr>" for key, names in sorted(found.items())])


def table(head, lines, groups=()):
    over = "".join(f'<th class="group" colspan="{count}">{html.escape(title)}</th>' for title, count in groups)
    return ('<div class="wide"><table><thead>' + (f"<tr>{over}</tr>" if over else "") + "<tr>" + "".join(f"<th>{html.escape(title)}</th>" for title in head) +
            "</tr></thead><tbody>" + "\n".join(lines) + "</tbody></table></div>")


STYLE = """
:root { color-scheme: light dark; --line: #8884; --best: #2a8a3e26; --ink: #2a8a3e; }
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem auto; padding: 0 1.5rem; max-width: 130rem; }
h1 { margin: 0 0 .3rem; } h2 { margin: 2.2rem 0 .4rem; } small { opacity: .7; font-size: 85%; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .6rem; text-align: left; white-space: nowrap; }
th { cursor: pointer; border-bottom: 2px solid var(--line); }
th[aria-sort]::after { content: " \\2193"; } th[aria-sort=ascending]::after { content: " \\2191"; }
td.best { background: var(--best); font-weight: 600; } td.best small { font-weight: 400; }
th.group { cursor: default; border-bottom: 1px solid var(--line); border-left: 1px solid var(--line); }
#losses td, #failures td { white-space: normal; }
"""
SCRIPT = """
for (const head of document.querySelectorAll('th:not(.group)')) head.onclick = () => {
  const up = head.ariaSort !== 'ascending', body = head.closest('table').tBodies[0];
  for (const other of head.parentNode.children) other.ariaSort = null;
  head.ariaSort = up ? 'ascending' : 'descending';
  const of = row => { const cell = row.cells[head.cellIndex], text = cell.dataset.order ?? cell.textContent;
    return text === '' ? null : isNaN(text) ? text : +text; };
  const compare = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
  body.append(...[...body.rows].sort((a, b) => { const x = of(a), y = of(b);
    return x === null || y === null ? (x === null) - (y === null) : (up ? 1 : -1) * compare(x, y); }));
};
"""


def processor():
    info = pathlib.Path("/proc/cpuinfo")
    text = info.read_text() if info.exists() else ""
    name = re.search(r"^model name\s*:\s*(.+)$", text, re.M)
    best = next((one for one in ("amx_int8", "avx512_vnni", "avx_vnni", "avx2") if f" {one}" in text), "")
    return f"{name[1].strip() if name else platform.machine()} ({best or 'no INT8 instructions known'})"


def duels(rows):
    """Returns the table of Detent against each peer: networks where it is better, within the noise, and worse."""
    lines = []
    for peer in NAMES:
        if peer in OURS or not any(peer in row.results for row in rows):
            continue
        cells = [cell(NAMES[peer])]
        for measure in MEASURES:
            better = equal = worse = 0
            for row in rows:
                ours = row.ours(measure)
                if not row.takes_part(measure, peer) or not row.takes_part(measure, ours) or \
                        measure == "score" and not row.network.score:
                    continue
                lost, won = row.beaten_by(measure, ours, peer), row.beaten_by(measure, peer, ours)
                better, equal, worse = better + won, equal + (not won and not lost), worse + lost
            cells.append(cell(f"{better} / {equal} / {worse}", better - worse, "best" if better > worse else ""))
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return table(["Detent against", *(title for title, _, _ in MEASURES.values())], lines)


def kept(members, names):
    return {name: members[name] for name in names if name in members}


def write(folder, networks, options):
    """Writes the page of all networks that have results."""
    kinds = list(dict.fromkeys(network.kind for network in networks))
    rows = [Row(network, folder / "results") for network in networks]
    rows = sorted((row for row in rows if row.results), key=lambda row: kinds.index(row.network.kind))
    judged = [row for row in rows if "float" in row.results and "error" not in row.results["float"]]
    engines = sorted({row.results["float"].get("engine", "") for row in judged})
    machine = {"cpu": processor(), "threads": options.threads, "date": datetime.date.today().isoformat(),
               "calibration": options.calibration, "samples": options.samples, "engines": engines,
               "command": f"scripts/showcase FOLDER --calibration {options.calibration} --samples {options.samples} "
                          f"--threads {options.threads} --clock {options.clock}"}
    document = {"machine": machine, "networks": [{**kept(row.network._asdict(), KEPT), "results": {
        name: kept(result, KEPT_OF_RESULT) for name, result in sorted(row.results.items())}} for row in rows],
                "losses": losses(judged), "dominated": dominated(judged)}
    put(folder / "results.json", json.dumps(document, indent=1) + "\n")
    lost = ["<tr>" + "".join(cell(html.escape(text)) for text in (title, sentence, why)) + "</tr>"
            for title, _, sentence, why in losses(judged)]
    clock = "CPU time" if options.clock == "cpu" else "wall time"
    worse = ["<tr>" + "".join(cell(html.escape(text)) for text in (title, sentence)) + "</tr>"
             for title, _, sentence in dominated(judged)]
    parts = [f"""<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Detent beside its peers</title><style>{STYLE}</style>
<h1>Detent beside its peers</h1>
<p>{len(judged)} networks, the same samples for every tool. Scores and dB are of ONNX Runtime's outputs, and where OpenVINO is
named of its, on samples that no tool calibrated with; dB is of the worst output. Milliseconds of a network are {clock} of one process that runs all
files in turn, batch 1, {options.threads} thread(s); other programs shared the machine, so compare within a row only.</p>
<p><code>{html.escape(machine['command'])}</code><br>{html.escape(machine['cpu'])}; {machine['date']};
{html.escape(', '.join(engines))}; at most {options.calibration} samples to calibrate and {options.samples} to judge, fewer
where a set is smaller. Score of {options.samples} samples: the standard error is up to
{100 * .5 / max(1, options.samples) ** .5:.0f} points.</p>
<p>Raw data: <a href="results.json">results.json</a>. Click a
heading to sort. Marked is the best of a row, and what lies within the noise of it. "exact": the tool quantized nothing that
runs; such a file takes no part, and below {BROKEN:.0f} dB neither do time and size.</p>
<h2>Networks where Detent is better / within the noise / worse</h2>""", duels(judged), "<h2>Overview</h2>", overview(judged),
             f"<h2>Files that a peer's file dominates, or slower than float ({len(worse)})</h2><p>Better than Detent's file "
             "in score, dB, milliseconds or size, and worse in none, beyond the noise. Where our default is slower than float, "
             "the file of the search by latency counts.</p>", table(["Network", "What"], worse),
             f'<h2>Where Detent loses ({len(lost)})</h2><p>A peer, or the float model where it is about time, is better by more '
             "than the noise: 1 point, 0.5 dB, 3 % of the time, 5 % of the size.</p><div id=losses>",
             table(["Network", "What", "Why"], lost), "</div>"]
    for measure, (title, _, _) in MEASURES.items():
        parts += [f"<h2>{title}, every tool</h2>", full(judged, measure)]
    parts += ["<h2>Settings</h2>", tools_table(rows), "<h2>What failed</h2><div id=failures>", failures(rows), "</div>",
              "<h2>Networks</h2>", origins(rows), f"<script>{SCRIPT}</script></html>\n"]
    put(folder / "index.html", "\n".join(parts))


def put(path, text):
    part = path.with_suffix(f".{os.getpid()}.part")  # two runs may share a folder
    part.write_text(text)
    part.rename(path)
