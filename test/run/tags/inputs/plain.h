/* A kernel without instrumentation. */
struct Part {
  int before;
  int *values;
  const int *end;
};
cudaError_t launch_plain(int *sum, Part part);
cudaError_t add_plain(cudaGraph_t graph, int *sum, Part part);
