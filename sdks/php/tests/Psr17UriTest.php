<?php

declare(strict_types=1);

namespace Junction\Tests;

use Interop\Http\Factory\UriFactoryTestCase;
use Junction\Http\Factory;

final class Psr17UriTest extends UriFactoryTestCase
{
    protected function createUriFactory(): Factory
    {
        return new Factory();
    }
}
