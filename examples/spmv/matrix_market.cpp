#include "matrix_market.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace {

struct Entry {
  int row, column;
  double value;
};

struct Header {
  bool pattern = false;  // no values: all are 1
  int mirrored_sign = 0; // 0: general, 1: symmetric, -1: skew-symmetric
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string parse_header(const std::string &line, Header &header) {
  std::istringstream words(line);
  std::string banner, object, format, field, symmetry;
  words >> banner >> object >> format >> field >> symmetry;
  if (banner != "%%MatrixMarket")
    return "does not begin with %%MatrixMarket";
  if (lower(object) != "matrix" || lower(format) != "coordinate")
    return "is not a matrix in coordinate format";
  field = lower(field);
  if (field != "real" && field != "integer" && field != "pattern")
    return "has values of the kind '" + field + "'; real, integer and pattern are known";
  header.pattern = field == "pattern";
  symmetry = lower(symmetry);
  if (symmetry == "symmetric")
    header.mirrored_sign = 1;
  else if (symmetry == "skew-symmetric")
    header.mirrored_sign = -1;
  else if (symmetry != "general")
    return "has the symmetry '" + symmetry + "'; general, symmetric and skew-symmetric are known";
  return "";
}

// The next line that is neither blank nor a comment.
bool next_line(std::istream &file, std::string &line, int &number) {
  while (std::getline(file, line)) {
    ++number;
    size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string::npos && line[first] != '%')
      return true;
  }
  return false;
}

bool only_blanks_left(std::istringstream &words) {
  std::string rest;
  return !(words >> rest);
}

void to_csr(const std::vector<Entry> &entries, CsrMatrix &matrix) {
  matrix.row_start.assign(matrix.rows + 1, 0);
  for (const Entry &entry : entries)
    ++matrix.row_start[entry.row + 1];
  for (int row = 0; row < matrix.rows; ++row)
    matrix.row_start[row + 1] += matrix.row_start[row];
  matrix.column.resize(entries.size());
  matrix.value.resize(entries.size());
  std::vector<int> next(matrix.row_start.begin(), matrix.row_start.end() - 1);
  for (const Entry &entry : entries) {
    int place = next[entry.row]++;
    matrix.column[place] = entry.column;
    matrix.value[place] = entry.value;
  }
}

} // namespace

std::string read_matrix_market(const char *path, CsrMatrix &matrix) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line))
    return "cannot be read";
  int number = 1;
  Header header;
  if (std::string problem = parse_header(line, header); !problem.empty())
    return problem;

  long entry_count = 0;
  if (!next_line(file, line, number))
    return "ends before the line with the sizes";
  std::istringstream sizes(line);
  if (!(sizes >> matrix.rows >> matrix.columns >> entry_count) || !only_blanks_left(sizes) || matrix.rows < 1 ||
      matrix.columns < 1 || entry_count < 0 || entry_count > static_cast<long>(matrix.rows) * matrix.columns)
    return "line " + std::to_string(number) + ": sizes (rows, columns, entries) were expected";

  std::vector<Entry> entries;
  entries.reserve(header.mirrored_sign ? 2 * entry_count : entry_count);
  for (long i = 0; i < entry_count; ++i) {
    if (!next_line(file, line, number))
      return "ends after " + std::to_string(i) + " of " + std::to_string(entry_count) + " entries";
    std::istringstream words(line);
    Entry entry = {0, 0, 1.0};
    if (!(words >> entry.row >> entry.column) || (!header.pattern && !(words >> entry.value)) ||
        !only_blanks_left(words))
      return "line " + std::to_string(number) + ": an entry (row, column" + (header.pattern ? "" : ", value") +
             ") was expected";
    // Rows (and what becomes a row by symmetry) place the entry in our own arrays; columns are only passed on.
    for (int row : {entry.row, header.mirrored_sign ? entry.column : entry.row})
      if (row < 1 || row > matrix.rows)
        return "line " + std::to_string(number) + ": there is no row " + std::to_string(row);
    --entry.row;
    --entry.column;
    entries.push_back(entry);
    if (header.mirrored_sign && entry.row != entry.column)
      entries.push_back({entry.column, entry.row, header.mirrored_sign * entry.value});
  }
  if (next_line(file, line, number))
    return "line " + std::to_string(number) + ": more entries than the sizes say";
  to_csr(entries, matrix);
  return "";
}
