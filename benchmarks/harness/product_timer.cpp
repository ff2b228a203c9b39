#include "harness/product_timer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "harness/stream.h"
#include "harness/turns.h"
#include <dnnl.hpp>

#include "wick/ir/channel_blocks.h"
#include "wick/runtime/matmul_shape.h"
#include "wick/runtime/step_labels.h"

namespace wick::bench {

namespace {

using dnnl::algorithm;
using dnnl::memory;
using ir::OpKind;
using runtime::LibraryOp;
using runtime::MatmulShape;

constexpr auto kF32 = memory::data_type::f32;
constexpr auto kAny = memory::format_tag::any;

const dnnl::engine& engine() {
  static const dnnl::engine instance(dnnl::engine::kind::cpu, 0);
  return instance;
}

/// Memory that all products share: operand, operand, result, scratch and bias, as large as the
/// largest.
class Room {
 public:
  static constexpr size_t kParts = 5;

  void ask(size_t part, size_t bytes) { bytes_[part] = std::max(bytes_[part], bytes); }

  void make() {
    for (size_t i = 0; i < kParts; ++i)
      parts_[i] = std::make_unique<StreamBuffer>(std::max<size_t>(bytes_[i], 64));
  }

  [[nodiscard]] float* operator[](size_t part) const { return parts_[part]->data(); }

 private:
  std::array<size_t, kParts> bytes_{};
  std::array<std::unique_ptr<StreamBuffer>, kParts> parts_;
};

/// One way to compute a product. Bound to memory once all ways of all products are known.
class Way {
 public:
  Way() = default;
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;
  virtual ~Way() = default;

  virtual void ask(Room& room) const = 0;
  virtual std::function<void()> bind(std::shared_ptr<const Room> room) const = 0;
};

class PrimitiveWay final : public Way {
 public:
  struct Argument {
    int id;
    memory::desc desc;
  };

  /// Arguments in the order of the room's parts.
  PrimitiveWay(dnnl::primitive primitive, std::vector<Argument> arguments)
      : primitive_(std::move(primitive)),
        arguments_(std::move(arguments)) {}

  void ask(Room& room) const override {
    for (size_t i = 0; i < arguments_.size(); ++i)
      room.ask(i, arguments_[i].desc.get_size());
  }

  std::function<void()> bind(std::shared_ptr<const Room> room) const override {
    std::unordered_map<int, memory> bound;
    for (size_t i = 0; i < arguments_.size(); ++i)
      bound.emplace(arguments_[i].id, memory(arguments_[i].desc, engine(), (*room)[i]));
    return [primitive = primitive_, bound = std::move(bound), room = std::move(room)] {
      static dnnl::stream stream(engine());
      primitive.execute(stream, bound);
      stream.wait();
    };
  }

 private:
  dnnl::primitive primitive_;
  std::vector<Argument> arguments_;
};

/// Plain row-major products of a batch.
class SgemmWay final : public Way {
 public:
  /// Rows of the right operands are `gap` elements longer than they need be: where rows are a power
  /// of two apart, they meet in the cache.
  SgemmWay(MatmulShape shape, int64_t gap) : shape_(std::move(shape)), gap_(gap) {}

  void ask(Room& room) const override {
    const auto elements = [this](int64_t rows, int64_t columns) {
      return static_cast<size_t>(shape_.batch() * rows * columns) * sizeof(float);
    };
    room.ask(0, elements(shape_.m, shape_.k));
    room.ask(1, elements(shape_.k, shape_.n + gap_));
    room.ask(2, elements(shape_.m, shape_.n));
  }

  std::function<void()> bind(std::shared_ptr<const Room> room) const override {
    return [s = shape_, row = shape_.n + gap_, room = std::move(room)] {
      const auto product = [&](int64_t b) {
        const float* lhs = (*room)[0] + b * s.m * s.k;
        const float* rhs = (*room)[1] + b * s.k * row;
        float* out = (*room)[2] + b * s.m * s.n;
        dnnl::sgemm('N', 'N', s.m, s.n, s.k, 1, lhs, s.k, rhs, row, 0, out, s.n);
      };
#pragma omp parallel for if (s.batch() > 1)
      for (int64_t b = 0; b < s.batch(); ++b)
        product(b);
    };
  }

