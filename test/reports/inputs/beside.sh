#!/bin/sh
# Runs a program several times at once: beside.sh COUNT PROGRAM [ARGUMENT...]
count=$1
shift
while [ "$count" -gt 0 ]; do
  "$@" 2>/dev/null &
  count=$((count - 1))
done
wait
exit 0
