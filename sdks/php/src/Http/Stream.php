<?php

declare(strict_types=1);

namespace Junction\Http;

use Psr\Http\Message\StreamInterface;

/** A PSR-7 body that lies in memory, as all bodies of this API do. */
final class Stream implements StreamInterface
{
    /** Null once it is closed. */
    private ?string $text;

    private int $position = 0;

    public function __construct(string $text = '')
    {
        $this->text = $text;
    }

    public function __toString(): string
    {
        return $this->text ?? '';
    }

    public function close(): void
    {
        $this->text = null;
    }

    /** There is no file below it. */
    public function detach()
    {
        $this->text = null;
        return null;
    }

    public function getSize(): ?int
    {
        return $this->text === null ? null : \strlen($this->text);
    }

    public function tell(): int
    {
        $this->open();
        return $this->position;
    }

    public function eof(): bool
    {
        return $this->text === null || $this->position >= \strlen($this->text);
    }

    public function isSeekable(): bool
    {
        return $this->text !== null;
    }

    public function seek(int $offset, int $whence = SEEK_SET): void
    {
        $size = \strlen($this->open());
        $position = match ($whence) {
            SEEK_SET => $offset,
            SEEK_CUR => $this->position + $offset,
            SEEK_END => $size + $offset,
            default => -1,
        };
        if ($position < 0 || $position > $size) {
            throw new \RuntimeException('The body is shorter than that.');
        }
        $this->position = $position;
    }

    public function rewind(): void
    {
        $this->seek(0);
    }

    public function isWritable(): bool
    {
        return $this->text !== null;
    }

    public function write(string $string): int
    {
        $this->text = substr_replace($this->open(), $string, $this->position, \strlen($string));
        $this->position += \strlen($string);
        return \strlen($string);
    }

    public function isReadable(): bool
    {
        return $this->text !== null;
    }

    public function read(int $length): string
    {
        if ($length < 0) {
            throw new \RuntimeException('A length is not negative.');
        }
        $read = substr($this->open(), $this->position, $length);
        $this->position += \strlen($read);
        return $read;
    }

    public function getContents(): string
    {
        $rest = substr($this->open(), $this->position);
        $this->position += \strlen($rest);
        return $rest;
    }

    public function getMetadata(?string $key = null): mixed
    {
        return $key === null ? [] : null;
    }

    private function open(): string
    {
        return $this->text ?? throw new \RuntimeException('The body is closed.');
    }
}
