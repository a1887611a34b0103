<?php

declare(strict_types=1);

namespace Junction;

use Junction\Exception\ConfigurationException;
use Junction\Exception\WebhookVerificationException;
use Junction\Type\WebhookMessage;
use Psr\Http\Message\MessageInterface;

/**
 * Checks that a request is a delivery of Junction's, and signs one for tests. It needs no client and no API key.
 *
 *     $message = Junction\Webhooks::verify(file_get_contents('php://input'), getallheaders(), $secret);
 */
final class Webhooks
{
    private const PREFIX = 'whsec_';

    /**
     * Both signatures are judged in constant time: `webhook-signature`, which covers the id and the time too, and
     * `X-Service-Signature`. Then the time, then the body.
     *
     * @param mixed $rawBody the body as it came, a text: parsed and printed again it has other bytes
     * @param array<array-key, mixed>|MessageInterface $headers as getallheaders(), $_SERVER, Symfony, Laravel or PSR-7
     *     have them
     * @param string|list<string> $secrets the endpoint's; the old and the new one while a secret is being changed
     * @param int $tolerance seconds that the time may be off
     * @param ?int $now Unix seconds, for tests
     * @throws WebhookVerificationException
     */
    public static function verify(
        mixed $rawBody,
        array|MessageInterface $headers,
        #[\SensitiveParameter]
        string|array $secrets,
        int $tolerance = 300,
        ?int $now = null,
    ): WebhookMessage {
        $body = self::text($rawBody);
        $keys = self::keys($secrets);
        $given = self::headers($headers);
        $timestamp = self::checkPresence($given);
        self::checkSignatures($body, $given, $keys);
        if (abs((float) $timestamp - ($now ?? time())) > $tolerance) {
            throw self::refusal(
                'timestamp_out_of_range',
                "The delivery's time is more than {$tolerance} seconds from now.",
            );
        }
        $data = json_decode($body, true, 512, JSON_BIGINT_AS_STRING);
        if (!\is_array($data) || array_is_list($data)) {
            throw self::refusal('body_invalid', 'The signature is right, and the body is no JSON object.');
        }
        return new WebhookMessage($data);
    }

    /**
     * Headers under which {@see self::verify()} takes a body: for tests of a receiver.
     *
     * @param string|list<string> $secrets several for the time in which a secret is being changed: the newest first
     * @return array<string, string>
     */
    public static function sign(
        string $rawBody,
        #[\SensitiveParameter]
        string|array $secrets,
        string $deliveryId = 'dlv_test',
        ?int $timestamp = null,
    ): array {
        $timestamp = (string) ($timestamp ?? time());
        $keys = self::keys($secrets);
        $signed = "{$deliveryId}.{$timestamp}.{$rawBody}";
        $body = json_decode($rawBody, true);
        $member = static fn(string $name): string => \is_array($body) && \is_string($body[$name] ?? null)
            ? $body[$name]
            : '';
        return [
            'Content-Type' => 'application/json',
            'X-Service-Signature' => hash_hmac('sha256', $rawBody, (string) array_key_first($keys)),
            'X-Service-Timestamp' => $timestamp,
            'X-Service-Event' => $member('event'),
            'X-Service-Delivery' => $deliveryId,
            'X-Service-Idempotency' => $member('idempotency_key'),
            'webhook-id' => $deliveryId,
            'webhook-timestamp' => $timestamp,
            'webhook-signature' => implode(' ', array_map(static fn(string $key): string => self::standard(
                $signed,
                $key,
            ), array_values($keys))),
        ];
    }

    private static function text(mixed $rawBody): string
    {
        if (\is_string($rawBody)) {
            return $rawBody;
        }
        $given = get_debug_type($rawBody);
        throw new ConfigurationException(
            "The body is {$given}, and a signature covers the exact bytes that came: give the raw text, such as "
            . "file_get_contents('php://input'), \$request->getContent() or (string) \$request->getBody(), before "
            . 'anything parses it.',
        );
    }

