<?php

declare(strict_types=1);

namespace Junction;

/**
 * What is asked for.
 *
 * @internal
 */
final readonly class Call
{
    /**
     * @param string $path from `/v1` on, its parts encoded
     * @param array<string, mixed> $query
     * @param ?string $body JSON; null for none
     * @param bool $isWrite whether it takes an idempotency key
     */
    public function __construct(
        public string $method,
        public string $path,
        public array $query = [],
        public ?string $body = null,
        public bool $isWrite = false,
        public Expects $expects = Expects::Json,
    ) {}

    public function withCursor(string $cursor): self
    {
        $query = [...$this->query, 'cursor' => $cursor];
        return new self($this->method, $this->path, $query, $this->body, $this->isWrite, $this->expects);
    }
}
