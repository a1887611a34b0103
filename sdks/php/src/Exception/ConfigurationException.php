<?php

declare(strict_types=1);

namespace Junction\Exception;

/** The client or a call has invalid settings or arguments. Nothing was sent. */
final class ConfigurationException extends \InvalidArgumentException implements JunctionException {}
