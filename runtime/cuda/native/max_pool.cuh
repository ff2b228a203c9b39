// Max pooling. The gradient has two steps: where each window has its largest element; then each
// input collects from the windows that have it there. So windows are searched once however much
// they overlap, and sums come in an order of their own.

struct Largest {
  Index place;
  Register value;
};

/// The first largest element of the window of output i, or its first NaN.
inline Largest largest_of_window(const Element* x, const PoolParameters& pool, Index i) {
  Largest best;
  in_window(pool, i, [&](Index plane, Range rows, Range columns) {
    const Index width = Index(pool.columns.in);
    best.place = plane + rows.begin * width + columns.begin;
    best.value = from_memory(x[best.place]);
    for (Index row = rows.begin; row < rows.end; ++row) {
      for (Index column = columns.begin; column < columns.end; ++column) {
        const Index place = plane + row * width + column;
        const Register value = from_memory(x[place]);
        if (value > best.value || (value != value && best.value == best.value))
          best = {place, value};
      }
    }
  });
  return best;
}

extern "C" __global__ void __launch_bounds__(256)
    max_pool(const Element* __restrict__ x, Element* __restrict__ out, PoolParameters pool) {
  for_each_in_grid<Index>(outputs_of(pool),
                          [&](Index i) { put(out + i, largest_of_window(x, pool, i).value); });
}

extern "C" __global__ void __launch_bounds__(256)
    find_largest(const Element* __restrict__ x, Index* __restrict__ places, PoolParameters pool) {
  for_each_in_grid<Index>(outputs_of(pool),
                          [&](Index i) { places[i] = largest_of_window(x, pool, i).place; });
}

extern "C" __global__ void __launch_bounds__(256)
    max_pool_grad(const Index* __restrict__ places,
                  const Element* __restrict__ cotangent,
                  Element* __restrict__ out,
                  PoolParameters pool) {
  for_each_in_grid<Index>(inputs_of(pool), [&](Index i) {
    Register sum = 0;
    for_each_window_with(pool, i, [&](Index output, Index, Index) {
      if (places[output] == i) sum += from_memory(cotangent[output]);
    });
    put(out + i, sum);
  });
}
