"""Small line plots as SVG, without a library: what the benchmarks draw into docs/results."""
import html
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 320, 70, 190, 34, 46
COLOURS = ["#1f6feb", "#d1242f", "#1a7f37", "#9a6700", "#8250df", "#57606a", "#bf3989", "#0a7ea4", "#6e4b1f"]


class Axis:
    """Maps values to positions, linearly or, for values above 0, by their logarithm."""

    def __init__(self, values, logarithmic, begin, end):
        self.logarithmic, self._begin, self._end = logarithmic, begin, end
        low, high = min(values), max(values)
        if logarithmic:
            low, high = math.log10(low), math.log10(high)
        else:
            low = min(low, 0)
        self._low, self._high = (low, high) if high > low else (low - 0.5, high + 0.5)

    def place(self, value):
        value = math.log10(value) if self.logarithmic else value
        return self._begin + (value - self._low) / (self._high - self._low) * (self._end - self._begin)

    def ticks(self):
        if self.logarithmic:
            decades = range(math.floor(self._low), math.ceil(self._high) + 1)
            made = [factor * 10.0**decade for decade in decades for factor in (1, 2, 5)]
            return [each for each in made if self._low - 1e-9 <= math.log10(each) <= self._high + 1e-9]
        step = 10 ** math.floor(math.log10(self._high - self._low))
        step = next(step * part for part in (0.1, 0.2, 0.5, 1, 2) if (self._high - self._low) / (step * part) <= 7)
        return [number * step for number in range(math.ceil(self._low / step), math.floor(self._high / step) + 1)]


def _text(x, y, text, anchor="middle", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {extra}>{html.escape(str(text))}</text>'


def lines(title, x_name, y_name, series, log_x=False, log_y=False):
    """The picture of {name: [(x, y)]}. Points that a logarithmic axis cannot show are left out."""
    shown = {name: [(x, y) for x, y in points if (x > 0 or not log_x) and (y > 0 or not log_y)]
             for name, points in series.items()}
    points = [point for each in shown.values() for point in each]
    if not points:
        raise ValueError(f"{title}: nothing to draw")
    x_axis = Axis([x for x, _ in points], log_x, LEFT, WIDTH - RIGHT)
    y_axis = Axis([y for _, y in points], log_y, HEIGHT - BOTTOM, TOP)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
             'font-size="12">', '<rect width="100%" height="100%" fill="#fff"/>',
             _text((LEFT + WIDTH - RIGHT) / 2, 18, title, extra='font-weight="bold"'),
             _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, x_name),
             _text(14, HEIGHT / 2, y_name, extra=f'transform="rotate(-90 14 {HEIGHT / 2:.0f})"')]
    for tick in x_axis.ticks():
        x = x_axis.place(tick)
        parts += [f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>', _text(x, HEIGHT - BOTTOM + 16, f"{tick:g}")]
    for tick in y_axis.ticks():
        y = y_axis.place(tick)
        parts += [f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>', _text(LEFT - 6, y + 4, f"{tick:g}", "end")]
    for number, (name, each) in enumerate(shown.items()):
        colour, y = COLOURS[number % len(COLOURS)], TOP + 12 + 18 * number
        places = [(x_axis.place(x), y_axis.place(value)) for x, value in each]
        path = " ".join(f"{x:.1f},{place:.1f}" for x, place in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{place:.1f}" r="2.5" fill="{colour}"/>' for x, place in places]
        parts += [f'<path d="M{WIDTH - RIGHT + 10} {y}h18" stroke="{colour}" stroke-width="2"/>',
                  _text(WIDTH - RIGHT + 34, y + 4, name, "start")]
    return "\n".join([*parts, "</svg>"]) + "\n"
