// thrust by key: reduction of runs of equal keys with a given predicate and operator, unique_by_key_copy, scans by key,
// and a stable sort of structs.
// RUN: %gasan -O2 -g0 -fsanitize-gpu-address-devices=%kind -fsanitize-gpu-address-launch-proof=off \
// RUN:   -DTHRUST_FORCE_32_BIT_OFFSET_TYPE %s -o %t
// RUN: %run %t 2>&1 | %same
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include "../inputs/thrust.h"

struct Person {
  int age;
  int number;
};
struct Older {
  __host__ __device__ bool operator()(const Person &a, const Person &b) const { return a.age > b.age; }
};
struct SameTen {
  __host__ __device__ bool operator()(int a, int b) const { return a / 10 == b / 10; }
};
struct Largest {
  __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

int main() {
  Random random(71);
  for (int n : {0, 1, 3001}) {
    std::vector<Person> people(n);
    for (int i = 0; i < n; i++)
      people[i] = {int(random.below(100)), i};
    thrust::device_vector<Person> dPeople(people.begin(), people.end());
    thrust::stable_sort(dPeople.begin(), dPeople.end(), Older());
    std::stable_sort(people.begin(), people.end(), Older());
    std::vector<Person> sorted = host(dPeople);
    EXPECT(n == 0 || memcmp(sorted.data(), people.data(), n * sizeof(Person)) == 0, "%d", n);

    // The keys are not sorted: a key may have several runs.
    std::vector<int> keys(n), values(n), running(n), runKeys, runMost;
    for (int i = 0; i < n; i++) {
      keys[i] = i && random.below(4) ? keys[i - 1] : int(random.below(60));
      values[i] = int(random.next() >> 4);
      const bool starts = i == 0 || !SameTen()(keys[i - 1], keys[i]);
      running[i] = starts ? values[i] : Largest()(running[i - 1], values[i]);
      if (starts) {
        runKeys.push_back(keys[i]);
        runMost.push_back(values[i]);
      }
      runMost.back() = Largest()(runMost.back(), values[i]);
    }
    const thrust::device_vector<int> dKeys(keys.begin(), keys.end()), dValues(values.begin(), values.end());
    thrust::device_vector<int> outKeys(n), outValues(n);
    auto ends = thrust::reduce_by_key(dKeys.begin(), dKeys.end(), dValues.begin(), outKeys.begin(), outValues.begin(),
                                      SameTen(), Largest());
    outKeys.erase(ends.first, outKeys.end());
    outValues.erase(ends.second, outValues.end());
    // thrust does not define which of several equal keys represents a run.
    const std::vector<int> standing = host(outKeys);
    EXPECT(standing.size() == runKeys.size() &&
               std::equal(standing.begin(), standing.end(), runKeys.begin(), SameTen()),
           "%d", n);
    EXPECT(host(outValues) == runMost, "%d", n);

    thrust::device_vector<int> uniqueKeys(n), uniqueValues(n), scanned(n);
    ends = thrust::unique_by_key_copy(dKeys.begin(), dKeys.end(), dValues.begin(), uniqueKeys.begin(),
                                      uniqueValues.begin(), SameTen());
    uniqueKeys.erase(ends.first, uniqueKeys.end());
    EXPECT(host(uniqueKeys) == runKeys, "%d", n);
    thrust::inclusive_scan_by_key(dKeys.begin(), dKeys.end(), dValues.begin(), scanned.begin(), SameTen(), Largest());
    EXPECT(host(scanned) == running, "%d", n);
    printf("%d: %016llx %zu %016llx\n", n, (unsigned long long)checksum(sorted), runKeys.size(),
           (unsigned long long)checksum(runMost));
  }
  return passed();
}
