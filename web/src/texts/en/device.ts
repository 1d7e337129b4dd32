// A machine that asks to be signed in.
import { part } from "../language";

export const device = part("device", {
  // me/device.tsx
  signInMachine: "Sign in a machine",
  typeCode: "Type the code that `da login` shows in your terminal.",
  code: "Code",
  goOn: "Continue",
  lettersOfCode: "BCDF-GHJK",
  onlyIfYou: "Let it in only if you have just started `da login` yourself. Whoever uses that machine can do here what \
you can. Nobody who helps you needs a code of yours: a message that sends you here with a code is an attack.",
  asks: "asks to sign in as {user}",
  callsItself: "Calls itself",
  asksFrom: "Asks from",
  otherAddress: "another address than this browser's: is it yours?",
  sameAddress: "as this browser does",
  since: "Since",
  may: "May",
  mayAsUser: "read and ask all that {user} may, and change their files and conversations",
  mayAsAdmin: "do all that {user} may, as an admin: read all tables, change users, rights and tokens",
  until: "Until",
  orEarlier: "{time}, or until you end it under Account",
  letIn: "Let it sign in",
  refuse: "Refuse",
  isIn: "{name} is signed in",
  closePage: "Go back to your terminal. You can end it at any time under ",
  account: "Account",
  isRefused: "{name} was refused",
  ifNotYou: "If you did not start this, tell your admin: somebody has tried to get in as you.",
});
