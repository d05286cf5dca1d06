#!/bin/sh
# Replaces a tool: it fails if its command line, or a PTX file named there, contains $BREAKS_ON; otherwise it runs $REAL/NAME.
# With KILLED_BY, a signal ends it. Writes the limit of its CPU time to $LIMITS.
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
