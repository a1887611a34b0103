<?php

declare(strict_types=1);

namespace Junction\Http;

use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseFactoryInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamFactoryInterface;
use Psr\Http\Message\StreamInterface;
use Psr\Http\Message\UriFactoryInterface;
use Psr\Http\Message\UriInterface;

/** The PSR-17 factories of the messages that come with this SDK. */
final class Factory implements
    RequestFactoryInterface,
    ResponseFactoryInterface,
    StreamFactoryInterface,
    UriFactoryInterface
{
    public function createRequest(string $method, $uri): RequestInterface
    {
        return new Request($method, $uri);
    }

    public function createResponse(int $code = 200, string $reasonPhrase = ''): ResponseInterface
    {
        return new Response($code, reason: $reasonPhrase);
    }

    public function createStream(string $content = ''): StreamInterface
    {
        return new Stream($content);
    }

    /** Reads the file at once: bodies of this API are small. */
    public function createStreamFromFile(string $filename, string $mode = 'r'): StreamInterface
    {
        if (preg_match('/^[rwaxc][bt]?\+?[bt]?$/D', $mode) !== 1) {
            throw new \InvalidArgumentException('That is not a mode of opening a file.');
        }
        $file = @fopen($filename, $mode);
        if ($file === false) {
            throw new \RuntimeException('The file cannot be opened.');
        }
        return $this->createStreamFromResource($file);
    }

    public function createStreamFromResource($resource): StreamInterface
    {
        if (!\is_resource($resource)) {
            throw new \InvalidArgumentException('That is not an open file.');
        }
        return new Stream((string) stream_get_contents($resource, offset: 0));
    }

    public function createUri(string $uri = ''): UriInterface
    {
        return new Uri($uri);
    }
}
