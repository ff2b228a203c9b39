// Blocks of networks, losses and optimizers, as users of either library write them. Included where
// the names of one library are known; the few that differ are given by each under the same name.

// Blocks of networks.

Tensor split_into_heads(const Tensor& x, int64_t heads) {
  return transpose(reshape(x, {x.size(0), x.size(1), heads, -1}), 1, 2);
}

Tensor joined_heads(const Tensor& x) {
  return reshape(transpose(x, 1, 2), {x.size(0), x.size(2), -1});
}

Tensor attention_by_hand(const Tensor& q, const Tensor& k, const Tensor& v) {
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(3)));
  return matmul(softmax(matmul(q, transpose(k, -1, -2)) * scale, -1), v);
}

/// x, weights of qkv, projection, first and second layer, and two norms.
Tensor encoder_layer(const Tensors& v) {
  const Tensor qkv = linear(v[0], v[1]);
  const int64_t d = v[0].size(2);
  const auto heads = [&](int64_t i) {
    return split_into_heads(slice(qkv, 2, i * d, (i + 1) * d), 4);
  };
  const Tensor mixed = linear(joined_heads(attention_by_hand(heads(0), heads(1), heads(2))), v[2]);
  const Tensor h = layer_norm_of_rows(v[0] + mixed, v[5], v[6]);
  return layer_norm_of_rows(h + linear(relu(linear(h, v[3])), v[4]), v[5], v[6]);
}

Tensor rms_norm_by_hand(const Tensor& x, const Tensor& scale) {
  return x * rsqrt(mean(x * x, {-1}, true) + 1e-6) * scale;
}

/// Rotary positions (Su et al., 2021) of the halves of each head.
Tensor rotated(const Tensor& x, const Tensor& cosines, const Tensor& sines) {
  const int64_t half = x.size(3) / 2;
  const Tensor a = slice(x, 3, 0, half, 1);
  const Tensor b = slice(x, 3, half, 2 * half, 1);
  return concat(Tensors{a * cosines - b * sines, a * sines + b * cosines}, 3);
}

/// x, q, k, v, o, gate, up, down, scale, cosines and sines of angles [t,16].
Tensor llama_block(const Tensors& v) {
  const Tensor n = rms_norm_by_hand(v[0], v[8]);
  const Tensor cosines = cos(v[9]);
  const Tensor sines = sin(v[9]);
  const Tensor q = rotated(split_into_heads(linear(n, v[1]), 8), cosines, sines);
  const Tensor k = rotated(split_into_heads(linear(n, v[2]), 8), cosines, sines);
  const Tensor mixed = causal_attention(q, k, split_into_heads(linear(n, v[3]), 8));
  const Tensor h = v[0] + linear(joined_heads(mixed), v[4]);
  const Tensor m = rms_norm_by_hand(h, v[8]);
  return h + linear(silu(linear(m, v[5])) * linear(m, v[6]), v[7]);
}

Tensor basic_block(const Tensors& v) {
  const Tensor a = relu(batch_norm_of(conv(v[0], v[1], 1, 1), v[3], v[4]));
  return relu(batch_norm_of(conv(a, v[2], 1, 1), v[3], v[4]) + v[0]);
}

Tensor relu_to_6(const Tensor& x) {
  return clamp(x, 0, 6);
}

Tensor inverted_residual(const Tensors& v) {
  const Tensor wide = relu_to_6(batch_norm_of(conv(v[0], v[1], 1, 0), v[4], v[5]));
  const Tensor deep = relu_to_6(batch_norm_of(conv(wide, v[2], 1, 1, wide.size(1)), v[4], v[5]));
  return v[0] + batch_norm_of(conv(deep, v[3], 1, 0), v[6], v[7]);
}

Tensor dense_block(const Tensors& v) {
  Tensor x = v[0];
  for (size_t i = 1; i < 5; ++i)
    x = concat(Tensors{x, relu(conv(x, v[i], 1, 1))}, 1);
  return x;
}

