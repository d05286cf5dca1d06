/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reports of one or more processes as data. The runtime records them, `gasan report` reads them from files, and the
 * writers (writers.h) print them. docs/gasan-report-1.schema.json describes the same data as JSON.
 *
 * All texts and lists of a report belong to the report's arena. No locks: a document belongs to one thread at a time;
 * the runtime's belongs to the holder of the report lock. */
#ifndef GASAN_DOCUMENT_H
#define GASAN_DOCUMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "document/arena.h"

#define GASAN_DOCUMENT_FORMAT "gasan-report"
#define GASAN_DOCUMENT_VERSION 1u
#define GASAN_DOCUMENT_LEAK "memory-leak" /* the kind of a leak; gasan_rt/report/kinds.inc has the other kinds */

/* A frame of a stack. Texts are NULL, and numbers 0, if they are not known. */
struct gasan_doc_frame {
  const char *function, *file, *module;
  uint32_t line, column;
  uint64_t address, offset; /* of host code: the instruction, absolute and in the module */
  struct gasan_doc_frame *next;
};

/* The reason why a report has a stack. */
enum gasan_doc_role {
#define GASAN_DOC_ROLE(id, name, title) GASAN_DOC_##id,
#include "document/roles.inc"
#undef GASAN_DOC_ROLE
  GASAN_DOC_ROLE_COUNT
};

const char *gasan_doc_role_name(enum gasan_doc_role role);
/* Returns the beginning of a sentence: "Allocated". */
const char *gasan_doc_role_title(enum gasan_doc_role role);

struct gasan_doc_stack {
  enum gasan_doc_role role;
  bool has_host_thread, has_device_thread, has_shape;
  uint32_t host_thread;               /* T0 is the main thread */
  uint32_t thread[3], block[3], lane; /* of the device */
  const char *kernel;                 /* of a launch; NULL: not known */
  uint32_t grid_dim[3], block_dim[3];
  const char *unchecked; /* why the kernel has no checks; NULL: not known, or it has checks */
  uint64_t count;        /* launches of a suspect, waiting threads; 0: says nothing */
  struct gasan_doc_frame *frames, *last;
  struct gasan_doc_stack *next;
};

/* A piece of memory or an array, and where the address lies relative to it. */
struct gasan_doc_object {
  const char *type, *name; /* "region", "global variable"; the variable's name or NULL */
  const char *relation;    /* "before", "after" or "inside of" */
  bool has_base;
  uint64_t base, size, distance;
  const char *unit; /* of size and distance: "bytes", or "rows" */
  struct gasan_doc_object *next;
};

/* A value that makes the index of the access: "threadIdx.x + n" and "1000". */
struct gasan_doc_value {
  const char *expression, *value;
  struct gasan_doc_value *next;
};

struct gasan_doc_report {
  struct gasan_arena arena;
  const char *kind, *title, *text; /* title: the first line's end; text: the report as printed, without colours */
  const char *device;              /* "cuda" or "cpu"; NULL: of the host */
  int ordinal;
  bool has_address, has_access, has_size, has_access_address;
  uint64_t address;      /* the first bad byte */
  const char *operation; /* "read", "write", "free", "call" or "unknown" */
  const char *api;       /* the CUDA function that accesses; NULL: none */
  uint64_t size, access_address, threads;
  uint64_t leaked_bytes, leaked_objects;
  struct gasan_doc_frame location; /* the line to look at first; file NULL: not known */
  /* The lines around `location`, from source_line on; count 0: the file could not be read. */
  uint32_t source_line, source_count;
  const char **source;
  struct gasan_doc_value *values, *last_value;
  uint64_t *block_threads; /* bits of the block's threads that leave the object, by their linear index; NULL: unknown */
  uint32_t block_words;
  struct gasan_doc_stack *stacks, *last_stack;
  struct gasan_doc_object *objects, *last_object;
  struct gasan_doc_object *neighbours, *last_neighbour; /* of the first object; only base and size are set */
  uint64_t count;                                       /* equal reports */
  uint32_t *processes, process_count; /* the processes with this report, as numbers in the document's list; each once */
  struct gasan_doc_report *next;
};

struct gasan_doc_process {
  int64_t pid;
  const char *host, *directory, *rank; /* rank: of MPI or a batch system; NULL: none */
  const char **command;                /* ends with NULL */
  bool has_exit_code;                  /* gasan has ended the process with this code */
  int exit_code;
};

struct gasan_document {
  struct gasan_arena arena;
  const char *version; /* of gasan */
  const char *root;    /* SARIF names files below this folder relative to it; NULL: the first process's folder */
  struct gasan_doc_process *processes;
  uint32_t process_count;
  struct gasan_doc_report *reports, *last;
};

/* Add to the end of lists, and return the new part. */
struct gasan_doc_stack *gasan_doc_add_stack(struct gasan_doc_report *report, enum gasan_doc_role role);
struct gasan_doc_frame *gasan_doc_add_frame(struct gasan_doc_report *report, struct gasan_doc_stack *stack);
struct gasan_doc_object *gasan_doc_add_object(struct gasan_doc_report *report);
struct gasan_doc_object *gasan_doc_add_neighbour(struct gasan_doc_report *report);
struct gasan_doc_value *gasan_doc_add_value(struct gasan_doc_report *report);

/* Returns an empty report; its count is 1. */
struct gasan_doc_report *gasan_doc_create_report(void);
void gasan_doc_free_report(struct gasan_doc_report *report);
/* Adds a process of the document to the report, unless the report has it. */
void gasan_doc_name_process(struct gasan_doc_report *report, uint32_t process);
/* Returns a new zeroed process at the end of the document's list; valid until the next call. */
struct gasan_doc_process *gasan_doc_create_process(struct gasan_document *document);
/* Adds the report, or adds its count and processes to an equal report and frees it. The document owns it then.
 * Returns the report that the document has. */
struct gasan_doc_report *gasan_doc_add_report(struct gasan_document *document, struct gasan_doc_report *report);
/* Frees the reports, the processes and all texts. */
void gasan_doc_free(struct gasan_document *document);

/* Returns the first stack with this role; NULL: there is none. */
const struct gasan_doc_stack *gasan_doc_find_stack(const struct gasan_doc_report *report, enum gasan_doc_role role);

/* Returns the innermost frame of the program: with a file, and not in a header of the system or of CUDA. NULL: no frame
 * has a file. */
const struct gasan_doc_frame *gasan_doc_find_frame(const struct gasan_doc_stack *stack);

/* Returns a number that is equal for the same bug in another version of the program: of the kind and the functions of
 * access, launch and allocation, without lines and addresses. */
uint64_t gasan_doc_fingerprint(const struct gasan_doc_report *report);
/* Writes the number as 16 hexadecimal digits. */
void gasan_doc_print_fingerprint(const struct gasan_doc_report *report, char text[17]);
/* Returns true if kind and stacks are equal, with files and lines, without addresses of memory. */
bool gasan_doc_is_same(const struct gasan_doc_report *a, const struct gasan_doc_report *b);
/* Removes the reports that are known, as the same ones or by their fingerprints, from both documents. Returns their
 * number. */
uint32_t gasan_doc_drop_known(struct gasan_document *document, struct gasan_document *known);

#endif
