import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LogLine } from "./hosts.ts";
import { PHP_START_MS, PHPS, startPhp } from "./testing/php.ts";
import type { PhpHosts } from "./testing/php.ts";
import { caller, failureOf, programOf } from "./testing/programs.ts";

/**
 * Malicious connectors, without the kernel's isolation: only PHP's own restrictions apply here. At the same time a
 * neighbor with the same files continues to run.
 */

const ECHO = `<?php
class Acme extends Junction\\AbstractConnector
{
    private static int $calls = 0;
    public function key(): string { return 'acme'; }
    public function contextProviders(): array { return ['echo' => fn(array $in) => [++self::$calls, $in['n'], $GLOBALS['left'] ?? null]]; }
}
`;
const MARK = "/tmp/junction-php-was-here";

describe.each(PHPS)("on %s, without isolation by the kernel", (_name, program) => {
  let php: PhpHosts;
  let neighbour: { stop(): Promise<number> };
  let port = 0;
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.end();
  });

  beforeAll(async () => {
    php = await startPhp(await program(), { walls: ["none"] });
    neighbour = await askAllTheTime(php);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  }, PHP_START_MS);
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    await php.stop();
  });

  test.each([
    ["loops", "while (true);", "deadline"],
    ["sleeps", "sleep(60);", "deadline"],
    ["sleeps in pieces", "while (true) usleep(1000);", "deadline"],
    ["floods the log", 'while (true) echo "flood\\n";', "deadline"],
    [
      "floods standard error",
      "$e = fopen('php://stderr', 'w'); while (true) fwrite($e, str_repeat('x', 1000) . \"\\n\");",
      "deadline",
    ],
    [
      "asks for a regular expression that does not end",
      "while (true) preg_match('/(a+)+$/', str_repeat('a', 30) . 'b');",
      "deadline",
    ],
    ["allocates without end", "$all = []; while (true) $all[] = str_repeat('x', 1 << 20);", "memory"],
    ["calls itself without end", "$f = fn($f) => $f($f) . ''; $f($f);", "memory"],
    [
      "fills a stream in memory",
      "$m = fopen('php://memory', 'w'); while (true) fwrite($m, str_repeat('x', 1 << 20));",
      "memory",
    ],
    ["exits", "exit(0);", "crashed"],
    ["dies", "echo 'unended'; die('done');", "crashed"],
    ["raises a fatal error", "eval('abstract class A1 { abstract function a(); } class B1 extends A1 {}');", "crashed"],
    [
      "ends where nobody expects it",
      "register_shutdown_function(fn() => exit(0)); ob_start(fn($t) => exit(1), 1); echo 'x';",
      "crashed",
    ],
  ])("a connector that %s is ended", async (_what, body, kind) => {
    const before = php.crashes.length;
    const failure = await failureOf(php.run(body, { deadlineMs: kind === "deadline" ? 1500 : 30_000 }));
    expect(failure.kind).toBe(kind);
    expect(php.crashes.slice(before).map(([, one]) => one)).toEqual([kind]);
    expect(await php.run("return 'again';")).toBe("again");
  });

  test("a connector that forges messages or sends garbage is ended", async () => {
    const say = (line: string) =>
      `if (function_exists('post_message_to_js')) post_message_to_js('>' . ${line}); else fwrite(fopen('php://fd/3', 'w'), ${line} . "\\n");`;
    for (const line of [
      "'garbage'",
      `'{"t":"done","id":1000000,"value":1}'`,
      `'{"t":"ready","protocol":1,"runtime":"php","version":"8.4"}'`,
      "str_repeat('x', 5000000)",
      `'{"t":"log","call":1,"level":"info","message":"x","more":1}'`,
    ]) {
      expect(await failureOf(php.run(`${say(line)} sleep(20);`))).toMatchObject({ kind: "protocol" });
    }
  });

  test.each([
    ["file_get_contents", "file_get_contents('http://127.0.0.1:PORT/')"],
    ["https", "fopen('https://127.0.0.1:PORT/', 'r')"],
    ["ftp", "fopen('ftp://127.0.0.1:PORT/x', 'r')"],
    [
      "a wrapper that is put back",
      "[stream_wrapper_unregister('http'), stream_wrapper_restore('http'), file_get_contents('http://127.0.0.1:PORT/')]",
    ],
    ["include", "(include 'http://127.0.0.1:PORT/')"],
    [
      "a context",
      "file_get_contents('http://127.0.0.1:PORT/', false, stream_context_create(['http' => ['method' => 'POST']]))",
    ],
    ["copied code", "(include 'data://text/plain,<?php return 5;')"],
    ["fsockopen", "fsockopen('127.0.0.1', PORT)"],
    ["pfsockopen", "pfsockopen('127.0.0.1', PORT)"],
    ["stream_socket_client", "stream_socket_client('tcp://127.0.0.1:PORT')"],
    ["stream_socket_server", "stream_socket_server('tcp://127.0.0.1:0')"],
    ["socket_create", "socket_connect(socket_create(AF_INET, SOCK_STREAM, 0), '127.0.0.1', PORT)"],
    ["curl", "curl_exec(curl_init('http://127.0.0.1:PORT/'))"],
    ["gethostbyname", "gethostbyname('localhost')"],
    ["dns_get_record", "dns_get_record('example.com')"],
    ["getmxrr", "getmxrr('example.com', $hosts)"],
    ["get_headers", "get_headers('http://127.0.0.1:PORT/')"],
    ["mail", "mail('a@example.com', 's', 't')"],
    ["SoapClient", "(new SoapClient('http://127.0.0.1:PORT/?wsdl'))->ask()"],
    ["mysqli", "(new mysqli('127.0.0.1', 'a', 'b', 'c', PORT))->query('select 1')"],
    ["PDO", "(new PDO('mysql:host=127.0.0.1;port=PORT', 'a', 'b'))->query('select 1')"],
    ["DOMDocument", "(new DOMDocument)->load('http://127.0.0.1:PORT/')"],
    ["XMLReader", "(new XMLReader)->open('http://127.0.0.1:PORT/')"],
    [
      "an external entity",
      "(string) simplexml_load_string('<!DOCTYPE a [<!ENTITY e SYSTEM \"http://127.0.0.1:PORT/\">]><a>&e;</a>', 'SimpleXMLElement', LIBXML_NOENT)",
    ],
    ["syslog", "syslog(LOG_ALERT, 'x')"],
    ["exec", "exec('touch MARK')"],
    ["backticks", "`touch MARK`"],
    ["system", "system('touch MARK')"],
    ["passthru", "passthru('touch MARK')"],
    ["popen", "popen('touch MARK', 'r')"],
    ["proc_open", "proc_open('touch MARK', [], $pipes)"],
    ["pcntl_fork", "pcntl_fork()"],
    ["pcntl_exec", "pcntl_exec('/bin/touch', ['MARK'])"],
    ["posix_kill", "posix_kill(posix_getppid(), 9)"],
    ["dl", "dl('ffi')"],
    ["FFI", "FFI::cdef('int getpid(void);')->getpid()"],
    ["ini_set", "ini_set('open_basedir', '/')"],
    ["ini_alter", "ini_alter('disable_functions', '')"],
    ["set_time_limit", "set_time_limit(0)"],
    ["putenv", "putenv('LD_PRELOAD=MARK')"],
    ["phpinfo", "phpinfo()"],
    ["opcache", "opcache_invalidate(__FILE__, true)"],
    ["an archive", "(new PharData('MARK.tar'))->addFromString('a', 'b')"],
    ["a database in a file", "(new SQLite3('MARK'))->exec('create table a (b)')"],
  ])("%s has no effect", async (_what, expression) => {
    const body = expression.replaceAll("PORT", String(port)).replaceAll("MARK", MARK);
    const value = await php.run(`return [@${body}];`).catch((error: unknown) => error);
    if (value instanceof Error) expect(value).toMatchObject({ kind: "threw" });
    else expect([[false], [null], [""], [[true, true, false]]]).toContainEqual(value);
    expect(connections).toBe(0);
    expect(existsSync(MARK)).toBe(false);
  });

  test("a connector sees only its own files", async () => {
    const log: LogLine[] = [];
    const paths = [
      "/etc/passwd",
      "/etc/hostname",
      "/proc/self/environ",
      "/proc/self/maps",
      "/proc/1/cmdline",
      "/root",
      "/tmp",
      "..",
      "/dev/mem",
      "/request/stdout",
    ];
    const reads = await php.run(
      `$seen = [];
      foreach ($in['paths'] as $path) foreach ([$path, "file://$path", "php://filter/read=string.toupper/resource=$path", "glob://$path*", "compress.zlib://$path"] as $name)
        foreach (['file_get_contents', 'scandir', 'is_file', 'filesize', 'file', 'realpath', 'md5_file'] as $function)
          if (@$function($name)) $seen[] = "$function $name";
      foreach (['/etc/*', '/proc/*', '/dev/*', '/*/*.ini'] as $pattern) foreach (@glob($pattern) ?: [] as $one) $seen[] = "glob $one";
      foreach (['SplFileObject', 'DirectoryIterator', 'RecursiveDirectoryIterator', 'GlobIterator'] as $class)
        try { foreach (new $class('glob:///etc/*') as $one) $seen[] = "$class $one"; } catch (Throwable) {}
      if (@include '/etc/passwd') $seen[] = 'include';
      try { if (@(new DOMDocument)->load('/etc/passwd')) $seen[] = 'dom'; } catch (Throwable) {}
      return $seen;`,
      { args: [{ paths }], log },
    );
    // A real PHP has the file of its own loop as standard input.
    expect((reads as string[]).filter((one) => one !== "glob /dev/stdin")).toEqual([]);
    expect(JSON.stringify(log)).not.toContain("root:");
  });

  test("the service's environment is not visible", async () => {
    const names = await php.run("return array_keys([...getenv(), ...$_ENV, ...$_SERVER]);");
    const expected = ["PATH", "USE_ZEND_ALLOC", "PHP_INI_SCAN_DIR", "PWD", "OLDPWD", "SHLVL", "_"];
    expect((names as string[]).filter((name) => !expected.includes(name))).toEqual([]);
  });

  test("writes reach no file, no later child and no neighbor", async () => {
    const file = { "connector.php": WRITER };
    const { call, program: own } = php.connector(file);
    for (const mode of ["w", "a", "r+", "c", "x"]) {
      for (const path of ["connector.php", "more.php", MARK, "/connector/other.php", "/junction/loop.php"]) {
        const written = await call("write", { args: [{ path, mode }] }).catch((error: unknown) => error);
        expect([0, false]).toContain(written);
      }
    }
    await php.hosts.end(own.id);
    expect(await call("write", { args: [{ path: "/none/there", mode: "r" }] })).toBe(false);
    expect(existsSync(MARK)).toBe(false);
  });

  test("temporary streams stay in memory, within its limit", async () => {
    const fill =
      "$t = fopen('php://temp', 'w+'); for ($i = 0; $i < 400; $i++) $n = @fwrite($t, str_repeat('x', 1 << 20));";
    const failure = await php.run(`${fill} return ftell($t);`).catch((error: unknown) => error);
    if (failure instanceof Error) expect(failure).toMatchObject({ kind: "memory" });
    else expect(Number(failure)).toBeLessThanOrEqual(3 * 1024 * 1024);
  });

  test.each([
    ['O:13:"SplFileObject":0:{}'],
    ['O:8:"DateTime":0:{}'],
    ['C:11:"ArrayObject":37:{x:i:0;a:1:{i:0;O:8:"stdClass":0:{}};m:a:0:{}}'],
    ['O:24:"Junction\\Connector\\Link":0:{}'],
    ["a:1000000000:{"],
  ])("unserialize(%s) creates nothing that can be used", async (text) => {
    const outcome = await php
      .run("$x = @unserialize($in['text']); return is_object($x) ? $x::class : $x;", { args: [{ text }] })
      .catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome).toMatchObject({ kind: "threw" });
    expect(await php.run("return 1;")).toBe(1);
  });

  test("damage in one process does not affect the next child", async () => {
    for (const body of [
      "stream_wrapper_unregister('file'); stream_wrapper_unregister('php'); spl_autoload_register(fn() => exit(1)); exit(1);",
      "foreach (get_resources() as $resource) if (get_resource_type($resource) === 'stream') fclose($resource); exit(1);",
      "$GLOBALS['left'] = str_repeat('x', 1000); gc_disable(); exit(1);",
    ]) {
      expect(await failureOf(php.run(body))).toMatchObject({ kind: "crashed" });
      expect(await php.run("return isset($GLOBALS['left']);")).toBe(false);
    }
  });

  test("the neighbor ran all the time, in one child and unaffected", async () => {
    expect(await neighbour.stop()).toBeGreaterThan(100);
  });
});

