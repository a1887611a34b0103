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
    /** Hidden from dumps, exports and serialized data by PHP itself. */
    private \SensitiveParameterValue $apiKey;

    private \SensitiveParameterValue $signingSecret;

    /** Scheme, host and port. */
    public string $origin;

    /** What the base URL adds before each path; '' for most. */
    public string $prefix;

    public ClientInterface $httpClient;

    public Clock $clock;

    /** @param array<string, string> $headers */
    public function __construct(
        #[\SensitiveParameter]
        ?string $apiKey,
        ?string $baseUrl,
        #[\SensitiveParameter]
        ?string $signingSecret,
        public int $maxRetries,
        public float $timeout,
        public ?float $deadline,
        public array $headers,
        public bool $sign,
        ?ClientInterface $httpClient,
        ?Clock $clock,
    ) {
        $key = self::apiKey($apiKey ?? self::environment('JUNCTION_API_KEY'));
        $this->apiKey = new \SensitiveParameterValue($key);
        // A key without a signing secret signs with its own text.
        $secret = $signingSecret ?? self::environment('JUNCTION_SIGNING_SECRET') ?? $key;
        $this->signingSecret = new \SensitiveParameterValue($secret);
        [$this->origin, $this->prefix] = self::base($baseUrl ?? self::environment('JUNCTION_BASE_URL'));
        self::checkLimits($maxRetries, $timeout, $deadline);
        $this->httpClient = $httpClient ?? new CurlClient();
        $this->clock = $clock ?? new SystemClock();
    }

    public function authorization(): string
    {
        return 'Bearer ' . self::text($this->apiKey);
    }

    public function signature(string $stringToSign): string
    {
        return Signing::sign(self::text($this->signingSecret), $stringToSign);
    }

    /** The text without the two secrets, should something have put them there. */
    public function redact(#[\SensitiveParameter] string $text): string
    {
        return str_replace([self::text($this->apiKey), self::text($this->signingSecret)], '***', $text);
    }

    public static function checkLimits(?int $maxRetries, ?float $timeout, ?float $deadline): void
    {
        if ($maxRetries !== null && ($maxRetries < 0 || $maxRetries > 100)) {
            throw new ConfigurationException('maxRetries is between 0 and 100.');
        }
        foreach (['timeout' => $timeout, 'deadline' => $deadline] as $name => $seconds) {
            if ($seconds !== null && !($seconds > 0 && is_finite($seconds))) {
                throw new ConfigurationException("{$name} is a number of seconds above 0.");
            }
        }
    }

    private static function text(\SensitiveParameterValue $secret): string
    {
        $text = $secret->getValue();
        return \is_string($text) ? $text : '';
    }

    private static function apiKey(#[\SensitiveParameter] ?string $key): string
    {
        if ($key === null || $key === '') {
            throw new ConfigurationException(
                'There is no API key: give apiKey, or set JUNCTION_API_KEY in the environment.',
            );
        }
        if (preg_match('/^[!-~]+$/D', $key) !== 1) {
            throw new ConfigurationException(
                'The API key has blanks, line breaks or other characters that no key has.',
            );
        }
        return $key;
    }

    /** @return array{string, string} */
    private static function base(?string $url): array
    {
        if ($url === null) {
            throw new ConfigurationException(
                'There is no base URL: give baseUrl, or set JUNCTION_BASE_URL in the environment.',
            );
        }
        $parts = parse_url($url);
        if ($parts === false || !isset($parts['scheme'], $parts['host'])) {
            throw new ConfigurationException('The base URL is no URL such as https://junction.example.com.');
        }
        if (isset($parts['user']) || isset($parts['pass']) || isset($parts['query']) || isset($parts['fragment'])) {
            throw new ConfigurationException('The base URL has more than a scheme, a host, a port and a path.');
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
                'The base URL is not https://. http:// is taken for this machine alone (localhost, 127.0.0.1, [::1]): '
                . 'the key would be readable on the way.',
            );
        }
    }

    /** Frameworks that read a .env file fill $_ENV or $_SERVER, and not always the process's own environment. */
    private static function environment(string $name): ?string
    {
        foreach ([$_SERVER[$name] ?? null, $_ENV[$name] ?? null, getenv($name)] as $value) {
            if (\is_string($value) && $value !== '') {
                return $value;
            }
        }
        return null;
    }
}
