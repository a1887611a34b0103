"""Real time and chance."""

from __future__ import annotations

import random
import time


class SystemClock:
    __slots__ = ()

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    def random(self) -> float:
        return random.random()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def sleep_async(self, seconds: float) -> None:
        # Only the async client needs it, whose transport has loaded it.
        import anyio

        await anyio.sleep(seconds)
