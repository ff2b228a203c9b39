// Whole networks from their weights, small enough to be run many times. Included where the names of
// one library are known, after networks.h.

/// Weights in the order that a network asks for them: made when it is first run, then given again.
class Weights {
 public:
  Weights() : makes_(true) {}

  /// Those behind the first of v, its inputs.
  Weights(const Tensors& v, size_t inputs) : all_(v), next_(inputs) {}

  /// Of a variance that keeps that of what they multiply.
  Tensor of(std::initializer_list<int64_t> extents) {
    if (!makes_) return all_[next_++];
    int64_t inputs = 1;
    for (const int64_t* extent = extents.begin() + 1; extent < extents.end(); ++extent)
      inputs *= *extent;
    Tensor weight = uniform(extents);
    if (extents.size() > 1) weight = weight * std::sqrt(3.0 / static_cast<double>(inputs));
    all_.push_back(weight);
    return weight;
  }

  [[nodiscard]] const Tensors& all() const { return all_; }

 private:
  Tensors all_;
  size_t next_ = 0;
  bool makes_ = false;
};

using Network = Tensor (*)(const Tensors& inputs, Weights& w);

/// The inputs and all weights of a network.
Tensors with_weights(Network network, const Tensors& inputs) {
  Weights weights;
  static_cast<void>(network(inputs, weights));
  Tensors all = inputs;
  for (const Tensor& each : weights.all())
    all.push_back(as_input(each));
  return all;
}

Tensor run(Network network, const Tensors& v, size_t inputs) {
  Weights weights(v, inputs);
  return network(v, weights);
}

// Layers.

Tensor dense(Weights& w, const Tensor& x, int64_t outputs) {
  const Tensor weight = w.of({outputs, x.size(-1)});
  return linear(x, weight) + w.of({outputs});
}

Tensor image_of(const Tensor& bytes) {
  return as_float(bytes) * (2.0 / 255) - 1;
}

Tensor window(Weights& w,
              const Tensor& x,
              int64_t outputs,
              int64_t kernel,
              int64_t stride = 1,
              int64_t groups = 1) {
  return conv(x, w.of({outputs, x.size(1) / groups, kernel, kernel}), stride, kernel / 2, groups);
}

Tensor normalized_channels(Weights& w, const Tensor& x) {
  const Tensor scale = w.of({x.size(1)});
  return batch_norm_of(x, scale, w.of({x.size(1)}));
}

Tensor normalized_rows(Weights& w, const Tensor& x) {
  const Tensor scale = w.of({x.size(-1)});
  return layer_norm_of_rows(x, scale, w.of({x.size(-1)}));
}

Tensor conv_norm(Weights& w,
                 const Tensor& x,
                 int64_t outputs,
                 int64_t kernel,
                 int64_t stride = 1,
                 int64_t groups = 1) {
  return normalized_channels(w, window(w, x, outputs, kernel, stride, groups));
}

// Networks for images: inputs are bytes.

Tensor resnet_18(const Tensors& v, Weights& w) {
  Tensor x = relu(conv_norm(w, image_of(v[0]), 64, 3));
  for (const int64_t planes : {64, 64, 128, 128, 256, 256, 512, 512}) {
    const int64_t stride = planes > x.size(1) ? 2 : 1;
    const Tensor y = conv_norm(w, relu(conv_norm(w, x, planes, 3, stride)), planes, 3);
    x = relu(y + (stride > 1 ? conv_norm(w, x, planes, 1, stride) : x));
  }
  return dense(w, mean(x, {2, 3}), 10);
}

Tensor mobile_net(const Tensors& v, Weights& w) {
  Tensor x = relu_to_6(conv_norm(w, image_of(v[0]), 32, 3, 2));

  struct Stage {
    int64_t expansion, outputs, blocks, stride;
  };

  for (const Stage& stage : {Stage{1, 16, 1, 1},
                             Stage{6, 24, 2, 2},
                             Stage{6, 32, 3, 2},
                             Stage{6, 64, 4, 2},
                             Stage{6, 96, 3, 1},
                             Stage{6, 160, 3, 2}}) {
    for (int64_t i = 0; i < stage.blocks; ++i) {
      const int64_t wide = stage.expansion * x.size(1);
      const int64_t stride = i == 0 ? stage.stride : 1;
      Tensor y = stage.expansion > 1 ? relu_to_6(conv_norm(w, x, wide, 1)) : x;
      y = relu_to_6(conv_norm(w, y, wide, 3, stride, wide));
      y = conv_norm(w, y, stage.outputs, 1);
      x = stride == 1 && x.size(1) == stage.outputs ? x + y : y;
    }
  }
  return dense(w, mean(relu_to_6(conv_norm(w, x, 640, 1)), {2, 3}), 100);
}