Tensor u_net(const Tensors& v) {
  const Tensor a = relu(conv(v[0], v[1], 1, 1));
  const Tensor b = relu(conv(max_pool_2x2(a), v[2], 1, 1));
  const Tensor up = conv_transposed(b, v[3], 2, 0);
  return conv(concat(Tensors{a, up}, 1), v[4], 1, 1);
}

Tensor squeeze_and_excite(const Tensors& v) {
  const Tensor s = mean(v[0], {2, 3});
  const Tensor gate = sigmoid(linear(relu(linear(s, v[1])), v[2]));
  return v[0] * reshape(gate, {gate.size(0), gate.size(1), 1, 1});
}

Tensor convnext_block(const Tensors& v) {
  const Tensor x = conv(v[0], v[1], 1, 3, v[0].size(1));
  const Tensor n = layer_norm_of_rows(permute(x, {0, 2, 3, 1}), v[4], v[5]);
  const Tensor y = linear(gelu(linear(n, v[2])), v[3]);
  return v[0] + permute(y, {0, 3, 1, 2});
}

Tensor wavenet_layer(const Tensors& v) {
  const Tensor x = slice(v[0], 2, 4, v[0].size(2), 1);
  const Tensor gated = tanh(conv_of_signal(v[0], v[1], 4)) * sigmoid(conv_of_signal(v[0], v[2], 4));
  return x + conv_of_signal(gated, v[3], 1);
}

Tensor generator(const Tensors& v) {
  Tensor x = relu(conv_transposed(v[0], v[1], 1, 0));
  x = relu(conv_transposed(x, v[2], 2, 1));
  return tanh(conv_transposed(x, v[3], 2, 1));
}

Tensor mixer_block(const Tensors& v) {
  const Tensor t = transpose(layer_norm_of_rows(v[0], v[5], v[6]), 1, 2);
  const Tensor h = v[0] + transpose(linear(gelu(linear(t, v[1])), v[2]), 1, 2);
  return h + linear(gelu(linear(layer_norm_of_rows(h, v[5], v[6]), v[3])), v[4]);
}

Tensor variational_autoencoder(const Tensors& v) {
  const Tensor h = relu(linear(v[0], v[1]));
  const Tensor mu = linear(h, v[2]);
  const Tensor log_variance = linear(h, v[3]);
  const Tensor z = mu + exp(log_variance * 0.5) * v[4];
  const Tensor image = sigmoid(linear(relu(linear(z, v[5])), v[6]));
  const Tensor divergence = sum(1 + log_variance - mu * mu - exp(log_variance)) * -0.5;
  return sum(square(image - v[0])) + divergence;
}

Tensor bag_of_words(const Tensors& v) {
  return linear(mean(embedding_of(v[0], v[1]), {1}), v[2]);
}

/// Every pair of [b,n,d] rows: the lower triangle of their products.
Tensor pairwise_interactions(const Tensors& v) {
  const Tensor products = matmul(v[0], transpose(v[0], 1, 2));
  const int64_t n = v[0].size(1);
  return index_select(reshape(products, {v[0].size(0), n * n}), 1, v[1]);
}

Tensor message_passing(const Tensors& v) {
  const Tensor messages = relu(linear(index_select(v[0], 0, v[1]), v[3]));
  return v[0] + index_add(zeros_like(v[0]), 0, v[2], messages);
}

Tensor point_net(const Tensors& v) {
  const Tensor h = relu(linear(relu(linear(v[0], v[1])), v[2]));
  return linear(amax(h, {1}), v[3]);
}

Tensor linear_attention(const Tensors& v) {
  const auto feature = [](const Tensor& x) { return where(x > 0, x + 1, exp(x)); };
  const Tensor q = feature(v[0]);
  const Tensor k = feature(v[1]);
  const Tensor kv = matmul(transpose(k, -1, -2), v[2]);
  return matmul(q, kv) / matmul(q, unsqueeze(sum(k, {-2}), -1));
}

Tensor unrolled_rnn(const Tensors& v) {
  Tensor h = zeros_like(select(v[0], 0, 0));
  for (int64_t t = 0; t < v[0].size(0); ++t)
    h = tanh(linear(select(v[0], 0, t), v[1]) + linear(h, v[2]));
  return h;
}

