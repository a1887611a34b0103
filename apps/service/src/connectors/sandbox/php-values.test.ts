import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PHP_START_MS, PHPS, startPhp } from "./testing/php.ts";
import type { PhpHosts } from "./testing/php.ts";
import { failureOf } from "./testing/programs.ts";

/** Values that cross between JSON and PHP, and the messages of errors, which are the same on both backends. */

describe.each(PHPS)("on %s", (_name, program) => {
  let php: PhpHosts;

  beforeAll(async () => {
    php = await startPhp(await program());
  }, PHP_START_MS);
  afterAll(async () => await php.stop());

  test.each([
    ["null", null],
    ["[true, false]", [true, false]],
    ["[1, -1, 0, PHP_INT_SIZE, 9007199254740991]", [1, -1, 0, 8, 9_007_199_254_740_991]],
    ["[0.1, 1.0, 1e25, -0.5]", [0.1, 1, 1e25, -0.5]],
    ["[gettype($in['whole']), gettype($in['broken']), $in['broken']]", ["integer", "double", 1.5]],
    ["[]", []],
    ["['list' => [], 'object' => new stdClass, 'cast' => (object) []]", { list: [], object: {}, cast: {} }],
    ["[1 => 'a', 2 => 'b']", { 1: "a", 2: "b" }],
    ['[\'äöü€😀\', "a\\u{2028}b/\\"\\n\\0"]', ["äöü€😀", 'a\u{2028}b/"\n\u{0}']],
    ["new class { public $a = 1; protected $b = 2; }", { a: 1 }],
    ["new class implements JsonSerializable { public function jsonSerialize(): mixed { return [7]; } }", [7]],
    ["$in['empty'] === [] && is_array($in['nested']['deep'])", true],
  ])("%s is returned as JSON", async (expression, value) => {
    const given = { whole: 1, broken: 1.5, empty: {}, nested: { deep: [1] } };
    expect(await php.run(`return ${expression};`, { args: [given] })).toEqual(value);
  });

  test.each([
    ['"\\xff"', "text is not UTF-8; give bytes as base64"],
    ["NAN", "INF and NAN are no numbers of JSON"],
    ["fopen('php://memory', 'r')", "a resource is no value of JSON"],
    ["(function () { $a = []; $a['a'] = &$a; return $a; })()", "it contains itself"],
    ["array_reduce(range(1, 100), fn($c) => [$c], 1)", "it nests deeper than 60 levels"],
    ["(function () { $o = new stdClass; $o->o = $o; return $o; })()", "it contains itself"],
    ["str_repeat('a', 5000000)", "it is larger than 4 MiB as JSON"],
  ])("%s cannot be returned, with the reason", async (expression, why) => {
    const answered = await failureOf(php.run(`return ${expression};`));
    expect(answered).toMatchObject({ kind: "threw", message: `What the hook returned cannot be sent: ${why}.` });
    const asked = await failureOf(php.run(`$this->kv->set('a', ${expression});`));
    expect(asked.message).toBe(`What kv.set() was given cannot be sent: ${why}.`);
    expect(asked.code).toBe(why.includes("larger") ? "too_large" : "invalid");
  });

  test("values with the maximum depth or length of a line are accepted", async () => {
    const deep = await php.run("return array_reduce(range(1, 60), fn($c) => [$c], 1);");
    expect(JSON.stringify(deep)).toBe(`${"[".repeat(60)}1${"]".repeat(60)}`);
    const long = await php.run("return str_repeat('é', 2000000);");
    expect(long).toHaveLength(2_000_000);
    const given = "x".repeat(4_000_000);
    expect(
      await php.run("return [strlen($in['text']), md5($in['text']) === md5(str_repeat('x', 4000000))];", {
        args: [{ text: given }],
      }),
    ).toEqual([4_000_000, true]);
  });

  test("an error names places of the connector, and no other path", async () => {
    const { call } = php.connector({
      "connector.php": `<?php
require __DIR__ . '/src/Api.php';
class Acme extends Junction\\AbstractConnector
{
    public function key(): string { return 'acme'; }
    public function test(): void { (new Api)->ask(__DIR__); }
}
`,
      "src/Api.php": `<?php
class Api
{
    public function ask(string $where): void
    {
        try { throw new LogicException('first in ' . $where . '/x'); }
        catch (LogicException $e) { throw new RuntimeException("then in $where/src/Api.php", 7, $e); }
    }
}
`,
    });
    const failure = await failureOf(call("test", { hook: "test" }));
    expect(failure).toMatchObject({
      kind: "threw",
      message: "then in src/Api.php",
      trace: `RuntimeException
    at Api->ask (src/Api.php:7)
    at Acme->test (connector.php:6)
caused by first in x
LogicException
    at Api->ask (src/Api.php:6)
    at Acme->test (connector.php:6)`,
    });
  });

  test("an error of any kind has a limited size", async () => {
    const long = await failureOf(php.run('throw new Exception(str_repeat("\\xff", 100000));'));
    expect(long.message.length).toBeLessThanOrEqual(2000);
    const deep = await failureOf(
      php.run("$f = function ($n) use (&$f) { if ($n === 0) throw new Exception(''); $f($n - 1); }; $f(5000);"),
    );
    expect(deep).toMatchObject({ kind: "threw", message: "Exception" });
    expect(deep.trace?.split("\n").length).toBeLessThan(50);
    const invented = await failureOf(php.run("throw new Junction\\HostError('invented', 'Not a code of ours.');"));
    expect(invented).toMatchObject({ kind: "threw", message: "Not a code of ours." });
    expect(invented.code).toBeUndefined();
    expect(await failureOf(php.run("intdiv(1, 0);"))).toMatchObject({ kind: "threw", message: "Division by zero" });
    expect(await failureOf(php.run("strlen([]);"))).toMatchObject({ kind: "threw" });
  });

  test.each([
    ["<?php class Acme extends Junction\\AbstractConnector {", /^Unclosed '\{' \(connector\.php:1\)$/],
    [
      "<?php class Acme extends Junction\\AbstractConnector { }",
      /^connector\.php cannot be used: Fatal error: .*abstract method/,
    ],
    ["<?php throw new Exception('While it is read.');", /^While it is read\.$/],
    ["<?php exit(1);", /^connector\.php cannot be used: exit\(\) was called$/],
    ["<?php class Acme {}", /^connector\.php has no class that extends Junction\\AbstractConnector; one is needed\.$/],
    ["no PHP", /^connector\.php has no class/],
    [
      "<?php class A extends Junction\\AbstractConnector { function key(): string { return ''; } } class B extends A {}",
      /^connector\.php has 2 classes/,
    ],
    [
      "<?php class A extends Junction\\AbstractConnector { function __construct(int $n) {} function key(): string { return ''; } }",
      /^Too few arguments to function A::__construct\(\)/,
    ],
  ])("an invalid connector.php gives the reason at every call: %s", async (source, why) => {
    const { call } = php.connector(source);
    for (const hook of ["describe", "webhook"] as const) {
      const failure = await failureOf(call("", { hook, args: hook === "webhook" ? [{}] : [] }));
      expect(failure.kind).toBe("threw");
      expect(failure.message).toMatch(why);
      expect(`${failure.message} ${failure.trace ?? ""}`).not.toMatch(/\/(tmp|work|home|connector)\//);
    }
    expect(php.crashes).toEqual([]);
  });

  test("abstract classes and an author's own base class are not a second connector", async () => {
    const { call } = php.connector(`<?php
abstract class Base extends Junction\\AbstractConnector { public function key(): string { return 'acme'; } }
final class Acme extends Base {}`);
    expect(await call("", { hook: "describe" })).toMatchObject({ key: "acme" });
  });
});