Tensor efficient_net(const Tensors& v, Weights& w) {
  Tensor x = silu(conv_norm(w, image_of(v[0]), 24, 3, 2));
  for (const int64_t outputs : {24, 40, 40, 80, 80, 112}) {
    const int64_t stride = outputs == 112 ? 1 : outputs > x.size(1) ? 2 : 1;
    const int64_t wide = 4 * x.size(1);
    Tensor y = silu(conv_norm(w, x, wide, 1));
    y = silu(conv_norm(w, y, wide, 5, stride, wide));
    const Tensor gate = sigmoid(dense(w, silu(dense(w, mean(y, {2, 3}), wide / 16)), wide));
    y = y * reshape(gate, {gate.size(0), gate.size(1), 1, 1});
    y = conv_norm(w, y, outputs, 1);
    x = stride == 1 && x.size(1) == outputs ? x + y : y;
  }
  return dense(w, mean(x, {2, 3}), 10);
}

Tensor dense_net(const Tensors& v, Weights& w) {
  Tensor x = window(w, image_of(v[0]), 24, 3);
  for (int stage = 0; stage < 3; ++stage) {
    for (int i = 0; i < 6; ++i) {
      const Tensor narrow = window(w, relu(normalized_channels(w, x)), 48, 1);
      x = concat(Tensors{x, window(w, relu(normalized_channels(w, narrow)), 12, 3)}, 1);
    }
    x = relu(normalized_channels(w, x));
    if (stage < 2) x = avg_pool_2x2(window(w, x, x.size(1) / 2, 1));
  }
  return dense(w, mean(x, {2, 3}), 10);
}

Tensor deep_u_net(const Tensors& v, Weights& w) {
  Tensor x = image_of(v[0]);
  const auto twice = [&](const Tensor& y, int64_t c) {
    return relu(conv_norm(w, relu(conv_norm(w, y, c, 3)), c, 3));
  };
  Tensors skipped;
  for (const int64_t channels : {16, 32, 64}) {
    skipped.push_back(twice(x, channels));
    x = max_pool_2x2(skipped.back());
  }
  x = twice(x, 128);
  for (size_t i = 3; i-- > 0;) {
    const int64_t channels = skipped[i].size(1);
    const Tensor up = conv_transposed(x, w.of({x.size(1), channels, 2, 2}), 2, 0);
    x = twice(concat(Tensors{skipped[i], up}, 1), channels);
  }
  return window(w, x, 5, 1);
}

Tensor res_next(const Tensors& v, Weights& w) {
  Tensor x = relu(conv_norm(w, image_of(v[0]), 64, 3));
  for (const int64_t planes : {64, 64, 128, 128}) {
    const int64_t stride = 2 * planes > x.size(1) && planes > 64 ? 2 : 1;
    Tensor y = relu(conv_norm(w, x, planes, 1));
    y = relu(conv_norm(w, y, planes, 3, stride, 16));
    y = conv_norm(w, y, 2 * planes, 1);
    x = relu(y + (x.size(1) == 2 * planes ? x : conv_norm(w, x, 2 * planes, 1, stride)));
  }
  return dense(w, mean(x, {2, 3}), 10);
}

Tensor inception(const Tensors& v, Weights& w) {
  Tensor x = relu(conv_norm(w, image_of(v[0]), 32, 3, 2));
  for (int i = 0; i < 4; ++i) {
    const Tensor a = relu(conv_norm(w, x, 24, 1));
    const Tensor b = relu(conv_norm(w, relu(conv_norm(w, x, 16, 1)), 32, 3));
    const Tensor c = relu(conv_norm(w, relu(conv_norm(w, x, 8, 1)), 16, 5));
    const Tensor d = relu(conv_norm(w, max_pool_3x3(x), 16, 1));
    x = concat(Tensors{a, b, c, d}, 1);
    if (i % 2 == 1) x = max_pool_2x2(x);
  }
  return dense(w, mean(x, {2, 3}), 10);
}

