#include "wick/tensor/indexing.h"

#include <fmt/format.h>

#include "wick/tensor/index_region.h"

namespace wick {

namespace detail {
namespace {

/// Reads entries from left to right.
class RegionBuilder {
 public:
  RegionBuilder(const Type& type, const Where& where) : type_(type), where_(where) {}

  IndexRegion build(const std::vector<Index>& entries) {
    count(entries);
    for (const Index& entry : entries)
      std::visit(*this, entry.entry());
    full_slices(type_.shape.ndim() - axis_);
    return std::move(region_);
  }

  void operator()(int64_t position) {
    const int64_t extent = type_.shape[axis_];
    if (position < -extent || position >= extent) {
      constexpr auto kText = "position {} is out of range for axis {} of {}";
      fail(fmt::format(kText, position, axis_, to_string(type_)));
    }
    region_.ranges.push_back({position < 0 ? position + extent : position, 1, 1});
    ++axis_;
  }

  void operator()(const Slice& slice) {
    const auto& [start, stop, step] = slice;
    const AxisRange range = axis_range("index", type_.shape[axis_], start, stop, step, where_);
    region_.ranges.push_back(range);
    region_.view.push_back(range.count);
    ++axis_;
  }

  void operator()(Ellipsis /*all*/) { full_slices(unnamed_axes_); }

  void operator()(NewAxis /*axis*/) { region_.view.push_back(1); }

  void operator()(const Tensor& positions) {
    const auto view_axis = static_cast<int>(region_.view.size());
    if (positions.dtype() != DType::bool_) {
      full_slices(1);
      region_.positions.push_back({view_axis, positions});
      return;
    }
    const Shape masked = axes_of_mask(positions);
    full_slices(positions.ndim());
    region_.view.resize(static_cast<size_t>(view_axis));
    region_.view.push_back(masked.numel());
    region_.positions.push_back({view_axis, positions});
  }

 private:
  [[noreturn]] void fail(const std::string& text) const { throw Error(where_, "index", text); }

  void count(const std::vector<Index>& entries) {
    int ellipses = 0;
    int named = 0;
    for (const Index& index : entries) {
      const Index::Entry& entry = index.entry();
      ellipses += std::holds_alternative<Ellipsis>(entry) ? 1 : 0;
      if (std::holds_alternative<int64_t>(entry) || std::holds_alternative<Slice>(entry)) ++named;
      if (const auto* tensor = std::get_if<Tensor>(&entry)) named += axes_named_by(*tensor);
    }
    if (ellipses > 1) fail("there is more than one ellipsis");
    unnamed_axes_ = type_.shape.ndim() - named;
    if (unnamed_axes_ < 0) {
      fail(fmt::format("too many indices: {} axes of {}", named, to_string(type_)));
    }
  }

  [[nodiscard]] int axes_named_by(const Tensor& tensor) const {
    if (!tensor.defined()) fail("an index is an undefined tensor");
    if (is_float(tensor.dtype())) {
      fail(fmt::format("an index should be an integer or a bool tensor, got {}",
                       to_string(tensor.type())));
    }
    if (tensor.dtype() != DType::bool_) return 1;
    if (tensor.ndim() == 0) fail("a mask should have axes, got bool[]");
    return tensor.ndim();
  }

  [[nodiscard]] Shape axes_of_mask(const Tensor& mask) const {
    const Shape masked(type_.shape.extents().subspan(static_cast<size_t>(axis_),
                                                     static_cast<size_t>(mask.ndim())));
    if (masked != mask.shape()) {
      constexpr auto kText = "mask {} does not have the extents of {} from axis {} on";
      fail(fmt::format(kText, to_string(mask.type()), to_string(type_), axis_));
    }
    return masked;
  }

  void full_slices(int count) {
    for (; count > 0; --count, ++axis_) {
      region_.ranges.push_back({0, type_.shape[axis_], 1});
      region_.view.push_back(type_.shape[axis_]);
    }
  }

  const Type& type_;
  const Where& where_;
  int axis_ = 0;          // of x, the next to speak of
  int unnamed_axes_ = 0;  // those of an ellipsis
  IndexRegion region_;
};

}  // namespace

bool IndexRegion::is_all_of(const Shape& shape) const {
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    const AxisRange& range = ranges[static_cast<size_t>(axis)];
    if (range.count != shape[axis] || (range.count > 0 && range.step < 0)) return false;
  }
  return true;
}

IndexRegion index_region(const Tensor& x, const Indices& indices) {
  if (!x.defined()) throw Error(indices.where(), "index", "the tensor is undefined");
  return RegionBuilder(x.type(), indices.where()).build(indices.entries());
}

Tensor view_of(const Tensor& x, const IndexRegion& region, Where where) {
  Tensor part = x;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    part = slice_range(part, axis, region.ranges[static_cast<size_t>(axis)], where);
  }
  return reshape(part, Shape(region.view), where);
}

}  // namespace detail

Index::Index(const IndexedTensor& positions) : entry_(positions.value()) {}

Operand::Operand(const IndexedTensor& t, Where w) : Operand(t.value(), w) {}

const Tensor Tensor::operator[](const Indices& indices) const& {
  return index(*this, indices);
}

IndexedTensor Tensor::operator[](const Indices& indices) & {
  return {*this, indices};
}

Tensor index(const Tensor& x, const Indices& indices) {
  const Where& where = indices.where();
  const detail::IndexRegion region = detail::index_region(x, indices);
  const Tensor view = detail::view_of(x, region, where);
  return region.positions.empty() ? view : detail::read_at(view, region.positions, where);
}

}  // namespace wick
