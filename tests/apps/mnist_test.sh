#!/usr/bin/env bash
# Runs the digit program on drawn digits: it learns, saves and loads to the digit, compiles nothing
# after the second step, and reports wrong input in one line.
# usage: mnist_test.sh PROGRAM
set -euo pipefail
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export WICK_CACHE_DIR=$scratch/cache
# On a busy machine spinning threads wait for partners that are not running.
export OMP_WAIT_POLICY=passive
small=(--train-size 3000 --test-size 500 --seed 7)

fail() {
  echo "FAILED: $1" >&2
  cat "$scratch/out" "$scratch/err" >&2
  exit 1
}

run() { "$program" "$@" >"$scratch/out" 2>"$scratch/err"; }

# It learns, and a second run starts from what the first saved.
run "${small[@]}" --epochs 2 --explain --save "$scratch/net.safetensors" || fail "training"
accuracy=$(grep '^test accuracy' "$scratch/out")
correct=$(sed -E 's/.*\(([0-9]+) of 500\)/\1/' <<<"$accuracy")
[[ $correct -ge 430 ]] || fail "only $correct of 500 after two epochs"
grep -q '^epoch 2/2  loss [0-9.]*  train [0-9.]* %  test [0-9.]* %  [0-9]* images/s$' "$scratch/out" ||
  fail "the epoch's line"
for step in 3 4 5; do
  grep -Eq "^ +$step +0 +0$" "$scratch/out" || fail "step $step compiled something"
done
grep -Eq '^ +[1-9][0-9]* kernels$' "$scratch/out" || fail "kernels of a step"

run "${small[@]}" --load "$scratch/net.safetensors" --eval || fail "evaluation"
[[ $(cat "$scratch/out") == "$accuracy" ]] || fail "the loaded network differs from the saved one: $accuracy"

# A second process finds every kernel on disk.
run "${small[@]}" --epochs 1 --explain || fail "second training"
awk '/^step/{on=1;next} on&&NF==3{sum+=$3} END{exit sum!=0}' "$scratch/out" ||
  fail "a second process compiled kernels"

# Mistakes: one line, exit code 1.
expect_error() {  # MESSAGE ARGUMENT...
  local message=$1 code=0
  shift
  run "$@" || code=$?
  [[ $code -eq 1 ]] || fail "exit code $code for: $*"
  [[ $(wc -l <"$scratch/err") -eq 1 ]] || fail "not one line for: $*"
  [[ $(cat "$scratch/err") == *"$message"* ]] || fail "expected '$message' for: $*"
}
mkdir "$scratch/data"
expect_error "mnist: error: $scratch/data/train-images-idx3-ubyte: no such file" --data "$scratch/data"
printf 'not an idx file' >"$scratch/data/train-images-idx3-ubyte"
printf '\0\0\10\1\0\0\0\5abc' >"$scratch/data/train-labels-idx1-ubyte"
expect_error "wrong magic number 0x6e6f7420, expected 0x00000803" --data "$scratch/data"
printf '\0\0\10\3\0\0\0\5\0\0\0\34\0\0\0\34abc' >"$scratch/data/train-images-idx3-ubyte"
expect_error "truncated: 3 bytes of 3920" --data "$scratch/data"
expect_error "$scratch/none.safetensors" "${small[@]}" --load "$scratch/none.safetensors" --eval
head -c 1000 "$scratch/net.safetensors" >"$scratch/cut.safetensors"
expect_error "$scratch/cut.safetensors" "${small[@]}" --load "$scratch/cut.safetensors" --eval
echo "mnist: all as expected ($accuracy)"
