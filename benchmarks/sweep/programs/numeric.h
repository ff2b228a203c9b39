// Numeric programs of a few lines, as networks.h has networks.

Tensor accelerations(const Tensors& v) {
  const Tensor d = unsqueeze(v[0], 0) - unsqueeze(v[0], 1);
  const Tensor inverse = pow(sum(d * d, {2}, true) + 0.01, -1.5);
  return sum(d * inverse * reshape(v[1], {1, -1, 1}), {1});
}

Tensor energy_of_pairs(const Tensors& v) {
  const Tensor d = unsqueeze(v[0], 0) - unsqueeze(v[0], 1);
  const Tensor s = 1 / (sum(d * d, {2}) + 0.5);
  const Tensor s3 = s * s * s;
  return sum(s3 * s3 - s3);
}

Tensor inner(const Tensor& x, int64_t down, int64_t right) {
  return slice(
      slice(x, 0, 1 + down, x.size(0) - 1 + down, 1), 1, 1 + right, x.size(1) - 1 + right, 1);
}

Tensor heat(const Tensors& v) {
  Tensor x = v[0];
  for (int i = 0; i < 10; ++i) {
    const Tensor around = inner(x, -1, 0) + inner(x, 1, 0) + inner(x, 0, -1) + inner(x, 0, 1);
    x = padded(inner(x, 0, 0) * 0.6 + around * 0.1);
  }
  return x;
}

Tensor laplacian(const Tensor& x) {
  return roll(x, {1}, {0}) + roll(x, {-1}, {0}) + roll(x, {1}, {1}) + roll(x, {-1}, {1}) - x * 4;
}

Tensors reaction_and_diffusion(const Tensors& v) {
  Tensor a = v[0];
  Tensor b = v[1];
  for (int i = 0; i < 5; ++i) {
    const Tensor reaction = a * b * b;
    const Tensor next = a + laplacian(a) * 0.16 - reaction + (1 - a) * 0.035;
    b = b + laplacian(b) * 0.08 + reaction - b * 0.1;
    a = next;
  }
  return {a, b};
}

Tensor game_of_life(const Tensors& v) {
  Tensor x = as_float(v[0] > 0);
  for (int i = 0; i < 5; ++i) {
    const Tensor rows = roll(x, {1}, {0}) + x + roll(x, {-1}, {0});
    const Tensor all = roll(rows, {1}, {1}) + rows + roll(rows, {-1}, {1});
    x = as_float((all == 3) | ((all == 4) & (x > 0)));
  }
  return x;
}

Tensor jacobi(const Tensors& v) {
  const Tensor d = diagonal(v[0]) + 500;
  Tensor x = zeros_like(v[1]);
  for (int i = 0; i < 10; ++i)
    x = (v[1] - matmul(v[0], x)) / d;
  return x;
}

Tensor power_iteration(const Tensors& v) {
  Tensor x = v[1];
  for (int i = 0; i < 20; ++i) {
    x = matmul(v[0], x);
    x = x / sqrt(sum(x * x));
  }
  return x;
}

Tensor k_means_step(const Tensors& v) {
  const Tensor nearest = argmin(cdist(v[0], v[1]), 1);
  const Tensor sums = index_add(zeros_like(v[1]), 0, nearest, v[0]);
  const Tensor ones = ones_like(select(v[0], 1, 0));
  const Tensor counts = index_add(zeros_like(select(v[1], 1, 0)), 0, nearest, ones);
  return sums / unsqueeze(clamp(counts, 1, 1e9), 1);
}

Tensor mixture_of_gaussians(const Tensors& v) {
  const Tensor z = (unsqueeze(v[0], 1) - unsqueeze(v[1], 0)) * unsqueeze(exp(v[2]), 0);
  const Tensor log_p = sum(v[2], {1}) - sum(z * z, {2}) * 0.5;
  return sum(logsumexp(log_p, {1}));
}

Tensor kernel_regression(const Tensors& v) {
  const Tensor squares = sum(v[0] * v[0], {1}, true) + transpose(sum(v[1] * v[1], {1}, true), 0, 1);
  const Tensor k = exp((matmul(v[0], transpose(v[1], 0, 1)) * 2 - squares) * 0.5);
  return matmul(k, v[2]) / sum(k, {1}, true);
}

Tensor logistic_regression(const Tensors& v) {
  const Tensor logits = matmul(v[0], v[1]);
  const Tensor labels = as_float(v[2] > 0);
  const Tensor residual = sigmoid(logits) - labels;
  return v[1] - matmul(transpose(v[0], 0, 1), residual) * (0.1 / static_cast<double>(v[0].size(0)));
}

