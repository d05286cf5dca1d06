"""The routes by which a pointer to the buffer reaches the access. A compiler can see through some and not through
others.

A route computes, from `start`, which points to the buffer, the pointer that the access uses. A row of ROUTES adds
one."""
import collections

# outside: declarations before the kernel. code: statements before the access. pointer: the expression for the
# access's pointer; it may undo a move by {into} elements. second: the route needs another object, `other`. loads: the
# pointer is loaded from memory, or goes through a function pointer (docs/limitations.md: shared and local memory,
# pointers that have left their object).
Route = collections.namedtuple("Route", "name outside code pointer second loads")
MOVE = "__device__ __noinline__ {type} *move{n}({type} *from, int by) {{ return from + by; }}"
ROUTES = (
    Route("straight", "", "{type} *p = start;", "p", False, False),
    Route("interior", "", "{type} *middle = start + into;", "(middle - into)", False, False),
    Route("bytes", "", "char *raw = reinterpret_cast<char *>(start) + into * sizeof({type});",
          "(reinterpret_cast<{type} *>(raw) - into)", False, False),
    Route("integer", "", "size_t number = reinterpret_cast<size_t>(start) + size_t(into) * sizeof({type});",
          "reinterpret_cast<{type} *>(number - into * sizeof({type}))", False, False),
    Route("returned", MOVE, "{type} *moved = move{n}(start, into);", "(moved - into)", False, False),
    Route("recursion", "__device__ __noinline__ {type} *deep{n}({type} *from, int by) "
          "{{ return by > 0 ? deep{n}(from + 1, by - 1) : from; }}",
          "{type} *moved = deep{n}(start, into % 7);", "(moved - into % 7)", False, False),
    Route("counted", "", "{type} *moved = start; for (int t = 0; t < into; ++t) moved += 1;",
          "(moved - into)", False, False),
    Route("select", "", "{type} *p = turn ? start : other;", "p", True, False),
    Route("branch", "", "{type} *p; if (turn) {{ p = start; sum += 1; }} else {{ p = other; __threadfence_block(); }}",
          "p", True, False),
    Route("exchange", "", "{type} *p = other, *next = start; for (int t = 0; t < 2 + turn; ++t) "
          "{{ {type} *last = p; p = next; next = last; }}", "p", True, False),
    Route("which", MOVE, "{type} *moved = turn ? move{n}(start, into) : move{n}(other, 0);",
          "(moved - into)", True, False),
    Route("kept", "", "{type} *volatile kept = start; {type} *p = kept;", "p", False, True),
    Route("table", "", "{type} *table[2] = {{other, start}}; {type} *p = table[turn];", "p", True, True),
    Route("view", "struct View{n} "
          "{{ {type} *data; int gone; __device__ {type} *get() const {{ return data - gone; }} }}; "
          "__device__ __noinline__ {type} *get{n}(const View{n} &view) {{ return view.get(); }}",
          "View{n} view = {{start + into, into}};", "get{n}(view)", False, True),
    Route("function pointer", MOVE + " __device__ __noinline__ {type} *stay{n}({type} *from, int) {{ return from; }}",
          "{type} *(*function)({type} *, int) = turn ? move{n} : stay{n};",
          "(function(start, into) - into)", False, True),
    Route("self-relative", "struct Self{n} {{ long long distance; __device__ __noinline__ {type} *get() const "
          "{{ return ({type} *)((unsigned long long)this + distance); }} }};",
          "Self{n} self; self.distance = (char *)(start + into) - (char *)&self;", "(self.get() - into)", False, True),
    Route("distance", "", "{type} *p = other + (start - other);", "p", True, True),
    Route("distance in bytes", "__device__ __noinline__ long long apart{n}(const {type} *from, const {type} *to) "
          "{{ return (char *)to - (char *)from; }}",
          "{type} *p = ({type} *)((char *)other + apart{n}(other, start));", "p", True, True),
    Route("variadic", "__device__ __noinline__ {type} *last{n}(int count, ...) "
          "{{ __builtin_va_list list; __builtin_va_start(list, count); {type} *p = nullptr; "
          "for (int i = 0; i < count; ++i) p = __builtin_va_arg(list, {type} *); __builtin_va_end(list); return p; }}",
          "{type} *moved = last{n}(2, start, start + into);", "(moved - into)", False, True),
)
