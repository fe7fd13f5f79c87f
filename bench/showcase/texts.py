"""Sentences of the Python reference, which comes with every Python, and orders made by a grammar: English that all tools
see alike."""

import pydoc_data.topics
import random
import re


def sentences(shortest=6, longest=24):
    """Returns [(topic, sentence)] in the reference's order, each sentence once and without markup."""
    found, seen = [], set()
    for topic, text in sorted(pydoc_data.topics.topics.items()):
        for paragraph in re.split(r"\n\s*\n", text):
            if re.match(r"\s{4,}|[*=\-.]", paragraph) or ">>>" in paragraph or "::=" in paragraph:
                continue  # code, headings and grammar
            plain = re.sub(r"[*`\"“”|^]", "", " ".join(paragraph.split()))
            for sentence in re.split(r"(?<=[.!?]) (?=[A-Z])", plain):
                count = len(sentence.split())
                if shortest <= count <= longest and sentence not in seen and re.fullmatch(r"[ -~]+[.!?]", sentence):
                    seen.add(sentence)
                    found.append((topic, sentence))
    return found


def topics(count, each, seed):
    """Returns `count` random topics as [(topic, [sentence] * each)]."""
    groups = {}
    for topic, sentence in sentences():
        groups.setdefault(topic, []).append(sentence)
    large = sorted(topic for topic, members in groups.items() if len(members) >= each)
    draw = random.Random(seed)
    draw.shuffle(large)
    return [(topic, draw.sample(groups[topic], each)) for topic in large[:count]]


def phrases(shortest=3, longest=7):
    """Returns runs of words of letters a to z in random order: texts that a small recognizer can spell."""
    found = []
    for _, sentence in sentences(4, 60):
        words = re.findall(r"[a-z]+", sentence.lower())
        if " ".join(words) != re.sub(r"[^a-z ]", "", sentence.lower()):
            continue
        draw = random.Random(sentence)
        while len(words) >= shortest:
            count = draw.randint(shortest, longest)
            found.append(" ".join(words[:count]))
            words = words[count:]
    found = sorted({text for text in found if len(text.split()) >= shortest})
    random.Random(1).shuffle(found)
    return found


UNITS = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
         "eighteen nineteen").split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBERS = UNITS + [f"{ten} {unit}".removesuffix(" zero") for ten in TENS for unit in UNITS[:10]]
SLOTS = {
    "number": NUMBERS, "few": UNITS[2:10], "hour": UNITS[1:13],
    "colour": "red green blue yellow white black brown orange purple grey".split(),
    "day": "monday tuesday wednesday thursday friday saturday sunday".split(),
    "month": "january february march april may june july august september october november december".split(),
    "room": "kitchen bedroom bathroom garden garage office hall cellar".split(),
    "device": "light lamp heater radio window door camera speaker".split(),
    "goods": "apples bottles chairs flowers letters tickets shirts books".split(),
    "name": "anna peter maria john susan david laura michael".split(),
    "switch": "on off up down".split(), "side": "left right top bottom".split(), "sign": "plus minus times over".split(),
    "rank": "first second third fourth fifth last next".split(), "when": "now today tomorrow tonight later".split()}
ORDERS = ["turn {switch} the {colour} {device} in the {room}", "set the {device} in the {room} to {number} percent",
          "call {name} on {day} at {hour}", "wake me at {hour} on {day}", "remind {name} to buy {few} {colour} {goods}",
          "play the {rank} song by {name}", "the {colour} {goods} cost {number} dollars", "what is {number} {sign} {number}",
          "it is {number} degrees in the {room} {when}", "move number {number} to the {side}",
          "send {few} {goods} to {name} in {month}", "close the {colour} {device} {when}", "count from {number} to {number}",
          "meet {name} and {name} in the {room} on {day}", "show me the {rank} picture of {month}"]


def orders(count, seed):
    """Returns `count` different sentences of the grammar, of some 170 words."""
    draw, found = random.Random(seed), {}
    while len(found) < count:
        found[re.sub(r"{(\w+)}", lambda slot: draw.choice(SLOTS[slot[1]]), draw.choice(ORDERS))] = None
    return list(found)
