import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';

export interface OpenedPage {
  readonly page: Page;
  /** Errors, requests to anything but the file, and dialogs. */
  readonly problems: string[];
  /** Milliseconds until the page had shown its objects. */
  readonly took: number;
}

export interface OpenOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** Opens a page from its file, as a double click does, and watches what it does. */
export async function openPage(browser: Browser, file: string, options: OpenOptions = {}, fragment = ''): Promise<OpenedPage> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: 'light', ...options });
  const url = pathToFileURL(file).href;
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => problems.push(`console: ${message.text()}`));
  page.on('request', (request) => request.url().split('#')[0] !== url && problems.push(`request: ${request.url()}`));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const began = performance.now();
  await page.goto(`${url}${fragment}`, { waitUntil: 'load' });
  await page.waitForSelector('[role=status]:not(:empty)');
  return { page, problems, took: performance.now() - began };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Names the violations that axe-core finds, of WCAG 2.2 AA and of its best practices. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate<Violation[]>('axe.run().then(({ violations }) => violations)');
  return found.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html ?? ''} (${nodes.length})`);
}

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}
