<?php

declare(strict_types=1);

namespace Junction\Exception;

/** The credential or the signature was not accepted (401). */
final class AuthenticationException extends ServiceException {}
