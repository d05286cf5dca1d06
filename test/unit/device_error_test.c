/* libgasan_rt when the device stops a kernel without saying where, on a libcuda that runs nothing. Wherever the error
 * is seen first, at the latest at the exit, there is one report of the launches that may have run, and the process ends
 * with exitcode. Each test runs this program as a separate process, which acts as a user's program (`play`). */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/abi.h"
#include "base/export.h"
#include "base/sites.h"
#include "greatest.h"

/* The image that the fake driver knows: one kernel with checks, one without. A third kernel is in another image. */
static struct gasan_params params = {
    .window_mask_high = GASAN_PARAMS_UNSET_MASK_HIGH,
    .window_base_high = GASAN_PARAMS_UNSET_BASE_HIGH,
    .abi_version = GASAN_ABI_VERSION,
    .code = GASAN_CODE_BST,
};
static struct image_sites {
  struct gasan_site_table header;
  struct gasan_kernel_entry kernels[2];
  char strings[24];
} image_sites = {
    .header = {.magic = GASAN_SITES_MAGIC,
               .abi_version = GASAN_ABI_VERSION,
               .total_size = sizeof image_sites,
               .kernel_count = 2,
               .kernels_offset = offsetof(struct image_sites, kernels),
               .strings_size = sizeof image_sites.strings,
               .strings_offset = offsetof(struct image_sites, strings),
               .code = GASAN_CODE_BST},
    .kernels = {{1, 1, 3, 0}, {9, 9, 0, 0}},
    .strings = "\0checked\0bare",
};

GASAN_EXPORT void *fake_global(const char *name, size_t *size);
void *fake_global(const char *name, size_t *size) {
  bool of_sites = strcmp(name, GASAN_SITES_SYMBOL) == 0;
  if (!of_sites && strcmp(name, GASAN_PARAMS_SYMBOL) != 0)
    return NULL;
  *size = of_sites ? sizeof image_sites : sizeof params;
  return of_sites ? (void *)&image_sites : (void *)&params;
}

GASAN_EXPORT int fake_error;
static char checked, bare, plain; /* the kernels' host symbols */
GASAN_EXPORT const void *fake_plain = &plain;

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
int __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit, void *tid,
                           void *bid, void *block, void *grid, int *warp_size);

