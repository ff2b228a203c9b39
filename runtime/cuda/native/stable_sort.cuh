// Sorts lanes by rising key, stably. Tiles are sorted in shared memory (Batcher's bitonic network,
// over pairs of key and place, of which no two are equal). Merging then doubles sorted runs: each
// element finds its place by a binary search in the run beside its own. That is n log n^2 in all,
// but every element goes its own way and almost all reads are served by caches.
//
// `Index`, `Source` (an element in memory) and `Key` (an unsigned number) are named in front.

/// Defined by who sorts.
inline Key key_of(Source element, i64 argument);

/// Shared memory of a block: two slots a thread, in groups of a tile each.
struct Slots {
  Key* keys;
  u32* places;  // in the tile, before sorting
  u32 count;
};

inline Slots slots_of_block() {
  extern __shared__ i64 shared_words[];
  Key* const keys = reinterpret_cast<Key*>(shared_words);
  const u32 count = 2 * blockDim.x;
  return {keys, reinterpret_cast<u32*>(keys + count), count};
}

inline bool is_after(const Slots& slots, u32 i, u32 j) {
  if (slots.keys[i] != slots.keys[j]) return slots.keys[i] > slots.keys[j];
  return slots.places[i] > slots.places[j];
}

template <class T>
inline void exchange_slots(T* slots, u32 i, u32 j) {
  const T kept = slots[i];
  slots[i] = slots[j];
  slots[j] = kept;
}

/// Sorts each group of `width` slots.
inline void sort_groups(const Slots& slots, u32 width) {
  for (u32 size = 2; size <= width; size *= 2) {
    for (u32 step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      const u32 i = 2 * threadIdx.x - (threadIdx.x & (step - 1));
      const u32 j = i + step;
      const bool rises = (i & (width - 1) & size) == 0;
      if (is_after(slots, i, j) == rises) {
        exchange_slots(slots.keys, i, j);
        exchange_slots(slots.places, i, j);
      }
    }
  }
  __syncthreads();
}

/// What a slot stands for: element i of a lane.
struct SlotElement {
  Index lane;
  Index i;
  bool exists;  // tiles at the end of a lane are not full
};

inline Index offset_of(const SortParameters& sort, Index lane, Index i) {
  const Index inner = Index(sort.inner);
  return (lane / inner * Index(sort.extent) + i) * inner + lane % inner;
}

/// Calls body(slot, element) for each slot of this thread, each time the same ones. Neighbours in
/// memory are for neighbouring threads, be they of one lane or of lanes side by side.
template <class Body>
inline void for_each_slot(const SortParameters& sort, Index first_group, u32 slots, Body body) {
  const u32 width = u32(sort.tile);
  const u32 groups = slots / width;
  const Index tiles = Index((sort.extent + sort.tile - 1) / sort.tile);
  for (u32 n = threadIdx.x; n < slots; n += blockDim.x) {
    const u32 group = sort.inner > 1 ? n % groups : n / width;
    const u32 place = sort.inner > 1 ? n / groups : n % width;
    const Index number = first_group + Index(group);
    const Index lane = number / tiles;
    const Index i = number % tiles * Index(width) + Index(place);
    const bool exists = lane < Index(sort.lanes) && i < Index(sort.extent);
    body(group * width + place, SlotElement{lane, i, exists});
  }
}

/// Sorts all tiles, and calls write(slots, slot, element) for each element that there is.
template <class Write>
inline void sort_each_tile(const Source* x, const SortParameters& sort, Write write) {
  const Slots slots = slots_of_block();
  const u32 width = u32(sort.tile);
  const Index tiles = Index(sort.lanes * ((sort.extent + sort.tile - 1) / sort.tile));
  const Index groups = Index(slots.count / width);
  for (Index first = Index(blockIdx.x) * groups; first < tiles;
       first += Index(gridDim.x) * groups) {
    for_each_slot(sort, first, slots.count, [&](u32 slot, SlotElement at) {
      slots.keys[slot] =
          at.exists ? key_of(x[offset_of(sort, at.lane, at.i)], sort.key_argument) : Key(~Key(0));
      slots.places[slot] = slot % width;
    });
    sort_groups(slots, width);
    for_each_slot(sort, first, slots.count, [&](u32 slot, SlotElement at) {
      if (at.exists) write(slots, slot, at);
    });
  }
}

/// Keys and positions are [lanes, extent], whatever the order of x.
extern "C" __global__ void __launch_bounds__(1024) sort_tiles(const Source* __restrict__ x,
                                                              Key* __restrict__ keys,
                                                              u32* __restrict__ positions,
                                                              SortParameters sort) {
  const u32 width = u32(sort.tile);
  sort_each_tile(x, sort, [&](const Slots& slots, u32 slot, SlotElement at) {
    const Index to = at.lane * Index(sort.extent) + at.i;
    keys[to] = slots.keys[slot];
    positions[to] = u32(at.i) - slot % width + slots.places[slot];
  });
}

/// How many of `count` sorted keys are below `key`, or equal to it where `equal_too`.
inline Index count_below(const Key* keys, Index count, Key key, bool equal_too) {
  Index begin = 0;
  Index end = count;
  while (begin < end) {
    const Index middle = begin + (end - begin) / 2;
    if (keys[middle] < key || (equal_too && keys[middle] == key)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

extern "C" __global__ void __launch_bounds__(256) merge_runs(const Key* __restrict__ keys,
                                                             const u32* __restrict__ positions,
                                                             Key* __restrict__ to_keys,
                                                             u32* __restrict__ to_positions,
                                                             MergeParameters merge) {
  const Index extent = Index(merge.extent);
  const Index run = Index(merge.run);
  for_each_in_grid<Index>(merge.lanes * merge.extent, [&](Index n) {
    const Index i = n % extent;
    const Index left = i / (2 * run) * (2 * run);
    const Index right = left + run < extent ? left + run : extent;
    const Index end = left + 2 * run < extent ? left + 2 * run : extent;
    const Key* const of_lane = keys + (n - i);
    // Of equal keys the left run's come first.
    const Index place = i < right ? i + count_below(of_lane + right, end - right, keys[n], false)
                                  : i - run + count_below(of_lane + left, run, keys[n], true);
    to_keys[n - i + place] = keys[n];
    to_positions[n - i + place] = positions[n];
  });
}
