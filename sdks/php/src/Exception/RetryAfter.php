<?php

declare(strict_types=1);

namespace Junction\Exception;

/** @internal */
final class RetryAfter
{
    /**
     * @param string $value whole seconds, or a date as proxies write it
     * @return ?int null where it says neither
     */
    public static function seconds(string $value, int $now): ?int
    {
        $value = trim($value);
        if (preg_match('/^\d+$/D', $value) === 1) {
            // More digits than an integer has become the largest one.
            return (int) $value;
        }
        $date = \DateTimeImmutable::createFromFormat('D, d M Y H:i:s \G\M\T', $value, new \DateTimeZone('UTC'));
        return $date === false ? null : max(0, $date->getTimestamp() - $now);
    }
}
