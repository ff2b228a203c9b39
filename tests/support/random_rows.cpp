#include "random_rows.h"

#include <string>
#include <vector>

#include "random_graph_generator.h"

namespace wick::testing_support {

namespace {

using ir::OpKind;
using ir::Value;

class RowsGenerator {
 public:
  explicit RowsGenerator(uint64_t seed)
      : random_(seed),
        graph_(std::make_unique<ir::Graph>("rows" + std::to_string(seed))),
        rows_(random_.pick(std::vector<int64_t>{64, 65, 97, 130, 300})),
        columns_(random_.pick(std::vector<int64_t>{3, 5, 10, 21, 33, 40, 64, 65})) {}

  std::unique_ptr<ir::Graph> run() {
    for (const char* name : {"x", "y"})
      full_.push_back(parameter({rows_, columns_}, name));
    row_.push_back(parameter({rows_, 1}, "r"));
    column_.push_back(parameter({1, columns_}, "c"));
    const int64_t steps = random_.between(6, 20);
    for (int64_t i = 0; i < steps; ++i)
      step();
    std::vector<Value> results;
    for (const auto* values : {&full_, &row_, &column_}) {
      for (const Value& value : *values) {
        const bool is_parameter = value.node->op() == OpKind::parameter;
        if (!is_parameter && (!value.node->has_uses() || random_.chance(0.2))) {
          results.push_back(value);
        }
      }
    }
    graph_->set_results(results);
    return std::move(graph_);
  }

 private:
  Value parameter(std::vector<int64_t> extents, const std::string& name) {
    const Type type{DType::f32, Shape(std::span<const int64_t>(extents))};
    ir::Attributes attributes;
    if (random_.chance(0.3)) attributes.set("donate", true);
    return graph_->add_parameter(type, name, attributes)->result();
  }

  void step() {
    const double choice = random_.uniform(0, 1);
    if (choice < 0.25) {
      row_.push_back(reduced(1));
    } else if (choice < 0.5) {
      column_.push_back(reduced(0));
    } else if (choice < 0.6) {
      row_.push_back(combined(row_, row_));
    } else if (choice < 0.7) {
      column_.push_back(combined(column_, column_));
    } else {
      const std::vector<Value>& other = random_.chance(0.4)   ? full_
                                        : random_.chance(0.6) ? row_
                                                              : column_;
      full_.push_back(combined(full_, other));
    }
  }

  Value reduced(int64_t axis) {
    static const std::vector<OpKind> kReductions = {
        OpKind::reduce_sum, OpKind::reduce_max, OpKind::reduce_min};
    ir::Attributes attributes;
    attributes.set("axes", std::vector<int64_t>{axis});
    attributes.set("keepdims", true);
    const Value operand = random_.pick(full_);
    const Value value = graph_->add(random_.pick(kReductions), {operand}, attributes)->result();
    return graph_->add(OpKind::tanh, {value})->result();
  }

  Value combined(const std::vector<Value>& some, const std::vector<Value>& others) {
    static const std::vector<OpKind> kOps = {
        OpKind::add, OpKind::sub, OpKind::mul, OpKind::maximum};
    const Value one = random_.pick(some);
    const Value other = random_.pick(others);
    const Value value = graph_->add(random_.pick(kOps), {one, other})->result();
    return random_.chance(0.5) ? graph_->add(OpKind::sigmoid, {value})->result() : value;
  }

  Random random_;
  std::unique_ptr<ir::Graph> graph_;
  int64_t rows_;
  int64_t columns_;
  std::vector<Value> full_;
  std::vector<Value> row_;
  std::vector<Value> column_;
};

}  // namespace

std::unique_ptr<ir::Graph> random_rows(uint64_t seed) {
  return RowsGenerator(seed).run();
}

}  // namespace wick::testing_support
