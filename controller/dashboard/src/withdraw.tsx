// Taking back what was imported or noted wrongly: asked for a second time, with a reason.
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useContext, useState } from "preact/hooks";
import { words } from "./api";
import type { Withdrawal } from "./gen/shakedown/v1/import_pb";
import { Foreign } from "./parts";
import { clock, cut } from "./text";
import { Who } from "./who";

// `what`: "import 17". `act` withdraws it.
export function Withdraw({ what, act, onDone }: { what: string; act: (why: string) => Promise<unknown>; onDone: () => void }) {
  const who = useContext(Who);
  const [asked, setAsked] = useState(false);
  const [why, setWhy] = useState("");
  const [error, setError] = useState("");
  if (who === "") return null;
  const submit = (event: Event) => {
    event.preventDefault();
    act(why).then(
      () => {
        setAsked(false);
        setError("");
        onDone();
      },
      (problem) => setError(words(problem)),
    );
  };
  if (!asked) return <button type="button" aria-label={`Withdraw ${what}…`} onClick={() => setAsked(true)}>Withdraw…</button>;
  return (
    <form class="row" onSubmit={submit}>
      <label>What is wrong with it<input required maxLength={1000} value={why} onInput={(e) => setWhy(e.currentTarget.value)} /></label>
      <button type="submit" class="danger">Withdraw {what}</button>
      <button type="button" onClick={() => setAsked(false)}>Keep it</button>
      {error !== "" && <p class="error" role="alert"><Foreign text={error} /></p>}
    </form>
  );
}

export function Withdrawn({ withdrawal }: { withdrawal: Withdrawal | undefined }) {
  if (withdrawal === undefined) return null;
  return (
    <p class="stale">
      Withdrawn by <Foreign text={withdrawal.by} />{withdrawal.at && <>, {clock(timestampDate(withdrawal.at))}</>}:{" "}
      <Foreign text={cut(withdrawal.why, 4096)} />. It is in no other list, table or comparison.
    </p>
  );
}