Tensor shuffle_net(const Tensors& v, Weights& w) {
  Tensor x = relu(conv_norm(w, image_of(v[0]), 48, 3, 2));
  for (int i = 0; i < 4; ++i) {
    const Tensor kept = slice(x, 1, 0, 24, 1);
    Tensor y = relu(conv_norm(w, slice(x, 1, 24, 48, 1), 24, 1));
    y = relu(conv_norm(w, conv_norm(w, y, 24, 3, 1, 24), 24, 1));
    y = reshape(concat(Tensors{kept, y}, 1), {x.size(0), 2, 24, x.size(2), x.size(3)});
    x = reshape(transpose(y, 1, 2), {x.size(0), 48, x.size(2), x.size(3)});
  }
  return dense(w, mean(x, {2, 3}), 10);
}

Tensor alex_net(const Tensors& v, Weights& w) {
  Tensor x = relu(conv(image_of(v[0]), w.of({64, 3, 11, 11}), 4, 2));
  x = max_pool_2x2(x);
  x = max_pool_2x2(relu(window(w, x, 192, 5)));
  x = relu(window(w, x, 384, 3));
  x = relu(window(w, x, 256, 3));
  x = max_pool_2x2(relu(window(w, x, 256, 3)));
  x = reshape(x, {x.size(0), -1});
  return dense(w, relu(dense(w, relu(dense(w, x, 1024)), 1024)), 100);
}

/// Of Atari frames (Mnih et al., 2015).
Tensor deep_q_network(const Tensors& v, Weights& w) {
  Tensor x = relu(conv(as_float(v[0]) * (1 / 255.0), w.of({32, 4, 8, 8}), 4, 0));
  x = relu(conv(x, w.of({64, 32, 4, 4}), 2, 0));
  x = relu(conv(x, w.of({64, 64, 3, 3}), 1, 0));
  return dense(w, relu(dense(w, reshape(x, {x.size(0), -1}), 512)), 6);
}

/// Restores an image of twice the extents.
Tensor super_resolution(const Tensors& v, Weights& w) {
  const Tensor first = relu(window(w, image_of(v[0]), 32, 3));
  Tensor x = first;
  for (int i = 0; i < 4; ++i)
    x = x + window(w, relu(window(w, x, 32, 3)), 32, 3);
  x = window(w, x + first, 12, 3);
  const int64_t n = x.size(0);
  const int64_t s = x.size(2);
  return reshape(permute(reshape(x, {n, 3, 2, 2, s, s}), {0, 1, 4, 2, 5, 3}), {n, 3, 2 * s, 2 * s});
}

Tensor autoencoder_of_images(const Tensors& v, Weights& w) {
  const Tensor image = image_of(v[0]);
  Tensor x = image;
  for (const int64_t channels : {16, 32, 64})
    x = relu(window(w, x, channels, 3, 2));
  for (const int64_t channels : {32, 16, 3})
    x = relu(window(w, nearest_twice(x), channels, 3));
  return mean(square(x - image));
}

Tensor discriminated_images(const Tensors& v, Weights& w) {
  Tensor x = relu(normalized_channels(w, conv_transposed(v[0], w.of({64, 128, 4, 4}), 1, 0)));
  for (const int64_t channels : {64, 32})
    x = relu(normalized_channels(w, conv_transposed(x, w.of({x.size(1), channels, 4, 4}), 2, 1)));
  x = tanh(conv_transposed(x, w.of({32, 3, 4, 4}), 2, 1));
  for (const int64_t channels : {32, 64, 128})
    x = leaky(normalized_channels(w, conv(x, w.of({channels, x.size(1), 4, 4}), 2, 1)));
  return mean(sigmoid(dense(w, reshape(x, {x.size(0), -1}), 1)));
}

