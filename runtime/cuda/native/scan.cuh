// Scan along an axis. Threads that share a chunk of a lane walk it tile by tile: each combines a
// few neighbours, then the threads' values are scanned in shared memory. Where lanes are too few
// for the device they are cut into chunks: totals of the chunks, a scan of these, and then the
// chunks with what comes before them, so x is read twice. The order of all sums depends on the
// shape alone.
//
// `Element`, `Accumulator` and `Combine` are named in front.

/// What the elements so far come to, if there were any: not every kind has a value of nothing.
struct Running {
  Accumulator value;
  bool exists;

  Accumulator with(Accumulator next) const { return exists ? Combine::of(value, next) : next; }
};

/// Leaves in `slots` what the values of threads up to each one come to (Hillis and Steele, 1986).
/// All threads of the block come here.
inline void scan_threads(Accumulator value, u32 thread, u32 threads, Accumulator* slots) {
  for (u32 step = 1; step < threads; step *= 2) {
    slots[thread] = value;
    __syncthreads();
    if (thread >= step) value = Combine::of(slots[thread - step], value);
    __syncthreads();
  }
  slots[thread] = value;
  __syncthreads();
}

/// What one group of threads has to do: elements [begin, end) of a lane.
struct Part {
  i64 number;  // chunk * lanes + lane
  i64 chunk;
  i64 offset;  // of element 0
  i64 step;    // from an element to the next
  i64 begin;
  i64 end;
};

/// Calls body(part) for the parts of this thread's group, on all threads of a block equally often:
/// beyond the last part there are empty ones.
template <class Body>
inline void for_each_part(const ScanParameters& scan, Body body) {
  const i64 threads = scan.threads;
  const i64 side_by_side = i64(blockDim.x) / threads;
  const i64 parts = scan.lanes * scan.chunks;
  const i64 stride = i64(gridDim.x) * side_by_side;
  for (i64 first = i64(blockIdx.x) * side_by_side; first < parts; first += stride) {
    const i64 number = first + i64(threadIdx.x) / threads;
    const i64 lane = number % scan.lanes;
    const i64 chunk = number / scan.lanes;
    const i64 begin = chunk * scan.chunk;
    const i64 full = begin + scan.chunk;
    i64 offset = lane / scan.inner * scan.extent * scan.inner + lane % scan.inner;
    if (scan.reverse != 0) offset += (scan.extent - 1) * scan.inner;
    body(Part{number,
              chunk,
              offset,
              scan.reverse != 0 ? -scan.inner : scan.inner,
              begin,
              number >= parts      ? begin
              : full < scan.extent ? full
                                   : scan.extent});
  }
}

/// Calls write(offset, value) for each element of a part, `carry` being what comes before it. Gives
/// what all together come to, but for parts that end within a tile: nothing comes after these.
template <class From, class Write>
inline Accumulator scan_part(
    const From* x, const ScanParameters& scan, const Part& part, Running carry, Write write) {
  extern __shared__ i64 shared_words[];
  const u32 threads = u32(scan.threads);
  const u32 thread = threadIdx.x % threads;
  Accumulator* const slots = reinterpret_cast<Accumulator*>(shared_words) + (threadIdx.x - thread);
  for (i64 tile = part.begin; tile < part.begin + scan.chunk; tile += i64(threads) * kScanHeld) {
    const i64 first = tile + i64(thread) * kScanHeld;
    Accumulator held[kScanHeld];
#pragma unroll
    for (int n = 0; n < kScanHeld; ++n) {
      held[n] = n == 0 ? Accumulator() : held[n == 0 ? 0 : n - 1];
      if (first + n >= part.end) continue;
      const Accumulator value = from_memory(x[part.offset + (first + n) * part.step]);
      held[n] = n == 0 ? value : Combine::of(held[n], value);
    }
    Running before = carry;
    if (threads > 1) {
      scan_threads(held[kScanHeld - 1], thread, threads, slots);
      // Threads without elements are behind all others, so nobody with elements reads theirs.
      if (thread > 0) before = {carry.with(slots[thread - 1]), true};
      carry = {carry.with(slots[threads - 1]), true};
      __syncthreads();
    } else {
      carry = {carry.with(held[kScanHeld - 1]), true};
    }
#pragma unroll
    for (int n = 0; n < kScanHeld; ++n) {
      if (first + n < part.end) write(part.offset + (first + n) * part.step, before.with(held[n]));
    }
  }
  return carry.value;
}

/// Totals are [chunks, lanes].
extern "C" __global__ void __launch_bounds__(256) scan_totals(const Element* __restrict__ x,
                                                              Accumulator* __restrict__ totals,
                                                              ScanParameters scan) {
  for_each_part(scan, [&](const Part& part) {
    const Accumulator total = scan_part(x, scan, part, {}, [](i64, Accumulator) {});
    const bool is_first = threadIdx.x % u32(scan.threads) == 0;
    if (is_first && part.begin < part.end) totals[part.number] = total;
  });
}

/// The totals themselves, in their place; `scan` has the chunks for its extent.
extern "C" __global__ void __launch_bounds__(256)
    scan_carries(Accumulator* totals, ScanParameters scan) {
  for_each_part(scan, [&](const Part& part) {
    scan_part(totals, scan, part, {}, [&](i64 at, Accumulator value) { totals[at] = value; });
  });
}

/// x and out may be the same memory.
extern "C" __global__ void __launch_bounds__(256) scan(const Element* x,
                                                       const Accumulator* __restrict__ totals,
                                                       Element* out,
                                                       ScanParameters scan) {
  for_each_part(scan, [&](const Part& part) {
    Running carry = {};
    if (part.chunk > 0 && part.begin < part.end) carry = {totals[part.number - scan.lanes], true};
    scan_part(x, scan, part, carry, [&](i64 at, Accumulator value) {
      put(out + at, Cast<Element>::of(value));
    });
  });
}
