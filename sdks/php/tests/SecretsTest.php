<?php

declare(strict_types=1);

namespace Junction\Tests;

use Junction\Client;
use Junction\EventName;
use Junction\Exception\ConfigurationException;
use Junction\Exception\ServiceException;
use Junction\Http\Request;
use Junction\Psr15\VerifyWebhook;
use Junction\Testing\MockTransport;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;

/** The key is in nothing that a program prints, logs or stores. */
final class SecretsTest extends TestCase
{
    private const KEY = 'jn_live_9hT2mQe7xR4vK1pZ8cW6nB3yL5sD0fGaJuEo3kQ1xM741e8TL';

    private const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';

    protected function setUp(): void
    {
        // As a developer's machine has it: traces then hold the arguments.
        ini_set('zend.exception_ignore_args', '0');
        ini_set('zend.exception_string_param_max_len', '1000');
    }

    /** @return iterable<string, array{object}> */
    public static function holders(): iterable
    {
        $client = self::client(new MockTransport());
        yield 'the client' => [$client];
        yield 'a resource' => [$client->events];
        $headers = ['Authorization' => 'Bearer ' . self::KEY];
        yield 'a request' => [new Request('GET', 'https://junction.test/v1/me', $headers)];
        yield 'the PSR-15 helper' => [new VerifyWebhook(self::SECRET)];
    }

    #[DataProvider('holders')]
    public function testDumpsHideIt(object $holder): void
    {
        ob_start();
        var_dump($holder);
        print_r($holder);
        var_export($holder);
        print_r((array) $holder);
        echo json_encode($holder, JSON_PARTIAL_OUTPUT_ON_ERROR);
        self::assertHides((string) ob_get_clean());
    }

    #[DataProvider('holders')]
    public function testSerializingIsRefused(object $holder): void
    {
        try {
            self::assertHides(serialize($holder));
        } catch (\Exception $refusal) {
            self::assertStringContainsString('is not allowed', $refusal->getMessage());
            self::assertHides((string) $refusal);
        }
    }

    /** @return iterable<string, array{\Closure(): mixed}> */
    public static function failures(): iterable
    {
        yield 'a refusal of the service' => [
            static fn() => self::client((new MockTransport())->problem('key_revoked'))->me->get(),
        ];
        yield 'no connection' => [
            static fn() => (new Client(self::KEY, 'http://127.0.0.1:1', maxRetries: 0))->events->fire(
                EventName::OrderPaid,
                [],
            ),
        ];
        yield 'an exception of another client, which holds the request and quotes the key' => [
            static fn() => self::client(self::leaky())->me->get(),
        ];
        yield 'a base URL that is none' => [static fn() => new Client(self::KEY, 'nowhere', self::SECRET)];
        yield 'a key with a line break' => [static fn() => new Client(self::KEY . "\n", 'https://junction.test')];
        yield 'a body that is no JSON' => [
            static fn() => self::client(new MockTransport())->events->fire('a.b', ['x' => NAN]),
        ];
    }

    /** @param \Closure(): mixed $fail */
    #[DataProvider('failures')]
    public function testExceptionsHideIt(\Closure $fail): void
    {
        try {
            $fail();
            self::fail('Nothing was thrown.');
        } catch (ServiceException|ConfigurationException $exception) {
            ob_start();
            echo $exception, $exception->getMessage(), $exception->getTraceAsString();
            self::walk($exception);
            self::assertHides((string) ob_get_clean());
        }
    }

    /** Prints an exception with its trace's arguments, but not this test, whose constants are the secrets. */
    private static function walk(\Throwable $exception): void
    {
        foreach ($exception->getTrace() as $frame) {
            if (
                str_starts_with($frame['class'] ?? '', 'Junction\\') && !str_starts_with($frame['class'], __NAMESPACE__)
            ) {
                var_dump($frame['args'] ?? []);
            }
        }
        var_dump(get_object_vars($exception));
        if ($exception->getPrevious() !== null) {
            self::walk($exception->getPrevious());
        }
    }

    private static function client(ClientInterface $transport): Client
    {
        return new Client(self::KEY, 'https://junction.test', self::SECRET, maxRetries: 0, httpClient: $transport);
    }

    private static function leaky(): ClientInterface
    {
        return new class implements ClientInterface {
            public function sendRequest(RequestInterface $request): ResponseInterface
            {
                $message = 'could not send ' . $request->getHeaderLine('Authorization');
                throw new class($message, $request) extends \RuntimeException implements ClientExceptionInterface {
                    public function __construct(
                        string $message,
                        public readonly RequestInterface $request,
                    ) {
                        parent::__construct($message);
                    }
                };
            }
        };
    }

    private static function assertHides(string $text): void
    {
        self::assertStringNotContainsString(substr(self::KEY, 8, 20), $text);
        self::assertStringNotContainsString(substr(self::SECRET, 6, 20), $text);
        self::assertStringNotContainsString(substr(base64_encode(self::KEY), 4, 20), $text);
    }
}
