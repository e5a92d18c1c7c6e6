"""Rows by splitting the whole file, the slow way, and files worth splitting."""

from __future__ import annotations

from hypothesis import strategies as st

from capview.pager.rows import Cuts, Row

SMALL = Cuts(page=16, piece=8, redraw=24, scan=40)

TEXTS = st.lists(
    st.one_of(
        st.sampled_from(
            [b"\n", b"\r", b"\r\n", b"\r\r", "é".encode(), "漢字".encode(), "👩‍🔧".encode(), b"\x80\x80\x80\x80"]
        ),
        st.integers(0, 40).map(lambda n: b"x" * n),
        st.integers(0, 30).map(lambda n: b"\r" * n),
        st.binary(max_size=12),
    ),
    max_size=30,
).map(b"".join)


def naive_draws(line: bytes, offset: int) -> list[tuple[int, int]]:
    """Start and end of every run without a carriage return."""
    draws = []
    for part in line.split(b"\r"):
        if part:
            draws.append((offset, offset + len(part)))
        offset += len(part) + 1
    return draws


def naive_pieces(data: bytes, start: int, end: int, piece: int) -> list[tuple[int, int]]:
    cuts = [start]
    for multiple in range(0, len(data) + piece, piece):
        cut = multiple
        while cut < min(multiple + 3, end) and data[cut] & 0xC0 == 0x80:
            cut += 1
        if multiple >= start + piece and cut < end:
            cuts.append(cut)
    return list(zip(cuts, [*cuts[1:], end], strict=True))


def naive_line(data: bytes, start: int, end: int, after: int, cuts: Cuts) -> list[Row]:
    draws = naive_draws(data[start:end], start)
    newline = after > end
    if not draws:
        return [Row(covers=start, start=start, end=start, next=after, newline=newline)]
    rows, covers, redraws = [], start, 0
    for number, (first, last) in enumerate(draws, 1):
        end_of_line = number == len(draws)
        if cuts.fold and not end_of_line and last - first <= cuts.redraw:
            redraws += 1
            continue
        beyond = after if end_of_line else draws[number][0]
        for at, upto in naive_pieces(data, first, last, cuts.piece):
            rows.append(
                Row(
                    covers=covers if at == first else at,
                    start=at,
                    end=upto,
                    next=upto if upto < last else beyond,
                    data=data[at:upto],
                    redraws=redraws if at == first else 0,
                    continues=at != first,
                    newline=newline and end_of_line and upto == last,
                )
            )
        covers, redraws = beyond, 0
    return rows


def naive_rows(data: bytes, cuts: Cuts) -> list[Row]:
    rows, start = [], 0
    while start < len(data):
        newline = data.find(b"\n", start)
        end = len(data) if newline < 0 else newline
        after = min(end + 1, len(data))
        rows += naive_line(data, start, end, after, cuts)
        start = after
    return rows
