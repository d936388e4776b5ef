"""How small a log can get: its parts as streams of their own, compressed as well as may be.

streams    a log taken apart into streams, and put together again
bounds     order-0 and order-1 entropy of symbols
estimate   what the streams need at best, and how far each form is from that
"""

from histbench.measure.limit.estimate import (
    FormSize,
    LimitEstimate,
    PartEstimate,
    StreamSize,
    estimate_limit,
)

__all__ = ["FormSize", "LimitEstimate", "PartEstimate", "StreamSize", "estimate_limit"]
