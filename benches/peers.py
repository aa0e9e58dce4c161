"""Starts a program in a terminal and prints how soon it shows something, and its private memory once it rests.

Usage: peers.py NEEDLE PROGRAM ARGUMENTS...   prints `SECONDS CPU-SECONDS MEGABYTES`
       peers.py --mini LOG OUT                writes a trajectory of mini-swe-agent as large as a log

Python's own library only; Linux, for /proc. The needle is searched for in what the program wrote, its escape sequences
left out.
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

ROWS, COLUMNS = 40, 120
PATIENCE, QUIET, LONGEST = 30.0, 1.5, 10.0
ESCAPES = re.compile(rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[P_^X][^\x1b]*\x1b\\|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]")
# What terminals answer when asked who they are and where the cursor is; some programs wait for it.
ANSWERS = ((b"\x1b[c", b"\x1b[?62;c"), (b"\x1b[6n", b"\x1b[1;1R"), (b"\x1b[>c", b"\x1b[>0;1;0c"))


def children_of(process):
    """The process and all that it started."""
    found = [process]
    for folder in os.listdir("/proc"):
        if folder.isdigit():
            try:
                with open(f"/proc/{folder}/stat") as stat:
                    parent = int(stat.read().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            if parent == process:
                found += children_of(int(folder))
    return found


def private_megabytes(process):
    total = 0
    for one in children_of(process):
        try:
            with open(f"/proc/{one}/status") as status:
                lines = [line for line in status if line.startswith("RssAnon:")]
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines)
    return total / 1024


def ticks(process):
    total = 0
    for one in children_of(process):
        try:
            with open(f"/proc/{one}/stat") as stat:
                total += sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13]))
        except OSError:
            continue
    return total


def start(command):
    """The process and our side of its terminal."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ["TERM"] = "xterm-256color"
        try:
            os.execvp(command[0], command)
        finally:
            os._exit(127)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    return process, terminal


def read(terminal, patience):
    """What came within the time; empty where nothing did."""
    ready, _, _ = select.select([terminal], [], [], patience)
    if not ready:
        return b""
    try:
        data = os.read(terminal, 1 << 16)
    except OSError:
        data = b""
    if not data:
        raise SystemExit("it ended before it showed what was looked for")
    for question, answer in ANSWERS:
        if question in data:
            os.write(terminal, answer)
    return data


def measure(needle, command):
    begun = time.monotonic()
    process, terminal = start(command)
    written, shown = b"", None
    try:
        while shown is None:
            written += read(terminal, PATIENCE)
            if needle in ESCAPES.sub(b"", written):
                shown, worked = time.monotonic() - begun, ticks(process) / os.sysconf("SC_CLK_TCK")
            elif time.monotonic() - begun > PATIENCE:
                raise SystemExit("it never showed what was looked for")
        # Some programs draw a clock for ever, and are taken as they are after a while.
        before, rested = -1, time.monotonic() + LONGEST
        while ticks(process) != before and time.monotonic() < rested:
            before, pause = ticks(process), time.monotonic() + QUIET
            while time.monotonic() < min(pause, rested):
                read(terminal, 0.1)
        print(f"{shown:.3f} {worked:.2f} {private_megabytes(process):.0f}")
    finally:
        for one in children_of(process):
            os.kill(one, signal.SIGKILL)
        os.waitpid(process, 0)


def write_mini(log, out):
    """A step for every record of the log, its text cut where it stands: as many bytes, as many small messages."""
    size, written = os.path.getsize(log), 0
    with open(log, encoding="utf-8", errors="replace") as lines, open(out, "w", encoding="utf-8") as file:
        head = [
            {"role": "system", "content": "You can run commands in a shell."},
            {"role": "user", "content": "Please keep the ledger of the harbour."},
        ]
        file.write('{"info": {}, "trajectory_format": "mini-swe-agent-1.1", "messages": [\n')
        file.write(",\n".join(map(json.dumps, head)))
        for number, line in enumerate(lines):
            role = "assistant" if number % 2 == 0 else "user"
            message = ",\n" + json.dumps({"role": role, "content": line.rstrip("\n")}, ensure_ascii=False)
            if written + len(message) > size:
                break
            file.write(message)
            written += len(message.encode())
        file.write("\n]}\n")


if __name__ == "__main__":
    if sys.argv[1] == "--mini":
        write_mini(*sys.argv[2:4])
    else:
        measure(sys.argv[1].encode(), sys.argv[2:])
