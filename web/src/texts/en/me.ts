// The account.
import { part } from "../language";

export const me = part("me", {
  // me/me.tsx
  system: "System",
  light: "Light",
  dark: "Dark",
  admin: "Admin",
  user: "User",
  signOut: "Sign out",
  usedToday: "Used today",
  figures: "the figures",
  delivered: "Delivered",
  billedAtSources: "Billed at sources",
  leftToday: "Left today",
  noLimit: "no limit",
  running: "Running",
  of: " of {runningLimit}",
  appearance: "Appearance",
  signedInOn: "Signed in on",
  signIns: "the sign-ins",
  endAllOthers: "End all {others} others",
  signIns2: "Sign-ins",
  browser: "Browser",
  since: "Since",
  lastUsed: "Last used",
  ends: "Ends",
  actions: "Actions",
  unknown: "unknown",
  thisOne: "this one",
  end: "End",
});