 private:
  MatmulShape shape_;
  int64_t gap_;
};

using Ways = std::vector<std::unique_ptr<Way>>;

dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

/// Adds what `make` gives, unless oneDNN has no implementation.
template <typename Make>
void add_if_there(Ways& ways, Make make) {
  try {
    ways.push_back(make());
  } catch (const dnnl::error&) {  // Winograd does not cover this shape
  }
}

template <typename Primitive>
std::unique_ptr<Way> forward_way(const typename Primitive::desc& desc,
                                 const dnnl::primitive_attr& attributes = user_scratchpad()) {
  const typename Primitive::primitive_desc made(desc, attributes, engine());
  std::vector<PrimitiveWay::Argument> arguments = {{DNNL_ARG_SRC, made.src_desc()},
                                                   {DNNL_ARG_WEIGHTS, made.weights_desc()},
                                                   {DNNL_ARG_DST, made.dst_desc()},
                                                   {DNNL_ARG_SCRATCHPAD, made.scratchpad_desc()}};
  const memory::desc bias = made.query_md(dnnl::query::exec_arg_md, DNNL_ARG_BIAS);
  if (bias.get_size() > 0) arguments.push_back({DNNL_ARG_BIAS, bias});
  return std::make_unique<PrimitiveWay>(Primitive(made), std::move(arguments));
}

Ways ways_of_matmul(const MatmulShape& s) {
  Ways ways;
  constexpr int64_t kLine = 16;
  for (const int64_t gap : {int64_t{0}, kLine})
    ways.push_back(std::make_unique<SgemmWay>(s, gap));
  const int64_t batch = s.batch();
  const auto desc = [&](int64_t rows, int64_t columns) {
    return memory::desc(
        batch == 1 ? memory::dims{rows, columns} : memory::dims{batch, rows, columns}, kF32, kAny);
  };
  add_if_there(ways, [&] {
    return forward_way<dnnl::matmul>({desc(s.m, s.k), desc(s.k, s.n), desc(s.m, s.n)});
  });
  if (batch > 1) return ways;
  add_if_there(ways, [&] {
    return forward_way<dnnl::inner_product_forward>(
        {dnnl::prop_kind::forward_inference, desc(s.m, s.k), desc(s.n, s.k), desc(s.m, s.n)});
  });
  return ways;
}

/// A convolution and what it is a gradient of.
struct Convolution {
  memory::desc x, w, y;
  memory::dims stride, dilation, padding;
};

memory::dims per_axis(const LibraryOp& op, const Type& w, const char* name, int64_t fallback) {
  const std::vector<int64_t>& values = op.attributes.integers(name);
  const auto rank = static_cast<size_t>(w.shape.ndim()) - 2;
  return values.empty() ? memory::dims(rank, fallback) : memory::dims(values.begin(), values.end());
}

memory::format_tag channels_last(const Type& w) {
  using Tag = memory::format_tag;
  constexpr std::array kByAxes = {Tag::nwc, Tag::nhwc, Tag::ndhwc};
  return kByAxes.at(static_cast<size_t>(w.shape.ndim()) - 3);
}

Convolution convolution_of(const LibraryOp& op, bool with_channels_last) {
  const int64_t groups = op.attributes.integer("groups", 1);
  const bool gives_x = op.op == OpKind::conv_input_grad;
  const bool gives_w = op.op == OpKind::conv_weight_grad;
  const Type& x = gives_x ? op.result : op.operands[0];
  const Type& w = gives_w ? op.result : op.operands[1];
  const Type& y = gives_x ? op.operands[0] : gives_w ? op.operands[1] : op.result;
  const memory::format_tag format = with_channels_last ? channels_last(w) : kAny;
  const auto images = [&](const Type& type) {
    const Shape shape = ir::plain_images(type.shape, w.shape);
    return memory::desc(memory::dims(shape.begin(), shape.end()), kF32, format);
  };
  memory::dims weight(w.shape.begin(), w.shape.end());
  if (groups > 1) {
    weight[0] /= groups;
    weight.insert(weight.begin(), groups);
  }
  Convolution c{.x = images(x),
                .w = memory::desc(weight, kF32, kAny),
                .y = images(y),
                .stride = per_axis(op, w, "stride", 1),
                .dilation = per_axis(op, w, "dilation", 1),
                .padding = per_axis(op, w, "padding", 0)};
  for (auto& each : c.dilation)
    each -= 1;  // oneDNN counts the skipped elements
  return c;
}

std::unique_ptr<Way> convolution_way(OpKind op, const Convolution& c, algorithm how) {
  using dnnl::convolution_backward_data;
  using dnnl::convolution_backward_weights;
  using dnnl::convolution_forward;
  const convolution_forward::desc forward(dnnl::prop_kind::forward_training,
                                          how,
                                          c.x,
                                          c.w,
                                          c.y,
                                          c.stride,
                                          c.dilation,
                                          c.padding,
                                          c.padding);
  if (op == OpKind::conv) return forward_way<convolution_forward>(forward);
  const convolution_forward::primitive_desc hint(forward, user_scratchpad(), engine());
  using Arguments = std::vector<PrimitiveWay::Argument>;
  if (op == OpKind::conv_input_grad) {
    const convolution_backward_data::primitive_desc made(
        convolution_backward_data::desc(
            how, c.x, c.w, c.y, c.stride, c.dilation, c.padding, c.padding),
        user_scratchpad(),
        engine(),
        hint);
    return std::make_unique<PrimitiveWay>(
        convolution_backward_data(made),
        Arguments{{{DNNL_ARG_DIFF_DST, made.diff_dst_desc()},
                   {DNNL_ARG_WEIGHTS, made.weights_desc()},
                   {DNNL_ARG_DIFF_SRC, made.diff_src_desc()},
                   {DNNL_ARG_SCRATCHPAD, made.scratchpad_desc()}}});
  }
  const convolution_backward_weights::primitive_desc made(
      convolution_backward_weights::desc(
          how, c.x, c.w, c.y, c.stride, c.dilation, c.padding, c.padding),
      user_scratchpad(),
      engine(),
      hint);
  return std::make_unique<PrimitiveWay>(
      convolution_backward_weights(made),
      Arguments{{{DNNL_ARG_SRC, made.src_desc()},
                 {DNNL_ARG_DIFF_DST, made.diff_dst_desc()},
                 {DNNL_ARG_DIFF_WEIGHTS, made.diff_weights_desc()},
                 {DNNL_ARG_SCRATCHPAD, made.scratchpad_desc()}}});
}

Ways ways_of(const LibraryOp& op) {
  if (op.op == OpKind::matmul) return ways_of_matmul(matmul_shape(op));
  Ways ways;
  const Convolution c = convolution_of(op, /*with_channels_last=*/false);
  for (const algorithm how : {algorithm::convolution_direct, algorithm::convolution_winograd})
    add_if_there(ways, [&] { return convolution_way(op.op, c, how); });
  const auto fills_blocks = [](int64_t channels) { return channels % 16 == 0; };
  const memory::dims w = c.w.dims();
  if (fills_blocks(w[w.size() - c.stride.size() - 1]) && fills_blocks(w[0])) return ways;
  const Convolution last = convolution_of(op, /*with_channels_last=*/true);
  add_if_there(ways, [&] { return convolution_way(op.op, last, algorithm::convolution_direct); });
  return ways;
}

/// With room for each of them.
std::shared_ptr<const Room> room_for(std::span<const Ways> ways_of_products) {
  auto room = std::make_shared<Room>();
  for (const Ways& ways : ways_of_products) {
    for (const std::unique_ptr<Way>& way : ways)
      way->ask(*room);
  }
  room->make();
  return room;
}

std::function<void()> fastest(const Ways& ways, const std::shared_ptr<const Room>& room) {
  constexpr int kTries = 3;
  std::function<void()> best;
  double best_ms = std::numeric_limits<double>::infinity();
  for (const std::unique_ptr<Way>& way : ways) {
    const std::function<void()> run = way->bind(room);
    run();
    for (int i = 0; i < kTries; ++i) {
      const double ms = time_ms(run);
      if (ms >= best_ms) continue;
      best_ms = ms;
      best = run;
    }
  }
  return best;
}

}  // namespace

bool can_time_products() {
  return true;
}

std::function<void()> linear_gelu_by_hand(int64_t rows, int64_t in, int64_t out) {
  dnnl::post_ops gelu;
  gelu.append_eltwise(1, algorithm::eltwise_gelu_erf, 0, 0);
  dnnl::primitive_attr attributes = user_scratchpad();
  attributes.set_post_ops(gelu);
  const auto desc = [](memory::dims dims) { return memory::desc(std::move(dims), kF32, kAny); };
  Ways ways;
  add_if_there(ways, [&] {
    return forward_way<dnnl::matmul>(
        {desc({rows, in}), desc({in, out}), desc({1, out}), desc({rows, out})}, attributes);
  });
  add_if_there(ways, [&] {
    return forward_way<dnnl::inner_product_forward>({dnnl::prop_kind::forward_inference,
                                                     desc({rows, in}),
                                                     desc({out, in}),
                                                     desc({out}),
                                                     desc({rows, out})},
                                                    attributes);
  });
  return fastest(ways, room_for({&ways, 1}));
}

ProductTimer::ProductTimer(const Products& products) {
  std::vector<Ways> ways;
  for (const auto& [key, entry] : products.entries)
    ways.push_back(ways_of(entry.op));
  const std::shared_ptr<const Room> room = room_for(ways);
  auto next = ways.begin();
  for (const auto& [key, entry] : products.entries)
    calls_.push_back({.run = fastest(*next++, room), .count = entry.count});
}

double ProductTimer::time() const {
  double ms = 0;
  for (const Call& call : calls_)
    ms += call.count * time_ms(call.run);
  return ms;
}

}  // namespace wick::bench