const WRITER = `<?php
class Acme extends Junction\\AbstractConnector
{
    public function key(): string { return 'acme'; }
    public function contextProviders(): array { return ['write' => 'write']; }
    protected function write(array $in): mixed
    {
        $path = str_starts_with($in['path'], '/') ? $in['path'] : __DIR__ . '/' . $in['path'];
        $file = @fopen($path, $in['mode']);
        return $file === false ? false : (int) @fwrite($file, 'written') + (int) @fflush($file) - 1;
    }
}
`;

/** Calls a connector in its own child continuously. Its static state counts the calls of that child. */
async function askAllTheTime(php: PhpHosts): Promise<{ stop(): Promise<number> }> {
  const call = caller(php.hosts, programOf({ "connector.php": ECHO }, { runtime: "php" }));
  let n = 0;
  let stopped = false;
  const asking = (async () => {
    while (!stopped) {
      n += 1;
      const answer = await call("echo", { args: [{ n }], deadlineMs: 60_000 });
      if (JSON.stringify(answer) !== JSON.stringify([n, n, null]))
        throw new Error(`The neighbour said ${JSON.stringify(answer)}.`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return n;
  })();
  // The caller of `stop` receives the failure. Until then it must not be an unhandled rejection.
  asking.catch(() => {});
  return {
    stop: async () => {
      stopped = true;
      return await asking;
    },
  };
}
