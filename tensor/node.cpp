#include "wick/tensor/node.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "wick/ir/check.h"
#include "wick/ir/error.h"
#include "wick/passes/options.h"
#include "wick/tensor/node_pool.h"
#include "wick/tensor/pending_limit.h"

namespace wick::detail {

namespace {

const ir::Attributes kNoAttributes;

// Recording needs these at every op: the model makes of an access one load instead of a call.
[[gnu::tls_model("initial-exec")]] constinit thread_local bool thread_grad_mode = true;
[[gnu::tls_model("initial-exec")]] constinit thread_local bool thread_in_backward = false;

// Nodes whose last reference went while this thread was already ending others: what hangs on a
// node (a custom gradient's captures, say) may hold nodes again, and must not recurse.
struct DeadList {
  bool active = false;
  Node* first = nullptr;
};

[[gnu::tls_model("initial-exec")]] constinit thread_local DeadList dead;

std::atomic<int64_t> pending_total{0};

// Threads report in lots, so that recording does not fight over one cache line.
constexpr int64_t kPendingLot = 1024;
[[gnu::tls_model("initial-exec")]] constinit thread_local int64_t pending_here = 0;

void count_pending(int64_t change) {
  pending_here += change;
  if (pending_here >= kPendingLot || pending_here <= -kPendingLot) [[unlikely]] {
    pending_total.fetch_add(std::exchange(pending_here, 0), std::memory_order_relaxed);
  }
}

[[gnu::tls_model("initial-exec")]] constinit thread_local NodePool<sizeof(Node)> pool;

[[noreturn]] void fail_on_devices(ir::OpKind op,
                                  std::span<Ref<Node>> operands,
                                  const ir::Attributes& attributes,
                                  std::source_location where) {
  std::string places;
  for (const Ref<Node>& operand : operands) {
    if (!operand->device()) continue;
    places += fmt::format("{}{} on {}",
                          places.empty() ? "" : ", ",
                          to_string(operand->type()),
                          to_string(*operand->device()));
  }
  throw Error(
      where,
      ir::op_name(op, attributes),
      fmt::format("the operands are on different devices: {}; to(device) moves a tensor", places));
}

}  // namespace

void* Node::operator new([[maybe_unused]] size_t bytes) {
  return pool.allocate();
}

void Node::operator delete(void* block) noexcept {
  pool.free(block);
}

bool grad_mode() {
  return thread_grad_mode;
}

void set_grad_mode(bool enabled) {
  thread_grad_mode = enabled;
}

bool in_backward() {
  return thread_in_backward;
}

void set_in_backward(bool value) {
  thread_in_backward = value;
}

int64_t num_pending_nodes() {
  return pending_total.load(std::memory_order_relaxed) + pending_here;
}

Ref<Node> Node::record(ir::OpKind op,
                       std::span<const Ref<Node>> operands,
                       Ref<const SharedAttributes> attributes,
                       std::source_location where) {
  if (operands.size() <= kInlineOperands) {
    Ref<Node> few[kInlineOperands];
    std::ranges::copy(operands, few);
    return record_moving(op, {few, operands.size()}, std::move(attributes), where);
  }
  std::vector<Ref<Node>> many(operands.begin(), operands.end());
  return record_moving(op, many, std::move(attributes), where);
}

Ref<Node> Node::record_moving(ir::OpKind op,
                              std::span<Ref<Node>> operands,
                              Ref<const SharedAttributes> attributes,
                              std::source_location where) {
  constexpr size_t kFew = 8;
  const Type* few[kFew];
  std::vector<const Type*> many;
  const Type** types = few;
  if (operands.size() > kFew) {
    many.resize(operands.size());
    types = many.data();
  }
  uint32_t depth = 0;
  bool requires_grad = false;
  int8_t device = kAnywhere;
  for (size_t i = 0; i < operands.size(); ++i) {
    types[i] = &operands[i]->type_;
    depth = std::max(depth, operands[i]->pending_depth());
    requires_grad |= operands[i]->requires_grad();
    const int8_t there = operands[i]->device_;
    if (there == kAnywhere) continue;
    if (device != kAnywhere && device != there) [[unlikely]]
      fail_on_devices(op, operands, attributes ? attributes->value : kNoAttributes, where);
    device = there;
  }
  Type type = ir::infer_type(
      op, {types, operands.size()}, attributes ? attributes->value : kNoAttributes, where);
  if (limit_pending(depth + 1, op, operands, where)) depth = 0;

  uint8_t flags = kCounted;
  if (requires_grad && grad_mode() && is_float(type.dtype)) flags |= kRequiresGrad | kKeepsHistory;
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory)
  Ref<Node> node = Ref<Node>::first(new Node(op, flags, std::move(type), where));
  node->attributes_ = std::move(attributes);
  node->marks_.depth = depth + 1;
  if (in_backward()) node->set_differentiated();
  node->device_ = device;
  count_pending(1);
  node->take_operands(operands);
  return node;
}

