#include "wick/runtime/winograd_tiles.h"

namespace wick::runtime::winograd {
namespace {

/// In the order of their numbers.
enum Kind { long_by_short, long_by_long, short_by_long, short_by_short };

}  // namespace

Grid::Grid(int64_t images, const Axis& rows, const Axis& columns, const Tiling& tiling)
    : tiling_(tiling),
      rows_(rows),
      columns_(columns),
      row_tiles_(rows.units, tiling.units),
      column_tiles_(columns.units, tiling.units) {
  const int64_t long_rows = images * row_tiles_.long_tiles();
  const int64_t short_rows = images * row_tiles_.count() - long_rows;
  const int64_t long_columns = column_tiles_.long_tiles();
  const int64_t short_columns = column_tiles_.count() - long_columns;
  ends_[long_by_short] = long_rows * short_columns;
  ends_[long_by_long] = ends_[long_by_short] + long_rows * long_columns;
  ends_[short_by_long] = ends_[long_by_long] + short_rows * long_columns;
  ends_[short_by_short] = ends_[short_by_long] + short_rows * short_columns;
}

Tile Grid::tile(int64_t number) const {
  const auto kind = std::ranges::upper_bound(ends_, number) - ends_.begin();
  const bool is_high = kind <= long_by_long;
  const bool is_wide = kind == long_by_long || kind == short_by_long;
  const int64_t long_rows = row_tiles_.long_tiles();
  const int64_t long_columns = column_tiles_.long_tiles();
  const int64_t rows = is_high ? long_rows : row_tiles_.count() - long_rows;
  const int64_t columns = is_wide ? long_columns : column_tiles_.count() - long_columns;
  if (kind > 0) number -= ends_[static_cast<size_t>(kind) - 1];
  const int64_t row = row_tiles_.begin(number / columns % rows + (is_high ? 0 : long_rows));
  const int64_t column = column_tiles_.begin(number % columns + (is_wide ? 0 : long_columns));
  const auto outputs = [&](bool is_long) {
    return (is_long ? tiling_.units : tiling_.units - 1) * tiling_.outputs;
  };
  return {.image = number / (rows * columns),
          .outputs = {.row = rows_.first_output + row * tiling_.outputs,
                      .column = columns_.first_output + column * tiling_.outputs,
                      .height = outputs(is_high),
                      .width = outputs(is_wide)},
          .input_row = rows_.first_input + row * tiling_.inputs,
          .input_column = columns_.first_input + column * tiling_.inputs};
}

TileRange Grid::tiles_with(int64_t value) const {
  const Points& points = tiling_.points;
  const bool needs_high = value / points.count >= points.in_short;
  const bool needs_wide = value % points.count >= points.in_short;
  return {needs_wide ? ends_[long_by_short] : 0,
          needs_high ? ends_[long_by_long] : ends_[needs_wide ? short_by_long : short_by_short]};
}

}  // namespace wick::runtime::winograd
