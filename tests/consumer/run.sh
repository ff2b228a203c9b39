#!/usr/bin/env bash
# Installs Wick into a scratch prefix, builds the README's program against it, runs it and compares
# what it prints with the README.
# usage: run.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build_dir=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build_dir" --prefix "$scratch/prefix" >/dev/null
mkdir "$scratch/project"
cp "$source_dir/tests/consumer/CMakeLists.txt" "$scratch/project/"
cp "$source_dir/apps/tour/tour.cpp" "$scratch/project/main.cpp"
cmake -S "$scratch/project" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" >/dev/null
cmake --build "$scratch/build" >/dev/null
"$scratch/build/consumer" | tee "$scratch/output"
# Digits depend on the vector width of the machine: those of the losses, and the last of all others.
comparable() { grep -v '^step' "$1" | sed -E 's/(\.[0-9]{6})[0-9]+/\1/g'; }
awk '/<!-- tour output -->/{on=1;next} on&&/^```text/{take=1;next} take&&/^```/{exit} take' \
  "$source_dir/README.md" | diff <(comparable "$scratch/output") <(comparable -)
