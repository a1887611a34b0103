<?php

declare(strict_types=1);

namespace Junction\Connector;

use Junction\AbstractConnector;

/** Loads the connector's file once, then runs one call after the other until the service ends the input. */
final class Loop
{
    private const string FILE = 'connector.php';
    private const int LONGEST_PRINTED = 8_192;
    private const int FATAL = \E_ERROR | \E_PARSE | \E_CORE_ERROR | \E_COMPILE_ERROR | \E_USER_ERROR
        | \E_RECOVERABLE_ERROR;

    private readonly Report $report;
    private readonly \Closure $onError;
    private readonly int $outputLevel;

    /** @var \ReflectionClass<AbstractConnector>|null */
    private ?\ReflectionClass $class = null;

    /** The reason why the file cannot be used. */
    private ?\Throwable $fault = null;

    private ?Call $call = null;
    private string $printed = '';
    private string $state = 'reading';

    /** @param resource $stderr */
    public function __construct(
        private readonly Link $link,
        private readonly string $folder,
        private $stderr,
    ) {
        $this->report = new Report($folder);
        $this->onError = $this->note(...);
    }

    public function run(): void
    {
        // Printed text must not reach standard output, which belongs to the protocol.
        \ob_start($this->print(...), 1, 0);
        $this->outputLevel = \ob_get_level();
        \set_error_handler($this->onError);
        \register_shutdown_function($this->atEnd(...));
        try {
            $this->class = $this->load();
        } catch (\Throwable $error) {
            $this->fault = $error;
        }
        $this->serve();
    }

    private function serve(): void
    {
        $this->state = 'serving';
        $this->link->send(['t' => 'ready', 'protocol' => 1, 'runtime' => 'php', 'version' => \PHP_VERSION]);
        while (($message = $this->link->receive()) !== null) {
            $this->answer($message);
        }
        $this->state = 'ended';
    }

    /** @param array<string, mixed> $message */
    private function answer(array $message): void
    {
        $id = $message['id'];
        $this->call = new Call($this->link, $id, $message['facts']);
        try {
            $value = $this->hooks($this->call)->call($message['hook'], $message['name'], $message['args']);
            $this->tidy();
            $this->link->send(['t' => 'done', 'id' => $id, 'value' => $value]);
        } catch (Unsayable $error) {
            $this->fail($id, ['message' => "What the hook returned cannot be sent: {$error->getMessage()}."]);
        } catch (\Throwable $error) {
            $this->fail($id, $this->report->ofThrowable($error));
        }
        $this->call = null;
    }

    /** @param array{message: string, stack?: string, code?: string} $error */
    private function fail(int $id, array $error): void
    {
        $this->tidy();
        $this->link->tell(['t' => 'failed', 'id' => $id, 'error' => $error]);
    }

    private function hooks(Call $call): Hooks
    {
        if ($this->class === null) {
            throw $this->fault ?? new \LogicException('There is no class.');
        }
        $connector = $this->class->newInstanceWithoutConstructor();
        // The instance is bound before its constructor runs, because that may use services.
        $bind = function () use ($call): void {
            $this->call = $call;
            $this->contacts = new Contacts($call);
            $this->timeline = new Timeline($call);
            $this->kv = new KeyValues($call);
            $this->event = $call->event();
        };
        \Closure::bind($bind, $connector, AbstractConnector::class)();
        $this->class->getConstructor()?->invoke($connector);
        return new Hooks($connector);
    }

    /** @return \ReflectionClass<AbstractConnector> */
    private function load(): \ReflectionClass
    {
        $file = "$this->folder/" . self::FILE;
        // The separate scope hides the variables and objects of this class from the file.
        (static function (): void {
            require \func_get_arg(0);
        })($file);
        $found = [];
        foreach (\get_declared_classes() as $name) {
            $class = new \ReflectionClass($name);
            $isHere = $class->getFileName() === $file && !$class->isAbstract();
            if ($isHere && $class->isSubclassOf(AbstractConnector::class)) {
                $found[] = $class;
            }
        }
        if (\count($found) !== 1) {
            $count = $found === [] ? 'no class' : \count($found) . ' classes';
            throw new \UnexpectedValueException(
                self::FILE . " has $count that extends Junction\\AbstractConnector; one is needed.",
            );
        }
        return $found[0];
    }

    /** Ends output buffers and error handlers that the connector left behind. */
    private function tidy(): void
    {
        while (\ob_get_level() > $this->outputLevel && \ob_end_flush()) {
            continue;
        }
        if ($this->printed !== '') {
            $this->line($this->printed);
            $this->printed = '';
        }
        $this->call?->end();
        while (($handler = \set_error_handler($this->onError)) !== $this->onError && $handler !== null) {
            \restore_error_handler();
            \restore_error_handler();
        }
        if ($handler !== null) {
            \restore_error_handler();
        }
        \error_reporting(\E_ALL);
        \date_default_timezone_set('UTC');
    }

    /** Logs printed text, line by line. */
    private function print(string $text): string
    {
        $lines = \explode("\n", $this->printed . $text);
        $this->printed = (string) \array_pop($lines);
        if (\strlen($this->printed) > self::LONGEST_PRINTED) {
            $lines[] = $this->printed;
            $this->printed = '';
        }
        foreach ($lines as $line) {
            $this->line($line);
        }
        return '';
    }

    private function line(string $text): void
    {
        if ($this->call === null) {
            \fwrite($this->stderr, "$text\n");
            return;
        }
        if (\trim($text) !== '') {
            $this->call->log('info', $text);
        }
    }

    private function note(int $kind, string $message, string $file, int $line): bool
    {
        // The level is 0 if the code uses @.
        if ((\error_reporting() & $kind) !== 0) {
            $text = $this->report->ofError($kind, $message, $file, $line);
            $isQuiet = \in_array($kind, [\E_NOTICE, \E_USER_NOTICE, \E_DEPRECATED, \E_USER_DEPRECATED], true);
            $this->call === null
                ? \fwrite($this->stderr, "$text\n")
                : $this->call->log($isQuiet ? 'info' : 'warning', $text);
        }
        return true;
    }

    /** Handles the end of PHP: regular, by exit(), or by a fatal error. */
    private function atEnd(): void
    {
        if ($this->state === 'ended') {
            return;
        }
        $last = \error_get_last();
        $isFatal = $last !== null && ($last['type'] & self::FATAL) !== 0;
        $said = $isFatal ? $this->report->ofError(...\array_values($last)) : 'exit() was called';
        if ($this->state === 'reading') {
            // Only the connector's file has run, so every call returns its error.
            $this->fault = new \Error("connector.php cannot be used: $said");
            $this->serve();
            return;
        }
        $this->tidy();
        // PHP itself has printed the fatal error.
        if (!$isFatal) {
            \fwrite($this->stderr, "The connector's process ended itself: $said.\n");
        }
    }
}
