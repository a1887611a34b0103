import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { HostError } from "./hosts.ts";
import type { LogLine } from "./hosts.ts";
import { PHP_START_MS, PHPS, startPhp } from "./testing/php.ts";
import type { PhpHosts } from "./testing/php.ts";
import { failureOf } from "./testing/programs.ts";

/** The tests run on both backends, which a connector cannot distinguish. */

const ACME = `<?php
namespace Acme;

use Junction\\AbstractConnector;

require __DIR__ . '/src/names.php';

class Acme extends AbstractConnector
{
    private int $calls = 0;
    private ?string $region;

    public function __construct() { $this->region = $this->settings('region'); }
    public function key(): string { return 'acme'; }
    public function identityProviders(): array { return ['acme' => 'findIdentity', 'upper' => upper(...)]; }
    public function contextProviders(): array { return ['orders' => 'ordersOf', 'region' => fn() => $this->region]; }
    public function registerActions(): array { return ['acme.refund' => 'refund']; }
    public function subscribers(): array
    {
        return [
            'order.created' => ['onOrder', ['handler' => $this->later(...), 'priority' => 30]],
            '*' => [[$this, 'onOrder'], ['handler' => 'onOrder', 'priority' => 99]],
        ];
    }
    public function handleWebhook(array $body): void { $this->kv->set('body', $body); }

    public function test(): array { return ['ok' => true, 'message' => 'Fine.']; }
    public function silent(): void { }

    protected function onOrder(array $event): int
    {
        $this->kv->set('calls', ++$this->calls);
        $this->kv->set($event['event'], $event['data']);
        return 1;
    }
    private function later(array $event): void { $this->kv->set('later', $this->event === $event); }
    private function findIdentity(string $identifier): ?array
    {
        return $identifier === 'nobody' ? null : ['external_id' => $identifier];
    }
    private function ordersOf(array $customer): array { return [['of' => $customer['id']]]; }
    private function refund(array $parameters, array $run): array { return [...$parameters, ...$run]; }
}
`;
const NAMES = `<?php
namespace Acme;
function upper(string $name): array { return ['name' => \\strtoupper($name)]; }
`;
const EVENT = { id: "evt_1", event: "order.created", timestamp: "2026-11-21T13:00:00.000Z", data: { total: 12 } };

