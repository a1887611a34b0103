<?php

declare(strict_types=1);

namespace Junction\Tests;

use Junction\Signing;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class SigningTest extends TestCase
{
    /** @return iterable<string, array{array<string, mixed>}> */
    public static function requests(): iterable
    {
        return Vectors::named(Vectors::read('signing')['request']['cases'], 'target');
    }

    /** @param array<string, mixed> $case */
    #[DataProvider('requests')]
    public function testRequestIsSignedAsTheVectorSays(array $case): void
    {
        ['key' => $key, 'timestamp' => $timestamp] = Vectors::read('signing')['request'];
        $text = Signing::stringToSign(
            $timestamp,
            $case['method'],
            $case['target'],
            $case['idempotency_key'],
            $case['body'],
        );
        self::assertSame($case['string_to_sign'], $text);
        self::assertSame($case['v1'], Signing::sign($key, $text));
    }
}
