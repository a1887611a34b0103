import type { IncomingMessage, RequestListener } from "node:http";

/** Answers a HEAD as the GET, without the body: `GET` routes have no second route for it. */
export interface HeadRequests {
  /** Passes a HEAD as a GET to the router. */
  routed(handle: RequestListener): RequestListener;
  /** Gives a routed request its own method back, which signatures and the request log contain. Node sends no body for it. */
  restore(request: IncomingMessage): void;
}

export function createHeadRequests(): HeadRequests {
  const heads = new WeakSet<IncomingMessage>();
  return {
    routed: (handle) => (request, response) => {
      if (request.method === "HEAD") {
        heads.add(request);
        request.method = "GET";
      }
      handle(request, response);
    },
    restore(request) {
      if (heads.has(request)) request.method = "HEAD";
    },
  };
}
