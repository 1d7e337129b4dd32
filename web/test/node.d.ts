// As much of node's modules for tests as these use.
declare module "node:test" {
  export default function test(name: string, run: () => void | Promise<void>): void;
}
declare module "node:assert/strict" {
  const assert: { equal(a: unknown, b: unknown, why?: string): void;
    deepEqual(a: unknown, b: unknown, why?: string): void; ok(a: unknown, why?: string): void };
  export default assert;
}
