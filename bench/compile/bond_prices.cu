/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates a bond pricing program ported from a C++ finance library.
// Large functions that are not inlined pass structures by value and keep calendar tables in local arrays.
#include <cuda_runtime.h>

enum DayCount : int { Actual365, Thirty360, ActualActual };
constexpr int max_flows = 64;

struct Date {
  int year, month, day; // Month and day count from 1.
};

struct Bond {
  Date maturity, settlement;
  double face, coupon_rate, quoted_price;
  int payments_per_year; // 1, 2, 4 or 12.
  DayCount day_count;
};

struct Flows {
  int count;
  double time[max_flows], amount[max_flows], accrued;
};

struct Value {
  double price, duration, convexity, yield;
};

__device__ __noinline__ int days_in_month(int year, int month) {
  const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month < 1 || month > 12 ? 30 : days[month - 1] + (month == 2 && leap);
}

__device__ __noinline__ int serial_day(Date date) {
  const int before[13] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
  const int month = min(max(date.month, 1), 12), past = date.year - 1;
  const bool leap = days_in_month(date.year, 2) == 29;
  return past * 365 + past / 4 - past / 100 + past / 400 + before[month - 1] + (month > 2 && leap) + date.day;
}

__device__ __noinline__ Date add_months(Date date, int months) {
  const int total = date.year * 12 + date.month - 1 + months;
  Date moved = {total / 12, total % 12 + 1, date.day};
  moved.day = min(moved.day, days_in_month(moved.year, moved.month));
  return moved;
}

// Moves a date on a weekend or a fixed holiday to the next business day.
__device__ __noinline__ Date next_business_day(Date date) {
  const int holidays[6][2] = {{1, 1}, {5, 1}, {7, 4}, {11, 11}, {12, 25}, {12, 26}};
  for (int moves = 0; moves < 10; ++moves) {
    bool closed = serial_day(date) % 7 == 6 || serial_day(date) % 7 == 0; // Saturday or Sunday.
    for (int i = 0; i < 6; ++i)
      closed |= date.month == holidays[i][0] && date.day == holidays[i][1];
    if (!closed)
      break;
    if (++date.day > days_in_month(date.year, date.month))
      date = add_months({date.year, date.month, 1}, 1);
  }
  return date;
}

__device__ __noinline__ double year_fraction(Date from, Date to, DayCount day_count) {
  if (day_count == Actual365)
    return (serial_day(to) - serial_day(from)) / 365.0;
  if (day_count == Thirty360)
    return (to.year - from.year) + (to.month - from.month) / 12.0 + (min(to.day, 30) - min(from.day, 30)) / 360.0;
  const double lengths[2] = {337.0 + days_in_month(from.year, 2), 337.0 + days_in_month(to.year, 2)};
  const double before = serial_day(from) - serial_day({from.year, 1, 1});
  const double after = serial_day(to) - serial_day({to.year, 1, 1});
  return to.year - from.year + after / lengths[1] - before / lengths[0];
}

__device__ __noinline__ Flows make_flows(Bond bond) {
  Flows flows = {};
  const int months = 12 / min(max(bond.payments_per_year, 1), 12);
  Date next = bond.maturity;
  for (int i = 0; i < max_flows && serial_day(next) > serial_day(bond.settlement); ++i) {
    const Date previous = add_months(bond.maturity, -(i + 1) * months);
    const double coupon = bond.face * bond.coupon_rate * year_fraction(previous, next, bond.day_count);
    flows.time[i] = year_fraction(bond.settlement, next_business_day(next), bond.day_count);
    flows.amount[i] = coupon + (i == 0 ? bond.face : 0);
    flows.accrued = bond.face * bond.coupon_rate * fmax(year_fraction(previous, bond.settlement, bond.day_count), 0.0);
    flows.count = i + 1;
    next = previous;
  }
  return flows;
}

__device__ __noinline__ Value discount(Flows flows, double yield) {
  Value value = {0, 0, 0, yield};
  for (int i = 0; i < flows.count; ++i) {
    const double t = flows.time[i], present = flows.amount[i] * pow(1 + yield, -t), slope = t * present / (1 + yield);
    value.price += present;
    value.duration += slope;
    value.convexity += slope * (t + 1) / (1 + yield);
  }
  return value;
}

// Searches with Newton steps. A step that leaves the bracket is replaced by a bisection.
__device__ __noinline__ double find_yield(Flows flows, double target) {
  double low = -0.9, high = 10, yield = 0.05;
  for (int i = 0; i < 100 && high - low > 1e-12; ++i) {
    const Value value = discount(flows, yield);
    if (fabs(value.price - target) < 1e-10 * (1 + fabs(target)))
      break;
    (value.price > target ? low : high) = yield;
    const double step = value.duration > 0 ? yield + (value.price - target) / value.duration : low;
    yield = step > low && step < high ? step : 0.5 * (low + high);
  }
  return yield;
}

__global__ void price_bonds(const Bond *bonds, Value *values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  const Flows flows = make_flows(bonds[i]);
  values[i] = discount(flows, find_yield(flows, bonds[i].quoted_price + flows.accrued));
  values[i].price -= flows.accrued; // Stores the price that markets quote.
}

cudaError_t run(const Bond *bonds, Value *values, int count, cudaStream_t stream) {
  if (count > 0)
    price_bonds<<<(count + 63) / 64, 64, 0, stream>>>(bonds, values, count);
  return cudaGetLastError();
}
