#!/bin/sh
# Stands in for a tool: it breaks down where its command line, or a file of PTX that is named there, has $BREAKS_ON, and else becomes
# $REAL/NAME. With KILLED_BY, a signal ends it. Writes the limit of its CPU time to $LIMITS.
name=$(basename "$0")
echo "$name $(ulimit -t) $(ulimit -c)" >> "$LIMITS"
breaks=$(echo "$*" | grep -c -e "$BREAKS_ON")
for file; do
  case $file in *.s) test -f "$file" && breaks=$((breaks + $(grep -c -e "$BREAKS_ON" "$file")));; esac
done
if [ "$breaks" != 0 ]; then
  echo "noise of $name" >&2
  test -z "$KILLED_BY" || kill -s "$KILLED_BY" $$
  exit 255
fi
exec "$REAL/$name" "$@"
