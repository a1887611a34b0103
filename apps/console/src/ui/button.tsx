import { Button as AriaButton } from "react-aria-components";
import type { ButtonProps as AriaButtonProps } from "react-aria-components";
import type { ReactNode } from "react";
import { cx } from "./class-names.ts";
import { Spinner } from "./spinner.tsx";

export interface ButtonProps extends Omit<AriaButtonProps, "className" | "style" | "children" | "isPending"> {
  readonly children?: ReactNode;
  /** `primary`: the one thing to do here. `danger`: cannot be taken back. `quiet`: among others. */
  readonly variant?: "primary" | "secondary" | "quiet" | "danger";
  readonly size?: "sm" | "md";
  readonly icon?: ReactNode;
  readonly isPending?: boolean;
}

const BASE =
  "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none transition-colors duration-100 disabled:opacity-50 data-[disabled]:opacity-50";
const SIZES = { sm: "h-7 px-2.5 text-sm", md: "h-8.5 px-3.5 text-base" };
const VARIANTS = {
  primary: "bg-accent text-on-accent data-[hovered]:bg-accent-strong data-[pressed]:bg-accent-strong",
  secondary:
    "border border-line-strong bg-surface text-ink shadow-card data-[hovered]:bg-hover data-[pressed]:bg-sunken",
  quiet: "text-ink data-[hovered]:bg-hover data-[pressed]:bg-sunken",
  danger: "bg-bad-strong text-white data-[hovered]:brightness-110 data-[pressed]:brightness-95",
};

/**
 * While `isPending`, it keeps the focus and does nothing. React Aria's own `isPending` is not used: it announces the label
 * of a button that is often gone by then.
 */
export function Button({
  variant = "secondary",
  size = "md",
  icon,
  children,
  isPending = false,
  onPress,
  type,
  ...props
}: ButtonProps) {
  return (
    <AriaButton
      {...props}
      aria-busy={isPending}
      // A second press must not send a form twice.
      type={isPending ? "button" : (type ?? "button")}
      {...(onPress === undefined ? {} : { onPress: (event) => (isPending ? undefined : onPress(event)) })}
      className={cx(BASE, SIZES[size], VARIANTS[variant], isPending && "opacity-80")}
    >
      {isPending ? <Spinner /> : icon}
      {children}
    </AriaButton>
  );
}

export interface IconButtonProps extends Omit<AriaButtonProps, "className" | "style" | "children"> {
  /** Names the button's action, because the button has no other text. */
  readonly label: string;
  readonly children: ReactNode;
  readonly size?: "sm" | "md";
}

export function IconButton({ label, children, size = "md", ...props }: IconButtonProps) {
  return (
    <AriaButton
      {...props}
      aria-label={label}
      className={cx(
        "inline-flex shrink-0 items-center justify-center rounded-md text-muted transition-colors duration-100 data-[disabled]:opacity-50 data-[hovered]:bg-hover data-[hovered]:text-ink data-[pressed]:bg-sunken",
        size === "sm" ? "size-7" : "size-8.5",
      )}
    >
      {children}
    </AriaButton>
  );
}
