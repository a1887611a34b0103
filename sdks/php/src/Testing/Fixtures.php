<?php

declare(strict_types=1);

namespace Junction\Testing;

use Junction\EventName;
use Junction\Exception\ConfigurationException;
use Junction\SystemEventName;

/**
 * Examples from the published contract: the response of each operation, the data of each event, and each error.
 *
 * @phpstan-type Operation array{method: string, path: string, status: int, body: mixed}
 * @phpstan-type Examples array<string, array<array-key, mixed>>
 * @phpstan-type Contract array{operations: array<string, Operation>, events: Examples, errors: Examples}
 */
final class Fixtures
{
    /** A well-formed API key that no service accepts. */
    public const API_KEY = 'jn_test_00000000000000000000000000000000000000000002X4FHy';

    /** @var ?Contract */
    private static ?array $all = null;

    /**
     * Returns the response of an operation, such as `events.fire`.
     *
     * @param array<array-key, mixed> $changes members that replace those of the example
     * @return array<array-key, mixed>
     */
    public static function answer(string $operation, array $changes = []): array
    {
        $example = self::find('operations', $operation)['body'] ?? [];
        return array_replace_recursive(\is_array($example) ? $example : [], $changes);
    }

    /**
     * Returns the `data` of an event.
     *
     * @param array<array-key, mixed> $changes members that replace those of the example
     * @return array<array-key, mixed>
     */
    public static function eventData(EventName|SystemEventName|string $event, array $changes = []): array
    {
        return array_replace_recursive(self::find('events', \is_string($event) ? $event : $event->value), $changes);
    }

    /**
     * Returns the body of a delivery, for a signature by {@see \Junction\Webhooks::sign()}.
     *
     * @param ?array<array-key, mixed> $data default: the contract's example
     */
    public static function delivery(EventName|SystemEventName|string $event, ?array $data = null): string
    {
        $name = \is_string($event) ? $event : $event->value;
        return json_encode(
            [
                'event' => $name,
                'delivery_id' => 'dlv_test',
                'idempotency_key' => 'idk_test',
                'id' => 'evt_test',
                'type' => $name,
                'timestamp' => '2026-11-21T13:00:00.000Z',
                'scope_kind' => 'workspace',
                'scope_key' => 'ws_test',
                'environment' => 'sandbox',
                'data' => (object) ($data ?? self::eventData($name)),
                'signature' => '',
            ],
            JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE,
        );
    }

    /**
     * Returns the problem document of an error, such as `rate_limited`.
     *
     * @param array<array-key, mixed> $changes
     * @return array<array-key, mixed>
     */
    public static function problem(string $code, array $changes = []): array
    {
        $error = self::find('errors', $code);
        return [
            'type' => "https://junction.example.com/docs/errors/{$code}",
            'title' => $error['title'] ?? '',
            'status' => $error['status'] ?? 500,
            'code' => $code,
            'detail' => $error['title'] ?? '',
            'instance' => '/v1',
            'request_id' => 'req_test',
            'retryable' => $error['retryable'] ?? false,
            'errors' => [],
            ...$changes,
        ];
    }

    /**
     * The operation that a request is for, with its status and body.
     *
     * @return ?array{status: int, body: mixed}
     *
     * @internal
     */
    public static function route(string $method, string $path): ?array
    {
        $best = null;
        foreach (self::all()['operations'] as $operation) {
            $pattern = preg_replace('/\\\{[^}]+\\\}/', '[^/]+', preg_quote($operation['path'], '#'));
            $isIt = $operation['method'] === $method && preg_match("#{$pattern}\$#D", $path) === 1;
            // `/v1/workflows/runs/{id}` before `/v1/{…}`: the one with fewer variables.
            if ($isIt && ($best === null || substr_count($operation['path'], '{') < substr_count($best['path'], '{'))) {
                $best = $operation;
            }
        }
        return $best === null ? null : ['status' => $best['status'], 'body' => $best['body']];
    }

    /** @return array<array-key, mixed> */
    private static function find(string $kind, string $name): array
    {
        $found = self::all()[$kind][$name] ?? null;
        return \is_array($found)
            ? $found
            : throw new ConfigurationException("The contract has no {$kind} named {$name}.");
    }

    /** @return Contract */
    private static function all(): array
    {
        if (self::$all === null) {
            $file = __DIR__ . '/../../generated/fixtures.json';
            /** @var Contract $all */
            $all = json_decode((string) file_get_contents($file), true, 512, JSON_THROW_ON_ERROR);
            self::$all = $all;
        }
        return self::$all;
    }
}
