import { render } from "preact";
import { App } from "./app";
import { locale } from "./texts/language";
import { followTheme } from "./theme";

document.documentElement.lang = locale;
followTheme();
void import("./ui/focus").then(f => f.keepFocus(), () => {}); // the page works without
render(<App />, document.getElementById("app")!);
