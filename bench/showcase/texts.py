"""Sentences of the Python reference, which comes with every Python: English that all tools see alike."""

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