Tensor neural_ode(const Tensors& v) {
  Tensor x = v[0];
  for (int i = 0; i < 20; ++i)
    x = x + linear(tanh(linear(x, v[1])), v[2]) * 0.05;
  return x;
}

Tensor channels_last_norm(const Tensors& v) {
  const Tensor m = mean(v[0], {0, 1, 2}, true);
  const Tensor d = v[0] - m;
  return d * rsqrt(mean(d * d, {0, 1, 2}, true) + 1e-5) * v[1] + v[2];
}

Tensor cross_entropy_of(const Tensor& logits, const Tensor& labels) {
  return -mean(gather(log_softmax(logits, 1), 1, unsqueeze(labels, 1)));
}

Tensor segmentation_loss(const Tensors& v) {
  return cross_entropy_of(v[0], v[1]);
}

Tensor bilinear_form(const Tensors& v) {
  return sum(matmul(v[0], v[1]) * v[2], {1});
}

/// Of 50 to 199 tokens, another number in each call.
Tensor attention_of_some(const Tensors& v) {
  static int64_t tokens = 0;
  tokens = (tokens * 37 + 41) % 150;
  const auto first = [&](size_t i) { return slice(v[i], 2, 0, tokens + 50, 1); };
  return sum(attention_by_hand(first(0), first(1), first(2)));
}

Tensor relative_positions(const Tensors& v) {
  const Tensor scores = matmul(v[0], transpose(v[1], -1, -2)) * 0.125 + v[3];
  return matmul(softmax(scores, -1), v[2]);
}

Tensor temporal_shift(const Tensors& v) {
  const int64_t t = v[0].size(1);
  const Tensor ahead = slice(slice(v[0], 1, 1, t, 1), 2, 0, 8, 1);
  const Tensor behind = slice(slice(v[0], 1, 0, t - 1, 1), 2, 8, 16, 1);
  const Tensor rest = slice(slice(v[0], 1, 0, t - 1, 1), 2, 16, v[0].size(2), 1);
  return concat(Tensors{ahead, behind, rest}, 2);
}

Tensor weighted_huber_of_boxes(const Tensors& v) {
  const Tensor d = abs(v[0] - v[1]);
  return sum(where(d < 1, d * d * 0.5, d - 0.5) * unsqueeze(v[2], 1)) / sum(v[2]);
}

Tensor group_norm_by_hand(const Tensors& v) {
  const int64_t n = v[0].size(0);
  const Tensor g = reshape(v[0], {n, 8, -1});
  const Tensor d = g - mean(g, {2}, true);
  const Tensor x = reshape(d * rsqrt(mean(d * d, {2}, true) + 1e-5), {n, 64, 28, 28});
  return x * reshape(v[1], {1, 64, 1, 1}) + reshape(v[2], {1, 64, 1, 1});
}

Tensor gated_units(const Tensors& v) {
  const int64_t d = v[0].size(1) / 2;
  return slice(v[0], 1, 0, d, 1) * sigmoid(slice(v[0], 1, d, 2 * d, 1));
}

Tensor fourier_features(const Tensors& v) {
  const Tensor angles = matmul(v[0], v[1]) * 6.2831853;
  return concat(Tensors{sin(angles), cos(angles)}, 1);
}

Tensor interleaved_rotation(const Tensors& v) {
  const Tensor pairs = reshape(v[0], {v[0].size(0), -1, 2});
  const Tensor a = select(pairs, 2, 0);
  const Tensor b = select(pairs, 2, 1);
  const Tensor c = cos(v[1]);
  const Tensor s = sin(v[1]);
  return reshape(stack(Tensors{a * c - b * s, a * s + b * c}, 2), {v[0].size(0), -1});
}

// Losses.

Tensor focal_loss(const Tensors& v) {
  const Tensor log_p = log_softmax(v[0], 1);
  const Tensor picked = gather(log_p, 1, unsqueeze(v[1], 1));
  return mean(-square(1 - exp(picked)) * picked);
}

Tensor dice_loss(const Tensors& v) {
  const Tensor p = sigmoid(v[0]);
  const Tensor t = as_float(v[1] > 0);
  const Tensor both = sum(p * t, {1, 2});
  return mean(1 - (both * 2 + 1) / (sum(p, {1, 2}) + sum(t, {1, 2}) + 1));
}

