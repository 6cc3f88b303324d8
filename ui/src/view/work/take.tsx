// Files of the workspace to be read, and the session to be taken along: as a document, and as its recording.

import { useContext, useState } from "preact/hooks";
import type { Act } from "../../actions";
import type { ReadFile, State } from "../../state";
import { Source } from "../output";
import { Reading } from "../reading";

interface TakeProps {
  readonly session: string;
  readonly files: State["files"];
  readonly read: ReadFile | null;
  readonly owns: boolean;
  readonly mayRead: boolean;
  readonly act: Act;
}

export function Take(props: TakeProps) {
  return (
    <div class="bs-take">
      <Along {...props} />
      {props.mayRead && <Files {...props} />}
    </div>
  );
}

function Along({ session, owns }: TakeProps) {
  const at = `/api/sessions/${encodeURIComponent(session)}`;
  return (
    <section aria-label="Take it along">
      <h3 class="bs-group">Take it along</h3>
      <p class="bs-line-start">
        <a class="bs-btn" href={`${at}/export?form=markdown`} download>Document (Markdown)</a>
        <a class="bs-btn" href={`${at}/export?form=json`} download>Events (JSON)</a>
        <a class="bs-btn" href={`${at}/recording`} download>Recording</a>
        {owns && <a class="bs-btn" href={`${at}/recording?raw=true`} download>Recording, as it is</a>}
      </p>
      <p class="bs-note">What looks like a secret is left out{owns ? ", but for the last one" : ""}.</p>
    </section>
  );
}

function Files({ session, files, read, act }: TakeProps) {
  const { session: at } = useContext(Reading);
  const [beginning, setBeginning] = useState("");
  const look = (text: string) => {
    setBeginning(text);
    act({ do: "files", session, beginning: text });
  };
  const paths = files?.session === session && files.beginning === beginning ? files.paths : null;
  const shown = read?.session === (at ?? session) ? read : null;
  return (
    <section aria-label="Files">
      <h3 class="bs-group">Files</h3>
      <input class="bs-input is-mono" aria-label="A file's path or name begins with" placeholder="Path or name" value={beginning} onFocus={() => look(beginning)} onInput={(event) => look(event.currentTarget.value)} />
      {paths !== null && <ul class="bs-paths">{paths.map((path) => <li key={path}><button type="button" class="bs-link" onClick={() => act({ do: "read", session, path })}><code>{path}</code></button></li>)}</ul>}
      {shown !== null && (
        <>
          <h3 class="bs-path">{shown.path} <a href={`/api/sessions/${encodeURIComponent(session)}/file?${new URLSearchParams({ path: shown.path })}`} download>Save</a></h3>
          {shown.problem !== null ? <p class="bad" role="status">{shown.problem}</p> : shown.text === null ? <p class="dim">Reading …</p> : <Source key={shown.path} text={shown.text} path={shown.path} first={1} most={400} />}
        </>
      )}
    </section>
  );
}
