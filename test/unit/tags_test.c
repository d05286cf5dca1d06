/* Tagged pointers (shadow/tags.h), and a pool whose callers hold them. */
#include "greatest.h"
