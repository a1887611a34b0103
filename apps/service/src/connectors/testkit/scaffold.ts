import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CONNECTOR_KEY } from "../registry/connectors.ts";

export interface Scaffold {
  readonly key: string;
  readonly folder: string;
  readonly files: readonly string[];
}

/**
 * Writes a connector that receives order events, sends them to another service and passes the kit unchanged. Throws
 * Error, with a message that may be shown, if the folder is not empty.
 */
export async function createConnector(into: string, key: string, runtime: "php" | "ts"): Promise<Scaffold> {
  if (!CONNECTOR_KEY.test(key))
    throw new Error(
      "a key must be lower-case words joined by -, with at most 40 characters, such as acme or crm-mirror",
    );
  const folder = join(into, key);
  const there = await readdir(folder).catch(() => []);
  if (there.length > 0) throw new Error(`${folder} is not empty`);
  const files = filesOf(key, runtime);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text, { flag: "wx" });
  }
  return { key, folder, files: Object.keys(files) };
}

function filesOf(key: string, runtime: "php" | "ts"): Record<string, string> {
  return {
    ...(runtime === "ts" ? { "connector.ts": typescript(key) } : { "connector.php": php(key) }),
    "connector.json": json({
      name: titleOf(key),
      version: "0.1.0",
      description: "Sends orders to another service.",
      runtime,
      egress: ["settings.base_url"],
      events: ["order.created"],
      fires: [],
      reads: [],
    }),
    "settings.json": json({
      type: "object",
      properties: {
        base_url: { type: "string", format: "uri", title: "Address", description: "Such as https://api.example.com." },
        api_key: { type: "string", writeOnly: true, minLength: 8, title: "API key" },
      },
      required: ["base_url", "api_key"],
      test: "tryAccess",
    }),
    "actions.json": "[]\n",
    "fixtures/http.json": json([
      { request: { method: "GET", url: "{settings.base_url}/me" }, response: { status: 200, json: { name: "Ada" } } },
      { request: { method: "POST", url: "{settings.base_url}/orders" }, response: { status: 201, json: { id: "1" } } },
    ]),
    "README.md": `# ${titleOf(key)}\n\nSends orders to another service.\n\n## Set it up\n\n1. Enter the service's address and an API key.\n2. Enable the connector and press **Test**.\n`,
  };
}

function typescript(key: string): string {
  return `import { AbstractConnector } from "@junction/connector";
import type { ConnectorEvent, HttpResponse, JsonObject } from "@junction/connector";

export class ${className(key)} extends AbstractConnector {
  override key(): string {
    return "${key}";
  }

  override subscribers() {
    return { "order.created": ["onOrder"] };
  }

  async onOrder(event: ConnectorEvent): Promise<void> {
    // The same each time this event is told: the other service makes one order of it.
    const headers = { "Idempotency-Key": event.id };
    refuse(await this.http({ method: "POST", url: this.address("/orders"), headers, auth: "settings.api_key", json: event.data }));
  }

  /** Tries the settings, when somebody presses Test. */
  async tryAccess(): Promise<JsonObject> {
    refuse(await this.http({ method: "GET", url: this.address("/me"), auth: "settings.api_key" }));
    return { ok: true, message: "The service accepts the key." };
  }

  private address(path: string): string {
    return \`\${String(this.settings("base_url")).replace(/\\/+$/, "")}\${path}\`;
  }
}

/** What is thrown is shown to the operator, and the event is told again later. */
function refuse({ status }: HttpResponse): void {
  if (status === 401) throw new Error("The service rejects the key. Set api_key to a new one.");
  if (status >= 300) throw new Error(\`The service answered HTTP \${status}.\`);
}
`;
}

function php(key: string): string {
  return `<?php

declare(strict_types=1);

use Junction\\AbstractConnector;

final class ${className(key)} extends AbstractConnector
{
    public function key(): string
    {
        return '${key}';
    }

    public function subscribers(): array
    {
        return ['order.created' => ['onOrder']];
    }

    public function onOrder(array $event): void
    {
        $this->refuse($this->http([
            'method' => 'POST',
            'url' => $this->address('/orders'),
            // The same each time this event is told: the other service makes one order of it.
            'headers' => ['Idempotency-Key' => $event['id']],
            'auth' => 'settings.api_key',
            'json' => $event['data'],
        ]));
    }

    /** Tries the settings, when somebody presses Test. */
    public function tryAccess(): array
    {
        $this->refuse($this->http(['method' => 'GET', 'url' => $this->address('/me'), 'auth' => 'settings.api_key']));
        return ['ok' => true, 'message' => 'The service accepts the key.'];
    }

    private function address(string $path): string
    {
        return rtrim($this->settings('base_url'), '/') . $path;
    }

    /** What is thrown is shown to the operator, and the event is told again later. */
    private function refuse(array $answer): void
    {
        if ($answer['status'] === 401) {
            throw new RuntimeException('The service rejects the key. Set api_key to a new one.');
        }
        if ($answer['status'] >= 300) {
            throw new RuntimeException("The service responded with HTTP {$answer['status']}.");
        }
    }
}
`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function titleOf(key: string): string {
  return key.charAt(0).toUpperCase() + key.slice(1).replaceAll("-", " ");
}

/** Returns a class name that does not begin with a digit. */
function className(key: string): string {
  const name = key
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
  return /^\d/.test(name) ? `Connector${name}` : name;
}
