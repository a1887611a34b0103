import {
  createMcpHandler,
  isLegacyRequest,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { isRecord } from "../../lib/lib.ts";

/** A message as it came. Each is served by itself: no session, so that any node can take it. */
export interface Incoming {
  readonly message: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A finished answer; null where the protocol sends no body. */
export interface Answer {
  readonly status: number;
  readonly body: string | null;
}

/** A question that the protocol has accepted and that we answer. */
export interface McpRequest {
  readonly method: "tools/list" | "tools/call";
  /** The whole answer, as the message's own version of the protocol words it; `members` is JSON text of the result's members, at least one. */
  frame(members: string): string;
  /** The whole answer that the question cannot be answered. */
  fail(error: RpcError): string;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type Opened = { readonly answer: Answer } | { readonly question: McpRequest };

export interface Protocol {
  /** Judges a message by the version of the protocol that it speaks: the stateless one of 2026-07-28, or those with a handshake before it. */
  open(incoming: Incoming): Promise<Opened>;
}

export interface ProtocolDeps {
  readonly version: string;
}

/** What a model is told before anything else. */
const INSTRUCTIONS = `Tools are actions of the workspace that the API key belongs to, with underscores for dots: billing_refund is the action billing.refund.
Some need a person's approval. Calling one of those runs nothing: it makes a proposal and answers with status "pending_confirmation" and an approve_url. \
Give that link to the user. No argument and no answer of yours approves anything. \
Read with junction_proposal_status what became of it, and do not call the action again.
A refusal has isError and a code; retry only what says that it is retryable.`;

/** Read alike by the versions of the protocol; which of these a request must have, the library judges. */
const PASSED_ON = ["mcp-protocol-version", "mcp-method", "mcp-name"] as const;
const BATCH = { code: -32600, message: "Send one message per request. Batches are not supported." };
const NO_STREAMS = {
  code: -32601,
  message: "This server does not support subscriptions. Request the lists when you need them.",
};

export function createProtocol(deps: ProtocolDeps): Protocol {
  return {
    async open({ message, headers }) {
      if (Array.isArray(message)) return rejected(400, null, BATCH);
      if (isRecord(message) && message["method"] === "subscriptions/listen")
        return rejected(404, idOf(message), NO_STREAMS);
      let method: McpRequest["method"] | undefined;
      const server = serverOf(deps, (asked) => {
        method = asked;
      });
      const response = await respond(server, requestOf(headers), message);
      const body = await response.text();
      if (method === undefined || response.status !== 200)
        return { answer: { status: response.status, body: body === "" ? null : body } };
      return { question: { method, ...framesOf(body) } };
    },
  };
}

/** Its tools answer nothing: what it makes of that is the frame for the real result. */
function serverOf({ version }: ProtocolDeps, asked: (method: McpRequest["method"]) => void): Server {
  const server = new Server(
    { name: "junction", title: "Junction", version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator: NO_VALIDATOR },
  );
  server.setRequestHandler("tools/list", () => {
    asked("tools/list");
    return { tools: [] };
  });
  server.setRequestHandler("tools/call", () => {
    asked("tools/call");
    return { content: [] };
  });
  return server;
}

/** For answers of people, which are never asked for here. */
const NO_VALIDATOR = {
  getValidator: (): never => {
    throw new Error("nothing is elicited");
  },
};

async function respond(server: Server, request: Request, message: unknown): Promise<Response> {
  if (!(await isLegacyRequest(request, message))) {
    const modern = createMcpHandler(() => server, { legacy: "reject" });
    return await modern.fetch(request, { parsedBody: message });
  }
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}

/** Every answer is one JSON text, whatever else the client would take. */
function requestOf(headers: Incoming["headers"]): Request {
  const kept = PASSED_ON.flatMap((name) =>
    headers[name] === undefined ? [] : [[name, String(headers[name])] as const],
  );
  return new Request("http://mcp.invalid/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...Object.fromEntries(kept),
    },
  });
}

/** What the library put around an empty result goes around ours. */
function framesOf(body: string): Pick<McpRequest, "frame" | "fail"> {
  const { id, result } = JSON.parse(body) as Framed;
  const { tools: _none, content: _nothing, ...around } = result;
  const end = JSON.stringify(around).slice(1);
  const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`;
  return {
    frame: (members) => `${start}"result":{${members}${end === "}" ? "" : ","}${end}}`,
    fail: (error) => `${start}"error":${JSON.stringify(error)}}`,
  };
}

interface Framed {
  readonly id: unknown;
  readonly result: Readonly<Record<string, unknown>>;
}

function rejected(status: number, id: unknown, error: RpcError): Opened {
  return { answer: { status, body: JSON.stringify({ jsonrpc: "2.0", id, error }) } };
}

function idOf({ id }: Readonly<Record<string, unknown>>): unknown {
  return typeof id === "string" || typeof id === "number" ? id : null;
}
