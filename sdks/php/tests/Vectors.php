<?php

declare(strict_types=1);

namespace Junction\Tests;

/** The files of conformance/, which all SDKs share. */
final class Vectors
{
    /** @return array<string, mixed> */
    public static function read(string $name): array
    {
        $file = \dirname(__DIR__, 3) . "/conformance/{$name}.json";
        // A float for what an integer cannot hold would hide a difference.
        return json_decode((string) file_get_contents($file), true, 512, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
    }

    /**
     * @param list<array<string, mixed>> $cases
     * @return iterable<string, array{array<string, mixed>}>
     */
    public static function named(array $cases, string $member = 'name'): iterable
    {
        foreach ($cases as $index => $case) {
            $name = \is_string($case[$member] ?? null) ? $case[$member] : '';
            yield $name === '' || $member !== 'name' ? trim("{$index} {$name}") : $name => [$case];
        }
    }
}
