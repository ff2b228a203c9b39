"""Reads a list of ops or passes as wick-opt prints it; fails on those that no textual test uses.

An op is used where a line of IR assigns its result, a pass where a run line names it.
"""

import pathlib
import re
import sys


def used_ops(text):
    return set(re.findall(r"= \"?([a-z_0-9.]+)\"? *[%{:@(<]", text))


def used_passes(text):
    pipelines = re.findall(r"^// RUN:.*--pass-pipeline=(\S+)", text, re.MULTILINE)
    return set(re.findall(r"[a-z][a-z-]*", " ".join(pipelines)))


def listed(text):
    return re.findall(r"^\| `([a-z_0-9.-]+)` \|", text, re.MULTILINE)


def main():
    kind, folder = sys.argv[1:]
    used = {"ops": used_ops, "passes": used_passes}[kind]
    names = listed(sys.stdin.read())
    tests = [path.read_text(encoding="utf-8") for path in pathlib.Path(folder).rglob("*.wick")]
    known = set().union(*map(used, tests))
    missing = [name for name in names if name not in known]
    for name in missing:
        print(f"no test of {name}")
    return 1 if missing or not names else 0


sys.exit(main())
