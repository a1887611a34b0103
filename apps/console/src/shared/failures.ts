/** What went wrong with an attempt, and what to do: two plain sentences. */
export interface Failure {
  readonly what: string;
  readonly advice: string;
}

export interface FailureFacts {
  readonly errorClass: string | null;
  readonly statusCode: number | null;
}

export const errorClasses: readonly { readonly value: string; readonly label: string }[] = [
  { value: "http_status", label: "Refused by status" },
  { value: "timeout", label: "Timeout" },
  { value: "connect", label: "No connection" },
  { value: "reset", label: "Connection reset" },
  { value: "dns", label: "Name not found" },
  { value: "tls", label: "TLS failure" },
  { value: "redirect", label: "Redirect" },
  { value: "protocol", label: "Not HTTP" },
  { value: "target_refused", label: "Target refused" },
];

const BY_CLASS: Readonly<Record<string, Failure>> = {
  timeout: {
    what: "The receiver did not answer in time: 5 seconds to connect, 15 in all.",
    advice: "Let it answer 2xx as soon as it has stored the event, and do the work afterwards.",
  },
  connect: {
    what: "Nothing took the connection.",
    advice: "Check that the receiver is running, that the port is right and that its firewall lets this service in.",
  },
  reset: {
    what: "The receiver closed the connection before it answered.",
    advice: "Look in its log for a crash or a restart at this moment; a proxy before it may cut connections too.",
  },
  dns: {
    what: "The host's name could not be resolved.",
    advice: "Check the spelling of the endpoint's URL and that its DNS record is public.",
  },
  tls: {
    what: "No secure connection could be made.",
    advice: "Check the receiver's certificate: it may have expired, name another host, or lack its intermediate.",
  },
  redirect: {
    what: "The receiver answered with a redirect, which is never followed.",
    advice: "Set the endpoint's URL to the address that it redirects to.",
  },
  protocol: {
    what: "What came back was not HTTP.",
    advice: "Check that the URL's scheme and port belong to a web server.",
  },
  target_refused: {
    what: "The service does not send to this address: it must be https on the public internet.",
    advice:
      "Check what the host's name resolves to now. For a receiver within your own network, the operator can allow its range with JUNCTION_ALLOW_TARGETS.",
  },
};

const BY_STATUS: Readonly<Record<number, Failure>> = {
  401: refused("does not know who is asking"),
  403: refused("refused the request"),
  404: {
    what: "The receiver has nothing at this path.",
    advice: "Compare the endpoint's URL with the route of the receiver; a slash at the end can matter.",
  },
  405: {
    what: "The receiver takes no POST at this path.",
    advice: "Compare the endpoint's URL with the route of the receiver.",
  },
  410: {
    what: "The receiver said that it is gone for good.",
    advice: "The endpoint was switched off. If that was a mistake, switch it on again and replay.",
  },
  413: {
    what: "The event is larger than the receiver takes.",
    advice: "Raise the receiver's limit of a request's body; an event has at most 256 KiB.",
  },
  429: {
    what: "The receiver asked for fewer requests.",
    advice: "Set a rate limit in the endpoint's settings. A Retry-After that it sends is heeded.",
  },
  502: proxy(),
  503: {
    what: "The receiver said that it is not available.",
    advice: "It is being deployed, or overloaded: what is parked is replayed once it is back.",
  },
  504: proxy(),
};

/** For a failed attempt; null where nothing failed. */
export function explainFailure({ errorClass, statusCode }: FailureFacts): Failure | null {
  if (errorClass === null) return null;
  if (errorClass !== "http_status") return BY_CLASS[errorClass] ?? { what: `It failed: ${errorClass}.`, advice: "" };
  const status = statusCode ?? 0;
  return (
    BY_STATUS[status] ??
    (status >= 500
      ? { what: "The receiver failed.", advice: "Its log has the cause at this moment. Mend it there, then replay." }
      : {
          what: "The receiver refused the request.",
          advice: "Read its answer below for the reason. Mend it there, then replay.",
        })
  );
}

/** "503", "timeout": the shortest that tells. */
export function failureWord({ errorClass, statusCode }: FailureFacts): string {
  if (statusCode !== null && statusCode !== 0) return String(statusCode);
  return errorClasses.find((one) => one.value === errorClass)?.label ?? errorClass ?? "—";
}

function refused(what: string): Failure {
  return {
    what: `The receiver ${what}.`,
    advice:
      "Check which secret it verifies signatures with, and whether it wants a header of its own, such as Authorization: both are in the endpoint's settings.",
  };
}

function proxy(): Failure {
  return {
    what: "A proxy answered; the receiver behind it did not.",
    advice: "Check that the receiver's own process runs and answers within its proxy's time.",
  };
}
