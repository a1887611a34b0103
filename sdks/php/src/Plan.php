<?php

declare(strict_types=1);

namespace Junction;

/**
 * A call as it is carried out: what is the same on each try, and how many there may be.
 *
 * @internal
 */
final readonly class Plan
{
    /** @param array<string, string> $headers */
    public function __construct(
        public Call $call,
        /** Path and query, as on the wire. */
        public string $target,
        public ?string $idempotencyKey,
        public array $headers,
        public int $maxRetries,
        /** Seconds for one try. */
        public float $timeout,
        /** By {@see Clock::elapsed()}; null for none. */
        public ?float $deadline,
    ) {}

    /** How long the next try may take. */
    public function secondsLeft(Clock $clock): float
    {
        return min($this->timeout, $this->deadline === null ? INF : $this->deadline - $clock->elapsed());
    }
}