Tensor page_rank_step(const Tensors& v) {
  Tensor rank = v[0];
  for (int i = 0; i < 3; ++i) {
    const Tensor sent = index_select(rank * v[3], 0, v[1]);
    rank = index_add(zeros_like(rank), 0, v[2], sent) * 0.85 + 0.15;
  }
  return rank;
}

Tensor asian_options(const Tensors& v) {
  const Tensor paths = exp(cumsum(v[0] * 0.01 + 0.0001, 1)) * 100;
  return mean(relu(mean(paths, {1}) - 100));
}

Tensor knock_out_options(const Tensors& v) {
  const Tensor paths = exp(cumsum(v[0] * 0.01 + 0.0001, 1)) * 100;
  const Tensor alive = as_float(amax(paths, {1}) < 120);
  return mean(relu(select(paths, 1, paths.size(1) - 1) - 100) * alive);
}

Tensor spheres(const Tensors& v) {
  const Tensor rays = v[0] / sqrt(sum(v[0] * v[0], {1}, true));
  const Tensor b = matmul(rays, transpose(v[1], 0, 1));
  const Tensor discriminant = b * b - sum(v[1] * v[1], {1}) + 0.04;
  const Tensor t = where(discriminant > 0, b - sqrt(abs(discriminant)), 1e9);
  return amin(t, {1});
}

Tensor yuv_of_rgb(const Tensors& v) {
  return matmul(pow(clamp(v[0], 0.001, 1), 2.2), v[1]);
}

Tensor gray_of_rgb(const Tensors& v) {
  return select(v[0], 2, 0) * 0.299 + select(v[0], 2, 1) * 0.587 + select(v[0], 2, 2) * 0.114;
}

Tensor edges(const Tensors& v) {
  const Tensor& x = v[0];
  const Tensor right = inner(x, -1, 1) + inner(x, 0, 1) * 2 + inner(x, 1, 1);
  const Tensor left = inner(x, -1, -1) + inner(x, 0, -1) * 2 + inner(x, 1, -1);
  const Tensor low = inner(x, 1, -1) + inner(x, 1, 0) * 2 + inner(x, 1, 1);
  const Tensor high = inner(x, -1, -1) + inner(x, -1, 0) * 2 + inner(x, -1, 1);
  return sqrt(square(right - left) + square(low - high));
}

Tensor equalized(const Tensors& v) {
  const Tensor counts = cumsum(bincount(v[0]), 0);
  return index_select(as_float(counts) / static_cast<double>(v[0].size(0)), 0, v[0]);
}

Tensor overlaps_of_boxes(const Tensors& v) {
  const Tensor low = slice(v[0], 1, 0, 2, 1);
  const Tensor size = abs(slice(v[0], 1, 2, 4, 1));
  const Tensor high = low + size;
  const Tensor area = select(size, 1, 0) * select(size, 1, 1);
  const Tensor from = maximum(unsqueeze(low, 1), unsqueeze(low, 0));
  const Tensor to = minimum(unsqueeze(high, 1), unsqueeze(high, 0));
  const Tensor both = relu(to - from);
  const Tensor shared = select(both, 2, 0) * select(both, 2, 1);
  return shared / (unsqueeze(area, 1) + unsqueeze(area, 0) - shared);
}

Tensor moving_average(const Tensors& v) {
  const Tensor sums = cumsum(v[0], 1);
  const int64_t n = v[0].size(1);
  return (slice(sums, 1, 20, n, 1) - slice(sums, 1, 0, n - 20, 1)) / 20;
}

Tensor correlations(const Tensors& v) {
  const Tensor centred = v[0] - mean(v[0], {0}, true);
  const Tensor z = centred / sqrt(mean(centred * centred, {0}, true));
  return matmul(transpose(z, 0, 1), z) / static_cast<double>(v[0].size(0));
}

Tensor quantized_and_back(const Tensors& v) {
  const Tensor scale = amax(abs(v[0]), {1}, true) / 127;
  return clamp(round(v[0] / scale), -128, 127) * scale;
}

Tensors complex_products(const Tensors& v) {
  return {v[0] * v[2] - v[1] * v[3], v[0] * v[3] + v[1] * v[2]};
}

Tensor accuracy(const Tensors& v) {
  return mean(as_float(argmax(v[0], 1) == v[1]));
}

