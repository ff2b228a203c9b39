#!/usr/bin/env bash
# Builds the plug-in against an installed Wick and shows it at work.
# usage: run.sh PREFIX SCRATCH
set -euo pipefail
prefix=$1 scratch=$2
here=$(cd "$(dirname "$0")" && pwd)

cmake -S "$here" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$scratch/build" >/dev/null
plugin=$scratch/build/strength-reduction.so
opt=$prefix/bin/wick-opt

fail() { echo "pass-plugin: $*" >&2; exit 1; }

# In an unmodified program, at its extension point.
plain=$("$scratch/build/cubes")
reduced=$(WICK_PLUGINS=$plugin WICK_FLAGS="--remarks=strength --pass-statistics" \
  "$scratch/build/cubes" 2>"$scratch/log")
echo "sum of fifth powers: $plain; with the plug-in: $reduced"
cat "$scratch/log"
[[ $plain == "$reduced" ]] || fail "the result changed"
grep -q "cubes.cpp:.*remark: strength-reduction: power: pow by 5 becomes products" "$scratch/log" ||
  fail "no remark"
grep -q "1  strength-reduction.powers" "$scratch/log" || fail "no statistic"

# By name, with options, on text.
"$opt" --plugins="$plugin" "$here/powers.wick" --remarks-missed \
  --pass-pipeline='strength-reduction{approximate,max-power=8}' >"$scratch/out" 2>"$scratch/log" || fail "$(cat "$scratch/log")"
cat "$scratch/out"
grep -q "powers.cpp:4:1: remark: strength-reduction: missed-power" "$scratch/log" || fail "no missed remark"
[[ $(grep -c ' = pow ' "$scratch/out") == 1 ]] || fail "the large power should stay"
[[ $(grep -c ' = exp ' "$scratch/out") == 1 ]] || fail "the exponentials should be joined"
"$opt" --plugins="$plugin" "$here/powers.wick" --pass-pipeline='strength-reduction{max-powr=8}' \
  >/dev/null 2>"$scratch/log" && fail "a misspelled option is accepted"
grep -q "did you mean 'max-power'" "$scratch/log" || fail "no help with a misspelled option"
echo "pass-plugin: ok"
