#!/usr/bin/env bash
# Builds the plug-in against an installed Wick and runs programs under each cost model.
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
export WICK_PLUGINS=$scratch/build/cost-models.so
program=$scratch/build/attention-block

with_model() {  # MODEL COMMAND...
  local model=$1
  shift
  WICK_PASS_PIPELINE="canonicalize,constant-fold,canonicalize,cse,dce,fuse{cost-model=$model},plan-memory" "$@"
}

declare -A kernels
for model in memory-traffic register-pressure never-recompute reductions-end-kernels; do
  line=$(with_model "$model" "$program")
  kernels[$model]=${line%% *}
  printf '%-24s%s\n' "$model" "$line"
done
for model in register-pressure never-recompute reductions-end-kernels; do
  [[ ${kernels[$model]} -gt ${kernels[memory-traffic]} ]] || fail "$model kept nothing apart"
done

# The reasons are the models' own.
expect_remark() {  # MODEL CODE TEXT
  with_model "$1" "$program" --explain >"$scratch/explained"
  grep -m1 "\[$2\].*: .*$3" "$scratch/explained" || fail "no remark of $1"
}
expect_remark register-pressure missed-registers "values would be alive at once, there are 5 registers"
expect_remark never-recompute missed-recompute "ops that would run in two kernels"
expect_remark reductions-end-kernels missed-after-reduction "would follow a reduction, and save"

# A name that is none.
if with_model registers-pressure "$program" >"$scratch/out" 2>&1; then fail "an unknown model ran"; fi
grep -q "did you mean 'register-pressure'" "$scratch/out" || fail "no hint at the right name"

# A training loop that knows nothing of this.
with_model reductions-end-kernels "$bin_dir/mnist" --train-size 1000 --test-size 200 --seed 7 --epochs 1
echo "cost-model: all as expected"
