<?php

declare(strict_types=1);

namespace Junction\Exception;

/** The client, or a call, was given something it cannot work with. Nothing was sent. */
final class ConfigurationException extends \InvalidArgumentException implements JunctionException {}
