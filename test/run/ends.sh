#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs a program, at most five minutes long, and succeeds if its exit code is CODE:  ends.sh CODE PROGRAM [ARGUMENT...]
expected=$1
shift
timeout -k 10 300 "$@" </dev/null
code=$?
[ "$code" = "$expected" ] && exit 0
echo "$1: the exit code is $code, not $expected" >&2
exit 1