Tensor dilated_context(const Tensors& v, Weights& w) {
  Tensor x = relu(conv_norm(w, image_of(v[0]), 32, 3, 2));
  Tensors branches{relu(conv_norm(w, x, 32, 1))};
  for (const int64_t dilation : {2, 4, 6}) {
    const Tensor y = conv_dilated(x, w.of({32, 32, 3, 3}), dilation);
    branches.push_back(relu(normalized_channels(w, y)));
  }
  return bilinear_twice(window(w, relu(conv_norm(w, concat(branches, 1), 32, 1)), 21, 1));
}

Tensor video_network(const Tensors& v, Weights& w) {
  Tensor x = image_of(v[0]);
  for (const int64_t channels : {16, 32, 64})
    x = max_pool_of_volume(relu(conv_of_volume(x, w.of({channels, x.size(1), 3, 3, 3}))));
  return dense(w, mean(x, {2, 3, 4}), 10);
}

// Networks for sequences: inputs are indices.

Tensor attended(Weights& w, const Tensor& x, const Tensor& memory, int64_t heads, bool causal) {
  const int64_t d = x.size(2);
  const Tensor q = split_into_heads(dense(w, x, d), heads);
  const Tensor k = split_into_heads(dense(w, memory, d), heads);
  const Tensor u = split_into_heads(dense(w, memory, d), heads);
  return dense(w, joined_heads(causal ? causal_attention(q, k, u) : attention_by_hand(q, k, u)), d);
}

Tensor transformer_block(Weights& w, Tensor x, int64_t heads, bool causal) {
  const Tensor n = normalized_rows(w, x);
  x = x + attended(w, n, n, heads, causal);
  return x + dense(w, gelu(dense(w, normalized_rows(w, x), 4 * x.size(2))), x.size(2));
}

Tensor positioned(Weights& w, const Tensor& indices, int64_t vocabulary, int64_t width) {
  return embedding_of(w.of({vocabulary, width}), indices) + w.of({indices.size(1), width});
}

Tensor vision_transformer(const Tensors& v, Weights& w) {
  const Tensor patches = conv(image_of(v[0]), w.of({192, 3, 8, 8}), 8, 0);
  const int64_t n = patches.size(0);
  Tensor x = transpose(reshape(patches, {n, 192, -1}), 1, 2);
  x = concat(Tensors{broadcast_to(w.of({1, 1, 192}), {n, 1, 192}), x}, 1);
  x = x + w.of({x.size(1), 192});
  for (int i = 0; i < 4; ++i)
    x = transformer_block(w, x, 3, false);
  return dense(w, select(normalized_rows(w, x), 1, 0), 10);
}

Tensor masked_language_model(const Tensors& v, Weights& w) {
  Tensor x = normalized_rows(w, positioned(w, v[0], 3000, 256));
  for (int i = 0; i < 3; ++i) {
    x = normalized_rows(w, x + attended(w, x, x, 4, false));
    x = normalized_rows(w, x + dense(w, gelu(dense(w, x, 1024)), 256));
  }
  return cross_entropy_of(dense(w, reshape(x, {-1, 256}), 3000), reshape(v[1], {-1}));
}

Tensor character_model(const Tensors& v, Weights& w) {
  Tensor x = positioned(w, v[0], 65, 128);
  for (int i = 0; i < 4; ++i)
    x = transformer_block(w, x, 4, true);
  return cross_entropy_of(dense(w, reshape(normalized_rows(w, x), {-1, 128}), 65),
                          reshape(v[1], {-1}));
}

Tensor translation(const Tensors& v, Weights& w) {
  Tensor memory = positioned(w, v[0], 500, 128);
  for (int i = 0; i < 2; ++i)
    memory = transformer_block(w, memory, 4, false);
  Tensor x = positioned(w, v[1], 500, 128);
  for (int i = 0; i < 2; ++i) {
    const Tensor n = normalized_rows(w, x);
    x = x + attended(w, n, n, 4, true);
    x = x + attended(w, normalized_rows(w, x), memory, 4, false);
    x = x + dense(w, relu(dense(w, normalized_rows(w, x), 512)), 128);
  }
  return dense(w, reshape(x, {-1, 128}), 500);
}

