<?php

declare(strict_types=1);

namespace Junction;

/** One invalid value. */
final readonly class Violation
{
    /** @param array<array-key, mixed> $raw everything as it came */
    public function __construct(
        /** An RFC 6901 pointer into the body, or `/query/<name>`. */
        public string $pointer,
        public string $code,
        public string $message,
        public array $raw = [],
    ) {}

    /** @internal @param array<array-key, mixed> $raw */
    public static function of(array $raw): self
    {
        $text = static fn(string $name): string => \is_string($raw[$name] ?? null) ? $raw[$name] : '';
        return new self($text('pointer'), $text('code'), $text('message'), $raw);
    }
}
