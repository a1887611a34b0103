import type { ReactNode } from "react";
import { usePortal } from "../session/session.ts";
import { cx } from "./class-names.ts";
import { useNavigation } from "./navigation.ts";
import type { AnchorProps } from "./navigation.ts";

/** `to` is a path of the console, with its query; paths are made by `paths`. */
export interface LinkProps extends AnchorProps {
  /** `text`: as in a sentence. `plain`: as what it stands in. `button`, `primary`: looks like a button. */
  readonly look?: "text" | "plain" | "button" | "primary";
}

const BUTTON =
  "inline-flex h-8.5 shrink-0 items-center justify-center gap-1.5 rounded-md px-3.5 font-medium whitespace-nowrap transition-colors";
const LOOKS = {
  text: "text-accent underline decoration-from-font underline-offset-2 hover:text-accent-strong",
  plain: "",
  button: cx(BUTTON, "border border-line-strong bg-surface shadow-card hover:bg-hover"),
  primary: cx(BUTTON, "bg-accent text-on-accent hover:bg-accent-strong"),
};

/** Links to a page that the portal does not have: buttons are left out, and other links are plain text. */
const BUTTONS = { button: true, primary: true };

export function Link({ to, look = "text", className, children, ...props }: LinkProps) {
  const { Anchor } = useNavigation();
  const portal = usePortal();
  const [pathname = "/"] = to.split("?");
  if (portal !== undefined && !portal.hasPage(pathname))
    return look in BUTTONS ? null : <span className={className}>{children}</span>;
  return (
    <Anchor to={to} className={cx(LOOKS[look], className)} {...props}>
      {children}
    </Anchor>
  );
}

/** A link to an object of which the page knows only the ID. */
export function IdLink({ to, id }: { readonly to: string; readonly id: string }) {
  return (
    <Link to={to} className="font-mono text-xs break-all">
      {id}
    </Link>
  );
}

/** A page of the service that is not of the console, such as the start of a sign-in elsewhere. It looks like a button. */
export function ServiceLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a href={href} className={LOOKS.button}>
      {children}
    </a>
  );
}

/** A page outside the console, such as the API reference. */
export function ExternalLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noreferrer" className={LOOKS.text}>
      {children}
    </a>
  );
}