/// Heads that share keys and values four by four, gated units, RMS norms.
Tensor grouped_query_model(const Tensors& v, Weights& w) {
  Tensor x = embedding_of(w.of({1000, 128}), v[0]);
  const int64_t n = x.size(0);
  const int64_t t = x.size(1);
  for (int i = 0; i < 3; ++i) {
    const Tensor a = rms_norm_by_hand(x, w.of({128}));
    const Tensor q = split_into_heads(linear(a, w.of({128, 128})), 8);
    const auto shared = [&](const Tensor& kv) {
      const Tensor heads = unsqueeze(split_into_heads(kv, 2), 2);
      return reshape(broadcast_to(heads, {n, 2, 4, t, 16}), {n, 8, t, 16});
    };
    const Tensor k = shared(linear(a, w.of({32, 128})));
    const Tensor u = shared(linear(a, w.of({32, 128})));
    x = x + linear(joined_heads(causal_attention(q, k, u)), w.of({128, 128}));
    const Tensor b = rms_norm_by_hand(x, w.of({128}));
    const Tensor gated = silu(linear(b, w.of({344, 128})));
    x = x + linear(gated * linear(b, w.of({344, 128})), w.of({128, 344}));
  }
  return linear(reshape(x, {-1, 128}), w.of({1000, 128}));
}

/// Attention within windows of 7x7, every second time shifted by three.
Tensor windowed_transformer(const Tensors& v, Weights& w) {
  const Tensor patches = conv(image_of(v[0]), w.of({96, 3, 4, 4}), 4, 0);
  const int64_t n = patches.size(0);
  Tensor x = permute(patches, {0, 2, 3, 1});
  const int64_t s = x.size(1) / 7;
  for (int i = 0; i < 4; ++i) {
    Tensor y = normalized_rows(w, x);
    if (i % 2 == 1) y = roll(y, {-3, -3}, {1, 2});
    y = permute(reshape(y, {n, s, 7, s, 7, 96}), {0, 1, 3, 2, 4, 5});
    y = reshape(y, {-1, 49, 96});
    y = attended(w, y, y, 3, false);
    y = permute(reshape(y, {n, s, s, 7, 7, 96}), {0, 1, 3, 2, 4, 5});
    y = reshape(y, {n, 7 * s, 7 * s, 96});
    if (i % 2 == 1) y = roll(y, {3, 3}, {1, 2});
    x = x + y;
    x = x + dense(w, gelu(dense(w, normalized_rows(w, x), 384)), 96);
  }
  return dense(w, mean(x, {1, 2}), 10);
}

Tensor sequence_of_cells(const Tensors& v, Weights& w) {
  const Tensor x = transpose(embedding_of(w.of({200, 64}), v[0]), 0, 1);
  const Tensor input = w.of({400, 64});
  const Tensor hidden = w.of({400, 100});
  Tensor h = zeros_like(linear(select(x, 0, 0), slice(input, 0, 0, 100, 1)));
  Tensor c = h;
  Tensors outputs;
  for (int64_t t = 0; t < x.size(0); ++t) {
    const Tensor gates = linear(select(x, 0, t), input) + linear(h, hidden);
    const auto gate = [&](int64_t i) { return slice(gates, 1, 100 * i, 100 * (i + 1), 1); };
    c = sigmoid(gate(1)) * c + sigmoid(gate(0)) * tanh(gate(2));
    h = sigmoid(gate(3)) * tanh(c);
    outputs.push_back(h);
  }
  return cross_entropy_of(dense(w, reshape(stack(outputs, 0), {-1, 100}), 200),
                          reshape(transpose(v[1], 0, 1), {-1}));
}

Tensor dilated_signal_network(const Tensors& v, Weights& w) {
  Tensor x = transpose(embedding_of(w.of({256, 32}), v[0]), 1, 2);
  for (const int64_t dilation : {1, 2, 4, 8, 16, 32}) {
    const Tensor a = conv_of_signal(x, w.of({32, 32, 2}), dilation);
    const Tensor b = conv_of_signal(x, w.of({32, 32, 2}), dilation);
    const Tensor y = conv_of_signal(tanh(a) * sigmoid(b), w.of({32, 32, 1}), 1);
    x = y + slice(x, 2, dilation, x.size(2), 1);
  }
  return conv_of_signal(relu(x), w.of({256, 32, 1}), 1);
}

