<?php

declare(strict_types=1);

namespace Junction;

use Junction\Exception\ConfigurationException;
use Psr\Http\Client\ClientInterface;

/**
 * Junction's API.
 *
 *     $junction = new Junction\Client(apiKey: 'jn_live_…', baseUrl: 'https://junction.example.com');
 *     $junction->events->fire('order.created', ['order' => ['external_id' => '10482']]);
 *
 * Every call signs its request, carries an idempotency key if it writes, and is repeated where that can help. It throws
 * {@see Exception\ServiceException} when it fails. One client serves a whole process.
 */
final class Client extends Resources
{
    public const VERSION = '0.1.0';

    private readonly Transport $transport;

    /**
     * @param ?string $apiKey default: JUNCTION_API_KEY of the environment
     * @param ?string $baseUrl default: JUNCTION_BASE_URL of the environment, else a service on this machine
     *     (http://127.0.0.1:4000). http:// is taken for this machine alone
     * @param ?string $signingSecret of a key that has one; default: JUNCTION_SIGNING_SECRET of the environment, else
     *     the key's own text
     * @param int $maxRetries how often a call is repeated at most; 0 is one request
     * @param float $timeout seconds for one try. A PSR-18 client of your own has its own
     * @param ?float $deadline seconds for all tries and waits of a call together; none, unless told
     * @param array<string, string> $headers sent with every request beside the SDK's own
     * @param bool $sign whether requests carry a signature
     * @param ?ClientInterface $httpClient any PSR-18 client that follows no redirects; default: the SDK's own on curl
     * @param ?Clock $clock for tests
     * @param ?string $keyId in place of apiKey, for a key with a signing secret: then the key itself is never sent
     * @throws ConfigurationException
     */
    public function __construct(
        #[\SensitiveParameter]
        ?string $apiKey = null,
        ?string $baseUrl = null,
        #[\SensitiveParameter]
        ?string $signingSecret = null,
        int $maxRetries = 2,
        float $timeout = 30.0,
        ?float $deadline = null,
        array $headers = [],
        bool $sign = true,
        ?ClientInterface $httpClient = null,
        ?Clock $clock = null,
        ?string $keyId = null,
    ) {
        $this->transport = new Transport(
            new Settings(
                Credentials::of($apiKey, $keyId, $signingSecret, $sign),
                $baseUrl,
                $maxRetries,
                $timeout,
                $deadline,
                $headers,
                $httpClient,
                $clock,
            ),
        );
        parent::__construct($this->transport);
    }

    /**
     * Calls any path as the methods call theirs: signed, with an idempotency key unless it is a GET, repeated where
     * that can help.
     *
     * @param string $path from `/v1` on; a query may be in it
     * @param array<string, mixed> $query
     * @param array<array-key, mixed>|object|string|null $body arrays and objects become JSON; a text is JSON already
     * @throws Exception\ServiceException
     */
    public function request(
        string $method,
        string $path,
        array $query = [],
        array|object|string|null $body = null,
        ?CallOptions $options = null,
    ): Answer {
        if (preg_match('#^/(?!/)[A-Za-z0-9\-._~%!$&\'()*+,;=:@/?]*$#D', $path) !== 1) {
            throw new ConfigurationException('A path begins with one slash, and its odd characters are encoded.');
        }
        $text = \is_string($body) || $body === null ? $body : Encode::json($body);
        $method = strtoupper($method);
        $isWrite = !\in_array($method, ['GET', 'HEAD', 'OPTIONS'], true);
        return $this->transport->call(new Call($method, $path, $query, $text, $isWrite, Expects::Any), $options);
    }

    /** @internal */
    public static function userAgent(): string
    {
        return 'junction-php/' . self::VERSION . ' PHP/' . PHP_VERSION;
    }
}
