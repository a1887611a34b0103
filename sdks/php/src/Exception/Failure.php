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

    /** The first value at fault and the number of others, for a log that shows a message alone; '' without any. */
    public function faults(): string
    {
        $isSaid = static fn(Violation $one): bool => $one->message !== '';
        $faults = array_values(array_filter($this->violations(), $isSaid));
        if ($faults === []) {
            return '';
        }
        $pointer = $faults[0]->pointer === '' ? 'the body' : $faults[0]->pointer;
        $others = \count($faults) - 1;
        return " {$pointer} {$faults[0]->message}" . ($others === 0 ? '' : " (and {$others} more)");
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
