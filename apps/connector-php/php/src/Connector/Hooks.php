<?php

declare(strict_types=1);

namespace Junction\Connector;

use Junction\AbstractConnector;

/** The hooks of one instance: their description, and their calls. */
final class Hooks
{
    public function __construct(private readonly AbstractConnector $connector)
    {
    }

    /** @param list<mixed> $args */
    public function call(string $hook, string $name, array $args): mixed
    {
        switch ($hook) {
            case 'describe':
                return $this->describe();
            case 'subscriber':
                $this->run($this->handler($name), [$this->connector->event]);
                return null;
            case 'identity':
                $identity = $this->run($this->named('identityProviders', $name), $args);
                return $identity === null ? null : (object) $identity;
            case 'context':
                return $this->run($this->named('contextProviders', $name), $args);
            case 'webhook':
                $this->connector->handleWebhook(...$args);
                return null;
            case 'action':
                return $this->run($this->named('registerActions', $name), $args);
            case 'test':
                return $this->run($this->target($name, "settings.json's test"), $args);
            default:
                throw new \UnexpectedValueException("There is no hook \"$hook\".");
        }
    }

    /** @return array<string, mixed> */
    private function describe(): array
    {
        $subscribers = [];
        foreach ($this->handlers() as [$event, $name, , $priority]) {
            $subscribers[$event][] = ['name' => $name, 'priority' => $priority];
        }
        $webhook = new \ReflectionMethod($this->connector, 'handleWebhook');
        return [
            'key' => $this->connector->key(),
            'subscribers' => (object) $subscribers,
            'identity' => $this->names('identityProviders'),
            'context' => $this->names('contextProviders'),
            'actions' => $this->names('registerActions'),
            'webhook' => $webhook->class !== AbstractConnector::class,
        ];
    }

    private function handler(string $wanted): \Closure
    {
        foreach ($this->handlers() as [, $name, $target]) {
            if ($name === $wanted) {
                return $target;
            }
        }
        throw new \UnexpectedValueException("subscribers() has no handler \"$wanted\".");
    }

    /**
     * Yields event, name, target and priority of each handler, in the order of subscribers().
     *
     * @return \Generator<int, array{string, string, \Closure, ?int}>
     */
    private function handlers(): \Generator
    {
        foreach ($this->connector->subscribers() as $event => $handlers) {
            if (!\is_array($handlers) || !\array_is_list($handlers)) {
                throw new \UnexpectedValueException("subscribers() must give a list of handlers for $event.");
            }
            foreach ($handlers as $place => $handler) {
                [$handler, $priority] = $this->parts($handler, "$event#$place");
                $target = $this->target($handler, "subscribers() for $event");
                yield [(string) $event, $this->isMethod($handler) ? $handler : "$event#$place", $target, $priority];
            }
        }
    }

    /** @return array{mixed, ?int} */
    private function parts(mixed $handler, string $name): array
    {
        if (!\is_array($handler) || !\array_key_exists('handler', $handler)) {
            return [$handler, null];
        }
        $priority = $handler['priority'] ?? null;
        $isPriority = $priority === null || (\is_int($priority) && $priority >= 1 && $priority <= 99);
        if (!$isPriority || \array_diff(\array_keys($handler), ['handler', 'priority']) !== []) {
            throw new \UnexpectedValueException(
                "The handler $name of subscribers() must be a method, a callable, or handler and priority (1 to 99).",
            );
        }
        return [$handler['handler'], $priority];
    }

    /** @return list<string> */
    private function names(string $hook): array
    {
        $names = [];
        foreach ($this->listed($hook) as $name => $target) {
            $this->target($target, "$hook() for $name");
            $names[] = (string) $name;
        }
        return $names;
    }

    private function named(string $hook, string $name): \Closure
    {
        $listed = $this->listed($hook);
        if (!\array_key_exists($name, $listed)) {
            throw new \UnexpectedValueException("$hook() has no \"$name\".");
        }
        return $this->target($listed[$name], "$hook() for $name");
    }

    /** @return array<array-key, mixed> */
    private function listed(string $hook): array
    {
        $listed = $this->connector->{$hook}() ?? [];
        if (!\is_array($listed) || ($listed !== [] && \array_is_list($listed))) {
            throw new \UnexpectedValueException("$hook() must give an array of names to methods.");
        }
        return $listed;
    }

    private function target(mixed $target, string $where): \Closure
    {
        // The connector's own methods are accepted with any visibility.
        $isOwn = \is_array($target) && \count($target) === 2 && ($target[0] ?? null) === $this->connector;
        $method = $isOwn ? $target[1] ?? null : $target;
        if ($this->isMethod($method)) {
            return (new \ReflectionMethod($this->connector, $method))->getClosure($this->connector);
        }
        if (\is_callable($target)) {
            return $target(...);
        }
        $what = \is_string($target) ? "\"$target\"" : \get_debug_type($target);
        throw new \UnexpectedValueException("$where names $what, which is neither a method nor a callable.");
    }

    private function isMethod(mixed $target): bool
    {
        return \is_string($target) && \method_exists($this->connector, $target);
    }

    /** @param list<mixed> $args */
    private function run(\Closure $target, array $args): mixed
    {
        return $target(...$args);
    }
}
