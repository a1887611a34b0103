import { useQuery } from "@tanstack/react-query";
import { readAll, useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { Badge, Button, Card, Code, Loaded, RelativeTime, toastOutcome } from "../../../ui/ui.ts";

/** Lists the sessions of the person. */
export function SessionsCard() {
  const sessions = useQuery(readAll("auth.sessions.list"));
  return (
    <Card title="Sessions" flush>
      <Loaded query={sessions} label="Loading the sessions" lines={3}>
        {(list) => (
          <ul>
            {list.map((one) => (
              <SessionRow key={one.id} session={one} />
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

function SessionRow({ session }: { readonly session: wire.Session }) {
  const end = useWrite("auth.sessions.end", { refreshes: ["auth.sessions."] });
  const device = deviceOf(session.user_agent);
  return (
    <li className="flex items-center justify-between gap-3 border-b border-line px-4 py-3 last:border-0">
      <span className="flex min-w-0 flex-col">
        <span className="flex items-center gap-2 font-medium">
          {device} {session.current ? <Badge tone="good">this session</Badge> : null}
        </span>
        <span className="text-sm text-muted">
          <Code>{session.ip}</Code>, last used <RelativeTime at={session.last_used_at} />
        </span>
      </span>
      {session.current ? null : (
        <Button
          size="sm"
          isPending={end.isPending}
          aria-label={`End session on ${device}, ${session.ip}`}
          onPress={() => end.mutate({ path: { id: session.id } }, toastOutcome("Session ended."))}
        >
          End session
        </Button>
      )}
    </li>
  );
}

/** Enough to know a session by; not more than a browser says of itself. */
function deviceOf(userAgent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent)?.[1] ?? "Unknown browser";
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent)?.[1];
  const name = { Edg: "Edge", OPR: "Opera" }[browser] ?? browser;
  return system === undefined ? name : `${name} on ${system === "Mac OS X" ? "macOS" : system}`;
}
