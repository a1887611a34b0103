<?php

declare(strict_types=1);

namespace Junction\Tests;

use Junction\Client;
use Junction\EventName;
use Junction\Testing\Fixtures;
use Junction\Testing\MockTransport;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** The whole of the SDK, one class and one operation after another. */
final class SurfaceTest extends TestCase
{
    /** @return iterable<string, array{string, array<string, mixed>}> */
    public static function operations(): iterable
    {
        $file = \dirname(__DIR__) . '/generated/fixtures.json';
        $fixtures = json_decode((string) file_get_contents($file), true, 512, JSON_THROW_ON_ERROR);
        foreach ($fixtures['operations'] as $name => $operation) {
            yield $name => [$name, $operation];
        }
    }

    /** @param array<string, mixed> $operation */
    #[DataProvider('operations')]
    public function testOperationIsSentWhereTheContractSaysAndItsExampleIsRead(string $name, array $operation): void
    {
        $mock = new MockTransport();
        $client = new Client(Fixtures::API_KEY, 'https://junction.test', httpClient: $mock);
        [$resource, $method] = Operations::find($client, $name);
        $arguments = array_map(self::example(...), self::required($resource, $method));
        $result = $resource->{$method}(...$arguments);
        [$request] = $mock->requests;
        self::assertSame($operation['method'], $request->getMethod());
        self::assertSame(preg_replace('/\{[^}]+\}/', 'text', $operation['path']), $request->getUri()->getPath());
        self::assertCount(1, $mock->requests);
        if ($result instanceof \JsonSerializable) {
            self::assertSame($operation['body'], json_decode((string) json_encode($result), true));
            self::assertSame([], Missing::in($result), 'members of the example that were not read');
        }
    }

    /** @return list<\ReflectionParameter> */
    private static function required(object $resource, string $method): array
    {
        $parameters = (new \ReflectionMethod($resource, $method))->getParameters();
        return array_values(array_filter($parameters, static fn($parameter): bool => !$parameter->isOptional()));
    }

    private static function example(\ReflectionParameter $parameter): mixed
    {
        return match (true) {
            str_contains((string) $parameter->getType(), 'string') => 'text',
            str_contains((string) $parameter->getType(), 'int') => 1,
            str_contains((string) $parameter->getType(), 'bool') => true,
            default => [],
        };
    }

    /** @return iterable<string, array{string, string}> */
    public static function classes(): iterable
    {
        $root = \dirname(__DIR__);
        foreach (['src', 'generated'] as $folder) {
            $files = new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator("{$root}/{$folder}"));
            foreach ($files as $file) {
                if ($file->getExtension() === 'php') {
                    $name = substr((string) $file, \strlen("{$root}/{$folder}/"), -4);
                    yield $name => ['Junction\\' . str_replace('/', '\\', $name), (string) $file];
                }
            }
        }
    }

    #[DataProvider('classes')]
    public function testFileHoldsTheTypeItIsNamedAfterWithEverythingTyped(string $class, string $file): void
    {
        self::assertStringContainsString("\ndeclare(strict_types=1);\n", (string) file_get_contents($file));
        $type = new \ReflectionClass($class);
        self::assertSame($file, $type->getFileName());
        foreach ($type->getMethods() as $method) {
            if (
                $method->getDeclaringClass()->getName() !== $class
                || !str_starts_with((string) $method->getFileName(), \dirname(__DIR__))
            ) {
                continue;
            }
            $isConstructor = \in_array($method->getName(), ['__construct', 'detach'], true);
            self::assertTrue($isConstructor || $method->hasReturnType(), "{$class}::{$method->getName()}");
            foreach ($method->getParameters() as $parameter) {
                // PSR-17 leaves two parameters untyped.
                $isTyped = $parameter->hasType() || \in_array($parameter->getName(), ['uri', 'resource'], true);
                self::assertTrue($isTyped, "{$class}::{$method->getName()} \${$parameter->getName()}");
            }
        }
        foreach ($type->getProperties() as $property) {
            $isOurs = str_starts_with($property->getDeclaringClass()->getName(), 'Junction\\');
            self::assertTrue(!$isOurs || $property->hasType(), "{$class}::\${$property->getName()}");
        }
    }

    public function testThe52NamesAreCases(): void
    {
        self::assertCount(52, EventName::cases());
        foreach (EventName::cases() as $event) {
            self::assertNotSame([], Fixtures::eventData($event), $event->value);
        }
    }
}
