<?php

declare(strict_types=1);

namespace Junction;

/** The scheme `v1` by which requests are signed. The client does it by itself. */
final class Signing
{
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
}
