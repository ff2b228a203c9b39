#!/usr/bin/env python3
"""Tests and benchmarks of a carried Wick on a machine with an NVIDIA GPU.

    run test  [--out DIR] [--only RE] [--jobs N] [--seconds S] [--total S]
    run fuzz  [--out DIR] [--jobs N] [--seconds S] [--seed SEED]
    run bench [--out DIR] [--filter RE] [--seconds S] [--no-torch]

`./dev gpu-package` makes the folder that this script starts from; it needs nothing that was not
carried along but a driver, the CUDA libraries, and Python 3. Every part has a time limit, and what
fails stops nothing else: the exit status and the table at the end tell.
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
BIN = HERE / "bin"
# Python does not know itself where there is no PATH.
PYTHON = sys.executable or shutil.which("python3", path=os.defpath)

# Folders of CUDA libraries, beside those that the dynamic loader knows.
CUDA_FOLDERS = ["/usr/local/cuda/lib64", "/usr/local/nvidia/lib64"]

# GoogleTest programs by the part of Wick, the longest first.
UNIT_PROGRAMS = {
    "tensor": "test_tensor",
    "autograd": "test_autograd",
    "nn": "test_nn",
    "linalg": "test_linalg",
    "runtime": "test_runtime",
    "passes": "test_passes",
    "ir": "test_ir",
    "apps": "test_apps",
    "steady_state": "test_steady_state",
    "autograd_scale": "test_autograd_scale",
}
# That choose themselves what they compile for.
CHOOSING_PROGRAMS = {
    "runtime_cuda": "test_runtime_cuda",
    "codegen_cuda": "test_codegen_cuda",
    "codegen": "test_codegen",
}

# Into so many parts, which run side by side: most of a test's time is one compiler's.
SHARDS = {"tensor": 4, "autograd": 4, "runtime_cuda": 2}

# Why a case is skipped: the package is built without LAPACK, which is too large to carry.
ABSENT_LIBRARY = "cannot open LAPACK"

# Of conformance cases.
FAMILIES = (
    "activations creation elementwise index linalg losses nn recurrent reductions shape sorting"
).split()

# Under compute-sanitizer everything is slow: what touches a GPU in the most different ways.
SANITIZED = {
    "sanitizer.runtime_cuda": ["test_runtime_cuda", "On/GpuProgram.*/device"],
    "sanitizer.tensor": [
        "test_tensor",
        "Reduce.*:Elementwise.*:Movement.*:Contract.*:Conv.*:MaxPool.*:IndexOps.*:Sorting.*",
    ],
    "sanitizer.autograd": ["test_autograd", "*Backends.*"],
    "sanitizer.nn": ["test_nn", "Training.*"],
}


@dataclass
class Part:
    name: str
    command: list
    limit: float
    environment: dict
    is_gtest: bool = True


@dataclass
class Outcome:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0
    note: str = ""
    failures: list = field(default_factory=list)


# The machine


def cuda_folders():
    """Where CUDA libraries may lie: toolkits, then the packages of this Python."""
    folders = []
    if "CUDA_HOME" in os.environ:
        folders.append(os.environ["CUDA_HOME"] + "/lib64")
    folders += CUDA_FOLDERS
    for packages in dict.fromkeys(sys.path + [sysconfig.get_paths()["purelib"]]):
        folders += sorted(glob.glob(packages + "/nvidia/*/lib"))
    return [folder for folder in dict.fromkeys(folders) if os.path.isdir(folder)]


def environment():
    """What every program here runs with. Switches of the caller's but WICK_LIB* stay out."""
    made = {k: v for k, v in os.environ.items() if not k.startswith("WICK_")}
    made.update({k: v for k, v in os.environ.items() if k.startswith("WICK_LIB")})
    folders = [folder for folder in [made.get("LD_LIBRARY_PATH")] if folder] + cuda_folders()
    made["LD_LIBRARY_PATH"] = ":".join(folders)
    made["WICK_TEST_ROOT"] = str(HERE / "root")
    made["WICK_CACHE_DIR"] = "off"
    made["OMP_WAIT_POLICY"] = "passive"
    made.setdefault("HOME", "/tmp")
    made.setdefault("PATH", os.defpath)  # compilers look for their parts there
    # The machine's own C++ runtime where it is new enough: other libraries may need it as new as it is.
    if subprocess.run([BIN / "wick-run", "--help"], env=made, capture_output=True).returncode != 0:
        made["LD_LIBRARY_PATH"] += f":{HERE / 'lib' / 'fallback'}"
    return made


