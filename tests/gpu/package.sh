#!/usr/bin/env bash
# package.sh BUILD PACKAGE: gathers what a build without LLVM and oneDNN needs to be tested and measured
# on a machine that has an NVIDIA GPU and little else: programs, libraries, files that tests read.
set -euo pipefail
build=$(realpath "$1")
package=$2
source=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")

rm -rf "$package"
mkdir -p "$package"/{bin,lib/fallback,root}
package=$(realpath "$package")

programs=("$build"/apps/{wick-run,wick-opt,mnist/mnist} "$build/benchmarks/wick_bench"
  "$build/tests/runtime/fuzz_graphs")
mapfile -t -O "${#programs[@]}" programs < <(
  find "$build/tests" -type f -executable -name 'test_*' ! -name test_conformance_cuda)
cp "${programs[@]}" "$package/bin"
cp "$build"/libwick.so.? "$package/lib"
if [[ -e $build/runtime/fftw/libwick-fftw.so ]]; then
  cp "$build/runtime/fftw/libwick-fftw.so" "$package/lib"
fi

# The C library is that of the machine. So is the C++ runtime, unless it is too old: what else is opened
# there may need one that is newer than this.
while read -r library; do
  case ${library##*/} in
    ld-linux* | libc.so* | libm.so* | libdl.so* | libpthread.so* | librt.so* | libwick*) ;;
    libstdc++* | libgcc_s*) cp "$library" "$package/lib/fallback" ;;
    *) cp "$library" "$package/lib" ;;
  esac
done < <(ldd "$package"/bin/* "$package"/lib/*.so* | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u)

# At the paths that the programs know, below the folder that takes the place of /.
root=$package/root
copy() {  # FILE...: below root
  cp --parents -r "$@" "$root"
}
copy "$source"/tests/{ir/npy_files,tensor/npz_files,tensor/print_cases,conformance/exceptions.txt} \
  "$source/tests/codegen_cuda/emulation.h" "$source/docs/fusion.md"
find "$build/tests/passes" -name '*.so' -exec cp --parents -t "$root" {} +
echo "$build/tests/conformance/cases" >"$package/cases.txt"
cp "$source/tests/conformance/torch_cases.tar.xz" "$source/benchmarks/peers/torch_gpu.py" "$package"
cp "$source/tests/gpu/run.py" "$package/run"
chmod +x "$package/run"

find "$package" -type f \( -name '*.so*' -o -path '*/bin/*' \) -exec strip --strip-unneeded {} +
