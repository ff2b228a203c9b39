#!/usr/bin/env python3
"""PyTorch on the rows of wick_bench, on a GPU.

    torch_gpu.py [--filter RE] [--variants eager,compile,graphs] [--json FILE] [--ours wick.json]

Rules, the same as wick_bench's: f32 everywhere and no TF32; inputs and parameters are there before
the clock starts; a step ends when the GPU is done with it (torch.cuda.synchronize), so that the cost
of starting work counts; the median of steps after a warm-up. cuDNN chooses its algorithms by timing
them. Variants: `eager` as a user writes it, with PyTorch's own softmax, layer norm and attention;
`compile` by torch.compile, the optimizer's step too; `graphs` with CUDA graphs beside
(mode="reduce-overhead"). A training step is forward, loss, backward for all parameters, update.

--ours takes what `wick_bench --json` wrote and shows how many times as long PyTorch takes.
"""

import argparse
import gc
import json
import re
import signal
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

MEBI = 1 << 20
WARM_UPS = 3
FEW_STEPS = 7
SECONDS = 0.3  # of steps, at least
LIMIT_S = 120  # of one variant of a row, compiling included

DEVICE = "cuda"
ROWS = {}  # name: (variants) -> step


def row(name):
    """Registers what makes the inputs and gives the step, with `wrap` around what may be compiled."""

    def register(make):
        ROWS[name] = make
        return make

    return register


def uniform(*shape, low=-1.0, high=1.0):
    return torch.empty(shape, device=DEVICE).uniform_(low, high)


def labels(classes, *shape):
    return torch.randint(0, classes, shape, device=DEVICE)


def computing(function, *inputs):
    """A step that records no history."""

    def step():
        with torch.no_grad():
            function(*inputs)

    return step


def with_gradients(function, inputs, cotangent):
    for each in inputs:
        each.requires_grad_()

    def step():
        y = function(*inputs)
        torch.autograd.grad(y, inputs, cotangent)

    return step


# Elementwise


def chain(a, b, c):
    return torch.tanh(a * b + c) * torch.sigmoid(a - c) + 0.5 * b


def add_chain(name, count):
    row(name)(lambda wrap: computing(wrap(chain), *(uniform(count) for _ in range(3))))


add_chain("chain-16m", 16 * MEBI)
add_chain("chain-9999991", 9999991)
add_chain("chain-256m", 256 * MEBI)


@row("scale-256m")
def scale(wrap):
    return computing(wrap(lambda x: 2.5 * x), uniform(256 * MEBI))


@row("copy-256m")  # the bandwidth that PyTorch's own copy has
def copy(wrap):
    to, source = uniform(256 * MEBI), uniform(256 * MEBI)
    return computing(lambda: to.copy_(source))


@row("gelu-16m")
def gelu(wrap):
    def f(x):
        return 0.5 * x * (1 + torch.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))

    return computing(wrap(f), uniform(16 * MEBI, low=-4, high=4))


@row("mandelbrot-4m")
def mandelbrot(wrap):
    def f(cr, ci):
        zr, zi = torch.zeros_like(cr), torch.zeros_like(ci)
        for _ in range(20):
            zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
        return zr, zi

    count = 4 * MEBI
    return computing(wrap(f), uniform(count, low=-0.5, high=0.2), uniform(count, low=-0.4, high=0.4))


@row("black-scholes-8m")
def black_scholes(wrap):
    def cdf(x):
        return 0.5 * (1 + torch.erf(x * 0.7071067811865476))

    def f(s, k, t):
        spread = 0.3 * torch.sqrt(t)
        d1 = (torch.log(s / k) + 0.065 * t) / spread
        d2 = d1 - spread
        discounted = k * torch.exp(-0.02 * t)
        n1, n2 = cdf(d1), cdf(d2)
        return s * n1 - discounted * n2, discounted * (1 - n2) - s * (1 - n1)

    n = 8 * MEBI
    return computing(
        wrap(f), uniform(n, low=5, high=30), uniform(n, low=1, high=100), uniform(n, low=0.25, high=10)
    )


@row("add-transposed-4099x4093")
def add_transposed(wrap):
    return computing(wrap(lambda a, b: a + b.t()), uniform(4099, 4093), uniform(4093, 4099))


@row("dropout-16m")
def dropout(wrap):
    return computing(wrap(lambda x: F.dropout(x, 0.2, True)), uniform(16 * MEBI))


# Reductions


def softmax(x):
    return torch.softmax(x, -1)


def layer_norm(x, weight, bias):
    return F.layer_norm(x, x.shape[-1:], weight, bias)


