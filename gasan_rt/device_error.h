/* When the device has stopped a kernel: what can be said of it beside CUDA's error. */
#ifndef GASAN_RT_DEVICE_ERROR_H
#define GASAN_RT_DEVICE_ERROR_H

struct gasan_rt_device;

/* A call on the device ended with this error (cudaError_t; the driver's are the same numbers). If kernels have looked up pointers of
 * which nobody knows what they point to, the error is reported as a wild address; else, where a stack may have been too small, a line
 * says how to enlarge it. Once for each device. Before launches are marked as complete. Any thread. */
void gasan_device_error(struct gasan_rt_device *state, int error);

#endif
