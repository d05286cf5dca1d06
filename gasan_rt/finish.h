/* The end of the process: the last faults, and the statistics. */
#ifndef GASAN_RT_FINISH_H
#define GASAN_RT_FINISH_H

/* Registers what happens at exit: once, from the start. */
void gasan_finish_at_exit(void);

#endif
