#ifndef MANAGED_UNITS_H
#define MANAGED_UNITS_H

struct Record {
  int id;
  float weight;
};
extern __managed__ int shared_counter;
extern __managed__ Record records[8];
extern __device__ void addInOther(int value);
int ownOfOther();

#endif
