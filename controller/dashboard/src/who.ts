// Who is signed in: their name; empty while nobody is. What changes the farm is offered to them alone.
import { createContext } from "preact";

export const Who = createContext("");
