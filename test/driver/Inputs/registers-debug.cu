// Takes many registers even when it is not optimised.
#define LOAD(i) double a##i = values[i * step];
#define ADD(i) +a##i
#define EIGHT(m, i) m(i##0) m(i##1) m(i##2) m(i##3) m(i##4) m(i##5) m(i##6) m(i##7)
#define EACH(m) EIGHT(m, 1) EIGHT(m, 2) EIGHT(m, 3) EIGHT(m, 4) EIGHT(m, 5)

__global__ void many(double *values, int step) {
  EACH(LOAD)
  values[0] = 0 EACH(ADD);
}
