// Scatter with the same bits in every run, without atomics. The indices are sorted once, stably, so
// each row has its updates side by side and in order; then each element of the result is one
// thread's, which combines the updates of its row. Where all of a chunk's updates go to one row
// they are combined ahead: with chunks of the root of n, a row that takes all n costs a few roots
// of n in steps.
//
// In all: n log n^2 for the indices, however large the slices; each update is read once or twice,
// each element of the result written once.

using Register = decltype(from_memory(Element()));

/// Rows out of range come last.
inline Key key_of(Source index, i64 extent) {
  return index < 0 || i64(index) >= extent ? Key(extent) : Key(index);
}

/// Where each row begins among the sorted indices, and where the last one ends.
extern "C" __global__ void __launch_bounds__(256)
    find_rows(const Key* __restrict__ keys, u32* __restrict__ starts, ScatterParameters scatter) {
  for_each_in_grid<Index>(scatter.extent + 1, [&](Index row) {
    starts[row] = u32(count_below(keys, Index(scatter.count), Key(row), false));
  });
}

/// A position in the slices of all outer positions.
struct Lane {
  Index outer;
  Index inner;
};

inline Register update_at(const Element* updates,
                          const ScatterParameters& scatter,
                          Lane lane,
                          u32 position) {
  const Index slice = lane.outer * Index(scatter.count) + Index(position);
  return from_memory(updates[slice * Index(scatter.inner) + lane.inner]);
}

/// Partials are [chunks, outer, inner]; those of chunks with several rows stay as they are.
extern "C" __global__ void __launch_bounds__(256)
    combine_chunks(const Key* __restrict__ keys,
                   const u32* __restrict__ positions,
                   const Element* __restrict__ updates,
                   Register* __restrict__ partials,
                   ScatterParameters scatter) {
  const Index lanes = Index(scatter.outer * scatter.inner);
  const Index inner = Index(scatter.inner);
  for_each_in_grid<Index>(scatter.count / scatter.chunk * lanes, [&](Index n) {
    const Index begin = n / lanes * Index(scatter.chunk);
    const Index end = begin + Index(scatter.chunk);
    if (keys[begin] != keys[end - 1]) return;
    const Lane lane = {n % lanes / inner, n % inner};
    Register value = update_at(updates, scatter, lane, positions[begin]);
    for (Index i = begin + 1; i < end; ++i)
      value = Combine::of(value, update_at(updates, scatter, lane, positions[i]));
    partials[n] = value;
  });
}

/// x and out may be the same memory.
extern "C" __global__ void __launch_bounds__(256) scatter(const Element* x,
                                                          const u32* __restrict__ starts,
                                                          const u32* __restrict__ positions,
                                                          const Element* __restrict__ updates,
                                                          const Register* __restrict__ partials,
                                                          Element* out,
                                                          ScatterParameters scatter) {
  const Index inner = Index(scatter.inner);
  const Index extent = Index(scatter.extent);
  const Index lanes = Index(scatter.outer) * inner;
  const Index chunk = Index(scatter.chunk);
  for_each_in_grid<Index>(lanes * extent, [&](Index n) {
    const Index row = n / inner % extent;
    const Lane lane = {n / inner / extent, n % inner};
    const Index end = Index(starts[row + 1]);
    Index i = Index(starts[row]);
    if (i == end) {
      if (x != out) out[n] = x[n];
      return;
    }
    Register value = from_memory(x[n]);
    if constexpr (kLastWins<Combine>) i = end - 1;
    while (i < end) {
      if (i % chunk == 0 && i + chunk <= end) {
        value = Combine::of(value, partials[i / chunk * lanes + lane.outer * inner + lane.inner]);
        i += chunk;
      } else {
        value = Combine::of(value, update_at(updates, scatter, lane, positions[i]));
        ++i;
      }
    }
    put(out + n, Cast<Element>::of(value));
  });
}
