<?php

declare(strict_types=1);

namespace Junction\Tests;

use Junction\Exception\RetryAfter;
use Junction\Retry;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class RetryTest extends TestCase
{
    /** @return iterable<string, array{array<string, mixed>}> */
    public static function waits(): iterable
    {
        return Vectors::named(Vectors::read('retries')['cases'], 'about');
    }

    /** @param array<string, mixed> $case */
    #[DataProvider('waits')]
    public function testWaitIsWhatTheVectorSays(array $case): void
    {
        $now = (new \DateTimeImmutable($case['now']))->getTimestamp();
        $retryAfter = $case['retry_after'] === null ? null : RetryAfter::seconds($case['retry_after'], $now);
        $wait = Retry::wait($case['retry'], (float) $case['random'], $retryAfter);
        self::assertSame(
            $case['wait_ms'] === null ? null : (float) $case['wait_ms'],
            $wait === null ? null : $wait * 1000,
        );
    }
}
