// Reads a matrix in Matrix Market's coordinate format from memory into CSR. Checks sizes, syntax and rows, but not that
// the columns lie within the matrix, as many a real reader.
#ifndef EXAMPLES_FUZZ_SPMV_MATRIX_MARKET_H
#define EXAMPLES_FUZZ_SPMV_MATRIX_MARKET_H

#include <cstring>
#include <vector>

struct CsrMatrix {
  int rows = 0;
  int columns = 0;
  std::vector<int> row_start; // rows + 1 entries
  std::vector<int> column;
};

struct Text {
  const char *at, *end;

  void skip_blanks() {
    while (at < end && (*at == ' ' || *at == '\n'))
      ++at;
  }

  bool take(const char *word) {
    skip_blanks();
    size_t length = strlen(word);
    if (static_cast<size_t>(end - at) < length || memcmp(at, word, length) != 0)
      return false;
    at += length;
    return true;
  }

  bool take_number(int &number) {
    skip_blanks();
    const char *first = at;
    for (number = 0; at < end && *at >= '0' && *at <= '9' && at - first < 4; ++at)
      number = 10 * number + (*at - '0');
    return at > first;
  }
};

// Returns false if the text is no matrix without values ("pattern"), or has more than 999 rows, columns or entries.
inline bool read_matrix_market(Text text, CsrMatrix &matrix) {
  int count;
  if (!text.take("%%MatrixMarket") || !text.take("matrix") || !text.take("coordinate") || !text.take("pattern") ||
      !text.take("general"))
    return false;
  if (!text.take_number(matrix.rows) || !text.take_number(matrix.columns) || !text.take_number(count))
    return false;
  if (matrix.rows < 1 || matrix.rows > 999 || matrix.columns < 1 || matrix.columns > 999 || count > 999)
    return false;
  std::vector<std::vector<int>> rows(matrix.rows);
  for (int i = 0; i < count; ++i) {
    int row, column;
    if (!text.take_number(row) || !text.take_number(column) || row < 1 || row > matrix.rows)
      return false;
    rows[row - 1].push_back(column - 1);
  }
  matrix.row_start.push_back(0);
  for (const std::vector<int> &row : rows) {
    matrix.column.insert(matrix.column.end(), row.begin(), row.end());
    matrix.row_start.push_back(static_cast<int>(matrix.column.size()));
  }
  return true;
}

#endif
