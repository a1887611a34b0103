<?php

declare(strict_types=1);

namespace Junction;

use Junction\Exception\ConfigurationException;
use Junction\Http\CurlClient;
use Psr\Http\Client\ClientInterface;

/**
 * What a client was made with, checked.
 *
 * @internal
 */
final readonly class Settings
{
    /** A service on this machine, as it starts without a setting. */
    private const HERE = 'http://127.0.0.1:4000';

    /** Scheme, host and port. */
    public string $origin;

    /** What the base URL adds before each path; '' for most. */
    public string $prefix;

    public ClientInterface $httpClient;

    public Clock $clock;

    /** @param array<string, string> $headers */
    public function __construct(
        public Credentials $credentials,
        ?string $baseUrl,
        public int $maxRetries,
        public float $timeout,
        public ?float $deadline,
        public array $headers,
        ?ClientInterface $httpClient,
        ?Clock $clock,
    ) {
        [$this->origin, $this->prefix] = self::base($baseUrl ?? Environment::read('JUNCTION_BASE_URL') ?? self::HERE);
        self::checkLimits($maxRetries, $timeout, $deadline);
        $this->httpClient = $httpClient ?? new CurlClient();
        $this->clock = $clock ?? new SystemClock();
    }

    public static function checkLimits(?int $maxRetries, ?float $timeout, ?float $deadline): void
    {
        if ($maxRetries !== null && ($maxRetries < 0 || $maxRetries > 100)) {
            throw new ConfigurationException('maxRetries must be from 0 to 100.');
        }
        foreach (['timeout' => $timeout, 'deadline' => $deadline] as $name => $seconds) {
            if ($seconds !== null && !($seconds > 0 && is_finite($seconds))) {
                throw new ConfigurationException("{$name} must be a number of seconds above 0.");
            }
        }
    }

    /** @return array{string, string} */
    private static function base(string $url): array
    {
        $parts = parse_url($url);
        if ($parts === false || !isset($parts['scheme'], $parts['host'])) {
            throw new ConfigurationException('The base URL must be a URL such as https://junction.example.com.');
        }
        if (isset($parts['user']) || isset($parts['pass']) || isset($parts['query']) || isset($parts['fragment'])) {
            throw new ConfigurationException('The base URL must contain only a scheme, a host, a port and a path.');
        }
        self::checkScheme($parts['scheme'], $parts['host']);
        $port = isset($parts['port']) ? ":{$parts['port']}" : '';
        return [strtolower($parts['scheme']) . "://{$parts['host']}{$port}", rtrim($parts['path'] ?? '', '/')];
    }

    private static function checkScheme(string $scheme, string $host): void
    {
        $isLoopback = preg_match('/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/Di', $host) === 1;
        $isSafe = match (strtolower($scheme)) {
            'https' => true,
            'http' => $isLoopback,
            default => false,
        };
        if (!$isSafe) {
            throw new ConfigurationException(
                'The base URL must begin with https://, because http:// would send the key unencrypted. '
                . '(http:// is allowed for localhost, 127.0.0.1 and [::1].)',
            );
        }
    }
}
