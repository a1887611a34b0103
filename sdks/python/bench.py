"""What a call costs beside the HTTP client's own work, and what an import costs. `bench.py URL` prints JSON.

Calls of both kinds alternate, so that whatever else the machine does falls on both.
"""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import httpx2

import junction_sdk
from junction_sdk.testing import API_KEY

CALLS = 3000
WARM = 300
IMPORTS = 15
DATA = {"order": {"external_id": "10482", "total": 8900, "currency": "EUR"}}


def main(url: str) -> dict[str, float]:
    with httpx2.Client(trust_env=False) as bare, junction_sdk.Junction(API_KEY, base_url=url) as junction:

        def call_bare() -> None:
            body = {"event": "order.created", "data": DATA}
            headers = {"Authorization": f"Bearer {API_KEY}", "Idempotency-Key": "k"}
            bare.post(f"{url}/v1/events/fire", json=body, headers=headers).json()

        def call_sdk() -> None:
            junction.events.fire("order.created", DATA)

        gc.disable()
        pairs = [(timed(call_bare), timed(call_sdk)) for _ in range(CALLS + WARM)][WARM:]
        gc.enable()
    wall = [sdk[0] - base[0] for base, sdk in pairs]
    processor = [sdk[1] - base[1] for base, sdk in pairs]
    return {
        "overhead_us": statistics.median(wall) * 1e6,
        "overhead_processor_us": statistics.fmean(processor) * 1e6,
        "bare_us": statistics.median(base[0] for base, _ in pairs) * 1e6,
        "import_ms": imported("import junction_sdk") - imported("pass"),
        "import_httpx_ms": imported("import httpx2") - imported("pass"),
    }


def timed(call: Callable[[], None]) -> tuple[float, float]:
    """Seconds by the clock, and of the processor."""
    at, spent = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - at, time.process_time() - spent


def imported(code: str) -> float:
    """Milliseconds that a new interpreter takes; the least of several, which the machine disturbed least."""
    times: list[float] = []
    for _ in range(IMPORTS):
        at = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        times.append(time.perf_counter() - at)
    return min(times) * 1000


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1])))