describe.each(PHPS)("a connector on %s", (_name, program) => {
  let php: PhpHosts;
  let acme: ReturnType<PhpHosts["connector"]>["call"];

  beforeAll(async () => {
    php = await startPhp(await program());
    acme = php.connector({ "connector.php": ACME, "src/names.php": NAMES }).call;
  }, PHP_START_MS);
  afterAll(async () => await php.stop());

  covers(
    [
      "connector.file.class",
      "connector.hook.key",
      "connector.hook.identity-providers",
      "connector.hook.context-providers",
      "connector.hook.register-actions",
      "connector.hook.subscribers",
    ],
    "connector.php's class declares its events, providers and actions",
    async () => {
      expect(await acme("", { hook: "describe" })).toEqual({
        key: "acme",
        subscribers: {
          "order.created": [
            { name: "onOrder", priority: null },
            { name: "order.created#1", priority: 30 },
          ],
          "*": [
            { name: "*#0", priority: null },
            { name: "onOrder", priority: 99 },
          ],
        },
        identity: ["acme", "upper"],
        context: ["orders", "region"],
        actions: ["acme.refund"],
        webhook: true,
      });
    },
  );

  covers("connector.hook.subscribers", "handlers are method names of any visibility, and callables", async () => {
    const seen = await servicesOf(async (service) => {
      for (const name of ["onOrder", "order.created#1", "*#0"]) {
        expect(await acme(name, { hook: "subscriber", event: EVENT, service })).toBeNull();
      }
    });
    const calls = ["kv.set", "calls", 1];
    const data = ["kv.set", "order.created", { total: 12 }];
    expect(seen).toEqual([calls, data, ["kv.set", "later", true], calls, data]);
  });

  covers("connector.hook.handle-webhook", "handleWebhook() receives the body and returns nothing", async () => {
    const seen = await servicesOf(async (service) => {
      const body = { id: 1, nested: { list: [1, "two", null, true] } };
      expect(await acme("", { hook: "webhook", args: [body], service })).toBeNull();
    });
    expect(seen).toEqual([["kv.set", "body", { id: 1, nested: { list: [1, "two", null, true] } }]]);
    const more = classOf(
      "public function handleWebhook(array $body, array $request = []): void { throw new Exception($request['id']); }",
    );
    const args = [{}, { id: "of the request" }];
    expect(await failureOf(php.connector(more).call("", { hook: "webhook", args }))).toMatchObject({
      message: "of the request",
    });
  });

  test("providers, actions and the settings test return the values of their methods", async () => {
    const settings = { region: "eu" };
    expect(await acme("acme", { hook: "identity", args: ["a-1"] })).toEqual({ external_id: "a-1" });
    expect(await acme("acme", { hook: "identity", args: ["nobody"] })).toBeNull();
    expect(await acme("upper", { hook: "identity", args: ["ada"] })).toEqual({ name: "ADA" });
    expect(await acme("orders", { hook: "context", args: [{ id: "cus_1" }] })).toEqual([{ of: "cus_1" }]);
    expect(await acme("region", { hook: "context", args: [{}], settings })).toBe("eu");
    const args = [{ amount: 5 }, { id: "run_1", idempotency_key: "k", dry_run: false }];
    expect(await acme("acme.refund", { hook: "action", args })).toEqual({ amount: 5, ...args[1] });
    expect(await acme("test", { hook: "test" })).toEqual({ ok: true, message: "Fine." });
    expect(await acme("silent", { hook: "test" })).toBeNull();
  });

  test("a hook that the class does not have fails with the reason", async () => {
    const failures = await Promise.all([
      failureOf(acme("onRefund", { hook: "subscriber", event: EVENT })),
      failureOf(acme("other", { hook: "identity", args: ["x"] })),
      failureOf(acme("nothing", { hook: "test" })),
    ]);
    expect(failures.map(({ kind, message }) => [kind, message])).toEqual([
      ["threw", 'subscribers() has no handler "onRefund".'],
      ["threw", 'identityProviders() has no "other".'],
      ["threw", 'settings.json\'s test names "nothing", which is neither a method nor a callable.'],
    ]);
  });

  covers("connector.hook.register-actions", "registerActions() may return nothing, with any return type", async () => {
    for (const [declared, returned] of [
      [": void", ""],
      ["", "return [];"],
      [": ?array", "return null;"],
    ]) {
      const { call } = php.connector(
        classOf(`public function registerActions()${declared ?? ""} { ${returned ?? ""} }`),
      );
      expect(await call("", { hook: "describe" })).toMatchObject({ actions: [], webhook: false });
    }
  });

  test.each([
    ["subscribers(): array { return ['a.b' => 'onIt']; }", "subscribers() must give a list of handlers for a.b."],
    ["subscribers(): array { return ['a.b' => ['onIt']]; }", 'subscribers() for a.b names "onIt", which is neither'],
    ["subscribers(): array { return ['a.b' => [['handler' => 'key', 'priority' => 100]]]; }", "The handler a.b#0 of"],
    ["subscribers(): array { return ['a.b' => [7]]; }", "subscribers() for a.b names int, which is neither"],
    ["contextProviders(): array { return ['orders']; }", "contextProviders() must give an array of names to methods."],
    ["identityProviders(): array { return ['a' => 'no']; }", 'identityProviders() for a names "no", which is neither'],
  ])("%s is refused with a message for the author", async (method, words) => {
    const failure = await failureOf(php.connector(classOf(`public function ${method}`)).call("", { hook: "describe" }));
    expect(failure).toMatchObject({ kind: "threw" });
    expect(failure.message).toContain(words);
  });

  test("services receive the protocol's names and arguments, and objects stay objects", async () => {
    const answers: Record<string, unknown> = {
      fire: { id: "evt_2" },
      "contacts.find": null,
      "timeline.add": { id: "act_1" },
    };
    const seen: unknown[] = [];
    const value = await php.run(
      `$this->fire('acme.synced');
      $this->fire('acme.synced', ['n' => 1]);
      $this->contacts->find(['email' => 'a@example.com']);
      $this->contacts->upsert(['external_id' => '1']);
      $this->timeline->add('con_1', ['type' => 'note']);
      $this->kv->get('a'); $this->kv->set('a', ['x' => new \\stdClass]); $this->kv->set('a', null, ['ttl_seconds' => 60]);
      $this->mail(['to' => 'a@example.com', 'subject' => 's', 'text' => 't']);
      return [$this->kv->cas('a', null, 2), $this->fire('acme.synced')['id']];`,
      {
        service: async (name, args) => {
          seen.push([name, ...args]);
          return await Promise.resolve((answers[name] ?? (name === "kv.cas" ? true : {})) as never);
        },
      },
    );
    expect(value).toEqual([true, "evt_2"]);
    expect(seen.slice(0, -1)).toEqual([
      ["fire", "acme.synced", {}],
      ["fire", "acme.synced", { n: 1 }],
      ["contacts.find", { email: "a@example.com" }],
      ["contacts.upsert", { external_id: "1" }],
      ["timeline.add", "con_1", { type: "note" }],
      ["kv.get", "a"],
      ["kv.set", "a", { x: {} }],
      ["kv.set", "a", null, { ttl_seconds: 60 }],
      ["mail", { to: "a@example.com", subject: "s", text: "t" }],
      ["kv.cas", "a", null, 2],
    ]);
  });

  test("http() reads JSON from the response's body", async () => {
    const bodies = ['{"n":12345678901234567890,"f":1.0,"o":{}}', "no JSON", ""];
    const service = async () => await Promise.resolve({ status: 200, headers: {}, body: bodies.shift() ?? "" });
    const request = "$this->http(['method' => 'GET', 'url' => 'https://a.example', 'headers' => []])['json']";
    expect(await php.run(`return [${request}, ${request}, ${request}];`, { service })).toEqual([
      { n: "12345678901234567890", f: 1, o: [] },
      null,
      null,
    ]);
  });

  test("an error of a service is a HostError with its code, caught or not", async () => {
    const service = async () => await Promise.reject(new HostError("egress_undeclared", "a.example is not declared."));
    const ask = "$this->http(['method' => 'GET', 'url' => 'https://a.example/']);";
    expect(
      await php.run(
        `try { ${ask} } catch (Junction\\HostError $e) { return [$e->code, $e->getCode(), $e->getMessage()]; }`,
        {
          service,
        },
      ),
    ).toEqual(["egress_undeclared", "egress_undeclared", "a.example is not declared."]);
    expect(await failureOf(php.run(ask, { service }))).toMatchObject({
      kind: "threw",
      code: "egress_undeclared",
      message: "a.example is not declared.",
    });
  });

  test("settings, event and now() need no service request, and secrets are handles", async () => {
    const seen = await servicesOf(async (service) => {
      const settings = { api_key: "secret:settings.api_key", size: 5 };
      const body =
        "return [$this->settings('api_key'), $this->settings('size'), $this->settings('none'), $this->event];";
      expect(await php.run(body, { settings, service })).toEqual(["secret:settings.api_key", 5, null, null]);
      const [before, after] = (await php.run("$a = $this->now(); usleep(20000); return [$a, $this->now()];", {
        service,
      })) as [string, string];
      expect(before).toMatch(/^2026-11-21T13:00:0\d\.\d{3}Z$/);
      expect(Date.parse(after) - Date.parse(before)).toBeGreaterThanOrEqual(15);
    });
    expect(seen).toEqual([]);
  });

  test("logged and printed text goes to the log, and never into a result", async () => {
    const log: LogLine[] = [];
    const body = `$this->log('warning', 'Said', ['n' => 1, 'bytes' => "\\xff"]);
      echo "one\\ntwo"; print("!\\n"); var_dump(1); ob_start(); echo 'held'; $x = $nothing; @$x = $nothing;
      trigger_error('Old', E_USER_DEPRECATED); fwrite(fopen('php://output', 'w'), 'direct');
      while (ob_get_level() > 0 && @ob_end_clean()); fwrite(fopen('php://stdout', 'w'), "not a line of ours\\n");
      $this->log('error', "\\xff"); return 'answer';`;
    expect(await php.run(body, { log })).toBe("answer");
    const place = "connector.php(8) : eval()'d code";
    expect(log.map(({ level, message }) => `${level}: ${message.replace(/:\d\)$/, ")")}`)).toEqual([
      "warning: Said",
      "info: one",
      "info: two!",
      "info: int(1)",
      `warning: Warning: Undefined variable $nothing (${place})`,
      `info: Deprecated: Old (${place})`,
      "error: \u{FFFD}",
    ]);
    expect(log[0]?.fields).toEqual({ n: 1, bytes: "\u{FFFD}" });
  });

  test("lines above 100 per call are counted in one more line", async () => {
    const log: LogLine[] = [];
    await php.run("for ($i = 0; $i < 300; $i++) echo \"$i\\n\"; $this->log('info', 'late');", { log });
    expect(log).toHaveLength(101);
    expect(log.at(-1)).toEqual({ level: "warning", message: "201 more lines are left out." });
  });

  test("handlers, buffers, time zone and instance of a call do not affect the next", async () => {
    const log: LogLine[] = [];
    await php.run(
      `ob_start(); ob_start(); echo 'held'; set_error_handler(fn() => true); set_error_handler(null); error_reporting(0);
      date_default_timezone_set('Asia/Tokyo');`,
      { log },
    );
    expect(
      await php.run("echo 'seen'; $x = $nothing; return [date_default_timezone_get(), ob_get_level()];", { log }),
    ).toEqual(["UTC", 1]);
    expect(log.map(({ message }) => message.replace(/ \(.*/, ""))).toEqual([
      "held",
      "Warning: Undefined variable $nothing",
      "seen",
    ]);
  });

  test("an instance that outlives its call cannot use services", async () => {
    await php.run("$GLOBALS['old'] = $this;");
    const failure = await failureOf(php.run("$GLOBALS['old']->kv->get('a');"));
    expect(failure).toMatchObject({
      kind: "threw",
      code: "failed",
      message: "kv.get() was called after the hook had ended.",
    });
  });
});

/** Returns the service requests with their arguments while `act` runs. They return null. */
async function servicesOf(act: (service: (name: string, args: readonly never[]) => Promise<null>) => Promise<void>) {
  const seen: unknown[] = [];
  await act(async (name, args) => {
    seen.push([name, ...args]);
    return await Promise.resolve(null);
  });
  return seen;
}

function classOf(members: string): string {
  return `<?php class Acme extends Junction\\AbstractConnector { public function key(): string { return 'acme'; } ${members} }`;
}
