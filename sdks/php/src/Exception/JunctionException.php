<?php

declare(strict_types=1);

namespace Junction\Exception;

/** All that this SDK throws. */
interface JunctionException extends \Throwable {}
