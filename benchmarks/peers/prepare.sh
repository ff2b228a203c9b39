#!/usr/bin/env bash
# prepare.sh FOLDER: what the profiles of peers load, unpacked there and not installed, for other
# programs would change with it: jemalloc, OpenBLAS on OpenMP, and a compiler that makes fast code.
set -euo pipefail
folder=$1
[[ -x $folder/fast-cxx ]] && exit
mkdir -p "$folder"
cd "$folder"
apt-get download -qq libjemalloc2 libopenblas0-openmp
for package in *.deb; do dpkg -x "$package" unpacked; done
rm -- *.deb
mv unpacked/usr/lib/x86_64-linux-gnu/libjemalloc.so.2 .
mv unpacked/usr/lib/x86_64-linux-gnu/openblas-openmp .
rm -r unpacked
# Called by PyTorch's fuser, which by itself asks for code that any x86-64 runs. Without start files
# a library that is linked with -ffast-math does not make the whole process flush denormal numbers to zero.
cat >fast-cxx <<'TEXT'
#!/bin/sh
exec g++ -march=native -ffast-math -nostartfiles "$@"
TEXT
chmod +x fast-cxx
