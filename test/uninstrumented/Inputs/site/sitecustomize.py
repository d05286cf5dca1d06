"""A program's own sitecustomize."""
import sys

print("own sitecustomize", sys.path.count(sys.path[0]))