static void register_images(void) {
  static char wrappers[2][64];
  void **handle = __cudaRegisterFatBinary(wrappers[0]);
  __cudaRegisterFunction(handle, &checked, "checked", "checked", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFunction(handle, &bare, "bare", "bare", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFatBinaryEnd(handle);
  handle = __cudaRegisterFatBinary(wrappers[1]);
  __cudaRegisterFunction(handle, &plain, "plain", "plain", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFatBinaryEnd(handle);
}

static cudaError_t launch(const void *kernel) {
  return cudaLaunchKernel(kernel, (dim3){2, 1, 1}, (dim3){32, 1, 1}, NULL, 0, NULL);
}

static void *chunk;

/* The calls by which a program may see the error. */
static cudaError_t notice(const char *how) {
  static int bytes[2];
  return strcmp(how, "synchronize") == 0  ? cudaDeviceSynchronize()
         : strcmp(how, "stream") == 0     ? cudaStreamSynchronize(NULL)
         : strcmp(how, "query") == 0      ? cudaStreamQuery(NULL)
         : strcmp(how, "event") == 0      ? cudaEventSynchronize(NULL)
         : strcmp(how, "ask-event") == 0  ? cudaEventQuery(NULL)
         : strcmp(how, "copy") == 0       ? cudaMemcpy(bytes, bytes + 1, 4, cudaMemcpyHostToHost)
         : strcmp(how, "copy-async") == 0 ? cudaMemcpyAsync(bytes, bytes + 1, 4, cudaMemcpyHostToHost, NULL)
         : strcmp(how, "launch") == 0     ? launch(&bare)
         : strcmp(how, "last-error") == 0 ? cudaGetLastError()
         : strcmp(how, "peek") == 0       ? cudaPeekAtLastError()
         : strcmp(how, "free") == 0       ? cudaFree(chunk)
         : strcmp(how, "set") == 0        ? cudaMemset(chunk, 0, 4)
         : strcmp(how, "reset") == 0      ? cudaDeviceReset()
         : strcmp(how, "watcher") == 0    ? (cudaError_t)usleep(20 * 1000 * 1000)
                                          : cudaErrorUnknown;
}

/* "HOW ERROR LAUNCHES": the call by which the program sees the error, the device's error, and the launches (c, b, p; w:
 * a wait). */
static int play(const char *how, int error, const char *launches) {
  register_images();
  cudaMalloc(&chunk, 100);
  for (; *launches; launches++)
    if (*launches == 'w' ? cudaDeviceSynchronize()
                         : launch(*launches == 'c'   ? &checked
                                  : *launches == 'b' ? &bare
                                                     : &plain))
      return 3;
  fake_error = error;
  if (strcmp(how, "exit") == 0)
    exit(0);
  for (int i = 0; i < 2; i++)
    printf("%s: %d\n", how, (int)notice(how));
  return 0;
}

static char out_text[1 << 16], err_text[1 << 16];

static void read_back(int file, char *text) {
  ssize_t size = pread(file, text, (1 << 16) - 1, 0);
  text[size > 0 ? size : 0] = 0;
  close(file);
}

static int temporary(void) {
  char name[] = "/tmp/device_error_test.XXXXXX";
  int file = mkstemp(name);
  unlink(name);
  return file;
}

/* The exit code; -1: a signal. */
static int run(const char *how, int error, const char *launches, const char *options) {
  int out = temporary(), err = temporary(), status = -1;
  pid_t child = fork();
  if (child == 0) {
    char all[4200], number[16];
    snprintf(all, sizeof all, "device=cuda:cudart=%s:%s", GASAN_FAKE_CUDART, options);
    snprintf(number, sizeof number, "%d", error);
    setenv("GASAN_OPTIONS", all, 1);
    alarm(60);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execl("/proc/self/exe", "device_error_test", "play", how, number, launches, (char *)NULL);
    _exit(97);
  }
  waitpid(child, &status, 0);
  read_back(out, out_text);
  read_back(err, err_text);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define ASSERT_SAID(text) ASSERTm(err_text, strstr(err_text, text))
#define ASSERT_NOT_SAID(text) ASSERT_FALSEm(err_text, strstr(err_text, text))

TEST whoever_notices(void) {
  static const char *const ways[] = {"synchronize", "stream",     "query", "event", "ask-event", "copy",  "copy-async",
                                     "launch",      "last-error", "peek",  "free",  "set",       "reset", "watcher"};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    ASSERT_EQm(ways[i], 1, run(ways[i], 700, "b", ""));
    ASSERT_SAID("ERROR: AddressSanitizer: SEGV on cuda device 0 unknown address\n");
    ASSERT_SAID("Only this kernel may have run:\nbare<<<");
    ASSERT_STR_EQm(ways[i], "", out_text); /* at the latest there */
  }
  PASS();
}

/* Reads the file into out_text. Returns false if there is none. */
static bool read_file(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0)
    read_back(file, out_text);
  return file >= 0;
}

TEST suspects_are_in_the_file(void) {
  char folder[] = "/tmp/device_error_test.XXXXXX", options[128], path[64];
  ASSERT(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/x.json", folder);
  snprintf(options, sizeof options, "report_format=text,json:report_path=%s", path);
  ASSERT_EQ(1, run("synchronize", 700, "b", options));
  ASSERT_SAID("Only this kernel may have run:\nbare<<<");
  ASSERT(read_file(path));
  ASSERTm(out_text, strstr(out_text, "\"kind\": \"SEGV\","));
  ASSERTm(out_text, strstr(out_text, "\"device\": {\"kind\": \"cuda\", \"ordinal\": 0},"));
  ASSERTm(out_text, strstr(out_text, "\"role\": \"suspect\",\n          \"host_thread\": 0,\n          "
                                     "\"kernel\": \"bare\","));
  ASSERTm(out_text, strstr(out_text, "\"unchecked\": \"has no checks\","));
  unlink(path);
  rmdir(folder);
  PASS();
}

TEST nobody_notices(void) {
  ASSERT_EQ(1, run("exit", 700, "b", ""));
  ASSERT_SAID("ERROR: AddressSanitizer: SEGV on cuda device 0 unknown address\n");
  ASSERT_EQ(23, run("exit", 700, "b", "exitcode=23"));
  ASSERT_EQ(0, run("exit", 0, "b", ""));
  ASSERT_STR_EQ("", err_text);
  PASS();
}

TEST each_error_has_its_report(void) {
  static const struct {
    int error;
    const char *kind, *name;
  } errors[] = {{700, "SEGV", "cudaErrorIllegalAddress"},
                {714, "stack-overflow", "cudaErrorHardwareStackError"},
                {716, "misaligned-access", "cudaErrorMisalignedAddress"},
                {717, "SEGV", "cudaErrorInvalidAddressSpace"},
                {718, "SEGV", "cudaErrorInvalidPc"}};
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    char text[200];
    ASSERT_EQm(errors[i].name, 1, run("synchronize", errors[i].error, "b", ""));
    snprintf(text, sizeof text, "ERROR: AddressSanitizer: %s on cuda device 0 unknown address\n", errors[i].kind);
    ASSERT_SAID(text);
    snprintf(text, sizeof text, "The device has stopped a kernel (CUDA error %d, %s) for ", errors[i].error,
             errors[i].name);
    ASSERT_SAID(text);
    snprintf(text, sizeof text, "SUMMARY: AddressSanitizer: %s ", errors[i].kind);
    ASSERT_SAID(text);
    ASSERT_SAID("device_error_test.c");
    ASSERT_SAID("==ABORTING\n");
  }
  PASS();
}

/* Errors that are not about memory, or that a __trap() or an assert of the program gives, too. */
TEST other_errors_are_the_programs(void) {
  static const int errors[] = {cudaErrorMemoryAllocation, cudaErrorLaunchTimeout, cudaErrorAssert,
                               cudaErrorIllegalInstruction, cudaErrorLaunchFailure};
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    ASSERT_EQ(0, run("synchronize", errors[i], "b", ""));
    ASSERT_NOT_SAID("AddressSanitizer");
    char text[64];
    snprintf(text, sizeof text, "synchronize: %d\nsynchronize: %d\n", errors[i], errors[i]);
    ASSERT_STR_EQ(text, out_text);
  }
  PASS();
}

TEST the_program_goes_on(void) {
  ASSERT_EQ(1, run("synchronize", 700, "b", "halt_on_error=0"));
  ASSERT_STR_EQ("synchronize: 700\nsynchronize: 700\n", out_text);
  ASSERT_SAID("ERROR: AddressSanitizer: SEGV");
  ASSERT_FALSE(strstr(strstr(err_text, "ERROR: AddressSanitizer") + 1, "ERROR: AddressSanitizer"));
  ASSERT_NOT_SAID("ABORTING");
  ASSERT_EQ(1, run("synchronize", 700, "b", "halt_on_error=0:max_reports=1"));
  PASS();
}

TEST what_may_have_run_is_listed(void) {
  run("synchronize", 700, "cwb", "");
  ASSERT_SAID(
      "Only this kernel may have run:\nbare<<<2, 32>>> (has no checks) launched here by host thread T0:\n    #0 0x");
  ASSERT_NOT_SAID("checked<<<");
  run("synchronize", 700, "cccp", "");
  const char *second = strstr(err_text, "checked<<<2, 32>>> launched here 3 times by host thread T0:\n    #0 0x");
  ASSERT_SAID("These kernels may have run, the likeliest first:\nplain<<<2, 32>>> (is not instrumented) launched here "
              "by host thread T0:\n");
  ASSERTm(err_text, second && second > strstr(err_text, "plain<<<"));
  run("synchronize", 700, "cpw", "");
  ASSERT_SAID("Every launch that gasan has seen is complete");
  ASSERT_SAID("SUMMARY: AddressSanitizer: SEGV\n");
  PASS();
}

/* A launch that returns the error has started nothing, unless launches wait for their kernels. */
TEST the_launch_that_fails(void) {
  run("launch", 700, "c", "");
  ASSERT_SAID("Only this kernel may have run:\nchecked<<<");
  setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  run("launch", 700, "cp", "");
  ASSERT_SAID("Only this kernel may have run:\nbare<<<");
  unsetenv("CUDA_LAUNCH_BLOCKING");
  ASSERT_SAID("run again with GASAN_OPTIONS=coredump=1");
  run("launch", 700, "cp", "serialize=1");
  ASSERT_SAID("Only this kernel may have run:\nbare<<<");
  run("synchronize", 700, "cp", "");
  ASSERT_SAID("To see one launch only, run again with GASAN_OPTIONS=serialize=1\n");
  PASS();
}

TEST kernels_are_suppressed(void) {
  char path[] = "/tmp/device_error_test.supp.XXXXXX", options[128];
  int file = mkstemp(path);
  ASSERT(write(file, "kernel:bare\n", 12) == 12);
  close(file);
  snprintf(options, sizeof options, "suppressions=%s", path);
  int alone = run("synchronize", 700, "b", options);
  bool silent = !strstr(err_text, "AddressSanitizer");
  int with_another = run("synchronize", 700, "cb", options);
  unlink(path);
  ASSERT_EQ(0, alone);
  ASSERT(silent);
  ASSERT_EQ(1, with_another);
  ASSERT_NOT_SAID("bare<<<");
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  if (argc == 5 && strcmp(argv[1], "play") == 0)
    return play(argv[2], atoi(argv[3]), argv[4]);
  GREATEST_MAIN_BEGIN();
  RUN_TEST(whoever_notices);
  RUN_TEST(suspects_are_in_the_file);
  RUN_TEST(nobody_notices);
  RUN_TEST(each_error_has_its_report);
  RUN_TEST(other_errors_are_the_programs);
  RUN_TEST(the_program_goes_on);
  RUN_TEST(what_may_have_run_is_listed);
  RUN_TEST(the_launch_that_fails);
  RUN_TEST(kernels_are_suppressed);
  GREATEST_MAIN_END();
}
