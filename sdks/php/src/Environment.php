<?php

declare(strict_types=1);

namespace Junction;

/** @internal */
final class Environment
{
    /** Frameworks that read a .env file fill $_ENV or $_SERVER, and not always the process's own environment. */
    public static function read(string $name): ?string
    {
        foreach ([getenv($name), $_ENV[$name] ?? null, $_SERVER[$name] ?? null] as $value) {
            if (\is_string($value) && trim($value) !== '') {
                return trim($value);
            }
        }
        return null;
    }
}
