<?php

declare(strict_types=1);

namespace Junction\Tests;

use Junction\Answer;
use Junction\CallOptions;
use Junction\Client;
use Junction\Exception\ServiceException;
use Junction\Http\CurlClient;
use Junction\Model;
use Junction\Page;
use Junction\ResponseInfo;
use Junction\Testing\FakeClock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** The scenarios that all SDKs go through, each against the scripted server of conformance/. */
final class ScenariosTest extends TestCase
{
    private const CLIENT = ['max_retries', 'timeout_ms', 'deadline_ms', 'sign'];

    private const CALL = ['operation', 'path', 'query', 'body', 'idempotency_key', 'request', 'iterate', 'take'];

    private const EXPECT = [
        'requests',
        'waits_ms',
        'paths',
        'bodies',
        'signatures',
        'sent_headers',
        'sent_header_names',
        'idempotency_key',
        'same_idempotency_key',
        'result',
        'attempts',
        'replayed',
        'request_id',
        'page',
        'items',
        'error',
    ];

    private const ERROR = [
        'class',
        'code',
        'status',
        'attempts',
        'request_id',
        'retryable',
        'retry_after',
        'errors',
        'idempotency_key',
        'raw',
        'problem',
    ];

    /** What the call gave, or what it threw. */
    private Model|Page|ResponseInfo|Answer|ServiceException|null $outcome = null;

    /** @var list<string> the ids met while iterating */
    private array $items = [];

    /** @return iterable<string, array{array<string, mixed>}> */
    public static function scenarios(): iterable
    {
        return Vectors::named(Vectors::read('scenarios')['scenarios']);
    }

    /** @param array<string, mixed> $scenario */
    #[DataProvider('scenarios')]
    public function testClientDoesWhatTheScenarioSays(array $scenario): void
    {
        ['client' => $client, 'call' => $call, 'expect' => $expect] = $scenario + ['client' => []];
        self::assertSame([], array_diff(array_keys($client), self::CLIENT), 'unknown option of the client');
        self::assertSame([], array_diff(array_keys($call), self::CALL), 'unknown part of the call');
        self::assertSame([], array_diff(array_keys($expect), self::EXPECT), 'unknown expectation');

        $mock = new MockServer();
        ['id' => $run, 'base_url' => $url] = $mock->start($scenario['name']);
        $clock = new FakeClock(randoms: $scenario['random'] ?? [0.5]);
        $this->call(self::client($url, $client, $clock), $call);

        $requests = $mock->run($run)['requests'];
        $this->checkRequests($requests, $expect);
        $this->checkOutcome($expect);
        if (isset($expect['waits_ms'])) {
            $waits = array_map(static fn(float $seconds): float => round($seconds * 1000, 6), $clock->sleeps);
            self::assertSame(array_map(floatval(...), $expect['waits_ms']), $waits, 'waits');
        }
    }

    /** @param array<string, mixed> $options */
    private static function client(string $url, array $options, FakeClock $clock): Client
    {
        return new Client(...array_filter(
            [
                'apiKey' => Vectors::read('scenarios')['key'],
                'baseUrl' => $url,
                'maxRetries' => $options['max_retries'] ?? null,
                'timeout' => isset($options['timeout_ms']) ? $options['timeout_ms'] / 1000 : null,
                'deadline' => isset($options['deadline_ms']) ? $options['deadline_ms'] / 1000 : null,
                'sign' => $options['sign'] ?? null,
                'httpClient' => new CurlClient(),
                'clock' => $clock,
            ],
            static fn(mixed $value): bool => $value !== null,
        ));
    }

    /** @param array<string, mixed> $call */
    private function call(Client $client, array $call): void
    {
        try {
            $this->outcome = isset($call['request'])
                ? $client->request(
                    $call['request']['method'],
                    $call['request']['path'],
                    body: $call['request']['body'] ?? null,
                )
                : Operations::call(
                    $client,
                    $call['operation'],
                    $call['path'] ?? [],
                    [
                        ...($call['query'] ?? []),
                        ...($call['body'] ?? []),
                    ],
                    isset($call['idempotency_key']) ? new CallOptions(idempotencyKey: $call['idempotency_key']) : null,
                );
            if ($this->outcome instanceof Page && ($call['iterate'] ?? false)) {
                $this->iterate($this->outcome, $call['take'] ?? PHP_INT_MAX);
            }
        } catch (ServiceException $error) {
            $this->outcome = $error;
        }
    }

    /** @param Page<Model> $page */
    private function iterate(Page $page, int $take): void
    {
        foreach ($page as $index => $object) {
            self::assertSame(\count($this->items), $index);
            $this->items[] = $object->raw()['id'];
            if (\count($this->items) === $take) {
                return;
            }
        }
    }

