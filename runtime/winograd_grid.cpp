#include "wick/runtime/winograd_tiles.h"

namespace wick::runtime::winograd {
namespace {

/// In the order of their numbers.
enum Kind { long_by_short, long_by_long, short_by_long, short_by_short };

}  // namespace

Grid::Grid(int64_t images, int64_t height, int64_t width, int64_t tile, Padding padding)
    : tile_(tile),
      rows_(height, tile),
      columns_(width, tile),
      padding_(padding) {
  const int64_t long_rows = images * rows_.long_tiles();
  const int64_t short_rows = images * rows_.count() - long_rows;
  const int64_t long_columns = columns_.long_tiles();
  const int64_t short_columns = columns_.count() - long_columns;
  ends_[long_by_short] = long_rows * short_columns;
  ends_[long_by_long] = ends_[long_by_short] + long_rows * long_columns;
  ends_[short_by_long] = ends_[long_by_long] + short_rows * long_columns;
  ends_[short_by_short] = ends_[short_by_long] + short_rows * short_columns;
}

Tile Grid::tile(int64_t number) const {
  const auto kind = std::ranges::upper_bound(ends_, number) - ends_.begin();
  const bool is_high = kind <= long_by_long;
  const bool is_wide = kind == long_by_long || kind == short_by_long;
  const int64_t long_rows = rows_.long_tiles();
  const int64_t long_columns = columns_.long_tiles();
  const int64_t rows = is_high ? long_rows : rows_.count() - long_rows;
  const int64_t columns = is_wide ? long_columns : columns_.count() - long_columns;
  if (kind > 0) number -= ends_[static_cast<size_t>(kind) - 1];
  const int64_t row = number / columns % rows + (is_high ? 0 : long_rows);
  const int64_t column = number % columns + (is_wide ? 0 : long_columns);
  return {.image = number / (rows * columns),
          .outputs = {.row = rows_.begin(row),
                      .column = columns_.begin(column),
                      .height = is_high ? tile_ : tile_ - 1,
                      .width = is_wide ? tile_ : tile_ - 1}};
}

TileRange Grid::tiles_of(int64_t point) const {
  const bool needs_high = point / kInputs == kInputs - 1;
  const bool needs_wide = point % kInputs == kInputs - 1;
  return {needs_wide ? ends_[long_by_short] : 0,
          needs_high ? ends_[long_by_long] : ends_[needs_wide ? short_by_long : short_by_short]};
}

}  // namespace wick::runtime::winograd
