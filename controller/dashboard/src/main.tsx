import { render } from "preact";
import { App } from "./app";
import { followLinks } from "./route";
import "./style.css";

const root = document.getElementById("app")!;
followLinks(root);
render(<App />, root);