Tensor smoothed_cross_entropy(const Tensors& v) {
  const Tensor log_p = log_softmax(v[0], 1);
  const Tensor picked = gather(log_p, 1, unsqueeze(v[1], 1));
  return mean(picked) * -0.9 - mean(log_p) * 0.1;
}

Tensor unit_rows(const Tensor& x) {
  return x / sqrt(sum(x * x, {1}, true) + 1e-12);
}

Tensor contrastive_loss(const Tensors& v) {
  const Tensor logits = matmul(unit_rows(v[0]), transpose(unit_rows(v[1]), 0, 1)) * 14.3;
  const Tensor diagonals =
      mean(diagonal(log_softmax(logits, 1)) + diagonal(log_softmax(logits, 0)));
  return diagonals * -0.5;
}

Tensor triplet_loss(const Tensors& v) {
  const auto distance = [&](const Tensor& x) { return sqrt(sum(square(v[0] - x), {1}) + 1e-9); };
  return mean(relu(distance(v[1]) - distance(v[2]) + 1));
}

Tensor huber_loss_by_hand(const Tensors& v) {
  const Tensor d = abs(v[0] - v[1]);
  return mean(where(d < 0.5, square(d) * 0.5, (d - 0.25) * 0.5));
}

Tensor divergence_of_logits(const Tensors& v) {
  const Tensor p = log_softmax(v[0], 1);
  return sum(exp(p) * (p - log_softmax(v[1], 1))) / static_cast<double>(v[0].size(0));
}

// Optimizers of triples: parameter, gradient and moment.

Tensors many(int64_t triples, std::initializer_list<int64_t> extents) {
  Tensors tensors;
  for (int64_t i = 0; i < 3 * triples; ++i)
    tensors.push_back(uniform(extents));
  return tensors;
}

Tensors momentum_steps(const Tensors& v) {
  Tensors results;
  for (size_t i = 0; i < v.size() / 3; ++i) {
    const Tensor m = v[3 * i + 2] * 0.9 + v[3 * i + 1];
    results.push_back(v[3 * i] - m * 0.01);
    results.push_back(m);
  }
  return results;
}

Tensors rms_prop_steps(const Tensors& v) {
  Tensors results;
  for (size_t i = 0; i < v.size() / 3; ++i) {
    const Tensor s = square(v[3 * i + 2]) * 0.99 + square(v[3 * i + 1]) * 0.01;
    results.push_back(v[3 * i] - v[3 * i + 1] / (sqrt(s) + 1e-8) * 0.01);
    results.push_back(s);
  }
  return results;
}

Tensors clipped_gradients(const Tensors& v) {
  Tensors squares;
  for (const Tensor& x : v)
    squares.push_back(sum(x * x));
  const Tensor length = sqrt(sum(stack(squares, 0)));
  const Tensor scale = clamp(1 / (length + 1e-6), 0, 1);
  Tensors results;
  for (const Tensor& x : v)
    results.push_back(x * scale);
  return results;
}

Tensors lamb_steps(const Tensors& v) {
  Tensors results;
  for (size_t i = 0; i < v.size() / 3; ++i) {
    const Tensor& p = v[3 * i];
    const Tensor& g = v[3 * i + 1];
    const Tensor m = v[3 * i + 2] * 0.9 + g * 0.1;
    const Tensor update = m / (sqrt(square(g) * 0.001 + 1e-6)) + p * 0.01;
    const Tensor trust = sqrt(sum(p * p)) / (sqrt(sum(update * update)) + 1e-6);
    results.push_back(p - update * trust * 0.01);
  }
  return results;
}

/// Orthogonal factors by Newton and Schulz.
Tensor orthogonalized(const Tensors& v) {
  Tensor x = v[0] / (sqrt(sum(v[0] * v[0])) + 1e-7);
  for (int i = 0; i < 5; ++i) {
    const Tensor a = matmul(x, transpose(x, 0, 1));
    x = x * 3.4445 + matmul(a * -4.7750 + matmul(a, a) * 2.0315, x);
  }
  return x;
}
