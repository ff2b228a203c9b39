#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "wick/ir/format.h"
#include "wick/tensor/contraction.h"
#include "wick/tensor/ops_linalg.h"
#include "wick/tensor/ops_shape.h"

namespace wick {
namespace {

/// The axes of `...` are labelled from the last, so that they line up by themselves; letters are
/// their own characters.
constexpr int kFirstEllipsis = 256;

/// The letters of one operand or of the output, in order, with the place of `...`.
struct Term {
  std::string text;
  std::vector<int> letters;
  std::optional<size_t> ellipsis = {};  // how many letters stand before it

  [[nodiscard]] bool has(int letter) const {
    return std::ranges::find(letters, letter) != letters.end();
  }

  /// Labels of all axes when `...` stands for so many.
  [[nodiscard]] std::vector<int> labels(int64_t hidden) const {
    std::vector<int> result = letters;
    std::vector<int> inserted;
    for (int64_t i = hidden; i > 0; --i)
      inserted.push_back(kFirstEllipsis + static_cast<int>(i) - 1);
    if (ellipsis) {
      const auto at = result.begin() + static_cast<std::ptrdiff_t>(*ellipsis);
      result.insert(at, inserted.begin(), inserted.end());
    }
    return result;
  }
};

/// Parsing and checking, with errors that show the equation.
class Equation {
 public:
  Equation(std::string_view text, Where where) : text_(text), where_(where) {
    std::string packed(text);
    std::erase_if(packed, [](unsigned char c) { return std::isspace(c) != 0; });
    const size_t arrow = packed.find("->");
    std::string_view inputs = packed;
    if (arrow != std::string::npos) {
      output_ = parse_term(packed.substr(arrow + 2));
      inputs = inputs.substr(0, arrow);
    }
    while (true) {
      const size_t comma = inputs.find(',');
      operands_.push_back(parse_term(std::string(inputs.substr(0, comma))));
      if (comma == std::string_view::npos) break;
      inputs.remove_prefix(comma + 1);
    }
    check_output();
  }

  [[nodiscard]] const std::vector<Term>& operands() const { return operands_; }

  /// The output's labels when `...` stands for at most so many axes.
  [[nodiscard]] std::vector<int> output(int64_t hidden) const {
    if (output_) return output_->labels(hidden);
    std::map<int, int> uses;
    for (const Term& operand : operands_) {
      for (const int letter : operand.letters)
        ++uses[letter];
    }
    Term once{.text = {}, .letters = {}, .ellipsis = 0};
    for (const auto& [letter, count] : uses) {
      if (count == 1) once.letters.push_back(letter);
    }
    return once.labels(hidden);
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(where_, "einsum", fmt::format("'{}': {}", text_, why));
  }

 private:
  [[nodiscard]] Term parse_term(std::string term) const {
    Term result;
    for (size_t i = 0; i < term.size(); ++i) {
      if (std::isalpha(static_cast<unsigned char>(term[i])) != 0) {
        result.letters.push_back(term[i]);
      } else if (term.compare(i, 3, "...") == 0 && !result.ellipsis) {
        result.ellipsis = result.letters.size();
        i += 2;
      } else {
        fail(fmt::format("unexpected '{}' in '{}'", term[i], term));
      }
    }
    result.text = std::move(term);
    return result;
  }

  void check_output() const {
    if (!output_) return;
    for (const int letter : output_->letters) {
      const auto shown = static_cast<char>(letter);
      if (std::ranges::count(output_->letters, letter) > 1) {
        fail(fmt::format("the output has {} more than once", shown));
      }
      if (std::ranges::none_of(operands_, [&](const Term& term) { return term.has(letter); })) {
        fail(fmt::format("{} of the output is in no operand", shown));
      }
    }
    if (output_->ellipsis && std::ranges::none_of(operands_, [](const Term& term) {
          return term.ellipsis.has_value();
        })) {
      fail("the ... of the output is in no operand");
    }
  }

