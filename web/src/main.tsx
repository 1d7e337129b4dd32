import { render } from "preact";
import { App } from "./app";
import { locale } from "./texts/language";
import { followTheme } from "./theme";

document.documentElement.lang = locale;
followTheme();
render(<App />, document.getElementById("app")!);
