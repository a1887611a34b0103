<?php

declare(strict_types=1);

namespace Junction\Testing;

use Junction\Http\NetworkException;
use Junction\Http\Response;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;

/**
 * Stands in for the service in tests of your code: give it to the client as `httpClient:`. It answers what it was told
 * to, one answer a request, then what the published contract shows for the operation; and it keeps the requests.
 *
 *     $mock = new MockTransport();
 *     $junction = new Client(apiKey: Fixtures::API_KEY, baseUrl: 'https://junction.test', httpClient: $mock);
 */
final class MockTransport implements ClientInterface
{
    /** @var list<RequestInterface> in the order in which they came */
    public array $requests = [];

    /** @var list<\Closure(RequestInterface): ResponseInterface> */
    private array $answers = [];

    /**
     * The next answer: JSON, where a body is given.
     *
     * @param ?array<array-key, mixed> $json
     * @param array<string, string> $headers
     */
    public function answer(int $status = 200, ?array $json = null, array $headers = [], string $text = ''): self
    {
        $type = $status < 400 ? 'application/json' : 'application/problem+json';
        $body = $json === null ? $text : json_encode($json, JSON_THROW_ON_ERROR);
        $all = [
            ...($json === null ? [] : ['Content-Type' => $type]),
            'X-Service-Request-Id' => 'req_test',
            ...$headers,
        ];
        return $this->add(static fn(): ResponseInterface => new Response($status, $all, $body));
    }

    /**
     * The next answer is the error of that code, as the service words it.
     *
     * @param array<array-key, mixed> $changes members of the problem document
     * @param array<string, string> $headers such as Retry-After
     */
    public function problem(string $code, array $changes = [], array $headers = []): self
    {
        $problem = Fixtures::problem($code, $changes);
        return $this->answer((int) $problem['status'], $problem, $headers);
    }

    /** The next request does not reach the service. */
    public function unreachable(): self
    {
        return $this->add(
            static fn(RequestInterface $request): ResponseInterface => throw new NetworkException(
                'Connection refused',
                $request,
            ),
        );
    }

    /** The next request is not answered in time. */
    public function timeout(): self
    {
        return $this->add(
            static fn(RequestInterface $request): ResponseInterface => throw new NetworkException(
                'Timed out',
                $request,
                timedOut: true,
            ),
        );
    }

    public function sendRequest(#[\SensitiveParameter] RequestInterface $request): ResponseInterface
    {
        $this->requests[] = $request;
        $next = array_shift($this->answers);
        return $next === null ? self::example($request) : $next($request);
    }

    public function last(): ?RequestInterface
    {
        return $this->requests[\count($this->requests) - 1] ?? null;
    }

    /** @return array<array-key, mixed> what the last request sent as JSON; empty where it sent none */
    public function lastJson(): array
    {
        $sent = json_decode((string) $this->last()?->getBody(), true);
        return \is_array($sent) ? $sent : [];
    }

    /** @param \Closure(RequestInterface): ResponseInterface $answer */
    private function add(\Closure $answer): self
    {
        $this->answers[] = $answer;
        return $this;
    }

    private static function example(RequestInterface $request): ResponseInterface
    {
        $route = Fixtures::route($request->getMethod(), $request->getUri()->getPath());
        $status = $route['status'] ?? 404;
        $body = $route === null ? Fixtures::problem('route_not_found') : $route['body'];
        if (\is_array($body) && isset($body['next_cursor'])) {
            // The example has a further page, and so would each of them.
            $body = [...$body, 'has_more' => false, 'next_cursor' => null];
        }
        $headers = ['Content-Type' => 'application/json', 'X-Service-Request-Id' => 'req_test'];
        return new Response($status, $headers, $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR));
    }
}
