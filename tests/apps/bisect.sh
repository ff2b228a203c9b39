#!/usr/bin/env bash
# A pass that miscompiles a training step of a convolutional network is found by bisection, and the
# step is reduced to what it takes to show it.
# usage: bisect.sh WRITE_CNN_STEP TOOL_FOLDER FAULTY_PASS_PLUGIN
set -euo pipefail
write_cnn_step=$1 plugin=$3
PATH=$2:$PATH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export WICK_CACHE_DIR=$scratch/cache WICK_PLUGINS=$plugin WICK_TEST_FAULT=1
# On a busy machine spinning threads wait for partners that are not running.
export OMP_WAIT_POLICY=passive

fail() {
  echo "FAILED: $1" >&2
  exit 1
}

step=$scratch/step.wick
WICK_TEST_FAULT=0 "$write_cnn_step" "$step"
ops=$(grep -c ' = ' "$step")
[[ $ops -ge 250 ]] || fail "a step of $ops ops is no test"

agrees() {  # BISECT_LIMIT; what ran goes to $scratch/log
  wick-run "$step" --reference=interpreter --opt-bisect-limit="$1" >"$scratch/out" 2>"$scratch/log"
}
WICK_TEST_FAULT=0 agrees 1000 || fail "the step is miscompiled without the fault"
if agrees 1000; then fail "the fault does not show"; fi
grep -q '^wick-run: mismatch: result [0-9]* .*differs' "$scratch/log" || fail "no line about results"

# The least number of passes that shows it.
good=0
bad=$(grep -c '^BISECT: running pass' "$scratch/log")
agrees 0 || fail "the step is miscompiled without any pass"
while ((bad - good > 1)); do
  middle=$(((good + bad) / 2))
  if agrees $middle; then good=$middle; else bad=$middle; fi
done
agrees $bad && fail "bisection went wrong"
guilty=$(sed -nE "s/^BISECT: running pass \($bad\) ([^ ]+) on .*/\1/p" "$scratch/log")
[[ $guilty == faulty-relu ]] || fail "bisection found pass $bad, '$guilty'"

wick-reduce "$step" --expect-error='mismatch: result' --timeout=120 --output="$scratch/small.wick" \
  >"$scratch/out" 2>"$scratch/log" || fail "wick-reduce: $(cat "$scratch/log")"
left=$(sed -nE 's/^wick-reduce: [0-9]+ ops before, ([0-9]+) after, .*/\1/p' "$scratch/out")
[[ -n $left && $left -le 10 ]] || fail "'$left' ops are left"
WICK_TEST_FAULT=0 wick-run "$scratch/small.wick" --reference=interpreter >/dev/null ||
  fail "what is left differs without the fault too"
if wick-run "$scratch/small.wick" --reference=interpreter >/dev/null 2>&1; then
  fail "what is left does not show the fault"
fi
echo "bisect: pass $bad, $guilty; $(cat "$scratch/out")"
cat "$scratch/small.wick"
