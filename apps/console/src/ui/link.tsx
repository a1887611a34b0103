import { Link as RouterLink } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { cx } from "./class-names.ts";

export interface LinkProps {
  /** A path of the console, with its query; paths are made by `paths`. */
  readonly to: string;
  readonly children: ReactNode;
  /** `text`: as in a sentence. `plain`: as what it stands in. `button`, `primary`: looks like a button. */
  readonly look?: "text" | "plain" | "button" | "primary";
  readonly className?: string;
  readonly "aria-label"?: string;
  readonly "aria-current"?: "page";
  readonly onClick?: () => void;
}

const BUTTON =
  "inline-flex h-8.5 shrink-0 items-center justify-center gap-1.5 rounded-md px-3.5 font-medium whitespace-nowrap transition-colors";
const LOOKS = {
  text: "text-accent underline decoration-from-font underline-offset-2 hover:text-accent-strong",
  plain: "",
  button: cx(BUTTON, "border border-line-strong bg-surface shadow-card hover:bg-hover"),
  primary: cx(BUTTON, "bg-accent text-on-accent hover:bg-accent-strong"),
};

export function Link({ to, look = "text", className, children, ...props }: LinkProps) {
  const [pathname = "/", search = ""] = to.split("?");
  return (
    <RouterLink
      to={pathname}
      search={Object.fromEntries(new URLSearchParams(search))}
      className={cx(LOOKS[look], className)}
      {...props}
    >
      {children}
    </RouterLink>
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
