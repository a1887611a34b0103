import { renderToStaticMarkup } from "react-dom/server";
import { Activity, ArrowLeft, BookOpen, Bot, Cable, ContactRound, FlaskConical, GitBranch, Globe, House, Inbox, KeyRound, LoaderCircle, Plug, ScrollText, Send, Settings, ShieldCheck, Ticket, UserRound, Users, Webhook, Workflow, Zap } from "lucide-react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";
import { Button, FieldError, Input, Label, Text, TextArea, TextField } from "react-aria-components";
import { useEffect } from "react";
import { Link } from "@tanstack/react-router";
// apps/console/src/paths.ts
/** The paths of the console. All links are made with them. */
var paths = {
	home: "/",
	signIn: "/sign-in",
	forgot: "/forgot",
	setupGuide: "/start",
	endpoints: "/endpoints",
	endpoint: (id) => `/endpoints/${id}`,
	deliveries: "/deliveries",
	delivery: (id) => `/deliveries/${id}`,
	events: "/events",
	event: (id) => `/events/${id}`,
	eventTypes: "/event-types",
	eventType: (name) => `/event-types/${encodeURIComponent(name)}`,
	tester: "/tester",
	sources: "/sources",
	source: (id) => `/sources/${id}`,
	receipts: "/receipts",
	receipt: (id) => `/receipts/${id}`,
	contacts: "/contacts",
	contact: (id) => `/contacts/${id}`,
	customers: "/customers",
	customer: (id) => `/customers/${id}`,
	tickets: "/tickets",
	ticket: (id) => `/tickets/${id}`,
	rules: "/rules",
	rule: (id) => `/rules/${id}`,
	workflows: "/workflows",
	workflow: (id) => `/workflows/${id}`,
	workflowRun: (id) => `/workflow-runs/${id}`,
	httpCalls: "/http-calls",
	httpCall: (id) => `/http-calls/${id}`,
	approvals: "/approvals",
	approval: (id) => `/approvals/${id}`,
	actions: "/actions",
	action: (key) => `/actions/${encodeURIComponent(key)}`,
	runs: "/runs",
	run: (id) => `/runs/${id}`,
	audit: "/audit",
	auditRow: (id) => `/audit/${id}`,
	aiHistory: "/ai-history",
	aiExchange: (id) => `/ai-history/${id}`,
	connectors: "/connectors",
	connector: (key) => `/connectors/${encodeURIComponent(key)}`,
	keys: "/keys",
	key: (id) => `/keys/${id}`,
	members: "/members",
	settings: "/settings",
	account: "/account"
};
paths.endpoint, paths.delivery, paths.event, paths.source, paths.receipt, paths.contact, paths.ticket, paths.rule, paths.workflow, paths.workflowRun, paths.httpCall, paths.approval, paths.run, paths.auditRow, paths.aiExchange, paths.key;
// apps/console/src/ui/class-names.ts
/** Joins class names; what is false or empty is left out. */
function cx(...names) {
	return names.filter(Boolean).join(" ");
}
// apps/console/src/ui/spinner.tsx
/** Decorates a text that says what is loading. */
function Spinner({ size = 14 }) {
	return /* @__PURE__ */ jsx(LoaderCircle, {
		"aria-hidden": true,
		size,
		className: "animate-spin"
	});
}
// apps/console/src/ui/button.tsx
var BASE = "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none transition-colors duration-100 disabled:opacity-50 data-[disabled]:opacity-50";
var SIZES = {
	sm: "h-7 px-2.5 text-sm",
	md: "h-8.5 px-3.5 text-base"
};
var VARIANTS = {
	primary: "bg-accent text-on-accent data-[hovered]:bg-accent-strong data-[pressed]:bg-accent-strong",
	secondary: "border border-line-strong bg-surface text-ink shadow-card data-[hovered]:bg-hover data-[pressed]:bg-sunken",
	quiet: "text-ink data-[hovered]:bg-hover data-[pressed]:bg-sunken",
	danger: "bg-bad-strong text-white data-[hovered]:brightness-110 data-[pressed]:brightness-95"
};
/**
* While `isPending`, it keeps the focus and does nothing. React Aria's own `isPending` is not used: it announces the label
* of a button that is often gone by then.
*/
function Button$1({ variant = "secondary", size = "md", icon, children, isPending = false, onPress, type, ...props }) {
	return /* @__PURE__ */ jsxs(Button, {
		...props,
		"aria-busy": isPending,
		type: isPending ? "button" : type ?? "button",
		...onPress === void 0 ? {} : { onPress: (event) => isPending ? void 0 : onPress(event) },
		className: cx(BASE, SIZES[size], VARIANTS[variant], isPending && "opacity-80"),
		children: [isPending ? /* @__PURE__ */ jsx(Spinner, {}) : icon, children]
	});
}
// apps/console/src/ui/link.tsx
var BUTTON = "inline-flex h-8.5 shrink-0 items-center justify-center gap-1.5 rounded-md px-3.5 font-medium whitespace-nowrap transition-colors";
var LOOKS = {
	text: "text-accent underline decoration-from-font underline-offset-2 hover:text-accent-strong",
	plain: "",
	button: cx(BUTTON, "border border-line-strong bg-surface shadow-card hover:bg-hover"),
	primary: cx(BUTTON, "bg-accent text-on-accent hover:bg-accent-strong")
};
function Link$1({ to, look = "text", className, children, ...props }) {
	const [pathname = "/", search = ""] = to.split("?");
	return /* @__PURE__ */ jsx(Link, {
		to: pathname,
		search: Object.fromEntries(new URLSearchParams(search)),
		className: cx(LOOKS[look], className),
		...props,
		children
	});
}
// apps/console/src/ui/title.ts
/** The document's title while the page is shown. */
function useTitle(title) {
	useEffect(() => {
		document.title = `${title} · Junction`;
	}, [title]);
}
// apps/console/src/ui/layout.tsx
/** Begins each page. Its heading takes the focus when the route changes. */
function PageHeader({ title, mono = false, description, back, status, actions }) {
	useTitle(title);
	return /* @__PURE__ */ jsxs("header", {
		className: "flex flex-col gap-1 pb-4",
		children: [
			back === void 0 ? null : /* @__PURE__ */ jsxs(Link$1, {
				to: back.to,
				look: "plain",
				"aria-label": `Back to ${back.label}`,
				className: "flex w-fit items-center gap-1 text-sm text-muted hover:text-ink",
				children: [/* @__PURE__ */ jsx(ArrowLeft, {
					"aria-hidden": true,
					size: 14
				}), back.label]
			}),
			/* @__PURE__ */ jsxs("div", {
				className: "flex flex-wrap items-center justify-between gap-x-4 gap-y-2",
				children: [/* @__PURE__ */ jsxs("div", {
					className: "flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1",
					children: [/* @__PURE__ */ jsx("h1", {
						tabIndex: -1,
						className: cx("min-w-0 text-xl font-semibold tracking-tight break-words", mono && "font-mono text-lg break-all"),
						children: title
					}), status]
				}), actions === void 0 ? null : /* @__PURE__ */ jsx("div", {
					"data-compact": true,
					className: "group/actions flex flex-wrap items-center gap-2",
					children: actions
				})]
			}),
			description === void 0 ? null : /* @__PURE__ */ jsx("p", {
				className: "max-w-3xl break-words text-muted",
				children: description
			})
		]
	});
}
// apps/console/src/ui/field.tsx
var INPUT = "w-full min-w-0 rounded-md border border-line-strong bg-surface px-2.5 text-base text-ink placeholder:text-faint data-[hovered]:border-faint data-[focused]:border-accent data-[focused]:outline-2 data-[focused]:-outline-offset-1 data-[focused]:outline-accent data-[invalid]:border-bad data-[disabled]:opacity-60";
function TextField$1({ label, description, error, placeholder, mono, lines, suffix, ...props }) {
	const look = cx(INPUT, mono === true && "font-mono text-sm", error !== void 0 && "border-bad");
	const invalid = error === void 0 ? {} : { "aria-invalid": true };
	return /* @__PURE__ */ jsxs(TextField, {
		...props,
		className: "flex flex-col gap-1",
		children: [
			/* @__PURE__ */ jsx(FieldLabel, {
				isRequired: props.isRequired,
				children: label
			}),
			lines === void 0 ? /* @__PURE__ */ jsxs("div", {
				className: "relative flex items-center gap-2",
				children: [/* @__PURE__ */ jsx(Input, {
					...invalid,
					placeholder: placeholder ?? "",
					className: cx(look, "h-8.5")
				}), suffix]
			}) : /* @__PURE__ */ jsxs("div", {
				className: "flex items-start gap-2",
				children: [/* @__PURE__ */ jsx(TextArea, {
					...invalid,
					placeholder: placeholder ?? "",
					rows: lines,
					className: cx(look, "py-2")
				}), suffix]
			}),
			/* @__PURE__ */ jsx(FieldNotes, {
				description,
				error
			})
		]
	});
}
function FieldLabel({ children, isRequired }) {
	return /* @__PURE__ */ jsxs(Label, {
		className: "text-sm font-medium text-ink",
		children: [children, isRequired === false ? /* @__PURE__ */ jsx("span", {
			className: "font-normal text-faint",
			children: " (optional)"
		}) : null]
	});
}
/**
* Shows the description below a field, the browser's errors and the service's errors. The latter are not part of
* the browser's validation, which would not let the form be sent again.
*/
function FieldNotes({ description, error }) {
	return /* @__PURE__ */ jsxs(Fragment, { children: [description === void 0 && error === void 0 ? null : /* @__PURE__ */ jsxs(Text, {
		slot: "description",
		className: "flex flex-col gap-0.5 text-xs text-muted",
		children: [error === void 0 ? null : /* @__PURE__ */ jsx("span", {
			role: "alert",
			className: "text-bad",
			children: error
		}), description]
	}), /* @__PURE__ */ jsx(FieldError, { className: "text-xs text-bad" })] });
}
// apps/console/src/ui/logo.tsx
/** Shows two lines that join and continue as one. */
function Logo({ size = 24 }) {
	return /* @__PURE__ */ jsxs("svg", {
		width: size,
		height: size,
		viewBox: "0 0 32 32",
		"aria-hidden": true,
		className: "shrink-0 text-accent",
		children: [
			/* @__PURE__ */ jsx("rect", {
				width: "32",
				height: "32",
				rx: "8",
				fill: "currentColor"
			}),
			/* @__PURE__ */ jsxs("g", {
				fill: "none",
				stroke: "var(--on-accent)",
				strokeWidth: "2.6",
				strokeLinecap: "round",
				children: [/* @__PURE__ */ jsx("path", { d: "M7 10h6.5c2.5 0 3.5 1.6 4.5 3.4l1.6 3.2C20.6 18.4 21.6 20 24 20h1" }), /* @__PURE__ */ jsx("path", { d: "M7 22h6c2.4 0 3.6-1.2 4.6-3" })]
			}),
			/* @__PURE__ */ jsx("circle", {
				cx: "25",
				cy: "20",
				r: "2.6",
				fill: "var(--on-accent)"
			})
		]
	});
}
// apps/console/src/features/sign-in/password-fields.tsx
/** The first step of signing in. */
function PasswordFields({ email, password, onChange }) {
	return /* @__PURE__ */ jsxs(Fragment, { children: [/* @__PURE__ */ jsx(TextField$1, {
		label: "E-mail",
		type: "email",
		name: "email",
		autoComplete: "username",
		isRequired: true,
		autoFocus: true,
		value: email,
		onChange: (value) => onChange({ email: value })
	}), /* @__PURE__ */ jsx(TextField$1, {
		label: "Password",
		type: "password",
		name: "password",
		autoComplete: "current-password",
		isRequired: true,
		value: password,
		onChange: (value) => onChange({ password: value })
	})] });
}
// apps/console/src/shell/navigation.ts
var navigation = [
	{
		label: null,
		items: [{
			to: paths.home,
			label: "Home",
			icon: House,
			also: "overview dashboard",
			about: "Items that need attention, and hourly latency, success rate and volume."
		}]
	},
	{
		label: "Outbound",
		items: [
			{
				to: paths.endpoints,
				label: "Endpoints",
				icon: Webhook,
				also: "webhooks targets"
			},
			{
				to: paths.deliveries,
				label: "Deliveries",
				icon: Send,
				also: "log attempts replay"
			},
			{
				to: paths.events,
				label: "Events",
				icon: Zap,
				also: "fire"
			},
			{
				to: paths.eventTypes,
				label: "Event types",
				icon: BookOpen,
				also: "catalog schema"
			},
			{
				to: paths.tester,
				label: "Tester",
				icon: FlaskConical,
				also: "inbox dry run"
			}
		]
	},
	{
		label: "Inbound",
		items: [
			{
				to: paths.sources,
				label: "Sources",
				icon: Cable,
				also: "inbound webhooks mapping"
			},
			{
				to: paths.receipts,
				label: "Receipts",
				icon: Inbox,
				also: "inbound log reprocess"
			},
			{
				to: paths.contacts,
				label: "Contacts",
				icon: ContactRound,
				also: "people timeline"
			},
			{
				to: paths.customers,
				label: "Customers",
				icon: UserRound
			},
			{
				to: paths.tickets,
				label: "Tickets",
				icon: Ticket
			}
		]
	},
	{
		label: "Automation",
		items: [
			{
				to: paths.approvals,
				label: "Approvals",
				icon: ShieldCheck,
				also: "proposals queue"
			},
			{
				to: paths.actions,
				label: "Actions",
				icon: Activity,
				also: "contracts registry runs"
			},
			{
				to: paths.rules,
				label: "Rules",
				icon: GitBranch
			},
			{
				to: paths.workflows,
				label: "Workflows",
				icon: Workflow
			},
			{
				to: paths.httpCalls,
				label: "HTTP calls",
				icon: Globe,
				also: "api requests log replay"
			},
			{
				to: paths.connectors,
				label: "Connectors",
				icon: Plug
			}
		]
	},
	{
		label: "Workspace",
		items: [
			{
				to: paths.audit,
				label: "Audit log",
				icon: ScrollText,
				also: "chain who did what"
			},
			{
				to: paths.aiHistory,
				label: "AI history",
				icon: Bot,
				also: "assistant prompts"
			},
			{
				to: paths.keys,
				label: "API keys",
				icon: KeyRound
			},
			{
				to: paths.members,
				label: "Members",
				icon: Users,
				also: "roles invitations"
			},
			{
				to: paths.settings,
				label: "Settings",
				icon: Settings,
				also: "retention workspace"
			}
		]
	}
];
paths.setupGuide, paths.account, paths.runs;
/** The pages of the navigation, in its order. */
var pages = navigation.flatMap(({ items }) => items);
// apps/console/src/shell/frame.tsx
function SidebarFrame({ brand, workspace, children }) {
	return /* @__PURE__ */ jsxs("aside", {
		className: "sticky top-0 hidden h-dvh flex-col border-r border-line bg-sunken lg:flex",
		children: [
			/* @__PURE__ */ jsx("div", {
				className: "flex h-(--header-height) shrink-0 items-center gap-2.5 px-4",
				children: brand
			}),
			/* @__PURE__ */ jsx("div", {
				className: "px-3 pb-2",
				children: workspace
			}),
			children
		]
	});
}
function Brand() {
	return /* @__PURE__ */ jsxs(Fragment, { children: [/* @__PURE__ */ jsx(Logo, { size: 22 }), /* @__PURE__ */ jsx("span", {
		className: "font-semibold tracking-tight",
		children: "Junction"
	})] });
}
function NavGroups({ children }) {
	return /* @__PURE__ */ jsx("nav", {
		"aria-label": "Main",
		className: "flex-1 overflow-y-auto px-3 pb-6",
		children: navigation.map((group) => /* @__PURE__ */ jsxs("div", {
			className: "mt-2.5 first:mt-1",
			children: [group.label === null ? null : /* @__PURE__ */ jsx("p", {
				className: "px-2 pb-1 text-2xs font-medium tracking-wide text-faint uppercase",
				children: group.label
			}), /* @__PURE__ */ jsx("ul", {
				className: "flex flex-col gap-px",
				children: group.items.map((item) => /* @__PURE__ */ jsx("li", { children: children(item) }, item.to))
			})]
		}, group.label ?? "top"))
	});
}
function navLook(isCurrent) {
	return cx("flex h-7.5 items-center gap-2.5 rounded-md px-2 text-base transition-colors", isCurrent ? "bg-selected font-medium text-ink" : "text-muted hover:bg-hover hover:text-ink");
}
function NavFace({ item, isCurrent }) {
	const Icon = item.icon;
	return /* @__PURE__ */ jsxs(Fragment, { children: [/* @__PURE__ */ jsx(Icon, {
		"aria-hidden": true,
		size: 16,
		className: isCurrent ? "text-accent" : ""
	}), item.label] });
}
/** Grid of the sidebar and the content next to it. */
var SHELL_GRID = "min-h-dvh lg:grid lg:grid-cols-[var(--sidebar-width)_minmax(0,1fr)]";
var HEADER_BAR = "sticky top-0 z-20 border-b border-line bg-page/90 backdrop-blur-sm";
var HEADER_ROW = "flex h-(--header-height) items-center gap-2 px-3 sm:px-6 lg:px-8";
var MAIN = "mx-auto w-full max-w-360 flex-1 px-4 py-5 sm:px-6 lg:px-8";
// apps/console/src/shell/empty-shell.tsx
/** The shell before it is known who is signed in, with the heading of the page that is opened where that is known. */
function EmptyShell({ path }) {
	const page = pages.find(({ to }) => to === path);
	return /* @__PURE__ */ jsxs("div", {
		className: SHELL_GRID,
		children: [/* @__PURE__ */ jsx(SidebarFrame, {
			brand: /* @__PURE__ */ jsx(Brand, {}),
			workspace: /* @__PURE__ */ jsx("p", {
				className: "rounded-md border border-line bg-surface px-2.5 py-1.5 text-base",
				children: "\xA0"
			}),
			children: /* @__PURE__ */ jsx(NavGroups, { children: (item) => /* @__PURE__ */ jsx("span", {
				className: navLook(false),
				children: /* @__PURE__ */ jsx(NavFace, {
					item,
					isCurrent: false
				})
			}) })
		}), /* @__PURE__ */ jsxs("div", {
			className: "flex min-w-0 flex-col",
			children: [/* @__PURE__ */ jsx("header", {
				className: HEADER_BAR,
				children: /* @__PURE__ */ jsx("div", { className: HEADER_ROW })
			}), /* @__PURE__ */ jsx("div", {
				role: "status",
				"aria-label": "Loading the console",
				className: MAIN,
				children: page?.about === void 0 ? /* @__PURE__ */ jsx("div", {
					className: "flex h-full animate-[shimmer_1.6s_ease-in-out_infinite] items-center justify-center",
					children: /* @__PURE__ */ jsx(Logo, { size: 40 })
				}) : /* @__PURE__ */ jsx(PageHeader, {
					title: page.label,
					description: page.about
				})
			})]
		})]
	});
}
// apps/console/src/shell/plain-page.tsx
/** A page without the shell: signing in, and what comes before that. */
function PlainPage({ title, description, children }) {
	useTitle(title);
	return /* @__PURE__ */ jsx("main", {
		className: "flex min-h-dvh flex-col items-center justify-center bg-page px-4 py-10",
		children: /* @__PURE__ */ jsxs("div", {
			className: "flex w-full max-w-sm flex-col gap-6",
			children: [/* @__PURE__ */ jsxs("div", {
				className: "flex items-center gap-2.5",
				children: [/* @__PURE__ */ jsx(Logo, { size: 28 }), /* @__PURE__ */ jsx("span", {
					className: "text-lg font-semibold tracking-tight",
					children: "Junction"
				})]
			}), /* @__PURE__ */ jsxs("div", {
				className: "rounded-xl border border-line bg-surface p-6 shadow-card",
				children: [
					/* @__PURE__ */ jsx("h1", {
						className: "text-xl font-semibold tracking-tight",
						children: title
					}),
					description === void 0 ? null : /* @__PURE__ */ jsx("p", {
						className: "mt-1 text-muted",
						children: description
					}),
					/* @__PURE__ */ jsx("div", {
						className: "mt-5 flex flex-col gap-4",
						children
					})
				]
			})]
		})
	});
}
// apps/console/src/first-paint.tsx
/**
* Renders the content of the page itself, so that something can be read before any script runs. The console's build calls it, see
* tools/console/build.ts. The scripts replace the content; until then no part of it can be used.
*/
function firstPaints() {
	const told = pages.filter(({ about }) => about !== void 0);
	return {
		paths: {
			...Object.fromEntries(told.map(({ to }) => [to, shellAt(to)])),
			[paths.signIn]: signIn()
		},
		shell: shellAt("")
	};
}
function signIn() {
	return markup(/* @__PURE__ */ jsx(PlainPage, {
		title: "Sign in",
		children: /* @__PURE__ */ jsxs("div", {
			className: "flex flex-col gap-4",
			children: [/* @__PURE__ */ jsx(PasswordFields, {
				email: "",
				password: "",
				onChange: () => {}
			}), /* @__PURE__ */ jsx(Button$1, {
				variant: "primary",
				children: "Sign in"
			})]
		})
	}));
}
function shellAt(path) {
	return markup(/* @__PURE__ */ jsx(EmptyShell, { path }));
}
function markup(children) {
	return renderToStaticMarkup(/* @__PURE__ */ jsx("div", {
		inert: true,
		children
	}));
}
export { firstPaints };
