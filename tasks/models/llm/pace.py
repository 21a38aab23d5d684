"""So many a minute and never more, whoever asks: the generic cell rate algorithm (GCRA), as arithmetic.

A limit has one number, its mark: the time at which all that was taken is paid off at `rate` per second. To take n is
to send at  s = max(now, mark + (n - burst) / rate)  and to move the mark to  max(mark, s) + n / rate.

Never more than `limit` falls in 60 seconds: let i be the first and j the last taken, in the order of taking, of all
that is sent in a window. Every taking adds its n / rate to the mark, and the mark after i is at least s_i + n_i / rate,
so s_j >= s_i + (n_i + ... + n_j - burst) / rate, that is  n_i + ... + n_j <= burst + rate * (s_j - s_i). With burst +
rate * WINDOW < limit + 1 this whole number is at most `limit`. (What one taking alone asks for is the caller's to keep
under the limit.) Nothing here hangs on sending in the order of taking, and n may be larger than the burst.

It counts what was taken. A refund lets those after it go earlier: what was used stays under the limit where refunds
come evenly, and exceeds it at most by what is refunded within the window for requests sent before it.
"""

WINDOW = 62.0  # seconds: 60, and 2 for senders that wake up late or whose clocks differ
BURST = 0.1  # share of a minute's limit that may go at once: some servers count by shorter spans than they say


def _rate(limit: int) -> tuple[float, float]:
    """What may go at once, and what per second."""
    burst = BURST * limit
    return burst + 0.999, (limit - burst) / WINDOW


def taken(
    marks: tuple[float, float], wanted: tuple[int, int], limits: tuple[int, int], now: float
) -> tuple[tuple[float, float], float]:
    """The marks once `wanted` (requests, tokens) is taken, and the seconds to wait before it is sent."""
    send = now
    for mark, n, limit in zip(marks, wanted, limits, strict=True):
        if limit and n > 0:
            burst, rate = _rate(limit)
            send = max(send, mark + (n - burst) / rate)
    requests, tokens = (
        max(mark, send) + n / _rate(limit)[1] if limit and n > 0 else mark
        for mark, n, limit in zip(marks, wanted, limits, strict=True)
    )
    return (requests, tokens), send - now


def given_back(mark: float, n: int, limit: int) -> float:
    """The mark when n were taken and not used."""
    return mark - n / _rate(limit)[1] if limit else mark
