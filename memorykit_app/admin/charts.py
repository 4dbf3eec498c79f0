"""Charts: figures as server-made SVG, with the same figures as a table and as CSV."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 640, 200, 44, 26, 10
_LABELS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One row of numbers under a word; None where there is nothing to say."""

    word: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rect:
    x: float
    y: float
    width: float
    height: float
    tone: int
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A word on an axis, at a place along it."""

    at: float
    word: str


@dataclass(frozen=True, kw_only=True)
class Chart:
    """Series over named columns: stacked bars, or lines. `unit` is told with the numbers."""

    name: str
    title: str
    says: str
    columns: tuple[str, ...]
    series: tuple[Series, ...]
    lines: bool = False
    unit: str = ""

    @property
    def empty(self) -> bool:
        return not any(value for one in self.series for value in one.values)

    @cached_property
    def top(self) -> float:
        """Return the number at the upper edge: 1, 2 or 5 times a power of ten."""
        if self.lines:
            most = max((v for one in self.series for v in one.values if v is not None), default=0)
        else:
            most = max((sum(v or 0 for v in column) for column in self._columns()), default=0)
        if most <= 0:
            return 1
        power = 10.0 ** math.floor(math.log10(most))
        return next(step * power for step in (1, 2, 5, 10) if step * power >= most)

    def rects(self) -> list[Rect]:
        """Return the bars, each series stacked on the ones before it."""
        if self.lines:
            return []
        found, wide = [], self._step * 0.8
        for index, column in enumerate(self._columns()):
            below = 0.0
            for tone, value in enumerate(column):
                if value:
                    found.append(
                        Rect(
                            x=round(self._x(index) - wide / 2, 1),
                            y=round(self._y(below + value), 1),
                            width=round(wide, 1),
                            height=round(self._y(below) - self._y(below + value), 1),
                            tone=tone,
                            says=f"{self.columns[index]}: {self.series[tone].word} {value:g}",
                        )
                    )
                    below += value
        return found

    def paths(self) -> list[tuple[int, str]]:
        """Return each line as its tone and SVG path; a gap where there is no number."""
        if not self.lines:
            return []
        found = []
        for tone, one in enumerate(self.series):
            path, pen = [], "M"
            for index, value in enumerate(one.values):
                if value is None:
                    pen = "M"
                    continue
                path.append(f"{pen}{self._x(index):.1f} {self._y(value):.1f}h.01")
                pen = "L"
            found.append((tone, "".join(path)))
        return found

    def words(self) -> list[Label]:
        """Return the words under the columns, so many that they do not touch."""
        every = max(1, math.ceil(len(self.columns) / _LABELS))
        return [
            Label(at=round(self._x(index), 1), word=word)
            for index, word in enumerate(self.columns)
            if index % every == 0
        ]

    def marks(self) -> list[Label]:
        """Return the numbers beside the chart."""
        return [
            Label(at=round(self._y(part), 1), word=f"{part:g}")
            for part in (0, self.top / 2, self.top)
        ]

    def rows(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return the table: a word for each column, and the numbers under it."""
        return [
            (word, tuple("" if v is None else f"{v:g}" for v in column))
            for word, column in zip(self.columns, self._columns(), strict=True)
        ]

    def _columns(self) -> list[Sequence[float | None]]:
        return list(zip(*(one.values for one in self.series), strict=True))

    @property
    def _step(self) -> float:
        return (WIDTH - LEFT) / max(1, len(self.columns))

    def _x(self, index: int) -> float:
        return LEFT + self._step * (index + 0.5)

    def _y(self, value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / self.top)
