<?php

declare(strict_types=1);

namespace Junction\Http;

use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;

/** A PSR-18 client that can be told how long one request may take. PSR-18 itself has no word for it. */
interface TimedClient extends ClientInterface
{
    /**
     * @param float $seconds for the whole exchange, from the look-up of the name to the last byte
     * @param bool $once on a new connection, so that nothing below sends the request a second time
     * @throws NetworkException
     */
    public function sendWithin(
        #[\SensitiveParameter]
        RequestInterface $request,
        float $seconds,
        bool $once = false,
    ): ResponseInterface;
}
