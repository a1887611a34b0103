<?php

declare(strict_types=1);

namespace Junction\Tests;

use Http\Psr7Test\UriIntegrationTest;
use Junction\Http\Uri;

final class Psr7UriTest extends UriIntegrationTest
{
    public function createUri($uri): Uri
    {
        return new Uri($uri);
    }
}
