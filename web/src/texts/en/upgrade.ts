// A new version of the page.
import { part } from "../language";

export const upgrade = part("upgrade", {
  newVersionOfThis: "A new version of this page is there; sheets stay.",
  loadPageAgain: "Load the page again",
});
