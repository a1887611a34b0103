/** Shows two lines that join and continue as one. */
export function Logo({ size = 24 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden className="shrink-0 text-accent">
      <rect width="32" height="32" rx="8" fill="currentColor" />
      <g fill="none" stroke="var(--on-accent)" strokeWidth="2.6" strokeLinecap="round">
        <path d="M7 10h6.5c2.5 0 3.5 1.6 4.5 3.4l1.6 3.2C20.6 18.4 21.6 20 24 20h1" />
        <path d="M7 22h6c2.4 0 3.6-1.2 4.6-3" />
      </g>
      <circle cx="25" cy="20" r="2.6" fill="var(--on-accent)" />
    </svg>
  );
}
