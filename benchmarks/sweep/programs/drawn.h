// Single ops and layers of shapes drawn at random, written as numeric.h has its own.

/// Of the drawn programs, by name.
struct Drawn {
  Programs programs;
  Draw draw;

  void add(const std::string& name, const std::vector<Extents>& shapes, const Function& f) {
    if (draw.one_in(2)) {
      programs["gradient of " + name] = [=] { return with_gradients(inputs(shapes), f); };
    } else {
      add_forward(name, [=] { return inputs(shapes); }, f);
    }
  }

  void add_forward(const std::string& name,
                   const std::function<Tensors()>& make,
                   const Function& f) {
    programs[name] = [=] {
      return forward(make(), [f](const Tensors& v) -> Tensors { return {f(v)}; });
    };
  }

  static Tensors inputs(const std::vector<Extents>& shapes) {
    Tensors tensors;
    for (const Extents& shape : shapes)
      tensors.push_back(uniform_of(shape));
    return tensors;
  }
};

void draw_convolution(Drawn& drawn) {
  constexpr int64_t kMostElements = 3'000'000;
  constexpr int64_t kMostMultiplications = 500'000'000;
  Draw& draw = drawn.draw;
  const int64_t images = draw.of({1, 2, 4, 8, 16, 32, 64});
  const int64_t channels = draw.one_in(2) ? draw.of({1, 3, 16, 32, 64, 256}) : draw.between(1, 512);
  const int64_t side = draw.between(5, 224);
  const int64_t kernel = draw.of({1, 1, 2, 3, 3, 3, 4, 5, 7});
  const int64_t stride = draw.of({1, 1, 1, 2});
  const int64_t padding = draw.one_in(3) ? 0 : kernel / 2;
  const bool is_depthwise = draw.one_in(5);
  const int64_t groups = is_depthwise ? channels : 1;
  const int64_t results = is_depthwise ? channels : draw.between(1, 512);
  const int64_t result_side = (side + 2 * padding - kernel) / stride + 1;
  const int64_t pixels = images * result_side * result_side;
  const int64_t taps = channels / groups * kernel * kernel;
  if (side + 2 * padding < kernel || images * channels * side * side > kMostElements ||
      pixels * results > kMostElements || pixels * results * taps > kMostMultiplications) {
    return;
  }
  drawn.add("conv " + text({images, channels, side, side}) + "-" + text({results, kernel, kernel}) +
                " s" + text({stride}) + " p" + text({padding}) + " g" + text({groups}),
            {{images, channels, side, side}, {results, channels / groups, kernel, kernel}},
            [=](const Tensors& v) { return conv(v[0], v[1], stride, padding, groups); });
}

void draw_product(Drawn& drawn) {
  constexpr int64_t kMostElements = 3'000'000;
  constexpr int64_t kMostMultiplications = 300'000'000;
  Draw& draw = drawn.draw;
  const int64_t count = draw.one_in(2) ? 1 : draw.between(2, 2000);
  const auto extent = [&] {
    return draw.one_in(2) ? draw.between(1, 3000)
                          : draw.of({1, 2, 4, 8, 10, 32, 64, 128, 512, 1024});
  };
  const int64_t m = extent();
  const int64_t n = extent();
  const int64_t k = extent();
  const bool is_transposed = draw.one_in(3);
  if (count * std::max({m * k, k * n, m * n}) > kMostElements ||
      count * m * n * k > kMostMultiplications) {
    return;
  }
  drawn.add(
      "matmul " + text({count, m, k, n}) + (is_transposed ? " transposed" : ""),
      {{count, m, k}, is_transposed ? Extents{count, n, k} : Extents{count, k, n}},
      [=](const Tensors& v) { return matmul(v[0], is_transposed ? transpose(v[1], 1, 2) : v[1]); });
}

void draw_reduction(Drawn& drawn) {
  Draw& draw = drawn.draw;
  const int64_t ndim = 1 + draw.below(4);
  const Extents x = draw.extents(ndim);
  Extents axes;
  for (int64_t axis = 0; axis < ndim; ++axis)
    if (draw.one_in(2)) axes.push_back(axis);
  if (axes.empty()) axes.push_back(ndim - 1);
  const std::string of = text(axes) + " of " + text(x);
  const auto make = [x] { return Drawn::inputs({x}); };
  switch (draw.below(4)) {
    case 0:
      return drawn.add_forward(
          "sum " + of, make, [=](const Tensors& v) { return sum(v[0], axes); });
    case 1:
      return drawn.add_forward(
          "sum of squares " + of, make, [=](const Tensors& v) { return sum(v[0] * v[0], axes); });
    case 2:
      return drawn.add("max " + of, {x}, [=](const Tensors& v) { return max_over(v[0], axes); });
    default:
      return drawn.add(
          "logsumexp " + of, {x}, [=](const Tensors& v) { return logsumexp(v[0], axes); });
  }
}

