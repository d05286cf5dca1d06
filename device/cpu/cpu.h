/* Settings of the CPU device, beyond what every device has (device/device.h). */
#ifndef GASAN_DEVICE_CPU_CPU_H
#define GASAN_DEVICE_CPU_CPU_H

#ifdef __cplusplus
extern "C" {
#endif

/* How many OS threads, the launching one included, share the blocks of a grid; below 1: one for each core that the
 * process may use (the default). Holds from the next launch on. A cooperative launch always has one OS thread a block.
 * Any thread. */
void gasan_cpu_set_threads(int threads);

/* That number, at least 1. Any thread. */
int gasan_cpu_threads(void);

#ifdef __cplusplus
}
#endif
#endif
