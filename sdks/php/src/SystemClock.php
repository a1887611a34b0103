<?php

declare(strict_types=1);

namespace Junction;

/** @internal */
final class SystemClock implements Clock
{
    public function now(): float
    {
        return microtime(true);
    }

    public function elapsed(): float
    {
        return hrtime(true) / 1e9;
    }

    public function sleep(float $seconds): void
    {
        usleep(max(0, (int) round($seconds * 1e6)));
    }

    public function random(): float
    {
        return random_int(0, PHP_INT_MAX) / PHP_INT_MAX;
    }
}
