#!/usr/bin/env bash
# Builds the plug-in against an installed Wick and shows its ops at work.
# usage: run.sh PREFIX SCRATCH_DIR [FOLDER_OF_PROGRAMS]
set -euo pipefail
prefix=$1 scratch=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

fail() {
  echo "custom-op: FAILED: $1" >&2
  exit 1
}

cmake -S "$here" -B "$scratch" -DCMAKE_PREFIX_PATH="$prefix" >"$scratch.log" 2>&1 &&
  cmake --build "$scratch" >>"$scratch.log" 2>&1 || { cat "$scratch.log"; fail "the build"; }
plugin=$scratch/libmy-ops.so

# In C++: loaded by the program, and by the environment.
"$scratch/use-ops" "$plugin"
WICK_PLUGINS=$plugin "$scratch/use-ops" >/dev/null

# The interpreter, repeating every run, finds the same values.
WICK_VALIDATE=1 "$scratch/use-ops" "$plugin" >/dev/null

# In text: the expansion fuses, the function is a step of the plan.
opt() { "$prefix/bin/wick-opt" "$@"; }
opt --plugins="$plugin" --pass-pipeline=default --emit=plan "$here/lengths.wick" | tee "$scratch/plan"
grep -q '1 kernel launches, 1 library calls, 0 interpreted' "$scratch/plan" || fail "the plan"
grep -q 'signal.prefix_sum \[registered function\]' "$scratch/plan" || fail "the call in the plan"

# The text runs, and gives what the interpreter makes of it.
"$prefix/bin/wick-run" --plugins="$plugin" --inputs=random:1 --reference=interpreter \
  "$here/lengths.wick" | tee "$scratch/results"

# Without the plug-in its text is an error that says so.
if opt "$here/lengths.wick" 2>"$scratch/error"; then fail "unregistered ops were taken"; fi
grep -q 'the op geo.hypot is not registered; is its plug-in loaded?' "$scratch/error" ||
  fail "the error without the plug-in"
echo "custom-op: all as expected"
