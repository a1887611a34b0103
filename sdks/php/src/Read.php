<?php

declare(strict_types=1);

namespace Junction;

/**
 * Reads what came, which may not be what was expected: then it is null.
 *
 * @internal
 */
final class Read
{
    public static function string(mixed $value): ?string
    {
        return \is_string($value) ? $value : null;
    }

    public static function integer(mixed $value): ?int
    {
        return \is_int($value) ? $value : null;
    }

    public static function number(mixed $value): ?float
    {
        return \is_int($value) || \is_float($value) ? (float) $value : null;
    }

    public static function boolean(mixed $value): ?bool
    {
        return \is_bool($value) ? $value : null;
    }

    /** @return ?array<array-key, mixed> */
    public static function object(mixed $value): ?array
    {
        return \is_array($value) ? $value : null;
    }

    public static function time(mixed $value): ?\DateTimeImmutable
    {
        try {
            return \is_string($value) && $value !== '' ? new \DateTimeImmutable($value) : null;
        } catch (\Exception) {
            return null;
        }
    }

    /**
     * @template T of ApiEnum
     * @param \Closure(string): T $of
     * @return ?T
     */
    public static function enum(mixed $value, \Closure $of): ?ApiEnum
    {
        return \is_string($value) ? $of($value) : null;
    }

    /**
     * @template T of Model
     * @param class-string<T> $class
     * @return ?T
     */
    public static function model(mixed $value, string $class): ?Model
    {
        return \is_array($value) ? new $class($value) : null;
    }

    /**
     * @template T of Model
     * @param class-string<T> $class
     * @return \Closure(mixed): ?T
     */
    public static function as(string $class): \Closure
    {
        return static fn(mixed $value): ?Model => self::model($value, $class);
    }

    /**
     * @template T of ApiEnum
     * @param \Closure(string): T $of
     * @return \Closure(mixed): ?T
     */
    public static function asEnum(\Closure $of): \Closure
    {
        return static fn(mixed $value): ?ApiEnum => self::enum($value, $of);
    }

    /**
     * @template T
     * @param \Closure(mixed): ?T $item
     * @return ?array<array-key, T> what cannot be read is left out
     */
    public static function map(mixed $value, \Closure $item): ?array
    {
        if (!\is_array($value)) {
            return null;
        }
        return array_filter(array_map($item, $value), static fn(mixed $read): bool => $read !== null);
    }

    /**
     * @template T
     * @param \Closure(mixed): ?T $item
     * @return ?list<T>
     */
    public static function list(mixed $value, \Closure $item): ?array
    {
        $read = self::map($value, $item);
        return $read === null ? null : array_values($read);
    }
}
