import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** An answer that no API server gives, and what an error says of it. */
export interface MalformedResponse {
  readonly respond: (response: ServerResponse) => void;
  readonly message: RegExp;
}

const json = { 'content-type': 'application/json' };
const signInPage = '<!DOCTYPE html><html><head><title>Sign in</title></head><body>Who are you?</body></html>';

function malformedResponse(
  message: RegExp,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer = '',
): MalformedResponse {
  return { message: message, respond: (response) => void response.writeHead(status, headers).end(body) };
}

/** Answers that need no repetition to be known for what they are. */
export const malformedResponses: Readonly<Record<string, MalformedResponse>> = {
  redirect: malformedResponse(/302, a redirect to https:\/\/login\.example\.com\/start,/, 302, {
    location: 'https://login.example.com/start?token=t',
  }),
  'captive portal': malformedResponse(/200 with HTML \("Sign in"\)/, 200, { 'content-type': 'text/html' }, signInPage),
  'captive portal that says JSON': malformedResponse(/200 with HTML \("Sign in"\)/, 200, json, signInPage),
  'not found by another server': malformedResponse(/404 with HTML \("Sign in"\)/, 404, { 'content-type': 'text/html' }, signInPage),
  'forbidden by another server': malformedResponse(/403 with HTML \("Sign in"\)/, 403, { 'content-type': 'text/html' }, signInPage),
  null: malformedResponse(/200 with the JSON value null/, 200, json, 'null'),
  text: malformedResponse(/200 with the JSON value "ok"/, 200, json, '"ok"'),
  list: malformedResponse(/200 with the JSON value \[\]/, 200, json, '[]'),
  'no content': malformedResponse(/204 without a body/, 204, {}),
  'refusal within success': malformedResponse(
    /200 with an error in it \("gone"\)/,
    200,
    json,
    '{"kind":"Status","status":"Failure","code":404,"message":"gone"}',
  ),
  gzip: malformedResponse(/200 in the content encoding gzip/, 200, { ...json, 'content-encoding': 'gzip' }, gzipSync('{}')),
  'deep nesting': malformedResponse(
    /200 with JSON that is nested more than 1000 levels deep/,
    200,
    json,
    `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  ),
};

/** Answers that may be an accident, so that they are asked for again. */
export const transientResponses: Readonly<Record<string, MalformedResponse>> = {
  empty: malformedResponse(/200 without a body/, 200, json),
  truncated: malformedResponse(/200 with application\/json that is not JSON: "\{\\"kind\\":/, 200, json, '{"kind":"List","items":['),
  'shorter than it is': malformedResponse(/Parse Error/, 200, { ...json, 'content-length': '10' }, '{"kind":"List"}'),
};

/** JSON objects that fit no question. */
export const mismatchedBodies: Readonly<Record<string, unknown>> = {
  'an empty object': {},
  'an object of another kind': { apiVersion: 'v1', kind: 'Riddle', metadata: { name: 'riddle' } },
  'metadata that is none': { apiVersion: 'v1', kind: 'ConfigMap', metadata: null, items: null },
  'items that are no list': { apiVersion: 'v1', kind: 'List', metadata: {}, items: { '0': 'x' }, groups: {}, resources: 'x' },
  'items that are no objects': { apiVersion: 'v1', kind: 'List', metadata: {}, items: [null, 1], groups: [null, 1], resources: [null, 1] },
  'metadata of wrong types': {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 7, uid: {}, labels: [], managedFields: 'x' },
    items: [{ metadata: { name: [], uid: 1, managedFields: {} } }],
  },
};
