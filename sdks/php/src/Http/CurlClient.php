<?php

declare(strict_types=1);

namespace Junction\Http;

use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;

/**
 * The default transport: a PSR-18 client on PHP's curl. It reuses connections between calls, does not follow redirects,
 * and checks certificates.
 */
final class CurlClient implements TimedClient
{
    private const SECONDS = 30.0;

    /** No answer of the API comes near it. */
    private const MAX_BYTES = 64 * 1024 * 1024;

    private ?\CurlHandle $handle = null;

    /** The process that opened the connections: a fork must not share them. */
    private int $process = 0;

    public function sendRequest(#[\SensitiveParameter] RequestInterface $request): ResponseInterface
    {
        return $this->sendWithin($request, self::SECONDS);
    }

    public function sendWithin(
        #[\SensitiveParameter]
        RequestInterface $request,
        float $seconds,
        bool $once = false,
    ): ResponseInterface {
        $handle = $this->handle();
        $answer = new Incoming(self::MAX_BYTES);
        curl_setopt_array(
            $handle,
            self::options($request)
            + [
                CURLOPT_HEADERFUNCTION => $answer->header(...),
                CURLOPT_WRITEFUNCTION => $answer->body(...),
                // A connection that was closed while idle makes curl send a request again by itself.
                CURLOPT_FRESH_CONNECT => $once,
                CURLOPT_TIMEOUT_MS => max(1, (int) round($seconds * 1000)),
            ],
        );
        curl_exec($handle);
        $error = curl_errno($handle);
        if ($error !== 0 || $answer->status === 0) {
            throw self::failure($request, $error, $handle, $answer->isTooLarge);
        }
        return new Response($answer->status, $answer->headers, $answer->text, $answer->reason);
    }

    private function handle(): \CurlHandle
    {
        if ($this->handle === null || $this->process !== getmypid()) {
            $this->handle = curl_init();
            $this->process = (int) getmypid();
        }
        curl_reset($this->handle);
        return $this->handle;
    }

    /** @return array<int, mixed> */
    private static function options(#[\SensitiveParameter] RequestInterface $request): array
    {
        $method = $request->getMethod();
        $body = (string) $request->getBody();
        $uri = $request->getUri();
        $options = [
            CURLOPT_URL => self::url($request),
            // A path is signed as it stands: curl must not take `..` out of it.
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_NOBODY => $method === 'HEAD',
            CURLOPT_HTTPHEADER => self::headers($request),
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_TCP_NODELAY => true,
        ];
        if ($body !== '' || \in_array($method, ['POST', 'PUT', 'PATCH'], true)) {
            $options[CURLOPT_POSTFIELDS] = $body;
        }
        if ($uri->getScheme() === 'http') {
            // Unencrypted requests go to this machine alone, not to a proxy that the environment names.
            $options[CURLOPT_NOPROXY] = '*';
        }
        return $options;
    }

    private static function url(#[\SensitiveParameter] RequestInterface $request): string
    {
        $uri = $request->getUri();
        $target = $request->getRequestTarget();
        return str_starts_with($target, '/') ? "{$uri->getScheme()}://{$uri->getAuthority()}{$target}" : (string) $uri;
    }

    /** @return list<string> */
    private static function headers(#[\SensitiveParameter] RequestInterface $request): array
    {
        // Without these two, curl adds its own.
        $lines = ['Expect:', ...($request->hasHeader('Content-Type') ? [] : ['Content-Type:'])];
        foreach ($request->getHeaders() as $name => $values) {
            foreach ($values as $value) {
                // curl reads `Name:` as "leave it out" and `Name;` as an empty value.
                $lines[] = $value === '' ? "{$name};" : "{$name}: {$value}";
            }
        }
        return $lines;
    }

    private static function failure(
        #[\SensitiveParameter]
        RequestInterface $request,
        int $error,
        \CurlHandle $handle,
        bool $isTooLarge,
    ): NetworkException {
        $host = $request->getUri()->getHost();
        if ($isTooLarge) {
            return new NetworkException("The response of {$host} is too large.", $request);
        }
        $timedOut = $error === CURLE_OPERATION_TIMEDOUT;
        $reason = $error === 0 ? 'the answer is not HTTP' : curl_error($handle);
        return new NetworkException("No complete response from {$host}: {$reason}", $request, $timedOut);
    }
}
