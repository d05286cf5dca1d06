// Larger programs that know nothing of handles, and check themselves: what they compute stays right when the pool
// moves.
//
// RUN: %gasan -O2 %S/../../samples/graph-bfs.cu -fsanitize-gpu-address-pool=handles -o %t.bfs
// RUN: %run pool=handles %t.bfs | %silent
// RUN: %gasan -O2 %S/../../samples/hotspot.cu -fsanitize-gpu-address-pool=handles -o %t.hotspot
// RUN: %run pool=handles %t.hotspot | %silent
// RUN: %gasan -O2 %S/../../samples/scan.cu -fsanitize-gpu-address-pool=handles -o %t.scan
// RUN: %run pool=handles handle_bits=8 %t.scan | %silent
