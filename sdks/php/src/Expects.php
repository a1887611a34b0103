<?php

declare(strict_types=1);

namespace Junction;

/**
 * What a good answer holds.
 *
 * @internal
 */
enum Expects
{
    /** A JSON object. */
    case Json;
    case Nothing;
    /** The body as it is. */
    case Text;
    /** Nobody knows. */
    case Any;
}
