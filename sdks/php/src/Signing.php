<?php

declare(strict_types=1);

namespace Junction;

/** The signature scheme `v1` for requests. The client signs its requests automatically. */
final class Signing
{
    private const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

    /**
     * @param string $target the request target as on the wire: path and query
     * @param string $idempotencyKey without quotes; '' where there is none
     */
    public static function stringToSign(
        int $timestamp,
        string $method,
        string $target,
        string $idempotencyKey,
        string $body,
    ): string {
        return implode("\n", ['v1', $timestamp, $method, $target, $idempotencyKey, hash('sha256', $body)]);
    }

    /** @return string 64 hex digits, for `X-Service-Signature` */
    public static function sign(#[\SensitiveParameter] string $secret, string $stringToSign): string
    {
        return hash_hmac('sha256', $stringToSign, $secret);
    }

    /** Whether the last six characters of an API key are the checksum of those before them: CRC-32 in base62. */
    public static function isWholeKey(#[\SensitiveParameter] string $apiKey): bool
    {
        $rest = crc32(substr($apiKey, 0, -6));
        $digits = '';
        while (\strlen($digits) < 6) {
            $digits = self::BASE62[$rest % 62] . $digits;
            $rest = intdiv($rest, 62);
        }
        return substr($apiKey, -6) === $digits;
    }
}
