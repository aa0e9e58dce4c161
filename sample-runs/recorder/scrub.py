#!/usr/bin/env python3
"""Makes a Codex rollout fit to be published: the vendor's prompt texts are elided and paths made neutral.

`scrub.py IN OUT FROM=TO [FROM=TO ...]`. Lines stay lines, and a line in which nothing had to change is copied byte for byte.
"""
import json
import re
import sys

LONG = 200
PROMPT_FIELDS = {"base_instructions", "user_instructions", "developer_instructions", "instructions", "skills", "tools", "body"}
INJECTED = ("<skills_instructions>", "<permissions instructions>", "<system-reminder>", "# AGENTS.md", "<tools>", "<user_instructions>")


def neutral(text, renames):
    for old, new in renames:
        text = text.replace(old, new)
    return text


def elided(value):
    if isinstance(value, str):
        return f"[elided: {len(value)} chars]" if len(value) > LONG else value
    if isinstance(value, list):
        return [elided(x) for x in value]
    if isinstance(value, dict):
        return {key: elided(x) if key in ("text", "content", "description") or isinstance(x, (dict, list)) else x
                for key, x in value.items()}
    return value


def scrubbed(value, renames):
    if isinstance(value, str):
        if len(value) > LONG and value.lstrip().startswith(INJECTED):
            return elided(value)
        return neutral(value, renames)
    if isinstance(value, list):
        return [scrubbed(x, renames) for x in value]
    if not isinstance(value, dict):
        return value
    vendor = value.get("role") in ("developer", "system")
    found = {}
    for key, inner in value.items():
        if key in PROMPT_FIELDS or (vendor and key == "content"):
            inner = elided(inner)
        found[neutral(key, renames)] = scrubbed(inner, renames)
    return found


def scrub_line(line, renames):
    before = json.loads(line)
    after = scrubbed(before, renames)
    if after == before:
        return line
    return json.dumps(after, ensure_ascii=False, separators=(",", ":")) + "\n"


def scrub(source, target, renames):
    renames = sorted(renames, key=lambda pair: -len(pair[0]))
    with open(source, encoding="utf-8") as lines, open(target, "w", encoding="utf-8") as out:
        for line in lines:
            out.write(scrub_line(line, renames))


if __name__ == "__main__":
    scrub(sys.argv[1], sys.argv[2], [tuple(pair.split("=", 1)) for pair in sys.argv[3:]])
