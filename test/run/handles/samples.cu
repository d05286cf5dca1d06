// Larger programs that use handles unknowingly and check their own results: the results are right although the pool
// moves.
//
// RUN: %gasan -O2 %S/../../samples/graph-bfs.cu -fsanitize-gpu-address-pool=handles -o %t.bfs
// RUN: %options=pool=handles %run %t.bfs 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 %S/../../samples/hotspot.cu -fsanitize-gpu-address-pool=handles -o %t.hotspot
// RUN: %options=pool=handles %run %t.hotspot 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 %S/../../samples/scan.cu -fsanitize-gpu-address-pool=handles -o %t.scan
// RUN: %options=pool=handles:handle_bits=8 %run %t.scan 2>&1 >/dev/null | %silent
