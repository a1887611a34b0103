<?php

declare(strict_types=1);

namespace Junction\Tests;

use Junction\Api;
use Junction\CallOptions;
use Junction\Client;
use Junction\EventName;
use Junction\Exception\ConfigurationException;
use Junction\Exception\ConnectionException;
use Junction\Exception\RateLimitException;
use Junction\Exception\TimeoutException;
use Junction\Http\CurlClient;
use Junction\Signing;
use Junction\Testing\FakeClock;
use Junction\Testing\Fixtures;
use Junction\Testing\MockTransport;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class ClientTest extends TestCase
{
    private const KEY = Fixtures::API_KEY;

    private const URL = 'https://junction.test';

    protected function tearDown(): void
    {
        foreach (['JUNCTION_API_KEY', 'JUNCTION_BASE_URL', 'JUNCTION_SIGNING_SECRET'] as $name) {
            putenv($name);
            unset($_ENV[$name], $_SERVER[$name]);
        }
    }

    /** @return iterable<string, array{\Closure(string, string): void}> */
    public static function environments(): iterable
    {
        yield 'of the process' => [static function (string $name, string $value): void {
            putenv("{$name}={$value}");
        }];
        yield 'of a .env file, in $_ENV' => [static function (string $name, string $value): void {
            $_ENV[$name] = $value;
        }];
        yield 'of a web server, in $_SERVER' => [static function (string $name, string $value): void {
            $_SERVER[$name] = $value;
        }];
    }

    /** @param \Closure(string, string): void $set */
    #[DataProvider('environments')]
    public function testWhatIsNotGivenIsTakenFromTheEnvironment(\Closure $set): void
    {
        $set('JUNCTION_API_KEY', Fixtures::API_KEY);
        $set('JUNCTION_BASE_URL', 'https://junction.example/below/');
        $set('JUNCTION_SIGNING_SECRET', 'whsec_c2VjcmV0');
        $mock = new MockTransport();
        (new Client(httpClient: $mock))->me->get();
        [$request] = $mock->requests;
        self::assertSame('Bearer ' . Fixtures::API_KEY, $request->getHeaderLine('Authorization'));
        self::assertSame('https://junction.example/below/v1/me', (string) $request->getUri());
        $timestamp = (int) $request->getHeaderLine('X-Service-Timestamp');
        $text = Signing::stringToSign($timestamp, 'GET', '/below/v1/me', '', '');
        self::assertSame(Signing::sign('whsec_c2VjcmV0', $text), $request->getHeaderLine('X-Service-Signature'));
    }

    public function testWithoutAKeyItSaysWhereToPutOne(): void
    {
        $this->expectException(ConfigurationException::class);
        $this->expectExceptionMessage('The API key is missing. Pass apiKey, or set JUNCTION_API_KEY.');
        new Client(baseUrl: self::URL);
    }

    public function testWithoutABaseUrlTheServiceOfThisMachineIsCalled(): void
    {
        $mock = new MockTransport();
        (new Client(self::KEY, httpClient: $mock))->me->get();
        self::assertSame('http://127.0.0.1:4000/v1/me', (string) $mock->last()?->getUri());
    }

    /** @return iterable<string, array{array<string, mixed>}> */
    public static function keys(): iterable
    {
        return Vectors::named(Vectors::read('keys')['cases']);
    }

    /** @param array<string, mixed> $case */
    #[DataProvider('keys')]
    public function testKeyIsTakenOrRefusedAsTheVectorSays(array $case): void
    {
        if (!$case['ok']) {
            $this->expectException(ConfigurationException::class);
            $this->expectExceptionMessageMatches('/^(?!.*' . preg_quote($case['key'], '/') . ')/');
        }
        self::assertInstanceOf(Client::class, new Client($case['key']));
    }

    public function testKeyWithASigningSecretNeedNotBeSent(): void
    {
        putenv('JUNCTION_API_KEY=' . Fixtures::API_KEY);
        $mock = new MockTransport();
        $client = new Client(
            baseUrl: self::URL,
            signingSecret: 'whsec_c2VjcmV0',
            httpClient: $mock,
            clock: new FakeClock(1_763_701_200.0),
            keyId: 'key_1',
        );
        $client->me->get();
        self::assertSame('key_1', $mock->last()?->getHeaderLine('X-Service-Key'));
        self::assertFalse($mock->last()->hasHeader('Authorization'));
        $text = Signing::stringToSign(1_763_701_200, 'GET', '/v1/me', '', '');
        $signature = Signing::sign('whsec_c2VjcmV0', $text);
        self::assertSame($signature, $mock->last()->getHeaderLine('X-Service-Signature'));
        $this->expectException(ConfigurationException::class);
        $this->expectExceptionMessage('keyId requires a signature');
        new Client(baseUrl: self::URL, keyId: 'key_1');
    }

    /** @return iterable<string, array{string, bool}> */
    public static function baseUrls(): iterable
    {
        yield 'https' => ['https://junction.example.com', true];
        yield 'https with a port and a path' => ['https://junction.example.com:8443/below/', true];
        yield 'http to localhost' => ['http://localhost:4000', true];
        yield 'http to 127.0.0.1' => ['http://127.0.0.1:4000', true];
        yield 'http to another loopback address' => ['HTTP://127.8.9.1', true];
        yield 'http to [::1]' => ['http://[::1]:4000', true];
        yield 'http to a public name' => ['http://junction.example.com', false];
        yield 'http to a private address' => ['http://10.0.0.1', false];
        yield 'http to a name that begins like loopback' => ['http://127.0.0.1.example.com', false];
        yield 'http to a name that ends like it' => ['http://notlocalhost', false];
        yield 'another scheme' => ['ftp://junction.example.com', false];
        yield 'no scheme' => ['junction.example.com', false];
        yield 'user-info' => ['https://key@junction.example.com', false];
        yield 'a query' => ['https://junction.example.com?x=1', false];
        yield 'nothing' => ['', false];
    }

    #[DataProvider('baseUrls')]
    public function testKeyGoesOnlyWhereItIsSafe(string $url, bool $isTaken): void
    {
        if (!$isTaken) {
            $this->expectException(ConfigurationException::class);
        }
        self::assertInstanceOf(Client::class, new Client(self::KEY, $url));
    }

    /** @return iterable<string, array{array<string, mixed>}> */
    public static function badLimits(): iterable
    {
        yield 'a negative number of retries' => [['maxRetries' => -1]];
        yield 'no time for a try' => [['timeout' => 0.0]];
        yield 'an endless try' => [['timeout' => INF]];
        yield 'a deadline that is past' => [['deadline' => -1.0]];
        yield 'a deadline that is no number' => [['deadline' => NAN]];
    }

    /** @param array<string, mixed> $options */
    #[DataProvider('badLimits')]
    public function testLimitsThatAreNoneAreRefused(array $options): void
    {
        $mock = new MockTransport();
        $client = new Client(self::KEY, self::URL, httpClient: $mock);
        foreach ([
            static fn() => new Client(self::KEY, self::URL, ...$options),
            static fn() => $client->me->get(new CallOptions(...$options)),
        ] as $attempt) {
            try {
                $attempt();
                self::fail('They were taken.');
            } catch (ConfigurationException) {
                self::assertSame([], $mock->requests);
            }
        }
    }

    public function testCallSaysWhatItDoesDifferently(): void
    {
        $mock = (new MockTransport())->problem('rate_limited', headers: ['Retry-After' => '3'])->answer(204);
        $clock = new FakeClock();
        $client = new Client(
            self::KEY,
            self::URL,
            maxRetries: 0,
            headers: ['X-Team' => 'a'],
            httpClient: $mock,
            clock: $clock,
        );
        $options = new CallOptions('order-1', maxRetries: 1, headers: ['X-Trace' => 'b']);
        $info = $client->webhookEndpoints->delete('ep_1', $options);
        self::assertSame([3.0], $clock->sleeps);
        self::assertSame(2, $info->attempts);
        self::assertSame('order-1', $info->idempotencyKey);
        foreach ($mock->requests as $request) {
            self::assertSame('order-1', $request->getHeaderLine('Idempotency-Key'));
            self::assertSame(['a', 'b'], [$request->getHeaderLine('X-Team'), $request->getHeaderLine('X-Trace')]);
            self::assertSame(Api::VERSION, $request->getHeaderLine('X-Service-Version'));
            self::assertMatchesRegularExpression(
                '#^junction-php/\d+\.\d+\.\d+ PHP/8\.\d#',
                $request->getHeaderLine('User-Agent'),
            );
        }
    }

    /** @return iterable<string, array{CallOptions}> */
    public static function badOptions(): iterable
    {
        yield 'an idempotency key with a blank' => [new CallOptions('order 1')];
        yield 'an empty idempotency key' => [new CallOptions('')];
        yield 'an idempotency key that is too long' => [new CallOptions(str_repeat('x', 256))];
        yield 'a credential of its own' => [new CallOptions(headers: ['authorization' => 'Bearer x'])];
        yield 'a signature of its own' => [new CallOptions(headers: ['X-Service-Signature' => 'x'])];
        yield 'a header with a line break' => [new CallOptions(headers: ['X-A' => "a\r\nX-B: b"])];
    }

    #[DataProvider('badOptions')]
    public function testOptionsThatCannotBeSentAreRefused(CallOptions $options): void
    {
        $mock = new MockTransport();
        $this->expectException(ConfigurationException::class);
        (new Client(self::KEY, self::URL, httpClient: $mock))->events->fire('a.b', [], options: $options);
    }

    public function testSkewIsKeptForLaterCalls(): void
    {
        $now = 1_763_701_200;
        $mock = (new MockTransport())->problem('timestamp_out_of_range', ['server_time' => $now + 3600]);
        $client = new Client(self::KEY, self::URL, httpClient: $mock, clock: new FakeClock((float) $now));
        $client->me->get();
        $client->me->get();
        $sent = array_map(static fn($request): string => $request->getHeaderLine(
            'X-Service-Timestamp',
        ), $mock->requests);
        self::assertSame([(string) $now, (string) ($now + 3600), (string) ($now + 3600)], $sent);
    }

    public function testEachTryIsSignedAfresh(): void
    {
        $mock = (new MockTransport())->problem('service_unavailable', headers: ['Retry-After' => '5']);
        $client = new Client(self::KEY, self::URL, httpClient: $mock, clock: new FakeClock(1_763_701_200.0));
        $client->events->fire('a.b', []);
        [$first, $second] = $mock->requests;
        self::assertSame('1763701200', $first->getHeaderLine('X-Service-Timestamp'));
        self::assertSame('1763701205', $second->getHeaderLine('X-Service-Timestamp'));
        self::assertNotSame(
            $first->getHeaderLine('X-Service-Signature'),
            $second->getHeaderLine('X-Service-Signature'),
        );
        self::assertSame($first->getHeaderLine('Idempotency-Key'), $second->getHeaderLine('Idempotency-Key'));
    }

    public function testDeadlineLeavesRoomForNoFurtherTry(): void
    {
        $mock = (new MockTransport())->timeout()->timeout()->timeout();
        $clock = new FakeClock(randoms: [1.0]);
        $client = new Client(self::KEY, self::URL, maxRetries: 9, deadline: 1.0, httpClient: $mock, clock: $clock);
        try {
            $client->me->get();
            self::fail('It succeeded.');
        } catch (TimeoutException $error) {
            self::assertSame([0.5], $clock->sleeps);
            self::assertSame(2, $error->attempts);
        }
    }

    public function testRetryAfterOfAProxyMayBeADate(): void
    {
        $date = gmdate('D, d M Y H:i:s \G\M\T', time() + 3600);
        $mock = (new MockTransport())->problem('rate_limited', headers: ['Retry-After' => $date]);
        try {
            (new Client(self::KEY, self::URL, httpClient: $mock))->me->get();
            self::fail('It succeeded.');
        } catch (RateLimitException $error) {
            self::assertEqualsWithDelta(3600, $error->retryAfter, 5);
            self::assertSame(1, $error->attempts);
        }
    }

    public function testAnyClientOfPsr18Serves(): void
    {
        $mock = new MockServer();
        ['id' => $run, 'base_url' => $url] = $mock->start('redirect_refused');
        $client = new Client(Vectors::read('scenarios')['key'], $url, httpClient: new \GuzzleHttp\Client());
        try {
            $client->events->fire(EventName::OrderCreated, ['order' => ['external_id' => '10482']]);
            self::fail('The redirect was followed.');
        } catch (ConnectionException $error) {
            self::assertSame('redirect_refused', $error->errorCode);
        }
        ['requests' => [$request]] = $mock->run($run);
        self::assertSame('valid', $request['signature']);
    }

    public function testConnectionIsKeptBetweenCallsAndNotSharedWithAFork(): void
    {
        $answer = ['json' => ['id' => 'con_1']];
        $mock = new MockServer();
        ['base_url' => $url] = $mock->script([$answer, $answer, $answer]);
        $client = new Client(self::KEY, $url, sign: false, httpClient: $transport = new CurlClient());
        $client->customers->get('con_1');
        $client->customers->get('con_1');
        $handle = new \ReflectionProperty($transport, 'handle');
        self::assertSame(0, curl_getinfo($handle->getValue($transport), CURLINFO_NUM_CONNECTS));
        $process = new \ReflectionProperty($transport, 'process');
        $process->setValue($transport, (int) getmypid() + 1);
        $before = $handle->getValue($transport);
        $client->customers->get('con_1');
        self::assertNotSame($before, $handle->getValue($transport));
    }

    public function testWithoutRetriesNothingBelowSendsTwice(): void
    {
        $answer = ['json' => ['id' => 'con_1']];
        ['base_url' => $url] = (new MockServer())->script([$answer, $answer]);
        $client = new Client(self::KEY, $url, maxRetries: 0, sign: false, httpClient: $transport = new CurlClient());
        $client->customers->get('con_1');
        $client->customers->get('con_1');
        $handle = (new \ReflectionProperty($transport, 'handle'))->getValue($transport);
        self::assertSame(1, curl_getinfo($handle, CURLINFO_NUM_CONNECTS));
    }

    public function testRequestTakesAnyPathAndGivesWhatCame(): void
    {
        $mock = (new MockTransport())->answer(200, headers: ['Content-Type' => 'text/csv'], text: "a,b\n");
        $client = new Client(self::KEY, self::URL, httpClient: $mock);
        $answer = $client->request('get', '/v1/audit/export.csv?from=1', ['to' => 2]);
        self::assertSame([null, "a,b\n"], [$answer->data, $answer->body]);
        self::assertSame('/v1/audit/export.csv?from=1&to=2', $mock->requests[0]->getRequestTarget());
        $client->request('POST', '/v1/events/fire', body: '{"event":"a.b","data":{"big":12345678901234567890}}');
        self::assertStringContainsString('12345678901234567890', (string) $mock->requests[1]->getBody());
    }

    /** @return iterable<string, array{string}> */
    public static function badPaths(): iterable
    {
        yield 'a whole URL' => ['https://elsewhere.example/v1'];
        yield 'a URL without its scheme' => ['//elsewhere.example/v1'];
        yield 'no slash' => ['v1/me'];
        yield 'a blank' => ['/v1/a b'];
        yield 'a line break' => ["/v1/a\r\nX: y"];
        yield 'a fragment' => ['/v1/me#x'];
    }

    #[DataProvider('badPaths')]
    public function testRequestStaysWithTheService(string $path): void
    {
        $this->expectException(ConfigurationException::class);
        (new Client(self::KEY, self::URL, httpClient: new MockTransport()))->request('GET', $path);
    }

    /** @return iterable<string, array{string}> */
    public static function badIds(): iterable
    {
        yield 'nothing' => [''];
        yield 'a dot' => ['.'];
        yield 'two dots' => ['..'];
    }

    #[DataProvider('badIds')]
    public function testIdThatWouldNameAnotherPathIsRefused(string $id): void
    {
        $this->expectException(ConfigurationException::class);
        (new Client(self::KEY, self::URL, httpClient: new MockTransport()))->customers->get($id);
    }
}
