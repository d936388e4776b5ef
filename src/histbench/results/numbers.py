"""Numbers as every table and report shows them: exact bytes, milliseconds, changes and ratios.

>>> bytes_text(64905900), milliseconds(0.0123), change_text(-0.954), ratio_text(1 / 35)
('64,905,900', '12.3', '-95.4 %', '1/35')
"""

__all__ = ["bytes_text", "change_text", "megabytes", "milliseconds", "ratio_text"]

_FINE_MS = 10


def bytes_text(value: float) -> str:
    """A count or a number of bytes, exact, in groups of three digits."""
    return f"{value:,.0f}"


def megabytes(value: float) -> str:
    """Millions of bytes, with more digits the fewer they are."""
    return f"{value / 1e6:,.1f}" if value >= 1e6 else f"{value / 1e6:.3f}"


def milliseconds(seconds: float) -> str:
    """Milliseconds, with more digits the fewer they are."""
    value = seconds * 1e3
    return f"{value:,.1f}" if value >= _FINE_MS else f"{value:.3f}"


def change_text(fraction: float | None) -> str:
    """A growth or a reduction in per cent, signed."""
    if fraction is None:
        return "-"
    return "same" if fraction == 0 else f"{fraction * 100:+,.1f} %"


def ratio_text(ratio: float) -> str:
    """How a duration stands to another: `1/35` of it, or `2.1x` of it."""
    if ratio <= 0:
        return "0"
    return f"{ratio:.1f}x" if ratio >= 1 else f"1/{1 / ratio:.{0 if ratio < 0.1 else 1}f}"
