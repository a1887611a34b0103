<?php

declare(strict_types=1);

namespace Junction\Http;

use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\StreamInterface;
use Psr\Http\Message\UriInterface;

/** A PSR-7 request. Dumps and serialized copies show no header values: one of them is the API key. */
final class Request implements RequestInterface
{
    use Message;

    private const METHOD = "/^[!#$%&'*+.^_`|~0-9A-Za-z-]+\$/D";

    private string $method;

    private UriInterface $uri;

    private ?string $target = null;

    /** @param array<string, string|list<string>> $headers */
    public function __construct(
        string $method,
        string|UriInterface $uri,
        #[\SensitiveParameter]
        array $headers = [],
        string|StreamInterface $body = '',
    ) {
        $this->method = self::checked($method);
        $this->uri = \is_string($uri) ? new Uri($uri) : $uri;
        $this->headers = Headers::of($headers);
        $this->body = \is_string($body) ? new Stream($body) : $body;
        if (!$this->headers->has('Host')) {
            $this->takeHost();
        }
    }

    public function getRequestTarget(): string
    {
        if ($this->target !== null) {
            return $this->target;
        }
        // Two slashes at the beginning would be read as a host.
        $path = (string) preg_replace('#^//+#', '/', $this->uri->getPath());
        $query = $this->uri->getQuery();
        return ($path === '' ? '/' : $path) . ($query === '' ? '' : "?{$query}");
    }

    public function withRequestTarget(string $requestTarget): static
    {
        if (preg_match('/[\x00-\x20\x7f]/', $requestTarget) === 1) {
            throw new \InvalidArgumentException('A request target has no blanks or control characters.');
        }
        $copy = clone $this;
        $copy->target = $requestTarget;
        return $copy;
    }

    public function getMethod(): string
    {
        return $this->method;
    }

    public function withMethod(string $method): static
    {
        $copy = clone $this;
        $copy->method = self::checked($method);
        return $copy;
    }

    public function getUri(): UriInterface
    {
        return $this->uri;
    }

    public function withUri(UriInterface $uri, bool $preserveHost = false): static
    {
        $copy = clone $this;
        $copy->uri = $uri;
        if (!$preserveHost || $copy->getHeaderLine('Host') === '') {
            $copy->takeHost();
        }
        return $copy;
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return [
            'method' => $this->method,
            'uri' => (string) $this->uri,
            'headers' => array_fill_keys(array_keys($this->headers->all()), '***'),
        ];
    }

    private function takeHost(): void
    {
        $host = $this->uri->getHost();
        if ($host === '') {
            return;
        }
        $port = $this->uri->getPort();
        $this->headers = $this->headers->withFirst('Host', $port === null ? $host : "{$host}:{$port}");
    }

    private static function checked(string $method): string
    {
        if (preg_match(self::METHOD, $method) !== 1) {
            throw new \InvalidArgumentException('That is not a method of HTTP.');
        }
        return $method;
    }
}
