#!/usr/bin/env bash
# check_package.sh PACKAGE: every library that its programs load is there, and none of them comes from
# a build or is one that a bare machine may lack.
set -euo pipefail
package=$(realpath "$1")
status=0
complain() {
  echo "check_package: $*" >&2
  status=1
}
# Other libraries find theirs loaded already.
for file in "$package"/bin/* "$package"/lib/libwick*; do
  while read -r name _ path _; do
    case $name in
      linux-vdso* | /*ld-linux* | ld-linux* | libc.so* | libm.so* | libdl.so* | libpthread.so* | librt.so* | \
        libstdc++* | libgcc_s* | statically) continue ;;
    esac
    [[ $path == "$package"/lib/* || $path == "$package"/*/../lib/* ]] ||
      complain "${file##*/} takes $name from ${path:-nowhere}"
  done < <(env -i ldd "$file")
done
exit $status
