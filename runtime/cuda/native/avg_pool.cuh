// Average pooling; in the gradient each input collects from the windows that hold it.

extern "C" __global__ void __launch_bounds__(256)
    avg_pool(const Element* __restrict__ x, Element* __restrict__ out, PoolParameters pool) {
  for_each_in_grid<Index>(outputs_of(pool), [&](Index i) {
    const Site at = site_of(i, pool.rows.out, pool.columns.out);
    const Element* const plane = x + at.plane * Index(pool.rows.in * pool.columns.in);
    const Range rows = window_of(pool.rows, at.row);
    const Range columns = window_of(pool.columns, at.column);
    Register sum = 0;
    for (Index row = rows.begin; row < rows.end; ++row) {
      for (Index column = columns.begin; column < columns.end; ++column)
        sum += from_memory(plane[row * Index(pool.columns.in) + column]);
    }
    put(out + i, sum / window_size(pool, at.row, at.column));
  });
}

extern "C" __global__ void __launch_bounds__(256)
    avg_pool_grad(const Element* __restrict__ cotangent,
                  Element* __restrict__ out,
                  PoolParameters pool) {
  for_each_in_grid<Index>(inputs_of(pool), [&](Index i) {
    Register sum = 0;
    for_each_window_with(pool, i, [&](Index output, Index row, Index column) {
      sum += from_memory(cotangent[output]) / window_size(pool, row, column);
    });
    put(out + i, sum);
  });
}
