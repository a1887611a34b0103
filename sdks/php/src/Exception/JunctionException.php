<?php

declare(strict_types=1);

namespace Junction\Exception;

/** The interface of all exceptions of this SDK. */
interface JunctionException extends \Throwable {}