Tensor matrix_exponential(const Tensors& v) {
  Tensor term = v[0];
  Tensor total = v[0];
  for (int i = 2; i < 10; ++i) {
    term = matmul(term, v[0]) / i;
    total = total + term;
  }
  return total;
}

Tensor polynomial(const Tensors& v) {
  Tensor y = v[0] * 0.3 + 0.1;
  for (int i = 0; i < 12; ++i)
    y = y * v[0] + 0.1 * i;
  return y;
}

Tensor quaternion_products(const Tensors& v) {
  const auto part = [](const Tensor& q, int i) { return select(q, 1, i); };
  const Tensor &a = v[0], &b = v[1];
  const Tensor w = part(a, 0) * part(b, 0) - part(a, 1) * part(b, 1) - part(a, 2) * part(b, 2) -
                   part(a, 3) * part(b, 3);
  const Tensor x = part(a, 0) * part(b, 1) + part(a, 1) * part(b, 0) + part(a, 2) * part(b, 3) -
                   part(a, 3) * part(b, 2);
  const Tensor y = part(a, 0) * part(b, 2) - part(a, 1) * part(b, 3) + part(a, 2) * part(b, 0) +
                   part(a, 3) * part(b, 1);
  const Tensor z = part(a, 0) * part(b, 3) + part(a, 1) * part(b, 2) - part(a, 2) * part(b, 1) +
                   part(a, 3) * part(b, 0);
  return stack(Tensors{w, x, y, z}, 1);
}

Tensor rotated_points(const Tensors& v) {
  const Tensor c = cos(v[0]);
  const Tensor s = sin(v[0]);
  const Tensor rows = stack(Tensors{c, -s, s, c}, 1);
  return squeeze(matmul(reshape(rows, {-1, 2, 2}), unsqueeze(v[1], 2)), 2);
}

Tensor haar_wavelet(const Tensors& v) {
  Tensor x = v[0];
  Tensors parts;
  for (int i = 0; i < 3; ++i) {
    const Tensor even = slice(x, 1, 0, x.size(1), 2);
    const Tensor odd = slice(x, 1, 1, x.size(1), 2);
    parts.push_back((even - odd) * 0.70710678);
    x = (even + odd) * 0.70710678;
  }
  parts.push_back(x);
  return concat(parts, 1);
}

Tensor cosines_of_blocks(const Tensors& v) {
  const int64_t n = v[0].size(0) / 8;
  const Tensor blocks = transpose(reshape(v[0], {n, 8, n, 8}), 1, 2);
  return matmul(matmul(v[1], blocks), transpose(v[1], 0, 1));
}

Tensor exponential_average(const Tensors& v) {
  Tensor s = select(v[0], 0, 0);
  for (int64_t t = 1; t < v[0].size(0); ++t)
    s = s * 0.9 + select(v[0], 0, t) * 0.1;
  return s;
}

Tensor viterbi(const Tensors& v) {
  Tensor score = select(v[0], 0, 0);
  for (int64_t t = 1; t < v[0].size(0); ++t)
    score = amax(unsqueeze(score, 2) + v[1], {1}) + select(v[0], 0, t);
  return score;
}

Tensor forward_algorithm(const Tensors& v) {
  Tensor score = select(v[0], 0, 0);
  for (int64_t t = 1; t < v[0].size(0); ++t)
    score = logsumexp(unsqueeze(score, 2) + v[1], {1}) + select(v[0], 0, t);
  return logsumexp(score, {1});
}

Tensor cumulative_returns(const Tensors& v) {
  Tensor total = zeros_like(select(v[0], 0, 0));
  Tensors results;
  for (int64_t t = v[0].size(0) - 1; t >= 0; --t) {
    total = select(v[0], 0, t) + total * 0.99;
    results.push_back(total);
  }
  return stack(results, 0);
}

Tensor julia_set(const Tensors& v) {
  Tensor x = v[0];
  Tensor y = v[1];
  Tensor count = zeros_like(x);
  for (int i = 0; i < 15; ++i) {
    const Tensor next = x * x - y * y - 0.8;
    y = x * y * 2 + 0.156;
    x = next;
    count = count + as_float(x * x + y * y < 4);
  }
  return count;
}

Tensor scores_of_pairs(const Tensors& v) {
  return sum(index_select(v[0], 0, v[1]) * index_select(v[0], 0, v[2]), {1});
}

