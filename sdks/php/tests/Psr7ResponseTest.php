<?php

declare(strict_types=1);

namespace Junction\Tests;

use Http\Psr7Test\ResponseIntegrationTest;
use Junction\Http\Response;

final class Psr7ResponseTest extends ResponseIntegrationTest
{
    public function createSubject(): Response
    {
        return new Response();
    }
}
