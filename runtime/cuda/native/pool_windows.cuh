// Windows over the planes of a batch. `Element` and `Index` are named in front of this.

using Register = decltype(from_memory(Element()));

struct Range {
  Index begin;
  Index end;

  Index size() const { return end - begin; }
};

/// Where the window of output `at` begins, which may be in the padding.
inline Index window_start(const WindowAxis& axis, Index at) {
  return at * Index(axis.stride) - Index(axis.padding);
}

/// Input positions inside the window of output `at`; there is one at least.
inline Range window_of(const WindowAxis& axis, Index at) {
  const Index begin = window_start(axis, at);
  const Index end = begin + Index(axis.kernel);
  return {begin < 0 ? Index(0) : begin, end < Index(axis.in) ? end : Index(axis.in)};
}

/// Outputs whose windows hold input position `at`.
inline Range windows_with(const WindowAxis& axis, Index at) {
  const Index last = at + Index(axis.padding);  // begins at `at` itself
  const Index before = last - Index(axis.kernel);
  const Index begin = before < 0 ? Index(0) : before / Index(axis.stride) + 1;
  const Index end = last / Index(axis.stride) + 1;
  return {begin, end < Index(axis.out) ? end : Index(axis.out)};
}

/// Elements of the window of output (row, column) that count.
inline Register window_size(const PoolParameters& pool, Index row, Index column) {
  if (pool.exclude_padding == 0) return Register(pool.rows.kernel * pool.columns.kernel);
  return Register(window_of(pool.rows, row).size() * window_of(pool.columns, column).size());
}

/// An element of a batch of planes.
struct Site {
  Index plane;
  Index row;
  Index column;
};

inline Site site_of(Index i, i64 rows, i64 columns) {
  const Index line = i / Index(columns);
  return {line / Index(rows), line % Index(rows), i % Index(columns)};
}

inline i64 inputs_of(const PoolParameters& pool) {
  return pool.planes * pool.rows.in * pool.columns.in;
}

inline i64 outputs_of(const PoolParameters& pool) {
  return pool.planes * pool.rows.out * pool.columns.out;
}

/// Calls body(output, its row, its column) for each window that holds input i, in their order.
template <class Body>
inline void for_each_window_with(const PoolParameters& pool, Index i, Body body) {
  const Site at = site_of(i, pool.rows.in, pool.columns.in);
  const Range rows = windows_with(pool.rows, at.row);
  const Range columns = windows_with(pool.columns, at.column);
  for (Index row = rows.begin; row < rows.end; ++row) {
    const Index line = (at.plane * Index(pool.rows.out) + row) * Index(pool.columns.out);
    for (Index column = columns.begin; column < columns.end; ++column)
      body(line + column, row, column);
  }
}
