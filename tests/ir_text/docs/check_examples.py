"""Runs the examples of a page through wick-opt.

A `wick` block prints as it stands. A `wick-input` block prints as the `wick` block behind it, a
`wick-error` block is answered with the `text` block behind it.
"""

import re
import subprocess
import sys


def wick_opt(text):
    command = ["wick-opt", "--print-locations", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def output_of(kind, text):
    ran = wick_opt(text)
    if kind == "wick-error":
        return ran.stderr if ran.returncode == 1 else "no error\n"
    return ran.stdout if ran.returncode == 0 else ran.stderr


def main():
    with open(sys.argv[1], encoding="utf-8") as page:
        blocks = re.findall(r"^```([\w-]+)\n(.*?)^```$", page.read(), re.MULTILINE | re.DOTALL)
    ran = failed = 0
    for i, (kind, text) in enumerate(blocks):
        if kind not in ("wick", "wick-input", "wick-error"):
            continue
        expected = text if kind == "wick" else blocks[i + 1][1]
        actual = output_of(kind, text)
        ran += 1
        if actual != expected:
            failed += 1
            print(f"example:\n{text}expected:\n{expected}but wick-opt says:\n{actual}")
    print(f"{ran} examples, {failed} failed")
    return 1 if failed or not ran else 0


sys.exit(main())
