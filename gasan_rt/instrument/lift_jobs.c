/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* sched_getaffinity */
#include "gasan_rt/instrument/lift_jobs.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "gasan_rt/core/warn.h"

#define STEP_MS 100
#define NICER 5 /* steps of priority for code that the program does not wait for */

struct job {
  const char *path; /* the caller's, until the job is done */
  bool done;
  unsigned waiting; /* threads */
  char why[GASAN_WHY];
  struct job *next;
};

struct task {
  void (*work)(void *argument);
  void *argument;
  size_t bytes;
  struct task *next;
};

static pthread_mutex_t jobs_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t jobs_changed = PTHREAD_COND_INITIALIZER;
static struct job *jobs; /* that threads are doing */
static struct task *tasks, **tasks_end = &tasks;
static unsigned threads, left; /* left: tasks that are not done */
static size_t left_bytes;

static struct job **find_job(const char *path) {
  struct job **place = &jobs;
  while (*place && strcmp((*place)->path, path) != 0)
    place = &(*place)->next;
  return place;
}

/* Needs the lock, which is free while `waiting` runs. */
static void wait_for(const struct job *job, void (*waiting)(long ms, void *context), void *context) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  for (long ms = 0; !job->done; ms += STEP_MS) {
    until.tv_nsec += STEP_MS * 1000000l;
    until.tv_sec += until.tv_nsec / 1000000000l;
    until.tv_nsec %= 1000000000l;
    while (!job->done && pthread_cond_timedwait(&jobs_changed, &jobs_lock, &until) == 0)
      ;
    pthread_mutex_unlock(&jobs_lock);
    waiting(ms, context);
    pthread_mutex_lock(&jobs_lock);
  }
}

bool gasan_lift_jobs_enter(const char *path, char why[GASAN_WHY], void (*waiting)(long ms, void *context),
                           void *context) {
  pthread_mutex_lock(&jobs_lock);
  struct job *job = *find_job(path);
  if (!job) {
    if ((job = calloc(1, sizeof *job))) {
      *job = (struct job){.path = path, .next = jobs};
      jobs = job;
    }
    pthread_mutex_unlock(&jobs_lock);
    return true;
  }
  job->waiting++;
  wait_for(job, waiting, context);
  snprintf(why, GASAN_WHY, "%s", job->why);
  const bool is_last = !--job->waiting;
  pthread_mutex_unlock(&jobs_lock);
  if (is_last)
    free(job);
  return false;
}

void gasan_lift_jobs_leave(const char *path, const char *why) {
  pthread_mutex_lock(&jobs_lock);
  struct job **place = find_job(path), *job = *place;
  bool is_unused = false;
  if (job) {
    *place = job->next;
    job->done = true;
    snprintf(job->why, sizeof job->why, "%s", why);
    is_unused = !job->waiting;
    pthread_cond_broadcast(&jobs_changed);
  }
  pthread_mutex_unlock(&jobs_lock);
  if (is_unused)
    free(job);
}

static unsigned cores(void) {
  cpu_set_t set;
  const int count = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
  return count > 0 ? (unsigned)count : 1;
}

static void *work(void *unused) {
  (void)unused;
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + NICER); /* on Linux, of this thread */
  pthread_mutex_lock(&jobs_lock);
  while (tasks) {
    struct task *task = tasks;
    tasks = task->next;
    if (!tasks)
      tasks_end = &tasks;
    pthread_mutex_unlock(&jobs_lock);
    task->work(task->argument);
    pthread_mutex_lock(&jobs_lock);
    left--;
    left_bytes -= task->bytes;
    free(task);
  }
  threads--;
  pthread_mutex_unlock(&jobs_lock);
  return NULL;
}

/* Starts a thread that gets no signals of the program's. */
static bool start_thread(void) {
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = !pthread_create(&thread, NULL, work, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (started)
    pthread_detach(thread);
  return started;
}

bool gasan_lift_jobs_start(void (*function)(void *argument), void *argument, size_t bytes) {
  const unsigned most = cores() > 1 ? cores() - 1 : 1;
  struct task *task = malloc(sizeof *task);
  if (!task)
    return false;
  *task = (struct task){.work = function, .argument = argument, .bytes = bytes};
  pthread_mutex_lock(&jobs_lock);
  *tasks_end = task;
  tasks_end = &task->next;
  left++;
  left_bytes += bytes;
  const bool needs_thread = threads < most;
  threads += needs_thread;
  pthread_mutex_unlock(&jobs_lock);
  if (needs_thread && !start_thread()) {
    pthread_mutex_lock(&jobs_lock);
    threads--;
    pthread_mutex_unlock(&jobs_lock);
  }
  return true;
}

void gasan_lift_jobs_say(size_t bytes) {
  char others[96] = "";
  pthread_mutex_lock(&jobs_lock);
  if (left)
    snprintf(others, sizeof others, ", and into %u more pieces (%zu KiB) on %u cores", left, (left_bytes + 1023) / 1024,
             cores());
  pthread_mutex_unlock(&jobs_lock);
  gasan_rt_warn("putting checks into %zu KiB of code that the program loads%s; the result is kept for later runs",
                (bytes + 1023) / 1024, others);
}
