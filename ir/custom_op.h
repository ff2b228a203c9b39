#pragma once

// Ops from outside: registered by name, most often by a plug-in, and used like those of the table.
//
// In a graph such an op is a node of kind `custom` whose attribute `op` is the registered name. It
// prints as `%0 = "geo.hypot" %x, %y {eps = 1e-06} : f32[4]`. Its other attributes are its own, but
// for two: `buffers` is where memory planning notes places, and `in_place = [i]` lets the result
// take the buffer of operand i where that is not read any more.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wick/ir/graph.h"

namespace wick::ir {

class Builder;

/// What a compiled call knows beside its buffers.
struct CustomCallInfo {
  std::span<const Type> operands;
  const Type& result;
  const Attributes& attributes;
};

/// Computes the result, all buffers dense and row-major. Called by any thread, several at a time;
/// an exception reaches whoever asked for the value, as an Error that names op and line.
using CustomCall = void (*)(const void* const* operands, void* result, const CustomCallInfo& info);

/// An op with one result. It computes the same from the same operands and attributes and has no
/// effect that anybody relies on: equal uses are merged, unused ones dropped.
///
/// One at least of `interpret`, `expand` and `call` says what it computes. A program runs the
/// expansion, which fuses like code that was written out, or else the call, or else interprets. The
/// reference interpreter asks `interpret` first, then `expand`, then `call`.
struct CustomOp {
  std::string name = {};     // `geo.hypot`: words of a-z, 0-9 and _, joined by dots
  std::string summary = {};  // what it gives, in a line
  int min_operands = 1;
  int max_operands = 1;  // -1: any number

  /// The result type; throws Error or any std::exception with a sentence about what does not fit.
  /// Their number has been checked. ir::infer_type gives the rules of the built-in ops.
  std::function<Type(OperandTypes operands, const Attributes& attributes, const Location& where)>
      infer = {};
  /// Reference semantics.
  std::function<Literal(
      const Attributes& attributes, std::span<const Literal* const> operands, const Type& result)>
      interpret = {};
  /// The same from other ops. Its value has the type that `infer` gives.
  std::function<Value(
      Builder& builder, std::span<const Value> operands, const Attributes& attributes)>
      expand = {};
  CustomCall call = nullptr;
};

/// Throws std::invalid_argument when the name is malformed or taken, or the op incomplete. For the
/// life of the process.
void register_custom_op(CustomOp op);
/// Null when there is none of that name.
const CustomOp* find_custom_op(std::string_view name);
/// Sorted by name.
std::vector<const CustomOp*> custom_ops();

/// Whether an op could be registered under the name.
bool is_custom_op_name(std::string_view name);
/// A custom op that nobody registered in this process.
bool is_unregistered(const Node& node);
/// The sentence of an error about such an op, with the registered name that was probably meant.
std::string unregistered_text(std::string_view name);

/// Replaces every custom op that has an expansion, those inside expansions too; returns how many
/// there were. Throws Error naming op and place when an expansion fails, has another type, or does
/// not end.
int64_t expand_custom_ops(Graph& graph);

}  // namespace wick::ir