def add_row_wise(extent):
    shape = (extent, extent)

    @row(f"softmax-{extent}")
    def softmax_row(wrap):
        return computing(wrap(softmax), uniform(*shape, low=-4, high=4))

    @row(f"softmax-{extent}-grad")
    def softmax_gradient(wrap):
        x = uniform(*shape, low=-4, high=4)
        return with_gradients(wrap(softmax), [x], uniform(*shape))

    @row(f"layer-norm-{extent}")
    def layer_norm_row(wrap):
        return computing(wrap(layer_norm), uniform(*shape), uniform(extent), uniform(extent))

    @row(f"layer-norm-{extent}-grad")
    def layer_norm_gradient(wrap):
        inputs = [uniform(*shape), uniform(extent), uniform(extent)]
        return with_gradients(wrap(layer_norm), inputs, uniform(*shape))


add_row_wise(4096)
add_row_wise(8192)


def add_softmax(rows, extent):
    row(f"softmax-{rows}x{extent}")(lambda wrap: computing(wrap(softmax), uniform(rows, extent, low=-4, high=4)))


add_softmax(1000003, 10)
add_softmax(200003, 50)
add_softmax(509, 50257)


def add_sum(name, shape, axes):
    row(name)(lambda wrap: computing(wrap(lambda x: x.sum(axes) if axes else x.sum()), uniform(*shape)))


add_sum("sum-all-64m", (8192, 8192), ())
add_sum("sum-axis0-8192", (8192, 8192), (0,))
add_sum("sum-axis1-8192", (8192, 8192), (1,))
add_sum("sum-axis0-4000037x3", (4000037, 3), (0,))
add_sum("sum-axis1-64x1009x257", (64, 1009, 257), (1,))


@row("outer-sum-matrix")
def outer_sum(wrap):
    f = wrap(lambda x, y, z: (x[:, None] * y[None, :] + z).sum(-1))
    return computing(f, uniform(8192), uniform(8192), uniform(8192, 8192))


# Optimizers


def add_adam(name, shapes):
    @row(name)
    def adam(wrap):
        parameters = [nn.Parameter(uniform(*shape)) for shape in shapes]
        for each in parameters:
            each.grad = uniform(*each.shape)
        return wrap(torch.optim.Adam(parameters).step)


