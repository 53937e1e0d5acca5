// What people saw: listed beside a job, a boot, a kernel or a machine, with a form for one more.
import { useState } from "preact/hooks";
import { imports, words } from "./api";
import { usePoll } from "./live";
import { Foreign, Show, When } from "./parts";
import { Withdraw } from "./withdraw";

const KINDS = ["freeze", "audio", "video", "launch", "browse", "other"];

function Form({ subject, onDone }: { subject: string; onDone: () => void }) {
  const [kind, setKind] = useState("other");
  const [text, setText] = useState("");
  const [error, setError] = useState("");
  const add = (event: Event) => {
    event.preventDefault();
    imports.addNote({ subject, kind, text }).then(
      () => {
        setText("");
        setError("");
        onDone();
      },
      (problem) => setError(words(problem)),
    );
  };
  return (
    <form class="row" onSubmit={add}>
      <label class="short">Kind<select value={kind} onChange={(e) => setKind(e.currentTarget.value)}>{KINDS.map((one) => <option key={one}>{one}</option>)}</select></label>
      <label>What you saw<input required maxLength={4096} value={text} onInput={(e) => setText(e.currentTarget.value)} /></label>
      <button type="submit">Add</button>
      {error !== "" && <p class="error" role="alert"><Foreign text={error} /></p>}
    </form>
  );
}

export function Notes({ subject }: { subject: string }) {
  const [asked, setAsked] = useState(0);
  const live = usePoll(async (signal) => (await imports.listNotes({ subject, limit: 100 }, { signal })).notes, 15000, [subject, asked], subject);
  return (
    <>
      <Show live={live}>
        {(notes) => (
          <ul class="notes">
            {notes.length === 0 && <li class="dim">Nobody has noted anything.</li>}
            {notes.map((note) => (
              <li key={String(note.note)}>
                <span class="tag">{note.kind}</span> <Foreign text={note.text} />{" "}
                <span class="dim small"><Foreign text={note.subject} />, <Foreign text={note.author || note.source} /> <When at={note.added} /></span>{" "}
                {note.source === "" && (
                  <Withdraw what={`note ${note.note}`} act={(why) => imports.withdrawNote({ note: note.note, why })} onDone={() => setAsked((n) => n + 1)} />
                )}
              </li>
            ))}
          </ul>
        )}
      </Show>
      <Form subject={subject} onDone={() => setAsked((n) => n + 1)} />
    </>
  );
}
