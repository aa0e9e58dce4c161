"""Counts and ranks the words of a text."""

import sys


def words(text):
    return sorted(set(text.lower().split()))


def top(text, count):
    seen = {}
    for word in words(text):
        seen[word] = seen.get(word, 0) + 1
    ranked = sorted(seen.items(), key=lambda item: (-item[1], item[0]))
    return ranked[:count]


def main(argv):
    if len(argv) not in (1, 3):
        print("usage: tally FILE [--top N]", file=sys.stderr)
        return 2
    with open(argv[0], encoding="utf-8") as file:
        text = file.read()
    if len(argv) == 1:
        print(len(words(text)))
        return 0
    for word, count in top(text, int(argv[2])):
        print(word, count)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
