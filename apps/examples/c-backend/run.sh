#!/usr/bin/env bash
# Builds the plug-in against an installed Wick, compares it with the reference interpreter, and
# trains the digit network on it.
# usage: run.sh PREFIX SCRATCH BIN_DIR
#   PREFIX   where Wick is installed
#   SCRATCH  a folder to build in
#   BIN_DIR  the folder of the mnist program
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
prefix=$1 scratch=$2 bin_dir=$3
mkdir -p "$scratch"
# On a busy machine spinning threads wait for partners that are not running.
export OMP_WAIT_POLICY=passive
export WICK_CACHE_DIR=$scratch/cache

fail() {
  echo "FAILED: $1" >&2
  exit 1
}

cmake -S "$here" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$scratch/build" >/dev/null
export WICK_PLUGINS=$scratch/build/wick-c.so

# Every op of kernels in every dtype, and the programs beside this file.
WICK_BACKEND=c WICK_C_KEEP=$scratch/c "$scratch/build/compare-backends" "$here"/programs/*.wick \
  >"$scratch/compared" || { cat "$scratch/compared"; fail "the backend differs from the interpreter"; }
tail -1 "$scratch/compared"
grep -q '^// kernel @' "$scratch"/c/*.c || fail "the C text shows its kernel IR"

# The digit network learns the same on both backends. Sums that end in other digits may turn a few
# of the 500 answers.
train() { "$bin_dir/mnist" --train-size 2000 --test-size 500 --seed 7 --epochs 1; }
correct() { sed -nE 's/^test accuracy.*\(([0-9]+) of 500\)/\1/p'; }
by_llvm=$(train | correct)
by_c=$(WICK_BACKEND=c train | correct)
echo "mnist, right answers of 500: $by_llvm with llvm, $by_c with c"
difference=$((by_llvm - by_c))
[[ ${difference#-} -le 10 ]] || fail "the networks differ"
[[ $by_c -ge 250 ]] || fail "the network did not learn"

# A compiler that fails is reported, not ignored.
if CC=false WICK_BACKEND=c train >"$scratch/out" 2>&1; then fail "trained without a compiler"; fi
grep -q 'the C compiler failed: ' "$scratch/out" || fail "the compiler's failure is not told"
echo "c-backend: all as expected"
