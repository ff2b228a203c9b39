#!/usr/bin/env bash
# Builds the plug-in against an installed Wick, then trains the unmodified digit program with every
# add replaced.
# usage: run.sh PREFIX SCRATCH_DIR FOLDER_OF_PROGRAMS
set -euo pipefail
prefix=$1 scratch=$2 programs=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export WICK_CACHE_DIR=$scratch/cache OMP_WAIT_POLICY=passive

fail() {
  echo "swap-add: FAILED: $1" >&2
  exit 1
}

cmake -S "$here" -B "$scratch" -DCMAKE_PREFIX_PATH="$prefix" >"$scratch.log" 2>&1 &&
  cmake --build "$scratch" >>"$scratch.log" 2>&1 || { cat "$scratch.log"; fail "the build"; }
plugin=$scratch/libswap-add.so

# A number of the plug-in's report: number FILE TEXT_BEFORE_IT
number() { sed -nE "s/^swap-add: (.*, )?$2 ([0-9]+).*/\2/p" "$1"; }

accuracy() { sed -nE 's/^test accuracy ([0-9.]+).*/\1/p' "$1"; }

# Text: each add is ours, none is built in.
"$prefix/bin/wick-opt" --plugins="$plugin" --pass-pipeline=default "$here/adds.wick" \
  >"$scratch/adds.txt" 2>"$scratch/adds.report"
[[ $(grep -c 'demo.counting_add' "$scratch/adds.txt") -eq 15 ]] || fail "the adds of adds.wick"
if grep -q ' = add ' "$scratch/adds.txt"; then fail "a built-in add in adds.wick"; fi

# Ours gives what the interpreter makes of the built-in add, which it runs without passes.
"$prefix/bin/wick-run" --plugins="$plugin" --inputs=random:1 --reference=interpreter \
  "$here/adds.wick" >"$scratch/values.txt" 2>&1 || fail "$(cat "$scratch/values.txt")"

# The digit program as it is, and with the plug-in: nothing else changes.
train() { "$programs/mnist" --epochs 1 --train-size 640 --test-size 500 --seed 7; }
train >"$scratch/plain.txt"
WICK_PLUGINS=$plugin train >"$scratch/swapped.txt" 2>"$scratch/swapped.report"
cat "$scratch/swapped.report"
before=$(accuracy "$scratch/plain.txt") after=$(accuracy "$scratch/swapped.txt")
echo "swap-add: accuracy $before % with the built-in add, $after % with ours"
awk -v a="$before" -v b="$after" 'BEGIN { d = a - b; exit !(a != "" && d * d <= 1) }' ||
  fail "accuracy $before and $after"
[[ $(number "$scratch/swapped.report" 'adds run') -gt 0 ]] || fail "no add ran"
[[ $(number "$scratch/swapped.report" 'built-in adds left') == 0 ]] || fail "built-in adds"
[[ $(number "$scratch/swapped.report" 'programs whose adds ran unevenly') == 0 ]] ||
  fail "some adds of a program ran more often than others"

# Without simplification each recorded add is compiled, one for one; the graphs as they were
# recorded, printed before the swap, have as many.
WICK_PLUGINS=$plugin WICK_DISABLE_PASSES=canonicalize,constant-fold,cse,dce \
  WICK_PRINT_IR_BEFORE=swap-add train >"$scratch/all.txt" 2>"$scratch/all.report"
printed=$(grep -c ' = add ' "$scratch/all.report")
recorded=$(number "$scratch/all.report" 'adds recorded')
compiled=$(number "$scratch/all.report" 'adds compiled')
[[ $recorded -gt 0 && $recorded -eq $compiled && $recorded -eq $printed ]] ||
  fail "$printed adds were printed, $recorded found, $compiled compiled"
echo "swap-add: all as expected ($recorded adds recorded, swapped and compiled)"
