// Programs of more ops than one kernel has, written as numeric.h has its own.

/// The pixels at (i, j) of all windows of n by n.
Tensor shifted(const Tensor& x, int64_t i, int64_t j, int64_t n) {
  return slice(slice(x, 0, i, x.size(0) - n + 1 + i, 1), 1, j, x.size(1) - n + 1 + j, 1);
}

/// Weights of n by n pixels around each.
Tensor bilateral(const Tensors& v, int64_t n) {
  const Tensor center = shifted(v[0], n / 2, n / 2, n);
  Tensor total = center;
  Tensor weight = ones_like(center);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      if (i == n / 2 && j == n / 2) continue;
      const Tensor x = shifted(v[0], i, j, n);
      const Tensor d = x - center;
      const auto distance =
          static_cast<double>((i - n / 2) * (i - n / 2) + (j - n / 2) * (j - n / 2));
      const Tensor w = exp(d * d * -10 - distance * 0.1);
      total = total + w * x;
      weight = weight + w;
    }
  }
  return total / weight;
}

/// By exchanges of neighbours.
Tensor median_3x3(const Tensors& v) {
  Tensors x;
  for (int64_t i = 0; i < 9; ++i)
    x.push_back(shifted(v[0], i / 3, i % 3, 3));
  for (size_t round = 0; round < 9; ++round) {
    for (size_t i = round % 2; i + 1 < 9; i += 2) {
      const Tensor low = minimum(x[i], x[i + 1]);
      x[i + 1] = maximum(x[i], x[i + 1]);
      x[i] = low;
    }
  }
  return x[4];
}

Tensor non_local_means(const Tensors& v) {
  const Tensor center = shifted(v[0], 2, 2, 5);
  Tensor total = zeros_like(center);
  Tensor weight = zeros_like(center);
  for (int64_t i = 0; i < 9; ++i) {
    Tensor distance = zeros_like(center);
    for (int64_t p = 0; p < 9; ++p) {
      const Tensor d =
          shifted(v[0], i / 3 + p / 3, i % 3 + p % 3, 5) - shifted(v[0], 1 + p / 3, 1 + p % 3, 5);
      distance = distance + d * d;
    }
    const Tensor w = exp(distance * -5);
    total = total + w * shifted(v[0], i / 3 + 1, i % 3 + 1, 5);
    weight = weight + w;
  }
  return total / weight;
}

/// Three layers of eight units, each a tensor.
Tensor field_by_hand(const Tensors& v) {
  Tensors units;
  for (int i = 0; i < 8; ++i)
    units.push_back(tanh(v[0] * (0.1 * i) + v[1] * (0.3 - 0.1 * i) + 0.05));
  for (int layer = 0; layer < 3; ++layer) {
    Tensors next;
    for (int i = 0; i < 8; ++i) {
      Tensor sum_of_units = units[0] * (0.1 * i - 0.3);
      for (int j = 1; j < 8; ++j)
        sum_of_units = sum_of_units + units[static_cast<size_t>(j)] * (0.05 * (i * j % 7) - 0.15);
      next.push_back(tanh(sum_of_units));
    }
    units = next;
  }
  Tensor result = units[0];
  for (size_t j = 1; j < 8; ++j)
    result = result + units[j];
  return result;
}

/// Ten steps of six variables (Lorenz, 1996) by Runge and Kutta's method.
Tensors runge_kutta(const Tensors& v) {
  const auto rate = [](const Tensors& x) {
    Tensors rates;
    for (size_t i = 0; i < 6; ++i)
      rates.push_back((x[(i + 1) % 6] - x[(i + 4) % 6]) * x[(i + 5) % 6] - x[i] + 8);
    return rates;
  };
  const auto moved = [](const Tensors& x, const Tensors& rates, double step) {
    Tensors next;
    for (size_t i = 0; i < 6; ++i)
      next.push_back(x[i] + rates[i] * step);
    return next;
  };
  Tensors x = v;
  for (int step = 0; step < 10; ++step) {
    const Tensors a = rate(x);
    const Tensors b = rate(moved(x, a, 0.005));
    const Tensors c = rate(moved(x, b, 0.005));
    const Tensors d = rate(moved(x, c, 0.01));
    for (size_t i = 0; i < 6; ++i)
      x[i] = x[i] + (a[i] + b[i] * 2 + c[i] * 2 + d[i]) * (0.01 / 6);
  }
  return x;
}

/// Prices and variances that move with two rows of normals a step.
Tensors heston(const Tensors& v) {
  Tensor price = zeros_like(select(v[0], 0, 0)) + 100;
  Tensor variance = price * 0.0004;
  for (int64_t t = 0; t < v[0].size(0); ++t) {
    const Tensor root = sqrt(relu(variance));
    price = price * exp(root * select(v[0], 0, t) * 0.063 - variance * 0.002);
    variance = variance + (0.04 - variance) * 0.008 + root * select(v[1], 0, t) * 0.019;
  }
  return {mean(relu(price - 100)), mean(variance)};
}

Tensor sinkhorn(const Tensors& v) {
  Tensor a = v[0];
  for (int i = 0; i < 10; ++i) {
    a = a - unsqueeze(logsumexp(a, {1}), 1);
    a = a - unsqueeze(logsumexp(a, {0}), 0);
  }
  return exp(a);
}

Tensor harmonics(const Tensors& v) {
  Tensor total = zeros_like(v[0]);
  for (int i = 1; i < 40; ++i)
    total = total + sin(v[0] * static_cast<double>(i)) * (1.0 / i);
  return total;
}
