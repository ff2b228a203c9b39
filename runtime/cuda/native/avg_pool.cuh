// Average pooling; in the gradient each input collects from the windows that hold it.

extern "C" __global__ void __launch_bounds__(256)
    avg_pool(const Element* __restrict__ x, Element* __restrict__ out, PoolParameters pool) {
  for_each_in_grid<Index>(outputs_of(pool), [&](Index i) {
    Register sum = 0;
    in_window(pool, i, [&](Index plane, Range rows, Range columns) {
      for (Index row = rows.begin; row < rows.end; ++row) {
        const Index line = plane + row * Index(pool.columns.in);
        for (Index column = columns.begin; column < columns.end; ++column)
          sum += from_memory(x[line + column]);
      }
    });
    const Site at = site_of(i, pool.rows.out, pool.columns.out);
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
