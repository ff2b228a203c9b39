#!/usr/bin/env bash
# Runs cheap rows of the benchmark for as short as can be: the table and the report agree, the
# operations of a product are those of its shape, and mistakes are named.
# usage: bench.sh PROGRAM
set -euo pipefail
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export OMP_WAIT_POLICY=passive

fail() {
  echo "FAILED: $1" >&2
  cat "$scratch/out" "$scratch/err" >&2
  exit 1
}

run() { "$program" "$@" >"$scratch/out" 2>"$scratch/err"; }

run --filter '^(adds-1000|linear-gelu-37x515x129|mlp-sgd)$' --seconds 0 --html "$scratch/report.html" ||
  fail "the rows"
python3 - "$scratch/report.html" "$scratch/out" <<'PYTHON' || fail "the report"
import json, re, sys

page = open(sys.argv[1]).read()
assert "http" not in page, "the report needs the network"
data = json.loads(re.search(r"^const data = (.*);$", page, re.M).group(1))
rows = {row["name"]: row for row in data["rows"]}
assert list(rows) == ["linear-gelu-37x515x129", "adds-1000", "mlp-sgd"], list(rows)
for row in rows.values():
    assert not row["error"], row["error"]
    assert len(row["floor"]) == len(row["wick"]["ms"]) >= 7
    assert row["facts"]["interpreted"] == 0
assert rows["linear-gelu-37x515x129"]["facts"]["flops"] == 2 * 37 * 515 * 129
adds = rows["adds-1000"]
assert abs(adds["fraction"] - 0.12 / adds["wick"]["median"]) < 1e-9
# Forward, and backward for inputs (but the first) and weights.
products = 784 * 1024 + 1024 * 1024 + 1024 * 10
assert rows["mlp-sgd"]["facts"]["flops"] == 2 * 256 * (3 * products - 784 * 1024)
assert rows["mlp-sgd"]["facts"]["programs"] == 1

table = open(sys.argv[2]).read()
for row in rows.values():
    assert re.search(rf"^\| {row['name']} +\| +{row['wick']['median']:.3f} \|", table, re.M), table
PYTHON

run --profile adds-1000 --trace "$scratch/trace.json" || fail "the profile"
grep -q '^whole ' "$scratch/out" || fail "no steps in the profile"
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$scratch/trace.json" || fail "the trace"

! run --profile no-such-row || fail "an unknown row passed"
grep -q "wick_bench: no row 'no-such-row'" "$scratch/err" || fail "an unknown row is not named"
