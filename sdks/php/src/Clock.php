<?php

declare(strict_types=1);

namespace Junction;

/** Time and random numbers, which tests can replace: {@see Testing\FakeClock}. */
interface Clock
{
    /** Unix time in seconds. */
    public function now(): float;

    /** Monotonic seconds since an arbitrary moment. */
    public function elapsed(): float;

    public function sleep(float $seconds): void;

    /** A random number between 0 and 1. */
    public function random(): float;
}
