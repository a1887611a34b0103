<?php

declare(strict_types=1);

namespace Junction;

use Junction\Type\WebhookMessage;
use Psr\Http\Message\MessageInterface;

/**
 * The functions for a receiver: `$junction->webhooks->verify(…)`. Without a client, use {@see Webhooks}.
 *
 * @internal
 */
trait WebhookChecks
{
    /**
     * See {@see Webhooks::verify()}.
     *
     * @param iterable<array-key, mixed>|MessageInterface|null $headers
     * @param string|list<string>|null $secrets
     * @throws Exception\WebhookVerificationException
     */
    public function verify(
        mixed $rawBody,
        iterable|MessageInterface|null $headers,
        #[\SensitiveParameter]
        string|array|null $secrets,
        int $tolerance = 300,
        ?int $now = null,
    ): WebhookMessage {
        return Webhooks::verify($rawBody, $headers, $secrets, $tolerance, $now);
    }

    /**
     * See {@see Webhooks::sign()}.
     *
     * @param string|list<string> $secrets
     * @return array<string, string>
     */
    public function sign(
        string $rawBody,
        #[\SensitiveParameter]
        string|array $secrets,
        string $deliveryId = 'dlv_test',
        ?int $timestamp = null,
    ): array {
        return Webhooks::sign($rawBody, $secrets, $deliveryId, $timestamp);
    }
}
