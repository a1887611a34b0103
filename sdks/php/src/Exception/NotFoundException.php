<?php

declare(strict_types=1);

namespace Junction\Exception;

/** The object, action or route does not exist (404). */
final class NotFoundException extends ServiceException {}
