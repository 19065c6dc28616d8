// What exercises ask of the engine, and how an answer is held against it.
//
//     doctor.mobility                 a number of the doctor's report on the scene at its start; of a list its length, of yes and no 1 and 0
//     pin.force.z at 2                a quantity of the scene after so many seconds from its start
//     greatest pin.force.z until 2    its greatest or least value in that time
//
// A condition is one of these, a comparison (`==`, `<`, `>`; `==` within a hundredth) and a number: `doctor.mobility == 1`.

import type { DoctorAnswer } from "../protocol";
import type { Live } from "./live";

/** The number that the engine gives. */
export async function evaluate(live: Live, expression: string): Promise<number> {
  const doctor = /^doctor\.(\w+)$/.exec(expression);
  if (doctor) {
    await live.recorded([], 0);
    const value = (await live.ask({ about: "doctor" }))[doctor[1] as keyof DoctorAnswer];
    return typeof value === "number" ? value : typeof value === "boolean" ? Number(value) : value.length;
  }
  const at = /^(.+) at ([\d.]+)$/.exec(expression);
  const most = /^(greatest|least) (.+) until ([\d.]+)$/.exec(expression);
  const [name, seconds] = at ? [at[1]!, Number(at[2])] : most ? [most[2]!, Number(most[3])] : [null, NaN];
  if (name === null) throw new Error(`“${expression}” cannot be asked`);
  const { names, values } = await live.recorded([name], seconds);
  const found = (values[names.indexOf(name)] ?? []).filter((v): v is number => v !== null);
  if (found.length === 0) throw new Error(`the scene has no ${name}`);
  if (at) return found[found.length - 1]!;
  return most![1] === "greatest" ? Math.max(...found) : Math.min(...found);
}

/** Does a condition hold? */
export async function holds(live: Live, condition: string): Promise<boolean> {
  const parts = /^(.+?) (==|<|>) (-?[\d.e-]+)$/.exec(condition);
  if (!parts) throw new Error(`“${condition}” cannot be asked`);
  const [value, bound] = [await evaluate(live, parts[1]!), Number(parts[3])];
  if (parts[2] === "<") return value < bound;
  if (parts[2] === ">") return value > bound;
  return near(value, bound, 0.01);
}

/** Are two numbers the same but for so much of the second? Whole small numbers have to be met. */
export function near(a: number, b: number, within: number): boolean {
  return Math.abs(a - b) <= within * Math.abs(b) + 1e-9;
}

/** A number as people write it: `1,5`, `3/4`, `2e3`, with or without a unit behind it. NaN where it is none. */
export function number(text: string): number {
  const parts = /^\s*([-+−]?[\d.,]+(?:e[-+]?\d+)?)\s*(?:\/\s*([\d.,]+))?\s*[a-zA-Z°²³/·*% ]*$/.exec(text.replace("−", "-"));
  if (!parts) return NaN;
  const plain = (t: string) => Number(t.replace(",", "."));
  return plain(parts[1]!) / (parts[2] ? plain(parts[2]) : 1);
}
