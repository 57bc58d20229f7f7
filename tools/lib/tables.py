"""How the demo and the benchmarks read sizes and arguments and show tables."""
import argparse
import re
import sys


def format_size(count):
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= unit and count % unit == 0:
            return f"{count // unit} {name}"
    return f"{count} B"


def parse_size(text):
    """Bytes of "64M", "1.5G" or a plain number, as netsense-perf reads them."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([kmg]?)(?:i?b)?", text.strip().lower())
    if not match:
        raise ValueError(f"{text!r} is not a size; write for example 64M")
    return int(float(match[1]) * {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}[match[2]])


def parse_checked(parser, check=None):
    """The parsed arguments; ends here when tools/demo or tools/bench only wants to know whether they are right.

    check: called with the parser and the arguments; reports with parser.error.
    """
    parser.add_argument("--check-only", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if check:
        check(parser, arguments)
    if arguments.check_only:
        sys.exit(0)
    return arguments


def print_table(title, header, rows):
    """header: column names; the first column is on the left, all others on the right."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    print(f"\n{title}")
    for row in [header, *rows]:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("  " + "  ".join(cells))


def markdown_table(header, rows):
    """The same as Markdown, as text."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |\n" for line in lines)
