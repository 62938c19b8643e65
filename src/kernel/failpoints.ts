/**
 * Named points at which a test may end the process or make a step fail. In production every
 * point is a no-op; there is no flag or variable that arms one.
 */
export interface Failpoints {
  hit(name: string): void;
}

export const noFailpoints: Failpoints = { hit() {} };
