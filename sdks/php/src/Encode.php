<?php

declare(strict_types=1);

namespace Junction;

use Junction\Exception\ConfigurationException;

/**
 * Writes what is sent: JSON bodies and queries.
 *
 * @internal
 */
final class Encode
{
    private const JSON =
        JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION;

    private const TIME = 'Y-m-d\TH:i:s.vP';

    /**
     * @param array<array-key, mixed>|object $value
     * @param array<array-key, mixed> $shape which members are JSON objects: an empty array is not sent as a list there
     */
    public static function json(array|object $value, array $shape = []): string
    {
        try {
            return (string) json_encode(self::value($value, $shape), self::JSON);
        } catch (\JsonException $failure) {
            throw new ConfigurationException("The body cannot be written as JSON: {$failure->getMessage()}.");
        }
    }

    /** @param array<string, mixed> $query */
    public static function query(array $query): string
    {
        $pairs = [];
        foreach ($query as $name => $value) {
            foreach (\is_array($value) ? $value : [$value] as $one) {
                if ($one !== null) {
                    $pairs[] = rawurlencode($name) . '=' . rawurlencode(self::text($one));
                }
            }
        }
        return implode('&', $pairs);
    }

    /** One part of a path. */
    public static function part(string $value, string $name): string
    {
        // `.` and `..` would lead to another path.
        if ($value === '' || $value === '.' || $value === '..') {
            throw new ConfigurationException(
                "{$name} must not be empty, . or ..; got " . ($value === '' ? 'an empty string' : "\"{$value}\"") . '.',
            );
        }
        return rawurlencode($value);
    }

    /**
     * @param array<string, mixed> $fields
     * @return array<string, mixed> without those that are not to be sent
     */
    public static function fields(array $fields): array
    {
        return array_filter($fields, static fn(mixed $value): bool => $value !== Omit::Value);
    }

    private static function text(mixed $value): string
    {
        return match (true) {
            \is_bool($value) => $value ? 'true' : 'false',
            $value instanceof \BackedEnum => (string) self::sendable($value)->value,
            $value instanceof \DateTimeInterface => $value->format(self::TIME),
            \is_string($value), \is_int($value), \is_float($value), $value instanceof \Stringable => (string) $value,
            default => throw new ConfigurationException('A query value must be a string or a number.'),
        };
    }

    /** @param array<array-key, mixed> $shape */
    private static function value(mixed $value, array $shape): mixed
    {
        return match (true) {
            \is_array($value) => self::members($value, $shape),
            $value instanceof \BackedEnum => self::sendable($value),
            $value instanceof \DateTimeInterface => $value->format(self::TIME),
            default => $value,
        };
    }

    /**
     * @param array<array-key, mixed> $value
     * @param array<array-key, mixed> $shape
     * @return array<array-key, mixed>|\stdClass
     */
    private static function members(array $value, array $shape): array|\stdClass
    {
        if ($value === []) {
            return isset($shape['']) ? new \stdClass() : [];
        }
        $all = \is_array($shape['*'] ?? null) ? $shape['*'] : null;
        foreach ($value as $name => $member) {
            if (\is_array($member) || \is_object($member)) {
                $inner = $all ?? $shape[$name] ?? [];
                $value[$name] = self::value($member, \is_array($inner) ? $inner : []);
            }
        }
        return $value;
    }

    private static function sendable(\BackedEnum $value): \BackedEnum
    {
        if ($value instanceof ApiEnum && $value->name === 'Unknown') {
            throw new ConfigurationException($value::class . '::Unknown is for received values and cannot be sent.');
        }
        return $value;
    }
}
