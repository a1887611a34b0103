<?php

declare(strict_types=1);

namespace Junction\Http;

use Psr\Http\Message\StreamInterface;

/**
 * What requests and responses share.
 *
 * @internal
 */
trait Message
{
    private string $protocolVersion = '1.1';

    private Headers $headers;

    private StreamInterface $body;

    public function getProtocolVersion(): string
    {
        return $this->protocolVersion;
    }

    public function withProtocolVersion(string $version): static
    {
        $copy = clone $this;
        $copy->protocolVersion = $version;
        return $copy;
    }

    /** @return array<string, list<string>> */
    public function getHeaders(): array
    {
        return $this->headers->all();
    }

    public function hasHeader(string $name): bool
    {
        return $this->headers->has($name);
    }

    /** @return list<string> */
    public function getHeader(string $name): array
    {
        return $this->headers->get($name);
    }

    public function getHeaderLine(string $name): string
    {
        return implode(', ', $this->headers->get($name));
    }

    public function withHeader(string $name, #[\SensitiveParameter] mixed $value): static
    {
        $copy = clone $this;
        $copy->headers = $this->headers->with($name, $value);
        return $copy;
    }

    public function withAddedHeader(string $name, #[\SensitiveParameter] mixed $value): static
    {
        $copy = clone $this;
        $copy->headers = $this->headers->withAdded($name, $value);
        return $copy;
    }

    public function withoutHeader(string $name): static
    {
        $copy = clone $this;
        $copy->headers = $this->headers->without($name);
        return $copy;
    }

    public function getBody(): StreamInterface
    {
        return $this->body;
    }

    public function withBody(StreamInterface $body): static
    {
        $copy = clone $this;
        $copy->body = $body;
        return $copy;
    }
}
