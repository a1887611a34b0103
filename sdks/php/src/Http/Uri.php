<?php

declare(strict_types=1);

namespace Junction\Http;

use Psr\Http\Message\UriInterface;

/** A PSR-7 URI. */
final class Uri implements UriInterface
{
    private const DEFAULT_PORTS = ['http' => 80, 'https' => 443];

    private const PATH = '/(?:[^A-Za-z0-9_\-.~!$&\'()*+,;=%:@\/]+|%(?![A-Fa-f0-9]{2}))/';

    private const QUERY = '/(?:[^A-Za-z0-9_\-.~!$&\'()*+,;=%:@\/?]+|%(?![A-Fa-f0-9]{2}))/';

    private const USER = '/(?:[^A-Za-z0-9_\-.~!$&\'()*+,;=%]+|%(?![A-Fa-f0-9]{2}))/';

    private string $scheme;

    private string $user;

    private string $host;

    private ?int $port;

    private string $path;

    private string $query;

    private string $fragment;

    public function __construct(string $uri = '')
    {
        $parts = parse_url($uri);
        if ($parts === false) {
            throw new \InvalidArgumentException('That is not a URI.');
        }
        $this->scheme = strtolower($parts['scheme'] ?? '');
        $this->user = self::userInfo($parts['user'] ?? '', $parts['pass'] ?? null);
        $this->host = strtolower($parts['host'] ?? '');
        $this->port = $parts['port'] ?? null;
        $this->path = self::encode($parts['path'] ?? '', self::PATH);
        $this->query = self::encode($parts['query'] ?? '', self::QUERY);
        $this->fragment = self::encode($parts['fragment'] ?? '', self::QUERY);
    }

    public function __toString(): string
    {
        $authority = $this->getAuthority();
        return (
            ($this->scheme === '' ? '' : "{$this->scheme}:")
            . ($authority === '' ? '' : "//{$authority}")
            . $this->writtenPath($authority !== '')
            . ($this->query === '' ? '' : "?{$this->query}")
            . ($this->fragment === '' ? '' : "#{$this->fragment}")
        );
    }

    public function getScheme(): string
    {
        return $this->scheme;
    }

    public function getAuthority(): string
    {
        if ($this->host === '') {
            return '';
        }
        $user = $this->user === '' ? '' : "{$this->user}@";
        $port = $this->getPort();
        return $user . $this->host . ($port === null ? '' : ":{$port}");
    }

    public function getUserInfo(): string
    {
        return $this->user;
    }

    public function getHost(): string
    {
        return $this->host;
    }

    public function getPort(): ?int
    {
        return $this->port === (self::DEFAULT_PORTS[$this->scheme] ?? null) ? null : $this->port;
    }

    public function getPath(): string
    {
        // Two slashes at the beginning would be read as a host by whoever redirects to this path.
        return str_starts_with($this->path, '//') ? '/' . ltrim($this->path, '/') : $this->path;
    }

    public function getQuery(): string
    {
        return $this->query;
    }

    public function getFragment(): string
    {
        return $this->fragment;
    }

    public function withScheme(string $scheme): static
    {
        if ($scheme !== '' && preg_match('/^[A-Za-z][A-Za-z0-9+.-]*$/D', $scheme) !== 1) {
            throw new \InvalidArgumentException('That is not the scheme of a URI.');
        }
        $copy = clone $this;
        $copy->scheme = strtolower($scheme);
        return $copy;
    }

    public function withUserInfo(string $user, #[\SensitiveParameter] ?string $password = null): static
    {
        $copy = clone $this;
        $copy->user = self::userInfo($user, $password);
        return $copy;
    }

    public function withHost(string $host): static
    {
        if (preg_match('/[\s\/?#@\\\\]/', $host) === 1) {
            throw new \InvalidArgumentException('That is not a host.');
        }
        $copy = clone $this;
        $copy->host = strtolower($host);
        return $copy;
    }

    public function withPort(?int $port): static
    {
        if ($port !== null && ($port < 0 || $port > 0xFFFF)) {
            throw new \InvalidArgumentException('A port is between 0 and 65535.');
        }
        $copy = clone $this;
        $copy->port = $port;
        return $copy;
    }

    public function withPath(string $path): static
    {
        $copy = clone $this;
        $copy->path = self::encode($path, self::PATH);
        return $copy;
    }

    public function withQuery(string $query): static
    {
        $copy = clone $this;
        $copy->query = self::encode($query, self::QUERY);
        return $copy;
    }

    public function withFragment(string $fragment): static
    {
        $copy = clone $this;
        $copy->fragment = self::encode($fragment, self::QUERY);
        return $copy;
    }

    private function writtenPath(bool $hasAuthority): string
    {
        if ($hasAuthority && $this->path !== '' && !str_starts_with($this->path, '/')) {
            return "/{$this->path}";
        }
        return $hasAuthority ? $this->path : $this->getPath();
    }

    private static function userInfo(string $user, #[\SensitiveParameter] ?string $password): string
    {
        if ($user === '') {
            return '';
        }
        $encoded = self::encode($user, self::USER);
        return $password === null ? $encoded : $encoded . ':' . self::encode($password, self::USER);
    }

    /** What is encoded stays as it is. */
    private static function encode(string $text, string $pattern): string
    {
        return (
            preg_replace_callback(
                $pattern,
                static fn(array $match): string => rawurlencode($match[0]),
                $text,
            ) ?? throw new \InvalidArgumentException('A part of the URI cannot be read.')
        );
    }
}
