#!/usr/bin/env bash
# Builds the plug-in against an installed Wick, lets it serve the unmodified mnist program, and
# checks what it reports. Exits nonzero when something is not as it should be.
# usage: run.sh PREFIX SCRATCH BIN_DIR
#   PREFIX   where Wick is installed
#   SCRATCH  folder for the build and the reports
#   BIN_DIR  folder of the mnist program
set -euo pipefail
prefix=$1 scratch=$2 bin_dir=$3
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$scratch"

cmake -S "$source_dir" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/cmake.log"
cmake --build "$scratch/build" >>"$scratch/cmake.log"

fail() {
  echo "run.sh: $1" >&2
  exit 1
}

run_mnist() { "$bin_dir/mnist" --epochs 1 --train-size 512 --test-size 128 --seed 1; }
last_line() { grep 'test accuracy' | tail -n 1; }

plain=$(run_mnist | last_line)
served=$(WICK_PLUGINS="$scratch/build/memory-manager.so" MEMORY_REPORT="$scratch/memory" run_mnist | last_line)
[[ -n $plain && $plain == "$served" ]] || fail "mnist gives '$served' with the plug-in, '$plain' without"

text=$scratch/memory.txt html=$scratch/memory.html
grep -Eq '^Peak [0-9.]+ MiB in use of [0-9.]+ MiB reserved' "$text" || fail "no peak in $text"
grep -Eq ' arena +[a-z0-9_]+ +.*[a-z]\.(cpp|h):[0-9]+$' "$text" || fail "no arena with op and line in $text"
# Which they are depends on how the machine's convolutions are computed.
grep -Eq ' value +[a-z0-9_]+ +.*[a-z]\.(cpp|h):[0-9]+$' "$text" || fail "no value with op and line among the arena's tenants in $text"
if grep -Eq ' (result|leaf|constant|arena|data) +-?$' "$text"; then fail "an owner without a line in $text"; fi
[[ $(grep -c '<svg' "$html") -eq 2 ]] || fail "two charts are missing in $html"
if grep -Eq '(src|href)=' "$html"; then fail "$html needs other files"; fi
if grep -Eq "d='[^']*(nan|inf)" "$html"; then fail "a chart of $html shows no number"; fi
cat "$text"