  std::string_view text_;
  Where where_;
  std::vector<Term> operands_;
  std::optional<Term> output_;
};

/// How many axes the term's `...` stands for.
int64_t hidden_axes(const Equation& equation, const Term& term, const Tensor& x, size_t position) {
  if (!x.defined()) equation.fail(fmt::format("operand {} is an undefined tensor", position + 1));
  const int64_t hidden = x.ndim() - static_cast<int64_t>(term.letters.size());
  if (hidden == 0 || (hidden > 0 && term.ellipsis)) return hidden;
  constexpr auto kText = "'{}' does not fit operand {}, {}";
  equation.fail(fmt::format(kText, term.text, position + 1, x.type()));
}

/// One axis, at the end, in place of two of equal extent.
detail::LabelledTensor diagonal_of(const detail::LabelledTensor& x, int a, int b, Where where) {
  detail::LabelledTensor result{diagonal(x.tensor, 0, a, b, where), x.labels};
  const auto first = result.labels.begin();
  const int label = x.labels[static_cast<size_t>(a)];
  result.labels.erase(first + std::max(a, b));
  result.labels.erase(first + std::min(a, b));
  result.labels.push_back(label);
  return result;
}

detail::LabelledTensor diagonals(const Equation& equation,
                                 detail::LabelledTensor x,
                                 size_t position,
                                 Where where) {
  for (size_t a = 0; a < x.labels.size(); ++a) {
    const auto again = std::find(
        x.labels.begin() + static_cast<std::ptrdiff_t>(a) + 1, x.labels.end(), x.labels[a]);
    if (again == x.labels.end()) continue;
    const int b = static_cast<int>(again - x.labels.begin());
    if (x.tensor.shape()[static_cast<int>(a)] != x.tensor.shape()[b]) {
      constexpr auto kText = "{} is twice in operand {}, {}, with different extents";
      const auto shown = static_cast<char>(x.labels[a]);
      equation.fail(fmt::format(kText, shown, position + 1, x.tensor.type()));
    }
    x = diagonal_of(x, static_cast<int>(a), b, where);
    a = static_cast<size_t>(-1);  // the axes moved: begin again
  }
  return x;
}

void check_extents(const Equation& equation, std::span<const detail::LabelledTensor> operands) {
  std::map<int, int64_t> extents;
  for (const detail::LabelledTensor& x : operands) {
    for (const int label : x.labels) {
      const int64_t extent = x.extent(label);
      int64_t& known = extents.try_emplace(label, extent).first->second;
      if (known == 1) known = extent;
      if (extent == 1 || extent == known) continue;
      const std::string name =
          label >= kFirstEllipsis ? "an axis of ..." : std::string(1, static_cast<char>(label));
      equation.fail(fmt::format("{} has extents {} and {}", name, known, extent));
    }
  }
}

}  // namespace

Tensor einsum(std::string_view text, std::span<const Tensor> tensors, Where where) {
  const Equation equation(text, where);
  if (equation.operands().size() != tensors.size()) {
    constexpr auto kText = "has {} operands, got {}";
    equation.fail(fmt::format(kText, equation.operands().size(), tensors.size()));
  }
  int64_t most_hidden = 0;
  std::vector<detail::LabelledTensor> operands;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Term& term = equation.operands()[i];
    const int64_t hidden = hidden_axes(equation, term, tensors[i], i);
    most_hidden = std::max(most_hidden, hidden);
    operands.push_back(diagonals(equation, {tensors[i], term.labels(hidden)}, i, where));
  }
  check_extents(equation, operands);
  return detail::contract(std::move(operands), equation.output(most_hidden), where);
}

Tensor einsum(std::string_view text, std::initializer_list<Tensor> tensors, Where where) {
  return einsum(text, std::span(tensors.begin(), tensors.size()), where);
}

}  // namespace wick