    /**
     * @param string|array<array-key, mixed> $secrets
     * @return array<string, string> the bytes that sign, by the text that signs
     */
    private static function keys(#[\SensitiveParameter] string|array $secrets): array
    {
        $keys = [];
        foreach (\is_array($secrets) ? $secrets : [$secrets] as $secret) {
            $isSecret = \is_string($secret) && str_starts_with($secret, self::PREFIX);
            $key = $isSecret ? base64_decode(substr($secret, \strlen(self::PREFIX)), true) : false;
            if ($key === false || $key === '') {
                throw self::refusal(
                    'secret_invalid',
                    "A webhook endpoint's secret begins with whsec_. This one is something else.",
                );
            }
            $keys[(string) $secret] = $key;
        }
        if ($keys === []) {
            throw self::refusal('secret_missing', "Give the webhook endpoint's secret.");
        }
        return $keys;
    }

    /**
     * @param array<array-key, mixed>|MessageInterface $headers
     * @return array<string, string> by lower-case name
     */
    private static function headers(array|MessageInterface $headers): array
    {
        $found = [];
        foreach ($headers instanceof MessageInterface ? $headers->getHeaders() : $headers as $name => $value) {
            // $_SERVER writes `HTTP_WEBHOOK_ID`.
            $plain = str_replace('_', '-', strtolower((string) $name));
            $plain = str_starts_with($plain, 'http-') ? substr($plain, 5) : $plain;
            $values = array_filter(\is_array($value) ? $value : [$value], is_string(...));
            if ($values !== []) {
                $found[$plain] = implode(', ', $values);
            }
        }
        return $found;
    }

    /** @param array<string, string> $headers */
    private static function checkPresence(array $headers): string
    {
        if (($headers['webhook-id'] ?? '') === '' || ($headers['webhook-signature'] ?? '') === '') {
            throw self::refusal(
                'signature_missing',
                'The request has no webhook-id and webhook-signature: it is no delivery of Junction\'s.',
            );
        }
        $timestamp = $headers['webhook-timestamp'] ?? '';
        if ($timestamp === '') {
            throw self::refusal('timestamp_missing', 'The request has no webhook-timestamp.');
        }
        if (preg_match('/^\d+$/D', $timestamp) !== 1) {
            throw self::refusal('timestamp_invalid', 'webhook-timestamp is no whole number of seconds.');
        }
        return $timestamp;
    }

    /**
     * @param array<string, string> $headers
     * @param array<string, string> $keys
     */
    private static function checkSignatures(string $body, array $headers, #[\SensitiveParameter] array $keys): void
    {
        $signed = "{$headers['webhook-id']}.{$headers['webhook-timestamp']}.{$body}";
        $signatures = array_filter(
            explode(' ', $headers['webhook-signature']),
            static fn(string $signature): bool => str_starts_with($signature, 'v1,'),
        );
        $older = $headers['x-service-signature'] ?? null;
        $isRight = false;
        // While a secret is being changed this one is the new secret's, which the receiver may not have yet.
        $isOlderRight = $older === null || \count($signatures) > 1;
        foreach ($keys as $text => $key) {
            foreach ($signatures as $signature) {
                $isRight = hash_equals(self::standard($signed, $key), $signature) || $isRight;
            }
            $isOlderRight = hash_equals(hash_hmac('sha256', $body, $text), $older ?? '') || $isOlderRight;
        }
        if (!$isRight || !$isOlderRight) {
            throw self::refusal(
                'signature_invalid',
                'No signature matches: the secret is another endpoint\'s, or the body is not the bytes that came.',
            );
        }
    }

    private static function standard(string $signed, #[\SensitiveParameter] string $key): string
    {
        return 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    }

    private static function refusal(string $reason, string $message): WebhookVerificationException
    {
        return new WebhookVerificationException($reason, $message);
    }
}
