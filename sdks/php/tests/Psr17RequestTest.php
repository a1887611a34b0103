<?php

declare(strict_types=1);

namespace Junction\Tests;

use Interop\Http\Factory\RequestFactoryTestCase;
use Junction\Http\Factory;

final class Psr17RequestTest extends RequestFactoryTestCase
{
    protected function createRequestFactory(): Factory
    {
        return new Factory();
    }

    protected function createUri($uri)
    {
        return (new Factory())->createUri($uri);
    }
}
