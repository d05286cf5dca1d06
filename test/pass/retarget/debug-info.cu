// Lines survive: the kernel is inlined into the entries, and the entries are artificial functions at the kernel's line.
// RUN: %cuda_device -O2 -g --cuda-noopt-device-debug -nocudainc -nocudalib -emit-llvm -c %s -o %t.bc
// RUN: %clang -x ir --target=x86_64-pc-linux-gnu -Wno-override-module -O2 -march=x86-64-v3 -fPIC \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-retarget -mllvm -gasan-cpu-image-id=i \
// RUN:   -mllvm -gasan-cpu-helpers=%cpu_bc -S %t.bc -o - -emit-llvm | FileCheck %s
// RUN: %cuda_device -O0 -gline-tables-only -nocudainc -nocudalib -emit-llvm -c %s -o %t.bc
// RUN: %clang -x ir --target=x86_64-pc-linux-gnu -Wno-override-module -O0 -march=x86-64-v3 -fPIC \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-retarget -mllvm -gasan-cpu-image-id=i \
// RUN:   -mllvm -gasan-cpu-helpers=%cpu_bc -c %t.bc -o %t.o
// RUN: llvm-dwarfdump --debug-line %t.o | FileCheck --check-prefix=LINES %s
__attribute__((device)) int half(int x) {
  return x / 2;
}

__attribute__((global)) void scale(int *p) {
  p[0] = half(p[1]);
}

// CHECK: define internal void @gasan.block._Z5scalePi(ptr {{.*}}) {{.*}} !dbg [[BLOCK:![0-9]+]]
// CHECK: sdiv i32 %{{.*}}, 2, !dbg
// CHECK-NEXT: store i32 {{.*}} !dbg [[STORE:![0-9]+]]
// CHECK: [[BLOCK]] = distinct !DISubprogram(name: "scale", linkageName: "gasan.block._Z5scalePi"
// CHECK-SAME: {{.*}} line: [[#@LINE-8]],{{.*}} flags: DIFlagArtificial
// CHECK: [[STORE]] = !DILocation(line: [[#@LINE-8]], {{.*}} inlinedAt:
// LINES: {{0x[0-9a-f]+ +}}[[#@LINE-13]]{{ }}
// LINES: {{0x[0-9a-f]+ +}}[[#@LINE-10]]{{ }}
