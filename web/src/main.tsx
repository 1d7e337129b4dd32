import { render } from "preact";
import { App } from "./app";
import { followTheme } from "./theme";

followTheme();
render(<App />, document.getElementById("app")!);
