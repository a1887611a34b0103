<?php

declare(strict_types=1);

namespace Junction;

/**
 * A message of a pull endpoint, from {@see Client::consume()}. {@see Webhooks::verify()} accepts its body and headers,
 * which are those of a request.
 */
final readonly class ConsumedMessage
{
    /**
     * @param int $offset the offsets of an endpoint's messages are dense, and in the order of commits
     * @param string $deliveryId the same each time the message is pulled. Skip messages that you have already processed
     * @param array<string, string> $headers
     * @param ?string $body null if the event was erased
     */
    public function __construct(
        public int $offset,
        public string $deliveryId,
        public string $event,
        public string $createdAt,
        public array $headers,
        public ?string $body,
    ) {}

    /**
     * @internal
     * @param array<array-key, mixed> $wire
     */
    public static function of(array $wire): self
    {
        $text = static fn(string $name): string => \is_string($wire[$name] ?? null) ? $wire[$name] : '';
        $headers = [];
        foreach (\is_array($wire['headers'] ?? null) ? $wire['headers'] : [] as $name => $value) {
            $headers[(string) $name] = \is_string($value) ? $value : '';
        }
        return new self(
            \is_int($wire['offset'] ?? null) ? $wire['offset'] : 0,
            $text('delivery_id'),
            $text('event'),
            $text('created_at'),
            $headers,
            \is_string($wire['body'] ?? null) ? $wire['body'] : null,
        );
    }
}