    /**
     * @param list<array<string, mixed>> $requests
     * @param array<string, mixed> $expect
     */
    private function checkRequests(array $requests, array $expect): void
    {
        $keys = array_map(
            static fn(array $request): ?string => $request['headers']['idempotency-key'] ?? null,
            $requests,
        );
        $seen = [
            'requests' => \count($requests),
            'paths' => array_column($requests, 'path'),
            'signatures' => array_column($requests, 'signature'),
            'bodies' => array_map(static fn(array $request): mixed => $request['body'] === ''
                ? null
                : json_decode($request['body'], true), $requests),
        ];
        foreach ($seen as $name => $value) {
            if (isset($expect[$name])) {
                self::assertSame($expect[$name], $value, $name);
            }
        }
        foreach ($expect['sent_headers'] ?? [] as $name => $value) {
            self::assertSame($value, $requests[0]['headers'][$name] ?? null, $name);
        }
        foreach ($expect['sent_header_names'] ?? [] as $name) {
            self::assertArrayHasKey($name, $requests[0]['headers']);
        }
        if (($expect['idempotency_key'] ?? null) === 'uuid4') {
            self::assertMatchesRegularExpression(
                '/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/D',
                (string) $keys[0],
            );
        } elseif (\array_key_exists('idempotency_key', $expect)) {
            self::assertSame($expect['idempotency_key'], $keys[0]);
        }
        if ($expect['same_idempotency_key'] ?? false) {
            self::assertCount(1, array_unique($keys));
            self::assertSame($keys[0], $this->info()->idempotencyKey);
        }
    }

    /** @param array<string, mixed> $expect */
    private function checkOutcome(array $expect): void
    {
        if (isset($expect['error'])) {
            $this->checkError($expect['error']);
        } else {
            $failure = $this->outcome instanceof ServiceException ? (string) $this->outcome : '';
            self::assertSame('', $failure);
        }
        if (isset($expect['result'])) {
            self::assertHolds(
                $expect['result'],
                $this->outcome instanceof Model ? $this->outcome->raw() : $this->outcome?->data,
            );
        }
        if (isset($expect['page'])) {
            self::assertInstanceOf(Page::class, $this->outcome);
            self::assertSame($expect['page'], [
                'ids' => array_map(static fn(Model $object): string => $object->raw()['id'], $this->outcome->data),
                'has_more' => $this->outcome->hasMore,
                'next_cursor' => $this->outcome->nextCursor,
            ]);
        }
        if (isset($expect['items'])) {
            self::assertSame($expect['items'], $this->items);
        }
        if (isset($expect['attempts'])) {
            self::assertSame($expect['attempts'], $this->info()->attempts);
        }
        if (isset($expect['replayed'])) {
            self::assertSame($expect['replayed'], $this->info()->replayed);
        }
        if (isset($expect['request_id'])) {
            self::assertSame($expect['request_id'], $this->info()->requestId);
        }
    }

    /** @param array<string, mixed> $expect */
    private function checkError(array $expect): void
    {
        self::assertSame([], array_diff(array_keys($expect), self::ERROR), 'unknown expectation of the error');
        $error = $this->outcome;
        self::assertInstanceOf(ServiceException::class, $error);
        self::assertSame(Classes::OF[$expect['class']], $error::class);
        $errors = array_map(static fn($violation): array => [
            'pointer' => $violation->pointer,
            'code' => $violation->code,
            'message' => $violation->message,
        ], $error->errors);
        $seen = [
            'code' => $error->errorCode,
            'status' => $error->status,
            'attempts' => $error->attempts,
            'request_id' => $error->requestId,
            'retryable' => $error->retryable,
            'retry_after' => $error->retryAfter,
            'errors' => $errors,
            'idempotency_key' => $error->idempotencyKey,
            'raw' => $error->raw,
        ];
        foreach ($seen as $name => $value) {
            if (\array_key_exists($name, $expect)) {
                self::assertSame($expect[$name], $value, $name);
            }
        }
        self::assertHolds($expect['problem'] ?? [], $error->problem);
    }

    private function info(): ResponseInfo|ServiceException
    {
        $info = match (true) {
            $this->outcome instanceof ResponseInfo, $this->outcome instanceof ServiceException => $this->outcome,
            default => $this->outcome?->response(),
        };
        self::assertNotNull($info);
        return $info;
    }

    /** The actual value holds the expected one, members within members, and may hold more. */
    private static function assertHolds(mixed $expected, mixed $actual): void
    {
        if (!\is_array($expected) || !\is_array($actual)) {
            self::assertSame($expected, $actual);
            return;
        }
        foreach ($expected as $name => $value) {
            self::assertArrayHasKey($name, $actual);
            self::assertHolds($value, $actual[$name]);
        }
    }
}
