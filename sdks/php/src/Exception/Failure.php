<?php

declare(strict_types=1);

namespace Junction\Exception;

use Junction\Violation;

/**
 * What is known of a call that failed.
 *
 * @internal
 */
final readonly class Failure
{
    /**
     * @param ?string $code where it is not the answer's own
     * @param array<string, string> $headers
     * @param array<array-key, mixed> $problem
     */
    public function __construct(
        private ?string $code,
        public ?int $status = null,
        public array $headers = [],
        public string $raw = '',
        public array $problem = [],
        public ?string $idempotencyKey = null,
        public int $attempts = 0,
    ) {}

    public function withCode(string $code): self
    {
        return new self(
            $code,
            $this->status,
            $this->headers,
            $this->raw,
            $this->problem,
            $this->idempotencyKey,
            $this->attempts,
        );
    }

    public function code(): string
    {
        return $this->code ?? $this->text('code') ?? "http_{$this->status}";
    }

    public function text(string $member): ?string
    {
        $value = $this->problem[$member] ?? null;
        return \is_string($value) && $value !== '' ? $value : null;
    }

    public function requestId(): ?string
    {
        return $this->headers['x-service-request-id'] ?? $this->text('request_id');
    }

    public function retryable(): ?bool
    {
        $value = $this->problem['retryable'] ?? null;
        return \is_bool($value) ? $value : null;
    }

    /** @return list<Violation> */
    public function violations(): array
    {
        $errors = $this->problem['errors'] ?? null;
        return (
            \is_array($errors) ? array_values(array_map(Violation::of(...), array_filter($errors, is_array(...)))) : []
        );
    }
}
