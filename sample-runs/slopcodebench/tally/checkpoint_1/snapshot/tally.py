"""Counts the words of a text."""

import sys


def words(text):
    return text.split()


def main(argv):
    if len(argv) != 1:
        print("usage: tally FILE", file=sys.stderr)
        return 2
    with open(argv[0], encoding="utf-8") as file:
        print(len(words(file.read())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