def list_devices(base):
    done = subprocess.run(
        [BIN / "wick-run", "--list-devices"], env=base, capture_output=True, text=True, timeout=120
    )
    return done.stdout + done.stderr


def has_gpu(devices):
    return re.search(r"^cuda:\d", devices, re.M) is not None


# Running parts


def run_logged(command, limit, base, log):
    """Appends to the log; the exit status, or None where the time was over."""
    with open(log, "ab") as file:
        file.write(f"$ {' '.join(map(str, command))}\n".encode())
        file.flush()
        try:
            done = subprocess.run(
                command, env=base, stdin=subprocess.DEVNULL, stdout=file, stderr=file, timeout=limit
            )
            return done.returncode
        except subprocess.TimeoutExpired:
            return None


def tests_in(text):
    """What a GoogleTest log tells: names that passed, failed, were skipped, and the one unfinished."""
    ended = {"OK": [], "FAILED": [], "SKIPPED": []}
    running = None
    for kind, name in re.findall(r"^\[ +(RUN|OK|FAILED|SKIPPED) +\] (\S+?)(?:,| \(\d+ ms\)|$)", text, re.M):
        if kind == "RUN":
            running = name
        elif name == running:
            ended[kind].append(name)
            running = None
    return ended["OK"], ended["FAILED"], ended["SKIPPED"], running


def run_gtest(part, log):
    """A program that dies or hangs is started again without the tests that it had done."""
    deadline = time.monotonic() + part.limit
    outcome = Outcome()
    flag = "--gtest_filter="
    chosen = next((a.removeprefix(flag) for a in map(str, part.command) if a.startswith(flag)), "*")
    command = [a for a in part.command if not str(a).startswith(flag)]
    done = []
    while True:
        left = deadline - time.monotonic()
        start = log.stat().st_size if log.exists() else 0
        exclude = "-" + ":".join(done) if done else ""
        status = run_logged(
            command, max(1, left), {**part.environment, "GTEST_FILTER": chosen + exclude}, log
        )
        with open(log, "rb") as file:
            file.seek(start)
            passed, failed, skipped, running = tests_in(file.read().decode(errors="replace"))
        outcome.passed += len(passed)
        outcome.skipped += len(skipped)
        outcome.failures += failed
        if running is not None:
            how = "the time was over" if status is None else f"ended with status {status}"
            outcome.failures.append(f"{running} ({how})")
            done += passed + failed + skipped + [running]
        elif status not in (0, 1):
            outcome.failures.append(f"(the program ended with status {status})")
        if running is None or time.monotonic() > deadline:
            break
    outcome.failed = len(outcome.failures)
    if outcome.passed + outcome.failed + outcome.skipped == 0:
        outcome.failed, outcome.note = 1, "no test ran"
    return outcome


def run_cases(part, log):
    """The conformance suite: `FAMILY on BACKEND: 7 of 9 pass`, above it what failed."""
    status = run_logged(part.command, part.limit, part.environment, log)
    text = log.read_text(errors="replace")
    outcome = Outcome()
    for name, why in re.findall(r"^  (\S+) on \S+: (.*)", text, re.M):
        if ABSENT_LIBRARY in why:
            outcome.skipped += 1
        else:
            outcome.failures.append(name)
    for passed in re.findall(r" on \S+: (\d+) of \d+ pass$", text, re.M):
        outcome.passed += int(passed)
    if status not in (0, 1):
        why = "the time was over" if status is None else f"ended with status {status}"
        outcome.failures.append(f"(the program: {why})")
    outcome.failed = len(outcome.failures)
    if outcome.passed + outcome.failed + outcome.skipped == 0:
        outcome.failed, outcome.note = 1, "no case ran"
    return outcome


def run_part(part, out, deadline):
    log = out / f"{part.name}.txt"
    log.unlink(missing_ok=True)
    start = time.monotonic()
    part.limit = min(part.limit, deadline - start)
    if part.limit <= 0:
        return Outcome(failed=1, note="no time was left")
    try:
        outcome = (run_gtest if part.is_gtest else run_cases)(part, log)
    except OSError as error:
        outcome = Outcome(failed=1, note=str(error))
    outcome.seconds = time.monotonic() - start
    print(f"{part.name}: {outcome.passed} passed, {outcome.failed} failed", flush=True)
    for failure in outcome.failures[:20]:
        print(f"  failed: {failure}", flush=True)
    return outcome


