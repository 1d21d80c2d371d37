import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A user, and the rights of the token. */
export interface TokenOwner {
  readonly id: number;
  readonly login: string;
  readonly type: 'User' | 'Bot';
  /** True for the token of a pull request from a fork. */
  readonly readOnly?: boolean;
}

export interface StoredComment {
  readonly id: number;
  body: string;
  readonly author: Pick<TokenOwner, 'id' | 'login' | 'type'>;
  readonly system?: boolean;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly token: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent as it is, everything else as JSON. */
  readonly body?: unknown;
}

/**
 * Serves the comments of pull request 7 of shop/web as GitHub does (`/repos/…`), and as the notes of merge request 7 of project 42 as GitLab
 * does (`/api/v4/…`). Sources: GitHub, "REST API endpoints for issue comments"; GitLab, "Notes API".
 */
export class CommentsServer {
  readonly comments: StoredComment[] = [];
  readonly requests: SeenRequest[] = [];
  readonly owners = new Map<string, TokenOwner>([
    // The token of a job may not ask who it is.
    ['ghs-of-the-job', { id: 1, login: 'github-actions[bot]', type: 'Bot' }],
    ['ghs-of-a-fork', { id: 1, login: 'github-actions[bot]', type: 'Bot', readOnly: true }],
    ['ghp-of-a-person', { id: 2, login: 'ada', type: 'User' }],
    ['glpat-of-a-bot', { id: 3, login: 'project_42_bot', type: 'Bot' }],
  ]);
  /** Answers instead of the server, before the server has done anything. */
  intercept: (request: SeenRequest) => Answer | undefined | Promise<Answer | undefined> = () => undefined;
  /** Answers instead of the server, after it has done what was asked: an answer that is lost. */
  lose: (request: SeenRequest) => Answer | undefined = () => undefined;
  #nextId = 1000;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const { status, headers, body } = await this.#answer(request).catch((error) => ({ status: 599, headers: {}, body: String(error) }));
      const isText = typeof body === 'string';
      response.writeHead(status, { 'Content-Type': isText ? 'text/html' : 'application/json', ...headers });
      response.end(isText || body === undefined ? body : JSON.stringify(body));
    });
  }

  static async start(): Promise<CommentsServer> {
    const server = new CommentsServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Adds a comment that somebody has written. */
  add(body: string, author: StoredComment['author'], system = false): StoredComment {
    const comment = { id: this.#nextId, body, author, ...(system ? { system } : {}) };
    this.#nextId += 1;
    this.comments.push(comment);
    return comment;
  }

  reset(): void {
    this.comments.length = 0;
    this.requests.length = 0;
    this.intercept = () => undefined;
    this.lose = () => undefined;
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const { method = '', url = '' } = request;
    const token =
      /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? (request.headers['private-token'] as string | undefined);
    const seen = { method, path: url, token };
    this.requests.push(seen);
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const instead = await this.intercept(seen);
    if (instead !== undefined) return instead;
    const owner = token === undefined ? undefined : this.owners.get(token);
    if (owner === undefined) return { status: 401, body: { message: 'Bad credentials' } };
    const answer = this.#serve(method, new URL(url, this.url), owner, token as string, text);
    return this.lose(seen) ?? answer;
  }

  // One table of routes for both systems: they differ in paths, methods and members.
  #serve(method: string, url: URL, owner: TokenOwner, token: string, text: string): Answer {
    const isGitLab = url.pathname.startsWith('/api/v4/');
    const path = url.pathname.replace(/^\/api\/v4/, '');
    const shown = (comment: StoredComment) =>
      isGitLab
        ? {
            id: comment.id,
            body: comment.body,
            author: { id: comment.author.id, username: comment.author.login },
            system: comment.system === true,
          }
        : {
            id: comment.id,
            body: comment.body,
            user: { login: comment.author.login, type: comment.author.type },
            html_url: `https://github.example/shop/web/pull/7#issuecomment-${comment.id}`,
          };
    if (method === 'GET' && path === '/user') {
      if (token.startsWith('ghs-')) return { status: 403, body: { message: 'Resource not accessible by integration' } };
      return { status: 200, body: { id: owner.id, login: owner.login, username: owner.login } };
    }
    const list = isGitLab ? '/projects/42/merge_requests/7/notes' : '/repos/shop/web/issues/7/comments';
    const one = isGitLab ? `${list}/` : '/repos/shop/web/issues/comments/';
    if (method === 'GET' && path === list) {
      const size = Math.min(Number(url.searchParams.get('per_page') ?? 30), 100);
      const page = Number(url.searchParams.get('page') ?? 1);
      return { status: 200, body: this.comments.slice((page - 1) * size, page * size).map(shown) };
    }
    if (path !== list && !path.startsWith(one)) return { status: 404, body: { message: 'Not Found' } };
    if (owner.readOnly) return { status: 403, body: { message: 'Resource not accessible by integration' } };
    if (method === 'DELETE') {
      const index = this.comments.findIndex(({ id }) => `${one}${id}` === path);
      if (index < 0) return { status: 404, body: { message: 'Not Found' } };
      this.comments.splice(index, 1);
      return { status: 204 };
    }
    const { body } = JSON.parse(text) as { body: string };
    if (body.length > 65_536)
      return { status: 422, body: { message: 'Validation Failed: body is too long (maximum is 65536 characters)' } };
    if (method === 'POST' && path === list) return { status: 201, body: shown(this.add(body, owner)) };
    const comment = this.comments.find(({ id }) => `${one}${id}` === path);
    if (comment === undefined) return { status: 404, body: { message: 'Not Found' } };
    if (method !== (isGitLab ? 'PUT' : 'PATCH')) return { status: 405, body: { message: 'Method Not Allowed' } };
    comment.body = body;
    return { status: 200, body: shown(comment) };
  }
}
