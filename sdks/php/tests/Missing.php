<?php

declare(strict_types=1);

namespace Junction\Tests;

use Junction\Model;

/** Finds what an answer should have held and did not. */
final class Missing
{
    /** @return list<string> the properties that were left unset, however deep */
    public static function in(object $object): array
    {
        $found = [];
        foreach ((new \ReflectionClass($object))->getProperties(\ReflectionProperty::IS_PUBLIC) as $property) {
            if (!$property->isInitialized($object)) {
                $found[] = $object::class . "::{$property->getName()}";
                continue;
            }
            $value = $property->getValue($object);
            foreach (\is_array($value) ? $value : [$value] as $inner) {
                array_push($found, ...$inner instanceof Model ? self::in($inner) : []);
            }
        }
        return $found;
    }
}
