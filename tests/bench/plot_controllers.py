"""Draws docs/results/controllers.svg from what netsense_lossy_simulation prints.

Usage: netsense_lossy_simulation | python3 tests/bench/plot_controllers.py > docs/results/controllers.svg
"""
import csv
import math
import sys

SCENARIOS = (("step", "Step: 10 Gbit/s, 200 Mbit/s from 2 s to 10 s, 10 Gbit/s"),
             ("sawtooth", "Sawtooth between 10 Gbit/s and 200 Mbit/s"),
             ("competing", "500 Mbit/s, half of it taken for 3 s of every 6"))
COLOURS = {"model": "#0a6ebd", "netsenseml": "#c8501e", "fixed:lossless": "#8a8a8a"}
# Bytes sent per byte of data, and milliseconds of a collective: name, column, factor, decades from and to.
PANELS = (("bytes sent per byte of data", "wire_ratio", 1, -3, 0), ("collective, ms", "seconds", 1e3, 0, 4))
COMPUTE_MS = 60
WIDTH, HEIGHT, LEFT, TOP, GAP = 420, 150, 70, 70, 70


def read(lines):
    """{(scenario, controller): rows} in the order in which they come."""
    found = {}
    for row in csv.DictReader(lines):
        found.setdefault((row["scenario"], row["controller"]), []).append(row)
    return found


def points(rows, column, factor, low, high, longest):
    """SVG coordinates within a panel; the vertical axis is logarithmic and cut at its ends."""
    for row in rows:
        decades = math.log10(max(float(row[column]) * factor, 10.0 ** low))
        yield (float(row["begin_seconds"]) / longest * WIDTH,
               HEIGHT * (1 - (min(decades, high) - low) / (high - low)))


def panel(rows_of, title, column, factor, low, high, longest):
    parts = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999"/>',
             f'<text x="0" y="-6">{title}</text>']
    for decade in range(low, high + 1):
        y = HEIGHT * (1 - (decade - low) / (high - low))
        parts.append(f'<text x="-6" y="{y + 4:.1f}" text-anchor="end">{10.0 ** decade:g}</text>')
        parts.append(f'<line x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#eee"/>')
    if column == "seconds":
        y = HEIGHT * (1 - (math.log10(COMPUTE_MS) - low) / (high - low))
        parts.append(f'<line x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#444" stroke-dasharray="4 3"/>')
    for second in range(0, int(longest) + 1, 2):
        x = second / longest * WIDTH
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT + 14}" text-anchor="middle">{second} s</text>')
    for controller, rows in rows_of.items():
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points(rows, column, factor, low, high, longest))
        parts.append(f'<polyline points="{line}" fill="none" stroke-width="1.5" stroke="{COLOURS[controller]}"/>')
    return parts


def picture(found):
    """The whole picture as lines of SVG. Exact coding goes on for longer than is shown."""
    total_width = LEFT + len(PANELS) * (WIDTH + LEFT)
    total_height = TOP + len(SCENARIOS) * (HEIGHT + GAP)
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total_width} {total_height}" '
           'font-family="sans-serif" font-size="11">')
    yield f'<rect width="{total_width}" height="{total_height}" fill="#fff"/>'
    for index, (controller, colour) in enumerate(COLOURS.items()):
        yield f'<text x="{LEFT + index * 130}" y="20" fill="{colour}" font-weight="bold">{controller}</text>'
    yield f'<text x="{LEFT + 400}" y="20" fill="#444">dashed: what the job computes between two collectives</text>'
    for row, (scenario, title) in enumerate(SCENARIOS):
        rows_of = {controller: found[scenario, controller] for controller in COLOURS}
        longest = max(float(each["begin_seconds"]) for each in rows_of["model"])
        shown = {name: [each for each in rows if float(each["begin_seconds"]) <= longest]
                 for name, rows in rows_of.items()}
        for column, (name, *rest) in enumerate(PANELS):
            x, y = LEFT + column * (WIDTH + LEFT), TOP + row * (HEIGHT + GAP)
            yield f'<g transform="translate({x} {y})">'
            if column == 0:
                yield f'<text x="0" y="-22" font-weight="bold">{title}</text>'
            yield from panel(shown, name, *rest, longest)
            yield "</g>"
    yield "</svg>"


if __name__ == "__main__":
    print("\n".join(picture(read(sys.stdin))))
