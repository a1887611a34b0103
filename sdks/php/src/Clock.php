<?php

declare(strict_types=1);

namespace Junction;

/** Time and chance, so that tests can stand in for them: {@see Testing\FakeClock}. */
interface Clock
{
    /** Unix seconds. */
    public function now(): float;

    /** Seconds since some moment; they never jump. */
    public function elapsed(): float;

    public function sleep(float $seconds): void;

    /** Between 0 and 1. */
    public function random(): float;
}