Tensor gram_of_features(const Tensors& v) {
  const Tensor f = reshape(v[0], {v[0].size(0), v[0].size(1), -1});
  return matmul(f, transpose(f, 1, 2)) / static_cast<double>(f.size(2));
}

Tensor total_variation(const Tensors& v) {
  const int64_t h = v[0].size(2);
  const int64_t w = v[0].size(3);
  const Tensor down = slice(v[0], 2, 1, h, 1) - slice(v[0], 2, 0, h - 1, 1);
  const Tensor right = slice(v[0], 3, 1, w, 1) - slice(v[0], 3, 0, w - 1, 1);
  return mean(down * down) + mean(right * right);
}

Tensor bilinear_samples(const Tensors& v) {
  const int64_t w = v[0].size(1);
  const Tensor x0 = floor(v[1]);
  const Tensor y0 = floor(v[2]);
  const Tensor fx = v[1] - x0;
  const Tensor fy = v[2] - y0;
  const Tensor at = as_index(y0 * static_cast<double>(w) + x0);
  const Tensor pixels = reshape(v[0], {-1});
  const auto pixel = [&](int64_t offset) { return index_select(pixels, 0, at + offset); };
  const Tensor top = pixel(0) * (1 - fx) + pixel(1) * fx;
  const Tensor bottom = pixel(w) * (1 - fx) + pixel(w + 1) * fx;
  return top * (1 - fy) + bottom * fy;
}

// Layouts, windows and grids.

Tensor butterflies(const Tensors& v) {
  Tensor x = v[0];
  const int64_t n = x.size(0);
  for (int64_t half = 1; half < 64; half *= 2) {
    const Tensor pairs = reshape(x, {n, -1, 2, half});
    const Tensor a = select(pairs, 2, 0);
    const Tensor b = select(pairs, 2, 1);
    x = reshape(stack(Tensors{a + b, a - b}, 2), {n, -1});
  }
  return x;
}

Tensor windows_of_signal(const Tensors& v) {
  const int64_t n = v[0].size(0);
  Tensors shifted;
  for (int64_t i = 0; i < 5; ++i)
    shifted.push_back(slice(v[0], 0, i, n - 4 + i, 1));
  return amax(stack(shifted, 0), {0});
}

Tensor rolling_deviation(const Tensors& v) {
  const int64_t n = v[0].size(1);
  const auto windows = [&](const Tensor& x) {
    const Tensor sums = cumsum(x, 1);
    return (slice(sums, 1, 20, n, 1) - slice(sums, 1, 0, n - 20, 1)) / 20;
  };
  const Tensor m = windows(v[0]);
  return sqrt(relu(windows(v[0] * v[0]) - m * m));
}

Tensor gaussian_on_grid(const Tensors& v) {
  const Tensor x = unsqueeze(v[0], 0);
  const Tensor y = unsqueeze(v[1], 1);
  return exp((x * x + y * y) * -2) * cos(x * 3 + y * 2);
}

Tensor batched_dots(const Tensors& v) {
  return sum(v[0] * v[1], {1, 2});
}

Tensor covariances(const Tensors& v) {
  const Tensor d = v[0] - mean(v[0], {1}, true);
  return matmul(transpose(d, 1, 2), d) / static_cast<double>(v[0].size(1) - 1);
}

Tensor crop_flip_scale(const Tensors& v) {
  const Tensor cropped = slice(slice(v[0], 1, 16, 240, 1), 2, 16, 240, 1);
  const Tensor images = permute(flip(cropped, {2}), {0, 3, 1, 2});
  return (images * 0.5 - reshape(v[1], {1, 3, 1, 1})) / reshape(v[2], {1, 3, 1, 1});
}

Tensor hashed(const Tensors& v) {
  Tensor x = v[0];
  for (int i = 0; i < 3; ++i)
    x = (x * 31 + 17) * x + 5;
  return x;
}

Tensor leaky_squares(const Tensors& v) {
  return where(v[0] > 0, v[0] * v[0], where(v[0] < -0.5, v[0] * 0.1 - 0.2, v[0] * 0.3));
}

Tensor segment_means(const Tensors& v) {
  const Tensor sums = index_add(zeros_like(v[2]), 0, v[1], v[0]);
  return sums /
         unsqueeze(
             clamp(index_add(zeros_like(select(v[2], 1, 0)), 0, v[1], select(v[0], 1, 0) * 0 + 1),
                   1,
                   1e9),
             1);
}

