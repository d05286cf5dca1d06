# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws a dot plot as SVG. Each program has a row, each variant a colour; the axis is logarithmic."""
import math
from xml.sax.saxutils import escape

COLOURS = ("#1b6ac9", "#d1495b", "#e09f3e", "#7b8794", "#3a9d5d", "#6a4c93", "#222222", "#a05a2c")
ROW, LEFT, RIGHT, TOP, BOTTOM, WIDTH = 18, 150, 20, 60, 30, 900
TICKS = (0.5, 0.7, 1, 1.3, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)


def draw(rows, variants, title="Kernel time relative to the plain program"):
    """Returns the SVG. `rows`: {program: {variant: ratio or None}}. Returns None if there is nothing to show."""
    known = [ratio for ratios in rows.values() for ratio in ratios.values() if ratio]
    if not known:
        return None
    low, high = math.log(min(0.9, min(known)) * 0.97), math.log(max(1.5, max(known)) * 1.05)
    height = TOP + ROW * len(rows) + BOTTOM

    def x(ratio):
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log(ratio) - low) / (high - low)

    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" '
             'font-family="sans-serif" font-size="11">' % (WIDTH, height, WIDTH, height),
             '<rect width="100%" height="100%" fill="white"/>',
             '<text x="%d" y="16" font-size="13">%s</text>' % (LEFT, escape(title))]
    for tick in TICKS:
        if low <= math.log(tick) <= high:
            parts.append('<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="%s"/>' % (
                x(tick), x(tick), TOP - 6, height - BOTTOM, "#888" if tick == 1 else "#ddd"))
            parts.append('<text x="%.1f" y="%d" text-anchor="middle">%g</text>' % (x(tick), height - BOTTOM + 16, tick))
    for index, variant in enumerate(variants):
        at = LEFT + index * (WIDTH - LEFT - RIGHT) / len(variants)
        parts.append('<circle cx="%.1f" cy="34" r="4" fill="%s"/><text x="%.1f" y="38">%s</text>' % (
            at + 4, COLOURS[index % len(COLOURS)], at + 12, escape(variant)))
    for row, (program, ratios) in enumerate(rows.items()):
        y = TOP + ROW * row + ROW / 2
        parts.append('<text x="%d" y="%.1f" text-anchor="end">%s</text>' % (LEFT - 10, y + 4, escape(program)))
        for index, variant in enumerate(variants):
            if ratios.get(variant):
                parts.append('<circle cx="%.1f" cy="%.1f" r="4" fill="%s" fill-opacity="0.8">'
                             '<title>%s %s: %.2f</title></circle>' % (
                                 x(ratios[variant]), y, COLOURS[index % len(COLOURS)],
                                 escape(program), escape(variant), ratios[variant]))
    return "\n".join(parts + ["</svg>"]) + "\n"
