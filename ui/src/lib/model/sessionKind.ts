// What a session was made as, by what Orion put before its title: a fork, or one side of a comparison. Mirrors `FORK` of orion-engine's
// driver/forking.rs and `mark` of its engine/compare.rs.

export type SessionKind = 'fork' | 'two_stage' | 'unified';

const MARKS: readonly { kind: SessionKind; mark: RegExp }[] = [
  { kind: 'fork', mark: /^Fork(?: (\d+))?: (?=.)/ },
  { kind: 'two_stage', mark: /^Two-stage(?: (\d+))?: (?=.)/ },
  { kind: 'unified', mark: /^Unified(?: (\d+))?: (?=.)/ },
];

/** A title without the mark that an icon stands for. Its number stays, since it tells two forks of one session apart. */
export interface Kind {
  /** Null for a session that a message began. */
  kind: SessionKind | null;
  rest: string;
}

export function kindOf(title: string): Kind {
  for (const { kind, mark } of MARKS) {
    const found = mark.exec(title);
    if (!found) continue;
    const rest = title.slice(found[0].length);
    return { kind, rest: found[1] === undefined ? rest : `${found[1]}: ${rest}` };
  }
  return { kind: null, rest: title };
}
