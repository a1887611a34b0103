<?php

// Calls a real service with the key of JUNCTION_API_KEY, and prints what came of it for tools/php/sdk-service.test.ts.

declare(strict_types=1);

namespace Junction\Tests;

use Junction\CallOptions;
use Junction\Client;
use Junction\EventName;
use Junction\Exception\ServiceException;
use Junction\Page;
use Junction\Webhooks;
use Junction\Testing\FakeClock;
use Junction\Testing\Fixtures;
use Junction\Type\ApiKeyPermissionMode;

require __DIR__ . '/bootstrap.php';

$junction = new Client();

/** @param \Closure(): mixed $call */
function failureOf(\Closure $call): string
{
    try {
        $call();
        return 'none';
    } catch (ServiceException $error) {
        return substr((string) strrchr($error::class, '\\'), 1) . " {$error->status} {$error->errorCode}";
    }
}

$report = [];

$options = new CallOptions('php-1');
$fired = $junction->events->fire(EventName::OrderPaid, ['order' => ['external_id' => '1']], options: $options);
$again = $junction->events->fire(EventName::OrderPaid, ['order' => ['external_id' => '1']], options: $options);
$report['replayed'] = [$fired->response()?->replayed, $again->response()?->replayed, $fired->id === $again->id];
$report['reused'] = failureOf(static fn() => $junction->events->fire('a.b', [], options: $options));

foreach (range(1, 5) as $number) {
    $data = ['number' => $number, 'nothing' => new \stdClass()];
    $junction->events->fire('php.counted', $data, subject: "number:{$number}");
}
$report['pages'] = [];
foreach ($junction->events->list(event: 'php.counted', limit: 2) as $event) {
    $report['pages'][] = $event->data['number'];
}

// An hour behind: the first request is refused, and the service's time is taken over.
$behind = new Client(clock: new FakeClock(microtime(true) - 3600));
$report['clock'] = $behind->me->get()->response()?->attempts;

$key = $junction->keys->create(
    name: 'Signs with a secret',
    permissionMode: ApiKeyPermissionMode::ReadOnly,
    requireSignature: true,
    signingSecret: true,
);
$signing = ['signingSecret' => $key->signingSecret];
$report['signed by id'] = (new Client(...$signing, keyId: $key->id))->me->get()->response()?->status;
$report['signed by key'] = (new Client($key->key, ...$signing))->me->get()->response()?->status;
$report['unsigned'] = failureOf(static fn() => (new Client($key->key, sign: false))->me->get());
$report['read only'] = failureOf(static fn() => (new Client($key->key, ...$signing))->events->fire('a.b', []));
$report['wrong key'] = failureOf(static fn() => (new Client(Fixtures::API_KEY))->me->get());

$report['not found'] = failureOf(static fn() => $junction->deliveries->get($fired->id));
$report['blocked'] = failureOf(static fn() => $junction->webhookEndpoints->create('http://example.com/', ['*']));
$report['invalid'] = failureOf(static fn() => $junction->events->list(limit: 1000));
$report['no route'] = failureOf(static fn() => $junction->request('GET', '/v1/nothing-here'));

$pulled = ['kind' => 'pull', 'events' => ['php.pulled']];
$pull = $junction->request('POST', '/v1/webhook-endpoints', body: $pulled)->object();
[$endpoint, $secret] = [$pull['id'] ?? null, $pull['secret'] ?? null];
\assert(\is_string($endpoint) && \is_string($secret));
foreach (range(1, 3) as $number) {
    $junction->events->fire('php.pulled', ['n' => $number]);
}
$report['pulled'] = [];
foreach ($junction->consume($endpoint, consumer: 'php', limit: 2, once: true) as $message) {
    $checked = Webhooks::verify($message->body, $message->headers, $secret);
    $report['pulled'][] = $checked->data['n'];
    if (\count($report['pulled']) === 2) {
        break;
    }
}
foreach ($junction->consume($endpoint, consumer: 'php', once: true) as $message) {
    $report['pulled'][] = $message->offset;
}
$report['lost lease'] = [];
foreach ($junction->consume($endpoint, consumer: 'lost', once: true) as $message) {
    $report['lost lease'][] = $message->offset;
    if (\count($report['lost lease']) === 2) {
        $seek = ['consumer' => 'lost', 'to' => ['offset' => 2]];
        $junction->request('POST', "/v1/webhook-endpoints/{$endpoint}/seek", body: $seek);
    }
}

// JUNCTION_AWAY_URL makes the service go away for a time: at once, or a little later, while the next pull waits.
$away = getenv('JUNCTION_AWAY_URL');
\assert(\is_string($away));
$pulled = ['kind' => 'pull', 'events' => ['php.away']];
$pull = $junction->request('POST', '/v1/webhook-endpoints', body: $pulled)->object();
$endpoint = $pull['id'] ?? null;
\assert(\is_string($endpoint));
foreach (range(1, 3) as $number) {
    $junction->events->fire('php.away', ['n' => $number]);
}
$report['away'] = [];
$through = new Client(baseUrl: (string) getenv('JUNCTION_WAY_URL'));
foreach ($through->consume($endpoint, consumer: 'away') as $message) {
    $report['away'][] = $message->offset;
    if (\count($report['away']) === 2) {
        file_get_contents("{$away}now");
    } elseif (\count($report['away']) === 3) {
        file_get_contents("{$away}soon");
    } elseif (\count($report['away']) === 5) {
        break;
    }
}
$consumers = $junction->request('GET', "/v1/webhook-endpoints/{$endpoint}/consumers")->object();
$report['away position'] = $consumers['data'][0]['position'] ?? null;

// Everything that is listed is read as the contract has it.
$report['unread'] = [];
foreach (get_object_vars($junction) as $name => $resource) {
    if (!method_exists($resource, 'list')) {
        continue;
    }
    $list = $name === 'search' ? $resource->list(q: 'an') : $resource->list();
    \assert($list instanceof Page);
    foreach ($list->data as $object) {
        array_push($report['unread'], ...Missing::in($object));
    }
    $report['lists'][] = $name;
}

echo json_encode($report, JSON_THROW_ON_ERROR | JSON_PRETTY_PRINT);
