/** Messages to the page that frames the portal. They contain nothing secret, because any page may be the parent. */
interface HostMessage {
  readonly source: "junction-portal";
  readonly type: "ended" | "height";
  readonly [member: string]: unknown;
}

/** Returns true if another page frames this one. */
export function isFramed(): boolean {
  return window.parent !== window;
}

/** Asks the host page for a new session. */
export function reportEnd(code: string | null): void {
  post({ source: "junction-portal", type: "ended", code });
}

/** Reports the height of the content, also when it changes, so that the frame needs no scroll bar of its own. */
export function reportHeight(element: Element): () => void {
  const observer = new ResizeObserver(() => {
    post({ source: "junction-portal", type: "height", height: Math.ceil(element.getBoundingClientRect().height) });
  });
  observer.observe(element);
  return () => observer.disconnect();
}

function post(message: HostMessage): void {
  if (isFramed()) window.parent.postMessage(message, "*");
}
