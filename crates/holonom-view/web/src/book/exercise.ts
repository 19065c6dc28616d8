// Exercises: a question with a number, or a task on the scene. The engine knows the answer; nothing is written down on the page.

import { evaluate, holds, near, number } from "./ask";
import type { Live } from "./live";

export function createExercise(form: HTMLFormElement, live: Live): void {
  const said = form.querySelector("output")!;
  const because = form.querySelector<HTMLElement>(".because")!;
  const press = form.querySelector("button")!;
  const verdict = (state: "right" | "wrong" | "unclear" | "", text: string) => {
    form.dataset.state = state;
    said.textContent = text;
    because.hidden = state !== "right" || because.childElementCount === 0;
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (press.disabled) return;
    press.disabled = true;
    verdict("", "The engine is asked …");
    check(form, live).then(
      ([state, text]) => verdict(state, text),
      (e: Error) => verdict("unclear", `The engine could not say: ${e.message}`),
    ).finally(() => (press.disabled = false));
  });
}

type Verdict = ["right" | "wrong" | "unclear", string];

async function check(form: HTMLFormElement, live: Live): Promise<Verdict> {
  const { answer, check, within } = form.dataset;
  if (answer) {
    const given = number(new FormData(form).get("answer") as string);
    if (Number.isNaN(given)) return ["unclear", "That is not a number."];
    await live.start(false);
    const right = await evaluate(live, answer);
    const allowed = within ? parseFloat(within) / 100 : 0.01;
    if (near(given, right, allowed)) return ["right", `Yes: the engine says ${shown(right)}.`];
    // the right size with the wrong sign is worth a word
    return ["wrong", near(-given, right, allowed) ? "The size is right; look at the sign." : "No, not that."];
  }
  // as it is written, not as it was opened
  await (live.running ? live.open(false) : live.start(false));
  for (const condition of (check ?? "").split("\n")) {
    if (!(await holds(live, condition))) return ["wrong", `Not yet: ${words(condition)} does not hold.`];
  }
  await live.say({ do: "reset" });
  await live.say({ do: "play" });
  return ["right", "Yes, that does it."];
}

const shown = (value: number): string => String(Number(value.toPrecision(4)));

/** A condition in words. */
function words(condition: string): string {
  return condition.replace("doctor.", "the doctor’s ").replaceAll("_", " ").replace("==", "=").replace(" until ", " in the first ").replace(/(first|at) ([\d.]+)/, "$1 $2 s");
}