Ref<Node> Node::leaf(Type type, Ref<runtime::Buffer> value, std::source_location where) {
  check(value && value->size() >= type.num_bytes(), "a leaf's buffer holds its elements");
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory)
  Ref<Node> node = Ref<Node>::first(new Node(ir::OpKind::parameter, 0, std::move(type), where));
  node->set_device(value->device());
  node->value_.store(value.leak(), std::memory_order_release);
  return node;
}

Ref<Node> Node::imported_leaf(Type type, Ref<runtime::Buffer> value, std::source_location where) {
  const Device device = runtime::device_of_backend(options().backend);
  if (!device.is_cpu())
    value = runtime::copy_to(device, value, {.purpose = "leaf", .where = where});
  return leaf(std::move(type), std::move(value), where);
}

Ref<Node> Node::scalar(DType dtype, uint64_t bits, std::source_location where) {
  constexpr uint8_t kFlags = kScalar | kReady;
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory)
  Ref<Node> node = Ref<Node>::first(new Node(ir::OpKind::parameter, kFlags, {dtype, {}}, where));
  node->scalar_bits_ = bits;
  return node;
}

Ref<Node> Node::constant(Literal value, std::source_location where) {
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory)
  Ref<Node> node =
      Ref<Node>::first(new Node(ir::OpKind::constant, kReady, Type(value.type()), where));
  node->attributes_ = make_ref<SharedAttributes>(ir::Attributes{{"value", std::move(value)}});
  return node;
}

void Node::take_operands(std::span<Ref<Node>> operands) {
  if (operands.size() > kInlineOperands) {
    more_operands_ = std::make_unique<std::vector<Ref<Node>>>(std::move_iterator(operands.begin()),
                                                              std::move_iterator(operands.end()));
    return;
  }
  std::ranges::move(operands, inline_operands_);
  num_inline_ = static_cast<uint8_t>(operands.size());
}

const ir::Attributes& Node::attributes() const {
  return attributes_ ? attributes_->value : kNoAttributes;
}

const void* Node::data() const {
  if (const runtime::Buffer* buffer = value()) return buffer->host_data();
  if (is_scalar_leaf()) return &scalar_bits_;
  check(op_ == ir::OpKind::constant, "a pending node has no data");
  return attributes_->value.literal("value").data();
}

void Node::set_value(Ref<runtime::Buffer> value) {
  check(static_cast<bool>(value), "a node's value is not null");
  runtime::Buffer* expected = nullptr;
  if (value_.compare_exchange_strong(expected, value.get(), std::memory_order_acq_rel)) {
    (void)value.leak();
  }
  stop_counting();
}

void Node::stop_counting() {
  const uint8_t before =
      flags_.fetch_and(static_cast<uint8_t>(~kCounted), std::memory_order_acq_rel);
  if ((before & kCounted) != 0) count_pending(-1);
}

void Node::release_operands() {
  std::vector<Ref<Node>> gone;
  move_operands_to(gone);
}

void Node::move_operands_to(std::vector<Ref<Node>>& to) {
  if ((flags_.fetch_or(kReleased, std::memory_order_acq_rel) & kReleased) != 0) return;
  for (Ref<Node>& operand : inline_operands_) {
    if (operand) to.push_back(std::move(operand));
  }
  num_inline_ = 0;
  if (more_operands_) {
    std::ranges::move(*more_operands_, std::back_inserter(to));
    more_operands_.reset();
  }
}

void Node::destroy(const Node* node) {
  auto* gone = const_cast<Node*>(node);  // NOLINT: the last reference is ours.
  gone->next_dead_ = dead.first;
  dead.first = gone;
  if (dead.active) return;
  dead.active = true;
  while (dead.first != nullptr) {
    Node* next = dead.first;
    dead.first = next->next_dead_;
    end(next, dead.first);
  }
  dead.active = false;
}

void Node::end(Node* node, Node*& list) {
  const auto drop = [&list](Ref<Node>& operand) {
    Node* target = operand.leak();
    if (target == nullptr || !Ref<Node>::drop(target)) return;
    target->next_dead_ = list;
    list = target;
  };
  for (Ref<Node>& operand : node->inline_operands_)
    drop(operand);
  if (node->more_operands_) {
    for (Ref<Node>& operand : *node->more_operands_)
      drop(operand);
  }
  delete node;  // NOLINT(cppcoreguidelines-owning-memory): the last reference was ours.
}

Node::~Node() {
  // Nobody else is here any more: no need for stop_counting's locked instruction.
  if (has_flag(kCounted)) count_pending(-1);
  runtime::Buffer* buffer = value();
  if (buffer != nullptr && Ref<runtime::Buffer>::drop(buffer)) {
    delete buffer;  // NOLINT(cppcoreguidelines-owning-memory): as Ref does.
  }
}

static_assert(sizeof(Node) == 128);

}  // namespace wick::detail
