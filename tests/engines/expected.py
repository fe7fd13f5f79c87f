"""expected.json: what each engine does with each file, and the comparison of a run with it.

{ENGINE: {MODEL: {KIND: {"share": S, "exceptions": {CHECK: REASON}}}}}: KIND is the kind of CPU, S the share of all MACs
that the engine runs in INT8, and an exception a check that fails for a known reason."""

import json
import pathlib

PATH = pathlib.Path(__file__).resolve().parent / "expected.json"
SHARE_STEP = 0.001  # rounding of shares

TABLE_HEAD = ("| engine, model | result | dB of outputs (ONNX Runtime) | MACs in INT8, % (counted) | s |\n"
              "| --- | --- | --- | ---: | ---: |")


def load():
    return json.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {}


def save(table):
    """Writes the table, a line for each model."""
    engines = []
    for engine, rows in sorted(table.items()):
        lines = [f"  {json.dumps(name)}: {json.dumps(row, sort_keys=True)}" for name, row in sorted(rows.items())]
        engines.append(f" {json.dumps(engine)}: {{\n" + ",\n".join(lines) + "\n }")
    PATH.write_text("{\n" + ",\n".join(engines) + "\n}\n", encoding="utf-8")


def compare(row, table=None):
    """Returns a line for each difference of a judged row from the table."""
    kinds = (load() if table is None else table).get(row["engine"], {}).get(row["model"])
    name, failed = f"{row['engine']} {row['model']}", row["failed"]
    if kinds is None:
        return [f"{name}: has no row; `judge.py {row['engine']} --update {row['model']}` writes it"]
    kind = row["kind"]
    if kind not in kinds:
        known = {check for entry in kinds.values() for check in entry["exceptions"]}
        print(f"SKIPPED {name}: layers and share of MACs, which are not known for {kind}")
        return [f"{name}: {check}: {said}" for check, said in failed.items() if check not in known | {"layers"}]
    exceptions, share = kinds[kind]["exceptions"], kinds[kind]["share"]
    said = [f"{name}: {check}: {failed[check]}" for check in failed if check not in exceptions]
    said += [f"{name}: {check} passes now; remove its exception ({reason})"
             for check, reason in exceptions.items() if check not in failed]
    ran = (row.get("share") or {}).get("ran")
    if share is not None and ran is not None and ran < share - SHARE_STEP:
        said.append(f"{name}: {100 * ran:.1f} % of MACs ran in INT8, {100 * share:.1f} % are expected")
    return said


def update(rows):
    """Writes rows into the table. The reason of an exception that was there stays."""
    table = load()
    for row in rows:
        kinds = table.setdefault(row["engine"], {}).setdefault(row["model"], {})
        old = kinds.get(row["kind"], {}).get("exceptions", {})
        kinds[row["kind"]] = {"share": (row.get("share") or {}).get("ran"),
                       "exceptions": {check: old.get(check, said) for check, said in sorted(row["failed"].items())}}
    save(table)


def table_line(row):
    outputs = ", ".join(f"{o['engine_db']:.1f} ({o['simulated_db']:.1f})" if "engine_db" in o else
                        f"{100 * o['equal']:.1f} % equal" for o in row.get("outputs", [])[:4]
                        if "engine_db" in o or "equal" in o)
    share = row.get("share")
    shares = f"{100 * share['ran']:.1f} ({100 * share['counted']:.1f})" if share else "–"
    result = "; ".join(f"**{check}** {said}" for check, said in row["failed"].items()).replace("|", "/") or "ok"
    if "cycles" in row:
        result += f", {row['cycles']} cycles" + (f", on its CPU: {', '.join(row['cpu'])}" if row["cpu"] else "")
    return f"| {row['engine']}, {row['model']} | {result} | {outputs or '–'} | {shares} | {row['seconds']} |"
