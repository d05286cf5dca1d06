#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tries the packages of `make package` in two fresh Debian 12 systems: installs the Debian package with apt in one, and
# unpacks the tar in the other. Then gasan compiles test/packages/overflow.cu there, with each compiler and with CMake,
# and the programs run on the CPU device.
#
#   test/packages/debian.sh [FOLDER]   FOLDER has the packages; default build/packages
#
# Needs root, `apt-get install debootstrap`, a network, 3 GB in TMPDIR, and a CUDA 13 toolkit in CUDA_HOME or
# /usr/local/cuda. Takes 3 to 4 minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Only the child sees the mounts of the systems, so that nothing but the systems is removed.
if [[ -z ${GASAN_DEBIAN_WORK:-} ]]; then
  work=$(mktemp -d "${TMPDIR:-/tmp}/gasan-debian.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  GASAN_DEBIAN_WORK=$work unshare --mount "$PWD/test/packages/debian.sh" "$@"
  exit
fi

work=$GASAN_DEBIAN_WORK
packages=$(realpath "${1:-build/packages}")
cuda=$(realpath "${CUDA_HOME:-/usr/local/cuda}")
apt_install=(apt-get install -y -q --no-install-recommends)

say() { printf 'debian: %s\n' "$*"; }
die() {
  say "error: $*" >&2
  exit 1
}

# inside SYSTEM COMMAND...: prints the command's output only if the command fails.
inside() {
  local system=$1
  shift
  env -i PATH="/opt/gasan/bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root DEBIAN_FRONTEND=noninteractive \
    GASAN_OPTIONS=device=cpu chroot "$work/$system" "$@" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    return 1
  }
}

# must_fail SYSTEM TEXT COMMAND...: the command's output must contain the text.
must_fail() {
  local system=$1 text=$2
  shift 2
  ! inside "$system" "$@" 2>/dev/null || die "this must fail in the system '$system': $*"
  grep -qF -- "$text" "$work/log" || die "this must print '$text': $* prints: $(cat "$work/log")"
}

make_base() {
  local mirror
  apt-get indextargets --format 'deb $(SITE) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' |
    grep ' bookworm' | sort -u >"$work/sources"
  mirror=$(awk '$3 == "bookworm" { print $2; exit }' "$work/sources")
  [[ $mirror ]] || die "apt of this machine names no mirror of Debian 12"
  debootstrap --variant=minbase bookworm "$work/base" "$mirror" >"$work/log" || {
    cat "$work/log" >&2
    die "debootstrap failed"
  }
  cp "$work/sources" "$work/base/etc/apt/sources.list"
  inside base apt-get update -q
}

# start_system NAME: makes a fresh system.
start_system() {
  say "the system '$1'"
  cp -a "$work/base" "$work/$1"
  mount -t proc proc "$work/$1/proc"
  mount --rbind /dev "$work/$1/dev"
  mkdir "$work/$1/trial"
  cp test/packages/{overflow.cu,CMakeLists.txt} "$work/$1/trial"
}

# mount_cuda SYSTEM FOLDER
mount_cuda() {
  mkdir -p "$work/$1$2"
  mount --bind -o ro "$cuda" "$work/$1$2"
}

# check_program SYSTEM PROGRAM: the program must be silent without its bug, and report its bug.
check_program() {
  local code=0
  inside "$1" "$2" 100 || die "$2 fails without its bug"
  [[ ! -s $work/log ]] || die "$2 reports without a bug: $(cat "$work/log")"
  inside "$1" "$2" 101 2>/dev/null || code=$?
  ((code)) || die "$2 exits with 0 after its bug"
  /usr/lib/llvm-22/bin/FileCheck test/packages/packages.test <"$work/log" || die "$2 prints another report"
}

# use_gasan SYSTEM VARIABLE...: variables are NAME=VALUE of the environment.
use_gasan() {
  local system=$1
  shift
  inside "$system" env "$@" gasan-clang++ -fsanitize=gpu-address -g -O2 /trial/overflow.cu -o /trial/by-clang
  check_program "$system" /trial/by-clang
  inside "$system" env "$@" gasan-nvcc -g -O2 -rdc=true /trial/overflow.cu -o /trial/by-nvcc
  check_program "$system" /trial/by-nvcc
  inside "$system" "${apt_install[@]}" cmake make
  inside "$system" env "$@" cmake -S /trial -B /trial/cmake -DCMAKE_CXX_COMPILER=gasan-clang++
  inside "$system" env "$@" cmake --build /trial/cmake
  check_program "$system" /trial/cmake/overflow
}

say "a Debian 12 in $work/base"
make_base

start_system deb
cp "$packages"/gasan_*_amd64.deb "$work/deb/trial/gasan.deb"
inside deb "${apt_install[@]}" /trial/gasan.deb
must_fail deb "no complete CUDA toolkit in '/usr/local/cuda'" gasan-nvcc /trial/overflow.cu -o /trial/none
mount_cuda deb /usr/local/cuda
use_gasan deb
inside deb dpkg --verify gasan
inside deb apt-get purge -y gasan
[[ ! -e $work/deb/usr/lib/gasan && ! -e $work/deb/usr/lib/libgasan_rt.so ]] || die "purge leaves files"

start_system tar
mkdir "$work/tar/opt/gasan"
tar xf "$packages"/gasan-*-linux-x86_64.tar.xz -C "$work/tar/opt/gasan" --strip-components=1
must_fail tar "cannot run '/usr/lib/llvm-22/bin/clang'" gasan-clang++ --version
inside tar "${apt_install[@]}" clang-22 lld-22 llvm-22
mount_cuda tar /opt/toolkit
use_gasan tar CUDA_HOME=/opt/toolkit

say "both packages work"
