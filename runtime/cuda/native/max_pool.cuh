// Max pooling. Its gradient is told which element of each window is the largest, so windows are
// searched once; each input collects from the windows that chose it, in their order. `Number` is
// named in front of this: of an element of a window, row by row.

struct Largest {
  Index number;
  Register value;
};

inline Index number_in_window(const PoolParameters& pool, Site output, Index row, Index column) {
  return (row - window_start(pool.rows, output.row)) * Index(pool.columns.kernel) + column -
         window_start(pool.columns, output.column);
}

/// The first largest element of the window of output i, or its first NaN.
inline Largest largest_of_window(const Element* x, const PoolParameters& pool, Index i) {
  const Site output = site_of(i, pool.rows.out, pool.columns.out);
  const Element* const plane = x + output.plane * Index(pool.rows.in * pool.columns.in);
  const Range rows = window_of(pool.rows, output.row);
  const Range columns = window_of(pool.columns, output.column);
  const auto value_at = [&](Index row, Index column) {
    return from_memory(plane[row * Index(pool.columns.in) + column]);
  };
  Largest best{number_in_window(pool, output, rows.begin, columns.begin),
               value_at(rows.begin, columns.begin)};
  for (Index row = rows.begin; row < rows.end; ++row) {
    for (Index column = columns.begin; column < columns.end; ++column) {
      const Register value = value_at(row, column);
      if (value > best.value || (value != value && best.value == best.value))
        best = {number_in_window(pool, output, row, column), value};
    }
  }
  return best;
}

extern "C" __global__ void __launch_bounds__(256)
    max_pool(const Element* __restrict__ x, Element* __restrict__ out, PoolParameters pool) {
  for_each_in_grid<Index>(outputs_of(pool),
                          [&](Index i) { put(out + i, largest_of_window(x, pool, i).value); });
}

extern "C" __global__ void __launch_bounds__(256)
    argmax_pool(const Element* __restrict__ x, Number* __restrict__ numbers, PoolParameters pool) {
  for_each_in_grid<Index>(outputs_of(pool), [&](Index i) {
    numbers[i] = Number(largest_of_window(x, pool, i).number);
  });
}

extern "C" __global__ void __launch_bounds__(256)
    max_pool_grad(const Number* __restrict__ numbers,
                  const Element* __restrict__ cotangent,
                  Element* __restrict__ out,
                  PoolParameters pool) {
  for_each_in_grid<Index>(inputs_of(pool), [&](Index i) {
    const Site input = site_of(i, pool.rows.in, pool.columns.in);
    Register sum = 0;
    for_each_window_with(pool, i, [&](Index output, Index row, Index column) {
      const Site window{input.plane, row, column};
      if (Index(numbers[output]) == number_in_window(pool, window, input.row, input.column))
        sum += from_memory(cotangent[output]);
    });
    put(out + i, sum);
  });
}
