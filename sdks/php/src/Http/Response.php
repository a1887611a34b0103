<?php

declare(strict_types=1);

namespace Junction\Http;

use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamInterface;

/** A PSR-7 response. */
final class Response implements ResponseInterface
{
    use Message;

    private const REASONS = [
        200 => 'OK',
        201 => 'Created',
        202 => 'Accepted',
        204 => 'No Content',
        400 => 'Bad Request',
        401 => 'Unauthorized',
        403 => 'Forbidden',
        404 => 'Not Found',
        409 => 'Conflict',
        422 => 'Unprocessable Content',
        429 => 'Too Many Requests',
        500 => 'Internal Server Error',
        502 => 'Bad Gateway',
        503 => 'Service Unavailable',
        504 => 'Gateway Timeout',
    ];

    private int $status;

    private string $reason;

    /** @param array<string, string|list<string>> $headers */
    public function __construct(
        int $status = 200,
        array $headers = [],
        string|StreamInterface $body = '',
        string $reason = '',
    ) {
        $this->status = self::checked($status);
        $this->reason = self::reason($status, $reason);
        $this->headers = Headers::of($headers);
        $this->body = \is_string($body) ? new Stream($body) : $body;
    }

    public function getStatusCode(): int
    {
        return $this->status;
    }

    public function withStatus(int $code, string $reasonPhrase = ''): static
    {
        $copy = clone $this;
        $copy->status = self::checked($code);
        $copy->reason = self::reason($code, $reasonPhrase);
        return $copy;
    }

    public function getReasonPhrase(): string
    {
        return $this->reason;
    }

    private static function checked(int $status): int
    {
        if ($status < 100 || $status > 599) {
            throw new \InvalidArgumentException('A status of HTTP is between 100 and 599.');
        }
        return $status;
    }

    private static function reason(int $status, string $reason): string
    {
        return $reason === '' ? self::REASONS[$status] ?? '' : $reason;
    }
}
