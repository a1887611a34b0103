<?php

declare(strict_types=1);

namespace Junction\Tests;

use Junction\CallOptions;
use Junction\Client;

/** Calls an operation by its dotted name and the wire's names, as the vectors give them. */
final class Operations
{
    /**
     * @param list<string> $path
     * @param array<string, mixed> $fields
     */
    public static function call(Client $client, string $name, array $path, array $fields, ?CallOptions $options): mixed
    {
        [$resource, $method] = self::find($client, $name);
        $arguments = [];
        foreach ($fields as $field => $value) {
            $arguments[self::camel($field)] = $value;
        }
        return $resource->{$method}(...$path, ...$arguments, options: $options);
    }

    /** @return array{object, string} */
    public static function find(Client $client, string $name): array
    {
        $parts = array_map(self::camel(...), explode('.', $name));
        $method = (string) array_pop($parts);
        $resource = $client;
        foreach ($parts as $part) {
            $resource = $resource->{$part};
        }
        // What is also the beginning of other names is shown as a resource.
        if (method_exists($resource, $method)) {
            return [$resource, $method];
        }
        $shown = $resource->{$method};
        return [$shown, method_exists($shown, 'get') ? 'get' : 'list'];
    }

    public static function camel(string $name): string
    {
        return lcfirst(str_replace('_', '', ucwords($name, '_')));
    }
}
