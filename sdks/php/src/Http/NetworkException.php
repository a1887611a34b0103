<?php

declare(strict_types=1);

namespace Junction\Http;

use Psr\Http\Client\NetworkExceptionInterface;
use Psr\Http\Message\RequestInterface;

/** No whole answer came. */
final class NetworkException extends \RuntimeException implements NetworkExceptionInterface
{
    public function __construct(
        string $message,
        #[\SensitiveParameter]
        private readonly RequestInterface $request,
        public readonly bool $timedOut = false,
    ) {
        parent::__construct($message);
    }

    public function getRequest(): RequestInterface
    {
        return $this->request;
    }
}
