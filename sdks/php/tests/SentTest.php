<?php

declare(strict_types=1);

namespace Junction\Tests;

use Junction\Client;
use Junction\EventName;
use Junction\Exception\ConfigurationException;
use Junction\Testing\Fixtures;
use Junction\Testing\MockTransport;
use Junction\Type\DeliveryState;
use PHPUnit\Framework\TestCase;

/** How PHP's values are written. */
final class SentTest extends TestCase
{
    private MockTransport $mock;

    private Client $client;

    protected function setUp(): void
    {
        $this->mock = new MockTransport();
        $this->client = new Client(Fixtures::API_KEY, 'https://junction.test', httpClient: $this->mock);
    }

    public function testEmptyDataIsAnObject(): void
    {
        $this->client->events->fire('shop.opened', []);
        self::assertSame('{"event":"shop.opened","data":{}}', $this->body());
        $this->client->events->batch([
            ['event' => 'shop.opened', 'data' => []],
            ['event' => 'a.b', 'data' => ['list' => []]],
        ]);
        self::assertSame(
            '{"events":[{"event":"shop.opened","data":{}},{"event":"a.b","data":{"list":[]}}]}',
            $this->body(),
        );
    }

    public function testTimesEnumsAndNumbersAreWrittenAsTheContractHasThem(): void
    {
        $time = new \DateTimeImmutable('2026-11-21 14:00:00.25', new \DateTimeZone('+01:00'));
        $data = [
            'total' => 10.0,
            'at' => $time,
            'state' => DeliveryState::Failed,
            'text' => 'a/é😀',
            'deep' => ['at' => [$time]],
        ];
        $this->client->events->fire(EventName::OrderCreated, $data, occurredAt: $time);
        self::assertSame(
            '{"event":"order.created","data":{"total":10.0,"at":"2026-11-21T14:00:00.250+01:00","state":"failed",'
            . '"text":"a/é😀","deep":{"at":["2026-11-21T14:00:00.250+01:00"]}},'
            . '"occurred_at":"2026-11-21T14:00:00.250+01:00"}',
            $this->body(),
        );
    }

    public function testNullIsSentWhereItSaysSomething(): void
    {
        $this->client->webhookEndpoints->update('ep_1', rateLimitPerSecond: null);
        self::assertSame('{"rate_limit_per_second":null}', $this->body());
        $this->client->webhookEndpoints->update('ep_1', active: false, headers: []);
        self::assertSame('{"active":false,"headers":{}}', $this->body());
    }

    public function testBodyThatNeedNotBeIsLeftOut(): void
    {
        $this->client->keys->roll('key_1');
        self::assertSame('', $this->body());
        self::assertFalse($this->mock->last()?->hasHeader('Content-Type'));
        $this->client->keys->roll('key_1', overlapSeconds: 60);
        self::assertSame('{"overlap_seconds":60}', $this->body());
    }

    public function testQueryIsWrittenAsTheContractHasIt(): void
    {
        $this->client->deliveries->list(
            state: DeliveryState::Failed,
            event: EventName::InvoicePaid,
            createdAfter: new \DateTimeImmutable('2026-11-21T13:00:00Z'),
            q: 'a b&c',
            limit: 5,
        );
        self::assertSame(
            '/v1/deliveries?state=failed&event=invoice.paid&created_after=2026-11-21T13%3A00%3A00.000%2B00%3A00'
            . '&q=a%20b%26c&limit=5',
            $this->mock->last()?->getRequestTarget(),
        );
    }

    public function testWhatCannotBeSentIsRefusedBeforeItIs(): void
    {
        foreach ([
            fn() => $this->client->deliveries->list(state: DeliveryState::Unknown),
            fn() => $this->client->events->fire('a.b', ['x' => DeliveryState::Unknown]),
            fn() => $this->client->events->fire('a.b', ['x' => "\xff"]),
            fn() => $this->client->events->fire('a.b', ['x' => INF]),
        ] as $call) {
            try {
                $call();
                self::fail('It was sent.');
            } catch (ConfigurationException) {
                self::assertSame([], $this->mock->requests);
            }
        }
    }

    private function body(): string
    {
        return (string) $this->mock->last()?->getBody();
    }
}
