<?php

declare(strict_types=1);

// The libraries that Debian packages; with Composer, `vendor/autoload.php` would bring them.
foreach ([
    'Psr/Http/Client',
    'Psr/Http/Message',
    'GuzzleHttp',
    'Nyholm/Psr7',
    'Http/Psr7Test',
    'Interop/Http/Factory',
] as $library) {
    require "{$library}/autoload.php";
}
require 'Psr/Http/Message/factory-autoload.php';

spl_autoload_register(static function (string $class): void {
    $folders = [
        'Junction\\Tests\\' => ['tests'],
        'Psr\\Http\\Server\\' => ['tests/Psr'],
        'Junction\\' => ['src', 'generated'],
    ];
    foreach ($folders as $prefix => $places) {
        if (!str_starts_with($class, $prefix)) {
            continue;
        }
        $name = str_replace('\\', '/', substr($class, strlen($prefix)));
        foreach ($places as $place) {
            $file = dirname(__DIR__) . "/{$place}/{$name}.php";
            if (is_file($file)) {
                require $file;
                return;
            }
        }
    }
});