// Others.

Tensor skip_grams(const Tensors& v, Weights& w) {
  const Tensor center = embedding_of(w.of({20000, 100}), v[0]);
  const Tensor table = w.of({20000, 100});
  const Tensor scores = matmul(embedding_of(table, v[1]), unsqueeze(center, 2));
  const Tensor first = slice(scores, 1, 0, 1, 1);
  const Tensor others = slice(scores, 1, 1, scores.size(1), 1);
  return -(mean(log(sigmoid(first))) + mean(log(sigmoid(-others))));
}

Tensor recommendation(const Tensors& v, Weights& w) {
  Tensor x = relu(dense(w, v[0], 64));
  Tensors features{relu(dense(w, x, 16))};
  for (int64_t i = 0; i < 8; ++i)
    features.push_back(embedding_of(w.of({10000, 16}), select(v[1], 1, i)));
  const Tensor all = stack(features, 1);
  const Tensor pairs = reshape(matmul(all, transpose(all, 1, 2)), {all.size(0), 81});
  x = relu(dense(w, concat(Tensors{features[0], pairs}, 1), 128));
  return mean(square(sigmoid(dense(w, x, 1))));
}

Tensor graph_network(const Tensors& v, Weights& w) {
  Tensor x = v[0];
  for (int i = 0; i < 3; ++i) {
    const Tensor messages = index_select(dense(w, x, x.size(1)), 0, v[1]) * unsqueeze(v[3], 1);
    x = index_add(zeros_like(v[0]), 0, v[2], messages);
    if (i < 2) x = relu(x);
  }
  return x;
}

/// Colors along rays (Mildenhall et al., 2020): v[0] is [rays,samples,3].
Tensor radiance_field(const Tensors& v, Weights& w) {
  Tensors waves{v[0]};
  for (int i = 0; i < 6; ++i) {
    waves.push_back(sin(v[0] * std::pow(2.0, i)));
    waves.push_back(cos(v[0] * std::pow(2.0, i)));
  }
  const Tensor encoded = concat(waves, 2);
  Tensor x = encoded;
  for (int i = 0; i < 6; ++i)
    x = relu(dense(w, i == 3 ? concat(Tensors{x, encoded}, 2) : x, 64));
  const Tensor alpha = 1 - exp(relu(dense(w, x, 1)) * -0.1);
  const Tensor color = sigmoid(dense(w, x, 3));
  const Tensor passed = exp(cumsum(log(1 - alpha + 1e-6), 1));
  return sum(alpha * passed * color, {1});
}

Tensor mixture_of_experts(const Tensors& v, Weights& w) {
  const Tensor gates = softmax(dense(w, v[0], 8), 1);
  const Tensor up = w.of({8, 128, 256});
  const Tensor down = w.of({8, 256, 128});
  const Tensor x = broadcast_to(unsqueeze(v[0], 0), {8, v[0].size(0), 128});
  const Tensor y = matmul(gelu(matmul(x, up)), down);
  return sum(y * unsqueeze(transpose(gates, 0, 1), 2), {0});
}

Tensor deep_normalized(const Tensors& v, Weights& w) {
  Tensor x = v[0];
  for (int i = 0; i < 8; ++i)
    x = relu(normalized_rows(w, dense(w, x, 200)));
  return dense(w, x, 10);
}

Tensor policy_and_value(const Tensors& v, Weights& w) {
  const Tensor h = tanh(dense(w, tanh(dense(w, v[0], 64)), 64));
  const Tensor log_p = log_softmax(dense(w, h, 6), 1);
  const Tensor value = reshape(dense(w, h, 1), {-1});
  const Tensor picked = reshape(gather(log_p, 1, unsqueeze(v[1], 1)), {-1});
  const Tensor ratio = exp(picked - v[2]);
  const Tensor gain = minimum(ratio * v[3], clamp(ratio, 0.8, 1.2) * v[3]);
  return mean(square(value - v[4])) * 0.5 - mean(gain) + mean(sum(exp(log_p) * log_p, {1})) * 0.01;
}