Tensor cross_products(const Tensors& v) {
  const auto at = [&](size_t i, int k) { return select(v[i], 1, k); };
  return stack(Tensors{at(0, 1) * at(1, 2) - at(0, 2) * at(1, 1),
                       at(0, 2) * at(1, 0) - at(0, 0) * at(1, 2),
                       at(0, 0) * at(1, 1) - at(0, 1) * at(1, 0)},
               1);
}

Tensor areas_of_triangles(const Tensors& v) {
  const Tensor a = index_select(v[0], 0, select(v[1], 1, 0));
  const Tensor b = index_select(v[0], 0, select(v[1], 1, 1)) - a;
  const Tensor c = index_select(v[0], 0, select(v[1], 1, 2)) - a;
  const Tensor n = cross_products({b, c});
  return sqrt(sum(n * n, {1})) * 0.5;
}

Tensor upper_products(const Tensors& v) {
  Tensors columns;
  for (int64_t i = 0; i < 6; ++i)
    columns.push_back(slice(v[0], 1, i, 6, 1) * unsqueeze(select(v[0], 1, i), 1));
  return concat(columns, 1);
}

Tensor affine_of_points(const Tensors& v) {
  return matmul(v[0], transpose(v[1], 0, 1)) + v[2];
}

Tensor hue_rotation(const Tensors& v) {
  const Tensor r = select(v[0], 1, 0);
  const Tensor g = select(v[0], 1, 1);
  const Tensor b = select(v[0], 1, 2);
  const Tensor top = maximum(maximum(r, g), b);
  const Tensor low = minimum(minimum(r, g), b);
  const Tensor chroma = top - low + 1e-6;
  return where(
      top == r, (g - b) / chroma, where(top == g, (b - r) / chroma + 2, (r - g) / chroma + 4));
}

Tensor lorenz_curves(const Tensors& v) {
  Tensor x = v[0];
  Tensor y = v[1];
  Tensor z = v[2];
  for (int i = 0; i < 20; ++i) {
    const Tensor dx = (y - x) * 10;
    const Tensor dy = x * (28 - z) - y;
    const Tensor dz = x * y - z * 2.6666667;
    x = x + dx * 0.01;
    y = y + dy * 0.01;
    z = z + dz * 0.01;
  }
  return x + y + z;
}

Tensor ising_step(const Tensors& v) {
  const Tensor spins = where(v[0] > 0, ones_like(v[0]), ones_like(v[0]) * -1);
  const Tensor around = roll(spins, {1}, {0}) + roll(spins, {-1}, {0}) + roll(spins, {1}, {1}) +
                        roll(spins, {-1}, {1});
  return where(exp(spins * around * -0.88) > v[1], -spins, spins);
}

Tensor wave_equation(const Tensors& v) {
  Tensor before = v[0];
  Tensor now = v[1];
  for (int i = 0; i < 5; ++i) {
    const Tensor next = now * 2 - before + laplacian(now) * 0.1;
    before = now;
    now = next;
  }
  return now;
}

Tensor standardized(const Tensors& v) {
  const Tensor d = v[0] - mean(v[0], {0}, true);
  return d / sqrt(mean(d * d, {0}, true) + 1e-8);
}

Tensor entropy_of_rows(const Tensors& v) {
  const Tensor log_p = log_softmax(v[0], 1);
  return -sum(exp(log_p) * log_p, {1});
}

Tensor double_pooling(const Tensors& v) {
  const Tensor x = reshape(v[0], {v[0].size(0), v[0].size(1) / 2, 2, v[0].size(2) / 2, 2});
  return amax(x, {2, 4}) + mean(x, {2, 4});
}

/// Sums of all elements before, by doubling distances.
Tensor sums_by_doubling(const Tensors& v) {
  Tensor x = v[0];
  const int64_t n = x.size(0);
  for (int64_t distance = 1; distance < n; distance *= 2) {
    const Tensor added = slice(x, 0, distance, n, 1) + slice(x, 0, 0, n - distance, 1);
    x = concat(Tensors{slice(x, 0, 0, distance, 1), added}, 0);
  }
  return x;
}

Tensor every_second_column(const Tensors& v) {
  return square(slice(v[0], 1, 0, v[0].size(1), 2));
}

/// The pixels of four interleaved images.
Tensor quarters(const Tensors& v) {
  const auto quarter = [&](int64_t i, int64_t j) {
    return slice(slice(v[0], 0, i, v[0].size(0), 2), 1, j, v[0].size(1), 2);
  };
  return quarter(0, 0) * quarter(0, 1) + quarter(1, 0) * quarter(1, 1);
}
