// What can be done to the session: the menu in its head.

import type { Act } from "../actions";
import { deedsOf } from "../deeds";
import type { State } from "../state";
import { Icon } from "./icons";
import { type Choice, Menu } from "./menu";

export function SessionMenu({ state, act }: { readonly state: State; readonly act: Act }) {
  const choices = deedsOf(state).map(({ action, ...deed }): Choice => Object.assign(deed, { does: () => act(action), tone: deed.sure === undefined ? "" : "bad" }));
  if (choices.length === 0) return null;
  return (
    <Menu label="What can be done to this session" class="bs-btn is-bare is-icon" opens="down" choices={choices}>
      <Icon name="more" />
    </Menu>
  );
}
