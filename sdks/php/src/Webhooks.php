<?php

declare(strict_types=1);

namespace Junction;

use Junction\Exception\ConfigurationException;
use Junction\Exception\WebhookVerificationException;
use Junction\Type\WebhookMessage;
use Psr\Http\Message\MessageInterface;

/**
 * Verifies that a request is a delivery of Junction, and signs deliveries for tests. Requires neither a client nor
 * an API key.
 *
 *     $message = Junction\Webhooks::verify(file_get_contents('php://input'), getallheaders(), $secret);
 */
final class Webhooks
{
    private const PREFIX = 'whsec_';
    private const PUBLIC_PREFIX = 'whpk_';

    /**
     * Checks both signatures in constant time: `webhook-signature`, which also covers the id and the time, and
     * `X-Service-Signature`. Then checks the time and the body.
     *
     * @param mixed $rawBody the raw body as a string: after parsing and serializing, its bytes differ
     * @param iterable<array-key, mixed>|MessageInterface|null $headers as getallheaders(), $_SERVER, Symfony,
     *     Laravel or PSR-7 have them, or pairs of names and values
     * @param string|list<string>|null $secrets the endpoint's secret; during a rotation, the old and the new one. A
     *     public key (`whpk_`) verifies the Ed25519 signatures of an endpoint that has them
     * @param int $tolerance the maximum difference of the time in seconds
     * @param ?int $now the current Unix time in seconds, for tests
     * @throws WebhookVerificationException
     */
    public static function verify(
        mixed $rawBody,
        iterable|MessageInterface|null $headers,
        #[\SensitiveParameter]
        string|array|null $secrets,
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
                "The delivery's timestamp is more than {$tolerance} seconds from now.",
            );
        }
        $data = json_decode($body, true, 512, JSON_BIGINT_AS_STRING);
        if (!\is_array($data) || array_is_list($data)) {
            throw self::refusal('body_invalid', 'The body is signed, but is not a JSON object.');
        }
        return new WebhookMessage($data);
    }

    /**
     * Returns the headers with which {@see self::verify()} accepts a body, for tests of a receiver.
     *
     * @param string|list<string> $secrets several during a rotation, the newest first
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
            "The body is {$given}, but the signature covers the exact received bytes. Pass the raw text, such as "
            . "file_get_contents('php://input'), \$request->getContent() or (string) \$request->getBody(), before "
            . 'it is parsed.',
        );
    }

    /**
     * @param string|array<array-key, mixed>|null $secrets
     * @return array<string, string> the bytes that sign, by the text that signs
     */
    private static function keys(#[\SensitiveParameter] string|array|null $secrets): array
    {
        $keys = [];
        $texts = \is_array($secrets) ? $secrets : [$secrets];
        if ($texts === [] || \in_array(null, $texts, true)) {
            throw self::refusal(
                'secret_missing',
                "The webhook endpoint's secret is missing. Pass the text that begins with whsec_.",
            );
        }
        foreach ($texts as $given) {
            // A file has the end of its line.
            $secret = \is_string($given) ? trim($given) : $given;
            if (\is_string($secret) && str_starts_with($secret, self::PUBLIC_PREFIX)) {
                $keys[$secret] = self::publicKey($secret);
                continue;
            }
            $isSecret = \is_string($secret) && str_starts_with($secret, self::PREFIX);
            $key = $isSecret ? base64_decode(substr($secret, \strlen(self::PREFIX)), true) : false;
            if ($key === false || $key === '') {
                throw self::refusal(
                    'secret_invalid',
                    "The secret must be whsec_ followed by base64, as shown for the endpoint.",
                );
            }
            $keys[(string) $secret] = $key;
        }
        return $keys;
    }

    /**
     * @param iterable<array-key, mixed>|MessageInterface|null $headers
     * @return array<string, string> by lower-case name
     */
    private static function headers(iterable|MessageInterface|null $headers): array
    {
        $found = [];
        foreach ($headers instanceof MessageInterface ? $headers->getHeaders() : $headers ?? [] as $name => $value) {
            if (\is_int($name) && \is_array($value) && \count($value) === 2 && array_is_list($value)) {
                [$name, $value] = $value;
            }
            // $_SERVER writes `HTTP_WEBHOOK_ID`.
            $plain = str_replace('_', '-', strtolower(\is_string($name) ? $name : ''));
            $plain = str_starts_with($plain, 'http-') ? substr($plain, 5) : $plain;
            $texts = array_map(
                static fn(mixed $one): string => \is_string($one) || \is_int($one) ? (string) $one : '',
                \is_array($value) ? $value : [$value],
            );
            $found[$plain] = [...$found[$plain] ?? [], ...array_values(array_filter($texts, 'strlen'))];
        }
        return array_map(static fn(array $values): string => implode(', ', $values), array_filter($found));
    }

    /** @param array<string, string> $headers */
    private static function checkPresence(array $headers): string
    {
        if (($headers['webhook-id'] ?? '') === '' || ($headers['webhook-signature'] ?? '') === '') {
            throw self::refusal(
                'signature_missing',
                'webhook-id and webhook-signature are required. '
                    . 'Pass all headers of the request, such as getallheaders().',
            );
        }
        $timestamp = $headers['webhook-timestamp'] ?? '';
        if ($timestamp === '') {
            throw self::refusal('timestamp_missing', 'The request has no webhook-timestamp.');
        }
        if (preg_match('/^\d+$/D', $timestamp) !== 1) {
            throw self::refusal('timestamp_invalid', 'webhook-timestamp must be Unix time in whole seconds.');
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
            // Repeated headers are joined by commas, by some gateways without a space.
            preg_split('/,?\s+|,(?=v1a?,)/', $headers['webhook-signature']) ?: [],
            static fn(string $signature): bool => str_starts_with($signature, 'v1,'),
        );
        $older = $headers['x-service-signature'] ?? null;
        $isRight = false;
        // While a secret is being changed this one is the new secret's, which the receiver may not have yet.
        $isOlderRight = $older === null || \count($signatures) > 1;
        foreach ($keys as $text => $key) {
            if (str_starts_with($text, self::PUBLIC_PREFIX)) {
                if (self::isSignedBy($key, $signed, $headers['webhook-signature'])) {
                    return;
                }
                continue;
            }
            foreach ($signatures as $signature) {
                $isRight = hash_equals(self::standard($signed, $key), $signature) || $isRight;
            }
            $isOlderRight = hash_equals(hash_hmac('sha256', $body, $text), $older ?? '') || $isOlderRight;
        }
        if (!$isRight || !$isOlderRight) {
            throw self::refusal(
                'signature_invalid',
                'The signature does not match. The secret is wrong, or the body was changed.',
            );
        }
    }

    private static function publicKey(string $text): string
    {
        $key = base64_decode(substr($text, \strlen(self::PUBLIC_PREFIX)), true);
        if ($key === false || \strlen($key) !== 32) {
            throw self::refusal('secret_invalid', 'The public key must be whpk_ followed by 32 bytes in base64.');
        }
        if (!\function_exists('sodium_crypto_sign_verify_detached')) {
            throw new ConfigurationException('The extension sodium is required to verify with a public key.');
        }
        return $key;
    }

    private static function isSignedBy(string $key, string $signed, string $signatures): bool
    {
        foreach (preg_split('/,?\s+|,(?=v1a?,)/', $signatures) ?: [] as $signature) {
            $decoded = str_starts_with($signature, 'v1a,') ? base64_decode(substr($signature, 4), true) : false;
            if (
                $decoded !== false
                && \strlen($decoded) === 64
                && $key !== ''
                && sodium_crypto_sign_verify_detached($decoded, $signed, $key)
            ) {
                return true;
            }
        }
        return false;
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