def table(outcomes):
    lines = [f"| {'part':<24} | passed | failed | skipped | seconds |", "|---|---|---|---|---|"]
    for name, o in outcomes.items():
        note = f" {o.note}" if o.note else ""
        lines.append(
            f"| {name:<24} | {o.passed:>6} | {o.failed:>6} | {o.skipped:>7} | {o.seconds:>7.1f} |{note}"
        )
    passed, failed, skipped = (
        sum(getattr(o, kind) for o in outcomes.values()) for kind in ("passed", "failed", "skipped")
    )
    lines.append(f"| {'all':<24} | {passed:>6} | {failed:>6} | {skipped:>7} | |")
    return "\n".join(lines) + "\n"


# The verbs


def unpack_cases():
    """The conformance cases, where the build has them."""
    folder = Path((HERE / "cases.txt").read_text().strip())
    cases = Path(str(HERE / "root") + str(folder))
    if not (cases / "cases.jsonl").exists():
        cases.mkdir(parents=True, exist_ok=True)
        with tarfile.open(HERE / "torch_cases.tar.xz") as archive:
            archive.extractall(cases)


def unit_command(name):
    program = BIN / UNIT_PROGRAMS[name]
    if name != "autograd_scale":
        return [program]
    # Whether millions of ops need a deep stack shows on a small one.
    return ["sh", "-c", 'ulimit -s 512 && exec "$0" "$@"', program]


def names_of_tests(listing):
    """Of what --gtest_list_tests prints: suites, and below each its tests with their parameters."""
    names, suite = [], ""
    for line in listing.splitlines():
        name = line.split("#")[0].strip()
        if line.startswith("  "):
            names.append(suite + name)
        elif name.endswith("."):
            suite = name
    return names


def sharded(part):
    count = SHARDS.get(part.name, 1)
    if count == 1:
        return [part]
    listing = subprocess.run(
        part.command + ["--gtest_list_tests"], env=part.environment, capture_output=True, text=True
    )
    names = names_of_tests(listing.stdout)
    # Neighbours cost alike, so each part gets one in turn.
    return [
        replace(
            part,
            name=f"{part.name}.{i + 1}",
            command=part.command + ["--gtest_filter=" + ":".join(names[i::count])],
        )
        for i in range(count)
    ]


def test_parts(base, gpu, seconds):
    computing = {**base, "WICK_BACKEND": "cuda"} if gpu else base
    programs = [
        Part(name, [BIN / program], seconds, base) for name, program in CHOOSING_PROGRAMS.items()
    ]
    programs += [
        Part(name, unit_command(name), seconds, computing) for name in UNIT_PROGRAMS
    ]
    parts = [part for program in programs for part in sharded(program)]
    backend = "cuda" if gpu else "interpreter"
    for family in FAMILIES:
        command = [BIN / "test_conformance", "--family", family, "--backend", backend]
        parts.append(Part(f"conformance.{family}", command, seconds, computing, is_gtest=False))
    if gpu:
        parts += sanitizer_parts(computing, seconds)
    return parts


def sanitizer_parts(base, seconds):
    path = os.environ.get("PATH", os.defpath) + ":/usr/local/cuda/bin"
    tool = shutil.which("compute-sanitizer", path=path)
    if tool is None:
        print("compute-sanitizer is not here: its parts are left out", flush=True)
        return []
    parts = []
    for name, (program, tests) in SANITIZED.items():
        command = [tool, "--error-exitcode", "99", BIN / program, f"--gtest_filter={tests}"]
        parts.append(Part(name, command, seconds, base))
    return parts


def test(flags, base, out):
    devices = list_devices(base)
    print(devices, flush=True)
    (out / "devices.txt").write_text(devices)
    gpu = has_gpu(devices)
    if not gpu:
        print("no GPU is here: programs run on the stand-ins of the tests and the interpreter", flush=True)
    unpack_cases()
    parts = [p for p in test_parts(base, gpu, flags.seconds) if re.search(flags.only, p.name)]
    deadline = time.monotonic() + flags.total
    with ThreadPoolExecutor(flags.jobs) as pool:
        results = pool.map(lambda part: run_part(part, out, deadline), parts)
        outcomes = dict(zip([part.name for part in parts], results))
    text = table(outcomes)
    failures = [f"{name}: {f}\n" for name, o in outcomes.items() for f in o.failures]
    (out / "table.txt").write_text(text)
    (out / "failures.txt").write_text("".join(failures))
    print(text)
    return 1 if any(o.failed for o in outcomes.values()) or not outcomes else 0


