"""Texts of the command line in Python's words: "--max-drop 0.01" becomes "max_drop=0.01"."""

import re as _re

from . import _detent

# Arguments of all commands by name, with the types that their values have.
_TYPES = {name: kind for _, options in _detent.commands.values() for name, kind, _, _ in options}
# Options that gather others, whose keys are arguments.
_GROUPS = {"policy", "format", "feed"}
_OPTION = _re.compile(r"(?<![\w-])--([a-z][a-z-]*)(?:[ =]((?:[a-z-]+=)?[\w.:/+-]*[\w%]))?")


def _shown(name, value):
    """Returns "name=value", the value as Python writes it; None if it is no value of the argument."""
    kind = _TYPES.get(name, "")
    if _re.fullmatch(r"[A-Z][A-Z_]*", value):  # a placeholder: --exclude REGEX
        return f"{name}={value}"
    if _re.fullmatch(r"-?\d+(\.\d+)?", value) and ("int" in kind or "float" in kind):
        return f"{name}={value}"
    if f'"{value}"' in kind or (kind != "bool" and _re.search(r"[.:/\d]", value)):
        return f'{name}="{value}"'
    return None


def in_python(text):
    """Returns the text with arguments of Python in place of options. A word behind an option that is no value of it
    stays a word."""

    def argument(found):
        name, value = found[1].replace("-", "_"), found[2]
        name = name + "s" if name not in _TYPES and name + "s" in _TYPES else name  # --shape: shapes
        if name in _GROUPS and value and "=" in value:
            key, _, value = value.partition("=")
            return _shown(key.replace("-", "_"), value) or f'{key.replace("-", "_")}="{value}"'
        if name not in _TYPES:
            return found[0]
        shown = _shown(name, value) if value and "=" not in value else None
        if shown:
            return shown
        called = f"{name}=True" if _TYPES[name] == "bool" else name
        return called + found[0][len(found[1]) + 2 :]

    return _OPTION.sub(argument, text)
