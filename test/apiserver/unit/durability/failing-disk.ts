import fs from 'node:fs';
import path from 'node:path';
import { vi } from 'vitest';
import { freshDirectory } from './directory.js';

/**
 * A disk that a power failure leaves with what was fsynced: the bytes of files, and the names of directories. It watches the calls of
 * this process.
 */
export class ForgetfulDisk {
  /** The bytes of each file at its last fsync, by inode. */
  readonly #synced = new Map<number, Buffer>();
  /** The inodes of each name of a directory at its last fsync. */
  readonly #names = new Map<string, ReadonlyMap<string, number>>();
  count = 0;

  constructor() {
    const { fsyncSync, fdatasyncSync, fdatasync } = fs;
    vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
      fsyncSync(descriptor);
      this.#record(descriptor);
    });
    vi.spyOn(fs, 'fdatasyncSync').mockImplementation((descriptor) => {
      fdatasyncSync(descriptor);
      this.#record(descriptor);
    });
    // What is written while the disk is busy is not what it stores.
    vi.spyOn(fs, 'fdatasync').mockImplementation(((descriptor: number, done: (error: Error | null) => void) => {
      const stored = this.#bytesOf(descriptor);
      fdatasync(descriptor, (error) => {
        if (stored !== undefined) this.#synced.set(stored.inode, stored.bytes);
        this.count += 1;
        done(error);
      });
    }) as typeof fs.fdatasync);
  }

  /** Copies what the disk has of a directory after a power failure. */
  afterPowerFailure(directory: string): string {
    const copy = freshDirectory();
    fs.mkdirSync(copy);
    for (const [name, inode] of this.#names.get(fs.realpathSync(directory)) ?? []) {
      fs.writeFileSync(path.join(copy, name), this.#synced.get(inode) ?? '');
    }
    return copy;
  }

  #record(descriptor: number): void {
    this.count += 1;
    const stored = this.#bytesOf(descriptor);
    if (stored !== undefined) {
      this.#synced.set(stored.inode, stored.bytes);
      return;
    }
    const directory = fs.readlinkSync(`/proc/self/fd/${descriptor}`);
    const files = fs.readdirSync(directory).filter((name) => !name.startsWith('lock'));
    this.#names.set(directory, new Map(files.map((name) => [name, fs.statSync(path.join(directory, name)).ino])));
  }

  #bytesOf(descriptor: number): { readonly inode: number; readonly bytes: Buffer } | undefined {
    const stat = fs.fstatSync(descriptor);
    if (stat.isDirectory()) return undefined;
    const bytes = Buffer.alloc(stat.size);
    fs.readSync(descriptor, bytes, 0, bytes.length, 0);
    return { inode: stat.ino, bytes };
  }
}

/** Makes the next writes of this process fail. */
export function failWrites(code: string): void {
  vi.spyOn(fs, 'writeSync').mockImplementation((() => {
    throw systemError(code, 'write');
  }) as never);
}

/** Makes the next fsyncs of this process fail. */
export function failSyncs(code: string): void {
  vi.spyOn(fs, 'fdatasync').mockImplementation(((_: number, done: (error: Error) => void) => {
    setImmediate(() => done(systemError(code, 'fdatasync')));
  }) as never);
}

/** Holds all fsyncs of this process until the returned function is called; they fail if it says how. */
export function holdSyncs(): (code?: string) => void {
  const held: ((code?: string) => void)[] = [];
  const { fdatasync } = fs;
  const spy = vi.spyOn(fs, 'fdatasync').mockImplementation(((descriptor: number, done: (error: Error | null) => void) => {
    held.push((code) => (code === undefined ? fdatasync(descriptor, done) : done(systemError(code, 'fdatasync'))));
  }) as typeof fs.fdatasync);
  return (code) => {
    spy.mockRestore();
    for (const release of held.splice(0)) release(code);
  };
}

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: the disk of this test fails, ${syscall}`), { code, syscall });
}
