// Argsort: keys that rise as values do, and positions out of the sort.

/// NaN is above all, and zeros of either sign are the same.
template <class Value>
inline Key rising_key(Value value) {
  constexpr Key kSign = Key(1) << (sizeof(Key) * 8 - 1);
  if constexpr (kIsFloat<Value>) {
    if (value != value) return ~Key(0);
    const Key bits = bits_as<Key>(value + Value(0));  // -0 + 0 is 0
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
  } else {
    return Key(value) ^ (Value(-1) < Value(0) ? kSign : Key(0));
  }
}

/// All ones in `flip` turn the order round.
inline Key key_of(Source element, i64 flip) {
  return rising_key(from_memory(element)) ^ Key(flip);
}

/// For lanes of one tile.
extern "C" __global__ void __launch_bounds__(1024)
    argsort_rows(const Source* __restrict__ x, i64* __restrict__ out, ArgsortParameters argsort) {
  const SortParameters& sort = argsort.sort;
  const Index inner = Index(sort.inner);
  const Index start = Index(argsort.start);
  const Index count = Index(argsort.count);
  sort_each_tile(x, sort, [&](const Slots& slots, u32 slot, SlotElement at) {
    if (at.i < start || at.i - start >= count) return;
    const Index to = (at.lane / inner * count + at.i - start) * inner + at.lane % inner;
    out[to] = i64(slots.places[slot]);
  });
}

/// From [lanes, extent] to the order of x.
extern "C" __global__ void __launch_bounds__(256) write_positions(
    const u32* __restrict__ positions, i64* __restrict__ out, ArgsortParameters argsort) {
  const Index extent = Index(argsort.sort.extent);
  const Index inner = Index(argsort.sort.inner);
  const Index start = Index(argsort.start);
  const Index count = Index(argsort.count);
  for_each_in_grid<Index>(argsort.sort.lanes * argsort.count, [&](Index n) {
    const Index lane = n / inner / count * inner + n % inner;
    out[n] = i64(positions[lane * extent + start + n / inner % count]);
  });
}
