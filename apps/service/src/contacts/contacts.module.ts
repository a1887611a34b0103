import { contactRoutes } from "./contacts.routes.ts";
import { createContacts } from "./contacts.ts";
import { defineModule } from "../composition/module.ts";
import { only } from "../composition/points.ts";
import { platform } from "../platform/platform.module.ts";

/** Contacts, their timelines, and customers' tickets. */
export const contacts = defineModule({
  name: "contacts",
  needs: { platform },
  create: ({ platform: base }, { points }) =>
    createContacts({
      ...base,
      titleOf: (name) => only("eventTitles", points.eventTitles())(name),
      personalData: points.personalData,
      elsewhere: () => only("directories", points.directories()),
    }),
  provides: (made) => ({
    routes: [(app) => contactRoutes(app, made)],
    subscribers: [made.projection],
    searchables: made.searchables,
  }),
});
