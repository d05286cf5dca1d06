// Reads a matrix in Matrix Market's coordinate format into CSR. Sizes and syntax are checked; that the indices lie
// within the matrix is not, as in many a real reader: the file is trusted.
#ifndef EXAMPLES_SPMV_MATRIX_MARKET_H
#define EXAMPLES_SPMV_MATRIX_MARKET_H

#include <string>
#include <vector>

struct CsrMatrix {
  int rows = 0;
  int columns = 0;
  std::vector<int> row_start; // rows + 1 entries
  std::vector<int> column;
  std::vector<double> value;
};

// Returns an empty string, or the reason why the file cannot be read.
std::string read_matrix_market(const char *path, CsrMatrix &matrix);

#endif
