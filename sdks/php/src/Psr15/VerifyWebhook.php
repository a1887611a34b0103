<?php

declare(strict_types=1);

namespace Junction\Psr15;

use Junction\Exception\WebhookVerificationException;
use Junction\Http\Factory;
use Junction\Http\Stream;
use Junction\Type\WebhookMessage;
use Junction\Webhooks;
use Psr\Http\Message\ResponseFactoryInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\MiddlewareInterface;
use Psr\Http\Server\RequestHandlerInterface;

/**
 * PSR-15 middleware: passes only deliveries of Junction to the handler, with the message in the request attribute
 * `WebhookMessage::class`. Responds with 401 to all other requests.
 */
final readonly class VerifyWebhook implements MiddlewareInterface
{
    private \SensitiveParameterValue $secrets;

    /**
     * @param string|list<string> $secrets the endpoint's secret; during a rotation, the old and the new one
     * @param int $tolerance the maximum difference of the time in seconds
     */
    public function __construct(
        #[\SensitiveParameter]
        string|array $secrets,
        private int $tolerance = 300,
        private ResponseFactoryInterface $responses = new Factory(),
    ) {
        // A secret that is none is found when the receiver starts, not when the first delivery comes.
        Webhooks::sign('', $secrets);
        $this->secrets = new \SensitiveParameterValue($secrets);
    }

    public function process(ServerRequestInterface $request, RequestHandlerInterface $handler): ResponseInterface
    {
        $body = (string) $request->getBody();
        /** @var string|list<string> $secrets */
        $secrets = $this->secrets->getValue();
        try {
            $message = Webhooks::verify($body, $request, $secrets, $this->tolerance);
        } catch (WebhookVerificationException $refusal) {
            $response = $this->responses->createResponse(401)->withHeader('Content-Type', 'text/plain; charset=utf-8');
            $response->getBody()->write($refusal->reason);
            return $response;
        }
        // The body was read to its end, and may not be one that can be read twice.
        return $handler->handle($request->withBody(new Stream($body))->withAttribute(WebhookMessage::class, $message));
    }
}
