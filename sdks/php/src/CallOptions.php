<?php

declare(strict_types=1);

namespace Junction;

/** The options of one call. Every method accepts them as `options:`. */
final readonly class CallOptions
{
    /**
     * @param ?string $idempotencyKey the key of a write; default: a random UUID. With your own key, you can repeat
     *     the call after a crash
     * @param ?int $maxRetries the maximum number of retries; with 0, only one request is sent
     * @param ?float $timeout the timeout per attempt in seconds
     * @param ?float $deadline the deadline of the call in seconds, including waits
     * @param array<string, string> $headers sent in addition to the SDK's own
     */
    public function __construct(
        public ?string $idempotencyKey = null,
        public ?int $maxRetries = null,
        public ?float $timeout = null,
        public ?float $deadline = null,
        public array $headers = [],
    ) {}
}
