<?php

declare(strict_types=1);

namespace Junction\Testing;

use Junction\Clock;

/** A clock that advances only with sleeps, with predictable random numbers. */
final class FakeClock implements Clock
{
    /** @var list<float> the seconds of each sleep */
    public array $sleeps = [];

    private float $passed = 0.0;

    /**
     * @param ?float $now the initial Unix time in seconds; default: the real time
     * @param list<float> $randoms returned in order; the last one is then repeated
     */
    public function __construct(
        private readonly ?float $now = null,
        private array $randoms = [0.5],
    ) {}

    public function now(): float
    {
        return ($this->now ?? microtime(true)) + ($this->now === null ? 0.0 : $this->passed);
    }

    public function elapsed(): float
    {
        return (hrtime(true) / 1e9) + $this->passed;
    }

    public function sleep(float $seconds): void
    {
        $this->sleeps[] = $seconds;
        $this->passed += $seconds;
    }

    public function random(): float
    {
        return \count($this->randoms) > 1 ? array_shift($this->randoms) : $this->randoms[0] ?? 0.5;
    }
}