def fuzz(flags, base, out):
    """Random graphs on the GPU against the reference interpreter."""
    devices = list_devices(base)
    print(devices, flush=True)
    if not has_gpu(devices):
        print("no GPU is here: nothing to be found", flush=True)
        return 1
    computing = {**base, "WICK_BACKEND": "cuda", "WICK_NUM_THREADS": "1"}
    limit = flags.seconds + 60  # a graph under way is finished

    def run_job(job):
        first = flags.seed + job * 1_000_000
        command = [BIN / "fuzz_graphs", str(flags.seconds), out / "findings", str(first)]
        log = out / f"fuzz.{job}.txt"
        log.unlink(missing_ok=True)
        return run_logged(command, limit, computing, log)

    with ThreadPoolExecutor(flags.jobs) as pool:
        statuses = list(pool.map(run_job, range(flags.jobs)))
    for job, status in enumerate(statuses):
        text = (out / f"fuzz.{job}.txt").read_text(errors="replace")
        for problem in re.findall(r"^seed .*", text, re.M):
            print(problem, flush=True)
        print(f"{job}: status {status}, {text.strip().splitlines()[-1]}", flush=True)
    return 1 if any(statuses) or None in statuses else 0


def run_shown(command, base, limit):
    try:
        return subprocess.run(command, env=base, timeout=limit).returncode
    except subprocess.TimeoutExpired:
        print(f"{command[0]}: the time was over after {limit:.0f} s", flush=True)
        return 1


def has_torch():
    check = "import torch, sys; sys.exit(not torch.cuda.is_available())"
    return subprocess.run([PYTHON, "-c", check], capture_output=True).returncode == 0


def bench(flags, base, out):
    devices = list_devices(base)
    print(devices, flush=True)
    gpu = has_gpu(devices)
    if not gpu:
        print("no GPU is here: the cheapest rows show that the benchmark starts", flush=True)
        flags.filter = "^adds-"
    ours = out / "wick.json"
    # Its kernels are kept from one row to the next in a folder that wick_bench makes.
    wick = {**base, "WICK_BACKEND": "cuda"} if gpu else base
    command = [BIN / "wick_bench", "--filter", flags.filter, "--seconds", str(flags.row_seconds)]
    command += ["--json", ours, "--html", out / "wick.html"]
    command += ["--threads", str(os.cpu_count())]  # that compile kernels
    status = run_shown(command, wick, flags.seconds)
    if flags.no_torch or not has_torch():
        print("PyTorch is left out, or sees no GPU", flush=True)
        return status
    script = [PYTHON, HERE / "torch_gpu.py", "--filter", flags.filter]
    script += ["--json", out / "torch.json", "--ours", ours, "--budget", str(flags.seconds / 2)]
    return run_shown(script, dict(os.environ), flags.seconds) or status


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    tests = verbs.add_parser("test", help="run the tests on the GPU")
    tests.add_argument("--only", default="", help="parts in whose name this regular expression is found")
    tests.add_argument("--jobs", type=int, default=4, help="parts at a time")
    tests.add_argument("--seconds", type=float, default=240, help="limit of each part")
    tests.add_argument("--total", type=float, default=3600, help="seconds after which no part begins")
    fuzzes = verbs.add_parser("fuzz", help="run random graphs on the GPU")
    fuzzes.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs at a time")
    fuzzes.add_argument("--seconds", type=float, default=60, help="how long each goes on")
    fuzzes.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000_000, help="of the first graph")
    benches = verbs.add_parser("bench", help="measure, and compare with PyTorch where it is")
    benches.add_argument("--filter", default=".*", help="rows in whose name this regular expression is found")
    benches.add_argument("--row-seconds", type=float, default=0.3, help="least time of turns for a row")
    benches.add_argument("--seconds", type=float, default=540, help="limit of each library")
    benches.add_argument("--no-torch", action="store_true", help="leave PyTorch out")
    for each in (tests, fuzzes, benches):
        each.add_argument("--out", type=Path, default=Path("gpu-results"), help="folder for logs and figures")
    return parser.parse_args()


def main():
    flags = parse()
    flags.out.mkdir(parents=True, exist_ok=True)
    verb = {"test": test, "fuzz": fuzz, "bench": bench}[flags.verb]
    return verb(flags, environment(), flags.out.resolve())


if __name__ == "__main__":
    sys.exit(main())
