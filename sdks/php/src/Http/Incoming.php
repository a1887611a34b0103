<?php

declare(strict_types=1);

namespace Junction\Http;

/**
 * An answer while curl reads it.
 *
 * @internal
 */
final class Incoming
{
    public int $status = 0;

    public string $reason = '';

    /** @var array<string, list<string>> */
    public array $headers = [];

    public string $text = '';

    public bool $isTooLarge = false;

    public function __construct(
        private readonly int $maxBytes,
    ) {}

    public function header(\CurlHandle $handle, string $line): int
    {
        $match = [];
        if (preg_match('#^HTTP/[0-9.]+ ([1-5][0-9]{2})(?: ([^\r\n]*))?#', $line, $match) === 1) {
            // What stood before was an interim answer, such as 100.
            [$this->status, $this->reason, $this->headers] = [(int) $match[1], self::clean($match[2] ?? ''), []];
            return \strlen($line);
        }
        [$name, $value] = [...explode(':', $line, 2), ''];
        if ($value !== '' && preg_match('/^[!-9;-~]+$/D', $name) === 1) {
            $this->headers[strtolower($name)][] = self::clean($value);
        }
        return \strlen($line);
    }

    /** A smaller number than was given ends the transfer. */
    public function body(\CurlHandle $handle, string $bytes): int
    {
        $this->isTooLarge = (\strlen($this->text) + \strlen($bytes)) > $this->maxBytes;
        if ($this->isTooLarge) {
            return -1;
        }
        $this->text .= $bytes;
        return \strlen($bytes);
    }

    private static function clean(string $text): string
    {
        return trim((string) preg_replace('/[\x00-\x08\x0a-\x1f\x7f]/', '', $text));
    }
}
