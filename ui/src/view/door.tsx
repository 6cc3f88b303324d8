// Before anything is shown: the token that the hub printed.

import { useState } from "preact/hooks";
import type { Act } from "../actions";
import type { State } from "../state";
import { Mark } from "./icons";

export function Door({ state, act }: { readonly state: State; readonly act: Act }) {
  const [token, setToken] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    act({ do: "login", token: token.trim() });
  };
  return (
    <main class="bs-door">
      <form onSubmit={submit}>
        <Mark raised />
        <h1>bascule</h1>
        <p>Open the address that <code>bascule serve</code> printed, or put its token, or a pairing code, here.</p>
        <label class="bs-field is-tall">
          <span>Token or code</span>
          <input class="bs-input is-mono" autocomplete="off" spellcheck={false} value={token} onInput={(event) => setToken(event.currentTarget.value)} />
        </label>
        {state.doorProblem !== null && <p class="bad" role="alert">{state.doorProblem}</p>}
        <button type="submit" class="bs-btn is-ink" disabled={token.trim() === ""}>Come in</button>
      </form>
    </main>
  );
}
