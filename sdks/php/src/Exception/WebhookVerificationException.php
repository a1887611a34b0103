<?php

declare(strict_types=1);

namespace Junction\Exception;

/** A request that claims to be a delivery of Junction's is none, or is too old. Answer it 400 or 401 and do nothing else. */
final class WebhookVerificationException extends \RuntimeException implements JunctionException {}
