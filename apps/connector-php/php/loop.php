<?php

declare(strict_types=1);

/*
 * Starts the process of a PHP connector, on both backends. A real PHP reads the service's lines from descriptor 4 and
 * writes its own to 3, so that text on standard output cannot pass as a message. PHP.wasm passes both to the program
 * around it.
 */

(static function (): void {
    foreach (['', 'Connector/'] as $part) {
        foreach (
            $part === ''
                ? ['AbstractConnector', 'HostError']
                : ['Call', 'Contacts', 'Hooks', 'KeyValues', 'Link', 'Loop', 'Report', 'Timeline', 'Unsayable'] as $name
        ) {
            require __DIR__ . "/src/$part$name.php";
        }
    }
    if (\function_exists('post_message_to_js')) {
        $folder = '/connector';
        \post_message_to_js('!');
        $write = static function (string $line): void {
            \post_message_to_js(">$line");
        };
        $read = static function (): ?string {
            $line = \post_message_to_js('<');
            return $line === '' ? null : $line;
        };
    } else {
        $folder = $_SERVER['argv'][1];
        $in = \fopen('php://fd/4', 'r');
        $out = \fopen('php://fd/3', 'w');
        $write = static function (string $line) use ($out): void {
            \fwrite($out, "$line\n");
        };
        $read = static function () use ($in): ?string {
            $line = \fgets($in);
            return $line === false ? null : $line;
        };
    }
    $_SERVER = $_ENV = [];
    unset($GLOBALS['argv'], $GLOBALS['argc']);
    $stderr = \fopen('php://stderr', 'w');
    (new Junction\Connector\Loop(new Junction\Connector\Link($write, $read), $folder, $stderr))->run();
})();
