<?php

declare(strict_types=1);

namespace Junction\Tests;

/** The scripted server of conformance/, which tools/php/sdk.test.ts has started. */
final class MockServer
{
    private readonly string $url;

    public function __construct()
    {
        $this->url = getenv('JUNCTION_MOCK_URL')
        ?: throw new \RuntimeException(
            'Start the tests by `npm test`, or set JUNCTION_MOCK_URL to what `node conformance/server.ts` prints.',
        );
    }

    /** @return array{id: string, base_url: string} */
    public function start(string $scenario): array
    {
        return $this->send('POST', '/_runs', ['scenario' => $scenario]);
    }

    /**
     * @param list<array<string, mixed>> $answers
     * @return array{id: string, base_url: string}
     */
    public function script(array $answers): array
    {
        return $this->send('POST', '/_runs', ['answers' => $answers]);
    }

    /** @return array{requests: list<array<string, mixed>>, unused_answers: mixed} */
    public function run(string $id): array
    {
        return $this->send('GET', "/_runs/{$id}");
    }

    /**
     * @param ?array<string, mixed> $body
     * @return array<string, mixed>
     */
    private function send(string $method, string $path, ?array $body = null): array
    {
        $curl = curl_init($this->url . $path);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_RETURNTRANSFER => true,
        ]);
        if ($body !== null) {
            curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body, JSON_THROW_ON_ERROR));
            curl_setopt($curl, CURLOPT_HTTPHEADER, ['Content-Type: application/json']);
        }
        return json_decode((string) curl_exec($curl), true, 512, JSON_THROW_ON_ERROR);
    }
}
