import { useState } from "preact/hooks";
import { type Session, login, readSession, words } from "../api";
import { Foreign, Title } from "../parts";
import { go, safeNext } from "../route";

export function Login({ query, onDone }: { query: URLSearchParams; onDone: (session: Session) => void }) {
  const [token, setToken] = useState("");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError("");
    try {
      await login(token.trim());
      onDone(await readSession());
      go(safeNext(query.get("next")), true);
    } catch (problem) {
      setError(words(problem));
      setBusy(false);
    }
  };
  return (
    <div class="login card">
      <Title text="Sign in" />
      <p>
        With a user's token: <code>deploy/quickstart</code> puts one into <code>tokens/user</code> of its state, an
        operator makes more with <code>shakedown-controller token create</code>.
      </p>
      <form onSubmit={submit}>
        <label>
          Token
          <input
            type="password" name="token" autocomplete="current-password" required autofocus value={token}
            aria-describedby={error === "" ? undefined : "login-error"}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        {error !== "" && <p class="error" role="alert" id="login-error"><Foreign text={error} /></p>}
        <button type="submit" class="main" disabled={busy}>{busy ? "Signing in…" : "Sign in"}</button>
      </form>
    </div>
  );
}
