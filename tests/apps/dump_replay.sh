#!/usr/bin/env bash
# What an unmodified program dumps parses back, prints the same again, and runs as it ran there.
# usage: dump_replay.sh MNIST TOOL_FOLDER
set -euo pipefail
mnist=$1
PATH=$2:$PATH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export WICK_CACHE_DIR=$scratch/cache OMP_WAIT_POLICY=passive

train() {  # leaves the weights in a file
  "$mnist" --batch 4 --epochs 1 --train-size 40 --test-size 40 --save "$1" >/dev/null
}

train "$scratch/plain.safetensors"
WICK_DUMP_TO=$scratch/dump WICK_PROFILE=$scratch/trace.json \
  WICK_LOG=sync,recompile,fusion,output_code WICK_FLAGS="--timing --pass-statistics --remarks" \
  train "$scratch/watched.safetensors" 2>"$scratch/log"
cmp "$scratch/plain.safetensors" "$scratch/watched.safetensors" ||
  { echo "looking on changed the weights" >&2; exit 1; }

files=0
while read -r file; do
  wick-opt --print-locations --allow-unregistered-ops "$file" >"$scratch/again.wick"
  diff <(grep -v '^//' "$file") "$scratch/again.wick" >/dev/null ||
    { echo "$file prints differently" >&2; exit 1; }
  files=$((files + 1))
done < <(find "$scratch/dump" -name '*.wick')

# The largest program is a training step; its last stage must agree too, planned as it is.
step=$(wc -c "$scratch"/dump/*/00.recorded.wick | sort -n | tail -2 | head -1 | awk '{print $2}')
for stage in "$step" "$(dirname "$step")"/*.plan-memory.wick; do
  wick-run "$stage" --reference=interpreter >"$scratch/out" ||
    { cat "$scratch/out" >&2; exit 1; }
done
echo "$files files print the same again; the step of $(grep -c ' = ' "$step") ops agrees"
