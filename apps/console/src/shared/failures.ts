/** An explanation of a failed attempt, and what to do, in two plain sentences. */
export interface Failure {
  readonly what: string;
  readonly advice: string;
  /** More advice, for people who run the service. Customers in the portal do not see it. */
  readonly forOperators?: string;
}

export interface FailureFacts {
  readonly errorClass: string | null;
  readonly statusCode: number | null;
}

export const errorClasses: readonly { readonly value: string; readonly label: string }[] = [
  { value: "http_status", label: "Error status" },
  { value: "timeout", label: "Timeout" },
  { value: "connect", label: "No connection" },
  { value: "reset", label: "Connection reset" },
  { value: "dns", label: "Name not found" },
  { value: "tls", label: "TLS failure" },
  { value: "redirect", label: "Redirect" },
  { value: "protocol", label: "Not HTTP" },
  { value: "target_refused", label: "Target refused" },
  { value: "transform", label: "Transformation failed" },
  { value: "too_expensive", label: "Filter too expensive" },
  { value: "auth", label: "Sign-in failed" },
  { value: "proxy", label: "Egress proxy failed" },
];

const BY_CLASS: Readonly<Record<string, Failure>> = {
  timeout: {
    what: "The receiver did not respond in time. The limit is 5 seconds to connect and 15 seconds in total.",
    advice: "Respond with 2xx as soon as the event is stored, and process it afterwards.",
  },
  connect: {
    what: "The connection was not accepted.",
    advice: "Check that the receiver is running, that the port is correct, and that its firewall allows this service.",
  },
  reset: {
    what: "The receiver closed the connection before it responded.",
    advice:
      "Check the receiver's log for a crash or a restart at this time. A proxy in front of the receiver can also close connections.",
  },
  dns: {
    what: "The host's name could not be resolved.",
    advice: "Check the spelling of the endpoint's URL and that its DNS record is public.",
  },
  tls: {
    what: "The TLS connection failed.",
    advice:
      "Check the receiver's certificate. It may have expired, be issued for another host, or lack the intermediate certificate.",
  },
  redirect: {
    what: "The receiver responded with a redirect. Redirects are not followed.",
    advice: "Set the endpoint's URL to the target of the redirect.",
  },
  protocol: {
    what: "The response was not HTTP.",
    advice: "Check that the URL's scheme and port belong to a web server.",
  },
  transform: {
    what: "The endpoint's transformation failed, so nothing was sent.",
    advice: "Read the attempt's error, then test the transformation with this event on the endpoint's page.",
  },
  too_expensive: {
    what: "The endpoint's filter takes too long for the data of this event, so nothing was sent.",
    advice: "Use fewer or simpler conditions in the filter, then send the delivery again.",
  },
  auth: {
    what: "The service could not sign in to the receiver, so nothing was sent.",
    advice:
      "Read the attempt's error: it names the secret, the token server or the certificate. Then test the connection in the endpoint's settings.",
  },
  proxy: {
    what: "The proxy through which the service sends did not forward the request. This is not the receiver's fault, and it costs no attempt.",
    advice: "Wait: the delivery is sent when the proxy works again.",
    forOperators:
      "Check JUNCTION_EGRESS_PROXY and the proxy's log. The proxy must allow CONNECT to the receiver's address and port.",
  },
  target_refused: {
    what: "The service does not send to this address. The URL must use https and a public address.",
    advice: "Check which address the host name resolves to.",
    forOperators: "For a receiver in your own network, the operator can allow its range with JUNCTION_ALLOW_TARGETS.",
  },
};

const BY_STATUS: Readonly<Record<number, Failure>> = {
  401: refused("could not authenticate the request"),
  403: refused("rejected the request"),
  404: {
    what: "The receiver has no route at this path.",
    advice: "Compare the endpoint's URL with the receiver's route. A trailing slash can matter.",
  },
  405: {
    what: "The receiver does not accept POST at this path.",
    advice: "Compare the endpoint's URL with the receiver's route.",
  },
  410: {
    what: "The receiver responded 410 Gone.",
    advice: "The endpoint was turned off. If that was a mistake, turn it on and replay the delivery.",
  },
  413: {
    what: "The event exceeds the receiver's size limit.",
    advice: "Raise the receiver's request body limit. An event has at most 256 KiB.",
  },
  429: {
    what: "The receiver limits the request rate.",
    advice: "Set a rate limit in the endpoint's settings. The service respects the receiver's Retry-After header.",
  },
  502: proxy(),
  503: {
    what: "The receiver is unavailable.",
    advice:
      "The receiver may be restarting or overloaded. When it is available again, you can send the deliveries at once.",
  },
  504: proxy(),
};

/** Returns the explanation of a failed attempt; null where nothing failed. */
export function explainFailure(facts: FailureFacts, reader: { readonly isCustomer: boolean }): Failure | null {
  const found = explanationOf(facts);
  if (found?.forOperators === undefined || reader.isCustomer) return found;
  return { what: found.what, advice: `${found.advice} ${found.forOperators}` };
}

function explanationOf({ errorClass, statusCode }: FailureFacts): Failure | null {
  if (errorClass === null) return null;
  if (errorClass !== "http_status")
    return BY_CLASS[errorClass] ?? { what: `The attempt failed: ${errorClass}.`, advice: "" };
  const status = statusCode ?? 0;
  return (
    BY_STATUS[status] ??
    (status >= 500
      ? {
          what: "The receiver failed.",
          advice: "Check the receiver's log at this time, fix the cause, and send the delivery again.",
        }
      : {
          what: "The receiver rejected the request.",
          advice: "Check the response below for the reason, fix the receiver, and send the delivery again.",
        })
  );
}

/** Returns the shortest word that identifies a failure: "503", "timeout". */
export function failureWord({ errorClass, statusCode }: FailureFacts): string {
  if (statusCode !== null && statusCode !== 0) return String(statusCode);
  return errorClasses.find((one) => one.value === errorClass)?.label ?? errorClass ?? "—";
}

function refused(what: string): Failure {
  return {
    what: `The receiver ${what}.`,
    advice:
      "Check the secret that the receiver uses to verify signatures, and whether it needs a header such as Authorization. You can find both in the endpoint's settings.",
  };
}

function proxy(): Failure {
  return {
    what: "A proxy responded, but the receiver behind it did not.",
    advice: "Check that the receiver is running and responds within the proxy's timeout.",
  };
}
