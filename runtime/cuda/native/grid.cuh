// How a grid shares out work, whatever its size.

/// Calls body(i) for what falls to this thread of [0, count): neighbours get neighbouring numbers.
template <class Index, class Body>
inline void for_each_in_grid(i64 count, Body body) {
  const Index step = Index(gridDim.x) * Index(blockDim.x);
  Index i = Index(blockIdx.x) * Index(blockDim.x) + Index(threadIdx.x);
  for (; i < Index(count); i += step)
    body(i);
}
