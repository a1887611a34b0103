<?php

declare(strict_types=1);

namespace Junction;

/** What one call does differently. Every method takes it as `options:`. */
final readonly class CallOptions
{
    /**
     * @param ?string $idempotencyKey for a write; a random one, unless told. With your own the call can be repeated
     *     after a crash
     * @param ?int $maxRetries how often the call is repeated at most; 0 is one request
     * @param ?float $timeout seconds for one try
     * @param ?float $deadline seconds for all tries and waits together
     * @param array<string, string> $headers sent beside the SDK's own
     */
    public function __construct(
        public ?string $idempotencyKey = null,
        public ?int $maxRetries = null,
        public ?float $timeout = null,
        public ?float $deadline = null,
        public array $headers = [],
    ) {}
}
