<?php

// What a call of the SDK costs over a bare curl handle that posts the same bytes; `php overhead.php <url> <seconds>`.

declare(strict_types=1);

require dirname(__DIR__) . '/sdks/php/tests/bootstrap.php';

[, $url, $seconds] = $argv;

$client = new Junction\Client('jn_live_9hT2mQe7xR4vK1pZ8cW6nB3yL5sD0fGaJuEo3kQ1xM741e8TL', $url);
$data = Junction\Testing\Fixtures::eventData(Junction\EventName::OrderCreated);
$body = json_encode(['event' => 'order.created', 'data' => $data], JSON_THROW_ON_ERROR);

$handle = curl_init("{$url}/v1/events/fire");
curl_setopt_array($handle, [
    CURLOPT_POSTFIELDS => $body,
    CURLOPT_HTTPHEADER => ['Content-Type: application/json', 'Expect:'],
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_TCP_NODELAY => true,
]);

$calls = [
    'bare' => static fn() => curl_exec($handle),
    'sdk' => static fn() => $client->events->fire(Junction\EventName::OrderCreated, $data),
];
$walls = ['bare' => [], 'sdk' => []];
$processor = ['bare' => 0.0, 'sdk' => 0.0];
$end = hrtime(true) + (float) $seconds * 1e9;
$isWarm = false;

// By turns, so that what disturbs one disturbs the other.
while (hrtime(true) < $end) {
    foreach ($calls as $name => $call) {
        $before = processorTime();
        for ($count = 0; $count < 100; ++$count) {
            $start = hrtime(true);
            $call();
            if ($isWarm) {
                $walls[$name][] = hrtime(true) - $start;
            }
        }
        $processor[$name] += $isWarm ? processorTime() - $before : 0.0;
    }
    $isWarm = true;
}

$report = [];
foreach ($calls as $name => $_) {
    sort($walls[$name]);
    $report[$name] = [
        'calls' => count($walls[$name]),
        'median_us' => $walls[$name][intdiv(count($walls[$name]), 2)] / 1000,
        'processor_us' => $processor[$name] / count($walls[$name]) * 1e6,
    ];
}
echo json_encode($report, JSON_THROW_ON_ERROR);

function processorTime(): float
{
    $usage = getrusage();
    return $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec'] + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e6;
}
