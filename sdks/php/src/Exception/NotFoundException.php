<?php

declare(strict_types=1);

namespace Junction\Exception;

/** There is no such object, action or route (404). */
final class NotFoundException extends ServiceException {}
