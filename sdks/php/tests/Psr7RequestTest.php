<?php

declare(strict_types=1);

namespace Junction\Tests;

use Http\Psr7Test\RequestIntegrationTest;
use Junction\Http\Request;

final class Psr7RequestTest extends RequestIntegrationTest
{
    public function createSubject(): Request
    {
        return new Request('GET', '/');
    }
}
