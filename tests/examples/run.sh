#!/usr/bin/env bash
# Installs Wick into a scratch prefix and runs the examples there, out of sight of the source tree.
# usage: run.sh SOURCE_DIR BUILD_DIR [EXAMPLE...]
set -euo pipefail
source_dir=$1 build_dir=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build_dir" --prefix "$scratch/prefix" >/dev/null
cp -r "$source_dir/apps/examples" "$scratch/examples"
cp "$build_dir/apps/mnist/mnist" "$scratch/prefix/bin/"
export WICK_CACHE_DIR=$scratch/cache LD_LIBRARY_PATH=$scratch/prefix/lib:$scratch/prefix/lib64
for folder in "$scratch"/examples/*/; do
  name=$(basename "$folder")
  [[ $# -eq 0 || " $* " == *" $name "* ]] || continue
  echo "== $name"
  mkdir -p "$scratch/work/$name"
  "$folder/run.sh" "$scratch/prefix" "$scratch/work/$name" "$scratch/prefix/bin"
done
