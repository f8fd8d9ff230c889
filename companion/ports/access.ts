/**
 * Something outside of the companion that a run is about to touch. Paths are absolute, with links resolved; what a
 * program is given may be relative to the folder that it runs in.
 */
export type Access =
  | { kind: 'network'; url: string; method: string }
  /** A site in the person's own browser: an address that is about to be asked there, or the page of a tab. */
  | { kind: 'browse'; url: string }
  | { kind: 'execute'; argv: readonly string[]; cwd?: string }
  | { kind: 'read_file' | 'write_file'; path: string }

/**
 * Judges an access before it happens; whoever implements a port that touches something asks it first, on every hop.
 * Waits for a person where the policy says so. Fails with policy_denied, approval_denied, approval_required or
 * origin_not_allowed.
 */
export type AccessCheck = (access: Access) => Promise<void>
