<?php

declare(strict_types=1);

namespace Junction;

/** Details of a response. Every result has them as `$result->response()`. */
final readonly class ResponseInfo
{
    /** @param array<string, string> $headers */
    public function __construct(
        public int $status,
        /** The headers, by lower-case name. */
        public array $headers,
        /** The id of the request in Junction's logs. */
        public ?string $requestId,
        /** The idempotency key of all attempts of a write. Null for a read. */
        public ?string $idempotencyKey,
        /** Whether this is the stored response of an earlier call with the same key. */
        public bool $replayed,
        /** The number of requests that were sent. */
        public int $attempts,
    ) {}
}
