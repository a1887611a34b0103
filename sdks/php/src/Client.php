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
 * Every call is signed, has an idempotency key if it writes, and is retried if that can help. A failed call throws
 * {@see Exception\ServiceException}. One client can serve a whole process.
 */
final class Client extends Resources
{
    public const VERSION = '0.1.0';

    private readonly Transport $transport;

    private readonly Clock $clock;

    /**
     * @param ?string $apiKey default: JUNCTION_API_KEY of the environment
     * @param ?string $baseUrl default: JUNCTION_BASE_URL of the environment, else a service on this machine
     *     (http://127.0.0.1:4000). http:// is allowed only for this machine
     * @param ?string $signingSecret the signing secret of the key, if it has one; default:
     *     JUNCTION_SIGNING_SECRET of the environment, else the key's own text
     * @param int $maxRetries the maximum number of retries; with 0, only one request is sent
     * @param float $timeout the timeout per attempt in seconds. Your own PSR-18 client has its own timeout
     * @param ?float $deadline the deadline per call in seconds, including waits; default: none
     * @param array<string, string> $headers sent with every request, in addition to the SDK's own
     * @param bool $sign whether requests are signed; default: true
     * @param ?ClientInterface $httpClient any PSR-18 client that does not follow redirects; default: the SDK's own
     *     client on curl
     * @param ?Clock $clock for tests
     * @param ?string $keyId the id of the key, instead of apiKey, for a key with a signing secret. The key itself
     *     is then never sent
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
        $this->clock = $clock ?? new SystemClock();
        $this->transport = new Transport(
            new Settings(
                Credentials::of($apiKey, $keyId, $signingSecret, $sign),
                $baseUrl,
                $maxRetries,
                $timeout,
                $deadline,
                $headers,
                $httpClient,
                $this->clock,
            ),
        );
        parent::__construct($this->transport);
    }

    /**
     * Iterates over the messages of a pull endpoint. A message is committed after the body of the loop, and comes again
     * if the body throws, the loop is left, or the process ends. Waits while the service does not respond, and pulls
     * again after a lease was lost.
     *
     *     foreach ($junction->consume($endpoint, consumer: 'billing') as $message) { … }
     *
     * @param string $endpoint the id of an endpoint of kind `pull`
     * @param string $consumer the name of the consumer, which has its own position
     * @param int $limit the maximum number of messages of one pull
     * @param int $waitSeconds the time for which a pull waits for messages
     * @param int $leaseSeconds the time after which another process may pull the messages again. Each commit extends it
     * @param 'start'|'end' $start where a new consumer begins
     * @param bool $once end when there are no messages, instead of waiting for the next ones
     * @return \Generator<int, ConsumedMessage, mixed, void>
     * @throws Exception\ServiceException
     */
    public function consume(
        string $endpoint,
        string $consumer,
        int $limit = 100,
        int $waitSeconds = 20,
        int $leaseSeconds = 60,
        string $start = 'start',
        bool $once = false,
    ): \Generator {
        $consumption = new Consumption(
            $this->transport,
            $this->clock,
            '/v1/webhook-endpoints/' . Encode::part($endpoint, 'endpoint'),
            $consumer,
            $limit,
            $waitSeconds,
            $leaseSeconds,
            $start,
            $once,
        );
        return $consumption->messages();
    }

    /**
     * Calls any path. Like all other calls, it is signed, has an idempotency key unless it is a GET, and is retried if
     * that can help.
     *
     * @param string $path the path from `/v1` on; it can contain a query
     * @param array<string, mixed> $query
     * @param array<array-key, mixed>|object|string|null $body arrays and objects become JSON; a string must
     *     already be JSON
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
            throw new ConfigurationException('A path must begin with one slash, with special characters encoded.');
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
