<?php

declare(strict_types=1);

namespace Junction\Tests;

use Interop\Http\Factory\ResponseFactoryTestCase;
use Junction\Http\Factory;

final class Psr17ResponseTest extends ResponseFactoryTestCase
{
    protected function createResponseFactory(): Factory
    {
        return new Factory();
    }
}