add_adam("adam-16m", [(16 * MEBI,)])
add_adam("adam-16m-in-200", [(16 * MEBI // 200,)] * 200)
add_adam("adam-60-odd", [s for i in range(20) for s in [(257 + i, 509), (509,), ()]])


# Products


def add_product(name, a, b):
    row(name)(lambda wrap: computing(wrap(torch.matmul), uniform(*a), uniform(*b)))


add_product("matmul-2048", (2048, 2048), (2048, 2048))
add_product("bmm-32x512x64x512", (32, 512, 64), (32, 64, 512))
add_product("matmul-1021x1031x1033", (1021, 1031), (1031, 1033))
add_product("matmul-200003x7x5", (200003, 7), (7, 5))
add_product("matmul-1x4096x4093", (1, 4096), (4096, 4093))
add_product("matmul-4099x3x4093", (4099, 3), (3, 4093))


@row("linear-gelu-2048x768x3072")
def linear_gelu(wrap):
    f = wrap(lambda x, w, b: F.gelu(F.linear(x, w, b)))
    return computing(f, uniform(2048, 768), uniform(3072, 768), uniform(3072))


def add_convolution(name, x, w, stride, padding):
    def f(x, w, b):
        return F.conv2d(x, w, b, stride, padding)

    def inputs():
        return [uniform(*x), uniform(*w), uniform(w[0])]

    row(name)(lambda wrap: computing(wrap(f), *inputs()))

    @row(name + "-grad")
    def gradients(wrap):
        made = inputs()
        return with_gradients(wrap(f), made, torch.rand_like(f(*made)))


add_convolution("conv-3x3-64", (16, 64, 56, 56), (64, 64, 3, 3), 1, 1)
add_convolution("conv-odd", (5, 3, 217, 211), (17, 3, 5, 3), 2, 0)


# Small ops


def add_many(x, c):
    for _ in range(1000):
        x = x + c
    return x


@row("adds-1000")
def adds(wrap):
    return computing(wrap(add_many), uniform(16), uniform(16))


@row("adds-100-read-each")
def adds_read_each(wrap):
    add = wrap(lambda y, c: y + c)

    def f(x, c):
        for _ in range(100):
            x = add(x, c)
            wait()

    return computing(f, uniform(16), uniform(16))


# Models


def training(wrap, net, x, y, optimizer=None):
    optimizer = optimizer or torch.optim.SGD(net.parameters(), lr=1e-3)
    net = net.to(DEVICE)
    loss = wrap(lambda x, y: F.cross_entropy(net(x), y))
    update = wrap(optimizer.step)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss(x, y).backward()
        update()

    return step


def mlp():
    return nn.Sequential(
        nn.Linear(784, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10)
    ).to(DEVICE)


@row("mlp-sgd")
def mlp_sgd(wrap):
    net = mlp()
    sgd = torch.optim.SGD(net.parameters(), lr=0.01)
    return training(wrap, net, uniform(256, 784), labels(10, 256), sgd)


@row("mlp-adam")
def mlp_adam(wrap):
    net = mlp()
    return training(
        wrap, net, uniform(256, 784), labels(10, 256), torch.optim.Adam(net.parameters())
    )


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 32, 5, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 5, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(64 * 7 * 7, 1024), nn.ReLU(inplace=True), nn.Dropout(0.5),
        nn.Linear(1024, 10),
    )  # fmt: skip


def vgg16():
    layers, channels = [], 3
    for stage in ([64] * 2, [128] * 2, [256] * 3, [512] * 3, [512] * 3):
        for out in stage:
            layers += [nn.Conv2d(channels, out, 3, padding=1), nn.ReLU(inplace=True)]
            channels = out
        layers.append(nn.MaxPool2d(2))
    layers += [nn.Flatten(), nn.Linear(512 * 7 * 7, 4096), nn.ReLU(inplace=True), nn.Dropout(0.5)]
    layers += [nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Dropout(0.5), nn.Linear(4096, 1000)]
    return nn.Sequential(*layers)


def normalized_conv(channels, out, kernel, stride):
    conv = nn.Conv2d(channels, out, kernel, stride, kernel // 2, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(out))


class Bottleneck(nn.Module):
    def __init__(self, channels, planes, stride):
        super().__init__()
        out = 4 * planes
        self.body = nn.Sequential(
            normalized_conv(channels, planes, 1, 1), nn.ReLU(inplace=True),
            normalized_conv(planes, planes, 3, stride), nn.ReLU(inplace=True),
            normalized_conv(planes, out, 1, 1),
        )  # fmt: skip
        same = channels == out and stride == 1
        self.shortcut = nn.Identity() if same else normalized_conv(channels, out, 1, stride)

    def forward(self, x):
        return F.relu(self.body(x) + self.shortcut(x))


def resnet50():
    layers = [normalized_conv(3, 64, 7, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    channels, planes = 64, 64
    for blocks in (3, 4, 6, 3):
        for i in range(blocks):
            layers.append(Bottleneck(channels, planes, 2 if i == 0 and planes > 64 else 1))
            channels = 4 * planes
        planes *= 2
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000)]
    return nn.Sequential(*layers)


def add_images(name, make, batch, channels, side, classes):
    row(name)(
        lambda wrap: training(
            wrap, make().to(DEVICE), uniform(batch, channels, side, side), labels(classes, batch)
        )
    )


add_images("lenet", lenet, 64, 1, 28, 10)
add_images("resnet50", resnet50, 8, 3, 224, 1000)
add_images("resnet50-64", resnet50, 64, 3, 224, 1000)
add_images("vgg16", vgg16, 8, 3, 224, 1000)


@row("resnet50-inference")
def resnet50_inference(wrap):
    return computing(wrap(resnet50().to(DEVICE).eval()), uniform(8, 3, 224, 224))


class GptBlock(nn.Module):
    def __init__(self, width, heads, drop):
        super().__init__()
        self.heads, self.drop = heads, drop
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.projection = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attention(self, x):
        batch, length, width = x.shape
        q, k, v = (
            part.view(batch, length, self.heads, -1).transpose(1, 2)
            for part in self.qkv(x).chunk(3, -1)
        )
        mixed = F.scaled_dot_product_attention(q, k, v, dropout_p=self.drop, is_causal=True)
        return mixed.transpose(1, 2).reshape(batch, length, width)

    def forward(self, x):
        x = x + F.dropout(self.projection(self.attention(self.norm1(x))), self.drop)
        mlp_of = self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))
        return x + F.dropout(mlp_of, self.drop)


class Gpt(nn.Module):
    def __init__(self, drop, vocabulary=65, context=256, width=384, heads=6, layers=6):
        super().__init__()
        self.drop = drop
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.blocks = nn.Sequential(*(GptBlock(width, heads, drop) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        nn.init.normal_(self.tokens.weight, 0, 0.02)
        nn.init.normal_(self.positions.weight, 0, 0.02)

    def forward(self, ids):
        x = F.dropout(self.tokens(ids) + self.positions.weight, self.drop)
        x = self.norm(self.blocks(x))
        return F.linear(x, self.tokens.weight).flatten(0, 1)


def add_gpt(name, drop):
    row(name)(
        lambda wrap: training(wrap, Gpt(drop).to(DEVICE), labels(65, 8, 256), labels(65, 8 * 256))
    )


add_gpt("gpt", 0.0)
add_gpt("gpt-dropout", 0.2)


# Measuring


def wait():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def time_ms(step):
    start = time.perf_counter()
    step()
    wait()
    return 1e3 * (time.perf_counter() - start)


VARIANTS = {
    "eager": lambda f: f,
    "compile": lambda f: torch.compile(f),
    "graphs": lambda f: torch.compile(f, mode="reduce-overhead"),
}


def measure(make, variant, seconds):
    """Median, first step, and the most memory that the steps took above inputs and parameters."""
    gc.collect()
    if DEVICE == "cuda":
        torch.cuda.empty_cache()
    step = make(VARIANTS[variant])
    wait()
    before = torch.cuda.memory_allocated() if DEVICE == "cuda" else 0
    if DEVICE == "cuda":
        torch.cuda.reset_peak_memory_stats()
    first = time_ms(step)
    for _ in range(WARM_UPS - 1):
        time_ms(step)
    times = []
    while len(times) < FEW_STEPS or sum(times) < 1e3 * seconds:
        times.append(time_ms(step))
    peak = torch.cuda.max_memory_allocated() - before if DEVICE == "cuda" else 0
    return {"median": statistics.median(times), "first_ms": first, "peak_mib": peak / MEBI}


def out_of_time(_signal, _frame):
    raise TimeoutError(f"took over {LIMIT_S} s")


def measure_or_tell(make, variant, seconds):
    signal.alarm(LIMIT_S)
    try:
        return measure(make, variant, seconds)
    except Exception as error:  # whatever it is, the other rows go on
        return {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
    finally:
        signal.alarm(0)
        if hasattr(torch, "_dynamo"):
            torch._dynamo.reset()  # or it counts one row's programs as variants of another's


def read_ours(path):
    if path is None:
        return {}
    with open(path) as file:
        return {r["name"]: r["wick"]["median"] for r in json.load(file)["rows"] if not r["error"]}


def ratio(theirs, ours):
    return f"{theirs / ours:.2f}" if theirs and ours else ""


def figure(value):
    return f"{value:.3f}" if value else ""


def print_row(name, results, variants, ours):
    medians = [results[v].get("median") for v in variants]
    cells = [figure(ours.get(name))] + [figure(m) for m in medians]
    cells += [ratio(m, ours.get(name)) for m in medians]
    notes = [f"{v}: {results[v]['error']}" for v in variants if "error" in results[v]]
    print(f"| {name:<26} | " + " | ".join(f"{c:>10}" for c in cells) + " | " + "; ".join(notes), flush=True)


def parse():
    parser = argparse.ArgumentParser(description="PyTorch on the rows of wick_bench, on a GPU")
    parser.add_argument("--list", action="store_true", help="print the rows")
    parser.add_argument("--filter", default=".*", help="rows in whose name this regular expression is found")
    parser.add_argument("--variants", default="eager,compile", help="of eager, compile, graphs")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="least time of steps")
    parser.add_argument("--json", help="write the figures to this file")
    parser.add_argument("--ours", help="compare with what wick_bench --json wrote")
    parser.add_argument("--budget", type=float, default=1e9, help="seconds after which no row is begun")
    parser.add_argument("--device", default="cuda", help="cpu tries the script where there is no GPU")
    return parser.parse_args()


def main():
    global DEVICE
    flags = parse()
    if flags.list:
        print("\n".join(ROWS))
        return 0
    DEVICE = flags.device
    torch.set_float32_matmul_precision("highest")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    signal.signal(signal.SIGALRM, out_of_time)
    variants = flags.variants.split(",")
    ours = read_ours(flags.ours)
    device = torch.cuda.get_device_name() if DEVICE == "cuda" else DEVICE
    print(f"PyTorch {torch.__version__}, {device}, f32 without TF32; milliseconds, and times Wick's", flush=True)
    heads = ["wick"] + variants + [f"{v} x" for v in variants]
    print(f"| {'row':<26} | " + " | ".join(f"{h:>10}" for h in heads) + " |")
    print("|---" * (1 + len(heads)) + "|", flush=True)
    rows = []
    deadline = time.monotonic() + flags.budget
    for name, make in ROWS.items():
        if not re.search(flags.filter, name):
            continue
        if time.monotonic() > deadline:
            print(f"{name} and what comes after it: no time is left")
            break
        results = {v: measure_or_tell(make, v, flags.seconds) for v in variants}
        print_row(name, results, variants, ours)
        rows.append({"name": name, **results, "wick_ms": ours.get(name)})
        if flags.json:
            with open(flags.json, "w") as file:
                json.dump({"torch": torch.__version__, "device": device, "rows": rows}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
