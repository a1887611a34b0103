import { Button as AriaButton } from "react-aria-components";
import type { ButtonProps as AriaButtonProps } from "react-aria-components";
import type { ReactNode } from "react";
import { cx } from "./class-names.ts";
import { Spinner } from "./spinner.tsx";

export interface ButtonProps extends Omit<AriaButtonProps, "className" | "style" | "children"> {
  readonly children?: ReactNode;
  /** `primary`: the one thing to do here. `danger`: cannot be taken back. `quiet`: among others. */
  readonly variant?: "primary" | "secondary" | "quiet" | "danger";
  readonly size?: "sm" | "md";
  readonly icon?: ReactNode;
}

const BASE =
  "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none transition-colors duration-100 disabled:opacity-50 data-[disabled]:opacity-50 data-[pending]:opacity-80";
const SIZES = { sm: "h-7 px-2.5 text-sm", md: "h-8.5 px-3.5 text-base" };
const VARIANTS = {
  primary: "bg-accent text-on-accent data-[hovered]:bg-accent-strong data-[pressed]:bg-accent-strong",
  secondary:
    "border border-line-strong bg-surface text-ink shadow-card data-[hovered]:bg-hover data-[pressed]:bg-sunken",
  quiet: "text-ink data-[hovered]:bg-hover data-[pressed]:bg-sunken",
  danger: "bg-bad-strong text-white data-[hovered]:brightness-110 data-[pressed]:brightness-95",
};

export function Button({
  variant = "secondary",
  size = "md",
  icon,
  children,
  isPending = false,
  ...props
}: ButtonProps) {
  // React Aria's own isPending leaves a nameless picture for screen readers when the button goes away before it ends.
  const busy = isPending ? { onPress: () => {}, type: "button" as const, "data-pending": true } : {};
  return (
    <AriaButton {...props} {...busy} className={cx(BASE, SIZES[size], VARIANTS[variant])}>
      {isPending ? <Spinner /> : icon}
      {children}
      {isPending ? <span className="sr-only">, under way</span> : null}
    </AriaButton>
  );
}

export interface IconButtonProps extends Omit<AriaButtonProps, "className" | "style" | "children"> {
  /** What it does: it has no other words. */
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
