<?php

declare(strict_types=1);

namespace Junction\Tests;

use Junction\Client;
use Junction\ErrorCode;
use Junction\Exception\ServiceException;
use Junction\Retry;
use Junction\Testing\Fixtures;
use Junction\Testing\MockTransport;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class ErrorsTest extends TestCase
{
    /** @return iterable<string, array{array<string, mixed>}> */
    public static function answers(): iterable
    {
        return Vectors::named(Vectors::read('errors')['cases']);
    }

    /** @param array<string, mixed> $case */
    #[DataProvider('answers')]
    public function testAnswerBecomesTheErrorThatTheVectorSays(array $case): void
    {
        $mock = (new MockTransport())->answer($case['status'], headers: $case['headers'], text: $case['body']);
        $client = new Client(Fixtures::API_KEY, 'https://junction.test', maxRetries: 0, httpClient: $mock);
        try {
            $client->events->fire('order.created', []);
            self::fail('It was taken for a success.');
        } catch (ServiceException $error) {
            self::assertSame(Classes::OF[$case['class']], $error::class);
            self::assertSame($case['code'], $error->errorCode);
            self::assertSame($case['status'], $error->status);
            self::assertSame($case['retry'], Retry::canHelp($error));
            self::assertSame($case['body'], $error->raw);
            if (isset($case['message'])) {
                self::assertSame($case['message'], $error->getMessage());
            }
        }
    }

    public function testCodesOfTheCatalogueAreConstants(): void
    {
        self::assertSame('rate_limited', ErrorCode::RATE_LIMITED);
        self::assertGreaterThan(40, \count((new \ReflectionClass(ErrorCode::class))->getConstants()));
    }
}