void draw_rows(Drawn& drawn) {
  Draw& draw = drawn.draw;
  const int64_t ndim = 2 + draw.below(2);
  const Extents x = draw.extents(ndim);
  const int64_t axis = draw.one_in(3) ? draw.below(ndim) : ndim - 1;
  const Extents rows{x.back()};
  const Extents channels{x[1]};
  switch (draw.below(4)) {
    case 0:
      return drawn.add("softmax " + text({axis}) + " of " + text(x), {x}, [=](const Tensors& v) {
        return softmax(v[0], axis);
      });
    case 1:
      return drawn.add("cumsum " + text({axis}) + " of " + text(x), {x}, [=](const Tensors& v) {
        return cumsum(v[0], axis);
      });
    case 2:
      return drawn.add("layer norm " + text(x), {x, rows, rows}, [](const Tensors& v) {
        return layer_norm_of_rows(v[0], v[1], v[2]);
      });
    default:
      return drawn.add("batch norm " + text(x), {x, channels, channels}, [](const Tensors& v) {
        return batch_norm_of(v[0], v[1], v[2]);
      });
  }
}

void draw_movement(Drawn& drawn) {
  Draw& draw = drawn.draw;
  const int64_t ndim = 2 + draw.below(4);
  const Extents x = draw.extents(ndim);
  const int64_t axis = draw.below(ndim);
  const int64_t extent = x[static_cast<size_t>(axis)];
  const auto make = [x] { return Drawn::inputs({x}); };
  const std::string of = text({axis}) + " of " + text(x);
  switch (draw.below(6)) {
    case 0:
    case 1: {
      const Extents order = draw.order(ndim);
      return drawn.add_forward("permute " + text(order) + " of " + text(x),
                               make,
                               [=](const Tensors& v) { return stored(permute(v[0], order)); });
    }
    case 2: {
      Extents other = x;
      other[static_cast<size_t>(axis)] = draw.between(1, 2 * extent);
      const auto two = [=] { return Drawn::inputs({x, other}); };
      return drawn.add_forward("join " + of + " and " + text(other), two, [=](const Tensors& v) {
        return concat(Tensors{v[0], v[1]}, axis);
      });
    }
    case 3: {
      const int64_t begin = draw.below(extent);
      const int64_t step = 1 + draw.below(3);
      return drawn.add("slice " + of + " from " + text({begin, step}), {x}, [=](const Tensors& v) {
        return slice(v[0], axis, begin, extent, step) * 2;
      });
    }
    case 4: {
      const int64_t shift = draw.below(extent);
      return drawn.add_forward("roll " + of, make, [=](const Tensors& v) {
        return roll(v[0], Extents{shift}, Extents{axis});
      });
    }
    default: {
      Extents y = x;
      Extents z = x;
      for (size_t i = 0; i < x.size(); ++i)
        if (draw.one_in(3)) (draw.one_in(2) ? y : z)[i] = 1;
      return drawn.add("broadcast " + text(y) + " and " + text(z), {y, z}, [](const Tensors& v) {
        return v[0] * v[1];
      });
    }
  }
}

void draw_indexing(Drawn& drawn) {
  Draw& draw = drawn.draw;
  const int64_t ndim = 1 + draw.below(3);
  const Extents x = draw.extents(ndim);
  const int64_t axis = draw.below(ndim);
  const int64_t extent = x[static_cast<size_t>(axis)];
  Extents i = x;
  i[static_cast<size_t>(axis)] = draw.between(1, extent);
  const std::string of = text({axis}) + " " + text(i) + " of " + text(x);
  switch (draw.below(4)) {
    case 0:
      return drawn.add_forward(
          "gather " + of,
          [=] { return Tensors{uniform_of(x), integers_of(i, extent)}; },
          [=](const Tensors& v) { return gather(v[0], axis, v[1]); });
    case 1:
      return drawn.add_forward(
          "scatter_add " + of,
          [=] { return Tensors{uniform_of(x), integers_of(i, extent), uniform_of(i)}; },
          [=](const Tensors& v) { return scatter_add(v[0], axis, v[1], v[2]); });
    case 2:
      return drawn.add_forward(
          "sort " + text({axis}) + " of " + text(x),
          [=] { return Drawn::inputs({x}); },
          [=](const Tensors& v) { return sorted(v[0], axis); });
    default: {
      const int64_t rows = draw.between(10, 50000);
      const int64_t columns = draw.between(2, 300);
      const int64_t count = draw.between(100, 50000);
      if (std::max(rows, count) * columns > 3'000'000) return;
      return drawn.add_forward(
          "embedding " + text({count}) + " of " + text({rows, columns}),
          [=] {
            return Tensors{uniform_of(Extents{rows, columns}), integers_of(Extents{count}, rows)};
          },
          [](const Tensors& v) { return embedding_of(v[0], v[1]); });
    }
  }
}

Programs draw_programs(uint64_t seed, size_t count) {
  constexpr void (*kKinds[])(Drawn&) = {draw_convolution,
                                        draw_product,
                                        draw_reduction,
                                        draw_rows,
                                        draw_movement,
                                        draw_movement,
                                        draw_indexing};
  Drawn drawn{{}, Draw(seed)};
  while (drawn.programs.size() < count)
    kKinds[drawn.draw.below(std::size(kKinds))](drawn);
  return std::move(drawn.programs);
}
