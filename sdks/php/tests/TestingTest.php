<?php

declare(strict_types=1);

namespace Junction\Tests;

use Junction\Client;
use Junction\Exception\ConfigurationException;
use Junction\Exception\ConnectionException;
use Junction\Exception\NotFoundException;
use Junction\Exception\ServerException;
use Junction\Exception\TimeoutException;
use Junction\Testing\FakeClock;
use Junction\Testing\Fixtures;
use Junction\Testing\MockTransport;
use PHPUnit\Framework\TestCase;

/** What the SDK gives to tests of other people's code. */
final class TestingTest extends TestCase
{
    public function testMockAnswersWhatItWasToldToThenTheContractsExample(): void
    {
        $mock = (new MockTransport())->answer(200, ['id' => 'con_7', 'name' => 'Ada']);
        $client = self::client($mock);
        self::assertSame('Ada', $client->customers->get('con_7')->name);
        self::assertStringStartsWith('con_', $client->customers->get('con_7')->id);
        self::assertSame('/v1/customers/con_7', $mock->requests[1]->getUri()->getPath());
    }

    public function testMockKeepsWhatWasSent(): void
    {
        $mock = new MockTransport();
        self::assertSame([], $mock->lastJson());
        self::client($mock)->events->fire('shop.opened', ['door' => 2]);
        self::assertSame(['event' => 'shop.opened', 'data' => ['door' => 2]], $mock->lastJson());
    }

    public function testMockFailsAsTheServiceWould(): void
    {
        foreach ([
            ServerException::class => (new MockTransport())->problem('service_unavailable'),
            ConnectionException::class => (new MockTransport())->unreachable(),
            TimeoutException::class => (new MockTransport())->timeout(),
        ] as $class => $mock) {
            try {
                self::client($mock)->me->get();
                self::fail('It succeeded.');
            } catch (ConnectionException|ServerException $error) {
                self::assertSame($class, $error::class);
            }
        }
    }

    public function testMockKnowsNoPathThatTheContractDoesNot(): void
    {
        $this->expectException(NotFoundException::class);
        self::client(new MockTransport())->request('GET', '/v1/nothing-here');
    }

    public function testClockPassesWhenSomebodySleeps(): void
    {
        $clock = new FakeClock(100.0, [0.1, 0.2]);
        $before = $clock->elapsed();
        $clock->sleep(2.5);
        self::assertSame(102.5, $clock->now());
        self::assertGreaterThanOrEqual(2.5, $clock->elapsed() - $before);
        self::assertSame([0.1, 0.2, 0.2], [$clock->random(), $clock->random(), $clock->random()]);
    }

    public function testFixtureThatIsNoneIsRefused(): void
    {
        self::assertSame('Ada', Fixtures::answer('customers.get', ['name' => 'Ada'])['name']);
        $this->expectException(ConfigurationException::class);
        Fixtures::answer('customers.dance');
    }

    private static function client(MockTransport $mock): Client
    {
        return new Client(Fixtures::API_KEY, 'https://junction.test', maxRetries: 0, httpClient: $mock);
    }
}
