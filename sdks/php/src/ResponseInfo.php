<?php

declare(strict_types=1);

namespace Junction;

/** What came with an answer: on every result as `$result->response()`. */
final readonly class ResponseInfo
{
    /** @param array<string, string> $headers */
    public function __construct(
        public int $status,
        /** By lower-case name. */
        public array $headers,
        /** Names the request in Junction's logs. */
        public ?string $requestId,
        /** What the write carried, on every try; null for a read. */
        public ?string $idempotencyKey,
        /** Whether the service had done this before and gave its first answer again. */
        public bool $replayed,
        /** How many requests were sent. */
        public int $attempts,
    ) {}
}
