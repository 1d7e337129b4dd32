// Signing in.
import { part } from "../language";

export const signin = part("signin", {
  providerDidNotSign: "The provider did not sign you in",
  beginAgainIfIt: "Begin again. If it happens again, ask your operator: the server's log has the reason.",
  signInProviderCannot: "The sign-in provider cannot be reached",
  tryAgainInMoment: "Try again in a moment, or use a token.",
  signInTookToo: "The sign-in took too long, or was begun in another browser",
  beginAgain: "Begin again.",
  providerDoesNotTell: "The provider does not tell your name, or has not verified your address",
  askYourOperator: "Ask your operator.",
  thereIsNoUser: "There is no user of your name here",
  askAdminToMake: "Ask an admin to make one.",
  tooManySignIns: "Too many sign-ins have failed",
  waitSomeSecondsThen: "Wait some seconds, then begin again.",
  pasteItAgainWhole: "Paste it again, whole. If it has ended, your operator gives you a new one.",
  thisBrowserIsNot: "This browser is not signed in",
  linkThatDaUi: "The link that `da ui` opens works once, for a minute. Run `da ui` again in your terminal.",
  signIn: "Sign in",
  signInWith: "Sign in with {provider}",
  orWithToken: "Or with a token:",
  pasteTokenThatYour: "Paste the token that your operator gave you. This browser keeps a session, not the token.",
  token: "Token",
  da: "da_…",
  signingIn: "Signing in…",
});
